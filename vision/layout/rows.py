"""Rows of tiles in the picture plane, whatever the camera's angle.

A row is a chain of tiles whose centres lie on a line or a gentle arc, side by side, of one local
size (see `chains`), with what its tiles say of each other: gaps, turns, and which way is up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from ..boxes import TileBox
from .chains import chains_of
from .plane import ASPECT, Plane, Vector, logistic, off_axis

_LEVEL, _SHAPED, _FACED, _FACED_UPRIGHT = -1.35, 4.5, 2.5, 4.9
"""Log-odds that a tile lies turned by a quarter, what is added at most by its shape and by a face that says
so, what is taken off by one that says it isn't: a logistic regression on 15,400 tiles of rendered rows."""

_SETTLED = 0.001
"""Tile widths or heights by which a curve through a row may still be off where its fitting ends."""

ACROSS = 0.6
"""How far along a row, in its pitches, what lies right across from a tile of it is off at most."""


@dataclass(frozen=True, slots=True)
class Row:
    """Tiles side by side, in reading order.

    indices: places of the tiles in the list given to `find_rows`.
    gaps: `gaps[k]` lies between tile k and tile k + 1, in tile widths (0: touching).
    along: unit vector in reading direction; up: unit vector to where the faces' tops point.
    pitch: usual distance of touching neighbours' centres, pixels.
    height: usual extent of a tile across the row, pixels.
    sideways: probability per tile that it lies turned by a quarter against its row.
    askew: probability per tile that it lies turned by some other angle.
    raised: probability per tile that it is pushed out of the line of the others.
    start, end: centres of the first and last tile, pixels.
    upright: probability that `up` is right (0.5: can't be told from 180 degrees).
    """

    indices: tuple[int, ...]
    gaps: tuple[float, ...]
    along: Vector
    up: Vector
    pitch: float
    height: float
    sideways: tuple[float, ...]
    askew: tuple[float, ...]
    raised: tuple[float, ...]
    start: Vector
    end: Vector
    upright: float

    def __len__(self) -> int:
        return len(self.indices)

    def room_across(self, plane: Plane, others: Sequence[int]) -> Vector:
        """Clear distance from each tile to the nearest of some others right across from it, in tile heights.

        others: indices. Shape (n,), infinite where none lies there; below 0 where boxes overlap.
        """
        own, other = list(self.indices), list(others)
        steps = plane.centres[own][:, None] - plane.centres[other][None]
        heights = plane.extents(self.up)
        touching = (heights[own][:, None] + heights[other][None]) / 2
        gaps = np.abs(steps @ self.up) / np.maximum(touching, 1e-9) - 1
        across = np.abs(steps @ self.along) < ACROSS * self.pitch
        return np.asarray(np.where(across, gaps, np.inf).min(axis=1, initial=np.inf))

    def elsewhere(self, places: Mapping[int, int], zoom: float) -> Row:
        """The same row in a list of tiles in which its own have these places, in `zoom` times the pixels."""
        return replace(
            self,
            indices=tuple(places[index] for index in self.indices),
            pitch=self.pitch * zoom,
            height=self.height * zoom,
            start=self.start * zoom,
            end=self.end * zoom,
        )


def find_rows(tiles: Sequence[TileBox]) -> list[Row]:
    """All tiles in rows, longest and most regular first; every tile is in exactly one row."""
    return rows_in(Plane.of(tiles), tiles) if tiles else []


def rows_in(plane: Plane, tiles: Sequence[TileBox]) -> list[Row]:
    """The same for tiles whose places are known already."""
    chains = chains_of(plane)
    scale = _tightness(plane, chains)
    return [_row(plane, tiles, chain, scale) for chain in chains]


def _tightness(plane: Plane, chains: list[list[int]]) -> float:
    """How far touching neighbours' centres lie apart, as a share of the boxes' extents.

    Boxes of slanted tiles overlap, loose boxes too; touching tiles show how much.
    """
    shares = [1 + plane.gap(i, j) for chain in chains for i, j in pairwise(chain)]
    return _usual(shares, 3, 1.0)


def _levelled(gaps: Vector) -> list[float]:
    """Gaps without the slow drift that a row's slant to the camera puts on them.

    The drift is a parabola fitted to the least sum of absolute deviations, so that a real gap or two
    don't bend it.
    """
    places = np.linspace(-1.0, 1.0, len(gaps))
    tight = np.abs(gaps) < 0.45
    if tight.sum() >= 6:
        curve = _least_absolute(places[tight], gaps[tight], 2 if tight.sum() >= 9 else 1, 0.01)
        gaps = gaps - np.polyval(curve, places)
    return [float(gap) for gap in gaps]


