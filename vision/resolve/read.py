"""From boxes to a `Reading`: arrangements, names and rules weighed together, and what stays doubtful."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...scoring import HandError, explain
from ..boxes import TILE_CLASSES, Box, TileBox
from ..corrections import NO_TILE, UNKNOWN, Correction, apply_corrections
from ..layout import Arrangement, Piece, PieceKind, arrange
from ..layout.groups import KONG
from ..layout.pieces import log_probabilities
from ..reading import (
    Circumstances,
    Flag,
    ReadHand,
    Reading,
    ReadMeld,
    ReadProblem,
    ReadScore,
    ReadTile,
    Role,
    Sighting,
)
from .hypotheses import Hypothesis, hypotheses
from .outcome import KONG_KIND, MELDED, Laid, Outcome, evaluate, lay

UNREADABLE = 0.4
"""Below this probability of its likeliest name a tile is `?`."""

SURE_NAME = 0.9
SURE_ROLE = 0.85
"""Below these probabilities a name or a role is flagged."""

CONSIDERED = 10.0
"""Arrangements lighter than the best by more than this (natural log) aren't searched for names."""

WEIGHED = 6
"""How many hypotheses' totals are worked out for the confidence."""

_ROLES: dict[PieceKind, Role] = {
    PieceKind.CONCEALED: "concealed",
    PieceKind.MELD: "meld",
    PieceKind.FLOWER: "flower",
    PieceKind.WINNING: "winning",
    PieceKind.ELSEWHERE: "elsewhere",
}


@dataclass(frozen=True, slots=True)
class _Verdict:
    """One hand found among the tiles: its hypothesis, all hypotheses with probabilities, the tiles used."""

    best: Hypothesis
    weighed: tuple[tuple[Hypothesis, float], ...]


def read_hand(
    sighting: Sighting,
    circumstances: Circumstances | None = None,
    corrections: Sequence[Correction] = (),
) -> Reading:
    """The reading of what the detector saw.

    circumstances: what is known about the win; None: nothing.
    corrections: a person's, applied in order; what they say is certain and the rest is worked out anew.

    Raises CorrectionsError for a correction that names a tile the picture doesn't have.
    """
    circumstances = circumstances or Circumstances()
    boxes, said = apply_corrections(sighting.tiles, corrections)
    ids = [number for number in range(len(boxes)) if number not in said or said[number].tile != NO_TILE]
    tiles = [boxes[number] for number in ids]
    pins = {place: said[number] for place, number in enumerate(ids) if number in said}
    logs = log_probabilities(tiles)
    verdicts = _hands(tiles, sighting, logs, pins)
    return _Report(sighting, circumstances, tuple(corrections), tiles, ids, logs, pins, verdicts).reading()


def correct(reading: Reading, corrections: Sequence[Correction]) -> Reading:
    """The reading with more corrections on top of those it already has; what was seen is kept."""
    return read_hand(reading.sighting, reading.circumstances, (*reading.corrections, *corrections))


def _hands(
    tiles: Sequence[TileBox],
    sighting: Sighting,
    logs: NDArray[np.float64],
    pins: Mapping[int, Correction],
) -> list[_Verdict]:
    """The hands in the picture: the likeliest one, and every other one that is complete."""
    left = list(range(len(tiles)))
    found: list[_Verdict] = []
    while len(left) >= (1 if not found else 13):
        own = {place: k for k, place in enumerate(left)}
        candidates = arrange([tiles[place] for place in left], sighting.melds)
        moved = [_moved(arrangement, left) for arrangement in candidates]
        if not found and any(pin.role for pin in pins.values()):
            moved = _pinned(moved, pins, own)
        verdict = _judge(moved, logs)
        if verdict is None or (found and not verdict.best.win):
            break
        found.append(verdict)
        if not verdict.best.win:
            break
        used = {i for piece in verdict.best.arrangement.pieces for i in piece.all_indices}
        left = [place for place in left if place not in used]
    return found


