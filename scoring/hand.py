"""A finished hand as a person lays it out: concealed tiles, melds, flowers and the winning tile.

Next stop: `problems.py` says whether it can be a hand at all, `shapes.py` how it falls into sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from .tiles import CANONICAL, FLOWERS, canonical

MeldKind = Literal["chow", "pung", "melded-kong", "concealed-kong"]
MELD_KINDS: tuple[MeldKind, ...] = get_args(MeldKind)


@dataclass(frozen=True, slots=True)
class Meld:
    """A group laid out: a chow, a pung, a melded kong or a concealed kong.

    tiles: three names, four for a kong. A concealed kong face down on all four is four `?`.
    source: from whom the claimed tile came: 1 the player before, 2 opposite, 3 the player after,
        None unknown or nobody (concealed kong). It makes no fan.
    """

    kind: MeldKind
    tiles: tuple[str, ...]
    source: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tiles", canonical(self.tiles))

    @property
    def is_kong(self) -> bool:
        return self.kind in ("melded-kong", "concealed-kong")


@dataclass(frozen=True)
class Hand:
    """The tiles of one player at the end of a hand.

    concealed: names of the tiles in the hand, without the winning tile; where that is unknown, all.
    winning_tile: the tile that completed the hand, drawn or claimed; None where unknown.
    melds: chows, pungs and kongs laid out, concealed kongs among them.
    flowers: names of the flower tiles, each at most once.

    Nothing is checked here beyond spelling, so that what a photo shows can always be held;
    `explain` tells what is wrong and `score` refuses it.
    """

    concealed: tuple[str, ...]
    winning_tile: str | None = None
    melds: tuple[Meld, ...] = ()
    flowers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "concealed", canonical(self.concealed))
        if self.winning_tile is not None:
            put(self, "winning_tile", CANONICAL.get(self.winning_tile, self.winning_tile))
        put(self, "melds", tuple(self.melds))
        put(self, "flowers", tuple(self.flowers))

    @cached_property
    def tiles(self) -> tuple[str, ...]:
        """All tiles in one row: concealed, winning tile (if known), melds in order, flowers.

        Positions in this row are how fans and problems name tiles.
        """
        winning = () if self.winning_tile is None else (self.winning_tile,)
        melded = tuple(name for meld in self.melds for name in meld.tiles)
        return (*self.concealed, *winning, *melded, *self.flowers)

    def winning_candidates(self) -> Iterator[tuple[int, Hand]]:
        """For a hand whose winning tile is unknown: each different concealed tile taken as the winning one.

        Yields (position in `concealed` of the tile taken out, hand). The hand with a known winning
        tile has no other candidate and yields nothing.
        """
        if self.winning_tile is not None:
            return
        seen: set[str] = set()
        for position, name in enumerate(self.concealed):
            if name not in seen:
                seen.add(name)
                rest = self.concealed[:position] + self.concealed[position + 1 :]
                yield position, replace(self, concealed=rest, winning_tile=name)


def is_flower(name: str) -> bool:
    """Whether the name is one of the eight flower tiles."""
    return name in FLOWERS
