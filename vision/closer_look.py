"""Where a second pass pays: small or tilted rows, cut out level from the full picture.

One pass over the whole picture sees the tiles of a 12-megapixel photo at 30 pixels, and rows that
run askew in boxes that overlap. A `View` maps a group of tiles to an upright cut-out in which they are
large enough; the detector reads it again and the boxes are mapped back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

TARGET_WIDTH = 60.0
"""Pixels: how wide a tile is in a view."""
SMALL_WIDTH = 40.0
"""Pixels: tiles narrower than this in the first pass are looked at again …"""
TINY_WIDTH = 20.0
"""… where the picture itself shows them larger; narrower than this, also where it has to be enlarged …"""
WORTHWHILE = 1.3
"""… and where they gain at least this factor."""
MAX_ENLARGEMENT = 1.5
"""A view never enlarges the picture's own pixels further than this."""
TILT = 7.0
"""Degrees off level from which a group is looked at again."""
AGREEMENT = 0.6
"""Share of neighbours that must lie along a direction for it to be that of rows; by chance it is 0.3."""
MIN_GROUP = 4
"""Tiles: what is fewer lies about, the first pass does for it."""
MAX_VIEWS = 4
MIDDLE = 0.6
"""Part of a box's sides that holds no neighbour's centre, even in a row at 45 degrees."""
REACH = 3.0
"""Tile widths between centres up to which tiles belong to one group."""
_MARGIN = 2.0
"""Tile widths around a group that a view takes in, for tiles that the first pass missed."""
_PAD = 114


