"""How one scene's tiles look: proportions, ivory, backs, and the textures of every face."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from .designs import FACE_HEIGHT, FACE_WIDTH, Face
from .font_sets import Split

Texture = NDArray[np.float32]
"""Premultiplied RGBA, values 0..255 (alpha too), shape (h, w, 4)."""

BACK_HUES: dict[Split, tuple[tuple[float, float], ...]] = {
    "train": ((0.28, 0.45), (0.28, 0.45), (0.52, 0.66), (0.1, 0.15), (0.95, 1.02)),
    "development": ((0.16, 0.22), (0.85, 0.92)),
    "held-out": ((0.025, 0.055), (0.7, 0.82), (0.455, 0.51)),
}
"""Hues of the backs: green, blue, yellow and red, besides brown and grey ones in training;
development: lime and pink; held-out: orange, violet and turquoise. No hue is in two of them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Proportions of a tile; the unit is its width. split: share of the depth that has the back's colour."""

    height: float
    depth: float
    radius: float
    split: float

    @property
    def size(self) -> NDArray[np.float64]:
        """Full lengths along a tile's own axes, shape (3,)."""
        return np.array([1.0, self.height, self.depth])


def random_shape(rng: np.random.Generator) -> Shape:
    """Proportions as real sets have them: 1.25-1.42 high, 0.55-0.85 deep."""
    return Shape(
        height=float(rng.uniform(1.25, 1.42)),
        depth=float(rng.uniform(0.55, 0.85)),
        radius=float(rng.uniform(0.05, 0.13)),
        split=float(rng.choice([rng.uniform(0.25, 0.5), rng.uniform(0.12, 0.25)], p=[0.75, 0.25])),
    )


