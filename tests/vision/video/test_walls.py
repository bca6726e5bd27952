"""Which face-down tiles are left out before a hand is looked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting
from fanlens.vision.video.walls import without_walls

WIDTH, HEIGHT = 40, 54


def tile(name: str, x: float, y: float, sure: float = 0.98) -> TileBox:
    probabilities = np.full(43, (1 - sure) / 42, dtype=np.float32)
    probabilities[TILE_CLASSES.index(name)] = sure
    corners = np.array([[x, y], [x + WIDTH, y], [x + WIDTH, y + HEIGHT], [x, y + HEIGHT]], dtype=np.float32)
    return TileBox((x, y, x + WIDTH, y + HEIGHT), probabilities, 0.99, corners, 0.0, 0.99)


def left(tiles: Sequence[TileBox]) -> list[tuple[str, float]]:
    sighting = Sighting(ImageInfo(None, 1280, 720), ModelInfo("test", "0" * 64), tuple(tiles))
    return [(each.best, each.box[0]) for each in without_walls(sighting).tiles]


def row(names: Sequence[str], x: float, y: float) -> list[TileBox]:
    return [tile(name, x + 41 * n, y) for n, name in enumerate(names)]


def test_a_wall_goes_and_a_kong_before_it_stays() -> None:
    """A wall two tiles deep; 26 pixels before it, two thirds of a tile, a kong of two backs and two faces."""
    kong = row(["1p", "back", "back", "1p"], 100, 300)
    wall = [*row(["back"] * 12, 60, 380), *row(["back"] * 12, 60, 435)]
    assert left([*wall[:9], *kong, *wall[9:]]) == [("1p", 100), ("back", 141), ("back", 182), ("1p", 223)]


def test_a_kong_close_to_a_wall_stays() -> None:
    """A quarter of a tile's width lies between them, as it may where the camera looks down askew."""
    kong = row(["1p", "back", "back", "1p"], 100, 300)
    wall = row(["back"] * 12, 60, 300 + HEIGHT + 10)
    assert left([*kong, *wall]) == [("1p", 100), ("back", 141), ("back", 182), ("1p", 223)]


def test_a_kong_beside_a_meld_stays_where_its_box_touches_the_walls() -> None:
    """Upright boxes round a wall that runs askew take in the room before it."""
    melds = row(["P", "P", "P", "back", "6p", "6p", "back"], 100, 300)
    wall = [tile("back", 40 + 41 * n, 356 - 3 * n) for n in range(13)]
    kept = [name for name, _ in left([*wall[:5], *melds, *wall[5:]])]
    assert kept == ["P", "P", "P", "back", "6p", "6p", "back"]


def test_a_kong_face_down_on_all_four_stays() -> None:
    assert len(left(row(["back"] * 4, 100, 300))) == 4


def test_tiles_of_a_wall_that_cannot_be_told_go_with_it() -> None:
    wall = row(["back"] * 6, 100, 300)
    wall[2] = tile("3s", 100 + 41 * 2, 300, sure=0.25)
    wall[4] = tile("7m", 100 + 41 * 4, 300, sure=0.25)
    assert left([*wall, tile("E", 100 + 41 * 6, 300)]) == [("E", 346)]


def test_no_tiles_at_all() -> None:
    assert left([]) == []
