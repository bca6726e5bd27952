"""Pascal VOC: `Annotations/…/NAME.xml` for each picture, and `ImageSets/Main/PART.txt` for a split.

VOC counts pixels from 1 and names the last one inside, so a box's left and top edges are 1 more here
and its right and bottom edges the same. Fractions are kept; readers take them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, SubElement

from ..dataset import Dataset, Labelled
from .file import LabelFile, known_tiles, meld_of, pixels, xml_bytes, xml_text


def files(dataset: Dataset) -> Iterator[LabelFile]:
    """The files of a Pascal VOC data set."""
    members: dict[str, list[str]] = {part: [] for part in dataset.parts if part is not None}
    for picture in dataset:
        yield LabelFile(f"Annotations/{picture.label}.xml", xml_bytes(_annotation(picture)))
        if picture.part is not None:
            members[picture.part].append(picture.label)
    for part, labels in members.items():
        text = "".join(f"{label}\n" for label in labels)
        yield LabelFile(f"ImageSets/Main/{part}.txt", text.encode("utf-8", "surrogateescape"))


def _annotation(picture: Labelled) -> Element:
    root = Element("annotation")
    path = PurePosixPath(picture.path)
    folder = "" if str(path.parent) == "." else str(path.parent)
    _add(root, "folder", folder)
    _add(root, "filename", path.name)
    _add(root, "path", picture.path)
    _add(SubElement(root, "source"), "database", "FanLens")
    size = SubElement(root, "size")
    for name, value in (("width", picture.width), ("height", picture.height), ("depth", 3)):
        _add(size, name, str(value))
    _add(root, "segmented", "0")
    melds = meld_of(picture)
    for tile in known_tiles(picture):
        item = SubElement(root, "object")
        for name, text in (
            ("name", tile.tile),
            ("pose", "Unspecified"),
            ("truncated", "0"),
            ("difficult", "0"),
        ):
            _add(item, name, text)
        x0, y0, x1, y1 = tile.box
        place = SubElement(item, "bndbox")
        for name, side in (("xmin", x0 + 1), ("ymin", y0 + 1), ("xmax", x1), ("ymax", y1)):
            _add(place, name, pixels(side))
        meld = melds.get(tile.id)
        extra = {"confidence": f"{tile.confidence:.4f}", "role": tile.role}
        if meld is not None:
            extra |= {"meld": str(meld), "meld_kind": picture.melds[meld].kind}
        attributes = SubElement(item, "attributes")
        for name, text in extra.items():
            attribute = SubElement(attributes, "attribute")
            _add(attribute, "name", name)
            _add(attribute, "value", text)
    return root


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = xml_text(text)
