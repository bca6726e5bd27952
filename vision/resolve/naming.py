"""Which names make a finished hand of tiles: the search over alternatives, likeliest first.

`Naming` holds what is worked out for one picture, so that arrangements which differ only in where
a tile lies share it. What the rules allow is asked of `scoring`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...scoring.shapes import ONE, is_win
from ..layout.groups import BACK, KONG, SUITED_AND_HONOURS, Group, best_group, groups
from .flowers import LEAST, FlowerNames, name_flowers

OFFERED = 6
"""Most names tried for one tile."""

SEARCHED = 400
"""Most assignments of names tried for one arrangement."""

ABANDONED = 9.0
"""Assignments lighter than the likeliest legal one by more than this (natural log) are not tried."""

FLOOR = math.log(1e-5)

_Named = tuple[dict[int, int], tuple[Group, ...], float]
"""Names by tile, the melds' groups, and the log probability of them all."""

_Option = tuple[float, int | Group, int, int]
"""Log probability, a tile's name or a meld's group, its concealed tiles (packed as by `scoring.shapes`)
and all its tiles (`_WIDE`)."""

# Up to four kongs may share a face before the rules have had their say: five bits a tile hold the count.
_WIDE = tuple(1 << 5 * tile for tile in range(SUITED_AND_HONOURS))
_TO_FIFTH = 11 * sum(_WIDE)
_FIFTH = 16 * sum(_WIDE)


class Naming:
    """The names that the tiles of one picture can have.

    logs: log of their class probabilities, shape (n, 43).
    """

    def __init__(self, logs: NDArray[np.float64]) -> None:
        self.logs = logs
        self._tiles: dict[int, list[_Option]] = {}
        self._melds: dict[tuple[int, ...], list[_Option]] = {}
        self._groups: dict[tuple[int, ...], Group] = {}
        self._flowers: dict[tuple[int, ...], FlowerNames] = {}
        self._wins: dict[tuple[int, int], bool] = {}
        self._legal: dict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], list[_Named]] = {}

    def group(self, indices: tuple[int, ...]) -> Group:
        """The likeliest group of some tiles that lie as one."""
        if indices not in self._groups:
            group = best_group(self.logs[list(indices)], partial=True)
            assert group is not None
            self._groups[indices] = group
        return self._groups[indices]

    def flowers(self, indices: tuple[int, ...]) -> FlowerNames:
        """What some flower tiles are."""
        if indices not in self._flowers:
            self._flowers[indices] = name_flowers(indices, self.logs)
        return self._flowers[indices]

    def legal(self, standing: tuple[int, ...], melds: tuple[tuple[int, ...], ...]) -> list[_Named]:
        """Names that make concealed tiles and melds a finished hand of 14, likeliest first."""
        key = (standing, melds)
        if key not in self._legal:
            self._legal[key] = list(self._search(standing, melds))
        return self._legal[key]

    def _search(self, standing: tuple[int, ...], melds: tuple[tuple[int, ...], ...]) -> Iterator[_Named]:
        choices = [self._of_tile(i) for i in standing] + [self._of_meld(indices) for indices in melds]
        if not all(choices):
            return
        count = len(standing)
        first_legal: float | None = None
        for tried, (weight, changed, concealed, everything) in enumerate(_best_first(choices)):
            if tried > SEARCHED or (first_legal is not None and weight < first_legal - ABANDONED):
                return
            if everything + _TO_FIFTH & _FIFTH or not self._is_win(concealed, len(melds)):
                continue
            first_legal = weight if first_legal is None else first_legal
            ranks = dict(changed)
            picked = [options[ranks.get(k, 0)][1] for k, options in enumerate(choices)]
            named = {i: pick for i, pick in zip(standing, picked, strict=False) if isinstance(pick, int)}
            chosen = tuple(pick for pick in picked[count:] if isinstance(pick, Group))
            for group, indices in zip(chosen, melds, strict=True):
                named.update(zip(indices, group.names, strict=True))
            yield named, chosen, weight

    def _is_win(self, concealed: int, melds: int) -> bool:
        key = (concealed, melds)
        if key not in self._wins:
            self._wins[key] = is_win(concealed, melds)
        return self._wins[key]

    def _of_tile(self, index: int) -> list[_Option]:
        if index not in self._tiles:
            row = self.logs[index, :SUITED_AND_HONOURS]
            order = [int(name) for name in np.argsort(-row)[:OFFERED] if row[name] > math.log(LEAST)]
            self._tiles[index] = [(float(row[name]), name, ONE[name], _WIDE[name]) for name in order]
        return self._tiles[index]

    def _of_meld(self, indices: tuple[int, ...]) -> list[_Option]:
        if indices not in self._melds:
            found = groups(self.logs[list(indices)])
            self._melds[indices] = [
                (weight, group, 0, _wide(group)) for weight, group in found if weight > FLOOR
            ]
        return self._melds[indices]


def _wide(group: Group) -> int:
    """A group's tiles as counts of five bits each."""
    # Face-down tiles of a kong are the kong's; where all are down any tile could be.
    shown = [name for name in group.names if name != BACK]
    if shown and group.kind == KONG:
        return 4 * _WIDE[shown[0]]
    return sum(_WIDE[name] for name in shown)


_Combination = tuple[float, tuple[tuple[int, int], ...], int, int]
"""Sum of the weights, places that left their first choice with the rank of theirs, packed counts."""


def _best_first(choices: Sequence[Sequence[_Option]]) -> Iterator[_Combination]:
    """All combinations of one choice each, by falling sum of weights, without repetition.

    The choices come with their likeliest first.
    """
    start = sum(options[0][0] for options in choices)
    concealed = sum(options[0][2] for options in choices)
    everything = sum(options[0][3] for options in choices)
    heap: list[_Combination] = [(-start, (), concealed, everything)]
    # A state lists only the places that left their first choice; successors change the last or a later one.
    open_places = [place for place, options in enumerate(choices) if len(options) > 1]
    while heap:
        cost, changed, concealed, everything = heapq.heappop(heap)
        yield -cost, changed, concealed, everything
        last = -1
        if changed:
            last, rank = changed[-1]
            if rank + 1 < len(choices[last]):
                old, new = choices[last][rank], choices[last][rank + 1]
                step = (cost + (old[0] - new[0]), (*changed[:-1], (last, rank + 1)))
                heapq.heappush(heap, (*step, concealed - old[2] + new[2], everything - old[3] + new[3]))
        for place in open_places:
            if place > last:
                old, new = choices[place][0], choices[place][1]
                step = (cost + (old[0] - new[0]), (*changed, (place, 1)))
                heapq.heappush(heap, (*step, concealed - old[2] + new[2], everything - old[3] + new[3]))
