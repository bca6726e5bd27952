"""Table tops: square textures that the renderer lays under the tiles, made from noise and patterns."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

SIDE = 768
"""Side of a surface texture in pixels."""

SURFACES: dict[str, tuple[str, ...]] = {
    "train": ("felt", "weave", "cloth", "wood", "leather", "plain", "fur", "checker", "speckle", "blotches"),
    "development": ("ribs", "mosaic"),
    "held-out": ("stripes", "marble", "linen"),
}
"""Kinds of surface a split may use; no kind is in two of them."""

HUES: dict[str, tuple[tuple[float, float], ...]] = {
    "train": (
        (0.28, 0.44),
        (0.28, 0.44),
        (0.28, 0.44),
        (0.5, 0.66),
        (0.5, 0.66),
        (0.97, 1.03),
        (0.04, 0.13),
        (0.0, 1.0),
    ),
    "development": ((0.3, 0.42), (0.16, 0.22), (0.85, 0.92)),
    "held-out": ((0.3, 0.42), (0.46, 0.5), (0.7, 0.85)),
}
"""Ranges of hue a mat may have: green, blue, red, brown, any; development: green, lime, pink;
held-out: green, turquoise, violet."""


def _noise(rng: np.random.Generator, cells: int) -> NDArray[np.float32]:
    """Smooth noise, mean 0, deviation about 1, `cells` bumps a side, shape (SIDE, SIDE)."""
    small = rng.standard_normal((cells, cells), dtype=np.float32)
    return np.asarray(cv2.resize(small, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _clouds(rng: np.random.Generator) -> NDArray[np.float32]:
    return np.asarray(_noise(rng, 4) * 0.6 + _noise(rng, 11) * 0.3 + _noise(rng, 40) * 0.15, np.float32)


def _grid() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    line = np.arange(SIDE, dtype=np.float32)
    return line[None, :], line[:, None]


def mat_colour(rng: np.random.Generator, split: str) -> NDArray[np.float32]:
    """A random RGB colour in 0..255 from the split's hues."""
    ranges = HUES[split]
    low, high = ranges[int(rng.integers(len(ranges)))]
    grey = rng.random() < 0.15
    saturation = rng.uniform(0.0, 0.15) if grey else rng.uniform(0.3, 0.95)
    rgb = colorsys.hsv_to_rgb(rng.uniform(low, high) % 1.0, saturation, rng.uniform(0.2, 0.92))
    return np.array(rgb, dtype=np.float32) * 255


