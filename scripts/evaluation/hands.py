"""How well finished hands are read: `evaluate.py hands (--photos DIR | --scenes DIR | --frames DIR)`.

--photos: a folder with `hands.json`, `totals.json`, `images/` and `labels/`; `kong` there is either
kind, and an `alternatives` entry counts as right where the reading flags something.
--scenes: rendered scenes (`images/`, `json/`). --frames: labelled photos whose roles are labelled.
--from-labels takes the true boxes and names instead of the detector's, to judge layout and rules alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from fanlens.datasets.real.photos import read_photos
from fanlens.scoring import Context, HandError, hand_from_json, score
from fanlens.vision import Reader
from fanlens.vision.boxes import TILE_CLASSES, Box, MeldBox, TileBox
from fanlens.vision.reading import Circumstances, ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand

SURE = 0.995
"""How sure a detector that reads the labels is of each name."""
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001)
COVERAGES = (1.0, 0.9, 0.8, 0.6, 0.4)
WINDS = frozenset(("self_draw", "seat_wind", "prevalent_wind"))


@dataclass(frozen=True)
class Case:
    """One picture with its truth.

    hands: readings of the hand that count as right, the first one exactly, the others if flagged;
        None where the tiles are no finished hand. totals: circumstances and the total in them.
    roles: role of each true box, where labelled.
    """

    name: str
    path: Path
    boxes: Sequence[TileBox]
    melds: Sequence[MeldBox]
    size: tuple[int, int]
    hands: Sequence[dict[str, Any]] | None
    totals: Sequence[tuple[Circumstances, int]] = ()
    roles: Sequence[tuple[Box, str]] = ()


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
        cases: Iterator[Case] = _photos(options.photos)
    elif options.scenes:
        cases = _scenes(options.scenes)
    else:
        cases = _frames(options.frames, options.part)
    counts = Counts()
    for number, case in enumerate(cases):
        if options.limit is not None and number >= options.limit:
            break
        _count(case, _sighting(case, reader), counts, options.spoil)
    print(_report(counts))


# --- the truth -----------------------------------------------------------------------------------


def _photos(folder: Path) -> Iterator[Case]:
    hands = json.loads((folder / "hands.json").read_text(encoding="utf-8"))
    totals = json.loads((folder / "totals.json").read_text(encoding="utf-8"))
    for photo in read_photos(folder, "hands", corrected=False):
        truth = hands[photo.name]
        expected = []
        for tile, ways in totals[photo.name]["by_winning_tile"].items():
            for way, worth in ways.items():
                context = Context(self_draw=way == "self_draw", seat_wind="E", prevalent_wind="E")
                stated = None if truth["winning_tile"] else tile
                expected.append((Circumstances(context, WINDS, stated), int(worth["total"])))
        boxes = [_true_box(label.box, label.tile) for label in photo.corrected.labels]
        others = [{"flowers": truth["flowers"], **other} for other in truth["alternatives"]]
        yield Case(photo.name, photo.path, boxes, (), photo.size, [truth, *others], expected)


def _scenes(folder: Path) -> Iterator[Case]:
    for path in sorted((folder / "json").glob("*.json")):
        scene = json.loads(path.read_text(encoding="utf-8"))
        if scene["hand"] is None or not scene["all_visible"]:
            continue
        hand = scene["hand"]
        boxes = [_true_box(tile["box"], tile["tile"], tile["corners"], tile["up"]) for tile in scene["tiles"]]
        melds = [MeldBox(tuple(meld["box"]), 0.9) for meld in scene["melds"]]
        expected = []
        legal = True
        if hand["winning_tile"] is not None and not any("?" in meld["tiles"] for meld in hand["melds"]):
            try:
                total = score(hand_from_json(hand)).total
                expected = [(Circumstances(stated=WINDS), total)]
            except HandError:
                legal = False
        roles = [
            (tuple(tile["box"]), tile["role"] if tile["hand"] else "elsewhere") for tile in scene["tiles"]
        ]
        yield Case(
            path.stem,
            folder / scene["image"],
            boxes,
            melds,
            (scene["width"], scene["height"]),
            [hand] if legal and scene["kind"] != "broken" else None,
            expected,
            roles,
        )


def _frames(folder: Path, part: str) -> Iterator[Case]:
    for photo in read_photos(folder, part):
        if not photo.roles:
            continue
        labels = photo.corrected.labels
        box_of = {label.number: label.box for label in labels}
        boxes = [_true_box(label.box, label.tile) for label in labels]
        melds = [
            MeldBox(_around([box_of[number] for number in group]), 0.9) for group in photo.corrected.melds
        ]
        roles = [(box_of[number], role) for number, (role, _) in photo.roles.items() if number in box_of]
        yield Case(photo.name, photo.path, boxes, melds, photo.size, [], (), roles)


def _around(boxes: Sequence[Box]) -> Box:
    sides = np.array(boxes, dtype=float)
    x0, y0 = (float(side) for side in sides[:, :2].min(axis=0))
    x1, y1 = (float(side) for side in sides[:, 2:].max(axis=0))
    return (x0, y0, x1, y1)


def _true_box(box: Sequence[float], name: str, corners: Any = None, up: float | None = None) -> TileBox:
    x0, y0, x1, y1 = (float(side) for side in box)
    probabilities = np.full(len(TILE_CLASSES), (1 - SURE) / (len(TILE_CLASSES) - 1), dtype=np.float32)
    probabilities[TILE_CLASSES.index(name)] = SURE
    outline = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]] if corners is None else corners
    sure = 0.0 if up is None else 0.95
    return TileBox((x0, y0, x1, y1), probabilities, 0.99, np.array(outline, dtype=np.float32), up, sure)


def _sighting(case: Case, reader: Reader | None) -> Sighting:
    if reader is not None:
        return reader.read(case.path).sighting
    image = ImageInfo(str(case.path), *case.size)
    return Sighting(image, ModelInfo("labels", ""), tuple(case.boxes), tuple(case.melds))


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
    wrong_total = False
    for circumstances, total in case.totals:
        again = read_hand(sighting, circumstances)
        is_right = again.score is not None and again.score.score.total == total
        counts.add("totals", is_right)
        counts.valid.append((again.confidence, is_right))
        wrong_total = wrong_total or not is_right
        if not is_right and again.score is not None:
            counts.add("wrong totals that carry a flag", any(tile.flag for tile in again.tiles))
    if not (tiles and hand) or wrong_total:
        counts.add("wrong hands that carry a flag", flagged or bool(reading.problems and not reading.score))
        codes = ", ".join(problem.code for problem in reading.problems)
        counts.lines.append(
            f"  {case.name}: {_shown(reading)} ({'flagged' if flagged else 'NO FLAG'}; {codes})"
        )
    if spoil and len(sighting.tiles) > 1:
        _spoil(sighting, reading, counts)


def _spoil(sighting: Sighting, reading: Reading, counts: Counts) -> None:
    """The same hand with one concealed tile gone is no win; it must not become one."""
    concealed = [tile.id for tile in reading.tiles if tile.role == "concealed"]
    if not concealed:
        return
    gone = concealed[len(concealed) // 2]
    rest = tuple(tile for number, tile in enumerate(sighting.tiles) if number != gone)
    spoiled = read_hand(Sighting(sighting.image, sighting.model, rest, sighting.melds, sighting.calibration))
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
        lines += [
            "",
            f"confidence of totals, {len(counts.valid)} of wins and {len(counts.invalid)} of no wins:",
        ]
        lines += _reliability(answers)
        lines += _risk(answers)
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