@dataclass(frozen=True)
class Appearance:
    """One set of tiles as it looks in one scene. Colours are RGB, 0..255, shape (3,)."""

    shape: Shape
    ivory: NDArray[np.float32]
    back: NDArray[np.float32]
    gloss: float
    faces: Mapping[str, Face]
    margin: float
    ink: NDArray[np.float32]
    engraving: float
    back_pattern: int
    _textures: dict[tuple[str, int], Texture] = field(default_factory=dict, repr=False, compare=False)
    _rims: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def texture(self, tile: str, pixels: float) -> Texture:
        """The face of `tile` (or `back`), about as wide as it will be in the picture."""
        width = FACE_WIDTH
        while width * 0.5 >= pixels * 0.95 and width > 12:
            width //= 2
        key = (tile, width)
        if key not in self._textures:
            drawn = max(width, 48)
            size = (drawn, drawn * FACE_HEIGHT // FACE_WIDTH)
            texture = self._back(size) if tile == "back" else self._face(tile, size)
            if drawn != width:
                size = (width, width * FACE_HEIGHT // FACE_WIDTH)
                texture = np.asarray(
                    cv2.resize(texture, size, interpolation=cv2.INTER_AREA), dtype=np.float32
                )
            self._textures[key] = texture
        return self._textures[key]

    def _face(self, tile: str, size: tuple[int, int]) -> Texture:
        face = self.faces[tile]
        width, height = round(size[0] * (1 - 2 * self.margin)), round(size[1] * (1 - 2 * self.margin))
        drawn = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
        art = np.zeros((size[1], size[0], 4), dtype=np.float32)
        x, y = (size[0] - width) // 2, (size[1] - height) // 2
        art[y : y + height, x : x + width] = drawn
        opacity = art[:, :, 3:] / 255
        ink = np.clip(art[:, :, :3] @ self.ink, 0, 255)
        rgb = self.ivory * (1 - opacity) + ink * opacity
        if self.engraving and size[0] >= 96:
            # Carved strokes have a lit and a shaded edge.
            step = size[0] // 96
            edge = cv2.GaussianBlur(art[:, :, 3], (0, 0), 0.75 * step)
            slope = np.roll(edge, step, axis=(0, 1)) - np.roll(edge, -step, axis=(0, 1))
            rgb += (slope * self.engraving * 0.18)[:, :, None]
        return self._finished(rgb)

    def _back(self, size: tuple[int, int]) -> Texture:
        rgb = np.empty((size[1], size[0], 3), dtype=np.float32)
        rgb[:] = self.back
        x = np.arange(size[0], dtype=np.float32)[None, :] * (FACE_WIDTH / size[0])
        y = np.arange(size[1], dtype=np.float32)[:, None] * (FACE_WIDTH / size[0])
        if self.back_pattern == 1:
            rgb += (12 * np.sin(x / 7) * np.sin(y / 7))[:, :, None]
        elif self.back_pattern == 2:
            lattice = ((x + y) % 32 < 4) | ((x - y) % 32 < 4)
            rgb += (lattice * 28.0).astype(np.float32)[:, :, None]
        elif self.back_pattern == 3:
            frame = np.minimum(np.minimum(x, x[:, ::-1]) * 1.0, np.minimum(y, y[::-1]))
            rgb += (((frame > 14) & (frame < 22)) * 40.0).astype(np.float32)[:, :, None]
        elif self.back_pattern == 4:
            rgb += (8 * np.sin(y / 3 + np.sin(x / 30) * 4))[:, :, None]
        return self._finished(rgb)

    def _finished(self, rgb: NDArray[np.float32]) -> Texture:
        """Rounds the corners and shades the rim."""
        height, width = rgb.shape[:2]
        if width not in self._rims:
            radius = self.shape.radius * width
            stretch = height / width / self.shape.height
            x = np.abs(np.arange(width) + 0.5 - width / 2)[None, :]
            y = np.abs(np.arange(height) + 0.5 - height / 2)[:, None] / stretch
            qx, qy = np.maximum(x - width / 2 + radius, 0), np.maximum(y - height / 2 / stretch + radius, 0)
            outside = np.hypot(qx, qy) - radius
            inner = np.maximum(x - width / 2, y - height / 2 / stretch)
            depth = -np.where((qx > 0) & (qy > 0), outside, inner)
            alpha = np.clip(-outside / 1.2 + 0.5, 0, 1)
            shade = 1 - 0.16 * np.clip(1 - depth / (radius * 0.9), 0, 1) ** 2
            self._rims[width] = (alpha * shade).astype(np.float32), alpha.astype(np.float32)
        lit, alpha_32 = self._rims[width]
        texture = np.empty((height, width, 4), dtype=np.float32)
        texture[:, :, :3] = np.clip(rgb, 0, 255) * lit[:, :, None]
        texture[:, :, 3] = alpha_32 * 255
        return texture


def random_appearance(rng: np.random.Generator, split: Split, faces: Mapping[str, Face]) -> Appearance:
    """A set with these faces in random ivory, back colour, proportions and inks."""
    hues = BACK_HUES[split]
    low, high = hues[int(rng.integers(len(hues)))]
    style = rng.random()
    if split == "train" and style < 0.12:
        saturation, value = 0.05, rng.uniform(0.1, 0.95)
    elif split == "train" and style < 0.22:
        low, high, saturation, value = 0.06, 0.12, rng.uniform(0.3, 0.6), rng.uniform(0.5, 0.85)
    else:
        saturation, value = rng.uniform(0.35, 0.95), rng.uniform(0.25, 0.85)
    back = (
        np.array(colorsys.hsv_to_rgb(rng.uniform(low, high) % 1, saturation, value), dtype=np.float32) * 255
    )
    light = rng.uniform(222, 252)
    warm = rng.choice([rng.uniform(0, 8), rng.uniform(8, 34)], p=[0.6, 0.4])
    ivory = np.array([light, light - warm * 0.35, light - warm], dtype=np.float32)
    ink = np.eye(3, dtype=np.float32) * rng.uniform(0.75, 1.1, 3).astype(np.float32)
    ink += rng.normal(0, 0.05, (3, 3)).astype(np.float32)
    if rng.random() < 0.08:
        mean = np.full((3, 3), 1 / 3, dtype=np.float32)
        ink = ink * 0.5 + mean * 0.5
    return Appearance(
        shape=random_shape(rng),
        ivory=ivory,
        back=back,
        gloss=float(rng.choice([0.0, rng.uniform(0, 0.5), rng.uniform(0.5, 1.0)])),
        faces=faces,
        margin=float(rng.uniform(0.03, 0.12)),
        ink=ink,
        engraving=float(rng.choice([0.0, rng.uniform(0.3, 1.0)])),
        back_pattern=int(rng.choice(5, p=[0.5, 0.15, 0.12, 0.11, 0.12])),
    )
