"""YOLO: `data.yaml`, `labels/…/NAME.txt` with `class cx cy w h` as fractions, `images/…` beside it.

Trainers look for a picture's labels where `images` in its path is replaced by `labels`, so `images`
holds a link to each picture (a copy where links can't be made). A picture without tiles has an empty
label file. Class 43 is `meld`, the box around one exposed group.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....vision.boxes import MELD_CLASS, TILE_CLASSES, Box
from ..dataset import Dataset, Labelled
from .file import LabelFile, known_tiles

CLASSES = (*TILE_CLASSES, MELD_CLASS)
_NUMBERS = {name: number for number, name in enumerate(CLASSES)}


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The files of a YOLO data set."""
    yield LabelFile("data.yaml", _data_yaml(dataset))
    for picture in dataset:
        place = picture.label if picture.part is None else f"{picture.part}/{picture.label}"
        yield LabelFile(f"images/{place}{picture.suffix}", picture=picture.source)
        yield LabelFile(f"labels/{place}.txt", _label_lines(picture))


def _data_yaml(dataset: Dataset) -> bytes:
    # Without `path`, trainers take the folder of this file; so the data set can be moved.
    parts = dataset.parts
    lines = []
    for part in ("train", "val", "test"):
        if part in parts:
            lines.append(f"{part}: images/{part}")
        elif part != "test":
            # Both keys are demanded; an undivided set serves as both.
            lines.append(f"{part}: images" if parts == (None,) else f"{part}: images/{parts[0]}")
    names = [f'  {number}: "{name}"' for number, name in enumerate(CLASSES)]
    return "\n".join([*lines, f"nc: {len(CLASSES)}", "names:", *names, ""]).encode()


def _label_lines(picture: Labelled) -> bytes:
    rows = [(tile.tile, tile.box) for tile in known_tiles(picture)]
    rows += [(MELD_CLASS, meld.box) for meld in picture.melds]
    return "".join(_line(name, box, picture) for name, box in rows).encode()


def _line(name: str, box: Box, picture: Labelled) -> str:
    width, height = picture.width, picture.height
    x0, x1 = min(max(box[0] / width, 0.0), 1.0), min(max(box[2] / width, 0.0), 1.0)
    y0, y1 = min(max(box[1] / height, 0.0), 1.0), min(max(box[3] / height, 0.0), 1.0)
    return f"{_NUMBERS[name]} {(x0 + x1) / 2:.6f} {(y0 + y1) / 2:.6f} {x1 - x0:.6f} {y1 - y0:.6f}\n"
