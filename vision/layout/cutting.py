"""One row cut into pieces in every plausible way.

Every cut has a score in natural-log units: what the gaps, turns, meld boxes and faces say for it.
A meld costs nothing to be legal; which faces it then has is a likelihood that `resolve` takes up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import median

import numpy as np

from .groups import BACK, KONG, best_group
from .pieces import FLOWERS, Cut, Piece, PieceKind, RowContext
from .rows import Row


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds of the layout's habits, in natural-log units; settled by looking at real tables.

    Each stands for how much likelier one reading becomes when the thing is seen.
    """

    concealed_tile: float = 0.6
    meld_tile: float = 0.7
    concealed_block: float = -0.3
    long_row: float = 0.5
    apart_touching: float = -7.0
    apart_clear: float = 0.8
    parted_row: float = -1.0
    meld_sideways: float = 1.8
    meld_two_sideways: float = -2.0
    concealed_sideways: float = -4.0
    quad: float = 3.5
    with_flowers: float = 2.0
    meld_boxed: float = 2.5
    meld_unboxed: float = -1.2
    concealed_boxed: float = -1.2
    some_backs: float = -0.5
    all_backs: float = -1.5
    tile_missing: float = -2.0
    winning_askew: float = 1.5
    winning_sideways: float = 0.5
    winning_alone: float = -0.3
    added_tile: float = 1.0
    added_upright: float = -4.0
    flower_beside_concealed: float = -1.0


WEIGHTS = Weights()


_State = tuple[int, int, int | None, bool, PieceKind | None, tuple[int, ...]]
"""Concealed tiles, melds, the tile set apart, whether a block began, the last piece's kind, extras."""

_Entries = list[tuple[float, tuple[Piece, ...]]]

_Melds = dict[tuple[int, int], list[tuple[Piece, float]]]
"""By the places a stretch of the row begins and ends at, the melds it may be and their scores."""


@dataclass(frozen=True, slots=True)
class _Faces:
    """Per tile of a row its likeliest class, how likely it lies face down, and how likely it is a flower."""

    names: list[int]
    backs: list[float]
    flowers: list[float]


FACE_DOWN = 0.8
"""Probability from which a tile that lies face down can't be a blank dragon of the hand."""

HOPELESS = 9.0
"""Partial cuts lighter than the best by more than this (natural log) are dropped."""


def parse_row(row: Row, context: RowContext, *, keep: int = 2) -> list[Cut]:
    """The best `keep` cuts of a row for every count of concealed tiles, melds and winning tile.

    Dynamic programming over the places between tiles; the state is what has been used so far and
    the kind of the last piece. Concealed tiles form one block in a row, gaps inside allowed.
    """
    n = len(row)
    gap_before = (0.0, *row.gaps)
    noise = _noise(row)
    faces = _faces(row, context)
    melds = _melds_of(row, context)
    table: list[dict[_State, _Entries]] = [{} for _ in range(n + 1)]
    table[0][(0, 0, None, False, None, ())] = [(0.0, ())]
    # Per place the score below which a partial cut is left out, by those that got there so far.
    floors = [-math.inf] * (n + 1)
    for start in range(n):
        if not table[start]:
            continue
        least = max(entries[0][0] for entries in table[start].values()) - HOPELESS
        pieces = _pieces_from(row, context, start, faces, melds)
        kinds = {PieceKind.ELSEWHERE, *(piece.kind for piece, _ in pieces)}
        ordinary = faces.flowers[start] < 0.5
        parted = _mixed(_stands_out(row, start - 1), 0.0, WEIGHTS.apart_touching) if start else 0.0
        # Scores of the pieces behind each kind of piece: the gap between the two counts as well.
        behind: dict[PieceKind | None, list[tuple[Piece, float]]] = {None: pieces}
        steps: dict[PieceKind | None, dict[PieceKind, float]] = {None: dict.fromkeys(PieceKind, 0.0)}
        for state, entries in table[start].items():
            last = state[4]
            if last is PieceKind.ELSEWHERE and ordinary:
                # A stretch that isn't the hand's grows tile by tile, at no cost.
                _enter(table[start + 1], state, list(entries), keep)
            if entries[0][0] < least:
                continue
            if last is not None and last not in behind:
                steps[last] = {
                    kind: _boundary(last, kind, gap_before[start], noise, row, start, context)
                    for kind in kinds
                }
                behind[last] = [(piece, value + steps[last][piece.kind]) for piece, value in pieces]
            if last is not PieceKind.ELSEWHERE and ordinary:
                step = steps[last][PieceKind.ELSEWHERE]
                away = [(score + step, cut) for score, cut in entries]
                _enter(table[start + 1], (*state[:4], PieceKind.ELSEWHERE, state[5]), away, keep)
            for piece, value in behind[last]:
                after = _after(state, piece)
                if after is None:
                    continue
                if state[3] and piece.kind is PieceKind.CONCEALED:
                    # The block goes on behind a winning tile: only one turned within the row parts it.
                    value += parted
                end = start + len(piece.indices)
                best = entries[0][0] + value
                if best < floors[end]:
                    continue
                floors[end] = max(floors[end], best - HOPELESS)
                grown = [(score + value, (*before, piece)) for score, before in entries]
                _enter(table[end], after, grown, keep)
    foreign = _foreign(len(row), melds)
    whole: dict[_State, _Entries] = {}
    for state, entries in table[n].items():
        # What the last piece was doesn't matter any more.
        _enter(whole, (*state[:4], None, state[5]), entries, keep)
    cuts = []
    for (concealed, sets, winner, block, _, extras), entries in whole.items():
        standing = concealed - (winner is not None)
        value = (WEIGHTS.long_row * min(max(standing - 4, 0), 4) if block else 0.0) - foreign
        cuts += [
            Cut(pieces, score + value, concealed, sets, winner, block, extras) for score, pieces in entries
        ]
    return cuts


