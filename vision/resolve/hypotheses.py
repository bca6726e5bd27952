"""What the hand could be: arrangements times names, weighed by what was seen and what is legal.

For one arrangement the tiles' names are searched from the likeliest downwards. Names that make a
finished hand count in full. All others together count for "this is no win", with a prior that
keeps a false win visible: a tile is only taken for another than was read when the other name was
seen with more than a few percent, or nothing legal is left otherwise.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...scoring.shapes import is_winning
from ..boxes import TILE_CLASSES
from ..layout import Arrangement, PieceKind
from ..layout.groups import BACK, KONG, SUITED_AND_HONOURS, Group, best_group, groups

NO_WIN = math.log(0.02)
"""Log weight of "these tiles are no win" against a win whose names were read with certainty.

A finished hand is what people photograph (say 19 in 20), but a false win lies one tile beside a
true one, and each true one has some twenty such neighbours that would all be set right by a repair.
"""

LEAST = 2e-4
"""Names seen with a smaller probability are not tried."""

SEARCHED = 400
"""Most assignments of names tried for one arrangement."""

FLOOR = math.log(1e-5)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One reading of the picture.

    names: class index per tile of the hand. melds: kind and tile indices of each meld; None as a kind
    for tiles that lie as a group but are none. win: whether the names make a finished hand.
    weight: natural log, comparable among hypotheses of one picture.
    """

    arrangement: Arrangement
    names: Mapping[int, int]
    melds: tuple[tuple[Group, tuple[int, ...]], ...]
    win: bool
    weight: float

    def knows(self, index: int) -> bool:
        """Whether the rules have their say in the tile's name."""
        return self.win and index in self.names

    @property
    def concealed(self) -> tuple[int, ...]:
        """Indices of the concealed tiles, without one set apart as the winning tile."""
        return self.arrangement.indices(PieceKind.CONCEALED)

    @property
    def winning(self) -> int | None:
        """Index of the tile set apart as the winning one."""
        apart = self.arrangement.indices(PieceKind.WINNING)
        return apart[0] if apart else None

    @property
    def flowers(self) -> tuple[int, ...]:
        """Indices of the flower tiles."""
        return self.arrangement.indices(PieceKind.FLOWER)


def hypotheses(arrangement: Arrangement, logs: NDArray[np.float64]) -> list[Hypothesis]:
    """Everything one arrangement can be: its legal hands, likeliest first, then "no win"."""
    standing = arrangement.indices(PieceKind.CONCEALED, PieceKind.WINNING)
    melds = [(piece.all_indices, logs[list(piece.all_indices)]) for piece in arrangement.melds]
    best = [best_group(faces) for _, faces in melds]
    # The arrangement's score judged its melds by their likeliest faces; here faces are weighed anew.
    base = arrangement.score - sum(group.cost for group in best if group is not None)
    flowers, flower_weight = _flowers(arrangement.indices(PieceKind.FLOWER), logs)
    found: list[Hypothesis] = []
    mass = 0.0
    if arrangement.size == 14:
        for names, chosen, weight in _legal(standing, melds, logs):
            found.append(
                Hypothesis(
                    arrangement,
                    {**names, **flowers},
                    tuple((group, indices) for group, (indices, _) in zip(chosen, melds, strict=True)),
                    True,
                    base + weight + flower_weight,
                )
            )
            mass += math.exp(weight)
    read = {i: int(logs[i].argmax()) for i in standing}
    as_read: list[tuple[Group, tuple[int, ...]]] = []
    for group, (indices, _) in zip(best, melds, strict=True):
        assert group is not None
        as_read.append((group, indices))
        read.update(zip(indices, group.names, strict=True))
    cost = sum(group.cost for group in best if group is not None)
    found.append(
        Hypothesis(
            arrangement,
            {**read, **flowers},
            tuple(as_read),
            False,
            base + cost + NO_WIN + flower_weight + math.log(max(1.0 - min(mass, 1.0), 1e-6)),
        )
    )
    return found


