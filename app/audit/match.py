"""Which row of the score sheet belongs to which hand in the footage: in order, and by time where given.

Both are in the order of play, so they are aligned like two texts (Needleman and Wunsch 1970): a row or
a hand may stay alone, two never cross. A drawn hand has no row to match, nobody lays it down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...vision.reading import Reading
from ..score_sheet import SheetRow

ALONE = 1.0
"""Cost of a row or a hand that stays alone."""
OTHER_FAN = 0.45
"""Cost of a pair whose fan differ: wrong totals are what is looked for, so they must not part a pair."""
OTHER_FLOWERS = 0.2
"""The same for the number of flowers, of which one is easily covered."""
PER_MINUTE = 1.0
"""Cost of a pair for each minute that the hand lies outside of the row's time."""
MARGIN = 15.0
"""Seconds by which times on a sheet may be off."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What matching needs of a hand.

    start: seconds when it was laid down. least, most: its fan over all that the footage doesn't show
    (winds, a self-draw), None where unknown. flowers: how many, None where unknown.
    """

    start: float
    least: int | None
    most: int | None
    flowers: int | None = None


def seen_of(start: float, reading: Reading) -> Seen:
    """What matching needs of a hand laid down at `start`, read without a sheet."""
    if reading.score is None:
        return Seen(start, None, None)
    flowers = reading.score.score.flowers
    return Seen(start, reading.score.low - flowers, reading.score.high - flowers, flowers)


def match(rows: Sequence[SheetRow], seen: Sequence[Seen]) -> list[int | None]:
    """For each hand the index of its row, None for a hand without one."""
    wins = [index for index, row in enumerate(rows) if row.win_type != "draw"]
    count, most = len(seen), len(wins)
    costs = [[0.0] * (most + 1) for _ in range(count + 1)]
    for i in range(count + 1):
        for j in range(most + 1):
            ways = []
            if i:
                ways.append(costs[i - 1][j] + ALONE)
            if j:
                ways.append(costs[i][j - 1] + ALONE)
            if i and j:
                ways.append(costs[i - 1][j - 1] + _cost(rows, wins[j - 1], seen[i - 1]))
            costs[i][j] = min(ways, default=0.0)
    matched: list[int | None] = [None] * count
    i, j = count, most
    while i and j:
        if costs[i][j] == costs[i - 1][j - 1] + _cost(rows, wins[j - 1], seen[i - 1]):
            matched[i - 1] = wins[j - 1]
            i, j = i - 1, j - 1
        elif costs[i][j] == costs[i - 1][j] + ALONE:
            i -= 1
        else:
            j -= 1
    return matched


def _cost(rows: Sequence[SheetRow], index: int, hand: Seen) -> float:
    """How badly a hand fits a row.

    A row's `start` is when its hand began (the deal or the win): the win lies between it and the next
    row's.
    """
    row = rows[index]
    cost = 0.0
    if row.fan is not None and hand.least is not None and hand.most is not None:
        cost += 0.0 if hand.least <= row.fan <= hand.most else OTHER_FAN
    if row.flowers is not None and hand.flowers is not None and row.flowers != hand.flowers:
        cost += OTHER_FLOWERS
    if row.start is not None:
        later = [other.start for other in rows[index + 1 :] if other.start is not None]
        early = row.start - MARGIN - hand.start
        late = hand.start - (later[0] + MARGIN) if later else 0.0
        cost += PER_MINUTE * max(early, late, 0.0) / 60
    return cost
