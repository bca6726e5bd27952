"""Fans made by sets: chows with chows, pungs with pungs, honour pungs, kongs and concealed pungs.

Each function looks at one sort of set only, never at a whole hand, so its results are few and
remembered. Sets are tile numbers: a chow its lowest tile, a pung (or kong) its tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, permutations
from types import MappingProxyType
from typing import NamedTuple

from .fans import FANS, bits
from .principles import SetGroup, SetPair, biggest_group, high_versus_low
from .rules import RuleSet

TERMINAL_OR_HONOUR = frozenset((0, 8, 9, 17, 18, 26, *range(27, 34)))
WIND = range(27, 31)
DRAGON = range(31, 34)


class SetFans(NamedTuple):
    """Fans made by some sets.

    fans: which, as bits.
    repeats: (fan, how often more than once) for those made several times.
    groups: each time a fan is made: its number and the positions of its sets in what was asked about.
    """

    fans: int
    repeats: tuple[tuple[int, int], ...]
    groups: tuple[SetGroup, ...]


def _gathered(groups: list[SetGroup]) -> SetFans:
    fans = 0
    more: dict[int, int] = {}
    for number, _ in groups:
        if fans >> number & 1:
            more[number] = more.get(number, 0) + 1
        fans |= 1 << number
    return SetFans(fans, tuple(more.items()), tuple(groups))


def _worth(groups: list[SetGroup]) -> int:
    return sum(FANS[number].points for number, _ in groups)


def _rising(steps: tuple[int, ...], suits: tuple[int, ...], last_rank: int) -> Iterator[tuple[int, ...]]:
    """Every group of sets with these suits whose ranks stand so many steps above the first, sorted."""
    for rank in range(last_rank - steps[-1] + 1):
        yield tuple(sorted(9 * suit + rank + step for suit, step in zip(suits, steps, strict=True)))


def _groups(
    last_rank: int, one_suit: Mapping[tuple[int, ...], int], three_suits: Mapping[tuple[int, ...], int]
) -> Mapping[tuple[int, ...], int]:
    """Fans of three and four sets by the sorted sets, from the fans of their steps in one and three suits."""
    fans: dict[tuple[int, ...], int] = {}
    for steps, number in one_suit.items():
        for suit in range(3):
            for group in _rising(steps, (suit,) * len(steps), last_rank):
                fans[group] = number
    for steps, number in three_suits.items():
        for suits in permutations(range(3)):
            for group in _rising(steps, suits, last_rank):
                fans[group] = number
    return MappingProxyType(fans)


CHOW_GROUPS = _groups(
    6,
    {
        (0, 0, 0, 0): 14, (0, 1, 2, 3): 16, (0, 2, 4, 6): 16,
        (0, 0, 0): 23, (0, 3, 6): 28, (0, 1, 2): 30, (0, 2, 4): 30,
    },
    {(0, 3, 6): 39, (0, 0, 0): 41, (0, 1, 2): 51},
)  # fmt: skip
"""Fans of three and four chows by their sorted lowest tiles."""
PUNG_GROUPS = _groups(8, {(0, 1, 2, 3): 15, (0, 1, 2): 24}, {(0, 0, 0): 32, (0, 1, 2): 42})
"""Fans of three and four number pungs by their sorted tiles."""


def _chow_pair(one: int, other: int) -> int:
    """The fan two chows make, 0 for none."""
    if one // 9 != other // 9:
        return 70 if one % 9 == other % 9 else 0
    return {0: 69, 3: 71, 6: 72}.get(abs(one - other), 0)


_CHOWS = [9 * suit + rank for suit in range(3) for rank in range(7)]
CHOW_PAIRS: Mapping[tuple[int, int], int] = MappingProxyType(
    {(one, other): _chow_pair(one, other) for one in _CHOWS for other in _CHOWS if _chow_pair(one, other)}
)
"""Fans of two chows by their lowest tiles."""
FIVES = frozenset((4, 13, 22))


# --- chows ---------------------------------------------------------------------------------------


def _terminal_chows(chows: tuple[int, ...], five: int) -> int:
    """Fan 13 or 29 where four chows are two of 1-2-3 and two of 7-8-9 and the pair is the right five."""
    if five < 0 or len(chows) != 4 or any(chow % 9 not in (0, 6) for chow in chows):
        return 0
    first, last = 9 * (chows[0] // 9), 9 * (chows[3] // 9)
    if chows == (first, first, first + 6, first + 6):
        return 13 if five == first + 4 else 0
    if chows == (first, first + 6, last, last + 6):
        return 29 if five not in (first + 4, last + 4) else 0
    return 0


@cache
def chow_fans(chows: tuple[int, ...], five: int) -> SetFans:
    """The best fans that chows make among themselves.

    chows: lowest tiles, sorted. five: the tile of the pair where that is a five, for the two
    terminal-chow fans, or -1.
    """
    whole = _terminal_chows(chows, five)
    if whole:
        return _gathered([(whole, (0, 1, 2, 3))])
    pairs: list[SetPair] = []
    for i, j in combinations(range(len(chows)), 2):
        number = CHOW_PAIRS.get((chows[i], chows[j]))
        if number:
            pairs.append((number, i, j))
    return _gathered(high_versus_low(biggest_group(chows, CHOW_GROUPS, sorted(pairs)), _worth))


# --- pungs ---------------------------------------------------------------------------------------


@cache
def pung_fans(pungs: tuple[int, ...]) -> SetFans:
    """The best fans that number pungs (kongs among them) make among themselves. pungs: sorted tiles."""
    pairs = [(65, i, j) for i, j in combinations(range(len(pungs)), 2) if pungs[i] % 9 == pungs[j] % 9]
    return _gathered(high_versus_low(biggest_group(pungs, PUNG_GROUPS, pairs), _worth))


@cache
def honour_fans(pungs: tuple[int, ...], pair: int, seat: int, prevalent: int) -> SetFans:
    """Fans of winds and dragons, and fan 73 for each terminal or honour pung no such fan has used.

    pungs: tiles of all terminal and honour pungs. pair: its tile where that is an honour, or -1.
    seat, prevalent: wind tiles, or -1 where the hand has no pung of them.
    """
    winds = [i for i, pung in enumerate(pungs) if pung in WIND]
    dragons = [i for i, pung in enumerate(pungs) if pung in DRAGON]
    groups: list[SetGroup] = []
    if len(winds) == 4:
        groups.append((1, tuple(winds)))
    elif len(winds) == 3:
        groups.append((9 if pair in WIND else 38, tuple(winds)))
    if len(dragons) == 3:
        groups.append((2, tuple(dragons)))
    elif len(dragons) == 2:
        groups.append((10 if pair in DRAGON else 54, tuple(dragons)))
    elif dragons:
        groups.append((59, tuple(dragons)))
    for number, wind in ((60, prevalent), (61, seat)):
        if wind in pungs:
            groups.append((number, (pungs.index(wind),)))
    used = {i for number, group in groups if 73 in FANS[number].excludes_own for i in group}
    groups += [(73, (i,)) for i in range(len(pungs)) if i not in used]
    return _gathered(groups)


# --- kongs and concealed pungs -------------------------------------------------------------------


@cache
def kong_fans(melded: int, concealed: int, rules: RuleSet) -> int:
    """Fans of so many melded and concealed kongs, as bits."""
    kongs = melded + concealed
    if kongs >= 3:
        numbers = [5 if kongs == 4 else 17]
        if rules.kongs_and_concealed_pungs == "concealed kongs added":
            # Three and four concealed kongs have no fan of their own: fans 33 and 12 stand for them.
            numbers += [67] if concealed == 1 else [48] if concealed == 2 else []
        return bits(numbers)
    if kongs == 2:
        return bits((57,) if melded == 2 else (48,) if concealed == 2 else rules.concealed_and_melded_kong)
    return bits((74,) if melded else (67,) if concealed else ())


CONCEALED_PUNGS = (0, 0, bits((66,)), bits((33,)), bits((12,)))
"""Fans, as bits, of nought to four concealed pungs, concealed kongs among them."""

