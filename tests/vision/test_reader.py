"""How large a photo is decoded before its tiles are named, the networks replaced."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from fanlens.models import ClassifierSpec, DetectorSpec, Manifest
from fanlens.vision import Reader
from fanlens.vision import classifier as classifier_module
from fanlens.vision import detector as detector_module
from fanlens.vision import reader as reader_module
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.picture import Picture
from PIL import Image

MANIFEST = Manifest(
    "test",
    "1",
    DetectorSpec(Path("locator"), "0" * 64, 640, (*TILE_CLASSES, "meld")),
    ClassifierSpec(Path("classifier"), "0" * 64, 64, TILE_CLASSES),
)
LEFT, TOP = 400, 1200


class _Networks:
    """Finds red rectangles and calls each of them 5m."""

    def __init__(self, path: Path) -> None:
        self._is_locator = path.name == "locator"

    def __call__(self, batch: np.ndarray) -> list[np.ndarray]:
        if not self._is_locator:
            logits = np.zeros((len(batch), 43), np.float32)
            logits[:, TILE_CLASSES.index("5m")] = 9
            return [logits, np.tile(np.array([9, 0, 0, 0], np.float32), (len(batch), 1))]
        red = ((batch[0, ..., 0] > 127) & (batch[0, ..., 1] < 77)).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(red)
        scores = np.where(np.arange(44) == TILE_CLASSES.index("5m"), 0.8, 0)
        rows = [[x + w / 2, y + h / 2, w, h, *scores] for x, y, w, h, area in stats[1:] if area > 20]
        return [np.array(rows, np.float32).reshape(-1, 48).T[None]]


def _photo(tile: int) -> bytes:
    """4000 x 3000 pixels with five red tiles, `tile` pixels wide and apart, 4/3 as high."""
    pixels = np.full((3000, 4000, 3), 60, np.uint8)
    for number in range(5):
        left = LEFT + 2 * tile * number
        pixels[TOP : TOP + tile * 4 // 3, left : left + tile] = (220, 20, 20)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("tile", "widths"),
    [
        (300, [1000]),  # 75 pixels at a quarter
        (160, [1000, 2000]),  # 40 at a quarter, 80 at half
        (80, [1000, 4000]),  # 20 and 40, 80 at full size
    ],
)
def test_a_photo_is_decoded_as_large_as_its_tiles_need(
    monkeypatch: pytest.MonkeyPatch, tile: int, widths: list[int]
) -> None:
    monkeypatch.setattr(detector_module, "Network", _Networks)
    monkeypatch.setattr(classifier_module, "Network", _Networks)
    decoded: list[int] = []
    decode = reader_module.decode

    def noted(data: bytes, name: str, **options: float) -> Picture:
        picture = decode(data, name, **options)
        decoded.append(picture.rgb.shape[1])
        return picture

    monkeypatch.setattr(reader_module, "decode", noted)
    reading = Reader(MANIFEST).read(_photo(tile))
    assert decoded == widths
    boxes = sorted(each.box for each in reading.tiles)
    expected = [(LEFT + 2 * tile * number, LEFT + 2 * tile * number + tile) for number in range(5)]
    assert [(x0, x1) for x0, _, x1, _ in boxes] == [pytest.approx(sides, abs=8) for sides in expected]
    assert [(y0, y1) for _, y0, _, y1 in boxes] == [pytest.approx((TOP, TOP + tile * 4 // 3), abs=8)] * 5
