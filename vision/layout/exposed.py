"""Exposed groups, whoever's: what the detector proposes, judged by the tiles that were found and named.

The detector sees groups as wholes but is shy where they touch; the tiles tell where one ends. Every
stretch of three or four tiles in a row is a candidate. A small model, fitted on rendered scenes
(`scripts/train.py fit-groups`), weighs what speaks for it, and the likeliest that share no tile are kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models import GroupsSpec, ModelError
from ..boxes import Box, MeldBox, TileBox, intersections
from .groups import BACK, SUITED_AND_HONOURS, Group, best_group
from .pieces import log_probabilities
from .plane import Plane
from .rows import Row

FEATURES = (
    "proposed",  # log-odds of the detector's best proposal for just these tiles
    "overlap",  # its intersection over union with the tiles' box
    "unproposed",
    "rival",  # log-odds of the best proposal for some of these tiles and others
    "unlikely",  # how unlikely the faces are as a legal group, 0 to 1
    "unreadable",
    "chow",
    "one of four alike",  # a pung beside whose tiles a fourth one touches
    "backs",
    "four tiles",
    "tile beside",  # the fourth tile of an added kong
    "gap before",
    "gap behind",
    "gap inside",
    "sideways",
    "whole row",
    "rest of the row",  # tiles of the row that aren't in it, 0 to 1
    "unlikely before",  # how unlikely the row before it is as further groups, 0 to 1
    "unlikely behind",
    "all groups",  # the whole rest of the row can be groups
    "tiles for certain",
    "turned elsewhere",  # how likely another tile of the row lies sideways
    "row length",  # tiles, 0 to 1
    "backs in the row",  # share
    "room across",  # gap to the nearest tile of another row in tile heights, at most `FAR`
    "pushed up",  # the same for the second nearest of its tiles, at most `NEAR`
)
"""What the model weighs. Gaps are in tile widths; the end of a row counts as a gap of `WIDE`."""

FAINTEST = 0.005
"""Probabilities are kept this far from 0 and 1 before their log-odds are taken."""
UNPROPOSED = 0.01
"""Score that stands for no proposal."""
WIDE = 1.0
CROSSED = -0.2
"""Gaps below this (boxes that overlap) say no more than this."""
MEANT, GRAZED = 0.5, 0.12
"""Intersection over union from which a proposal means the candidate, and from which it is its rival."""
IMPOSSIBLE = 8.0
"""Cost in natural-log units from which faces are no legal group at all."""
ALIKE = 4.0
"""Cost up to which a further tile may be of the same face."""
FAR, NEAR = 1.5, 0.3
BESIDE = 1.25
"""Distance in tile sides up to which a single tile lies beside one of a row."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Tiles that may be one exposed group, as indices; their bounding box; `FEATURES` in order."""

    tiles: tuple[int, ...]
    box: Box
    features: tuple[float, ...]


def read_judge(spec: GroupsSpec) -> GroupJudge:
    """The judge in a model's file. Raises ModelError where it can't be used."""
    try:
        return GroupJudge(json.loads(spec.path.read_text(encoding="utf-8")))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{spec.path}: these numbers don't judge groups ({error}).") from None


