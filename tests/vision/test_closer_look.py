"""Which tiles are looked at again, and whether boxes come back to where they belong."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.vision.closer_look import (
    box_corners,
    corner_bounds,
    first_of_each,
    groups,
    plan_views,
    row_angle,
    tile_width,
)
from hypothesis import given
from hypothesis import strategies as st


def _row(
    count: int, angle: float, width: float = 50.0, start: tuple[float, float] = (1000, 1000)
) -> np.ndarray:
    """Upright bounding boxes of touching tiles in a row that runs at an angle (degrees clockwise)."""
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    across, down = np.array([cos, sin]) * width, np.array([-sin, cos]) * width * 1.35
    corners = [
        np.array(start) + place * across + np.array([[0, 0], across, across + down, down])
        for place in range(count)
    ]
    return corner_bounds(np.array(corners, np.float32))


@given(st.floats(-44, 44), st.integers(4, 18))
def test_row_angle(angle: float, count: int) -> None:
    assert row_angle(_row(count, angle)) == pytest.approx(angle, abs=0.6)


def test_row_angle_of_two_rows_of_different_length() -> None:
    two = np.vstack([_row(13, 15), _row(5, 15, start=(1000, 1200))])
    assert row_angle(two) == pytest.approx(15, abs=1.5)


def test_a_heap_has_no_rows() -> None:
    # sunflower seeds: neighbours lie in every direction
    places = np.arange(1, 31)
    turns, reach = places * np.radians(137.508), np.sqrt(places) * 60
    centres = np.stack([np.cos(turns), np.sin(turns)], axis=1) * reach[:, None] + 1000
    half = np.array([25, 34])
    heap = np.hstack([centres - half, centres + half]).astype(np.float32)
    assert row_angle(heap) == 0


@given(st.floats(-44, 44))
def test_tile_width_is_not_overstated_by_tilt(angle: float) -> None:
    assert tile_width(_row(10, angle)) == pytest.approx(50, rel=0.02)


def test_groups() -> None:
    boxes = np.vstack([_row(5, 0), _row(13, 0, start=(1000, 2000)), _row(1, 0, start=(3000, 3000))])
    assert [len(group) for group in groups(boxes)] == [13, 5, 1]
    assert groups(boxes)[1].tolist() == [0, 1, 2, 3, 4]
    assert groups(np.zeros((0, 4), np.float32)) == []


def _plan(boxes: np.ndarray, side: int = 4000) -> list:
    return plan_views(boxes, (side, side * 3 // 4), 640, 2 * 640 * 640)


def test_large_level_upright_tiles_need_no_second_look() -> None:
    # 300 of 4,000 pixels are 48 at an input of 640.
    assert _plan(_row(10, 0, width=300, start=(200, 1000))) == []
    assert _plan(_row(10, 4, width=300, start=(200, 1000))) == []


def test_small_tiles_are_enlarged_to_sixty_pixels() -> None:
    (view,) = _plan(_row(13, 0, width=120))
    assert view.tile == pytest.approx(60)
    assert view.angle == 0
    # 12 tiles between the outer centres and two on either side.
    assert view.width == pytest.approx(16 * 60, abs=2)


def test_tilted_row_is_levelled() -> None:
    (view,) = _plan(_row(10, 20, width=300, start=(300, 300)))
    assert view.angle == pytest.approx(20, abs=0.6)


def test_few_tiles_lying_about_are_left_to_the_first_pass() -> None:
    assert _plan(_row(3, 20, width=300)) == []
    assert _plan(np.zeros((0, 4), np.float32)) == []


def test_all_views_together_keep_the_budget() -> None:
    boxes = np.vstack([_row(13, 0, 100, start=(500, 600 * k)) for k in range(1, 5)])
    views = _plan(boxes, side=4000)
    assert views
    assert sum(view.width * view.height for view in views) <= 2 * 640 * 640 * 1.02


def test_tiny_picture_is_not_blown_up() -> None:
    (view,) = _plan(_row(10, 0, width=16, start=(100, 100)), side=640)
    assert view.tile == pytest.approx(24)


def test_what_the_first_pass_saw_at_its_own_size_is_enlarged_only_where_it_is_tiny() -> None:
    row = _row(10, 0, width=25, start=(100, 100))
    assert not _plan(row, side=640)
    # Of a picture three times as large it saw a third of the pixels.
    assert _plan(row * 3, side=1920)


@given(st.floats(-180, 180), st.floats(20, 200))
def test_boxes_come_back_to_where_they_were(angle: float, width: float) -> None:
    boxes = _row(8, angle, width)
    for view in _plan(boxes):
        points = boxes.reshape(-1, 2).astype(np.float64)
        seen = points @ view.matrix[:, :2].T + view.matrix[:, 2]
        degenerate = np.hstack([seen, seen]).astype(np.float32)
        assert view.to_picture(degenerate)[:, 0] == pytest.approx(points, abs=0.05)


def test_view_shows_the_row_level() -> None:
    """A white row at 30 degrees on black: in the view its pixels fill a level band."""
    import cv2

    boxes = _row(8, 30, 60, start=(300, 300))
    cos, sin = np.cos(np.radians(30)), np.sin(np.radians(30))
    across, down = np.array([cos, sin]) * 60 * 8, np.array([-sin, cos]) * 60 * 1.35
    outline = np.array([300, 300]) + np.array([[0, 0], across, across + down, down])
    picture = np.zeros((1000, 1000, 3), np.uint8)
    cv2.fillPoly(picture, [outline.astype(np.int32)], (255, 255, 255))
    views = plan_views(boxes, (1000, 1000), 640, 2 * 640 * 640)
    view = views[0]
    lit = view.render(picture)[:, :, 0] > 200
    rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    assert len(columns) == pytest.approx(8 * view.tile, rel=0.05)
    assert len(rows) == pytest.approx(1.35 * view.tile, rel=0.1)
    assert lit.sum() == pytest.approx(len(rows) * len(columns), rel=0.08)


def test_what_two_passes_saw_stays_once() -> None:
    corners = np.array(
        [[[x, 0], [x + 50, 0], [x + 50, 60], [x, 60]] for x in (0, 50, 2, 100, 104)], np.float32
    )
    # The third is the first again, seen by pass 0; the last two come from one pass.
    assert first_of_each(corners, [1, 1, 0, 0, 0]).tolist() == [0, 1, 3, 4]


def test_a_neighbour_in_a_slanting_row_is_no_double() -> None:
    # Upright boxes of 50 x 67.5 tiles at 45 degrees are 83 wide, their centres 35 apart on each axis.
    upright = box_corners(_row(2, 45))
    cos = np.sqrt(0.5)
    across, down = np.array([cos, cos]) * 50, np.array([-cos, cos]) * 67.5
    first_tile = np.array([[1000, 1000]]) + np.array([[0, 0], across, across + down, down])
    corners = np.concatenate([first_tile[None], upright]).astype(np.float32)
    assert first_of_each(corners, [1, 0, 0]).tolist() == [0, 2]
