"""The tiles' places in the picture plane: outlines, extents, distances, and how large a tile is where.

Tiles of one set on one table are equally large, so what a tile covers tells how far away it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..boxes import TileBox

Vector = NDArray[np.float64]

ASPECT = 1.35
"""Long side by short side of a mahjong tile's face (sets on sale: 1.30 to 1.40)."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The tiles' places as arrays: what row finding and distances are computed from.

    centres: shape (n, 2). outlines: shape (n, 4, 2), centred. boxed: shape (n,), True where the
    outline is just a box around the tile, level in the picture or in the frame of a second look, so that
    the tile's own turn isn't known. frames: shape (n, 2), unit vectors along the outlines' first sides.
    sizes: shape (n,), geometric mean of the box sides. distances, touching: shape (n, n), how far two
    centres lie apart, and how far they would if the two tiles touched where they lie.
    """

    centres: Vector
    outlines: Vector
    boxed: NDArray[np.bool_]
    frames: Vector
    sizes: Vector
    distances: Vector
    touching: Vector
    _sides: _Sides = field(repr=False, compare=False)
    _known: dict[bytes, Vector] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, tiles: Sequence[TileBox]) -> Plane:
        """The places of the given tiles."""
        corners = np.array([tile.corners for tile in tiles], dtype=float).reshape(-1, 4, 2)
        boxes = np.array([tile.box for tile in tiles], dtype=float).reshape(-1, 4)
        sides = boxes[:, 2:] - boxes[:, :2]
        boxed, frames = _boxed(corners)
        centres = corners.mean(axis=1)
        outlines = corners - centres[:, None]
        steps = centres[None] - centres[:, None]
        distances = np.hypot(steps[..., 0], steps[..., 1])
        along = steps / np.maximum(distances, 1e-9)[..., None]
        shapes = _Sides.of(outlines, boxed, frames)
        extents = _extents(shapes, along)
        touching = np.maximum((extents + extents.T) / 2, 1e-9)
        sizes = np.sqrt(sides.prod(axis=1))
        return cls(centres, outlines, boxed, frames, sizes, distances, touching, shapes)

    def extent(self, index: int, along: Vector) -> float:
        """Full extent in pixels of one tile along a unit vector."""
        return float(self.extents(along)[index])

    def extents(self, along: Vector) -> Vector:
        """The same of every tile, shape (n,)."""
        # Asked for tile after tile along the same few rows, then across them: all at once is ten times
        # as fast.
        key = along.tobytes()
        if key not in self._known:
            across = np.array([along[1], -along[0]])
            both = _extents(self._sides, np.stack([along, across])[None])
            self._known[key], self._known[across.tobytes()] = both.T
        return self._known[key]

    def gap(self, i: int, j: int) -> float:
        """Clear distance of two tiles as a share of the distance at which they'd touch."""
        return float(self.distances[i, j] / self.touching[i, j] - 1)

    def askew(self, index: int, along: Vector, up: Vector, shape: float, excess: float) -> float:
        """Probability that a tile lies neither along a row nor at a right angle to it.

        along, up: the row's directions. shape: log of its tiles' extent along it by that across it.
        excess: the tile's own, as given by `excess`.
        """
        if not self.boxed[index]:
            edges = np.roll(self.outlines[index], -1, axis=0) - self.outlines[index]
            lengths = np.maximum(np.hypot(edges[:, 0], edges[:, 1]), 1e-9)
            # Seen from the side right angles aren't right: the side that fits best counts.
            nearest = float(np.abs(edges @ along / lengths).max())
            return logistic((math.degrees(math.acos(min(1.0, nearest))) - 11.0) / 2.0)
        # The box around a turned tile covers more than the tile ...
        signs = max(-4.0, min(4.0, (excess - 0.36) / 0.07))
        if np.abs(self.frames[index] @ np.stack([along, up], axis=1)).max() > 0.99:
            # ... and is more of a square than it; at a right angle it's the other way round again.
            broader = math.log(self.extent(index, along) / self.extent(index, up)) - shape
            away = min(abs(broader), abs(broader - 2 * math.log(ASPECT)))
            signs += max(-2.0, min(2.0, (away - 0.12) / 0.02))
        return logistic(signs)


def _boxed(corners: Vector) -> tuple[NDArray[np.bool_], Vector]:
    """Which outlines are mere boxes, and the direction of their first sides.

    Level ones are, and exact rectangles that share their direction with another: those of one look.
    """
    first, second = corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
    long = np.maximum(np.hypot(first[:, 0], first[:, 1]), 1e-9)
    high = np.maximum(np.hypot(second[:, 0], second[:, 1]), 1e-9)
    frames = first / long[:, None]
    level = np.abs(frames).min(axis=1) < 0.02
    rest = corners[:, 2] - corners[:, 3] - first
    square = np.abs((first * second).sum(axis=1)) < 0.002 * long * high
    square &= np.hypot(rest[:, 0], rest[:, 1]) < 0.002 * long
    turns = np.degrees(np.arctan2(frames[:, 1], frames[:, 0])) % 90
    apart = np.abs(turns[:, None] - turns[None])
    shared = (np.minimum(apart, 90 - apart) < 0.05).sum(axis=1) > 1
    return level | (square & shared), frames


