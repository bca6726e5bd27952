"""CVAT for images 1.1: one `annotations.xml`, to be uploaded to a task that holds the pictures.

Image names are paths below the root of the results. `group_id` numbers a picture's melds from 1, as
CVAT does; role and confidence are attributes; the parts of a split are subsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from ....vision.boxes import TILE_CLASSES
from ....vision.corrections import ROLES
from ..dataset import Dataset, Labelled
from .file import LabelFile, meld_of, pixels, xml_bytes, xml_text


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The one file of CVAT's format."""
    root = Element("annotations")
    SubElement(root, "version").text = "1.1"
    pictures = list(dataset)
    _add_meta(root, len(pictures))
    for number, picture in enumerate(pictures):
        _add_image(root, picture, number)
    yield LabelFile("annotations.xml", xml_bytes(root))


def _add_meta(root: Element, size: int) -> None:
    task = SubElement(SubElement(root, "meta"), "task")
    SubElement(task, "name").text = "FanLens"
    SubElement(task, "size").text = str(size)
    SubElement(task, "mode").text = "annotation"
    labels = SubElement(task, "labels")
    for name in (*TILE_CLASSES, "?"):
        label = SubElement(labels, "label")
        SubElement(label, "name").text = name
        SubElement(label, "type").text = "rectangle"
        attributes = SubElement(label, "attributes")
        _add_attribute(attributes, "role", "select", "elsewhere", "\n".join(ROLES))
        _add_attribute(attributes, "confidence", "text", "", "")


def _add_attribute(parent: Element, name: str, kind: str, default: str, values: str) -> None:
    attribute = SubElement(parent, "attribute")
    for tag, text in (
        ("name", name),
        ("mutable", "False"),
        ("input_type", kind),
        ("default_value", default),
        ("values", values),
    ):
        SubElement(attribute, tag).text = text


def _add_image(root: Element, picture: Labelled, number: int) -> None:
    about = {
        "id": str(number),
        "name": xml_text(picture.path),
        "width": str(picture.width),
        "height": str(picture.height),
    }
    if picture.part is not None:
        about["subset"] = picture.part
    image = SubElement(root, "image", about)
    melds = meld_of(picture)
    for tile in picture.tiles:
        x0, y0, x1, y1 = (pixels(side) for side in tile.box)
        place = {"label": tile.tile, "source": "auto", "occluded": "0"}
        place |= {"xtl": x0, "ytl": y0, "xbr": x1, "ybr": y1, "z_order": "0"}
        if tile.id in melds:
            place["group_id"] = str(melds[tile.id] + 1)
        box = SubElement(image, "box", place)
        SubElement(box, "attribute", name="role").text = tile.role
        SubElement(box, "attribute", name="confidence").text = f"{tile.confidence:.4f}"
