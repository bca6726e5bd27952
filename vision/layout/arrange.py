"""Whole pictures: the rows' pieces combined into arrangements of one hand.

One row holds (most of) the concealed tiles; the others are judged by how they lie to it. For every
such anchor the rows' best cuts are joined, the count of tiles being the only bond between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..boxes import MeldBox, TileBox
from .pieces import Cut, Piece, PieceKind, RowContext, log_probabilities, parse_row
from .rows import Row, Vector, find_rows

ANCHORS = 5
STATES = 48


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One way to see the picture: every tile of the hand in a piece, all others elsewhere.

    pieces: concealed, meld, flower and winning pieces; melds in reading order.
    score: natural log of its weight by geometry, faces taken at their likeliest.
    """

    pieces: tuple[Piece, ...]
    score: float

    def indices(self, *kinds: PieceKind) -> tuple[int, ...]:
        """The tiles of all pieces of these kinds."""
        return tuple(i for piece in self.pieces if piece.kind in kinds for i in piece.all_indices)

    @property
    def melds(self) -> tuple[Piece, ...]:
        """The meld pieces."""
        return tuple(piece for piece in self.pieces if piece.kind is PieceKind.MELD)

    @property
    def size(self) -> int:
        """Tiles of the hand, a kong counting as three: 14 for a finished hand."""
        standing = len(self.indices(PieceKind.CONCEALED, PieceKind.WINNING))
        return standing + 3 * len(self.melds)