class GroupJudge:
    """How likely a candidate is an exposed group: one hidden layer of tanh units."""

    def __init__(self, numbers: Mapping[str, Any]) -> None:
        """numbers: `features` (names, in order), `hidden` (h, f), `hidden_bias` (h,), `output` (h,),
        `output_bias`; `least`, the probability from which a candidate counts; `alone`, the score from which
        a proposal counts that no candidate answers to. KeyError, ValueError or TypeError for other content.
        """
        if tuple(numbers["features"]) != FEATURES:
            raise ValueError("other features than this version's")
        self._hidden = np.array(numbers["hidden"], dtype=float).reshape(-1, len(FEATURES))
        self._hidden_bias = np.array(numbers["hidden_bias"], dtype=float).reshape(len(self._hidden))
        self._output = np.array(numbers["output"], dtype=float).reshape(len(self._hidden))
        self._output_bias = float(numbers["output_bias"])
        self._least, self._alone = float(numbers["least"]), float(numbers["alone"])

    def chances(self, options: Sequence[Candidate]) -> NDArray[np.float64]:
        """(n,) probability of each candidate."""
        features = np.array([option.features for option in options]).reshape(-1, len(FEATURES))
        odds = np.tanh(features @ self._hidden.T + self._hidden_bias) @ self._output + self._output_bias
        chances: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
        return chances

    def groups(
        self, tiles: Sequence[TileBox], rows: Sequence[Row], proposals: Sequence[MeldBox], plane: Plane
    ) -> list[MeldBox]:
        """The exposed groups in a picture, best first, no tile in two of them.

        rows: as `find_rows` gives them. plane: the tiles' places. proposals: the detector's, faint ones too;
        one counts by itself where some of its tiles were not found, so that there is no candidate for it.
        """
        options = candidates(tiles, rows, proposals, plane)
        chances = self.chances(options)
        taken: set[int] = set()
        found: list[MeldBox] = []
        for place in np.argsort(-chances, kind="stable"):
            option = options[place]
            if chances[place] >= self._least and taken.isdisjoint(option.tiles):
                taken.update(option.tiles)
                found.append(MeldBox(option.box, float(chances[place])))
        judged = np.array([option.box for option in options]).reshape(-1, 4)
        centres = np.array([tile.box for tile in tiles], dtype=float).reshape(-1, 2, 2).mean(axis=1)
        for proposal in sorted(proposals, key=lambda proposal: -proposal.confidence):
            inside = _inside(centres, proposal.box)
            if (
                proposal.confidence >= self._alone
                and taken.isdisjoint(inside)
                and _overlaps(judged, np.array(proposal.box)).max(initial=0.0) < MEANT
            ):
                taken.update(inside)
                found.append(proposal)
        return sorted(found, key=lambda meld: -meld.confidence)


def candidates(
    tiles: Sequence[TileBox], rows: Sequence[Row], proposals: Sequence[MeldBox], plane: Plane
) -> list[Candidate]:
    """Every stretch of three or four tiles in a row that can be a group by its faces."""
    table = _Table(tiles, rows, proposals, plane)
    return [candidate for row in rows if len(row) >= 3 for candidate in _of_row(row, table)]


def _inside(centres: NDArray[np.float64], box: Box) -> list[int]:
    within = (centres > np.array(box[:2])) & (centres < np.array(box[2:]))
    return [int(i) for i in np.flatnonzero(within.all(axis=1))]


def _overlaps(boxes: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) intersection over union of boxes (n, 4) with one."""
    shared = intersections(box, boxes)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return np.asarray(shared / np.maximum(areas + (box[2:] - box[:2]).prod() - shared, 1e-9))


class _Table:
    """What a picture's candidates are judged by."""

    def __init__(
        self, tiles: Sequence[TileBox], rows: Sequence[Row], proposals: Sequence[MeldBox], plane: Plane
    ) -> None:
        self.logs = log_probabilities(tiles)
        self.boxes = np.array([tile.box for tile in tiles], dtype=float).reshape(-1, 4)
        self.centres = (self.boxes[:, :2] + self.boxes[:, 2:]) / 2
        self._plane = plane
        self.certain = np.array([tile.confidence for tile in tiles])
        self.loose = [index for row in rows if len(row) < 3 for index in row.indices]
        self._proposed = np.array([proposal.box for proposal in proposals], dtype=float).reshape(-1, 4)
        self._scores = np.array([proposal.confidence for proposal in proposals])

    def alike(self, indices: Sequence[int]) -> float:
        """Cost at which the tiles all have one face (0 or more)."""
        logs = self.logs[list(indices)]
        return float(logs.max(axis=1).sum() - logs[:, :SUITED_AND_HONOURS].sum(axis=0).max())

    def room_across(self, row: Row) -> NDArray[np.float64]:
        """Gap from each tile of a row to the nearest one of another row, in tile heights."""
        others = sorted({*range(len(self.boxes))} - {*row.indices})
        return np.asarray(np.minimum(row.room_across(self._plane, others), FAR))

    def proposed(self, box: NDArray[np.float64]) -> tuple[float, float, float, float]:
        """The first four of `FEATURES`."""
        score, overlap, rival = UNPROPOSED, MEANT, UNPROPOSED
        if len(self._scores):
            overlaps = _overlaps(self._proposed, box)
            best = int((self._scores * (overlaps - 0.8 * MEANT).clip(0)).argmax())
            if overlaps[best] > MEANT:
                score, overlap = float(self._scores[best]), float(overlaps[best])
            rivals = self._scores[(overlaps < MEANT) & (overlaps > GRAZED)]
            rival = float(rivals.max(initial=UNPROPOSED))
        unproposed = score <= 2 * UNPROPOSED
        return _log_odds(score), 0.0 if unproposed else overlap, float(unproposed), _log_odds(rival)


