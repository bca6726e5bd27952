"""Fans that ask only which tiles a hand holds, not how they are arranged."""

from __future__ import annotations

from collections.abc import Iterable

from .fans import bits
from .shapes import EACH, SUIT_MASK, pack, present
from .tiles import INDEX


def _ranks(ranks: str) -> Iterable[int]:
    return (INDEX[rank + suit] for suit in "mps" for rank in ranks)


def _tiles(text: str) -> Iterable[int]:
    return (INDEX[name] for name in text.split())


_WINDS = pack(range(27, 31))
_DRAGONS = pack(range(31, 34))
_HONOURS = _WINDS | _DRAGONS
_M, _P, _S = (EACH & SUIT_MASK << 27 * suit for suit in range(3))

TILE_CLASSES: tuple[tuple[int, int], ...] = (
    (3, pack(_tiles("2s 3s 4s 6s 8s F"))),
    (8, pack(_ranks("19"))),
    (11, _HONOURS),
    (18, pack(_ranks("19")) | _HONOURS),
    (25, pack(_ranks("789"))),
    (26, pack(_ranks("456"))),
    (27, pack(_ranks("123"))),
    (36, pack(_ranks("6789"))),
    (37, pack(_ranks("1234"))),
    (40, pack(_tiles("1p 2p 3p 4p 5p 8p 9p 2s 4s 5s 6s 8s 9s P"))),
    (68, pack(_ranks("2345678"))),
    (76, _M | _P | _S),
)
"""Fans won by holding no tile outside a class: fan number and the class, one of each tile, packed."""

_BARRED = tuple((1 << number, EACH & ~allowed) for number, allowed in TILE_CLASSES)
EVEN = pack(_ranks("2468"))
SEVEN_PAIRS_DISPUTED = bits((3, 8, 11, 18, 25, 26, 27, 36, 37))
"""Tile-class fans that one reading of the 1998 rules denies to seven pairs."""


def tile_fans(key: int) -> int:
    """Fans, as bits, that all tiles of a hand (packed counts, melds included) make as mere tiles."""
    held = present(key)
    fans = 0
    for fan, barred in _BARRED:
        if not held & barred:
            fans |= fan
    suits = bool(held & _M) + bool(held & _P) + bool(held & _S)
    if suits == 1:
        fans |= 1 << (50 if held & _HONOURS else 22)
    elif suits == 2:
        fans |= 1 << 75
    elif suits == 3 and held & _WINDS and held & _DRAGONS:
        fans |= 1 << 52
    return fans


def only_even(key: int) -> bool:
    """Whether all tiles are 2, 4, 6 or 8."""
    return not present(key) & ~EVEN
