"""COCO detection JSON: `annotations.json`, or one `annotations_PART.json` for each part of a split.

Pictures without annotations are kept. Ids start at 1 (pycocotools takes 0 for "no match").
`file_name` is the picture's path below the root of the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....vision.boxes import TILE_CLASSES
from ..dataset import Dataset, Labelled
from .file import LabelFile, json_bytes, known_tiles, meld_of

_GROUPS = {"m": "characters", "p": "dots", "s": "bamboos"}
_HONOURS = {**dict.fromkeys("ESWN", "winds"), **dict.fromkeys("CFP", "dragons"), "back": "face down"}


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The files of a COCO data set."""
    for part in dataset.parts:
        images: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        for picture in dataset:
            if picture.part == part:
                number = len(images) + 1
                images.append(
                    {
                        "id": number,
                        "file_name": picture.path,
                        "width": picture.width,
                        "height": picture.height,
                    }
                )
                annotations += _annotations(picture, number, len(annotations) + 1)
        content = {
            "info": {"description": "Labelled by FanLens"},
            "licenses": [],
            "images": images,
            "annotations": annotations,
            "categories": [
                {"id": number, "name": name, "supercategory": _group(name)}
                for number, name in enumerate(TILE_CLASSES, start=1)
            ],
        }
        name = "annotations.json" if part is None else f"annotations_{part}.json"
        yield LabelFile(name, json_bytes(content))


def _annotations(picture: Labelled, image: int, first: int) -> Iterator[dict[str, Any]]:
    melds = meld_of(picture)
    for number, tile in enumerate(known_tiles(picture), start=first):
        x0, y0, x1, y1 = tile.box
        width, height = round(x1 - x0, 2), round(y1 - y0, 2)
        meld = melds.get(tile.id)
        yield {
            "id": number,
            "image_id": image,
            "category_id": TILE_CLASSES.index(tile.tile) + 1,
            "bbox": [round(x0, 2), round(y0, 2), width, height],
            "area": round(width * height, 2),
            "iscrowd": 0,
            "segmentation": [],
            "score": tile.confidence,
            "attributes": {
                "role": tile.role,
                "meld": meld,
                "meld_kind": None if meld is None else picture.melds[meld].kind,
            },
        }


def _group(name: str) -> str:
    return _HONOURS.get(name) or _GROUPS.get(name[1:], "flowers")