def _log_odds(probability: float) -> float:
    kept = min(max(probability, FAINTEST), 1 - FAINTEST)
    return math.log(kept / (1 - kept))


def _of_row(row: Row, table: _Table) -> Iterator[Candidate]:
    """The candidates of one row of three tiles or more."""
    count = len(row)
    stretches: dict[tuple[int, int], Group] = {}
    for length in (3, 4):
        for start in range(count - length + 1):
            group = best_group(table.logs[list(row.indices[start : start + length])])
            if group is not None:
                stretches[start, start + length] = group
    before, behind = _partitions(count, stretches)
    backs = float((table.logs[list(row.indices)].argmax(axis=1) == BACK).mean())
    across = table.room_across(row)
    gaps = (WIDE, *(min(max(gap, CROSSED), WIDE) for gap in row.gaps), WIDE)
    for (start, end), group in stretches.items():
        members = row.indices[start:end]
        pung = group.kind == "pung" and end - start == 3
        neighbours = [
            row.indices[place]
            for place, gap in ((start - 1, gaps[start]), (end, gaps[end]))
            if 0 <= place < count and gap < 0.35
        ]
        fourth = pung and any(table.alike((*members, other)) < ALIKE for other in neighbours)
        rest = (max(before[start], -IMPOSSIBLE), max(behind[end], -IMPOSSIBLE))
        for chosen in (members, *_with_tile_beside(row, members, table, pung=pung)):
            boxes = table.boxes[list(chosen)]
            box = np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])
            yield Candidate(
                chosen,
                (float(box[0]), float(box[1]), float(box[2]), float(box[3])),
                (
                    *table.proposed(box),
                    min(-group.cost, IMPOSSIBLE) / IMPOSSIBLE,
                    float(group.kind is None),
                    float(group.kind == "chow"),
                    float(fourth),
                    float(group.backs > 0),
                    float(len(chosen) == 4),
                    float(len(chosen) > end - start),
                    gaps[start],
                    gaps[end],
                    max(gaps[start + 1 : end]),
                    min(sum(row.sideways[start:end]), 1.0),
                    float(end - start == count),
                    min(count - (end - start), 11) / 11,
                    -rest[0] / IMPOSSIBLE,
                    -rest[1] / IMPOSSIBLE,
                    float(sum(rest) > -3.0),
                    math.log(float(table.certain[list(chosen)].min()) + 1e-3),
                    max((*row.sideways[:start], *row.sideways[end:]), default=0.0),
                    min(count, 14) / 14,
                    backs,
                    *_nearest_two(across[start:end]),
                ),
            )


def _nearest_two(across: NDArray[np.float64]) -> tuple[float, float]:
    nearest, second = np.partition(across, 1)[:2]
    return float(nearest), min(float(second), NEAR)


def _with_tile_beside(
    row: Row, members: tuple[int, ...], table: _Table, *, pung: bool
) -> Iterator[tuple[int, ...]]:
    """The tiles of a pung with a fourth one that lies beside them, in no long row: an added kong."""
    if not pung:
        return
    reach = BESIDE * max(row.pitch, row.height)
    for other in table.loose:
        away = table.centres[list(members)] - table.centres[other]
        if np.hypot(away[:, 0], away[:, 1]).min() < reach and table.alike((*members, other)) < ALIKE:
            yield (*members, other)


def _partitions(count: int, stretches: Mapping[tuple[int, int], Group]) -> tuple[list[float], list[float]]:
    """The least cost at which the tiles before and from each place on are groups throughout (0 or less)."""
    before = [0.0] + [-math.inf] * count
    for end in range(1, count + 1):
        for start in (end - 3, end - 4):
            if (start, end) in stretches:
                before[end] = max(before[end], before[start] + stretches[start, end].cost)
    behind = [-math.inf] * count + [0.0]
    for start in range(count - 1, -1, -1):
        for end in (start + 3, start + 4):
            if (start, end) in stretches:
                behind[start] = max(behind[start], behind[end] + stretches[start, end].cost)
    return before, behind
