"""Boxes, camera and painter's order."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.datasets.scenes.appearance import Shape
from fanlens.datasets.scenes.geometry import Camera, overlapping, painters_order
from fanlens.datasets.scenes.table import Table, Tile, lying, standing

SHAPE = Shape(height=1.4, depth=0.8, radius=0.1, split=0.4)


def camera(elevation: float, yaw: float = 0.0) -> Camera:
    return Camera.looking_at(
        (2.0, 3.0), elevation=elevation, yaw=yaw, roll=0.0, distance=20.0, focal=1000.0, centre=(320.0, 240.0)
    )


@pytest.mark.parametrize("elevation", [20.0, 45.0, 90.0])
@pytest.mark.parametrize("yaw", [0.0, 37.0, 180.0])
def test_the_target_is_in_the_middle_at_its_distance(elevation: float, yaw: float) -> None:
    pixels, depths = camera(elevation, yaw).project(np.array([[2.0, 3.0, 0.0]]))
    assert pixels[0] == pytest.approx((320, 240))
    assert depths[0] == pytest.approx(20)


def test_from_above_a_tile_width_is_focal_over_distance() -> None:
    pixels, _ = camera(90.0).project(np.array([[2.0, 3.0, 0.0], [3.0, 3.0, 0.0], [2.0, 4.0, 0.0]]))
    assert pixels[1] - pixels[0] == pytest.approx((50, 0), abs=1e-6)
    # Away from the viewer is up in the picture.
    assert pixels[2] - pixels[0] == pytest.approx((0, -50), abs=1e-6)


def test_the_plane_homography_agrees_with_projection() -> None:
    view = camera(35.0, 12.0)
    point = view.plane() @ np.array([5.0, -1.0, 1.0])
    pixels, _ = view.project(np.array([[5.0, -1.0, 0.0]]))
    assert point[:2] / point[2] == pytest.approx(pixels[0])


def test_neighbours_in_a_row_touch_and_crossing_tiles_overlap() -> None:
    first = lying(SHAPE, 0.0, 0.0)
    assert not overlapping(first, [lying(SHAPE, 1.0, 0.0), lying(SHAPE, 0.0, 0.0, level=0.8)]).any()
    assert overlapping(first, [lying(SHAPE, 0.9, 0.0), lying(SHAPE, 0.0, 0.0, level=0.4)]).all()
    # Turned by 45 degrees the neighbour's corner reaches 0.5 * (1 + 1.4) / sqrt(2) = 0.85 to the left.
    assert overlapping(first, [lying(SHAPE, 1.3, 0.0, yaw=45)]).all()
    assert not overlapping(first, [lying(SHAPE, 1.36, 0.0, yaw=45)]).any()


def test_a_table_takes_no_tile_where_another_lies() -> None:
    table = Table(SHAPE)
    assert table.add([Tile(lying(SHAPE, 0.0, 0.0), "1m")])
    assert not table.add([Tile(lying(SHAPE, 5.0, 0.0), "2m"), Tile(lying(SHAPE, 0.5, 0.5), "3m")])
    assert [tile.name for tile in table.tiles] == ["1m"]


def test_far_tiles_are_painted_before_the_near_ones_that_hide_them() -> None:
    # In front: a standing tile; behind it one lying; on that one another.
    boxes = [standing(SHAPE, 2.0, 2.0), lying(SHAPE, 2.0, 4.0, level=0.8), lying(SHAPE, 2.0, 4.0)]
    view = camera(30.0)
    hulls = []
    for box in boxes:
        pixels, _ = view.project(box.corners())
        hulls.append((*pixels.min(axis=0), *pixels.max(axis=0)))
    assert painters_order(boxes, np.array(hulls), view.position) == [2, 1, 0]
