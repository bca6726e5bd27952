"""Flower faces with any picture: what names such a face are its letters alone.

The eight flowers have no pictures of their own on sets on sale: people, boats, birds and any plant
stand beside the name. Faces whose picture says nothing of the flower teach a reader the letters.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from .shapes import branch, circle

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in units of a face (300 x 400)."""

Numbered = Literal["1", "一", ""]
"""The number beside the name: in digits, in Chinese numerals, or none."""

_SOIL = ("#5b3a22", "#7a4a1d", "#3b3226")
_PETALS = ("#e0b13a", "#d9971e", "#c8508c", "#f0f0ea")


class Garden(NamedTuple):
    """Where the letters of a set's flowers stand, and how the flowers are numbered."""

    name: Box
    number: Box
    numbered: Numbered
    picture: Box


def garden(seed: int) -> Garden:
    """How the set `seed` lays its flowers out; the same for all eight of them."""
    rng = np.random.default_rng([seed, 0x6A4D])
    numbered: Numbered = ("1", "一", "")[int(rng.choice(3, p=(0.6, 0.2, 0.2)))]
    large = rng.uniform(60, 130)
    left, low = rng.random() < 0.5, rng.random() < 0.15
    small = rng.uniform(34, 62)
    rows = (388 - large * 1.15, 388.0) if low else (16.0, 16 + large * 1.15)
    name = (14.0, rows[0], 14 + large, rows[1]) if left else (286 - large, rows[0], 286.0, rows[1])
    x = 286 - small if left else 14.0
    number = (x, 20.0, x + small, 20 + small * 1.4)
    picture = (30.0, 40.0, 270.0, 300.0) if low else (30.0, 60 + large * 0.7, 270.0, 384.0)
    return Garden(name, number, numbered, picture)


def planted(seed: int, tile: str, box: Box, inks: tuple[str, ...]) -> list[str]:
    """SVG elements of a picture within `box`, of the set `seed`; another one for every tile."""
    rng = np.random.default_rng([seed, *tile.encode()])

    def one(colours: tuple[str, ...]) -> str:
        return colours[int(rng.integers(len(colours)))]

    parts = []
    if rng.random() < 0.4:
        parts += _scenery(rng, box, one((*inks, *_PETALS)))
    stem, leaf = one((*inks, *_SOIL)), one(inks)
    blossom, heart = one((*inks, *_PETALS)), one((*inks, *_PETALS))
    petals = int(rng.integers(3, 12))
    for _ in range(int(rng.integers(1, 4))):
        path, points = _stem(rng, box)
        parts.append(branch(path, stem, round(float(rng.uniform(5, 15)), 1)))
        for x, y in points:
            if rng.random() < 0.55:
                parts.append(_leaf(x, y, rng.uniform(40, 110), rng.uniform(0, 360), leaf))
        if rng.random() < 0.7:
            x, y = points[-1]
            parts += _blossom(x, y, rng.uniform(22, 62), petals, blossom, heart)
    return parts


def _within(rng: np.random.Generator, box: Box) -> tuple[float, float]:
    return float(rng.uniform(box[0], box[2])), float(rng.uniform(box[1], box[3]))


def _stem(rng: np.random.Generator, box: Box) -> tuple[str, list[tuple[float, float]]]:
    """A curve up from the foot of `box`, and five points on it from the foot to its tip."""
    foot = (float(rng.uniform(box[0], box[2])), box[3] - float(rng.uniform(0, 40)))
    bends = [_within(rng, box) for _ in range(3)]
    control = np.array([foot, *bends])
    path = f"M{foot[0]:.0f} {foot[1]:.0f}C" + " ".join(f"{x:.0f} {y:.0f}" for x, y in bends)
    points = []
    for t in (0.2, 0.4, 0.6, 0.8, 1.0):
        weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
        x, y = weights @ control
        points.append((float(x), float(y)))
    return path, points


def _leaf(x: float, y: float, length: float, angle: float, colour: str) -> str:
    return (
        f'<path fill="{colour}" transform="translate({x:.0f} {y:.0f}) rotate({angle:.0f})" '
        f'd="M0 0Q{length / 2:.0f} {-length / 4:.0f} {length:.0f} 0Q{length / 2:.0f} {length / 4:.0f} 0 0Z"/>'
    )


def _blossom(x: float, y: float, radius: float, petals: int, colour: str, heart: str) -> list[str]:
    turns = (2 * math.pi * n / petals for n in range(petals))
    size, out = radius * min(0.5, 2.4 / petals), radius * 0.6
    return [
        *(_disc(x + out * math.cos(turn), y + out * math.sin(turn), size, colour) for turn in turns),
        _disc(x, y, radius * 0.3, heart),
    ]


def _disc(x: float, y: float, radius: float, colour: str) -> str:
    return circle(round(x), round(y), round(radius), colour)


def _scenery(rng: np.random.Generator, box: Box, colour: str) -> list[str]:
    """A hill, a moon, or somebody in a gown."""
    x, y = _within(rng, box)
    kind = int(rng.integers(3))
    if kind == 0:
        top = float(rng.uniform(box[1], box[3]))
        left, right, low = round(box[0]), round(box[2]), round(box[3])
        return [f'<path fill="{colour}" d="M{left} {low}Q{x:.0f} {top:.0f} {right} {low}Z"/>']
    if kind == 1:
        return [_disc(x, y, rng.uniform(16, 44), colour)]
    head, tall = float(rng.uniform(14, 26)), float(rng.uniform(90, 170))
    foot = box[3] - float(rng.uniform(0, 20))
    return [
        _disc(x, foot - tall - head * 0.6, head, _SOIL[0]),
        f'<path fill="{colour}" d="M{x - head:.0f} {foot - tall:.0f}L{x + head:.0f} {foot - tall:.0f}'
        f'L{x + head * 2.4:.0f} {foot:.0f}L{x - head * 2.4:.0f} {foot:.0f}Z"/>',
    ]