def _melds_of(row: Row, context: RowContext) -> _Melds:
    """All melds that the row's tiles may be."""
    n = len(row)
    stretches = ((start, start + size) for start in range(n - 2) for size in (3, 4) if start + size <= n)
    return {(start, end): _melds(row, context, start, end) for start, end in stretches}


def _foreign(length: int, melds: _Melds) -> float:
    """What speaks for the row's groups being melds, whoever's: as much of it as no meld can do without.

    A claimed tile turned sideways tells a meld from concealed tiles, but not whose it is.
    """
    w = WEIGHTS
    best = [0.0] * (length + 1)
    for end in range(1, length + 1):
        best[end] = best[end - 1]
        for start in (end - 3, end - 4):
            for _, value in melds.get((start, end), ()):
                best[end] = max(best[end], best[start] + value - 3 * w.meld_tile)
    return best[-1]


def _enter(place: dict[_State, _Entries], state: _State, entries: _Entries, keep: int) -> None:
    """Add entries, best first, to those of a state, of which the best `keep` stay."""
    slot = place.setdefault(state, entries)
    if slot is not entries and (len(slot) < keep or entries[0][0] > slot[-1][0]):
        slot += entries
        slot.sort(key=itemgetter(0), reverse=True)
        del slot[keep:]


def _after(state: _State, piece: Piece) -> _State | None:
    """The state once a piece is added; None where it can't be."""
    concealed, sets, winner, block, last, extras = state
    kind = piece.kind
    if kind is PieceKind.CONCEALED:
        # One block a row; only a winning tile turned within it may part it in two.
        if block and last is not PieceKind.WINNING:
            return None
        return (concealed + len(piece.indices), sets, winner, True, kind, extras)
    if kind is PieceKind.MELD:
        if sets == 4:
            return None
        extras = extras if piece.extra is None else (*extras, piece.extra)
        return (concealed, sets + 1, winner, block, kind, extras)
    if kind is PieceKind.WINNING:
        return None if winner is not None else (concealed + 1, sets, piece.indices[0], block, kind, extras)
    return None if kind is last else (concealed, sets, winner, block, kind, extras)


def _faces(row: Row, context: RowContext) -> _Faces:
    logs = context.logs[list(row.indices)]
    flowers = [float(np.exp(each).sum()) for each in logs[:, FLOWERS]]
    return _Faces(logs.argmax(axis=1).tolist(), np.exp(logs[:, BACK]).tolist(), flowers)


