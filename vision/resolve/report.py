"""The verdicts turned into a `Reading`: names, roles, worth, problems, and a flag on what is doubtful."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...scoring import HandError, explain
from ..boxes import TILE_CLASSES, Box, TileBox
from ..corrections import UNKNOWN, Correction
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
from .doubts import CONFLICTS, Doubts, beside_the_hand, contested
from .outcome import KONG_KIND, MELDED, Laid, Outcome, evaluate, lay
from .pins import ROLES
from .verdict import Verdict

UNREADABLE = 0.4
"""Below this probability of its likeliest name a tile is `?`."""

SETTLED = 0.98
"""From this probability on, a tile is of the hand or is not; any other may be the one too few or too many."""

WEIGHED = 6
"""How many hypotheses' totals are worked out for the confidence."""

_COUNTED = frozenset(("too-few", "too-many"))

_IN_WORDS = {
    "self_draw": "whether the tile was drawn or discarded",
    "seat_wind": "the seat wind",
    "prevalent_wind": "the prevalent wind",
    KONG_KIND: "whether a kong lying face up was concealed (melded is assumed)",
}
"""What `depends_on` names, beside the winning tile."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tile belongs: number of the hand, role, number of the meld."""

    hand: int
    role: Role
    meld: int | None = None


@dataclass(frozen=True)
class Report:
    """Everything known about a picture; `reading` puts it into words.

    tiles: those that lie in the picture, corrected ones certain. ids: their ids, in the same order.
    logs: log of their class probabilities, shape (n, 43). pins: corrections by place in `tiles`.
    verdicts: the hands found, the scored one first.
    """

    sighting: Sighting
    circumstances: Circumstances
    corrections: tuple[Correction, ...]
    tiles: Sequence[TileBox]
    ids: Sequence[int]
    logs: NDArray[np.float64]
    pins: Mapping[int, Correction]
    verdicts: Sequence[Verdict]

    def reading(self) -> Reading:
        """The reading."""
        names, sure = self._names()
        kinds = {place: pin.kind for place, pin in self.pins.items() if pin.kind is not None}
        laid = [
            lay(verdict.best, names, self.circumstances if number == 0 else Circumstances(), kinds)
            for number, verdict in enumerate(self.verdicts)
        ]
        outcome: Outcome | None = None
        confidence = 0.0
        if not self.tiles:
            problems = [ReadProblem("no-tiles", "There are no tiles in this picture.")]
        elif not laid:
            message = "No tiles in this picture lie side by side as a hand."
            problems = [ReadProblem("too-few", message, tuple(self.ids))]
        else:
            outcome, problems = self._worth(laid[0])
            if outcome is not None:
                confidence = self._confidence(outcome, kinds)
        if len(laid) > 1:
            message = f"There are {len(laid)} complete hands in this picture; the first one is scored."
            others = tuple(self.ids[i] for each in laid[1:] for i in each.indices)
            problems.append(ReadProblem("several-hands", message, others))
        return Reading(
            sighting=self.sighting,
            circumstances=self.circumstances,
            tiles=self._read_tiles(names, sure, laid, outcome, problems),
            hands=tuple(self._hand(number, each, sure) for number, each in enumerate(laid)),
            score=None if outcome is None else self._score(outcome),
            problems=tuple(problems),
            confidence=confidence,
            corrections=self.corrections,
        )

    def _names(self) -> tuple[dict[int, str], dict[int, float]]:
        """Every tile's name and the probability that it is right, given all hypotheses."""
        chosen = {i: int(self.logs[i].argmax()) for i in range(len(self.tiles))}
        sure = {i: float(np.exp(self.logs[i].max())) for i in chosen}
        for verdict in self.verdicts:
            for i, name in verdict.best.names.items():
                chosen[i] = name
                seen = float(np.exp(self.logs[i, name]))
                sure[i] = sum(
                    share * (seen if (chance := hypothesis.chance(i, name)) is None else chance)
                    for hypothesis, share in verdict.weighed
                )
        names = {}
        # A flower is worth its point whichever it is.
        flowers = {i for verdict in self.verdicts for i in verdict.best.flowers}
        for i, index in chosen.items():
            unknown = (sure[i] < UNREADABLE and i not in flowers) or (
                i in self.pins and self.pins[i].tile == UNKNOWN
            )
            names[i] = UNKNOWN if unknown else TILE_CLASSES[index]
        return names, sure

    # --- worth ---------------------------------------------------------------------------------

    def _worth(self, laid: Laid) -> tuple[Outcome | None, list[ReadProblem]]:
        """The first hand's outcome, or why it has none; and what isn't known about it."""
        problems = [
            ReadProblem(
                problem.code,
                _sentence(problem.message),
                tuple(self.ids[laid.indices[at]] for at in problem.tiles)
                or (self._unsettled() if problem.code in _COUNTED else ()),
            )
            for problem in explain(laid.hand)
        ]
        stated = self.circumstances.winning_tile
        if stated is not None and laid.hand.winning_tile != stated:
            message = f"The winning tile {stated} that was given is not among the tiles of this hand."
            problems.append(ReadProblem("unknown-winning-tile", message))
        if problems:
            return None, problems
        try:
            outcome = evaluate(laid, self.circumstances)
        except HandError as error:
            return None, [ReadProblem(error.code, _sentence(str(error)))]
        return outcome, self._unknowns(laid, outcome)

    def _unsettled(self) -> tuple[int, ...]:
        """Ids of the tiles that may belong to the first hand or not."""
        chances = self._role_chances(self.verdicts[0])
        return tuple(
            number
            for number, chance in zip(self.ids, chances, strict=True)
            if 1 - SETTLED < chance.get("elsewhere", 0.0) < SETTLED
        )

    def _unknowns(self, laid: Laid, outcome: Outcome) -> list[ReadProblem]:
        """What isn't known about a finished hand, and how much of the total hangs on it."""
        low, high = outcome.low, outcome.high
        spread = f"from {low} to {high}" if low < high else f"{low} either way"
        problems = []
        if laid.hand.winning_tile is None:
            assumed = outcome.score.hand.winning_tile
            message = f"Nothing shows which tile won; {assumed} is assumed (the total is {spread})."
            problems.append(ReadProblem("unknown-winning-tile", message))
        unknown = [name for name in outcome.depends_on if name in _IN_WORDS]
        if unknown:
            listed = " and ".join(_IN_WORDS[name] for name in unknown)
            message = f"The total depends on what a photo can't show: {listed} (it is {spread})."
            kongs = laid.open_kongs if KONG_KIND in unknown else ()
            tiles = tuple(self.ids[i] for number in kongs for i in laid.meld_indices(number))
            problems.append(ReadProblem("unknown-context", message, tiles))
        return problems

    def _score(self, outcome: Outcome) -> ReadScore:
        ids = tuple(self.ids[i] for i in outcome.laid.indices)
        return ReadScore(outcome.score, ids, outcome.low, outcome.high, outcome.depends_on)

    def _confidence(self, outcome: Outcome, kinds: Mapping[int, str]) -> float:
        """Probability that the total is right in the context used, over all hypotheses."""
        verdict = self.verdicts[0]
        raw = 0.0
        for hypothesis, share in verdict.weighed[:WEIGHED]:
            if not hypothesis.win or share < 1e-3:
                continue
            names = {i: TILE_CLASSES[name] for i, name in hypothesis.names.items()}
            try:
                worth = (
                    outcome
                    if hypothesis is verdict.best
                    else evaluate(lay(hypothesis, names, self.circumstances, kinds), self.circumstances)
                )
            except HandError:
                continue
            raw += share * worth.totals.get(outcome.score.total, 0.0)
        points = self.sighting.calibration
        return float(np.interp(raw, [point[0] for point in points], [point[1] for point in points]))

    def _hand(self, number: int, laid: Laid, sure: Mapping[int, float]) -> ReadHand:
        melds = []
        for place, meld in enumerate(laid.hand.melds):
            members = laid.meld_indices(place)
            together = sum(
                share
                for hypothesis, share in self.verdicts[number].weighed
                if any(set(indices) == set(members) for _, indices in hypothesis.melds)
            )
            kind = MELDED if place in laid.open_kongs else 1.0
            melds.append(
                ReadMeld(
                    meld.kind,
                    meld.tiles,
                    tuple(self.ids[i] for i in members),
                    _around([self.tiles[i].box for i in members]),
                    together * kind * math.prod(sure[i] for i in set(members)),
                )
            )
        return ReadHand(laid.hand, tuple(self.ids[i] for i in laid.indices), tuple(melds))

    # --- tiles ---------------------------------------------------------------------------------

    def _read_tiles(
        self,
        names: Mapping[int, str],
        sure: Mapping[int, float],
        laid: Sequence[Laid],
        outcome: Outcome | None,
        problems: Sequence[ReadProblem],
    ) -> tuple[ReadTile, ...]:
        places = self._places(laid)
        doubts = self._doubts(places, laid, outcome, problems)
        chances = [self._role_chances(verdict) for verdict in self.verdicts]
        tiles = []
        for i, tile in enumerate(self.tiles):
            place = places.get(i)
            role: Role = place.role if place else "elsewhere"
            roles = dict(chances[place.hand if place else 0][i]) if chances else {role: 1.0}
            pin = self.pins.get(i)
            named = pin is not None and pin.tile is not None
            if pin is not None and pin.role is not None:
                roles = {role: 1.0}
            elif self.circumstances.winning_tile is not None and role in ("concealed", "winning"):
                # A person's word on which tile won settles it between these two.
                roles[role] = roles.pop("concealed", 0.0) + roles.pop("winning", 0.0)
            confidence = 1.0 if named else min(1.0, sure[i])
            role_confidence = min(1.0, roles.get(role, 0.0))
            seen = self._seen(i)
            name_flag = None if named else doubts.of_name(i, names[i], seen, confidence)
            role_flag = doubts.of_role(i, role, roles) if pin is None or pin.role is None else None
            flag = "conflict" if i in doubts.conflicting else name_flag or role_flag
            others = [(other, share) for other, share in roles.items() if other != role and share >= 0.01]
            tiles.append(
                ReadTile(
                    id=self.ids[i],
                    tile=names[i],
                    confidence=confidence,
                    box=tile.box,
                    role=role,
                    role_confidence=role_confidence,
                    meld=place.meld if place else None,
                    alternatives=() if named else self._alternatives(i, names[i], flag),
                    role_alternatives=tuple(sorted(others, key=lambda item: -item[1])),
                    seen=seen,
                    flag=flag,
                    hand=place.hand if place else None,
                )
            )
        return tuple(tiles)

    def _doubts(
        self,
        places: Mapping[int, _Place],
        laid: Sequence[Laid],
        outcome: Outcome | None,
        problems: Sequence[ReadProblem],
    ) -> Doubts:
        ids = {tile for problem in problems if problem.code in CONFLICTS for tile in problem.tiles}
        open_kongs: set[int] = set()
        if outcome is not None and KONG_KIND in outcome.depends_on:
            open_kongs.update(i for number in laid[0].open_kongs for i in laid[0].meld_indices(number))
        return Doubts(
            hand=frozenset(places),
            conflicting=frozenset(i for i, number in enumerate(self.ids) if number in ids),
            contested=frozenset(i for each in self.verdicts for i in contested(each.best, self.logs)),
            beside=beside_the_hand(self.tiles, places),
            open_kongs=frozenset(open_kongs),
            partial=frozenset(self._partial(laid)),
        )

    def _partial(self, laid: Sequence[Laid]) -> Iterator[int]:
        """The tiles of kongs of which one wasn't found, unless a person said so."""
        for each in laid:
            for number in range(len(each.hand.melds)):
                members = each.meld_indices(number)
                said = any(i in self.pins and self.pins[i].kind is not None for i in members)
                if len(set(members)) < len(members) and not said:
                    yield from members

    def _places(self, laid: Sequence[Laid]) -> dict[int, _Place]:
        """Where each tile of a hand belongs; tiles elsewhere are left out."""
        places: dict[int, _Place] = {}
        for number, each in enumerate(laid):
            standing = len(each.hand.concealed)
            for i in each.indices[:standing]:
                places[i] = _Place(number, "concealed")
            if each.hand.winning_tile is not None:
                places[each.indices[standing]] = _Place(number, "winning")
            for meld in range(len(each.hand.melds)):
                for i in each.meld_indices(meld):
                    places[i] = _Place(number, "meld", meld)
            for i in self.verdicts[number].best.flowers:
                places[i] = _Place(number, "flower")
        return places

    def _role_chances(self, verdict: Verdict) -> list[dict[Role, float]]:
        """Every tile's roles with their probabilities, by one hand's hypotheses."""
        chances: list[dict[Role, float]] = [defaultdict(float) for _ in self.tiles]
        for hypothesis, share in verdict.weighed:
            roles: dict[int, Role] = {
                i: ROLES[piece.kind] for piece in hypothesis.arrangement.pieces for i in piece.all_indices
            }
            for i, chance in enumerate(chances):
                chance[roles.get(i, "elsewhere")] += share
        return chances

    def _seen(self, i: int) -> str:
        """What the detector itself read; `?` for a tile that a person added."""
        number = self.ids[i]
        if number >= len(self.sighting.tiles):
            return UNKNOWN
        tile = self.sighting.tiles[number]
        return tile.best if float(tile.probabilities.max()) >= UNREADABLE else UNKNOWN

    def _alternatives(self, i: int, name: str, flag: Flag | None) -> tuple[tuple[str, float], ...]:
        """Other names that are worth offering, likeliest first; some for every doubtful name."""
        others = [int(index) for index in np.argsort(-self.logs[i]) if TILE_CLASSES[index] != name]
        always = 0 if flag in (None, "role") else 3
        return tuple(
            (TILE_CLASSES[index], float(np.exp(self.logs[i, index])))
            for place, index in enumerate(others[:5])
            if place < always or self.logs[i, index] > math.log(0.005)
        )


def _sentence(message: str) -> str:
    """A message as a sentence of its own."""
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "?", "!")) else ".")


def _around(boxes: Sequence[Box]) -> Box:
    sides = np.array(boxes, dtype=float)
    x0, y0 = (float(side) for side in sides[:, :2].min(axis=0))
    x1, y1 = (float(side) for side in sides[:, 2:].max(axis=0))
    return (x0, y0, x1, y1)