def _least_absolute(x: Vector, y: Vector, degree: int, least: float, level: Vector | float = 1.0) -> Vector:
    """Coefficients, highest power first, of the polynomial with the least sum of absolute deviations.

    Iteratively reweighted least squares (Schlossmacher 1973), until the curve moves by less than
    `_SETTLED` at every point; deviations count as `least` at least. level: weights of the points.
    """
    powers = np.vander(x, degree + 1)
    # Points all in one place leave the slope open: it is then level.
    ridge = 1e-9 * np.eye(degree + 1)
    weights = np.broadcast_to(level, len(x))
    values = np.full(len(x), np.inf)
    for _ in range(12):
        weighted = powers.T * weights
        curve = np.linalg.solve(weighted @ powers + ridge, weighted @ y)
        before, values = values, powers @ curve
        if np.abs(values - before).max() < _SETTLED:
            break
        weights = level / np.maximum(np.abs(y - values), least)
    return np.asarray(curve, dtype=np.float64)


def _usual(shares: list[float], least: int, otherwise: float) -> float:
    """Median of the shares that are those of touching neighbours, if there are enough of them."""
    tight = [share for share in shares if 0.7 < share < 1.2]
    return median(tight) if len(tight) >= least else otherwise


def _row(plane: Plane, tiles: Sequence[TileBox], chain: list[int], scale: float) -> Row:
    along, up, upright = _frame(plane, tiles, chain)
    if len(chain) > 1 and float((plane.centres[chain[-1]] - plane.centres[chain[0]]) @ along) < 0:
        chain = chain[::-1]
    widths = np.array([plane.extent(i, along) for i in chain])
    heights = np.array([plane.extent(i, up) for i in chain])
    sideways, askew = _turns(plane, tiles, chain, widths, heights, up)
    # The box of a tile turned by an odd angle takes in the gap beside it: take its neighbours' width.
    own, height = widths.tolist(), median(heights.tolist())
    usual = [median(own[max(0, k - 3) : k + 4]) if len(chain) > 4 else width for k, width in enumerate(own)]
    true = [
        width if quarter > 0.5 else min(width, 1.06 * norm)
        for width, quarter, norm in zip(own, sideways, usual, strict=True)
    ]
    shares = [
        float(plane.distances[i, j]) / ((true[k] + true[k + 1]) / 2)
        for k, (i, j) in enumerate(pairwise(chain))
    ]
    tight = _usual(shares, 4, scale)
    gaps = _levelled(np.array(shares) / tight - 1)
    askew = tuple(
        turned * (_room(gaps, k) if plane.boxed[i] else 1.0)
        for k, (i, turned) in enumerate(zip(chain, askew, strict=True))
    )
    return Row(
        indices=tuple(chain),
        gaps=tuple(gaps),
        along=along,
        up=up,
        pitch=median(own) * tight,
        height=height,
        sideways=sideways,
        askew=askew,
        raised=_raised(plane.centres[chain], along, up, height, sideways, gaps),
        start=plane.centres[chain[0]],
        end=plane.centres[chain[-1]],
        upright=upright,
    )


def stretches(gaps: Sequence[float], room: float) -> Iterator[tuple[int, int]]:
    """Start and end of the stretches of a row between which there is at least so much room."""
    return pairwise([0, *(place for place, gap in enumerate(gaps, 1) if gap >= room), len(gaps) + 1])


def _room(gaps: Sequence[float], place: int) -> float:
    """Whether a tile has the room beside it that one turned by an odd angle needs, 0 to 1."""
    beside = gaps[max(0, place - 1) : place + 1]
    return min(1.0, max(0.0, max(beside, default=1.0) / 0.08))


def _raised(
    points: Vector,
    along: Vector,
    up: Vector,
    height: float,
    sideways: Sequence[float],
    gaps: Sequence[float],
) -> tuple[float, ...]:
    """Per tile, the probability that it is pushed up or down against its neighbours.

    It must stand out from the line through those it touches by far more than they do themselves. A tile
    turned sideways lies off the middle line anyway.
    """
    found: list[float] = []
    for start, end in stretches(gaps, 0.3):
        found += _off_its_line(points[start:end], along, up, height, sideways[start:end])
    return tuple(found)


def _off_its_line(
    points: Vector, along: Vector, up: Vector, height: float, sideways: Sequence[float]
) -> list[float]:
    """The same for tiles that all touch."""
    if len(points) < 5:
        return [0.0] * len(points)
    x, y = points @ along, points @ up / height
    x = (x - x.mean()) / max(float(np.ptp(x)), 1e-9)
    level = np.array([1.0 - min(turned, 0.99) for turned in sideways])
    away = np.abs(y - np.polyval(_least_absolute(x, y, 2 if len(x) >= 9 else 1, 0.01, level), x))
    usual = max(0.12, 5.0 * median(away.tolist()))
    return [
        (1 - turned) * logistic((off - usual) / (0.12 * usual))
        for off, turned in zip(away.tolist(), sideways, strict=True)
    ]


def _direction(degrees: float) -> Vector:
    angle = math.radians(degrees)
    return np.array([math.sin(angle), -math.cos(angle)])