def _moved(arrangement: Arrangement, places: Sequence[int]) -> Arrangement:
    """An arrangement of some of the tiles, its indices in the list of all."""
    pieces = tuple(
        Piece(
            piece.kind,
            tuple(places[i] for i in piece.indices),
            None if piece.extra is None else places[piece.extra],
        )
        for piece in arrangement.pieces
    )
    return Arrangement(pieces, arrangement.score)


def _pinned(
    arrangements: Sequence[Arrangement], pins: Mapping[int, Correction], tiles: Mapping[int, int]
) -> list[Arrangement]:
    """The arrangements with a person's roles put in; those that already agree with them weigh more."""
    roles = {place: pin for place, pin in pins.items() if pin.role is not None and place in tiles}
    found: dict[tuple[Piece, ...], Arrangement] = {}
    for arrangement in arrangements or [Arrangement((), 0.0)]:
        broken = 0
        kept: list[Piece] = []
        number = 0
        melds: dict[int, list[int]] = {}
        for piece in arrangement.pieces:
            moved = [i for i in piece.all_indices if i in roles and roles[i].role != _ROLES[piece.kind]]
            broken += len(moved)
            rest = tuple(i for i in piece.all_indices if i not in roles)
            if piece.kind is PieceKind.MELD:
                melds[number] = list(rest)
                number += 1
            elif rest:
                kind = piece.kind
                if kind is PieceKind.WINNING and any(pin.role == "winning" for pin in roles.values()):
                    kind = PieceKind.CONCEALED
                kept.append(Piece(kind, rest))
        loose: list[int] = []
        for place, pin in roles.items():
            if pin.role == "meld":
                if pin.meld is None:
                    loose.append(place)
                else:
                    melds.setdefault(pin.meld, []).append(place)
            elif pin.role != "elsewhere":
                kind = next(kind for kind, role in _ROLES.items() if role == pin.role)
                kept.append(Piece(kind, (place,)))
        if loose:
            melds[max(melds, default=-1) + 1] = loose
        order = {place: k for k, place in enumerate(tiles)}
        for _, members in sorted(melds.items()):
            if 3 <= len(members) <= 4:
                kept.append(Piece(PieceKind.MELD, tuple(sorted(members, key=order.__getitem__))))
            else:
                kept.extend(Piece(PieceKind.CONCEALED, (place,)) for place in members)
        pieces = tuple(kept)
        score = arrangement.score - 6.0 * broken
        if pieces not in found or found[pieces].score < score:
            found[pieces] = Arrangement(pieces, score)
    return sorted(found.values(), key=lambda arrangement: -arrangement.score)


def _judge(arrangements: Sequence[Arrangement], logs: NDArray[np.float64]) -> _Verdict | None:
    """The likeliest hypothesis over all arrangements, and how likely each is."""
    found: list[Hypothesis] = []
    best = -math.inf
    for arrangement in arrangements:
        if arrangement.score < best - CONSIDERED:
            continue
        found.extend(hypotheses(arrangement, logs))
        best = max(best, max(hypothesis.weight for hypothesis in found))
    if not found:
        return None
    shares = [math.exp(max(hypothesis.weight - best, -60.0)) for hypothesis in found]
    total = sum(shares)
    weighed = sorted(
        ((hypothesis, share / total) for hypothesis, share in zip(found, shares, strict=True)),
        key=lambda item: -item[1],
    )
    wins = sum(share for hypothesis, share in weighed if hypothesis.win)
    likeliest = next(
        (hypothesis for hypothesis, _ in weighed if hypothesis.win == (wins >= 0.5)), weighed[0][0]
    )
    return _Verdict(likeliest, tuple(weighed))


