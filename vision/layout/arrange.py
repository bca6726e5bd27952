"""Whole pictures: the rows' pieces combined into arrangements of one hand.

One row holds (most of) the concealed tiles; the others are judged by how they lie to it. For every
such anchor the rows' best cuts are joined, the count of tiles being the only bond between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..boxes import MeldBox, TileBox
from .apart import LAST_TILE, Apart, flower_runs
from .bonds import Bond, Bonds, beside, face_up, fits, pushed_up
from .cutting import parse_row
from .pieces import BACK, FLOWERS, Cut, Piece, PieceKind, RowContext, log_probabilities
from .plane import Plane, excess
from .rows import Row, rows_in

FINISHED = 14
"""Tiles of a finished hand, a kong counting as three."""

ANCHORS = 4
"""How many rows are tried as the one that holds the concealed tiles."""

SHORT = 5
"""Concealed tiles beside three melds; rows up to this length are tried as theirs where three lie out."""

STATES = 100
"""How many partial joins are kept."""

CONTRAST = 9.0
"""Joins lighter than the best by more than this (natural log) are dropped."""

DOUBTED = 5.0
"""How much lighter than the best (natural log) a hand is whose flowers are still doubted one by one."""

LEAST_FIT = -7.0
"""A use of a row that costs more than this isn't tried."""

NEAR_SET, FAR_SET = 0.2, 2.0
"""What each meld costs for which a hand has no room, right beside the concealed tiles and for each tile
height that the furthest one lies off."""


SCATTERED = -2.0
"""Score of melds both in the row of the concealed tiles and elsewhere: players keep them in one place. Kongs
are told by their four tiles."""

APART, CLOSE = 0.8, 0.2
"""Melds less than `CLOSE` tile heights off the concealed tiles count as in their row, the more the closer,
where others lie `APART` from them: a row that touches is rather the second one of these."""

SPARE = 6.0
"""Cost of tiles in the hand beyond 14 that a kong would account for."""


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


