"""What we changed in the labels of the real photos, and why.

One JSON file a part (`corrections/train.json`, `val.json`, `hands.json`):

    {"about": ..., "credit": [...], "pictures": {NAME: {
        "boxes": 18,
        "changes": [{"do": "reclass", "box": 3, "tile": "2m", "to": "3m", "why": "..."},
                    {"do": "move", "box": 12, "tile": "plum", "to": [x0, y0, x1, y1], "why": "..."},
                    {"do": "refit", "to": [[x0, y0, x1, y1], ...], "why": "..."},
                    {"do": "remove", "box": 7, "tile": "N", "why": "..."},
                    {"do": "add", "tile": "back", "at": [x0, y0, x1, y1], "why": "..."},
                    {"do": "ignore", "at": [x0, y0, x1, y1], "why": "..."},
                    {"do": "leave-out", "why": "..."}],
        "melds": [[3, 4, 5], ...],
        "unlabelled": ["back"]}}}

Boxes are counted from 0 in the order of the label file as its source published it, added ones go
on counting after `boxes`, the number of boxes in that file. So a removed box keeps its number.
`refit` gives every box of the label file anew, in its order, where all were drawn alike.
`tile` repeats what the label file says there: a changed label file is noticed, not mislabelled.
`unlabelled`: kinds (`tiles` face up, `back`, `meld`) of which some are visible without a label.
Coordinates are pixels of the picture, x to the right, y down.
A box takes in the face of its tile (the back's face for a face-down one), not the sides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ...vision.boxes import TILE_CLASSES, Box

FOLDER = Path(__file__).parent / "corrections"

Kind = Literal["tiles", "back", "meld"]
"""Kinds of label: the 42 faces, face-down tiles, exposed groups."""
KINDS: tuple[Kind, ...] = get_args(Kind)


class CorrectionError(ValueError):
    """A correction does not fit the label file it is meant for."""


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled tile. number: its place in the label file, or after its end if we added it."""

    number: int
    tile: str
    box: Box


@dataclass(frozen=True, slots=True)
class Corrected:
    """The labels of one picture after our changes.

    melds: the label numbers of each exposed group, 3 or 4 of them.
    ignore: regions in which tiles are visible but not labelled; what is found there counts
        neither for nor against a detector.
    complete: the kinds of which every one in the picture is labelled or lies in an ignore region;
        a detector must not be taught (or told) that there are no others of the kinds left out.
    left_out: the reason why the picture should not be used, else None.
    """

    labels: tuple[Label, ...]
    melds: tuple[tuple[int, ...], ...] = ()
    ignore: tuple[Box, ...] = ()
    complete: frozenset[Kind] = frozenset(KINDS)
    left_out: str | None = None

    def meld_boxes(self) -> tuple[Box, ...]:
        """The box around each exposed group, in the order of `melds`."""
        boxes = {label.number: label.box for label in self.labels}
        return tuple(enclosing([boxes[number] for number in meld]) for meld in self.melds)


def enclosing(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of `boxes`."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def load_corrections(part: str) -> dict[str, Any]:
    """The entries of `corrections/PART.json` by picture name; empty for a part we never touched."""
    path = FOLDER / f"{part}.json"
    if not path.exists():
        return {}
    pictures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["pictures"]
    return pictures


def apply_changes(name: str, labels: Sequence[Label], entry: Mapping[str, Any]) -> Corrected:
    """The labels of picture `name` with the changes of its entry made.

    Raises CorrectionError where the entry speaks of another label file than `labels`.
    """
    if len(labels) != entry["boxes"]:
        raise CorrectionError(
            f"{name}: the corrections are for {entry['boxes']} boxes, the label file has {len(labels)}."
        )
    kept = {label.number: label for label in labels}
    added = len(labels)
    ignore: list[Box] = []
    left_out = None
    for change in entry.get("changes", ()):
        kind = change["do"]
        if kind == "add":
            kept[added] = Label(added, _tile(name, change["tile"]), _box(name, change["at"]))
            added += 1
        elif kind == "ignore":
            ignore.append(_box(name, change["at"]))
        elif kind == "leave-out":
            left_out = str(change["why"])
        elif kind == "refit":
            if len(change["to"]) != len(labels):
                raise CorrectionError(f"{name}: {len(change['to'])} boxes refit, the file has {len(labels)}.")
            for label, box in zip(labels, change["to"], strict=True):
                kept[label.number] = Label(label.number, kept[label.number].tile, _box(name, box))
        else:
            label = _changed_label(name, kept, change)
            if kind == "remove":
                del kept[label.number]
            elif kind == "reclass":
                kept[label.number] = Label(label.number, _tile(name, change["to"]), label.box)
            elif kind == "move":
                kept[label.number] = Label(label.number, label.tile, _box(name, change["to"]))
            else:
                raise CorrectionError(f"{name}: unknown kind of change {kind!r}.")
    melds = tuple(tuple(meld) for meld in entry.get("melds", ()))
    _check_melds(name, kept, melds)
    return Corrected(
        labels=tuple(kept[number] for number in sorted(kept)),
        melds=melds,
        ignore=tuple(ignore),
        complete=frozenset(kind for kind in KINDS if kind not in entry.get("unlabelled", ())),
        left_out=left_out,
    )


def _changed_label(name: str, kept: Mapping[int, Label], change: Mapping[str, Any]) -> Label:
    label = kept.get(change["box"])
    if label is None:
        raise CorrectionError(f"{name}: there is no box {change['box']} to {change['do']}.")
    if label.tile != change["tile"]:
        raise CorrectionError(f"{name}: box {label.number} is {label.tile}, not {change['tile']}.")
    return label


def _check_melds(name: str, kept: Mapping[int, Label], melds: Sequence[Sequence[int]]) -> None:
    members = [number for meld in melds for number in meld]
    if len(set(members)) != len(members) or any(len(meld) not in (3, 4) for meld in melds):
        raise CorrectionError(f"{name}: a meld is 3 or 4 tiles, and no tile is in two.")
    for number in members:
        if number not in kept:
            raise CorrectionError(f"{name}: there is no box {number} for a meld.")


def _tile(name: str, tile: str) -> str:
    if tile not in TILE_CLASSES:
        raise CorrectionError(f"{name}: {tile!r} is no tile.")
    return tile


def _box(name: str, values: Sequence[float]) -> Box:
    x0, y0, x1, y1 = (float(value) for value in values)
    if not (x0 < x1 and y0 < y1):
        raise CorrectionError(f"{name}: {list(values)} is no box.")
    return (x0, y0, x1, y1)
