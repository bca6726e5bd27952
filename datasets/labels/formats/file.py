"""A file of an export, and what the XML formats share."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ....vision.boxes import TILE_CLASSES
from ..dataset import Labelled
from ..results import Tile

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class LabelFile:
    """One file: its path below the output folder, and its content or the picture it stands for."""

    path: str
    content: bytes | None = None
    picture: Path | None = None


def known_tiles(picture: Labelled) -> list[Tile]:
    """The tiles whose name is a class; `?` can't be trained on."""
    return [tile for tile in picture.tiles if tile.tile in TILE_CLASSES]


def meld_of(picture: Labelled) -> dict[int, int]:
    """Tile id to the index of its meld in `picture.melds`."""
    return {number: index for index, meld in enumerate(picture.melds) for number in meld.ids}


def pixels(value: float) -> str:
    """A coordinate to a hundredth of a pixel."""
    return f"{value:.2f}"


def json_bytes(content: Any) -> bytes:
    """JSON in plain ASCII: also file names that are no valid text can be written."""
    return json.dumps(content, indent=1).encode("ascii") + b"\n"


def xml_bytes(root: ElementTree.Element, *, declared: bool = True) -> bytes:
    """A whole XML document, indented, in UTF-8. declared: whether it says so at its head."""
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=declared)
    return text + b"\n"


def xml_text(text: str) -> str:
    """Text without what XML can't hold (control characters, halves of characters in file names)."""
    return _NO_XML.sub("\ufffd", text)
