"""Blank dragons and backs that look like them, told apart by all there are on the table.

A set has four white dragons. In one whose dragon has no frame and whose backs are white too, a look at
one tile can't tell the two apart, but where more than four look like dragons most of them are backs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from .boxes import COPIES, TILE_CLASSES, TileBox

CLEAR = 1.5
"""By how much (natural log of dragon against back) dragons stand out from backs that look like them."""
SURE = 4.5
"""The same, from which a dragon is one whatever else lies there: two sets may lie on a table."""
_DRAGON, _BACK = TILE_CLASSES.index("P"), TILE_CLASSES.index("back")
_LEAST = 1e-4


def without_surplus_blanks(tiles: Sequence[TileBox]) -> list[TileBox]:
    """The tiles of a picture, doubtful white dragons turned into backs where there are more than four.

    Those stay that stand out from all the others together, four at most; of a turned one the two
    probabilities change places.
    """
    blank = [place for place, tile in enumerate(tiles) if tile.best == "P"]
    if len(blank) <= COPIES:
        return list(tiles)
    odds = {place: _odds(tiles[place]) for place in blank}
    blank.sort(key=lambda place: -odds[place])
    gaps = [odds[before] - odds[behind] for before, behind in pairwise(blank[: COPIES + 1])]
    stay = int(np.argmax(gaps)) + 1 if max(gaps) >= CLEAR else 0
    turned = {place for place in blank[stay:] if odds[place] < SURE}
    return [_turned(tile) if place in turned else tile for place, tile in enumerate(tiles)]


def _odds(tile: TileBox) -> float:
    dragon, back = np.maximum(tile.probabilities[[_DRAGON, _BACK]], _LEAST)
    return float(np.log(dragon / back))


def _turned(tile: TileBox) -> TileBox:
    probabilities = tile.probabilities.copy()
    probabilities[[_DRAGON, _BACK]] = probabilities[[_BACK, _DRAGON]]
    return replace(tile, probabilities=probabilities)
