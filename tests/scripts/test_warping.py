"""Training pictures turned at random: boxes stay tight round what they are of."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from training.warping import outlines, warped

SIDE = 320
TILE = np.array([[200.0, 100.0], [240.0, 130.0], [206.0, 175.0], [166.0, 145.0]])
"""A tile that lies askew by 37 degrees; the box around it is twice as large as it."""
BOX = np.array([[166.0, 100.0, 240.0, 175.0]])


def scene() -> np.ndarray:
    """A black picture with the tile in white."""
    picture = np.zeros((300, 400, 3), np.uint8)
    cv2.fillPoly(picture, [TILE.astype(np.int32)], (255, 255, 255))
    return picture


@pytest.mark.parametrize("seed", range(12))
def test_the_box_fits_what_shows(seed: int) -> None:
    np.random.seed(seed)
    window = warped(scene(), [TILE], SIDE, outlined=True)
    assert window.picture.shape == (SIDE, SIDE, 3)
    assert window.kept.tolist() == [0]  # the window is cut round the only label
    x0, y0, x1, y1 = window.boxes[0]
    # bright pixels near the label: what lies beyond the picture may have any colour
    near = window.picture[max(0, int(y0) - 8) : int(y1) + 9, max(0, int(x0) - 8) : int(x1) + 9]
    rows, columns = np.nonzero((near > 200).all(axis=2))
    found = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], float)
    found += np.tile([max(0, int(x0) - 8), max(0, int(y0) - 8)], 2)
    assert found == pytest.approx(window.boxes[0], abs=2.5)


def test_a_scene_gives_outlines_and_groups_the_bounds_of_their_tiles() -> None:
    about = {
        "tiles": [{"corners": (TILE * 2).tolist(), "visible": 1.0}, {"corners": [], "visible": 0.6}],
        "melds": [{"tiles": [0, 1]}],
    }
    covered = np.array([[10.0, 20.0, 50.0, 80.0]])
    shapes, outlined = outlines(np.concatenate([BOX, covered, BOX]), about, 0.5)
    assert outlined
    assert shapes[0] == pytest.approx(TILE)  # in pixels of the picture as loaded
    assert shapes[1].tolist() == [[10, 20], [50, 20], [50, 80], [10, 80]]  # what shows of a covered tile
    assert [*shapes[2].min(axis=0), *shapes[2].max(axis=0)] == [10, 20, 240, 175]


def test_a_photo_gives_its_boxes() -> None:
    shapes, outlined = outlines(BOX, {"complete": ["tiles"]}, 1.0)
    assert not outlined
    assert shapes[0].tolist() == [[166, 100], [240, 100], [240, 175], [166, 175]]
