"""Somebody's labelled data set read, whichever of the common layouts it has.

YOLO (`data.yaml`, `classes.txt` or `classes.yaml`; `labels` beside `images`, or text files beside the
pictures), COCO JSON, Pascal VOC, labelme and CVAT XML. From here the `LabelledPicture`s go to `check`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from ...scoring.tiles import CANONICAL
from ...vision.boxes import TILE_CLASSES, Box
from .inputs import PICTURE_SUFFIXES

_ENTITY = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class DatasetError(ValueError):
    """A data set that can't be read; one plain sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Labels:
    """One picture's labels. path: the picture. boxes: class name and place.

    fractions: whether boxes are in fractions of the upright picture (YOLO), else in its pixels.
    """

    path: Path
    boxes: tuple[tuple[str, Box], ...]
    fractions: bool = False


def read_dataset(folder: Path) -> list[Labels]:
    """The labelled pictures of a folder, by path; those without a label file are left out.

    Raises DatasetError where no labels are found or a label file is damaged.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder}: there is no such folder.")
    pictures, others = _list(folder)
    found: dict[Path, Labels] = {}
    for labels in _all_labels(folder, pictures, others):
        found.setdefault(labels.path, labels)
    if not found:
        raise DatasetError(
            f"{folder}: no labels (YOLO, COCO, Pascal VOC, labelme or CVAT) were found for its pictures."
        )
    return [found[path] for path in sorted(found)]


def _list(folder: Path) -> tuple[list[Path], list[Path]]:
    pictures: list[Path] = []
    others: list[Path] = []
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith("."):
                (pictures if path.suffix.lower() in PICTURE_SUFFIXES else others).append(path)
    return pictures, others


def _all_labels(folder: Path, pictures: Sequence[Path], others: Sequence[Path]) -> Iterator[Labels]:
    by_name: dict[str, list[Path]] = {}
    by_stem: dict[str, list[Path]] = {}
    for path in pictures:
        by_name.setdefault(path.name, []).append(path)
        by_stem.setdefault(path.stem, []).append(path)
    yield from _yolo(folder, pictures, set(others))
    for path in others:
        if path.suffix.lower() == ".json":
            yield from _json(path, by_name)
        elif path.suffix.lower() == ".xml":
            yield from _xml(path, by_name, by_stem)


def _find(named: str, label_file: Path, by_name: Mapping[str, list[Path]]) -> Path | None:
    """The picture a label file means: beside it, or the one whose path ends most like the name."""
    plain = PurePosixPath(named.replace("\\", "/"))
    beside = label_file.parent / plain
    if beside.is_file():
        return Path(os.path.abspath(beside))
    candidates = by_name.get(plain.name, [])

    def shared(path: Path) -> int:
        pairs = zip(reversed(path.parts), reversed(plain.parts), strict=False)
        return next((count for count, (one, other) in enumerate(pairs) if one != other), len(plain.parts))

    best = sorted(candidates, key=shared, reverse=True)
    if len(best) > 1 and shared(best[0]) == shared(best[1]):
        return None
    return best[0] if best else None


def _yolo(folder: Path, pictures: Sequence[Path], others: set[Path]) -> Iterator[Labels]:
    names = _yolo_names(folder, others)
    if names is None:
        return
    for picture in pictures:
        for path in _yolo_places(picture):
            if path in others:
                yield Labels(picture, tuple(_yolo_boxes(path, names)), fractions=True)
                break


def _yolo_places(picture: Path) -> Iterator[Path]:
    parts = list(picture.parts)
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] == "images":
            yield Path(*parts[:index], "labels", *parts[index + 1 :]).with_suffix(".txt")
            break
    yield picture.with_suffix(".txt")


def _yolo_boxes(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Box]]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            index, *numbers = line.split()
            name = names[int(index)]
            values = [float(value) for value in numbers]
            if len(values) in (4, 5):  # the fifth is a confidence
                x, y, width, height = values[:4]
                box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            elif len(values) >= 6 and len(values) % 2 == 0:  # an outline
                box = (min(values[::2]), min(values[1::2]), max(values[::2]), max(values[1::2]))
            else:
                raise ValueError
        except (ValueError, IndexError):
            raise DatasetError(f"{path}: line {number} is no label: {line[:60]!r}.") from None
        yield name, box


def _yolo_names(folder: Path, others: set[Path]) -> list[str] | None:
    """Class names from the file that has them; None where no such file lies in or above the folder."""
    for path in sorted(others, key=lambda path: (len(path.parts), path)):
        if path.suffix.lower() in (".yaml", ".yml"):
            names = _yaml_names(_text(path))
            if names:
                return names
        elif path.name in ("classes.txt", "obj.names"):
            return [line.strip() for line in _text(path).splitlines() if line.strip()]
    for path in (folder.parent / "data.yaml", folder.parent / "classes.yaml"):
        if path.is_file() and (names := _yaml_names(_text(path))):
            return names
    return None


def _yaml_names(text: str) -> list[str] | None:
    """The `names` of a data.yaml: a flow list, a list or a mapping, the shapes in which people write it."""
    start = re.search(r"^names\s*:", text, re.MULTILINE)
    if start is None:
        return None
    rest = text[start.end() :]
    if flow := re.match(r"\s*\[(.*?)\]", rest, re.DOTALL):
        return [piece.strip().strip("'\"") for piece in flow.group(1).split(",") if piece.strip()]
    if flow := re.match(r"\s*\{(.*?)\}", rest, re.DOTALL):
        pairs = re.findall(r"(\d+)\s*:\s*([^,]+)", flow.group(1))
    else:
        block = re.match(r"\s*\n((?:[ \t]*(?:-|\d+\s*:).*(?:\n|$)|[ \t]*(?:#.*)?\n)*)", rest)
        body = block.group(1) if block else ""
        pairs = re.findall(r"^[ \t]*(\d+)\s*:\s*(.+)$", body, re.MULTILINE)
        if not pairs:
            items = re.findall(r"^[ \t]*-\s*(.+)$", body, re.MULTILINE)
            pairs = [(str(number), name) for number, name in enumerate(items)]
    names = {int(number): re.sub(r"\s+#.*$", "", name).strip().strip("'\"") for number, name in pairs}
    return [names.get(number, "") for number in range(max(names) + 1)] if names else None


def _json(path: Path, by_name: Mapping[str, list[Path]]) -> Iterator[Labels]:
    try:
        content = json.loads(_text(path))
    except ValueError:
        return
    if not isinstance(content, dict):
        return
    try:
        if "images" in content and "annotations" in content and "categories" in content:
            yield from _coco(content, path, by_name)
        elif "shapes" in content and "imagePath" in content:
            picture = _find(str(content["imagePath"]), path, by_name)
            if picture is not None:
                boxes = [(str(shape["label"]), _bounds(shape["points"])) for shape in content["shapes"]]
                yield Labels(picture, tuple(boxes))
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(f"{path}: the labels are damaged ({error!r}).") from None


def _coco(content: Mapping[str, Any], path: Path, by_name: Mapping[str, list[Path]]) -> Iterator[Labels]:
    names = {entry["id"]: str(entry["name"]) for entry in content["categories"]}
    boxes: dict[Any, list[tuple[str, Box]]] = {entry["id"]: [] for entry in content["images"]}
    for entry in content["annotations"]:
        x, y, width, height = (float(value) for value in entry["bbox"])
        boxes[entry["image_id"]].append((names[entry["category_id"]], (x, y, x + width, y + height)))
    for entry in content["images"]:
        picture = _find(str(entry["file_name"]), path, by_name)
        if picture is not None:
            yield Labels(picture, tuple(boxes[entry["id"]]))


def _bounds(points: Sequence[Sequence[float]]) -> Box:
    xs, ys = [float(point[0]) for point in points], [float(point[1]) for point in points]
    return (min(xs), min(ys), max(xs), max(ys))


def _xml(
    path: Path, by_name: Mapping[str, list[Path]], by_stem: Mapping[str, list[Path]]
) -> Iterator[Labels]:
    content = path.read_bytes()
    if _ENTITY.search(content):
        raise DatasetError(f"{path}: XML with its own entities isn't read.")
    try:
        root = ElementTree.fromstring(content)
        if root.tag == "annotation":
            yield from _voc(root, path, by_name, by_stem)
        elif root.tag == "annotations":
            yield from _cvat(root, path, by_name)
    except (ElementTree.ParseError, TypeError, ValueError, KeyError) as error:
        raise DatasetError(f"{path}: the labels are damaged ({error}).") from None


def _voc(
    root: ElementTree.Element,
    path: Path,
    by_name: Mapping[str, list[Path]],
    by_stem: Mapping[str, list[Path]],
) -> Iterator[Labels]:
    named = f"{root.findtext('folder') or ''}/{root.findtext('filename') or ''}".strip("/")
    stems = by_stem.get(path.stem, [])
    picture = _find(named, path, by_name) or (stems[0] if len(stems) == 1 else None)
    if picture is None:
        return
    boxes = []
    for item in root.iter("object"):
        x0, y0, x1, y1 = (
            float(item.findtext(f"bndbox/{side}") or "nan") for side in ("xmin", "ymin", "xmax", "ymax")
        )
        boxes.append((str(item.findtext("name")).strip(), (x0 - 1, y0 - 1, x1, y1)))
    yield Labels(picture, tuple(boxes))


def _cvat(root: ElementTree.Element, path: Path, by_name: Mapping[str, list[Path]]) -> Iterator[Labels]:
    for image in root.iter("image"):
        picture = _find(image.attrib["name"], path, by_name)
        if picture is not None:
            boxes = []
            for item in image.iter("box"):
                x0, y0, x1, y1 = (float(item.attrib[side]) for side in ("xtl", "ytl", "xbr", "ybr"))
                boxes.append((item.attrib["label"], (x0, y0, x1, y1)))
            yield Labels(picture, tuple(boxes))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: the labels can't be read ({error}).") from None


def plain_name(name: str) -> str | None:
    """A class name as a tile, where it is written as FanLens writes them (or `1z` … `7z`)."""
    known = CANONICAL.get(name.strip())
    return known if known in TILE_CLASSES else None
