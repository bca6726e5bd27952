"""Reads labels off the painted boxes: what shows of every tile, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from ...vision.boxes import Box as PictureBox
from .geometry import Array, Camera
from .painting import Owner, seen_cap
from .scene import MeldLabel, TileLabel
from .table import Table, Tile

LEAST_VISIBLE = 0.4
"""Faces of which less shows are ignored: neither labelled nor background."""
LEAST_SIDE = 7.0
"""Shorter side in pixels below which a face is ignored."""
LEAST_SLANT = 0.2
"""Cosine between a face and the line of sight below which it is ignored."""


@dataclass(frozen=True, slots=True)
class Labels:
    """tiles, melds and ignore as in `Scene`; all_visible: nothing of the hand that could show is lost."""

    tiles: tuple[TileLabel, ...]
    melds: tuple[MeldLabel, ...]
    ignore: tuple[PictureBox, ...]
    all_visible: bool


def _bounds(points: Array, width: int, height: int) -> PictureBox:
    low, high = points.min(axis=0), points.max(axis=0)
    return (
        round(float(np.clip(low[0], 0, width)), 2),
        round(float(np.clip(low[1], 0, height)), 2),
        round(float(np.clip(high[0], 0, width)), 2),
        round(float(np.clip(high[1], 0, height)), 2),
    )


def _shown(owner: Owner, points: Array, values: tuple[int, ...]) -> tuple[int, PictureBox | None]:
    """Pixels near `points` that have one of the values, and their bounding box."""
    height, width = owner.shape
    x0, y0, x1, y1 = (int(v) for v in _bounds(points - 2.0, width, height))
    x1, y1 = min(x1 + 5, width), min(y1 + 5, height)
    region = owner[y0:y1, x0:x1]
    mask = (region >= values[0]) & (region <= values[-1])
    count = int(mask.sum())
    if not count:
        return 0, None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return count, (
        float(x0 + columns[0]),
        float(y0 + rows[0]),
        float(x0 + columns[-1] + 1),
        float(y0 + rows[-1] + 1),
    )


def _up(quad: Array) -> float:
    """Direction of the face's top in degrees clockwise from the picture's up."""
    top, bottom = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    return math.degrees(math.atan2(top[0] - bottom[0], bottom[1] - top[1])) % 360


def read_labels(table: Table, owner: Owner, camera: Camera, *, orientation_known: bool) -> Labels:
    """Labels of every tile on the table. owner: as painted, tiles first in the table's order."""
    height, width = owner.shape
    labels: list[TileLabel] = []
    ignore: list[PictureBox] = []
    label_of: dict[int, int] = {}
    lost = False
    for index, tile in enumerate(table.tiles):
        cap = seen_cap(tile.box, camera)
        quad, depths = camera.project(tile.box.cap(cap))
        corners, _ = camera.project(tile.box.corners())
        if depths.min() < 0.1:
            continue
        outline = np.round(quad).astype(np.int32)
        low = outline.min(axis=0)
        extent = outline.max(axis=0) - low + 1
        whole = np.zeros((int(extent[1]), int(extent[0])), dtype=np.uint8)
        cv2.fillConvexPoly(whole, outline - low, 1)
        count, box = _shown(owner, quad, (2 * index + 3,))
        visible = min(count / max(int(whole.sum()), 1), 1.0)
        sides = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
        line = camera.position - tile.box.centre
        slant = abs(float(line @ tile.box.axes[:, 2])) / float(np.linalg.norm(line))
        if box is None or visible < LEAST_VISIBLE or sides.min() < LEAST_SIDE or slant < LEAST_SLANT:
            pixels, around = _shown(owner, corners, (2 * index + 2, 2 * index + 3))
            if around is not None and pixels > 20:
                ignore.append(around)
            lost = lost or (tile.hand and not _covered(tile, table))
            continue
        name = tile.name if cap == 1 else "back"
        label_of[index] = len(labels)
        labels.append(
            TileLabel(
                box=_bounds(quad, width, height) if visible > 0.985 else box,
                tile=name,
                printed=tile.name,
                corners=tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad),
                up=round(_up(quad), 1) if cap == 1 and orientation_known else None,
                visible=round(visible, 3),
                role=tile.role,
                meld=tile.meld,
                hand=tile.hand,
            )
        )
        lost = lost or (tile.hand and visible < 0.75)
    melds, renumbered = _melds(table, labels, label_of, ignore)
    tiles = tuple(
        TileLabel(
            **{
                **{name: getattr(t, name) for name in TileLabel.__slots__},
                "meld": renumbered.get(t.meld) if t.meld is not None else None,
            }
        )
        for t in labels
    )
    return Labels(tiles, tuple(melds), tuple(ignore), not lost)


def _covered(tile: Tile, table: Table) -> bool:
    """Whether another tile of the same group lies on top of this one, as on an added kong."""
    return any(
        other.meld == tile.meld
        and other is not tile
        and other.box.centre[2] > tile.box.centre[2] + 0.1
        and float(np.abs(other.box.centre[:2] - tile.box.centre[:2]).max()) < 0.3
        for other in table.tiles
        if tile.meld is not None
    )


def _melds(
    table: Table, labels: list[TileLabel], label_of: dict[int, int], ignore: list[PictureBox]
) -> tuple[list[MeldLabel], dict[int, int]]:
    """Group boxes around what shows; groups of which a tile is out of sight are ignored.

    The second value gives each group its index in the returned list.
    """
    found: list[MeldLabel] = []
    renumbered: dict[int, int] = {}
    for number, kind in enumerate(table.meld_kinds):
        members = [i for i, tile in enumerate(table.tiles) if tile.meld == number]
        shown = [label_of[i] for i in members if i in label_of]
        if not shown:
            continue
        boxes = np.array([labels[i].box for i in shown])
        box = (
            float(boxes[:, 0].min()),
            float(boxes[:, 1].min()),
            float(boxes[:, 2].max()),
            float(boxes[:, 3].max()),
        )
        hidden = [i for i in members if i not in label_of and not _covered(table.tiles[i], table)]
        if hidden or len(shown) < 3:
            ignore.append(box)
            continue
        renumbered[number] = len(found)
        found.append(MeldLabel(box, kind, tuple(shown), table.tiles[members[0]].hand))
    return found, renumbered
