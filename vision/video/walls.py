"""Walls and hands that lie face down: most tiles on a filmed table, and never part of what is laid open.

Left in, they would be grouped as face-down kongs of whatever lies near. A concealed kong has four backs
at most, so rows of more are something else.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby

import numpy as np

from ..boxes import TILE_CLASSES
from ..layout import Row, find_rows
from ..layout.rows import stretches
from ..reading import Sighting

MOST = 4
"""Backs that may belong to a hand where they touch each other."""
TOUCHING = 0.2
"""Tile widths between boxes up to which tiles touch: a wall is closed, a hand lies apart from it."""
IN_LINE = 0.35
"""The same for the next tile of a row, whose gaps are better known."""
NAMELESS = 0.4
"""A tile whose likeliest name is less likely than this shows no face."""
_BACK = TILE_CLASSES.index("back")


def without_walls(sighting: Sighting) -> Sighting:
    """The same without those tiles; the others keep their order."""
    tiles = sighting.tiles
    if not tiles:
        return sighting
    likely = np.array([tile.probabilities for tile in tiles])
    faceless = np.flatnonzero((likely.argmax(axis=1) == _BACK) | (likely.max(axis=1) < NAMELESS))
    boxes = np.array([tile.box for tile in tiles])[faceless].reshape(-1, 4)
    gaps = np.maximum(boxes[:, None, :2] - boxes[None, :, 2:], boxes[None, :, :2] - boxes[:, None, 2:])
    widths = (boxes[:, 2:] - boxes[:, :2]).min(axis=1)
    reach = TOUCHING * float(np.median(widths)) if len(widths) else 0.0
    touching = np.hypot(*np.moveaxis(np.maximum(gaps, 0.0), 2, 0)) <= reach
    walls: set[int] = set()
    left = set(range(len(faceless)))
    while left:
        cluster, edge = set(), {left.pop()}
        while edge:
            cluster |= edge
            edge = {int(k) for i in edge for k in np.flatnonzero(touching[i])} - cluster
        left -= cluster
        if len(cluster) > MOST:
            walls.update(int(faceless[i]) for i in cluster)
    walls -= _in_rows_of_faces(find_rows(tiles) if sighting.rows is None else sighting.rows, walls)
    return sighting.of(tile for i, tile in enumerate(tiles) if i not in walls)


def _in_rows_of_faces(rows: Sequence[Row], backs: Set[int]) -> set[int]:
    """Those backs, four at most, that touch open tiles of their row: kongs, however close the wall is."""
    found: set[int] = set()
    for row in rows:
        for start, end in stretches(row.gaps, IN_LINE):
            for is_back, run in groupby(row.indices[start:end], key=backs.__contains__):
                tiles = list(run)
                if is_back and len(tiles) <= MOST and len(tiles) < end - start:
                    found.update(tiles)
    return found