def _pieces_from(
    row: Row, context: RowContext, start: int, faces: _Faces, melds: _Melds
) -> list[tuple[Piece, float]]:
    """Every piece that can begin at a place of the row, with its own score."""
    n = len(row)
    w = WEIGHTS
    found: list[tuple[Piece, float]] = []
    indices, names, backs, flowers = row.indices, faces.names, faces.backs, faces.flowers

    concealed = w.concealed_block
    alike = 0
    for end in range(start + 1, n + 1):
        k = end - 1
        inner = row.gaps[k - 1] if end - start > 1 else 0.0
        if backs[k] > FACE_DOWN:
            break
        concealed += w.concealed_tile + _mixed(row.sideways[k], w.concealed_sideways, 0.0)
        concealed += math.log(max(1 - flowers[k] - backs[k], 1e-3))
        concealed -= 0.35 * max(0.0, _looseness(inner))
        alike = alike + 1 if alike % 4 and names[k] == names[k - 1] else 1
        concealed -= w.quad if alike == 4 else 0.0
        penalty = _boxed_inside(context, indices[start:end])
        found.append((Piece(PieceKind.CONCEALED, indices[start:end]), concealed + penalty))

    for size in (3, 4):
        found += melds.get((start, start + size), ())

    run = 0.0
    for end in range(start + 1, n + 1):
        k = end - 1
        if flowers[k] < 0.5:
            break
        run += math.log(min(1.0, flowers[k]))
        found.append((Piece(PieceKind.FLOWER, indices[start:end]), run))

    if backs[start] <= 0.5 and _may_be_apart(row, start):
        turned = w.winning_askew * max(row.askew[start], row.raised[start])
        turned += w.winning_sideways * row.sideways[start]
        value = w.concealed_tile + w.winning_alone + turned
        value += math.log(max(1 - flowers[start], 1e-3))
        if any(
            len(set(four)) == 1
            for four in (names[max(0, start - 3) : start + 1], names[start : start + 4])
            if len(four) == 4
        ):
            value -= w.quad
        found.append((Piece(PieceKind.WINNING, (indices[start],)), value))
    return found


def _may_be_apart(row: Row, place: int) -> bool:
    """Whether a tile stands out of its row: at an end, turned, or with room on both sides."""
    if place in (0, len(row) - 1) or _stands_out(row, place) > 0.2:
        return True
    return min(row.gaps[place - 1], row.gaps[place]) > 0.15


def _stands_out(row: Row, place: int) -> float:
    """Probability that a tile is turned against its row or pushed out of it."""
    return max(row.sideways[place], row.askew[place], row.raised[place])


def _melds(row: Row, context: RowContext, start: int, end: int) -> list[tuple[Piece, float]]:
    """A meld of the tiles from start to end, and the same with a tile added beside it."""
    w = WEIGHTS
    indices = row.indices[start:end]
    size = end - start
    group = best_group(context.logs[list(indices)], partial=True)
    if group is None:
        return []
    value = w.meld_tile * 3 + group.cost
    if group.backs:
        value += w.all_backs if group.backs == size else w.some_backs
        value += w.tile_missing if size == 3 else 0.0
    value -= 1.5 * sum(max(0.0, _looseness(gap)) for gap in row.gaps[start : end - 1])
    turned = sum(row.sideways[start:end])
    none = math.prod(1 - p for p in row.sideways[start:end])
    one = sum(
        row.sideways[k] * math.prod(1 - row.sideways[m] for m in range(start, end) if m != k)
        for k in range(start, end)
    )
    value += w.meld_sideways * one + w.meld_two_sideways * max(0.0, 1 - none - one)
    value -= 1.0 * max(row.askew[start:end]) if turned < 0.5 else 0.0
    found = [(Piece(PieceKind.MELD, indices), value + _boxed(context, indices))]
    if size == 3 and group.kind == "pung":
        claimed = {j: k for k in range(start, end) for j in context.beside.get(row.indices[k], ())}
        for index, place in claimed.items():
            four = best_group(context.logs[[*indices, index]])
            if four is not None and four.kind == KONG and four.cost > -4.0:
                piece = Piece(PieceKind.MELD, indices, index)
                # It is laid on or against the claimed tile, which lies sideways.
                added = w.added_tile + _mixed(row.sideways[place], 0.0, w.added_upright)
                found.append((piece, value + four.cost + added + _boxed(context, (*indices, index))))
    return found


