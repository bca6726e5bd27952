"""Fans made by sets: chows with chows, pungs with pungs, honour pungs, kongs and concealed pungs.

Each function looks at one sort of set only, never at a whole hand, so its results are few and
remembered. Sets are tile numbers: a chow its lowest tile, a pung (or kong) its tile.
"""

from __future__ import annotations

from functools import cache
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
    numbers = [number for number, _ in groups]
    repeats = tuple((n, numbers.count(n) - 1) for n in dict.fromkeys(numbers) if numbers.count(n) > 1)
    return SetFans(bits(numbers), repeats, tuple(groups))


def _worth(groups: list[SetGroup]) -> int:
    return sum(FANS[number].points for number, _ in groups)


def _suits_and_ranks(sets: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(tile // 9 for tile in sets), tuple(tile % 9 for tile in sets)


# --- chows ---------------------------------------------------------------------------------------


def _chow_group(chows: tuple[int, ...]) -> int:
    """The fan three or four chows make together, 0 for none."""
    suits, ranks = _suits_and_ranks(tuple(sorted(chows, key=lambda chow: chow % 9)))
    steps = [later - earlier for earlier, later in zip(ranks, ranks[1:], strict=False)]
    step = steps[0] if len(set(steps)) == 1 else -1
    one_suit, three_suits = len(set(suits)) == 1, sorted(suits) == [0, 1, 2]
    if len(chows) == 4:
        return {0: 14, 1: 16, 2: 16}.get(step, 0) if one_suit else 0
    if one_suit:
        return {0: 23, 3: 28, 1: 30, 2: 30}.get(step, 0)
    if three_suits:
        return {0: 41, 3: 39, 1: 51}.get(step, 0)
    return 0


def _chow_pair(one: int, other: int) -> int:
    """The fan two chows make, 0 for none."""
    (suit, other_suit), (rank, other_rank) = _suits_and_ranks((one, other))
    if suit != other_suit:
        return 70 if rank == other_rank else 0
    return {0: 69, 3: 71, 6: 72}.get(abs(rank - other_rank), 0)


@cache
def chow_fans(chows: tuple[int, ...], five: int) -> SetFans:
    """The best fans that chows make among themselves.

    chows: lowest tiles, sorted. five: the tile of the pair where that is a five, for the two
    terminal-chow fans, or -1.
    """
    suits, ranks = _suits_and_ranks(chows)
    if five >= 0 and sorted(ranks) == [0, 0, 6, 6]:
        everywhere = (0, 1, 2, 3)
        if {suits.count(suit) for suit in suits} == {4} and five // 9 == suits[0]:
            return _gathered([(13, everywhere)])
        two_full_sides = chows[:2] == (9 * suits[0], 9 * suits[0] + 6) and suits[0] < suits[2] == suits[3]
        if two_full_sides and five // 9 not in suits:
            return _gathered([(29, everywhere)])
    pairs: list[SetPair] = []
    for i in range(len(chows)):
        for j in range(i + 1, len(chows)):
            number = _chow_pair(chows[i], chows[j])
            if number:
                pairs.append((number, i, j))
    pairs.sort()
    ways = biggest_group(len(chows), lambda group: _chow_group(tuple(chows[i] for i in group)), pairs)
    return _gathered(high_versus_low(ways, _worth))


# --- pungs ---------------------------------------------------------------------------------------


def _pung_group(pungs: tuple[int, ...]) -> int:
    """The fan three or four number pungs make together, 0 for none."""
    suits, ranks = _suits_and_ranks(tuple(sorted(pungs, key=lambda pung: pung % 9)))
    steps = {later - earlier for earlier, later in zip(ranks, ranks[1:], strict=False)}
    one_suit, three_suits = len(set(suits)) == 1, sorted(suits) == [0, 1, 2]
    if len(pungs) == 4:
        return 15 if one_suit and steps == {1} else 0
    if steps == {1}:
        return 24 if one_suit else 42 if three_suits else 0
    return 32 if three_suits and steps == {0} else 0


@cache
def pung_fans(pungs: tuple[int, ...]) -> SetFans:
    """The best fans that number pungs (kongs among them) make among themselves."""
    pairs = [
        (65, i, j)
        for i in range(len(pungs))
        for j in range(i + 1, len(pungs))
        if pungs[i] % 9 == pungs[j] % 9
    ]
    ways = biggest_group(len(pungs), lambda group: _pung_group(tuple(pungs[i] for i in group)), pairs)
    return _gathered(high_versus_low(ways, _worth))


@cache
def honour_fans(pungs: tuple[int, ...], pair: int, seat: int, prevalent: int) -> SetFans:
    """Fans of winds and dragons, and fan 73 for each terminal or honour pung no such fan has used.

    pungs: tiles of all terminal and honour pungs. seat, prevalent: wind tiles or -1.
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

