"""Likely errors in somebody's labels, ranked: the labels held against what the model sees.

Three kinds: a tile without a label (`missing`), a label of another name (`wrong class`), a box that
lies badly (`bad box`), and, less sure, a label where no tile is seen (`no tile`).
People box tiles in different ways (tight, loose, with the tile's top side), so boxes are compared
after each picture's own habit is taken out: the median by which its boxes' sides differ from the
model's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...vision.boxes import MELD_CLASS, Box
from .geometry import iou
from .readers import Labels, plain_name
from .results import PictureResult, Tile

ErrorKind = Literal["missing", "wrong class", "bad box", "no tile"]

LEAST_OVERLAP = 0.15
"""Intersection over union from which a label and a seen tile are compared at all."""
SMALL_SHIFT, LARGE_SHIFT = 0.1, 0.35
"""Of a tile's side: boxes that differ less agree, a box further off is surely wrong."""
NAMED_ALIKE = 0.6
"""A foreign class name stands for the tile that the model sees in this share of its boxes."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One likely error.

    path: the picture. box, label: the label's, None for a missing one. seen_box, seen: the model's, None
    where it sees nothing. score: in [0, 1], how likely this is an error. detail: one sentence part.
    """

    kind: ErrorKind
    path: Path
    score: float
    label: str | None
    box: Box | None
    seen: str | None
    seen_box: Box | None
    detail: str


@dataclass(frozen=True, slots=True)
class _Pair:
    """A label and the tile seen at its place."""

    picture: int
    name: str
    box: Box
    tile: Tile


def check_labels(pairs: Sequence[tuple[Labels, PictureResult]]) -> list[Suggestion]:
    """The likely errors of labelled pictures, likeliest first.

    pairs: each picture's labels and what was read in it. Classes that the data set never labels (such
    as face-down tiles) aren't called missing; pictures that couldn't be read are passed over.
    """
    matched: list[_Pair] = []
    unlabelled: list[tuple[int, Tile]] = []
    unseen: list[tuple[int, str, Box]] = []
    shown: list[tuple[Labels, PictureResult]] = []
    for labels, picture in pairs:
        if picture.tiles is None:
            continue
        number = len(shown)
        shown.append((labels, picture))
        boxes = _in_pixels(labels, picture)
        taken = _match([box for _, box in boxes], [tile.box for tile in picture.tiles])
        matched += [_Pair(number, *boxes[i], picture.tiles[j]) for i, j in taken.items()]
        seen = set(taken.values())
        unlabelled += [(number, tile) for j, tile in enumerate(picture.tiles) if j not in seen]
        unseen += [(number, *boxes[i]) for i in range(len(boxes)) if i not in taken]
    names = _meanings(matched, [name for labels, _ in shown for name, _ in labels.boxes])
    used = set(names.values())

    found: list[Suggestion] = []
    found += _wrong_classes(shown, matched, names)
    found += _bad_boxes(shown, matched)
    for number, tile in unlabelled:
        if tile.tile in used:
            found.append(_missing(shown[number][0].path, tile))
    for number, name, box in unseen:
        detail = "no tile is seen here"
        found.append(Suggestion("no tile", shown[number][0].path, 0.4, name, box, None, None, detail))
    return sorted(found, key=lambda each: (-each.score, each.path, each.box or each.seen_box or ()))


def _in_pixels(labels: Labels, picture: PictureResult) -> list[tuple[str, Box]]:
    """The labels of tiles; boxes of groups are no tiles."""
    width, height = (picture.width, picture.height) if labels.fractions else (1, 1)
    return [
        (name, (x0 * width, y0 * height, x1 * width, y1 * height))
        for name, (x0, y0, x1, y1) in labels.boxes
        if name != MELD_CLASS
    ]


def _match(boxes: Sequence[Box], seen: Sequence[Box]) -> dict[int, int]:
    """Label index to tile index, the best overlaps first, nothing twice."""
    overlaps = [
        (shared, i, j)
        for i, box in enumerate(boxes)
        for j, other in enumerate(seen)
        if (shared := iou(box, other)) >= LEAST_OVERLAP
    ]
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, i, j in sorted(overlaps, key=lambda each: (-each[0], each[1], each[2])):
        if i not in taken and j not in used:
            taken[i] = j
            used.add(j)
    return taken


