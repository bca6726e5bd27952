"""What lies apart from the rows: whether flowers and a last tile are the hand's or lie about on the table.

What lies next to them tells it, once it is known which other tiles are the hand's. Flowers count for
nothing in the hand's shape, so each run of them is judged by itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .pieces import FLOWERS, Piece, PieceKind, RowContext
from .rows import Row

TOGETHER = 0.5
"""Widest gap inside a run, in tile widths."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Log-odds that something is the hand's; logistic regressions on rendered tables.

    one, several: for one flower, and what more of them side by side add.
    away: per tile that the hand lies off, at most `most_away`.
    foreign_near: where a face-up tile that is none of the hand's touches, falling to nothing at two tiles.
    foreign_touches: where one touches a single tile, falling to nothing at four side by side.
    foreign_nearer: where one lies nearer than the hand does. askew: at an odd angle to the concealed row.
    """

    one: float = 0.0
    several: float = 0.0
    away: float = 0.0
    most_away: float = 4.0
    foreign_near: float = 0.0
    foreign_touches: float = 0.0
    foreign_nearer: float = 0.0
    askew: float = 0.0


FLOWER = Habits(4.9, 2.0, -1.4, 4.0, -3.5, -2.1, -1.3, -1.9)
LAST_TILE = Habits(2.0, 0.0, -2.0, 2.5, -2.0, -1.7, 0.0, -1.5)
"""The last tile may be fetched from anywhere on the table."""

MOST_RUNS = 3
FURTHER_RUN = -5.0
ONE_PLACE = 1.0
"""How many runs are a hand's at most, the log-odds for each that lies by itself, and the gap in tile widths
from which it does: players keep their flowers in one place."""

DOUBTFUL = 5.0
"""How much less likely (natural log) other flowers may be that are tried as the hand's too."""

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


@dataclass(frozen=True)
class Apart:
    """The table as seen from one row of concealed tiles, along which a hand's tiles lie."""

    home: Row
    context: RowContext
    _askew: dict[tuple[int, ...], float] = field(default_factory=dict)

    def belonging(
        self, habits: Habits, tiles: Sequence[int], hand: Collection[int], between: Sequence[int] = ()
    ) -> float:
        """Log-odds that tiles side by side are of the hand that consists of these other tiles.

        between: see `Run`.
        """
        h, own = habits, tuple(tiles)
        to_hand = to_foreign = math.inf
        for gap, index, about in self.context.around(own):
            if index in hand:
                to_hand = min(to_hand, max(0.0, gap))
            elif about and index not in between:
                to_foreign = min(to_foreign, gap)
            if to_hand < math.inf and to_foreign < math.inf:
                break
        value = h.one + (h.several if len(own) > 1 else 0.0) + h.away * min(to_hand, h.most_away)
        value += h.foreign_near * min(max(1 - to_foreign / 2, 0.0), 1.0)
        value += h.foreign_touches * (to_foreign < 0.15) * max(0.0, 1 - (len(own) - 1) / 3)
        value += h.foreign_nearer * (to_foreign < to_hand)
        return value + h.askew * self._askew_to_row(own)

    def flowers(
        self, runs: Sequence[Run], hand: Collection[int], *, doubts: bool
    ) -> list[tuple[tuple[Piece, ...], float]]:
        """The flowers that go with a hand and what that adds to its score, likeliest first.

        hand: its other tiles. doubts: also give the others that are nearly as likely.
        """
        odds = {
            run: self.belonging(FLOWER, run.tiles, hand, run.between)
            for run in runs
            if not any(index in hand for index in run.tiles)
        }
        shares = [1 / (1 + math.exp(-value)) for value in odds.values()]
        none = sum(BESIDE * p + math.log(1 - p) for p in shares)
        near = [run for run, value in odds.items() if value > -DOUBTFUL]
        found = [
            (chosen, none + sum(odds[run] for run in chosen) + FURTHER_RUN * self._scattered(chosen))
            for count in range(min(len(near), MOST_RUNS) + 1)
            for chosen in combinations(near, count)
        ]
        found.sort(key=lambda item: -item[1])
        least = found[0][1] - DOUBTFUL if doubts else found[0][1]
        return [
            (tuple(Piece(PieceKind.FLOWER, run.tiles) for run in chosen), value)
            for chosen, value in found
            if value >= least
        ]

    def _scattered(self, runs: Sequence[Run]) -> int:
        """How many runs lie in another place than those before them."""
        tiles: set[int] = set()
        scattered = 0
        for run in runs:
            if tiles and min(gap for gap, i, _ in self.context.around(run.tiles) if i in tiles) > ONE_PLACE:
                scattered += 1
            tiles.update(run.tiles)
        return scattered

    def _askew_to_row(self, tiles: tuple[int, ...]) -> float:
        """Mean probability that the tiles lie at an odd angle to the row."""
        if tiles not in self._askew:
            if len(tiles) > 1:
                self._askew[tiles] = sum(self._askew_to_row((index,)) for index in tiles) / len(tiles)
            else:
                home, context, index = self.home, self.context, tiles[0]
                shape = math.log(home.pitch / max(home.height, 1e-9))
                excess = float(context.excess[index])
                self._askew[tiles] = context.plane.askew(index, home.along, home.up, shape, excess)
        return self._askew[tiles]
