"""Label Studio: `label_studio.json`, tasks with predictions to be reviewed, and `label_config.xml`.

Boxes are in per cent of the picture. A prediction's score is its least certain tile's confidence, so
sorting by it makes the review queue. Pictures are named for local storage: start Label Studio with
LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true and LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT set to the
folder that was labelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement

from ....vision.boxes import TILE_CLASSES
from ....vision.corrections import ROLES
from ..dataset import Dataset, Labelled
from ..results import Tile
from .file import LabelFile, json_bytes, meld_of, xml_bytes


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The files to import into Label Studio."""
    model = dataset.results.model
    version = f"{model['name']}-{model['sha256'][:8]}"
    yield LabelFile("label_studio.json", json_bytes([_task(picture, version) for picture in dataset]))
    # Without a declaration: Label Studio's own converter reads the file as text and refuses one.
    yield LabelFile("label_config.xml", xml_bytes(_config(), declared=False))


def _task(picture: Labelled, version: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "image": "/data/local-files/?d=" + quote(picture.path, errors="surrogateescape"),
        "path": picture.path,
    }
    if picture.part is not None:
        data["part"] = picture.part
    melds = meld_of(picture)
    regions = [region for tile in picture.tiles for region in _regions(tile, picture, melds.get(tile.id))]
    return {
        "data": data,
        "predictions": [{"model_version": version, "score": picture.score, "result": regions}],
    }


def _regions(tile: Tile, picture: Labelled, meld: int | None) -> Iterator[dict[str, Any]]:
    """The rectangle, its role and its meld: three results that share one region's id."""
    x0, y0, x1, y1 = tile.box
    place = {
        "x": 100 * x0 / picture.width,
        "y": 100 * y0 / picture.height,
        "width": 100 * (x1 - x0) / picture.width,
        "height": 100 * (y1 - y0) / picture.height,
        "rotation": 0,
    }
    common = {
        "id": f"tile-{tile.id}",
        "to_name": "image",
        "original_width": picture.width,
        "original_height": picture.height,
        "image_rotation": 0,
    }
    yield {
        **common,
        "from_name": "tile",
        "type": "rectanglelabels",
        "score": tile.confidence,
        "value": {**place, "rectanglelabels": [tile.tile]},
    }
    yield {**common, "from_name": "role", "type": "choices", "value": {**place, "choices": [tile.role]}}
    if meld is not None:
        yield {**common, "from_name": "meld", "type": "number", "value": {**place, "number": meld}}


def _config() -> Element:
    view = Element("View")
    SubElement(view, "Image", name="image", value="$image", zoom="true")
    labels = SubElement(view, "RectangleLabels", name="tile", toName="image")
    for name in (*TILE_CLASSES, "?"):
        SubElement(labels, "Label", value=name)
    roles = SubElement(view, "Choices", name="role", toName="image", perRegion="true")
    for role in ROLES:
        SubElement(roles, "Choice", value=role)
    SubElement(view, "Number", name="meld", toName="image", perRegion="true", min="0")
    return view