@dataclass(frozen=True, slots=True)
class _Report:
    """Everything known about a picture, turned into a `Reading`."""

    sighting: Sighting
    circumstances: Circumstances
    corrections: tuple[Correction, ...]
    tiles: Sequence[TileBox]
    ids: Sequence[int]
    logs: NDArray[np.float64]
    pins: Mapping[int, Correction]
    verdicts: Sequence[_Verdict]

    def reading(self) -> Reading:
        """The reading: names, hands, worth, problems and flags, in that order."""
        names, sure = self._names()
        kinds = {place: pin.kind for place, pin in self.pins.items() if pin.kind is not None}
        laid = [
            lay(verdict.best, names, self.circumstances if number == 0 else Circumstances(), kinds)
            for number, verdict in enumerate(self.verdicts)
        ]
        problems: list[ReadProblem] = []
        outcome: Outcome | None = None
        confidence = 0.0
        if not self.tiles:
            problems.append(ReadProblem("no-tiles", "There are no tiles in this picture."))
        elif not laid:
            problems.append(
                ReadProblem("too-few", "No tiles in this picture lie as a hand.", tuple(self.ids))
            )
        else:
            outcome, found = self._worth(laid[0])
            problems.extend(found)
            if outcome is not None:
                confidence = self._confidence(outcome, names, kinds)
        if len(laid) > 1:
            problems.append(self._several(laid))
        tiles = self._tiles(names, sure, laid, outcome, problems)
        return Reading(
            sighting=self.sighting,
            circumstances=self.circumstances,
            tiles=tuple(tiles),
            hands=tuple(self._hand(number, each, sure) for number, each in enumerate(laid)),
            score=None
            if outcome is None
            else ReadScore(
                outcome.score,
                tuple(self.ids[i] for i in outcome.laid.indices),
                outcome.low,
                outcome.high,
                outcome.depends_on,
            ),
            problems=tuple(problems),
            confidence=confidence,
            corrections=self.corrections,
        )

    def _names(self) -> tuple[dict[int, str], dict[int, float]]:
        """Every tile's name and the probability that it is right, given all hypotheses."""
        chosen: dict[int, int] = {i: int(self.logs[i].argmax()) for i in range(len(self.tiles))}
        certain: dict[int, float] = {i: float(np.exp(self.logs[i].max())) for i in chosen}
        for verdict in self.verdicts:
            chosen.update(verdict.best.names)
            for i, name in verdict.best.names.items():
                seen = float(np.exp(self.logs[i, name]))
                certain[i] = sum(
                    share
                    * (
                        float(hypothesis.names[i] == name)
                        if hypothesis.win and i in hypothesis.names
                        else seen
                    )
                    for hypothesis, share in verdict.weighed
                )
        names: dict[int, str] = {}
        for i, index in chosen.items():
            told = certain[i] >= UNREADABLE
            corrected = i in self.pins and self.pins[i].tile == UNKNOWN
            names[i] = TILE_CLASSES[index] if told and not corrected else UNKNOWN
        return names, certain

    def _worth(self, laid: Laid) -> tuple[Outcome | None, list[ReadProblem]]:
        """The first hand's outcome, or why it has none, and what isn't known about it."""
        stated = self.circumstances.winning_tile
        problems = [
            ReadProblem(
                problem.code,
                _sentence(problem.message),
                tuple(self.ids[laid.indices[at]] for at in problem.tiles),
            )
            for problem in explain(laid.hand)
        ]
        if stated is not None and laid.hand.winning_tile != stated:
            message = f"The winning tile {stated} that was given is not among the tiles of this hand."
            problems.append(ReadProblem("unknown-winning-tile", message))
        if problems:
            return None, problems
        try:
            outcome = evaluate(laid, self.circumstances)
        except HandError as error:
            return None, [ReadProblem(error.code, _sentence(str(error)))]
        spread = (
            f"from {outcome.low} to {outcome.high}"
            if outcome.low < outcome.high
            else f"{outcome.low} either way"
        )
        if laid.hand.winning_tile is None:
            assumed = outcome.score.hand.winning_tile
            message = f"Nothing shows which tile won; {assumed} is assumed (the total is {spread})."
            problems.append(ReadProblem("unknown-winning-tile", message))
        unknown = [name for name in outcome.depends_on if name in _UNKNOWN]
        if unknown:
            listed = " and ".join(_UNKNOWN[name] for name in unknown)
            message = f"The total depends on what a photo can't show: {listed} (it is {spread})."
            places = (
                [i for number in laid.open_kongs for i in self._meld_places(laid, number)]
                if KONG_KIND in unknown
                else []
            )
            problems.append(ReadProblem("unknown-context", message, tuple(self.ids[i] for i in places)))
        return outcome, problems

    def _meld_places(self, laid: Laid, number: int) -> tuple[int, ...]:
        start = len(laid.hand.concealed) + (laid.hand.winning_tile is not None)
        start += sum(len(meld.tiles) for meld in laid.hand.melds[:number])
        return laid.indices[start : start + len(laid.hand.melds[number].tiles)]

    def _confidence(self, outcome: Outcome, names: Mapping[int, str], kinds: Mapping[int, str]) -> float:
        """Probability that the total is right in the context used, over all hypotheses."""
        total = outcome.score.total
        verdict = self.verdicts[0]
        raw = 0.0
        for hypothesis, share in verdict.weighed[:WEIGHED]:
            if not hypothesis.win or share < 1e-3:
                continue
            own = {i: TILE_CLASSES[name] for i, name in hypothesis.names.items()}
            try:
                worth = (
                    outcome
                    if hypothesis is verdict.best
                    else evaluate(lay(hypothesis, own, self.circumstances, kinds), self.circumstances)
                )
            except HandError:
                continue
            raw += share * worth.totals.get(total, 0.0)
        points = self.sighting.calibration
        return float(np.interp(raw, [point[0] for point in points], [point[1] for point in points]))

    def _several(self, laid: Sequence[Laid]) -> ReadProblem:
        others = [self.ids[i] for each in laid[1:] for i in each.indices]
        message = f"There are {len(laid)} complete hands in this picture; the first one is scored."
        return ReadProblem("several-hands", message, tuple(others))

    def _hand(self, number: int, laid: Laid, sure: Mapping[int, float]) -> ReadHand:
        verdict = self.verdicts[number]
        melds = []
        for place, meld in enumerate(laid.hand.melds):
            members = self._meld_places(laid, place)
            together = sum(
                share
                for hypothesis, share in verdict.weighed
                if any(set(indices) == set(members) for _, indices in hypothesis.melds)
            )
            confidence = together * math.prod(sure[i] for i in members)
            if place in laid.open_kongs:
                confidence *= MELDED
            melds.append(
                ReadMeld(
                    meld.kind,
                    meld.tiles,
                    tuple(self.ids[i] for i in members),
                    _around([self.tiles[i].box for i in members]),
                    confidence,
                )
            )
        return ReadHand(laid.hand, tuple(self.ids[i] for i in laid.indices), tuple(melds))

    def _roles(self, number: int) -> dict[int, dict[Role, float]]:
        """Every tile's roles with their probabilities by one hand's hypotheses."""
        roles: dict[int, dict[Role, float]] = {i: defaultdict(float) for i in range(len(self.tiles))}
        for hypothesis, share in self.verdicts[number].weighed:
            placed: dict[int, Role] = {
                i: _ROLES[piece.kind] for piece in hypothesis.arrangement.pieces for i in piece.all_indices
            }
            for i in roles:
                roles[i][placed.get(i, "elsewhere")] += share
        return roles

    def _tiles(
        self,
        names: Mapping[int, str],
        sure: Mapping[int, float],
        laid: Sequence[Laid],
        outcome: Outcome | None,
        problems: Sequence[ReadProblem],
    ) -> list[ReadTile]:
        conflicts = {
            number
            for problem in problems
            if problem.code in ("fifth-copy", "twice-a-flower", "not-a-meld")
            for number in problem.tiles
        }
        owner: dict[int, tuple[int, Role, int | None]] = {}
        open_kongs: set[int] = set()
        for number, each in enumerate(laid):
            places = each.indices
            standing = len(each.hand.concealed)
            known = each.hand.winning_tile is not None
            for i in places[:standing]:
                owner[i] = (number, "concealed", None)
            if known:
                owner[places[standing]] = (number, "winning", None)
            for meld in range(len(each.hand.melds)):
                for i in self._meld_places(each, meld):
                    owner[i] = (number, "meld", meld)
                    if (
                        number == 0
                        and meld in each.open_kongs
                        and outcome
                        and KONG_KIND in outcome.depends_on
                    ):
                        open_kongs.add(i)
            for i in self.verdicts[number].best.flowers:
                owner[i] = (number, "flower", None)
        roles = [self._roles(number) for number in range(len(self.verdicts))]
        tiles = []
        for i, tile in enumerate(self.tiles):
            hand, role, meld = owner.get(i, (None, "elsewhere", None))
            chances = roles[hand or 0][i] if roles else {"elsewhere": 1.0}
            pin = self.pins.get(i)
            told = pin is not None and pin.role is not None
            role_confidence = 1.0 if told else min(1.0, chances.get(role, 0.0))
            if hand is not None and role in ("concealed", "winning"):
                # A person's word on which tile won moves it between these two.
                role_confidence = (
                    1.0
                    if told
                    else max(
                        role_confidence,
                        chances.get("concealed", 0.0) + chances.get("winning", 0.0)
                        if self.circumstances.winning_tile is not None
                        else 0.0,
                    )
                )
            named = pin is not None and pin.tile is not None
            seen = self._seen(i)
            confidence = 1.0 if named else min(1.0, sure[i])
            flag: Flag | None = None
            if self.ids[i] in conflicts:
                flag = "conflict"
            elif hand is not None and names[i] not in (seen, UNKNOWN) and not named:
                flag = "inferred"
            elif hand is not None and (confidence < SURE_NAME or names[i] == UNKNOWN) and not named:
                flag = "low-confidence"
            elif not told and (role_confidence < SURE_ROLE or (i in open_kongs)):
                flag = "role"
            tiles.append(
                ReadTile(
                    id=self.ids[i],
                    tile=names[i],
                    confidence=confidence,
                    box=tile.box,
                    role=role,
                    role_confidence=role_confidence,
                    meld=meld,
                    alternatives=() if named else self._alternatives(i, names[i]),
                    role_alternatives=tuple(
                        sorted(
                            (
                                (other, share)
                                for other, share in chances.items()
                                if other != role and share >= 0.01
                            ),
                            key=lambda item: -item[1],
                        )
                    )
                    if not told
                    else (),
                    seen=seen,
                    flag=flag,
                    hand=hand,
                )
            )
        return tiles

    def _seen(self, i: int) -> str:
        """What the detector itself read; `?` for a tile that a person added."""
        number = self.ids[i]
        if number >= len(self.sighting.tiles):
            return UNKNOWN
        tile = self.sighting.tiles[number]
        return tile.best if float(tile.probabilities.max()) >= UNREADABLE else UNKNOWN

    def _alternatives(self, i: int, name: str) -> tuple[tuple[str, float], ...]:
        order = np.argsort(-self.logs[i])[:5]
        return tuple(
            (TILE_CLASSES[int(index)], float(np.exp(self.logs[i, index])))
            for index in order
            if TILE_CLASSES[int(index)] != name and self.logs[i, index] > math.log(0.005)
        )


_UNKNOWN = {
    "self_draw": "whether the tile was drawn or discarded",
    "seat_wind": "the seat wind",
    "prevalent_wind": "the prevalent wind",
    KONG_KIND: "whether a kong lying face up was concealed (melded is assumed)",
}
"""What `depends_on` names, in words."""


def _sentence(message: str) -> str:
    """A message as a sentence of its own."""
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "?", "!")) else ".")


def _around(boxes: Sequence[Box]) -> Box:
    sides = np.array(boxes, dtype=float)
    x0, y0 = sides[:, :2].min(axis=0)
    x1, y1 = sides[:, 2:].max(axis=0)
    return (float(x0), float(y0), float(x1), float(y1))
