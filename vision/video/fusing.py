"""Several looks at tiles that lie still, made into one: what was seen, not what was voted.

Log-probabilities are added up over the sharp looks (log-linear pooling, Genest and Zidek 1986), so a
tile read as 6p or 5p in each frame stays doubtful, and one clear look counts more than three unclear
ones. A frame that is blurred, or in which a tile is covered, says nothing about it either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..boxes import Box, TileBox
from ..reading import Sighting
from .motion import Affine, carried, chained, inverted

BLURRED = 0.6
"""A look less sharp than this part of the sharpest is no evidence."""
AGREED = 0.5
"""A tile counts that was seen in more than this part of the looks."""
SAME = 0.4
"""Boxes with at least this intersection over union are the same tile."""
_FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Look:
    """One frame read in full.

    number, seconds: of the frame. sighting: in pixels of that frame.
    to_reference: from pixels of this frame to pixels of the frame that all looks are compared in.
    sharpness: of the hand's own part of the picture. picture: the frame as a JPEG.
    """

    number: int
    seconds: float
    sighting: Sighting
    to_reference: Affine
    sharpness: float
    picture: bytes


def sharp(looks: Sequence[Look]) -> list[Look]:
    """The looks that are evidence, in their order."""
    limit = BLURRED * max((look.sharpness for look in looks), default=0.0)
    return [look for look in looks if look.sharpness >= limit]


def best_look(looks: Sequence[Look]) -> Look:
    """The one to show: the most tiles told with certainty; among equals the sharpest."""

    def worth(look: Look) -> tuple[int, float]:
        clear = sum(float(tile.probabilities.max()) > 0.5 for tile in look.sighting.tiles)
        return clear, look.sharpness

    return max(sharp(looks), key=worth)


def fuse(looks: Sequence[Look], *, seldom: bool = False) -> Sighting:
    """What all looks together saw, in pixels of `best_look`.

    seldom: also what no more than `AGREED` of them saw.
    """
    used = sharp(looks)
    base = best_look(looks)
    back = inverted(base.to_reference)
    tracks: list[list[TileBox]] = [[tile] for tile in base.sighting.tiles]
    for look in used:
        if look is not base:
            move = chained(look.to_reference, back)
            _join(tracks, [_moved(tile, move) for tile in look.sighting.tiles])
    least = 0.0 if seldom else AGREED * len(used)
    tiles = [_fused(track) for track in tracks if len(track) > least]
    return base.sighting.of(tiles)


def overlap(first: Box, second: Box) -> float:
    """Intersection over union."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (_area(first) + _area(second) - shared)


def _join(tracks: list[list[TileBox]], tiles: Sequence[TileBox]) -> None:
    """Put each tile to the track it overlaps most, best pairs first; a tile of its own is a new track."""
    pairs = sorted(
        (
            (overlap(track[0].box, tile.box), k, i)
            for k, track in enumerate(tracks)
            for i, tile in enumerate(tiles)
        ),
        reverse=True,
    )
    taken_tracks: set[int] = set()
    taken_tiles: set[int] = set()
    for shared, k, i in pairs:
        if shared < SAME:
            break
        if k not in taken_tracks and i not in taken_tiles:
            tracks[k].append(tiles[i])
            taken_tracks.add(k)
            taken_tiles.add(i)
    tracks.extend([tile] for i, tile in enumerate(tiles) if i not in taken_tiles)


def _fused(track: Sequence[TileBox]) -> TileBox:
    """One tile out of a track.

    Looks at one still scene repeat each other's mistakes, so n of them count as the square root of n
    independent ones.
    """
    first = track[0]
    if len(track) == 1:
        return first
    seen = np.stack([tile.probabilities for tile in track]).astype(np.float64)
    known = float(seen.sum(axis=1).mean())
    logs = np.log(np.maximum(seen, _FLOOR)).sum(axis=0) / np.sqrt(len(track))
    powers = np.exp(logs - logs.max())
    # Directions agree or the tile is faceless; the surest one speaks.
    surest = max(track, key=lambda tile: tile.up_confidence)
    return TileBox(
        first.box,
        (powers / powers.sum() * known).astype(np.float32),
        max(tile.confidence for tile in track),
        first.corners,
        surest.up,
        surest.up_confidence,
        surest.axis_confidence,
    )


def _moved(tile: TileBox, move: Affine) -> TileBox:
    corners: NDArray[np.float64] = carried(tile.corners.astype(np.float64), move)
    x0, y0, x1, y1 = tile.box
    ends = carried(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]), move)
    low, high = ends.min(axis=0), ends.max(axis=0)
    return replace(
        tile,
        box=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
        corners=corners.astype(np.float32),
    )


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
