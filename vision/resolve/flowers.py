"""Names of the flower tiles: a set of tiles has each flower once, so they are told together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..layout.groups import BACK, SUITED_AND_HONOURS

LEAST = 2e-4
"""Names seen with a smaller probability are not tried."""

SAME = 0.003
"""How likely it is at least that flowers read as the same one are different ones, read wrong."""


@dataclass(frozen=True, slots=True)
class FlowerNames:
    """What some flower tiles are, each flower once where that is possible at all.

    names: class index per tile.
    chances: per tile, the probability of each name among the flowers, given all the others.
    contested: tiles that were read as the same flower, or had to give way to one that was.
    different: natural log of how likely it is that they all differ, as a hand's flowers do.
    """

    names: Mapping[int, int]
    chances: Mapping[int, Mapping[int, float]]
    contested: frozenset[int]
    different: float


def name_flowers(indices: Sequence[int], logs: NDArray[np.float64]) -> FlowerNames:
    """The likeliest names of the flower tiles. logs: shape (n, 43)."""
    options = [_options(logs[i]) for i in indices]
    as_read = [max(own, key=own.__getitem__) for own in options]
    found = _told_apart(options)
    # A flower clearly seen twice stays seen twice: it is told as a problem, not repaired.
    names, chances, different = found if found is not None else (as_read, options, 0.0)
    contested = {
        i
        for i, read, name in zip(indices, as_read, names, strict=True)
        if as_read.count(read) > 1 or read != name
    }
    return FlowerNames(
        dict(zip(indices, names, strict=True)),
        dict(zip(indices, chances, strict=True)),
        frozenset(contested),
        math.log(max(different, SAME)),
    )


def _options(row: NDArray[np.float64]) -> dict[int, float]:
    """A tile's possible flowers with their probabilities, as shares of one."""
    seen = np.exp(row[SUITED_AND_HONOURS:BACK])
    kept = {k: float(p) for k, p in enumerate(seen) if p > LEAST} or {int(seen.argmax()): 1.0}
    whole = sum(kept.values())
    return {SUITED_AND_HONOURS + k: p / whole for k, p in kept.items()}


def _told_apart(
    options: Sequence[dict[int, float]],
) -> tuple[list[int], list[dict[int, float]], float] | None:
    """The likeliest names that are all different, every name's probability given that they are, and the
    probability of that.

    Sums and maxima over all assignments, tile by tile and set of flowers by set of flowers already
    taken; None where no two names can be kept apart.
    """

    @cache
    def rest(place: int, taken: frozenset[int]) -> float:
        if place == len(options):
            return 1.0
        free = (item for item in options[place].items() if item[0] not in taken)
        return sum(p * rest(place + 1, taken | {name}) for name, p in free)

    @cache
    def best(place: int, taken: frozenset[int]) -> tuple[float, tuple[int, ...]]:
        if place == len(options):
            return 0.0, ()
        found = [
            (math.log(p) + later, (name, *names))
            for name, p in options[place].items()
            if name not in taken
            for later, names in [best(place + 1, taken | {name})]
        ]
        return max(found, default=(-math.inf, ()))

    nothing: frozenset[int] = frozenset()
    whole = rest(0, nothing)
    if whole <= 0.0:
        return None
    chances: list[dict[int, float]] = []
    before = {nothing: 1.0}
    for place, own in enumerate(options):
        chance = dict.fromkeys(own, 0.0)
        after: dict[frozenset[int], float] = {}
        for taken, weight in before.items():
            for name, p in own.items():
                if name not in taken:
                    now = taken | {name}
                    chance[name] += weight * p * rest(place + 1, now) / whole
                    after[now] = after.get(now, 0.0) + weight * p
        chances.append(chance)
        before = after
    return list(best(0, nothing)[1]), chances, whole
