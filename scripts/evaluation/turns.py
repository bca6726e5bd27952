"""Whether a photo reads the same from every side: `evaluate.py turns FOLDER`.

Each picture of the folder is turned by quarter turns and by 20 degrees either way, and read again;
counted is whether the hand (tiles, melds, winning tile, flowers) is that of the picture as it is.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Hashable
from pathlib import Path

import cv2
import numpy as np
from fanlens.vision import Reader
from fanlens.vision.picture import decode, read_bytes
from fanlens.vision.reading import Reading
from numpy.typing import NDArray

from .matching import Tally

TURNS = (90, 180, 270, 20, -20)
"""Degrees clockwise."""
_GREY = (114, 114, 114)


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("folder", type=Path, help="pictures of finished hands")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    reader = Reader(options.model)
    pictures = sorted(path for path in options.folder.iterdir() if path.is_file())
    same = dict.fromkeys(TURNS, 0)
    with tempfile.TemporaryDirectory() as scratch:
        turned = Path(scratch) / "turned.png"
        for path in pictures:
            rgb = decode(*read_bytes(path), side=math.inf).rgb
            upright = _hand(reader.read(path))
            for angle in TURNS:
                cv2.imwrite(str(turned), cv2.cvtColor(_turned(rgb, angle), cv2.COLOR_RGB2BGR))
                read = _hand(reader.read(turned))
                same[angle] += read == upright
                if read != upright:
                    print(f"  {path.name} turned by {angle}: {read} instead of {upright}")
    for angle, count in same.items():
        print(f"the same hand turned by {angle:4} degrees: {Tally(count, len(pictures))}")


def _turned(rgb: NDArray[np.uint8], angle: float) -> NDArray[np.uint8]:
    """The whole picture turned clockwise, on grey."""
    rows, columns = rgb.shape[:2]
    matrix = cv2.getRotationMatrix2D((columns / 2, rows / 2), -angle, 1.0)
    cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
    size = (round(rows * sin + columns * cos), round(rows * cos + columns * sin))
    matrix[:, 2] += (size[0] - columns) / 2, (size[1] - rows) / 2
    return np.asarray(cv2.warpAffine(rgb, matrix, size, borderValue=_GREY), dtype=np.uint8)


def _hand(reading: Reading) -> tuple[Hashable, ...]:
    """What makes two readings the same hand."""
    if reading.hand is None:
        return ("no hand",)
    melds = sorted((meld.kind, tuple(sorted(meld.tiles))) for meld in reading.hand.melds)
    concealed = tuple(sorted(reading.hand.concealed))
    return concealed, tuple(melds), reading.hand.winning_tile, tuple(sorted(reading.hand.flowers))
