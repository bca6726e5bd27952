"""A folder of labelled photos read as `RealPhoto`s, with our corrections where we have some.

Layout of the folder (`sources.py` says where ours comes from; your own works the same way):

    classes.yaml              names: a list or a mapping from number to tile name
    manifest.csv              optional: split, name, source, group, ... of each picture
    train/images/NAME.jpg     train/labels/NAME.txt: `class cx cy w h` a line, fractions of the picture
    val/images/NAME.jpg       val/labels/NAME.txt

A folder with `images/` and `labels/` directly in it is one part. Rendered scenes say in `json/NAME.json`
which regions their labels leave out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from PIL import Image

from ...vision.boxes import MELD_CLASS, TILE_CLASSES, Box
from .mending import KINDS, Corrected, Label, apply_changes, load_corrections

HERE = Path(__file__).parent
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")

Role = Literal["concealed", "meld", "flower", "winning", "elsewhere"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class RealPhoto:
    """One labelled photo.

    part: train, val or hands. group: the photo session. size: width and height in pixels.
    roles: the role of each label by number, and the index in `corrected.melds` for a meld's tile;
        empty where nobody labelled them.
    """

    path: Path
    part: str
    source: str
    group: str
    size: tuple[int, int]
    corrected: Corrected
    roles: Mapping[int, tuple[Role, int | None]]

    @property
    def name(self) -> str:
        """The picture's file name without its ending."""
        return self.path.stem


def read_photos(folder: Path, part: str, *, corrected: bool = True) -> list[RealPhoto]:
    """The labelled photos of one part, by name.

    part: `train` or `val` of a folder that has them, `hands` (or any other name) for one that has
        `images/` and `labels/` itself. With corrected=False the labels are as their source gave them.
    Raises ValueError (CorrectionError among them) with a sentence that names the file at fault.
    """
    root = folder / part if (folder / part / "images").is_dir() else folder
    if not (root / "images").is_dir():
        raise ValueError(f"{folder}: there is no images folder for the part {part}.")
    names = _class_names(folder)
    manifest = _manifest(folder)
    entries = load_corrections(part) if corrected else {}
    roles = _role_entries(part) if corrected else {}
    photos = []
    for path in sorted(root.glob("images/*")):
        if path.suffix.lower() not in PICTURE_SUFFIXES:
            continue
        with Image.open(path) as picture:
            size = picture.size
        labels, melds = _read_labels(root / "labels" / f"{path.stem}.txt", names, size)
        entry = entries.get(path.stem)
        if entry:
            known = apply_changes(path.stem, labels, entry)
        else:
            complete = frozenset(KINDS if corrected else KINDS[:1])
            known = Corrected(labels, melds, _scene_ignores(root / "json" / f"{path.stem}.json"), complete)
        row = manifest.get(path.stem, {})
        photos.append(
            RealPhoto(
                path=path,
                part=part,
                source=row.get("source", ""),
                group=row.get("group", path.stem),
                size=size,
                corrected=known,
                roles=_roles(roles.get(path.stem), known),
            )
        )
    return photos


def _scene_ignores(path: Path) -> tuple[Box, ...]:
    """The regions that a rendered scene's JSON says nothing about; none where there is no such file."""
    if not path.exists():
        return ()
    regions = json.loads(path.read_text(encoding="utf-8"))["ignore"]
    return tuple((float(x0), float(y0), float(x1), float(y1)) for x0, y0, x1, y1 in regions)


def _class_names(folder: Path) -> list[str]:
    """The class names of `classes.yaml` in order; only the two plain shapes people write are read."""
    path = folder / "classes.yaml"
    if not path.exists():
        return [*TILE_CLASSES, MELD_CLASS]
    names: dict[int, str] = {}
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("names:"):
            inside = True
        elif inside and text.startswith("- "):
            names[len(names)] = text[2:].strip(" '\"")
        elif inside and ":" in text:
            number, name = text.split(":", 1)
            if not number.strip().isdigit():
                break
            names[int(number)] = name.strip(" '\"")
    unknown = [name for name in names.values() if name not in (*TILE_CLASSES, MELD_CLASS)]
    if not names or unknown:
        raise ValueError(f"{path}: the classes must be tile names as FanLens writes them; wrong: {unknown}.")
    return [names[number] for number in sorted(names)]


def _manifest(folder: Path) -> dict[str, dict[str, str]]:
    path = folder / "manifest.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def _read_labels(
    path: Path, names: list[str], size: tuple[int, int]
) -> tuple[tuple[Label, ...], tuple[tuple[int, ...], ...]]:
    """The tiles of a YOLO label file and the groups its meld boxes hold."""
    labels: list[Label] = []
    groups: list[Box] = []
    if not path.exists():
        raise ValueError(f"{path}: there is no label file (an empty one says: no tile in this picture).")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        try:
            index, cx, cy, width, height = line.split()
            name = names[int(index)]
            x, y, w, h = float(cx), float(cy), float(width), float(height)
        except (ValueError, IndexError):
            raise ValueError(f"{path}: line {number + 1} is no label: {line[:60]!r}.") from None
        box = (
            (x - w / 2) * size[0],
            (y - h / 2) * size[1],
            (x + w / 2) * size[0],
            (y + h / 2) * size[1],
        )
        if name == MELD_CLASS:
            groups.append(box)
        else:
            labels.append(Label(len(labels), name, box))
    return tuple(labels), tuple(_members(path, labels, group) for group in groups)


def _members(path: Path, labels: list[Label], group: Box) -> tuple[int, ...]:
    inside = tuple(
        label.number
        for label in labels
        if group[0] < (label.box[0] + label.box[2]) / 2 < group[2]
        and group[1] < (label.box[1] + label.box[3]) / 2 < group[3]
    )
    if not inside:
        raise ValueError(f"{path}: a meld box has no tile in it.")
    return inside


def _role_entries(part: str) -> dict[str, dict[str, list[int]]]:
    """The entries of `roles/PART.json` by picture name; empty where nobody labelled roles."""
    path = HERE / "roles" / f"{part}.json"
    if not path.exists():
        return {}
    pictures: dict[str, dict[str, list[int]]] = json.loads(path.read_text(encoding="utf-8"))["pictures"]
    return pictures


def _roles(entry: Mapping[str, list[int]] | None, known: Corrected) -> dict[int, tuple[Role, int | None]]:
    """The role of each label; the tiles of `known.melds` need no entry, `unsure` ones get no role."""
    if entry is None:
        return {}
    roles: dict[int, tuple[Role, int | None]] = dict(_meld_roles(known))
    for role in ROLES:
        for number in entry.get(role, ()):
            roles[number] = (role, None)
    return roles


def _meld_roles(known: Corrected) -> Iterator[tuple[int, tuple[Role, int | None]]]:
    for index, meld in enumerate(known.melds):
        for number in meld:
            yield number, ("meld", index)
