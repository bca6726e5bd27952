"""Pictures, and a reader that needs no network: it reads what the pictures themselves tell."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fanlens.datasets.labels.run import ExportSettings
from fanlens.vision.picture import Picture
from PIL import Image

MODEL = {"name": "fake", "sha256": "0" * 64, "settings": {"input": 640}}
TILES = ("1m", "2m", "3m", "5p", "5p", "5p", "C", "?", "back", "plum")


def fake_read(data: bytes, picture: Picture) -> Mapping[str, Any]:
    """Ten tiles in a row, a chow and a pung among them; none in a picture that is all black.

    Their places and confidences follow from the content, so that two pictures differ.
    """
    if picture.rgb.max() == 0:
        return {
            "tiles": [],
            "hands": [],
            "problems": [{"code": "no-tiles", "message": "No tile.", "tiles": []}],
        }
    shift = hashlib.sha256(data).digest()[0] / 256
    tiles, boxes = [], []
    step = picture.width / 12
    for number, tile in enumerate(TILES):
        box = [
            round(step * (number + 0.5) + shift, 1),
            round(picture.height * 0.3 + shift, 1),
            round(step * (number + 1.4) + shift, 1),
            round(picture.height * 0.7, 1),
        ]
        boxes.append(box)
        meld = 0 if number < 3 else 1 if number < 6 else None
        confidence = 0.0 if tile == "?" else round(0.99 - number * 0.05, 4)
        tiles.append(
            {
                "id": number,
                "tile": tile,
                "confidence": confidence,
                "box": box,
                "role": "meld" if meld is not None else "flower" if tile == "plum" else "concealed",
                "role_confidence": 0.9,
                "meld": meld,
                "alternatives": [{"tile": "7s", "probability": 0.05}, {"tile": "9s", "probability": 0.02}],
                "seen": "7s" if tile == "C" else tile,
                "flag": "inferred" if tile == "C" else None,
                "hand": 0,
            }
        )
    melds = [
        {"kind": kind, "ids": ids, "box": _around([boxes[i] for i in ids]), "confidence": 0.8}
        for kind, ids in (("chow", [0, 1, 2]), ("pung", [3, 4, 5]))
    ]
    return {"tiles": tiles, "hands": [{"melds": melds}], "problems": []}


def open_fake() -> Callable[[bytes, Picture], Mapping[str, Any]]:
    return fake_read


def _around(boxes: list[list[float]]) -> list[float]:
    return [
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    ]


def save_picture(path: Path, seed: int, size: tuple[int, int] = (240, 120)) -> Path:
    """A small picture of smooth noise, unlike that of any other seed; seed 0 is black."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if seed == 0:
        image = Image.new("RGB", size)
    else:
        noise = np.random.default_rng(seed).integers(40, 255, (6, 8, 3), dtype=np.uint8)
        image = Image.fromarray(noise).resize(size, Image.Resampling.BICUBIC)
    image.save(path)
    return path


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Seven pictures in three folders: two stems twice, one picture without tiles."""
    root = tmp_path / "photos"
    for seed, name in enumerate(
        ("empty.png", "a/1.jpg", "a/1.png", "b/1.jpg", "b/deep/1.jpg", "b/2.jpg", "b/2.JPEG")
    ):
        save_picture(root / name, seed)
    (root / "notes.md").write_text("no picture")
    return root


@pytest.fixture
def settings() -> Callable[..., ExportSettings]:
    def make(*formats: str, **more: Any) -> ExportSettings:
        return ExportSettings(formats or ("yolo",), **more)

    return make


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content (links: where they lead)."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink()).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
    return found
