"""Pictures with their truth: photos of finished hands, rendered scenes, frames with labelled roles.

Each gives `Case`s for `evaluate.py hands` and for the fitting of the totals' confidence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fanlens.datasets.real.photos import read_photos
from fanlens.scoring import Context, HandError, hand_from_json, score
from fanlens.vision import Reader
from fanlens.vision.boxes import TILE_CLASSES, Box, MeldBox, TileBox
from fanlens.vision.reading import Circumstances, ImageInfo, ModelInfo, Sighting

from .places import TrueMeld, TrueTile

OPEN_KONG = "open concealed kong"
SURE = 0.995
"""How sure a detector that reads the labels is of each name."""
WINDS = frozenset(("self_draw", "seat_wind", "prevalent_wind"))


@dataclass(frozen=True)
class Case:
    """One picture with its truth.

    hands: readings of the hand that count as right, the first one exactly, the others if flagged;
        None where the tiles are no finished hand. totals: circumstances and the total in them.
    roles: role of each true box, where labelled.
    tiles, groups: the tiles and the hand's melds to hold a reading against, where the hand is known.
    """

    name: str
    path: Path
    boxes: Sequence[TileBox]
    melds: Sequence[MeldBox]
    size: tuple[int, int]
    hands: Sequence[dict[str, Any]] | None
    totals: Sequence[tuple[Circumstances, int]] = ()
    roles: Sequence[tuple[Box, str]] = ()
    tiles: Sequence[TrueTile] = ()
    groups: Sequence[TrueMeld] = ()


def photos(folder: Path) -> Iterator[Case]:
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
        labels = [(label.box, label.tile) for label in photo.corrected.labels]
        tiles = _told_apart(labels, truth)
        yield Case(photo.name, photo.path, boxes, (), photo.size, [truth, *others], expected, tiles=tiles)


def _told_apart(labels: Sequence[tuple[Box, str]], hand: dict[str, Any]) -> list[TrueTile]:
    """Labelled tiles with the roles that tiles of their name have in the hand."""
    roles: dict[str, list[str]] = {}
    for name in hand["concealed"]:
        roles.setdefault(name, []).append("concealed")
    for meld in hand["melds"]:
        for name in meld["tiles"]:
            roles.setdefault(name, []).append("meld")
    for name in hand["flowers"]:
        roles.setdefault(name, []).append("flower")
    if hand["winning_tile"]:
        roles.setdefault(hand["winning_tile"], []).append("winning")
    copies = Counter(name for _, name in labels)
    tiles = []
    for box, name in labels:
        own = roles.get(name, [])
        more = ["elsewhere"] if copies[name] > len(own) else []
        tiles.append(TrueTile(box, name, frozenset((*own, *more))))
    return tiles


def scenes(folder: Path) -> Iterator[Case]:
    """The finished and the spoilt hands whose tiles are all visible.

    A concealed kong that lies face up looks like a melded one and is to be taken for one: its true
    total is that, and its kind either.
    """
    for path in sorted((folder / "json").glob("*.json")):
        scene = json.loads(path.read_text(encoding="utf-8"))
        if scene["hand"] is None or not scene["all_visible"]:
            continue
        hand, kinds = scene["hand"], _kinds_that_show(scene)
        boxes = [_true_box(tile["box"], tile["tile"], tile["corners"], tile["up"]) for tile in scene["tiles"]]
        melds = [MeldBox(tuple(meld["box"]), 0.9) for meld in scene["melds"]]
        expected = []
        legal = True
        if hand["winning_tile"] is not None and not any("?" in meld["tiles"] for meld in hand["melds"]):
            try:
                total = score(hand_from_json(_as_it_looks(hand, kinds))).total
                expected = [(Circumstances(stated=WINDS), total)]
            except HandError:
                legal = False
        roles = [
            (tuple(tile["box"]), tile["role"] if tile["hand"] else "elsewhere") for tile in scene["tiles"]
        ]
        tiles = [
            TrueTile(box, tile["tile"], frozenset((role,)))
            for (box, role), tile in zip(roles, scene["tiles"], strict=True)
        ]
        groups = [
            TrueMeld("kong" if kind == OPEN_KONG else kind, frozenset(meld["tiles"]))
            for meld, kind in zip(_own_melds(scene), kinds, strict=True)
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
            tiles,
            groups,
        )


def _own_melds(scene: dict[str, Any]) -> list[dict[str, Any]]:
    """The groups of the hand, in the order of its `melds`."""
    return [meld for meld in scene["melds"] if meld["hand"]]


def _kinds_that_show(scene: dict[str, Any]) -> list[str]:
    """The kind of each of the hand's groups, `OPEN_KONG` for a concealed one without a tile face down."""
    return [
        OPEN_KONG
        if meld["kind"] == "concealed-kong"
        and all(scene["tiles"][number]["tile"] != "back" for number in meld["tiles"])
        else meld["kind"]
        for meld in _own_melds(scene)
    ]


def _as_it_looks(hand: dict[str, Any], kinds: Sequence[str]) -> dict[str, Any]:
    """The hand with its kongs that lie face up as melded ones."""
    melds = [
        {**meld, "kind": "melded-kong"} if kind == OPEN_KONG else meld
        for meld, kind in zip(hand["melds"], kinds, strict=True)
    ]
    return {**hand, "melds": melds}


def frames(folder: Path, part: str) -> Iterator[Case]:
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


def sighting_of(case: Case, reader: Reader | None) -> Sighting:
    if reader is not None:
        return reader.read(case.path).sighting
    image = ImageInfo(str(case.path), *case.size)
    return Sighting(image, ModelInfo("labels", ""), tuple(case.boxes), tuple(case.melds))
