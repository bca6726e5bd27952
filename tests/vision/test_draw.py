"""What the annotated picture shows, told by its pixels."""

from __future__ import annotations

import io

import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.draw import DOUBTFUL, ROLE_COLOURS, annotate, encode
from fanlens.vision.reading import ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand
from PIL import Image

HAND = ["2m", "3m", "4m", "5m", "6m", "7m", "3p", "4p", "5p", "6s", "7s", "8s", "9s", "9s"]


def _tile(name: str, x: float, y: float, sure: float = 0.995, width: float = 40) -> TileBox:
    probabilities = np.zeros(43, np.float32)
    probabilities[TILE_CLASSES.index(name)] = sure
    if name == "2m":
        probabilities[TILE_CLASSES.index("5m")] = 0.995 - sure
    box = (x, y, x + width, y + 1.35 * width)
    corners = np.array([[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]], np.float32)
    return TileBox(box, probabilities, 0.99, corners, 0.0, 0.99)


def _reading(sure: float = 0.995, width: int = 640, height: int = 300) -> Reading:
    chances = [sure] + [0.995] * 13
    tiles = [_tile(name, 20 + 40 * place, 100, chances[place]) for place, name in enumerate(HAND)]
    return read_hand(Sighting(ImageInfo("x.jpg", width, height), ModelInfo("m", "0" * 64), tuple(tiles)))


def _holds(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((np.abs(picture.astype(int) - colour).max(axis=2) < 12).sum() > 200)


def test_small_picture_is_enlarged_for_phones() -> None:
    drawn = annotate(np.full((300, 640, 3), 90, np.uint8), _reading())
    assert drawn.shape[1] >= 1000
    assert drawn.dtype == np.uint8


def test_large_picture_is_reduced() -> None:
    drawn = annotate(np.full((300, 640, 3), 90, np.uint8), _reading(width=6400, height=3000))
    assert max(drawn.shape) <= 2700


def test_roles_by_colour_and_the_legend() -> None:
    drawn = annotate(np.full((300, 640, 3), 90, np.uint8), _reading())
    assert _holds(drawn, ROLE_COLOURS["concealed"])
    assert not _holds(drawn, ROLE_COLOURS["meld"])
    assert not _holds(drawn, DOUBTFUL)


def test_doubtful_tile_stands_out() -> None:
    reading = _reading(sure=0.55)  # 234m or 345m
    assert reading.doubtful
    assert _holds(annotate(np.full((300, 640, 3), 90, np.uint8), reading), DOUBTFUL)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_picture_at_another_scale_than_the_reading(scale: float) -> None:
    rgb = np.full((round(300 * scale), round(640 * scale), 3), 90, np.uint8)
    same = annotate(np.full((300, 640, 3), 90, np.uint8), _reading())
    assert np.abs(annotate(rgb, _reading()).astype(int) - same).mean() < 1


def test_picture_without_tiles() -> None:
    empty = read_hand(Sighting(ImageInfo(None, 50, 40), ModelInfo("m", "0" * 64), ()))
    assert annotate(np.zeros((40, 50, 3), np.uint8), empty).shape[1] >= 1000


def test_encode_is_a_jpeg() -> None:
    with Image.open(io.BytesIO(encode(np.full((20, 30, 3), 90, np.uint8)))) as image:
        assert (image.format, image.size) == ("JPEG", (30, 20))
