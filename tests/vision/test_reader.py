"""How large a photo is decoded before its tiles are named, the networks replaced."""

from __future__ import annotations

import io

import numpy as np
import pytest
from fanlens.vision import Reader
from fanlens.vision import reader as reader_module
from fanlens.vision.picture import Picture
from PIL import Image

from .red_tiles import MANIFEST, RED, stand_in

LEFT, TOP = 400, 1200


def _photo(tile: int) -> bytes:
    """4000 x 3000 pixels with five red tiles, `tile` pixels wide and apart, 4/3 as high."""
    pixels = np.full((3000, 4000, 3), 60, np.uint8)
    for number in range(5):
        left = LEFT + 2 * tile * number
        pixels[TOP : TOP + tile * 4 // 3, left : left + tile] = RED
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
    stand_in(monkeypatch)
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