def _frame(plane: Plane, tiles: Sequence[TileBox], chain: list[int]) -> tuple[Vector, Vector, float]:
    """Reading direction, the direction of the faces' tops, and how sure the latter is."""
    if len(chain) > 1:
        along = plane.centres[chain[-1]] - plane.centres[chain[0]]
        along = along / max(float(np.hypot(*along)), 1e-9)
    else:
        edge = plane.outlines[chain[0]]
        along = edge[1] - edge[0]
        along = along / max(float(np.hypot(*along)), 1e-9)
        if tiles[chain[0]].up is not None and tiles[chain[0]].up_confidence > 0.5:
            top = _direction(tiles[chain[0]].up or 0.0)
            along = np.array([-top[1], top[0]])
    # y points down: a quarter turn counter-clockwise of "right" is "up".
    up = np.array([along[1], -along[0]])
    votes = sum(
        tiles[i].up_confidence * float(np.sign(round(float(up @ _direction(tiles[i].up or 0.0)), 3)))
        for i in chain
        if tiles[i].up is not None
    )
    # Where no face tells, the tops are taken to point up in the picture.
    upside_down = up[1] > 1e-6 or (abs(up[1]) <= 1e-6 and along[1] < 0)
    if votes < 0 or (votes == 0 and upside_down):
        along, up = -along, -up
    return along, up, 1 / (1 + math.exp(-2.0 * min(abs(votes), 4.0)))


def _trend(values: Vector) -> Vector:
    """What a row's values are but for outliers: their median, in longer rows a line along the row.

    Seen from the side, tiles change shape little by little from one end of a row to the other.
    """
    if len(values) < 7:
        return np.full(len(values), median(values.tolist()))
    places = np.linspace(-1.0, 1.0, len(values))
    return np.asarray(np.polyval(_least_absolute(places, values, 1, 0.02), places), dtype=np.float64)


def _votes(tiles: Sequence[TileBox], chain: list[int], up: Vector) -> list[float]:
    """Per tile, what its face says: 1 for a quarter's turn against the row, -1 for none, 0 for nothing.

    A look at the table knows each face's top to a quarter only: in a slanting row they all point off the
    row's own direction, but alike, so faces seen in one look are compared with each other. Where there are
    none to compare with, the row's own direction has to do.
    """
    looks = {i: divmod(round(tile.up), 90) for i in chain if (tile := tiles[i]).up is not None}
    alike: dict[tuple[int, int], float] = defaultdict(float)
    for i, (quarter, look) in looks.items():
        alike[look, quarter % 2] += _axis_confidence(tiles[i])
    votes: list[float] = []
    for i in chain:
        if i not in looks:
            votes.append(0.0)
            continue
        quarter, look = looks[i]
        sure = _axis_confidence(tiles[i])
        same = alike[look, quarter % 2] - sure
        other = alike[look, 1 - quarter % 2]
        if same + other > 1:
            vote = sure * (other - same) / (other + same)
        else:
            across = abs(float(up @ _direction(quarter * 90 + look)))
            vote = sure if across < 0.5 else -sure
        votes.append(vote)
    return votes


def _axis_confidence(tile: TileBox) -> float:
    return max(tile.axis_confidence, tile.up_confidence)


def _turns(
    plane: Plane, tiles: Sequence[TileBox], chain: list[int], widths: Vector, heights: Vector, up: Vector
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Per tile, the probabilities that it lies turned by a quarter, or by some other angle."""
    shapes = np.log(widths / heights)
    areas = np.log(widths * heights).tolist()
    # Of two tiles the broader one may be turned against the other, never both.
    if len(chain) == 1:
        usual = np.array([-math.log(ASPECT)])
    else:
        usual = _trend(shapes) if len(chain) > 2 else np.full(2, shapes.min())
    votes = _votes(tiles, chain, up) if len(chain) >= 3 else [0.0] * len(chain)
    sideways: list[float] = []
    askew: list[float] = []
    for k, i in enumerate(chain):
        neighbours = [*areas[max(0, k - 2) : k], *areas[k + 1 : k + 3]]
        larger = areas[k] - median(neighbours) if neighbours else 0.0
        quarter = logistic((float(shapes[k] - usual[k]) - 0.38) / 0.09)
        if plane.boxed[i]:
            # The box around a tile turned by 10 to 45 degrees is larger than its neighbours'.
            turned = logistic((larger - 0.28) / 0.06)
        else:
            angle = off_axis(plane.outlines[i], up)
            turned = logistic((angle - 11.0) / 3.0)
        if votes[k]:
            faced = _FACED if votes[k] > 0 else _FACED_UPRIGHT
            quarter = logistic(_LEVEL + _SHAPED * quarter + faced * votes[k])
        if len(chain) == 1:
            quarter = min(quarter, 0.5)
        sideways.append(quarter)
        askew.append(turned * (1 - quarter))
    return tuple(sideways), tuple(askew)
