"""Both stages together, the networks replaced by what they would say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fanlens.vision.classifier import NOT_A_TILE
from fanlens.vision.finder import Finder

from .red_tiles import FACES, MANIFEST, RED, RedTiles, stand_in


@pytest.fixture
def finder(monkeypatch: pytest.MonkeyPatch) -> Finder:
    stand_in(monkeypatch)
    return Finder(MANIFEST)


def _row(count: int, width: int, angle: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture with a row of red tiles, a gap of a tenth between them, and their centres."""
    import cv2

    picture = np.full((size * 3 // 4, size, 3), 60, np.uint8)
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    across, down = np.array([cos, sin]) * width, np.array([-sin, cos]) * width * 1.35
    middle = np.array([size / 2, size * 3 / 8])
    centres = np.array([middle + across * (place - (count - 1) / 2) for place in range(count)])
    for centre in centres:
        shape = centre + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ np.array([across, down]) * 0.45
        cv2.fillPoly(picture, [shape.round().astype(np.int32)], RED)
    return picture, centres


@pytest.mark.parametrize(("width", "angle"), [(200, 0), (110, 0), (200, 20), (110, -20), (150, 44)])
def test_every_tile_once_where_it_is(finder: Finder, width: int, angle: float) -> None:
    picture, centres = _row(12, width, angle, 4000)
    found = finder.find(picture)
    assert len(found.tiles) == 12
    for centre in centres:
        nearest = min(found.tiles, key=lambda tile: float(np.linalg.norm(tile.corners.mean(axis=0) - centre)))
        assert nearest.corners.mean(axis=0) == pytest.approx(centre, abs=width * 0.06)
        sides = np.linalg.norm(nearest.corners[1] - nearest.corners[0]), width * 0.9
        if found.views:
            assert sides[0] == pytest.approx(sides[1], rel=0.1)
            assert nearest.up == pytest.approx(angle % 360, abs=2)
    assert all(tile.best == "5m" and tile.confidence > 0.5 for tile in found.tiles)
    assert {"detect", "second_pass", "classify", "groups"} == set(found.timing_ms)


def test_a_level_tile_beside_a_tilted_row_keeps_its_tight_box(finder: Finder) -> None:
    picture, centres = _row(12, 200, 20, 4000)
    x, y = (centres[6] + (0, 450)).round().astype(int)
    picture[y - 121 : y + 121, x - 90 : x + 90] = RED
    found = finder.find(picture)
    assert found.views
    assert len(found.tiles) == 13
    beside = min(found.tiles, key=lambda tile: float(np.linalg.norm(tile.corners.mean(axis=0) - (x, y))))
    assert beside.box == pytest.approx((x - 90, y - 121, x + 90, y + 121), abs=12)


def test_a_row_has_outlines_of_one_kind(finder: Finder) -> None:
    picture, centres = _row(12, 200, 20, 4000)
    x, y = centres[6].round().astype(int)
    # a tile that stands a little crooked in its row
    picture[y - 160 : y + 160, x - 110 : x + 110] = 60
    picture[y - 115 : y + 115, x - 78 : x + 78] = RED
    found = finder.find(picture)
    assert len(found.tiles) == 12
    edges = np.array([tile.corners[1] - tile.corners[0] for tile in found.tiles])
    assert np.degrees(np.arctan2(edges[:, 1], edges[:, 0])) == pytest.approx(np.full(12, 20.0), abs=1)


def test_a_box_beyond_the_edge_is_no_tile(finder: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    picture, _ = _row(3, 60, 0, 640)
    seen = RedTiles.locate

    def beyond(picture: np.ndarray) -> np.ndarray:
        rows = seen(picture)
        outside = rows[:, :, :1].copy()
        outside[0, :4, 0] = -30, 100, 20, 30
        return np.concatenate([rows, outside], axis=2)

    monkeypatch.setattr(RedTiles, "locate", staticmethod(beyond))
    assert len(finder.find(picture).tiles) == 3


def test_second_pass_only_where_it_pays(finder: Finder) -> None:
    assert finder.find(_row(12, 300, 0, 4000)[0]).views == ()
    assert len(finder.find(_row(12, 110, 0, 4000)[0]).views) == 1
    assert finder.find(_row(12, 110, 0, 4000)[0], second_pass=False).views == ()


def test_nothing_there(finder: Finder) -> None:
    found = finder.find(np.full((480, 640, 3), 60, np.uint8))
    assert (found.tiles, found.melds, found.views) == ([], [], ())


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (33, 31)])
def test_tiny_pictures(finder: Finder, size: tuple[int, int]) -> None:
    assert finder.find(np.zeros((*size, 3), np.uint8)).tiles == []


def test_what_is_no_tile_is_left_out(finder: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(crops: np.ndarray) -> list[Any]:
        logits = np.zeros((len(crops), 44), np.float32)
        logits[:, FACES.index(NOT_A_TILE)] = 9
        return [logits, np.zeros((len(crops), 4), np.float32)]

    monkeypatch.setattr(RedTiles, "classify", staticmethod(nothing))
    assert finder.find(_row(12, 300, 0, 4000)[0]).tiles == []
