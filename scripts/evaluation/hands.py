"""How well finished hands are read: `evaluate.py hands (--photos DIR | --scenes DIR | --frames DIR)`.

--photos: a folder with `hands.json`, `totals.json`, `images/` and `labels/`; `kong` there is either
kind, and an `alternatives` entry counts as right where the reading flags something.
--scenes: rendered scenes (`images/`, `json/`). --frames: labelled photos whose roles are labelled.
--from-labels takes the true boxes and names instead of the detector's, to judge layout and rules alone.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from fanlens.vision import Reader
from fanlens.vision.boxes import Box
from fanlens.vision.reading import Reading, Sighting
from fanlens.vision.resolve import read_hand

from .cases import Case, frames, photos, scenes, sighting_of
from .places import pointed_at, wrong_places

POINTED_HANDS = "wrong hands whose every wrong place is pointed at"
POINTED_TOTALS = "wrong totals given whose every wrong place is pointed at"
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001)
COVERAGES = (1.0, 0.9, 0.8, 0.6, 0.4)


@dataclass
class Counts:
    """Right and all, by what is counted; every answer's confidence with whether its total was right."""

    right: Counter[str] = field(default_factory=Counter)
    all: Counter[str] = field(default_factory=Counter)
    valid: list[tuple[float, bool]] = field(default_factory=list)
    invalid: list[tuple[float, bool]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def add(self, what: str, is_right: bool) -> bool:
        self.all[what] += 1
        self.right[what] += is_right
        return is_right


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--photos", type=Path, help="finished hands with hands.json and totals.json")
    source.add_argument("--scenes", type=Path, help="rendered scenes with images/ and json/")
    source.add_argument("--frames", type=Path, help="labelled photos; those with labelled roles are taken")
    parser.add_argument("--part", default="val", help="part of --frames (default: val)")
    parser.add_argument("--from-labels", action="store_true", help="true boxes and names, no detector")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument("--limit", type=int, help="only the first so many")
    parser.add_argument("--spoil", action="store_true", help="also read each hand with a tile taken away")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    reader = None if options.from_labels else Reader(options.model)
    if options.photos:
        found: Iterator[Case] = photos(options.photos)
    elif options.scenes:
        found = scenes(options.scenes)
    else:
        found = frames(options.frames, options.part)
    counts = Counts()
    for number, case in enumerate(found):
        if options.limit is not None and number >= options.limit:
            break
        _count(case, sighting_of(case, reader), counts, options.spoil)
    print(_report(counts))


# --- counting ------------------------------------------------------------------------------------


def _count(case: Case, sighting: Sighting, counts: Counts, spoil: bool) -> None:
    reading = read_hand(sighting)
    flagged = any(tile.flag for tile in reading.tiles)
    for box, role in case.roles:
        found = max(reading.tiles, key=lambda tile: _overlap(tile.box, box), default=None)
        known = found is not None and _overlap(found.box, box) > 0.4
        is_right = known and found is not None and found.role == role
        counts.add("roles of tiles", is_right)
        if case.hands is not None and not case.hands and not is_right:
            seen_as = found.role if known and found is not None else "missed"
            counts.lines.append(
                f"  {case.name[-24:]}: {role} {found.tile if found else ''} seen as {seen_as}"
            )
    if case.hands is None:
        false_win = reading.score is not None
        counts.add("no win left as none", not false_win)
        counts.invalid.append((reading.confidence, False))
        return
    if not case.hands:
        return
    truth = case.hands[0]
    kept = any(_same(reading, other) for other in case.hands[1:]) and flagged
    tiles = counts.add("tiles of the hand", _tiles(reading) == _true_tiles(truth))
    hand = counts.add("hands (roles, melds, flowers)", _same(reading, truth) or kept)
    if truth["winning_tile"] is not None:
        seen = reading.hand.winning_tile if reading.hand else None
        counts.add("winning tiles shown", seen == truth["winning_tile"])
    places = wrong_places(reading, case.tiles, case.groups)
    totals_right = True
    for circumstances, total in case.totals:
        again = read_hand(sighting, circumstances)
        is_right = again.score is not None and again.score.score.total == total
        totals_right = totals_right and is_right
        counts.add("totals", is_right)
        counts.valid.append((again.confidence, is_right))
        if not is_right and again.score is not None:
            # The wrong places of the hand as read in these circumstances: a stated tile moves roles.
            counts.add("wrong totals given with a flag anywhere", any(tile.flag for tile in again.tiles))
            counts.add(POINTED_TOTALS, bool(places) and all(place.pointed for place in places))
    if tiles and hand and totals_right:
        counts.add("right hands without any flag", not flagged)
    else:
        told = bool(places) and all(place.pointed for place in places)
        anything = bool(pointed_at(reading)) or not reading.score
        counts.add("wrong hands with a flag or a problem anywhere", anything)
        counts.add(POINTED_HANDS, told)
        codes = ", ".join(problem.code for problem in reading.problems)
        where = ", ".join(
            f"{place.tile} {place.what}{'' if place.pointed else ' (NOT POINTED AT)'}" for place in places
        )
        counts.lines.append(f"  {case.name}: {_shown(reading)} ({codes}): {where or 'NOTHING FOUND WRONG'}")
    if spoil and len(sighting.tiles) > 1:
        _spoil(sighting, reading, counts)


def _spoil(sighting: Sighting, reading: Reading, counts: Counts) -> None:
    """The same hand with one concealed tile gone is no win; it must not become one."""
    concealed = [tile.id for tile in reading.tiles if tile.role == "concealed"]
    if not concealed:
        return
    gone = concealed[len(concealed) // 2]
    rest = [tile for number, tile in enumerate(sighting.tiles) if number != gone]
    spoiled = read_hand(sighting.of(rest))
    counts.add("a tile gone: no win left as none", spoiled.score is None)
    counts.invalid.append((spoiled.confidence, False))


def _kind(kind: str) -> str:
    return "kong" if "kong" in kind else kind


def _same(reading: Reading, truth: dict[str, Any]) -> bool:
    """Whether concealed tiles, winning tile, melds and flowers agree; kongs of either kind are one."""
    hand = reading.hand
    if hand is None:
        return False
    melds = sorted((_kind(meld.kind), sorted(meld.tiles)) for meld in hand.melds)
    expected = sorted((_kind(meld["kind"]), sorted(meld["tiles"])) for meld in truth["melds"])
    return (
        sorted(hand.concealed) == sorted(truth["concealed"])
        and hand.winning_tile == truth["winning_tile"]
        and melds == expected
        and sorted(hand.flowers) == sorted(truth["flowers"])
    )


def _tiles(reading: Reading) -> list[str]:
    return sorted(reading.hand.tiles) if reading.hand else []


def _true_tiles(truth: dict[str, Any]) -> list[str]:
    winning = [truth["winning_tile"]] if truth["winning_tile"] else []
    melded = [name for meld in truth["melds"] for name in meld["tiles"]]
    return sorted([*truth["concealed"], *winning, *melded, *truth["flowers"]])


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return shared / (areas - shared)


def _shown(reading: Reading) -> str:
    if reading.hand is None:
        return "no hand"
    melds = " ".join(f"[{''.join(meld.tiles)}]" for meld in reading.hand.melds)
    winning = f" + {reading.hand.winning_tile}" if reading.hand.winning_tile else ""
    return f"{melds} {' '.join(reading.hand.concealed)}{winning} {' '.join(reading.hand.flowers)}".strip()


# --- the report ----------------------------------------------------------------------------------


def _report(counts: Counts) -> str:
    lines = [f"{what}: {counts.right[what]} of {every}" for what, every in counts.all.items()]
    if counts.lines:
        lines += ["wrong:", *counts.lines]
    answers = counts.valid + counts.invalid
    if answers:
        # Where no total is given, none is wrong: calibration is judged on those given.
        given = [answer for answer in answers if answer[0] > 0]
        false_wins = sum(confidence > 0 for confidence, _ in counts.invalid)
        lines += [
            "",
            f"totals given: {len(given) - false_wins} of {len(counts.valid)} for wins, "
            f"{false_wins} of {len(counts.invalid)} for no wins; how sure, and how often right:",
            *_reliability(given),
            f"risk and coverage, all {len(answers)} answers (no total counts as not right):",
            *_risk(answers),
        ]
    return "\n".join(lines)


def _reliability(answers: Sequence[tuple[float, bool]]) -> list[str]:
    """How often totals given with a confidence are right, and the mean gap between the two."""
    lines = []
    error = 0.0
    for low, high in pairwise(BINS):
        own = [(confidence, is_right) for confidence, is_right in answers if low <= confidence < high]
        if own:
            mean = sum(confidence for confidence, _ in own) / len(own)
            share = sum(is_right for _, is_right in own) / len(own)
            error += abs(mean - share) * len(own) / len(answers)
            lines.append(f"  said {mean:.3f}: right {share:.3f} of {len(own)}")
    return [*lines, f"  expected calibration error {error:.3f}"]


def _risk(answers: Sequence[tuple[float, bool]]) -> list[str]:
    """The share of wrong totals among the surest ones."""
    ordered = sorted(answers, key=lambda answer: -answer[0])
    lines = []
    for coverage in COVERAGES:
        surest = ordered[: max(1, round(coverage * len(ordered)))]
        wrong = sum(not is_right for _, is_right in surest)
        lines.append(f"  surest {coverage:.0%}: {wrong} of {len(surest)} not right")
    return lines
