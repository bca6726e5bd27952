"""What the time at which tiles came says of their roles: melds lie open long before a hand is shown.

In a picture a pung that stands a little apart looks like a melded one, and a melded one that lies close
to the rest looks concealed. In footage the one was turned up with the rest and the other lay there before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...vision.corrections import Correction
from ...vision.reading import Reading, ReadTile
from .found import Found


def roles_by_time(reading: Reading, found: Found) -> tuple[Correction, ...]:
    """The roles of the first hand's tiles where the footage shows others, or more surely, than the picture.

    Empty where it shows nothing, or what is no hand: single tiles that lay there before.
    """
    new, old = set(found.new), set(found.old)
    own = [tile for tile in reading.tiles if tile.hand == 0]
    concealed = [tile for tile in own if tile.role == "concealed"]
    lay_there = [tile for tile in concealed if tile.id in old]
    if not new or len(lay_there) % 3 or any(tile.id not in new | old for tile in concealed):
        return ()
    said = [_concealed(tile) for tile in concealed if tile.id in new and tile.flag == "role"]
    melds: list[Sequence[ReadTile]] = []
    for number in range(len(reading.hands[0].melds) if reading.hands else 0):
        meld = [tile for tile in own if tile.meld == number]
        ids = {tile.id for tile in meld}
        if len(meld) == 3 and ids <= new:
            said += map(_concealed, meld)
        elif len(meld) == 3 and ids <= old and any(tile.flag == "role" for tile in meld):
            melds.append(meld)
    melds += [lay_there[at : at + 3] for at in range(0, len(lay_there), 3)]
    said += _melded(melds, len(own))
    # Who says something of some tiles has to say of the flowers too that they stay.
    flowers = [Correction(id=tile.id, role="flower") for tile in own if tile.role == "flower"]
    return (*said, *flowers) if said else ()


def _concealed(tile: ReadTile) -> Correction:
    return Correction(id=tile.id, role="concealed")


def _melded(melds: Sequence[Sequence[ReadTile]], first: int) -> Iterator[Correction]:
    """That these are melds, numbered from `first` on, which no other meld has for a number."""
    for number, meld in enumerate(melds, first):
        for tile in meld:
            yield Correction(id=tile.id, role="meld", meld=number)