def arrange(tiles: Sequence[TileBox], melds: Sequence[MeldBox] = (), *, limit: int = 24) -> list[Arrangement]:
    """The likeliest arrangements of one hand, best first; empty where nothing lies in a row.

    Several hand sizes are always among them: finished hands (14) and what the geometry alone says.
    """
    rows = find_rows(list(tiles))
    if not rows:
        return []
    context = RowContext(tiles, log_probabilities(tiles), melds, _beside(rows))
    cuts = [parse_row(row, context) for row in rows]
    found: dict[tuple[Piece, ...], Arrangement] = {}
    for anchor in _anchors(rows, cuts):
        for arrangement in _join(rows, cuts, anchor, tiles):
            key = tuple(sorted(arrangement.pieces, key=lambda piece: piece.indices))
            if key not in found or found[key].score < arrangement.score:
                found[key] = arrangement
    ordered = sorted(found.values(), key=lambda arrangement: -arrangement.score)
    full = [arrangement for arrangement in ordered if arrangement.size == 14]
    return sorted(
        dict.fromkeys([*full[:limit], *ordered[: limit // 2]]), key=lambda arrangement: -arrangement.score
    )


def _beside(rows: Sequence[Row]) -> dict[int, tuple[int, ...]]:
    """Per tile of a longer row, the single tiles lying right across from it."""
    singles = [row for row in rows if len(row) == 1]
    beside: dict[int, tuple[int, ...]] = {}
    for row in rows:
        if len(row) < 3:
            continue
        places = np.linspace(row.start, row.end, len(row))
        for single in singles:
            offset = single.start - places
            along, across = np.abs(offset @ row.along), np.abs(offset @ row.up)
            near = (along < 0.7 * row.pitch) & (across < 1.45 * row.height)
            for k in np.flatnonzero(near):
                index = row.indices[int(k)]
                beside[index] = (*beside.get(index, ()), single.indices[0])
    return beside


def _anchors(rows: Sequence[Row], cuts: Sequence[list[Cut]]) -> list[int]:
    """Rows that may hold the concealed tiles, likeliest first."""
    # The nearest hand is the largest; its row is long. Both count.
    scored: list[tuple[float, int]] = []
    largest = max(row.pitch for row in rows)
    for index, row in enumerate(rows):
        best = max((cut.score for cut in cuts[index] if cut.concealed), default=-math.inf)
        if len(row) >= 2 and math.isfinite(best):
            scored.append((best + 6.0 * math.log(max(row.pitch / largest, 1e-3)), index))
    scored.sort(reverse=True)
    return [index for _, index in scored[:ANCHORS]]


@dataclass(slots=True)
class _State:
    """A partial join: what it has used up so far."""

    score: float
    cuts: tuple[tuple[int, Cut], ...]
    concealed: int
    sets: int
    winning: bool
    spread: int
    taken: frozenset[int] = field(default_factory=frozenset)


def _join(
    rows: Sequence[Row], cuts: Sequence[list[Cut]], anchor: int, tiles: Sequence[TileBox]
) -> list[Arrangement]:
    home = rows[anchor]
    largest = max(row.pitch for row in rows if len(row) > 2 or len(rows) == 1) if rows else home.pitch
    nearness = 3.0 * math.log(max(min(home.pitch / max(largest, 1e-9), 1.0), 1e-3))
    states = [
        _State(
            cut.score + nearness,
            ((anchor, cut),),
            cut.concealed,
            cut.sets,
            cut.winning,
            1,
            frozenset(cut.extras),
        )
        for cut in cuts[anchor]
        if cut.concealed > int(cut.winning)
    ]
    states = _prune(states)
    for index, row in enumerate(rows):
        if index == anchor:
            continue
        options = [
            (cut, value)
            for cut in cuts[index]
            if (value := cut.score + _relation(home, row, cut)) > -7.0 and cut.used
        ]
        if not options:
            continue
        grown = list(states)
        for state in states:
            for cut, value in options:
                own = set(row.indices)
                if state.sets + cut.sets > 4 or (state.winning and cut.winning):
                    continue
                if state.taken & own or any(
                    extra in used
                    for _, other in state.cuts
                    for piece in other.pieces
                    if piece.kind is not PieceKind.ELSEWHERE
                    for used in [piece.all_indices]
                    for extra in cut.extras
                ):
                    continue
                spread = state.spread + (cut.concealed > int(cut.winning))
                if spread > 2:
                    continue
                grown.append(
                    _State(
                        state.score + value,
                        (*state.cuts, (index, cut)),
                        state.concealed + cut.concealed,
                        state.sets + cut.sets,
                        state.winning or cut.winning,
                        spread,
                        state.taken | set(cut.extras),
                    )
                )
        states = _prune(grown)
    arrangements = []
    for state in states:
        pieces = [
            piece
            for _, cut in sorted(state.cuts, key=lambda item: _reading_order(home, rows[item[0]]))
            for piece in cut.pieces
            if piece.kind is not PieceKind.ELSEWHERE
        ]
        size = state.concealed + 3 * state.sets
        # Hands in play have 13 or 14 tiles; other counts happen by a tile missed or one too many.
        arrangements.append(Arrangement(tuple(pieces), state.score - 0.4 * min(abs(size - 14), 6)))
    return arrangements


def _prune(states: list[_State]) -> list[_State]:
    """The best states, at most three for every count of tiles."""
    kept: list[_State] = []
    counts: dict[tuple[int, int, bool, int], int] = {}
    for state in sorted(states, key=lambda state: -state.score):
        key = (state.concealed, state.sets, state.winning, state.spread)
        if counts.get(key, 0) < 3:
            counts[key] = counts.get(key, 0) + 1
            kept.append(state)
        if len(kept) == STATES * 4:
            break
    return kept


def _reading_order(home: Row, row: Row) -> tuple[float, float]:
    offset = (row.start + row.end) / 2 - (home.start + home.end) / 2
    return (-round(float(offset @ home.up) / max(home.height, 1e-9)), float(offset @ home.along))


def _distance(home: Row, row: Row) -> float:
    """Clear distance between two rows in tile heights: 0 where they touch."""

    def ends(line: Row) -> Vector:
        return np.linspace(line.start, line.end, max(len(line), 2))

    a, b = ends(home), ends(row)
    offsets = np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1))
    return max(0.0, float(offsets.min()) / max(home.height, home.pitch) - 1.0)


def _relation(home: Row, row: Row, cut: Cut) -> float:
    """How well a row's use fits where it lies beside the concealed row."""
    distance = _distance(home, row)
    turn = abs(float(row.along @ home.along)) if len(row) > 1 else 1.0
    scale = abs(math.log(row.pitch / home.pitch))
    value = -2.0 * max(0.0, scale - 0.25) / 0.25
    kinds = {piece.kind for piece in cut.pieces}
    if cut.winning:
        # The last tile may be fetched from anywhere in the pond; near is likelier.
        value -= 0.3 + min(0.35 * distance, 3.0)
    if PieceKind.MELD in kinds:
        value -= 0.5 * max(0.0, distance - 1.2) + (3.0 if turn < 0.9 else 0.0)
        value += 0.3 * math.copysign(1.0, home.pitch - row.pitch) if abs(scale) > 0.03 else 0.0
    if PieceKind.FLOWER in kinds:
        value -= 0.4 * max(0.0, distance - 1.5) + (1.0 if turn < 0.9 else 0.0)
    if PieceKind.CONCEALED in kinds:
        value -= 2.5 + 0.8 * max(0.0, distance - 0.8) + (3.0 if turn < 0.95 else 0.0)
    return value
