"""Whether another tile lies upon a group's claimed one, as the fourth of an added kong may.

It hides the tile under it, but it lies a tile's thickness higher: a camera that doesn't look straight down
sees it shifted. A tile turned sideways is shorter across its row than the others, so on the table it lies
between their edges, however it is aligned.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..boxes import TileBox
from .plane import Plane, Vector
from .rows import Row, rows_in

STANDS_OUT = 0.08
"""Part of the others' height that a tile upon another reaches beyond their edges at least. Of 23 claimed
tiles in simulated footage that lay on the table none reached further than 0.06; of three upon others two
did. Right below the camera nothing shows."""
LEVEL = 0.985
"""Cosine of the row's slant up to which upright boxes show where its edges are."""


def tiles_under_others(tiles: Sequence[TileBox], groups: Sequence[Sequence[int]]) -> list[int | None]:
    """Per group of three the tile upon which another seems to lie: the sideways one, if it stands out.

    tiles: all of the picture. groups: places in it.
    """
    if not groups:
        return []
    plane = Plane.of(tiles)
    rows = rows_in(plane, tiles)
    return [_under_another(plane, rows, group) for group in groups]


def _under_another(plane: Plane, rows: Sequence[Row], group: Sequence[int]) -> int | None:
    row = next((row for row in rows if set(group) <= set(row.indices)), None)
    if row is None:
        return None
    turned = [index for index in group if row.sideways[row.indices.index(index)] > 0.5]
    if len(turned) != 1:
        return None
    first, second = (index for index in group if index != turned[0])
    along = plane.centres[second] - plane.centres[first]
    along = along / max(float(np.hypot(*along)), 1e-9)
    if np.abs(along).max() < LEVEL:
        return None
    return turned[0] if _reach(plane, turned[0], (first, second), along) > STANDS_OUT else None


def _reach(plane: Plane, tile: int, others: tuple[int, int], along: Vector) -> float:
    """How far a tile reaches beyond the edges of two others across their row, in their heights."""
    across = np.array([along[1], -along[0]])
    places = plane.centres[[tile, *others]] @ along
    middles = plane.centres[[tile, *others]] @ across
    heights = np.array([plane.extent(index, across) for index in (tile, *others)])
    share = (places[0] - places[1]) / (places[2] - places[1])
    edges = [middles + side * heights / 2 for side in (-1, 1)]
    low, high = (edge[1] + share * (edge[2] - edge[1]) for edge in edges)
    return float(max(low - edges[0][0], edges[1][0] - high) / heights[1:].mean())