def _meanings(matched: Iterable[_Pair], labelled: Iterable[str]) -> dict[str, str]:
    """Class name of the data set to tile name: as FanLens writes it, else what is mostly seen there.

    Names that can't be told either way are left out, and their labels aren't judged by class.
    """
    seen: dict[str, Counter[str]] = {}
    for pair in matched:
        seen.setdefault(pair.name, Counter())[pair.tile.tile] += 1
    names = set(labelled)
    # Where even one name is foreign, a familiar one may mean something else (`1s` as a character tile).
    foreign = any(plain_name(name) is None for name in names)
    meanings: dict[str, str] = {}
    for name in names:
        plain = plain_name(name)
        votes = seen.get(name, Counter())
        best, count = votes.most_common(1)[0] if votes else ("?", 0)
        if plain is not None and not foreign:
            meanings[name] = plain
        elif count >= 3 and count >= NAMED_ALIKE * votes.total() and best != "?":
            meanings[name] = best
        elif plain is not None:
            meanings[name] = plain
    return meanings


def _wrong_classes(
    shown: Sequence[tuple[Labels, PictureResult]], matched: Iterable[_Pair], names: Mapping[str, str]
) -> Iterator[Suggestion]:
    for pair in matched:
        meant, tile = names.get(pair.name), pair.tile
        if meant is None or meant == tile.tile or tile.tile == "?":
            continue
        likelihood = dict(tile.alternatives).get(meant, 0.0)
        score = max(tile.confidence - likelihood, 0.0)
        yield Suggestion(
            "wrong class",
            shown[pair.picture][0].path,
            round(min(score, 1.0), 4),
            pair.name,
            pair.box,
            tile.tile,
            tile.box,
            f"labelled {pair.name}, seen as {tile.tile} at {tile.confidence:.2f}",
        )


def _missing(path: Path, tile: Tile) -> Suggestion:
    detail = f"{tile.tile} seen at {tile.confidence:.2f}, no label there"
    return Suggestion("missing", path, round(tile.confidence, 4), None, None, tile.tile, tile.box, detail)


def _bad_boxes(
    shown: Sequence[tuple[Labels, PictureResult]], matched: Sequence[_Pair]
) -> Iterator[Suggestion]:
    by_picture: dict[int, list[_Pair]] = {}
    for pair in matched:
        by_picture.setdefault(pair.picture, []).append(pair)
    for number, members in by_picture.items():
        off = np.array([_offsets(pair) for pair in members])
        off -= np.median(off, axis=0)
        for pair, sides in zip(members, np.abs(off), strict=True):
            shift = float(sides.max())
            score = (shift - SMALL_SHIFT) / (LARGE_SHIFT - SMALL_SHIFT)
            if score > 0:
                yield Suggestion(
                    "bad box",
                    shown[number][0].path,
                    round(min(score, 1.0), 4),
                    pair.name,
                    pair.box,
                    pair.tile.tile,
                    pair.tile.box,
                    f"a side is {shift:.0%} of the tile's size off",
                )


def _offsets(pair: _Pair) -> NDArray[np.float64]:
    """(4,) how far each side of the label lies from the tile's, as a part of the tile's size."""
    box = np.array(pair.tile.box)
    size = np.maximum(box[2:] - box[:2], 1.0)
    return np.asarray((np.array(pair.box) - box) / np.concatenate([size, size]))


def as_json(suggestion: Suggestion) -> dict[str, object]:
    """A suggestion as a JSON object."""
    return {
        "kind": suggestion.kind,
        "path": str(suggestion.path),
        "score": suggestion.score,
        "label": suggestion.label,
        "box": None if suggestion.box is None else [round(side, 1) for side in suggestion.box],
        "seen": suggestion.seen,
        "seen_box": None if suggestion.seen_box is None else [round(side, 1) for side in suggestion.seen_box],
        "detail": suggestion.detail,
    }