def surface(rng: np.random.Generator, split: str) -> Picture:
    """A table top of the split's kinds and colours, shape (SIDE, SIDE, 3), RGB."""
    kinds = SURFACES[split]
    kind = kinds[int(rng.integers(len(kinds)))]
    colour = mat_colour(rng, split)
    x, y = _grid()
    fine = rng.standard_normal((SIDE, SIDE), dtype=np.float32)
    tone: NDArray[np.floating]
    if kind == "felt":
        tone = fine * rng.uniform(4, 12) + _clouds(rng) * rng.uniform(2, 8)
    elif kind == "weave":
        period = rng.uniform(6, 16)
        bumps = np.sin(x * 2 * np.pi / period) * np.sin(y * 2 * np.pi / period)
        tone = bumps * rng.uniform(8, 34) + fine * 4 + _clouds(rng) * 5
    elif kind == "cloth":
        folds = np.abs(_noise(rng, 5)) * 24 + np.abs(_noise(rng, 9)) * 10
        tone = folds - 12 + fine * rng.uniform(3, 9)
    elif kind == "wood":
        colour = np.array([rng.uniform(90, 225), 0, 0], dtype=np.float32)
        colour[1], colour[2] = colour[0] * rng.uniform(0.68, 0.95), colour[0] * rng.uniform(0.4, 0.88)
        rings = np.sin(
            _noise(rng, 5) * 3 + y * rng.uniform(0.04, 0.2) + cv2.resize(_noise(rng, 64)[::8], (SIDE, SIDE))
        )
        grain = cv2.blur(fine, (61, 1)) * 50
        tone = rings * rng.uniform(4, 16) + grain
        tone = tone + ((y % rng.uniform(90, 260)) < 2) * -40.0
    elif kind == "leather":
        tone = (np.abs(_noise(rng, 120)) - 0.7) * rng.uniform(6, 20) + _clouds(rng) * 6
    elif kind == "plain":
        tone = (x + y) * rng.uniform(-0.06, 0.06) + fine * rng.uniform(0, 3)
    elif kind == "fur":
        angle = int(rng.integers(2, 12))
        tone = (
            cv2.GaussianBlur(fine, (0, 0), 1.2) * 60
            + cv2.blur(fine, (3, angle * 2 + 1)) * 60
            + _clouds(rng) * 30
        )
    elif kind == "checker":
        period = rng.uniform(24, 150)
        tone = (
            np.where(((x // period) + (y // period)) % 2 > 0, 1.0, -1.0).astype(np.float32)
            * rng.uniform(8, 45)
            + fine * 4
        )
    elif kind == "speckle":
        tone = (fine > rng.uniform(1.2, 2.2)) * rng.uniform(20, 90) - (fine < -1.8) * 30.0 + _clouds(rng) * 6
    elif kind == "blotches":
        return _blotches(rng, split)
    elif kind == "ribs":
        period = rng.uniform(5, 18)
        tone = np.abs(np.sin(x * np.pi / period)) * rng.uniform(12, 45) + _clouds(rng) * 5 + fine * 3
    elif kind == "mosaic":
        cells = int(rng.integers(10, 40))
        patches = rng.standard_normal((cells, cells), dtype=np.float32) * rng.uniform(6, 22)
        tone = cv2.resize(patches, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST) + fine * 4
    elif kind == "stripes":
        period = rng.uniform(14, 90)
        tone = np.sign(np.sin(x * 2 * np.pi / period + y * 0.0)) * rng.uniform(10, 40) + fine * 5
    elif kind == "marble":
        veins = np.abs(np.sin(_clouds(rng) * 5 + (x + y) * 0.02))
        tone = -30 * np.exp(-veins * 9) + _clouds(rng) * 8 + fine * 2
        colour = colour * 0.3 + 160
    else:
        tone = (cv2.blur(fine, (15, 1)) + cv2.blur(fine, (1, 15))) * rng.uniform(20, 50) + _clouds(rng) * 4
    texture = colour[None, None, :] + np.asarray(tone, dtype=np.float32)[:, :, None]
    return np.asarray(np.clip(texture, 0, 255), dtype=np.uint8)


def _blotches(rng: np.random.Generator, split: str) -> Picture:
    """A printed cloth: random shapes in random colours."""
    picture = np.empty((SIDE, SIDE, 3), dtype=np.uint8)
    picture[:] = mat_colour(rng, split)
    for _ in range(int(rng.integers(8, 70))):
        centre = (int(rng.integers(SIDE)), int(rng.integers(SIDE)))
        colour = tuple(float(c) for c in rng.uniform(0, 255, 3))
        size = int(rng.integers(6, 90))
        way = rng.random()
        if way < 0.4:
            axes = (size, int(rng.integers(4, 60)))
            cv2.ellipse(
                picture,
                centre,
                axes,
                float(rng.uniform(0, 180)),
                0,
                360,
                colour,
                int(rng.choice([-1, 3, 8])),
                cv2.LINE_AA,
            )
        elif way < 0.7:
            corners = (np.array(centre) + rng.uniform(-size, size, (4, 2))).astype(np.int32)
            cv2.fillConvexPoly(picture, cv2.convexHull(corners), colour, cv2.LINE_AA)
        else:
            end = (centre[0] + int(rng.integers(-200, 200)), centre[1] + int(rng.integers(-200, 200)))
            cv2.line(picture, centre, end, colour, int(rng.integers(1, 12)), cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.6, 4))), dtype=np.uint8)
