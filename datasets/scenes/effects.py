"""What a camera does to a picture: light, colour, blur, noise, compression. All RGB, uint8 in and out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def develop(picture: Picture, rng: np.random.Generator, *, sharpness: float) -> Picture:
    """A phone's view of the rendered picture.

    sharpness: width of a typical tile in pixels; blur never wipes out more than tiles can bear.
    """
    height, width = picture.shape[:2]
    scale = max(width, height) / 960
    picture = _blurred(picture, rng, sharpness)
    out = picture.astype(np.float32)
    out *= _light(rng, width, height)
    if rng.random() < 0.25:
        out += _glare(rng, width, height)
    balance = 1 + rng.normal(0, 0.05, 3) if rng.random() < 0.8 else 1 + rng.normal(0, 0.14, 3)
    out *= (balance * rng.uniform(0.85, 1.35)).astype(np.float32)
    if rng.random() < 0.35:
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * np.float32(rng.uniform(0.5, 1.4))
    if rng.random() < 0.5:
        out = (out - 128) * np.float32(rng.uniform(0.75, 1.2)) + np.float32(128 + rng.uniform(-15, 15))
    if rng.random() < 0.75:
        sigma = float(rng.uniform(1, 5) if rng.random() < 0.75 else rng.uniform(5, 13))
        noise = rng.standard_normal((max(height // 2, 1), max(width // 2, 1), 3), dtype=np.float32)
        coarse = rng.random() < 0.5
        way = cv2.INTER_LINEAR if coarse else cv2.INTER_NEAREST
        noise = np.asarray(cv2.resize(noise, (width, height), interpolation=way), dtype=np.float32)
        if not coarse:
            noise += rng.standard_normal((height, width, 1), dtype=np.float32) * np.float32(0.7)
        out += noise * np.float32(sigma)
    out_8 = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        table = (255 * (np.arange(256) / 255) ** rng.uniform(0.7, 1.35)).astype(np.uint8)
        out_8 = table[out_8]
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(out_8, (0, 0), 1.2 * scale)
        out_8 = np.asarray(cv2.addWeighted(out_8, 1.6, soft, -0.6, 0), dtype=np.uint8)
    return _compressed(out_8, rng)


def _blurred(picture: Picture, rng: np.random.Generator, tile_width: float) -> Picture:
    bearable = tile_width / 40
    if rng.random() < 0.45:
        sigma = float(rng.uniform(0.2, 1.0) * bearable)
        if sigma > 0.25:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), dtype=np.uint8)
    if rng.random() < 0.12:
        length = max(round(rng.uniform(1, 4) * bearable), 1)
        if length > 1:
            kernel = np.zeros((2 * length + 1, 2 * length + 1), dtype=np.float32)
            angle = rng.uniform(0, np.pi)
            reach = (length * np.cos(angle), length * np.sin(angle))
            ends = [(round(length - s * reach[0]), round(length - s * reach[1])) for s in (-0.5, 0.5)]
            cv2.line(kernel, ends[0], ends[1], 1.0, 1)
            picture = np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), dtype=np.uint8)
    if rng.random() < 0.12:
        small = rng.uniform(0.55, 0.9)
        size = (picture.shape[1], picture.shape[0])
        if tile_width * small > 14:
            reduced = cv2.resize(picture, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
            grown = cv2.resize(reduced, size, interpolation=cv2.INTER_LINEAR)
            picture = np.asarray(grown, dtype=np.uint8)
    return picture


def _light(rng: np.random.Generator, width: int, height: int) -> NDArray[np.float32]:
    """Uneven light and vignetting as factors, shape (height, width, 1)."""
    y, x = np.mgrid[0:24, 0:32].astype(np.float32)
    x, y = x / 31 - 0.5, y / 23 - 0.5
    angle = rng.uniform(0, 2 * np.pi)
    field = 1 + rng.uniform(0, 0.45) * (x * np.cos(angle) + y * np.sin(angle))
    field = field * (1 - rng.uniform(0, 0.45) * (x * x + y * y))
    if rng.random() < 0.2:
        # The edge of a shadow, of the photographer or of a lamp's shade.
        distance = x * np.sin(angle) - y * np.cos(angle) - rng.uniform(-0.4, 0.4)
        field = field * (1 - rng.uniform(0.1, 0.45) / (1 + np.exp(-distance * rng.uniform(8, 40))))
    if rng.random() < 0.3:
        field = field + 0.1 * cv2.resize(rng.standard_normal((4, 5)).astype(np.float32), (32, 24))
    grown = cv2.resize(field.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.maximum(grown, 0.2)[:, :, None], dtype=np.float32)


def _glare(rng: np.random.Generator, width: int, height: int) -> NDArray[np.float32]:
    """Reflections of lamps, added light, shape (height, width, 1)."""
    glow = np.zeros((60, 80), dtype=np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre = (int(rng.integers(80)), int(rng.integers(60)))
        axes = (int(rng.integers(2, 22)), int(rng.integers(1, 9)))
        cv2.ellipse(glow, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(25, 110)), -1)
    soft = cv2.GaussianBlur(glow, (0, 0), float(rng.uniform(2, 7)))
    grown = cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(grown, dtype=np.float32)[:, :, None]


def _compressed(picture: Picture, rng: np.random.Generator) -> Picture:
    quality = int(rng.integers(35, 75)) if rng.random() < 0.25 else int(rng.integers(75, 97))
    done, data = cv2.imencode(".jpg", picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    again = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert done
    assert again is not None
    return np.ascontiguousarray(again[:, :, ::-1], dtype=np.uint8)