def _flowers(indices: Sequence[int], logs: NDArray[np.float64]) -> tuple[dict[int, int], float]:
    """The likeliest names of the flower tiles, each flower once where that is possible at all."""
    names: dict[int, int] = {}
    weight = 0.0
    taken: set[int] = set()
    # Sure ones first: a doubtful one takes what is left.
    for index in sorted(indices, key=lambda i: -float(logs[i, SUITED_AND_HONOURS:BACK].max())):
        order = np.argsort(-logs[index, SUITED_AND_HONOURS:BACK]) + SUITED_AND_HONOURS
        likeliest = int(order[0])
        free = next((int(name) for name in order if int(name) not in taken), likeliest)
        # A flower clearly seen twice stays seen twice: it is told as a problem, not repaired.
        name = free if logs[index, free] > math.log(LEAST) else likeliest
        taken.add(name)
        names[index] = name
        weight += float(logs[index, name])
    return names, weight


_Names = tuple[dict[int, int], tuple[Group, ...], float]


def _legal(
    standing: Sequence[int],
    melds: Sequence[tuple[tuple[int, ...], NDArray[np.float64]]],
    logs: NDArray[np.float64],
) -> Iterator[_Names]:
    """Names that make a finished hand with their log probability, likeliest first."""
    choices: list[list[tuple[float, int | Group]]] = []
    for i in standing:
        row = logs[i, :SUITED_AND_HONOURS]
        order = np.argsort(-row)[:6]
        choices.append([(float(row[name]), int(name)) for name in order if row[name] > math.log(LEAST)])
    for _, faces in melds:
        choices.append([(weight, group) for weight, group in groups(faces) if weight > FLOOR])
    if not all(choices):
        return
    count = len(standing)
    known: dict[tuple[int, ...], bool] = {}
    first_legal: float | None = None
    for tried, (weight, picked) in enumerate(_best_first(choices)):
        if tried > SEARCHED or (first_legal is not None and weight < first_legal - 9.0):
            return
        names = [pick for pick in picked[:count] if isinstance(pick, int)]
        chosen = tuple(pick for pick in picked[count:] if isinstance(pick, Group))
        key = (*sorted(names), -1, *(name for group in chosen for name in sorted(group.names)))
        if key not in known:
            known[key] = _finished(names, chosen)
        if known[key]:
            first_legal = weight if first_legal is None else first_legal
            named = dict(zip(standing, names, strict=True))
            for group, (indices, _) in zip(chosen, melds, strict=True):
                named.update(zip(indices, group.names, strict=True))
            yield named, chosen, weight


def _finished(names: Sequence[int], melds: Sequence[Group]) -> bool:
    """Whether concealed tiles and melds are a finished hand with no tile five times."""
    counts = [0] * SUITED_AND_HONOURS
    for name in names:
        counts[name] += 1
    everything = Counter(names)
    for group in melds:
        # Face-down tiles of a kong are the kong's; where all are down any tile could be.
        shown = [name for name in group.names if name != BACK]
        if shown and group.kind == KONG:
            everything[shown[0]] += 4
        else:
            everything.update(shown)
    if max(everything.values(), default=0) > 4:
        return False
    return is_winning(counts, len(melds))


def _best_first(
    choices: Sequence[Sequence[tuple[float, int | Group]]],
) -> Iterator[tuple[float, tuple[int | Group, ...]]]:
    """All combinations of one choice each, by falling sum of weights, without repetition."""
    ordered = [sorted(options, key=lambda option: -option[0]) for options in choices]
    start = sum(options[0][0] for options in ordered)
    heap: list[tuple[float, tuple[tuple[int, int], ...]]] = [(-start, ())]
    # A state lists only the places that left their first choice; successors change the last or a later one.
    while heap:
        cost, changed = heapq.heappop(heap)
        state = dict(changed)
        yield -cost, tuple(options[state.get(k, 0)][1] for k, options in enumerate(ordered))
        last = changed[-1][0] if changed else -1
        if changed:
            place, rank = changed[-1]
            if rank + 1 < len(ordered[place]):
                step = ordered[place][rank][0] - ordered[place][rank + 1][0]
                heapq.heappush(heap, (cost + step, (*changed[:-1], (place, rank + 1))))
        for place in range(last + 1, len(ordered)):
            if len(ordered[place]) > 1:
                step = ordered[place][0][0] - ordered[place][1][0]
                heapq.heappush(heap, (cost + step, (*changed, (place, 1))))


def names_of(indices: Sequence[int]) -> tuple[str, ...]:
    """Tile names of class indices."""
    return tuple(TILE_CLASSES[index] for index in indices)
