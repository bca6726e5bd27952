"""The tiles: their names, their numbers and how they are written.

Inside this room a tile is a number from 0 to 33: 0-8 are 1m-9m (characters), 9-17 1p-9p (dots),
18-26 1s-9s (bamboos), 27-30 the winds E S W N and 31-33 the dragons C F P (red, green, white).
Outside it is its name. Flowers have names only: they make no set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .errors import NotationError

SUITS = "mps"
WINDS = ("E", "S", "W", "N")
DRAGONS = ("C", "F", "P")
TILES: tuple[str, ...] = (*(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)), *WINDS, *DRAGONS)
"""The 34 tile names in the order of their numbers."""

FLOWERS: tuple[str, ...] = (
    "plum", "orchid", "chrysanthemum", "bamboo", "spring", "summer", "autumn", "winter",
)  # fmt: skip
FACE_DOWN = "back"
UNREADABLE = "?"
UNSEEN = frozenset((FACE_DOWN, UNREADABLE))
"""What may stand where a tile is known to lie, but not which."""

CANONICAL: dict[str, str] = {
    **{name: name for name in (*TILES, *FLOWERS, FACE_DOWN, UNREADABLE)},
    **{f"{number}z": name for number, name in enumerate((*WINDS, *DRAGONS), start=1)},
}
"""Every accepted spelling of a tile to its name: `1z` … `7z` are E S W N C F P."""

_NAMES = frozenset(CANONICAL.values())

INDEX: dict[str, int] = {name: index for index, name in enumerate(TILES)}
"""Tile name to tile number, flowers and unseen tiles left out."""

_PIECE = re.compile(r"([1-9]+)([mps])|([1-7]+)(z)|([ESWNCFP?])|(back)")
_SUIT_TILES = {suit: {rank: rank + suit for rank in "123456789"} for suit in SUITS}
_HONOUR_TILES = {str(number): name for number, name in enumerate((*WINDS, *DRAGONS), start=1)}


def parse_tiles(text: str | Iterable[str]) -> tuple[str, ...]:
    """Tile names from text (`"234m55z"`, `"EEE 19p plum"`) or from a list of names in any spelling.

    Raises NotationError, naming the piece that is no tile.

    >>> parse_tiles("234m55z")
    ('2m', '3m', '4m', 'C', 'C')
    >>> parse_tiles(["1z", "9p"])
    ('E', '9p')
    """
    if isinstance(text, str):
        names: list[str] = []
        for word in text.split():
            if word in FLOWERS:
                names.append(word)
            else:
                names.extend(_parse_run(word))
        return tuple(names)
    names = []
    for name in text:
        known = CANONICAL.get(name) if isinstance(name, str) else None
        if known is None:
            raise NotationError("unknown-tile", f"{name!r} is no tile")
        names.append(known)
    return tuple(names)


def _parse_run(word: str) -> list[str]:
    names: list[str] = []
    read = 0
    for ranks, suit, honours, _, letter, back in _PIECE.findall(word):
        if ranks:
            names += map(_SUIT_TILES[suit].__getitem__, ranks)
            read += len(ranks) + 1
        elif honours:
            names += map(_HONOUR_TILES.__getitem__, honours)
            read += len(honours) + 1
        else:
            names.append(letter or back)
            read += len(names[-1])
    if read != len(word):
        raise NotationError("unknown-tile", f"{_PIECE.sub(' ', word).split()[0]!r} in {word!r} is no tile")
    return names


def canonical(names: Iterable[str]) -> tuple[str, ...]:
    """The names with `1z` … `7z` spelled as letters; what is no tile is left as it is."""
    row = tuple(names)
    return row if _NAMES.issuperset(row) else tuple([CANONICAL.get(name, name) for name in row])


def format_tiles(names: Iterable[str]) -> str:
    """Tile names as hand text, runs of one suit drawn together.

    >>> format_tiles(["2m", "3m", "4m", "C", "C", "plum"])
    '234m CC plum'
    """
    words: list[str] = []
    for name in names:
        suit = name[1:] if name in INDEX and len(name) == 2 else ""
        if suit and words and words[-1][-1] == suit and words[-1][0].isdigit():
            words[-1] = words[-1][:-1] + name
        elif not suit and len(name) == 1 and words and set(words[-1]) == {name}:
            words[-1] += name
        else:
            words.append(name)
    return " ".join(words)
