"""Sides of face-down tiles that were taken for tiles: told by their colour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.sides import without_sides

# Greys and their lightness (CIE 1976): 48 is 20, 71 is 30, 145 is 60, 188 is 76, 226 is 90.
BLACK, SHINING, IVORY, PALE, SHADED = 48, 145, 226, 188, 71
ROW = [(40.0 * place, 0.0) for place in range(4)]
"""Where backs of 40 x 30 pixels lie side by side."""


def find(x: float, y: float, name: str = "back", sure: float = 0.9) -> TileBox:
    """A find of 40 x 30 pixels whose top left corner lies there."""
    vector = np.zeros(len(TILE_CLASSES), np.float32)
    vector[TILE_CLASSES.index(name)] = sure
    return TileBox((x, y, x + 40, y + 30), vector, sure, np.zeros((4, 2), np.float32))


def left(finds: Sequence[tuple[TileBox, int]]) -> list[int]:
    """Which of these remain, each with its grey."""
    tiles = [tile for tile, _ in finds]
    colours = np.array([[grey] * 3 for _, grey in finds], np.uint8)
    kept = without_sides(tiles, colours)
    return [number for number, tile in enumerate(tiles) if any(tile is other for other in kept)]


BACKS = [(find(*place), BLACK) for place in ROW]


def test_what_is_pale_is_no_black_back() -> None:
    # 0.6 x 70 is 42; by confidence, 4 of 5 are black
    assert left([*BACKS, (find(300, 300), IVORY)]) == [0, 1, 2, 3]


def test_a_reflection_on_a_back_stays() -> None:
    # 0.6 x 40 is 24
    assert left([*BACKS, (find(160, 0), SHINING)]) == [0, 1, 2, 3, 4]


def test_right_below_a_back_it_is_a_side() -> None:
    assert left([*BACKS, (find(42, 31), SHINING)]) == [0, 1, 2, 3]
    assert left([*BACKS, (find(42, 31), BLACK)]) == [0, 1, 2, 3, 4]


def test_a_back_in_shadow_stays() -> None:
    # 0.6 x 46 is 27.6, more than lies between backs elsewhere; in shadow 45 may
    assert left([*[(find(*place), PALE) for place in ROW], (find(300, 300), SHADED)]) == [0, 1, 2, 3, 4]


def test_where_no_colour_prevails_only_sides_go() -> None:
    others = [(find(300, 100.0 * place), IVORY) for place in range(3)]
    side = (find(0, 30), IVORY)
    assert left([*BACKS, *others, side]) == [0, 1, 2, 3, 4, 5, 6]


def test_many_faint_finds_do_not_outweigh_the_backs() -> None:
    squares = [(find(60.0 * place, 200, sure=0.4), IVORY) for place in range(8)]
    # by confidence to the power of four the 8 weigh 0.2, the 4 backs 2.6
    assert left([*BACKS, *squares]) == [0, 1, 2, 3]


def test_a_few_backs_do_not_tell_their_colour() -> None:
    assert left([*BACKS[:2], (find(300, 300), IVORY)]) == [0, 1, 2]
    pairs = [(find(80.0 * k, 0), grey) for k, grey in enumerate([BLACK, BLACK, IVORY, IVORY])]
    assert left(pairs) == [0, 1, 2, 3]


def test_other_tiles_are_left_alone() -> None:
    assert left([*BACKS, (find(42, 31, "5m"), IVORY), (find(300, 300, "P"), IVORY)]) == [0, 1, 2, 3, 4, 5]


def test_nothing_there() -> None:
    assert without_sides([], np.zeros((0, 3), np.uint8)) == []
