"""Printed matter: books, boxes and labels whose characters stand on no tile.

A network that has only seen characters on tiles takes every spine of a shelf for a row of tiles.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .appearance import Appearance, Texture
from .geometry import FACE_UP, STANDING, Box, turn
from .table import Block, Table

PRINTS = (*(f"{rank}m" for rank in range(1, 10)), *"ESWNCF", "plum", "spring")
"""Faces whose strokes look like characters when cut into pieces."""
_UNIT = 40
"""Pixels of a texture for one tile width."""


def book(
    table: Table, area: tuple[float, float, float, float], rng: np.random.Generator, look: Appearance
) -> None:
    """A book or box: lying, or a few standing side by side with their spines to the viewer."""
    x, y = float(rng.uniform(area[0], area[2])), float(rng.uniform(area[1], area[3]))
    if rng.random() < 0.5:
        size = (float(rng.uniform(2, 6)), float(rng.uniform(3, 8)), float(rng.uniform(0.2, 1.2)))
        box = Box(np.array([x, y, size[2] / 2]), turn(float(rng.uniform(0, 360))) @ FACE_UP, np.array(size))
        _put(table, box, rng, look)
        return
    yaw = float(rng.normal(0, 12))
    along = turn(yaw)[:, 0]
    for _ in range(int(rng.integers(1, 8))):
        size = (float(rng.uniform(0.5, 1.8)), float(rng.uniform(3.5, 8)), float(rng.uniform(2, 5)))
        x, y = (np.array([x, y]) + along[:2] * size[0] / 2).tolist()
        _put(table, Box(np.array([x, y, size[1] / 2]), turn(yaw) @ STANDING, np.array(size)), rng, look)
        x, y = (np.array([x, y]) + along[:2] * (size[0] / 2 + 0.03)).tolist()


def _put(table: Table, box: Box, rng: np.random.Generator, look: Appearance) -> None:
    ground = rng.uniform(150, 255, 3) if rng.random() < 0.5 else rng.uniform(10, 230, 3)
    colour = ground.astype(np.float32)
    table.add_block(Block(box, colour, cover(box.size[:2], colour, look, rng), 0.03), margin=0.01)


def cover(
    size: NDArray[np.float64], ground: NDArray[np.float32], look: Appearance, rng: np.random.Generator
) -> Texture:
    """Lines of characters and letters on a plain ground, float32 RGBA (rows, columns, 4).

    size: width and height in tile widths. ground: RGB, shape (3,).
    """
    width, height = (max(8, int(side * _UNIT)) for side in size)
    picture: Texture = np.full((height, width, 4), 255, dtype=np.float32)
    picture[:, :, :3] = ground
    for _ in range(int(rng.integers(1, 7))):
        ink = rng.uniform(0, 90, 3) if ground.mean() > 110 else rng.uniform(150, 255, 3)
        if rng.random() < 0.25:
            ink = np.array([200, 25, 35]) * float(rng.uniform(0.6, 1.1))
        side = int(min(width, height) * float(rng.uniform(0.12, 0.8)))
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        if rng.random() < 0.4:
            text = "".join(chr(int(code)) for code in rng.integers(48, 123, int(rng.integers(2, 16))))
            letters = np.zeros((height, width), np.uint8)
            place = (x - width // 3, y)
            cv2.putText(
                letters, text, place, cv2.FONT_HERSHEY_DUPLEX, side / 40, 255, max(1, side // 20), cv2.LINE_AA
            )
            alpha = letters[:, :, None].astype(np.float32) / 255
            picture[:, :, :3] = picture[:, :, :3] * (1 - alpha) + ink.astype(np.float32) * alpha
            continue
        down = height > width
        for _ in range(int(rng.integers(2, 12))):
            _stamp(picture, _character(look, rng), x, y, side, ink)
            x, y = (x, y + int(side * 1.1)) if down else (x + int(side * 1.1), y)
    return picture


def _character(look: Appearance, rng: np.random.Generator) -> NDArray[np.float32]:
    """The strokes of a part of some face, as opacity in [0, 1]."""
    face = look.faces[PRINTS[int(rng.integers(len(PRINTS)))]]
    rows = face.shape[0]
    top = int(rng.choice([0.0, 0.45]) * rows)
    part = face[top : top + rows // 2, :, 3] if rng.random() < 0.7 else face[:, :, 3]
    return np.asarray(part / 255, dtype=np.float32)


def _stamp(
    picture: Texture, strokes: NDArray[np.float32], x: int, y: int, side: int, ink: NDArray[np.floating]
) -> None:
    """Print strokes in one colour, a square with its top left corner at x, y; what sticks out is cut off."""
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + side, width), min(y + side, height)
    if side < 3 or x1 <= x0 or y1 <= y0:
        return
    square = cv2.resize(strokes, (side, side), interpolation=cv2.INTER_AREA)
    alpha = square[y0 - y : y1 - y, x0 - x : x1 - x, None]
    part = picture[y0:y1, x0:x1, :3]
    part[:] = part * (1 - alpha) + ink * alpha