@dataclass(frozen=True, slots=True)
class View:
    """An upright cut-out of the picture.

    matrix: (2, 3), from pixels of the picture to pixels of the view. width, height: its size in pixels.
    angle: degrees clockwise from the picture's up to the view's up. tile: a tile's width in the view.
    """

    matrix: NDArray[np.float64]
    width: int
    height: int
    angle: float
    tile: float

    def render(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The cut-out, uint8, shape (height, width, 3); grey where the picture ends."""
        scale = math.hypot(self.matrix[0, 0], self.matrix[1, 0])
        matrix = self.matrix
        if scale < 0.75:
            # warpAffine samples points, so a strong reduction needs the mean over the area first.
            size = (max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale)))
            small = np.array([rgb.shape[1] / size[0], rgb.shape[0] / size[1]])
            rgb = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            matrix = np.hstack([matrix[:, :2] * small, matrix[:, 2:]])
        turned = cv2.warpAffine(
            rgb, matrix, (self.width, self.height), flags=cv2.INTER_LINEAR, borderValue=(_PAD,) * 3
        )
        return np.asarray(turned, dtype=np.uint8)

    def holds(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """(n,) which points (n, 2) of the picture lie well inside, where nothing is cut off."""
        seen = points @ self.matrix[:, :2].T + self.matrix[:, 2]
        edge = self.tile / 2
        inside = (seen >= edge) & (seen <= np.array([self.width, self.height]) - edge)
        return np.asarray(inside.all(axis=1))

    def to_picture(self, boxes: Floats) -> Floats:
        """(n, 4, 2) corners in the picture of boxes (n, 4) in the view, from the top left clockwise."""
        back = cv2.invertAffineTransform(self.matrix)
        points = box_corners(boxes).astype(np.float64)
        return np.asarray(points @ back[:, :2].T + back[:, 2], dtype=np.float32)


def box_corners(boxes: Floats) -> Floats:
    """(n, 4, 2) corners of boxes (n, 4), from the top left clockwise."""
    return boxes[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]


def corner_bounds(corners: Floats) -> Floats:
    """(n, 4) upright bounding boxes of corners (n, 4, 2)."""
    return np.hstack([corners.min(axis=1), corners.max(axis=1)])


def groups(boxes: Floats, reach: float = REACH) -> list[NDArray[np.int64]]:
    """Tiles that lie close together, largest group first, as indices into `boxes` (n, 4).

    reach: tile widths between the centres of neighbours, at most.
    """
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    widths = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    far = reach * np.minimum(widths[:, None], widths[None])
    near = np.linalg.norm(centres[:, None] - centres[None], axis=2) <= far
    left, found = set(range(len(boxes))), []
    while left:
        group, edge = set(), {left.pop()}
        while edge:
            index = edge.pop()
            group.add(index)
            new = set(np.flatnonzero(near[index]).tolist()) & left
            left -= new
            edge |= new
        found.append(np.array(sorted(group)))
    return sorted(found, key=len, reverse=True)


def row_angle(boxes: Floats) -> float:
    """Degrees clockwise in (-45, 45] by which the rows of a group run off level (or off plumb).

    Every tile votes with the directions to its two nearest neighbours, modulo a right angle, since
    rows and columns can't be told apart yet; the densest direction wins. 0 where most votes go
    elsewhere: a heap has no rows.
    """
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    apart = centres[None] - centres[:, None]
    distance = np.linalg.norm(apart, axis=2) + np.where(np.eye(len(boxes), dtype=bool), np.inf, 0)
    nearest = np.argsort(distance, axis=1)[:, :2]
    pairs = apart[np.arange(len(boxes))[:, None], nearest].reshape(-1, 2)
    angles = np.degrees(np.arctan2(pairs[:, 1], pairs[:, 0]))
    off = (angles[:, None] - np.arange(-45, 45) + 45) % 90 - 45
    votes = np.exp(-0.5 * (off / 4) ** 2).sum(axis=0)
    peak = int(votes.argmax())
    close = np.abs(off[:, peak]) < 10
    if close.mean() < AGREEMENT:
        return 0.0
    angle = float(peak - 45 + off[close, peak].mean())
    return (angle + 45) % 90 - 45


def tile_width(boxes: Floats) -> float:
    """Pixels: the typical width of a group's tiles, which tilted boxes alone would overstate."""
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    distance = np.linalg.norm(centres[None] - centres[:, None], axis=2)
    np.fill_diagonal(distance, np.inf)
    sides = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    return float(min(np.median(distance.min(axis=1)), np.median(sides)))


def plan_views(boxes: Floats, size: tuple[int, int], input_side: int, budget: float) -> list[View]:
    """Which groups of tiles deserve a second pass, and how each is to be cut out.

    boxes: (n, 4) of the first pass. size: columns, rows of the picture.
    input_side: the first pass's input size.
    budget: pixels that all views together may have.
    """
    first_scale = input_side / max(size)
    planned: list[tuple[NDArray[np.int64], float, float, float]] = []
    for group in groups(boxes)[:MAX_VIEWS] if len(boxes) else []:
        if len(group) < MIN_GROUP:
            continue
        tilt, width = row_angle(boxes[group]), tile_width(boxes[group])
        scale = min(TARGET_WIDTH / width, MAX_ENLARGEMENT)
        seen = width * first_scale
        larger = scale if seen < TINY_WIDTH else min(scale, 1.0)
        small = seen < SMALL_WIDTH and larger >= WORTHWHILE * first_scale
        # A slanting row of which the first pass saw every pixel shows nothing new when it is level.
        if small or (abs(tilt) > TILT and first_scale < 1):
            planned.append((group, tilt, width, scale))
    views = [_view(boxes[group], angle, width, scale) for group, angle, width, scale in planned]
    area = sum(view.width * view.height for view in views)
    if area > budget:
        shrink = math.sqrt(budget / area)
        views = [_view(boxes[group], angle, width, scale * shrink) for group, angle, width, scale in planned]
    return views


def _view(boxes: Floats, angle: float, width: float, scale: float) -> View:
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    level = np.array([[cos, sin], [-sin, cos]])
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2 @ level.T
    low, high = centres.min(axis=0) - _MARGIN * width, centres.max(axis=0) + _MARGIN * width
    columns, rows = np.ceil((high - low) * scale).astype(int)
    matrix = np.column_stack([level * scale, -low * scale])
    return View(matrix, int(columns), int(rows), angle % 360, width * scale)


def first_of_each(corners: Floats, sources: Sequence[int]) -> NDArray[np.int64]:
    """Which tiles remain when several passes saw the same ones: the earlier in order.

    corners: (n, 4, 2), those to be preferred first. sources: (n,) which pass each comes from; tiles of
    one pass never drop each other. Two are the same where the later one's centre lies in the earlier, or
    the earlier one's centre in the middle of the later: the upright box of a tile in a slanting row takes
    in its neighbours' centres too.
    """
    centres = corners.mean(axis=1)
    apart = np.asarray(sources)[:, None] != np.asarray(sources)
    same = apart & (_inside(corners, centres).T | _inside(corners, centres, MIDDLE))
    kept = np.zeros(len(corners), bool)
    for index in range(len(corners)):
        kept[index] = not (same[index] & kept).any()
    return np.flatnonzero(kept)


def _inside(corners: Floats, points: Floats, part: float = 1.0) -> NDArray[np.bool_]:
    """(n, m) whether points (m, 2) lie in rectangles (n, 4, 2), or in the middle `part` of their sides."""
    offsets = points[None] - corners.mean(axis=1)[:, None]
    inside = np.ones(offsets.shape[:2], bool)
    for side in (corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]):
        inside &= (
            np.abs((offsets * side[:, None]).sum(axis=2)) <= part / 2 * (side * side).sum(axis=1)[:, None]
        )
    return inside
