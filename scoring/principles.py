"""The five counting principles, each in one place.

1. Non-repeat (不重复): a fan that another implies is not counted beside it: `non_repeat`.
2. Non-separation (不拆移): sets once combined into a fan are not taken apart to make others from
   each other: `account_once` starts with the sets of a bigger fan already joined (`taken`).
3. Non-identical (不得相同): a set that has made a fan does not make the same fan with others:
   `biggest_group` takes one group of three, never two that overlap.
4. High-versus-low (就高不就低): of all readings of a hand the dearest counts: `high_versus_low`.
5. Account-once (套算一次): a set not yet combined joins sets already combined once only:
   `account_once`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, TypeVar

from .fans import bits, dearest_first, exclusions, points
from .rules import RuleSet

Reading = TypeVar("Reading")
SetPair = tuple[int, int, int]
"""A two-set fan that could be counted: fan number, position of the one set, of the other."""
SetGroup = tuple[int, tuple[int, ...]]
"""A fan made of several sets: fan number, positions of the sets."""


class Counted(NamedTuple):
    """Fans that count: as bits, as numbers with the dearest first, and their worth once each."""

    fans: int
    numbers: tuple[int, ...]
    worth: int


@cache
def non_repeat(fans: int, rules: RuleSet) -> Counted:
    """Principle 1: drop every fan implied by a dearer one that itself counts.

    fans: fan numbers as bits.
    """
    implied_by = exclusions(rules)
    implied = worth = 0
    numbers = []
    for number in dearest_first(fans):
        if not implied >> number & 1:
            numbers.append(number)
            implied |= implied_by[number]
            worth += points(number, rules)
    return Counted(bits(numbers), tuple(numbers), worth)


def account_once(pairs: Iterable[SetPair], sets: int, taken: Sequence[int] = ()) -> list[SetGroup]:
    """Principle 5, and 2 for the sets already taken: which of the possible two-set fans count.

    Sets are the points of a graph and two-set fans its edges. A fan counts only where it joins sets
    not yet joined, so at most (sets - connected parts) of them do. The sets of a bigger fan
    (`taken`) start out joined: none of them can pair up with another of them.
    """
    part = list(range(sets))
    for position in taken:
        part[position] = part[taken[0]]
    counted: list[SetGroup] = []
    for number, one, other in pairs:
        if part[one] != part[other]:
            counted.append((number, (one, other)))
            gone = part[other]
            part = [part[one] if p == gone else p for p in part]
    return counted


def biggest_group(
    sets: tuple[int, ...], group_fans: Mapping[tuple[int, ...], int], pairs: Sequence[SetPair]
) -> list[list[SetGroup]]:
    """Principle 3: every way to count set fans with at most one group of three or four among them.

    sets: sorted. group_fans: the fans of three and four sets, by the sorted sets.
    Returns one list of fans for each way; the last is the one without any group.
    """
    ways = []
    for members in range(3, len(sets) + 1):
        for group in combinations(range(len(sets)), members):
            number = group_fans.get(tuple([sets[position] for position in group]))
            if number:
                ways.append([(number, group), *account_once(pairs, len(sets), group)])
    ways.append(account_once(pairs, len(sets)))
    return ways


def high_versus_low(readings: Iterable[Reading], worth: Callable[[Reading], int]) -> Reading:
    """Principle 4: the dearest reading, the first of equals. ValueError where there is none."""
    return max(readings, key=worth)
