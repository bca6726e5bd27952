"""A training picture turned, scaled and cut, with boxes that stay tight.

ultralytics turns boxes, not tiles: the box around a turned box is larger than the one around the turned
tile wherever that lay askew already, and a network taught by it draws loose boxes round slanting rows.
Here outlines are turned, where they are known (rendered scenes), and boxes are drawn round them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from fanlens.vision.closer_look import box_corners
from numpy.typing import NDArray

Floats = NDArray[np.float64]

QUARTERS = 0.45
"""Share of pictures that are turned by one quarter or more. Never a flip: faces are chiral."""
TURN, SLIGHT_TURN = 25.0, 4.0
"""Degrees: how far pictures are turned besides where outlines are known, and where only boxes are."""
SHEAR = 0.04
SCALES = (0.6, 1.4)
GREY = 114
"""What the reader pads with; half the pictures are, the others get any colour there."""
KEPT, SPOILT = 0.6, 0.1
"""Share of a box in the window from which it stays labelled; less, down to the second, is painted over."""
WHOLE = 0.985
"""Part of a tile that must show for its outline to count; a covered tile's box is of what shows."""


@dataclass(frozen=True, slots=True)
class Window:
    """What is left of a picture: boxes (n, 4) in pixels as x0, y0, x1, y1 and which labels they are of.

    spoilt: which labels lie in the window in part, too little of them to be learnt.
    """

    picture: NDArray[np.uint8]
    boxes: Floats
    kept: NDArray[np.int64]
    spoilt: NDArray[np.int64]


def outlines(boxes: Floats, about: Mapping[str, Any], scale: float) -> tuple[list[Floats], bool]:
    """Per label its outline (k, 2) in pixels, and whether it is more than its box.

    boxes: (n, 4) in pixels of the picture as loaded. about: what a scene's JSON says, in pixels of the
    original, its labels being the tiles and then the groups. scale: loaded pixels per original pixel.
    """
    plain = list(box_corners(boxes))
    tiles, melds = about.get("tiles", ()), about.get("melds", ())
    if not tiles or len(tiles) + len(melds) != len(boxes):
        return plain, False
    known = [
        np.array(tile["corners"]) * scale if tile["visible"] > WHOLE else plain[number]
        for number, tile in enumerate(tiles)
    ]
    return [*known, *(np.concatenate([known[i] for i in meld["tiles"]]) for meld in melds)], True


def warped(picture: NDArray[np.uint8], shapes: Sequence[Floats], side: int, *, outlined: bool) -> Window:
    """A window of `side` pixels with a random label in it, in the picture turned at random.

    shapes: outline of each label. outlined: whether these are more than boxes, so that a strong turn
    leaves their bounds tight.
    """
    height, width = picture.shape[:2]
    matrix = _turned(width, height, TURN if outlined else SLIGHT_TURN)
    frame = _moved(np.array([[0, 0], [width, 0], [width, height], [0, height]], float), matrix)
    moved = [_moved(shape, matrix) for shape in shapes]
    bounds = np.array([[*shape.min(axis=0), *shape.max(axis=0)] for shape in moved]).reshape(-1, 4)
    low, high = frame.min(axis=0), frame.max(axis=0)
    point = low + np.random.random(2) * (high - low)
    if len(bounds):
        box = bounds[np.random.randint(len(bounds))]
        point = box[:2] + np.random.random(2) * (box[2:] - box[:2])
    # the chosen point may come to lie anywhere in the window but at its very edge
    ends = np.sort([low, high - side], axis=0)
    corner = np.floor(np.clip(point - side * np.random.uniform(0.15, 0.85, 2), *ends))
    shifted = matrix.copy()
    shifted[:, 2] -= corner
    colour = (GREY,) * 3 if np.random.random() < 0.5 else tuple(np.random.randint(0, 256, 3).tolist())
    shrinks = abs(np.linalg.det(matrix[:, :2])) < 0.8
    window = cv2.warpAffine(
        cv2.blur(picture, (2, 2)) if shrinks else picture,
        shifted,
        (side, side),
        flags=cv2.INTER_LINEAR,
        borderValue=colour,
    )
    boxes = bounds - np.tile(corner, 2)
    inside = boxes.clip(0, side)
    areas = [np.prod(part[:, 2:] - part[:, :2], axis=1) for part in (inside, boxes)]
    visible = areas[0] / areas[1].clip(1e-6)
    kept = np.flatnonzero(visible >= KEPT)
    spoilt = np.flatnonzero((visible < KEPT) & (visible > SPOILT))
    return Window(np.asarray(window, np.uint8), inside, kept, spoilt)


def _turned(width: int, height: int, most: float) -> Floats:
    """A random turn about the middle, with a little shear: (2, 3)."""
    degrees = np.random.uniform(-most, most)
    if np.random.random() < QUARTERS:
        degrees += 90 * np.random.randint(1, 4)
    angle, scale = math.radians(degrees), np.random.uniform(*SCALES)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    shear = np.array([[1, np.random.uniform(-SHEAR, SHEAR)], [np.random.uniform(-SHEAR, SHEAR), 1]])
    centre = np.array([width, height]) / 2
    linear = scale * turn @ shear
    return np.column_stack([linear, centre - linear @ centre])


def _moved(points: Floats, matrix: Floats) -> Floats:
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2])
