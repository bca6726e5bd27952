"""Blank dragons and backs that look like them, told apart by all there are on the table.

A dragon without a frame looks like a back, but it has the colour of the other faces. In a set whose backs
are white too a look at one tile can't tell the two apart; where more than four look like dragons most of
them are backs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .boxes import COPIES, TILE_CLASSES, TileBox
from .colour import lab

CLEAR = 1.5
"""By how much (natural log of dragon against back) dragons stand out from backs that look like them."""
SURE = 4.5
"""The same, from which a dragon is one whatever else lies there: two sets may lie on a table."""
LIKENED = 30.0
"""How much likelier the colour of faces makes a dragon than a back. On 880 rendered tables of three sets that
training never saw 34 dragons taken for backs had it and touched a face, no back did, and 22 finds that were
no tile."""
HUE, LIGHTER, DARKER = 8.0, 25.0, 5.0
"""How far a dragon's colour is from that of faces, in L*a*b*: a face's is darkened by what is drawn on it."""
OTHER_HUE = 22.0
"""From how far on a hue is no dragon's: of 380 dragons none was as far, of 5 backs taken for one all."""
FACES = 5
"""How many faces, the nearest ones, a colour is held against: light falls unevenly."""
TOUCHING, AS_LARGE = 1.5, 2.0
"""How far apart the centres of tiles in a row are, in sides of their boxes, and how unlike these in area."""
_SOME = 0.003
"""Least probability of a dragon that is reckoned with."""
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
    return _shared(tile, tile.probabilities[[_BACK, _DRAGON]])


def _shared(tile: TileBox, shares: NDArray[np.floating]) -> TileBox:
    """A tile with these probabilities (2,) of dragon and back."""
    probabilities = tile.probabilities.copy()
    probabilities[[_DRAGON, _BACK]] = shares
    return replace(tile, probabilities=probabilities)


def told_by_colour(tiles: Sequence[TileBox], colours: NDArray[np.uint8]) -> list[TileBox]:
    """The tiles of a picture, blank ones weighed anew by whether they have the colour of faces.

    What seems to lie face down is likelier a dragon where it touches others' faces and has their colour. Not
    where these and the dragons told are more than a set has, nor four alone: a kong lies face down. What
    seems a dragon and has quite another colour is likelier a back.
    colours: shape (n, 3), RGB, the mean of each tile's midst.
    """
    names = [tile.best for tile in tiles]
    faces = [place for place, name in enumerate(names) if name not in ("back", "P")]
    blank = [
        place
        for place, tile in enumerate(tiles)
        if names[place] == "P" or (names[place] == "back" and tile.probabilities[_DRAGON] >= _SOME)
    ]
    if not faces or not blank:
        return list(tiles)
    boxes = np.array([tile.box for tile in tiles])
    centres, sides = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    seen = lab(colours)
    odds: dict[int, float] = {}
    alike: dict[int, NDArray[np.int64]] = {}
    for place in blank:
        off = np.linalg.norm((centres - centres[place]) / np.minimum(sides, sides[place]), axis=1)
        nearest = sorted(faces, key=off.__getitem__)[:FACES]
        lighter, *hue = seen[place] - seen[nearest].mean(axis=0)
        if names[place] == "P":
            if np.hypot(*hue) > OTHER_HUE:
                odds[place] = 1 / LIKENED
        elif np.hypot(*hue) < HUE and -DARKER < lighter < LIGHTER:
            larger = np.abs(np.log(sides.prod(axis=1) / sides[place].prod()))
            alike[place] = np.flatnonzero((off < TOUCHING) & (larger < np.log(AS_LARGE)))
    shown = {place for place, name in enumerate(names) if name != "back"}
    dragons = _joined(alike, shown)
    if len(dragons) < COPIES >= len(dragons) + names.count("P"):
        odds |= dict.fromkeys(dragons, LIKENED)
    return [_weighed(tile, odds[place]) if place in odds else tile for place, tile in enumerate(tiles)]


def _joined(touching: Mapping[int, NDArray[np.int64]], to: Collection[int]) -> set[int]:
    """Those that touch one of `to`, or another one that does."""
    joined = set(to)
    while new := {place for place in touching if place not in joined and joined & set(touching[place])}:
        joined |= new
    return joined.difference(to)


def _weighed(tile: TileBox, odds: float) -> TileBox:
    """A tile that is a dragon, not a back, by these odds, for all else that is known now."""
    both = tile.probabilities[[_DRAGON, _BACK]]
    shares = both * (odds, 1)
    return _shared(tile, shares * (both.sum() / shares.sum()))
