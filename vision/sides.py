"""The sides of tiles that lie face down, told from the tiles by their colour.

Below each back the locator may see another one: the tile's side, as wide and as plain. The backs of one set
have one colour, and the bodies of tiles another. The same tells squares of a table that look like backs.
From here the tiles go to `layout`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .boxes import TileBox
from .colour import lab

LEAST = 3
"""How many backs of a colour it takes to know it."""
ALIKE = 20.0
"""How far apart colours of backs are, mostly; distances are those of CIE 1976 L*a*b* with `_WEIGHTS`."""
PALER, DARKER = 30.0, 45.0
"""How far the others may be from it: a reflection makes a back paler, shadow makes it darker."""
CERTAIN = 0.7
"""Share of the finds, by confidence, that have the colour for all others to be judged by it. Otherwise only
what lies right below a back is."""
_WEIGHTS = np.array([0.6, 1.0, 1.0])
"""Light falls unevenly: lightness counts for less."""
_STRESS = 4
"""Power of a find's confidence by which it counts: a table may have more squares than there are backs."""


def without_sides(tiles: Sequence[TileBox], colours: NDArray[np.uint8]) -> list[TileBox]:
    """The tiles of a picture but for those face down whose colour no back has.

    colours: shape (n, 3), RGB, the mean of each tile's midst.
    """
    backs = [place for place, tile in enumerate(tiles) if tile.best == "back"]
    if len(backs) <= LEAST:
        return list(tiles)
    seen = lab(colours[backs]) * _WEIGHTS
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    weights = np.array([float(tiles[place].probabilities.max()) for place in backs]) ** _STRESS
    usual = int((np.minimum(apart, ALIKE) * weights).sum(axis=1).argmin())
    away = apart[usual]
    alike = away < ALIKE
    if np.count_nonzero(alike) < LEAST:
        return list(tiles)
    boxes = np.array([tiles[place].box for place in backs])
    foreign = ~alike & _right_below(boxes, boxes[alike])
    if weights[alike].sum() >= CERTAIN * weights.sum():
        foreign |= away > np.where(seen[:, 0] > seen[usual, 0], PALER, DARKER)
    gone = {backs[k] for k in np.flatnonzero(foreign)}
    return [tile for place, tile in enumerate(tiles) if place not in gone]


def _right_below(boxes: NDArray[np.float64], backs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n,) which boxes (n, 4) touch one of the backs (m, 4) from below, where the camera sees their sides."""
    sides = [part[:, 2:] - part[:, :2] for part in (boxes, backs)]
    width, height = np.moveaxis(np.minimum(sides[0][:, None], sides[1][None]), 2, 0)
    shared = np.minimum(boxes[:, None, 2], backs[:, 2]) - np.maximum(boxes[:, None, 0], backs[:, 0])
    gap = boxes[:, None, 1] - backs[:, 3]
    touching = (shared > 0.5 * width) & (gap > -0.4 * height) & (gap < 0.35 * height)
    return np.asarray(touching.any(axis=1))
