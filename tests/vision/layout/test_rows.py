"""Boxes chained into rows: which tile goes on a row, and which row a tile is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fanlens.vision.layout import find_rows

HAND = "1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 5s 5s"


@pytest.mark.parametrize(
    ("elevation", "yaw", "roll"), [(25.0, 15.0, 0.0), (30.0, 45.0, 35.0), (30.0, 30.0, 0.0)]
)
def test_a_slanted_row_is_one_though_its_boxes_overlap(
    table: Any, elevation: float, yaw: float, roll: float
) -> None:
    # Level boxes around slanted tiles overlap by a third, so that the next tile but one seems to touch.
    table.row(HAND)
    for distance in (16.0, 26.0):
        rows = find_rows(table.boxes(roll=roll, elevation=elevation, yaw=yaw, distance=distance))
        assert [len(row) for row in rows] == [14]


@pytest.mark.parametrize("turned", [None, 2, 6])
def test_in_a_slanting_row_faces_are_compared_with_each_other(table: Any, turned: int | None) -> None:
    # An upright look sees the tops of a row at 40 degrees at 0 or, all alike, at 90; boxes tell nothing.
    table.row("1m 2m 3m 4p 5p 6p 7s 8s")
    boxes = [
        replace(box, up=0.0 if number == turned else 90.0, up_confidence=0.6, axis_confidence=0.9)
        for number, box in enumerate(table.boxes(roll=50.0))
    ]
    (row,) = find_rows(boxes)
    assert [number for number, sideways in zip(row.indices, row.sideways, strict=True) if sideways > 0.5] == (
        [] if turned is None else [turned]
    )


def test_tops_that_fan_out_under_a_near_camera_are_not_turned(table: Any) -> None:
    table.row("5p 5p 7s 7s 7s W W W")
    tops = (5.0, 174.0, 343.0, 334.0, 326.0, 319.0, 313.0, 308.0)
    boxes = [replace(box, up=top, up_confidence=0.95) for box, top in zip(table.boxes(), tops, strict=True)]
    (row,) = find_rows(boxes)
    assert max(row.sideways) < 0.5


def test_a_tile_of_a_meld_is_not_drawn_into_a_column_of_discards(table: Any) -> None:
    # Columns of four discards end a fifth of a tile before the meld.
    meld = table.row("5s 5s 5s", x=0.2, y=8.0)
    for column, names in enumerate(("F 6s 1m 3m", "F 1p 7s 7m", "2p 9s 3p 8m")):
        for place, name in enumerate(names.split()):
            table.put(name, 0.7 + 1.02 * column, 8.0 - 1.62 - 1.37 * place)
    rows = find_rows(table.boxes(elevation=70.0))
    assert sorted(meld) in [sorted(row.indices) for row in rows]


def test_tiles_further_along_do_not_raise_a_rows_end(table: Any) -> None:
    # Two loose tiles before the first one, off the row's line.
    table.row(HAND)
    table.put("6s", -1.0, 0.3, turn=8.0)
    table.put("5s", -2.5, 0.55, turn=12.0)
    (row,) = (row for row in find_rows(table.boxes(elevation=60.0)) if len(row) > 3)
    first = row.indices.index(0)
    assert row.raised[first] < 0.1


def test_both_ends_of_a_line_that_a_longer_row_crosses_are_rows(table: Any) -> None:
    # Two pairs in one line with the end of a column of five between them.
    left, right = table.row("9m 9s"), table.row("4p 4p", x=4.6)
    column = [table.put(name, 2.9, 1.37 * place) for place, name in enumerate(["2p", "3s", "C", "7m", "W"])]
    rows = [sorted(row.indices) for row in find_rows(table.boxes(elevation=75.0))]
    assert sorted(rows) == [left, right, column]