def arrange(
    tiles: Sequence[TileBox],
    melds: Sequence[MeldBox] = (),
    rows: Sequence[Row] | None = None,
    *,
    limit: int = 24,
    finished: bool = False,
) -> list[Arrangement]:
    """The likeliest arrangements of one hand, best first; empty where nothing lies in a row.

    rows: the tiles' rows, where they are known already.
    finished: only hands of 14, for which less has to be tried. Otherwise several sizes are always among
    them: finished hands and what the geometry alone says.
    """
    if not tiles:
        return []
    plane = Plane.of(tiles)
    rows = rows_in(plane, tiles) if rows is None else rows
    logs = log_probabilities(tiles)
    in_rows = np.zeros(len(tiles), dtype=bool)
    in_rows[[index for row in rows if len(row) >= 3 and max(row.gaps) < 0.3 for index in row.indices]] = True
    sizes = excess(plane, in_rows)
    context = RowContext(tiles, logs, melds, beside(rows, plane), face_up(logs, sizes), plane, sizes)
    cuts = [parse_row(row, context) for row in rows]
    used = [[cut for cut in own if cut.used] for own in cuts]
    found: dict[frozenset[tuple[int, int]], _Join] = {}
    bonds = Bonds(rows)
    apart = {anchor: Apart(rows[anchor], context) for anchor in _anchors(rows, cuts, bonds)}
    best = -math.inf
    for anchor, around in apart.items():
        joins = _joins(rows, cuts, used, bonds, anchor, around, best - CONTRAST, finished=finished)
        best = max([best, *(join.score for join in joins)])
        for join in joins:
            # The same cuts of the same rows are the same hand, whichever row it was grown from.
            key = frozenset((index, id(cut)) for index, cut in join.cuts)
            if key not in found or found[key].score < join.score:
                found[key] = join
    ordered = sorted(_without_spare(list(found.values())), key=lambda join: -join.score)
    tray = None if finished else _tray(rows, context, bonds, ordered[0].score if ordered else 0.0)
    trays = [] if tray is None else [tray]
    full = [join for join in ordered if join.size == FINISHED]
    chosen = {id(join): join for join in (*full[:limit], *ordered[: limit // 2 - len(trays)])}
    runs = flower_runs(rows, context)
    arrangements = list(trays)
    for join in chosen.values():
        pieces, around = join.pieces(rows), apart[join.cuts[0][0]]
        near = join.score > ordered[0].score - DOUBTED
        for flowers, value in around.flowers(runs, join.tiles, doubts=near):
            arrangements.append(Arrangement((*pieces, *flowers), join.score + value))
    return sorted(arrangements, key=lambda arrangement: -arrangement.score)


def _tray(rows: Sequence[Row], context: RowContext, bonds: Bonds, best: float) -> Arrangement | None:
    """Three or more rows alike that touch each other, taken as what they are: tiles in a tray.

    It is only told apart from a hand where no hand is found: all its tiles are then counted.
    """
    faces = np.exp(context.logs)
    for first, row in enumerate(rows):
        block = [first]
        alike = [
            number
            for number, other in enumerate(rows)
            if number != first and 0.6 <= len(other) / len(row) <= 1 / 0.6 and len(other) >= 3
        ]
        for member in block:  # grows while it is gone through
            joining = [number for number in alike if _touching(bonds.of(member, number))]
            alike = [number for number in alike if number not in joining]
            block.extend(joining)
        indices = [index for number in block for index in rows[number].indices]
        flowers = tuple(index for index in indices if faces[index, FLOWERS].sum() > 0.5)
        concealed = tuple(index for index in indices if index not in flowers and faces[index, BACK] < 0.5)
        # Beside a hand such a block is the pond; of no more tiles than a hand it may be one.
        seen = int(np.count_nonzero(faces.argmax(axis=1) != BACK))
        if (
            len(block) >= 3
            and len(concealed) > FINISHED
            and len(concealed) + len(flowers) > 0.8 * max(len(indices), seen)
        ):
            pieces = [Piece(PieceKind.CONCEALED, concealed)]
            if flowers:
                pieces.append(Piece(PieceKind.FLOWER, flowers))
            return Arrangement(tuple(pieces), best + 1.0)
    return None


def _touching(bond: Bond) -> bool:
    return bond.distance < 0.2 and bond.parallel > 0.9 and abs(bond.scale) < 0.25


def _anchors(rows: Sequence[Row], cuts: Sequence[list[Cut]], bonds: Bonds) -> list[int]:
    """Rows that may hold the concealed tiles, likeliest first."""
    # The nearest hand is the largest; its row is long. Both count.
    largest = max(row.pitch for row in rows)
    scored: list[tuple[float, int]] = []
    for index, row in enumerate(rows):
        best = max((cut.score for cut in cuts[index] if cut.block), default=-math.inf)
        scored.append((best + 6.0 * math.log(max(row.pitch / largest, 1e-3)), index))
    scored.sort(reverse=True)
    long = [index for score, index in scored if len(rows[index]) >= 2 and math.isfinite(score)]
    chosen = long[:ANCHORS]
    # With most sets laid out, few tiles are concealed: a short row near the melds.
    sets = sorted((max(cut.sets for cut in own) for own in cuts), reverse=True)
    if sum(sets) >= 3:
        exposed = [index for index, own in enumerate(cuts) if max(cut.sets for cut in own) >= 1]
        short = [
            (min(bonds.of(index, other).distance for other in exposed), index)
            for score, index in scored
            if len(rows[index]) <= SHORT and math.isfinite(score)
        ]
        chosen += [index for _, index in sorted(short)[:ANCHORS] if index not in chosen]
    return chosen


class _State(NamedTuple):
    """A partial join: what it has used up so far, and how far off its furthest row of melds lies."""

    score: float
    cuts: tuple[tuple[int, Cut], ...]
    concealed: int
    sets: int
    winner: int | None
    spread: int
    taken: frozenset[int] = frozenset()
    reach: float = 0.0

    @property
    def size(self) -> int:
        """Tiles of the hand so far, a kong counting as three."""
        return self.concealed + 3 * self.sets


_Step = tuple[float, _State, Cut | None]
"""A score, a state, and the use of one more row that it is to grow by; None where it stays as it is."""


@dataclass(frozen=True, slots=True)
class _Join:
    """All rows joined: their used cuts with the number of each row, the anchor's first.

    size: tiles of the hand, a kong counting as three.
    """

    score: float
    cuts: tuple[tuple[int, Cut], ...]
    size: int

    @property
    def tiles(self) -> frozenset[int]:
        """The hand's tiles but for its flowers."""
        return _standing(self.cuts)

    def pieces(self, rows: Sequence[Row]) -> tuple[Piece, ...]:
        """The hand's pieces in reading order, without its flowers."""
        home = rows[self.cuts[0][0]]
        return tuple(
            piece
            for _, cut in sorted(self.cuts, key=lambda item: _reading_order(home, rows[item[0]]))
            for piece in cut.own
        )


def _standing(cuts: Sequence[tuple[int, Cut]]) -> frozenset[int]:
    """The hand's tiles of some rows without its flowers."""
    return frozenset().union(*(cut.standing for _, cut in cuts))


def _without_spare(joins: Sequence[_Join]) -> list[_Join]:
    """Joins of more than 14 held back where just these tiles are 14 with some four of them a kong.

    Nobody ever holds more than 14, a kong counting as three.
    """
    whole = {join.tiles for join in joins if join.size == FINISHED}
    return [
        replace(join, score=join.score - SPARE) if join.size > FINISHED and join.tiles in whole else join
        for join in joins
    ]


def _joins(
    rows: Sequence[Row],
    cuts: Sequence[list[Cut]],
    used: Sequence[list[Cut]],
    bonds: Bonds,
    anchor: int,
    around: Apart,
    floor: float,
    *,
    finished: bool,
) -> list[_Join]:
    """The best joins whose concealed tiles lie in the anchor row.

    used: those cuts of each row that hold something of the hand. floor: joins that can't reach this score
    aren't wanted; finished: nor those of another size than `FINISHED`.
    """
    home = rows[anchor]
    largest = max(row.pitch for row in rows if row is home or len(row) > 2)
    nearness = 3.0 * math.log(max(home.pitch / largest, 1e-3))
    begun = [
        _State(
            cut.score + nearness,
            ((anchor, cut),),
            cut.concealed,
            cut.sets,
            cut.winner,
            1,
            frozenset(cut.extras),
        )
        for cut in cuts[anchor]
        if cut.block
    ]
    states = [state for _, state, _ in _prune([(state.score, state, None) for state in begun])]
    others = [
        (index, bonds.of(anchor, index), frozenset(row.indices))
        for index, row in enumerate(rows)
        if index != anchor
    ]
    uses = [
        _uses_of(used[index], bond, pushed_up(home, rows[index], bond, around.context.plane))
        for index, bond, _ in others
    ]
    # What the rows to come can add at most.
    ahead = LAST_TILE.one + sum(max(options[0][1], 0.0) for options in uses if options)
    if states[0].score + ahead < floor:
        return []
    most = [max((cut.size for cut, *_ in options), default=0) for options in uses] if finished else []
    for place, ((index, bond, own), options) in enumerate(zip(others, uses, strict=True)):
        if not options:
            continue
        ahead -= max(options[0][1], 0.0)
        if finished:
            # What is too large already, or stays too small with all that is to come, is given up.
            left = sum(most[place:])
            states = [state for state in states if state.size <= FINISHED <= state.size + left]
            if not states:
                return []
        grown: list[_Step] = [(state.score, state, None) for state in states]
        least = max(states[0].score - CONTRAST, floor - ahead)
        for state in states:
            if state.taken & own:
                continue
            for cut, value, block, sets, winner in options:
                # What is hopeless already is left out before it costs anything.
                if state.score + value < least:
                    break
                if state.spread + block > 2 or state.sets + sets > 4:
                    continue
                if state.winner is not None and winner is not None:
                    continue
                # The row that holds most of the concealed tiles is the one to grow a hand from.
                if block and cut.concealed > state.cuts[0][1].concealed:
                    continue
                if cut.extras and _uses(state, cut.extras):
                    continue
                grown.append((state.score + value, state, cut))
        states = [
            state if cut is None else _joined(state, score, index, cut, bond.distance)
            for score, state, cut in _prune(grown)
        ]
    joins = []
    for state in states:
        if state.score + LAST_TILE.one < floor:
            break
        if finished and state.size != FINISHED:
            continue
        score = state.score + _count(state) + _parted(state, bonds) + _last_tile(state, around)
        joins.append(_Join(score, state.cuts, state.size))
    return joins


def _uses_of(
    cuts: Sequence[Cut], bond: Bond, pushed: float
) -> list[tuple[Cut, float, bool, int, int | None]]:
    """What a row may be used for: cuts, best first, with their score, block, melds and winning tile."""
    options = [
        (cut, cut.score + value, cut.block, cut.sets, cut.winner)
        for cut, value in zip(cuts, fits(bond, cuts, pushed), strict=True)
        if cut.score + value > LEAST_FIT
    ]
    return sorted(options, key=lambda option: -option[1])


def _count(state: _State) -> float:
    """Score of the hand's count of tiles: 13 or 14 in play; others by a tile missed or one too many.

    Melds that make the hand too large are another player's. Concealed tiles too many stay the hand's:
    dropping some until it fits would make hands of what is none.
    """
    room = math.ceil(max(FINISHED - state.concealed, 0) / 3)
    own = state.cuts[0][1].sets
    foreign = max(state.sets - max(room, own), 0)
    off = abs(state.size - FINISHED)
    return (
        (SCATTERED if 0 < own < state.sets and _holds_melds_of_three(state.cuts[0][1]) else 0.0)
        - 0.4 * min(off, 2)
        - 0.8 * min(max(off - 2, 0), 5)
        - foreign * (NEAR_SET + FAR_SET * min(state.reach, 2.0))
    )


def _parted(state: _State, bonds: Bonds) -> float:
    """Score of melds in a row right beside the concealed tiles, others lying apart from these."""
    rows = [index for index, cut in state.cuts[1:] if cut.sets]
    if len(rows) < 2:
        return 0.0
    home = state.cuts[0][0]
    nearest = {row: min(bonds.of(row, other).distance for other in rows if other != row) for row in rows}
    close = [max(1 - bonds.of(home, row).distance / CLOSE, 0.0) for row in rows if nearest[row] > APART]
    return SCATTERED * max(close, default=0.0)


def _holds_melds_of_three(cut: Cut) -> bool:
    return any(piece.kind is PieceKind.MELD and len(piece.all_indices) == 3 for piece in cut.pieces)


def _last_tile(state: _State, around: Apart) -> float:
    """Score of where the winning tile lies, if that is not in the concealed row."""
    if state.winner is None or state.winner in around.home.indices:
        return 0.0
    return around.belonging(LAST_TILE, (state.winner,), _standing(state.cuts))


def _uses(state: _State, extras: tuple[int, ...]) -> bool:
    """Whether the state already uses a tile that a cut wants to take from beside its row."""
    return any(
        extra in piece.all_indices for _, cut in state.cuts for piece in cut.pieces for extra in extras
    )


def _joined(state: _State, score: float, index: int, cut: Cut, distance: float) -> _State:
    """A state with one more row used."""
    return _State(
        score,
        (*state.cuts, (index, cut)),
        state.concealed + cut.concealed,
        state.sets + cut.sets,
        cut.winner if state.winner is None else state.winner,
        state.spread + cut.block,
        state.taken.union(cut.extras) if cut.extras else state.taken,
        max(state.reach, distance) if cut.sets else state.reach,
    )


def _prune(steps: list[_Step]) -> list[_Step]:
    """The best, at most two for every count of tiles and winning tile."""
    steps.sort(key=itemgetter(0), reverse=True)
    least = steps[0][0] - CONTRAST
    kept: list[_Step] = []
    counts: dict[tuple[int, int, int | None, int], int] = {}
    for step in steps:
        score, state, cut = step
        if len(kept) == STATES or score < least:
            break
        key = (state.concealed, state.sets, state.winner, state.spread)
        if cut is not None:
            concealed, sets, winner, spread = key
            winner = cut.winner if winner is None else winner
            key = (concealed + cut.concealed, sets + cut.sets, winner, spread + cut.block)
        seen = counts.get(key, 0)
        if seen < 2:
            counts[key] = seen + 1
            kept.append(step)
    return kept


def _reading_order(home: Row, row: Row) -> tuple[float, float]:
    offset = (row.start + row.end) / 2 - (home.start + home.end) / 2
    return (-round(float(offset @ home.up) / max(home.height, 1e-9)), float(offset @ home.along))