def excess(plane: Plane, ordered: NDArray[np.bool_]) -> Vector:
    """Log of each tile's area against the usual one at its place, shape (n,).

    Above 0 for the box of a tile turned by an odd angle, below for a marker or a die.
    ordered: shape (n,), the tiles in rows, of which that is judged where there are any.

    What lies flat covers an area that falls with the third power of its distance, and one over the
    distance is linear in the picture: a plane is fitted to the cube roots, to the least sum of
    absolute deviations (by reweighting), and held back where few tiles say how it slopes.
    """
    centres, outlines = plane.centres, plane.outlines
    trust = np.where(ordered, 1.0, 0.02 if ordered.any() else 1.0)
    x, y = outlines[..., 0], outlines[..., 1]
    areas = np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)) / 2
    roots = np.cbrt(np.maximum(areas, 1e-9))
    usual = float(np.median(roots))
    shares = roots / usual
    places = (centres - centres.mean(axis=0)) / (10.0 * float(np.median(np.sqrt(areas))))
    terms = np.column_stack([np.ones(len(places)), places])
    held = np.diag([0.0, 0.03, 0.03])
    weights = trust
    expected = np.ones(len(places))
    for _ in range(10):
        weighed = terms * weights[:, None]
        expected = terms @ np.linalg.solve(weighed.T @ terms + held, weighed.T @ shares)
        weights = trust * 0.05 / np.maximum(np.abs(shares - expected), 0.02)
    result: Vector = 3 * np.log(shares / np.maximum(expected, 0.2))
    return result


@dataclass(frozen=True, slots=True)
class _Sides:
    """What `_extents` asks of n outlines, whatever the direction.

    boxed (n, 1), frames (n, 1, 2): as in `Plane`. normals: (4, n, 1, 2), across each side and as long as it.
    heights: (4, n, 1), those times the distance of the side's line from the centre. width, height: (n, 1).
    """

    boxed: NDArray[np.bool_]
    frames: Vector
    normals: Vector
    heights: Vector
    width: Vector
    height: Vector

    @classmethod
    def of(cls, outlines: Vector, boxed: NDArray[np.bool_], frames: Vector) -> _Sides:
        outlines = outlines.transpose(1, 0, 2)[:, :, None]
        edges = np.roll(outlines, -1, axis=0) - outlines
        normals = np.stack([edges[..., 1], -edges[..., 0]], axis=-1)
        lengths = np.hypot(edges[..., 0], edges[..., 1])
        heights = (normals * outlines).sum(axis=-1)
        return cls(boxed[:, None], frames[:, None], normals, heights, lengths[0], lengths[1])


def _extents(sides: _Sides, along: Vector) -> Vector:
    """Full extents of n tiles along unit vectors, shape (n or 1, m, 2): shape (n, m).

    Of a tile whose outline is known it is the length of the line through its centre: right also for
    the slanted outlines of a view from the side. A box around a tile turned with its row is
    wider than the tile: the true side is solved from the box's two sides where that is well posed,
    and towards 45 degrees taken from their sum and the usual aspect.
    """
    x, y = along[..., 0], along[..., 1]
    width, height = sides.width, sides.height
    cos = np.abs(x * sides.frames[..., 0] + y * sides.frames[..., 1])
    sin = np.abs(x * sides.frames[..., 1] - y * sides.frames[..., 0])
    double = cos * cos - sin * sin
    by_sum = (width + height) / ((1 + ASPECT) * np.maximum(cos + sin, 1e-9))
    posed = np.abs(double) > 0.05
    solved = (width * cos - height * sin) / np.where(posed, double, 1.0)
    trust = np.where(posed, double**4, 0.0)
    longest = np.maximum(width, height)
    found = np.clip(trust * solved + (1 - trust) * by_sum, 0.3 * np.minimum(width, height), longest)
    known = np.flatnonzero(~sides.boxed[:, 0])
    if len(known):
        directions = along if len(along) == 1 else along[known]
        found[known] = np.minimum(_through_centre(sides, known, directions), 2 * longest[known])
    return np.asarray(found, dtype=np.float64)


def _through_centre(sides: _Sides, which: NDArray[np.int64], along: Vector) -> Vector:
    """Lengths of the lines through the centres of these k outlines along (k or 1, m, 2): shape (k, m)."""
    normals, heights = sides.normals[:, which], sides.heights[:, which]
    slopes = normals[..., 0] * along[..., 0] + normals[..., 1] * along[..., 1]
    reach = np.abs(heights) / np.maximum(np.abs(slopes), 1e-9)
    ahead = slopes * heights > 0
    found: Vector = np.where(ahead, reach, np.inf).min(axis=0) + np.where(ahead, np.inf, reach).min(axis=0)
    return found


def off_axis(outline: Vector, up: Vector) -> float:
    """Smallest angle in degrees between any side of an outline and the row's axes."""
    edge = outline[1] - outline[0]
    angle = math.degrees(math.atan2(edge[0] * up[1] - edge[1] * up[0], float(edge @ up))) % 90
    return min(angle, 90 - angle)


def logistic(value: float) -> float:
    """Log odds as a probability."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