def _mixed(probability: float, if_so: float, if_not: float) -> float:
    """Score of something that is so with a probability: the log of the two likelihoods' mean."""
    return math.log(probability * math.exp(if_so) + (1 - probability) * math.exp(if_not))


def _looseness(gap: float) -> float:
    """How much a gap speaks for a boundary: 0 up to a fifth of a tile, 1 for a third, at most 5."""
    return min(5.0, max(0.0, (gap - 0.18) / 0.14))


def _apart(gap: float, noise: float) -> float:
    """Score of lying set apart by this gap: from touching (strongly against) to clear (for)."""
    w = WEIGHTS
    # In an even row a small gap is meant; in a ragged one it takes a wide one.
    share = min(1.0, max(0.0, (gap - noise) / min(0.25, 2.5 * noise)))
    return w.apart_touching + share * (w.apart_clear - w.apart_touching)


def _noise(row: Row) -> float:
    """Largest gap that still is none in this row: three times the usual unevenness of its gaps."""
    tight = [abs(gap) for gap in row.gaps if gap < 0.3]
    return max(0.04, 3.0 * median(tight)) if len(tight) >= 5 else 0.1


def _boundary(
    left: PieceKind, right: PieceKind, gap: float, noise: float, row: Row, place: int, context: RowContext
) -> float:
    """Score of two pieces side by side with this gap between them."""
    w = WEIGHTS
    kinds = {left, right}
    if kinds == {PieceKind.MELD} or kinds == {PieceKind.MELD, PieceKind.FLOWER}:
        # Melds and flowers may touch in one row; flowers mark the exposed row.
        value = 0.4 * min(_looseness(gap), 2.0) - 0.2
        if PieceKind.FLOWER in kinds and gap < 0.3:
            value += w.with_flowers
        return value
    if kinds == {PieceKind.FLOWER, PieceKind.CONCEALED}:
        return w.flower_beside_concealed + 0.5 * min(_looseness(gap), 2.0)
    if kinds == {PieceKind.CONCEALED, PieceKind.WINNING}:
        k = place if right is PieceKind.WINNING else place - 1
        return _mixed(_stands_out(row, k), w.apart_clear, _apart(gap, noise))
    if kinds == {PieceKind.ELSEWHERE, PieceKind.FLOWER}:
        return 0.0
    if PieceKind.ELSEWHERE in kinds:
        # A gap allows that a stretch isn't the hand's; it doesn't speak for it.
        other = row.indices[place if right is PieceKind.ELSEWHERE else place - 1]
        parted = w.parted_row if gap < 1.0 and context.about[other] else w.parted_row / 2
        face_down = min(math.exp(context.logs[other, BACK]), 1.0)
        if PieceKind.WINNING in kinds and face_down > 0.5:
            return parted  # the last tile may well touch face-down ones
        away = min(parted, _apart(gap, noise))
        # What lies face down is no concealed tile, however near it lies.
        return _mixed(face_down, parted, away) if PieceKind.CONCEALED in kinds else away
    if kinds == {PieceKind.CONCEALED, PieceKind.MELD}:
        # Some players part the sets of a concealed row a little; melds lie further off.
        return _apart(gap, max(noise, 0.15))
    return _apart(gap, noise)


def _boxed(context: RowContext, indices: Sequence[int]) -> float:
    """What the detector's meld boxes say about these tiles being one meld."""
    if not context.melds:
        return 0.0
    w = WEIGHTS
    members = frozenset(indices)
    agreed = max(
        meld.confidence * _agreement(members, within)
        for meld, within in zip(context.melds, context.within, strict=True)
    )
    return w.meld_unboxed + agreed * (w.meld_boxed - w.meld_unboxed)


def _agreement(members: frozenset[int], within: frozenset[int]) -> float:
    """1 where a meld box holds just these tiles, 0 where a tile more or less than one is different."""
    different = len(members ^ within)
    return 1.0 if different == 0 else 0.3 if different == 1 else 0.0


def _boxed_inside(context: RowContext, indices: Sequence[int]) -> float:
    """What meld boxes whose tiles all lie in a concealed block say against it."""
    if not context.melds or len(indices) < 3:
        return 0.0
    members = frozenset(indices)
    return WEIGHTS.concealed_boxed * sum(
        meld.confidence
        for meld, within in zip(context.melds, context.within, strict=True)
        if len(within) >= 3 and within <= members
    )
