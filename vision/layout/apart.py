"""What lies apart from the rows: whether flowers and a last tile are the hand's or lie about on the table.

What lies next to them tells it, once it is known which other tiles are the hand's. Flowers count for
nothing in the hand's shape, so each run of them is judged by itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from .pieces import FLOWERS, Piece, PieceKind, RowContext
from .rows import Row

TOGETHER = 0.5
"""Widest gap inside a run, in tile widths."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Log-odds that something is the hand's; logistic regressions on rendered tables.

    one, several: for one flower and what more of them side by side add. away: per tile that the hand lies
    off, at most `most_away`. foreign_near: where a face-up tile that is none of the hand's touches,
    falling to nothing at two tiles. foreign_touches: where one touches a single
    tile, falling to nothing at four. foreign_nearer: where one lies nearer than the hand does. askew: at an odd angle to the
    concealed row.
    """

    one: float = 0.0
    several: float = 0.0
    away: float = 0.0
    most_away: float = 4.0
    foreign_near: float = 0.0
    foreign_touches: float = 0.0
    foreign_nearer: float = 0.0
    askew: float = 0.0


FLOWER = Habits(4.6, 2.2, -1.1, 4.0, -2.8, -1.8, -1.7, -3.3)
LAST_TILE = Habits(2.0, 0.0, -2.0, 2.5, -2.0, -1.7, 0.0, -1.5)
"""The last tile may be fetched from anywhere on the table."""

DOUBTFUL = 5.0
"""Log-odds up to which it is also tried what the hand is if a run belongs where it is not thought to."""

BESIDE = 2.0
"""How much likelier a hand is that flowers lie beside, natural log."""


@dataclass(frozen=True, slots=True)
class Run:
    """Flowers side by side, by index in row order; every flower is in one run.

    between: tiles among them that read as no flowers. In the midst of flowers they hardly are others.
    """

    tiles: tuple[int, ...]
    between: tuple[int, ...] = ()


def flower_runs(rows: Sequence[Row], context: RowContext) -> list[Run]:
    """All flowers on the table, run by run."""
    flowers = np.exp(context.logs[:, FLOWERS]).sum(axis=1) >= 0.5
    runs: list[Run] = []
    for row in rows:
        last = None
        for k, index in enumerate(row.indices):
            if not flowers[index]:
                continue
            parted = last is None or k - last > 2 or max(row.gaps[last:k]) >= TOGETHER
            before = Run(()) if parted else runs.pop()
            between = row.indices[k - 1 : k] if last == k - 2 and not parted else ()
            runs.append(Run((*before.tiles, index), (*before.between, *between)))
            last = k
    return runs


def belonging(
    habits: Habits,
    tiles: Sequence[int],
    home: Row,
    hand: Collection[int],
    context: RowContext,
    between: Sequence[int] = (),
) -> float:
    """Log-odds that tiles side by side are of the hand that consists of these other tiles.

    home: the row of the concealed tiles, along which a hand's tiles lie. between: see `Run`.
    """
    plane, h, own = context.plane, habits, list(tiles)
    foreign = context.about.copy()
    foreign[[*hand, *own, *between]] = False
    gaps = plane.distances[own] / plane.touching[own] - 1
    to_hand = max(0.0, float(gaps[:, list(hand)].min()))
    to_foreign = float(gaps[:, foreign].min(initial=9.0))
    shape = math.log(home.pitch / max(home.height, 1e-9))
    askew = [plane.askew(i, home.along, home.up, shape, float(context.excess[i])) for i in own]
    value = h.one + (h.several if len(own) > 1 else 0.0) + h.away * min(to_hand, h.most_away)
    value += h.foreign_near * min(max(1 - to_foreign / 2, 0.0), 1.0)
    value += h.foreign_touches * (to_foreign < 0.15) * max(0.0, 1 - (len(own) - 1) / 3)
    value += h.foreign_nearer * (to_foreign < to_hand)
    return value + h.askew * sum(askew) / len(askew)


def with_flowers(
    runs: Sequence[Run], home: Row, hand: Collection[int], context: RowContext, *, doubts: bool
) -> list[tuple[tuple[Piece, ...], float]]:
    """The flowers that go with a hand and what that adds to its score, likeliest first.

    hand: its other tiles. doubts: also give each way in which one doubtful run is judged otherwise.
    """
    odds = {
        run: belonging(FLOWER, run.tiles, home, hand, context, run.between)
        for run in runs
        if not any(index in hand for index in run.tiles)
    }
    own = frozenset(run for run, value in odds.items() if value > 0)
    shares = {run: 1 / (1 + math.exp(-value)) for run, value in odds.items()}
    score = sum(BESIDE * p + math.log(max(p, 1 - p)) for p in shares.values())
    found = [(own, score)]
    if doubts:
        found += [(own ^ {run}, score - abs(value)) for run, value in odds.items() if abs(value) < DOUBTFUL]
    found.sort(key=lambda item: -item[1])
    return [
        (tuple(Piece(PieceKind.FLOWER, run.tiles) for run in odds if run in chosen), value)
        for chosen, value in found
    ]
