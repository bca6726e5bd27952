"""labelme: `labelme/…/NAME.json` for each picture, to be opened with `labelme OUT/labelme`.

`imagePath` leads from the file to the picture where it lies; `group_id` numbers the melds, the flag that
is set tells the role.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....vision.corrections import ROLES
from ..dataset import Dataset, Labelled
from .file import LabelFile, json_bytes, meld_of

VERSION = "5.5.0"
"""The release whose file layout this is."""


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The files of labelme, the tree of the pictures mirrored."""
    for picture in dataset:
        place = picture.label if picture.part is None else f"{picture.part}/{picture.label}"
        path = f"labelme/{place}.json"
        yield LabelFile(path, json_bytes(_annotation(picture, (dataset.out / path).parent)))


def _annotation(picture: Labelled, folder: Path) -> dict[str, Any]:
    melds = meld_of(picture)
    return {
        "version": VERSION,
        "flags": {},
        "shapes": [
            {
                "label": tile.tile,
                "points": [[tile.box[0], tile.box[1]], [tile.box[2], tile.box[3]]],
                "group_id": melds.get(tile.id),
                "description": f"confidence {tile.confidence:.4f}",
                "shape_type": "rectangle",
                "flags": {role: role == tile.role for role in ROLES},
                "mask": None,
            }
            for tile in picture.tiles
        ],
        "imagePath": _leading_to(picture.source, folder),
        "imageData": None,
        "imageHeight": picture.height,
        "imageWidth": picture.width,
    }


def _leading_to(picture: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(picture, folder)).as_posix()
    except ValueError:  # another drive
        return picture.as_posix()
