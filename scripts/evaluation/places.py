"""Where a reading is wrong, and whether the reading itself points there.

A wrong total helps nobody unless the flags lead to what is wrong: a flag on some other tile counts
for nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fanlens.vision.boxes import Box
from fanlens.vision.reading import Reading

from .matching import pairs

COUNTED = frozenset(("too-few", "no-tiles"))
"""Problems that say a tile is missing, which has no box to point at."""


@dataclass(frozen=True, slots=True)
class TrueTile:
    """A labelled tile.

    roles: those that count as right, several where the truth doesn't tell equal tiles apart.
    """

    box: Box
    tile: str
    roles: frozenset[str]


@dataclass(frozen=True, slots=True)
class TrueMeld:
    """A meld of the hand.

    kind: as in a reading, or `kong` for either kind of it. tiles: places in the list of true tiles.
    """

    kind: str
    tiles: frozenset[int]


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong.

    what: `misnamed`, `role`, `missing`, `extra` or `meld`. tile: as read; as it is where it is missing.
    pointed: whether a flag or a problem leads there.
    """

    what: str
    tile: str
    pointed: bool


def wrong_places(reading: Reading, tiles: Sequence[TrueTile], melds: Sequence[TrueMeld] = ()) -> list[Wrong]:
    """Everything in which a reading's hand differs from the truth.

    Names matter of tiles of the hand only, read or true.
    """
    pointed = pointed_at(reading)
    matched = dict(pairs([tile.box for tile in reading.tiles], [tile.box for tile in tiles]))
    codes = {problem.code for problem in reading.problems}
    found = []
    for place, tile in enumerate(reading.tiles):
        if place not in matched:
            if tile.role != "elsewhere":
                found.append(Wrong("extra", tile.tile, tile.id in pointed))
            continue
        truth = tiles[matched[place]]
        if tile.role not in truth.roles:
            found.append(Wrong("role", tile.tile, tile.id in pointed))
        elif tile.role != "elsewhere" and tile.tile != truth.tile:
            found.append(Wrong("misnamed", tile.tile, tile.id in pointed))
    seen = set(matched.values())
    found += [
        Wrong("missing", tile.tile, bool(codes & COUNTED) and "flower" not in tile.roles)
        for number, tile in enumerate(tiles)
        if number not in seen and "elsewhere" not in tile.roles
    ]
    return found + _wrong_melds(reading, melds, matched)


def pointed_at(reading: Reading) -> set[int]:
    """Ids of the tiles that carry a flag or are named by a problem."""
    named = {number for problem in reading.problems for number in problem.tiles}
    return named | {tile.id for tile in reading.doubtful}


def _wrong_melds(reading: Reading, melds: Sequence[TrueMeld], matched: dict[int, int]) -> list[Wrong]:
    """Melds that hold other tiles than a true one or are of another kind, though their tiles are melded."""
    if not reading.hands:
        return []
    kinds = {meld.tiles: meld.kind for meld in melds}
    melded: frozenset[int] = frozenset().union(*kinds)
    places = {tile.id: place for place, tile in enumerate(reading.tiles)}
    pointed = pointed_at(reading)
    found = []
    for meld in reading.hands[0].melds:
        truly = frozenset(matched.get(places[number], -1) for number in meld.ids)
        if not truly <= melded:
            continue  # counted as wrong roles
        kind = kinds.get(truly)
        if kind != meld.kind and not (kind == "kong" and "kong" in meld.kind):
            found.append(Wrong("meld", "".join(meld.tiles), not pointed.isdisjoint(meld.ids)))
    return found
