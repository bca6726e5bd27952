"""Paints boxes into a picture through a camera, and remembers which pixel shows which box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .appearance import Appearance, Texture
from .geometry import SIGNS, Array, Box, Camera

Picture = NDArray[np.uint8]
Owner = NDArray[np.int32]
"""Which box a pixel shows: 2 * index + 2 for its body, one more for its face or back; 0 the table."""

_CIRCLE: Array = np.stack([np.cos(np.arange(10) * np.pi / 5), np.sin(np.arange(10) * np.pi / 5)], axis=1)

# Corners of the four narrow sides by axis and sign, around each side; two of them at the back (z < 0) first.
_SIDES: dict[tuple[int, int], tuple[int, int, int, int]] = {
    (0, 1): (1, 3, 7, 5),
    (0, -1): (2, 0, 4, 6),
    (1, 1): (3, 2, 6, 7),
    (1, -1): (0, 1, 5, 4),
}


@dataclass(frozen=True, slots=True)
class Lamp:
    """direction: unit vector towards the light; ambient: share of light without direction."""

    direction: Array
    ambient: float

    def on(self, normal: Array) -> float:
        """Brightness of a side that faces `normal`; 1 for one that faces the light."""
        return self.ambient + (1 - self.ambient) * max(float(normal @ self.direction), 0.0)


def fill(
    picture: NDArray[Any], points: Array, colour: NDArray[np.generic] | tuple[float, ...]
) -> None:
    """Fills a convex polygon (n, 2), smooth edges, subpixel corners."""
    fixed = np.round(np.clip(points, -4000, 12000) * 16).astype(np.int32)
    cv2.fillConvexPoly(picture, fixed, tuple(float(c) for c in colour), cv2.LINE_AA, 4)


def _own(owner: Owner, points: Array, value: int) -> None:
    cv2.fillConvexPoly(owner, np.round(np.clip(points, -4000, 12000)).astype(np.int32), value)


def rounded_hull(box: Box, camera: Camera, radius: float) -> Array:
    """Outline of a box with rounded edges, in pixels, shape (n, 2)."""
    centres, depths = camera.project(box.corners(radius))
    radii = radius * camera.focal / np.maximum(depths, 0.05)
    around = (centres[:, None, :] + radii[:, None, None] * _CIRCLE).reshape(-1, 2)
    hull: Array = cv2.convexHull(around.astype(np.float32))[:, 0, :].astype(np.float64)
    return hull


def seen_cap(box: Box, camera: Camera) -> int:
    """1 if the camera sees the face's side of the box, -1 if the back's."""
    return 1 if float((camera.position - box.centre) @ box.axes[:, 2]) > 0 else -1


def paint_tile(
    picture: Picture,
    owner: Owner,
    box: Box,
    tile: str,
    index: int,
    camera: Camera,
    lamp: Lamp,
    look: Appearance,
    tint: float,
) -> None:
    """One tile: body with the back's colour behind the ivory, then the face or the back.

    tint: brightness of this tile relative to the others.
    """
    shape = look.shape
    cap = seen_cap(box, camera)
    hull = rounded_hull(box, camera, shape.radius)
    normal = box.axes[:, 2] * cap
    light = lamp.on(normal) * tint
    to_eye = camera.position - box.centre
    to_eye = to_eye / np.linalg.norm(to_eye)
    mirrored = 2 * float(normal @ lamp.direction) * normal - lamp.direction
    shine = look.gloss * max(float(mirrored @ to_eye), 0.0) ** 12 * 60
    front = look.ivory if cap == 1 else look.back
    fill(picture, hull, front * min(light, 1.08) * 0.88)
    _own(owner, hull, 2 * index + 2)

    half = box.size / 2
    parting = -half[2] + shape.split * box.size[2]
    for (axis, sign), corners in _SIDES.items():
        outward = box.axes[:, axis] * sign
        middle = box.centre + outward * half[axis]
        if float((camera.position - middle) @ outward) <= 0:
            continue
        brightness = lamp.on(outward) * tint * 0.94
        for low, high, colour in ((-half[2], parting, look.back), (parting, half[2], look.ivory)):
            quad = SIGNS[list(corners)] * half
            quad[:, 2] = np.where(quad[:, 2] < 0, low, high)
            # Rounded edges: a side ends a little before the corner.
            inset = shape.radius * 0.45
            quad[:, 1 - axis] -= np.sign(quad[:, 1 - axis]) * inset
            quad[:, 2] = np.clip(quad[:, 2], -half[2] + inset, half[2] - inset)
            pixels, _ = camera.project(box.centre + quad @ box.axes.T)
            fill(picture, pixels, np.clip(colour * brightness, 0, 255))

    quad_pixels, depths = camera.project(box.cap(cap))
    width = camera.focal / max(float(depths.mean()), 0.05)
    texture = look.texture(tile if cap == 1 else "back", width)
    _paste(picture, texture, quad_pixels, light, shine)
    _own(owner, quad_pixels, 2 * index + 3)


def _paste(picture: Picture, texture: Texture, quad: Array, light: float, shine: float) -> None:
    """Lays a texture (premultiplied RGBA) onto a quadrilateral, clockwise from its top left."""
    x0, y0 = np.floor(quad.min(axis=0)).astype(int) - 1
    x1, y1 = np.ceil(quad.max(axis=0)).astype(int) + 2
    x0, y0 = max(int(x0), 0), max(int(y0), 0)
    x1, y1 = min(int(x1), picture.shape[1]), min(int(y1), picture.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    height, width = texture.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, (quad - (x0, y0)).astype(np.float32))
    flat = cv2.warpPerspective(texture, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
    region = picture[y0:y1, x0:x1]
    alpha = flat[:, :, 3:] / 255
    mixed = region * (1 - alpha) + flat[:, :, :3] * light + shine * alpha
    region[:] = np.clip(mixed, 0, 255)


def paint_block(
    picture: Picture,
    owner: Owner,
    box: Box,
    index: int,
    camera: Camera,
    lamp: Lamp,
    colour: NDArray[np.float32],
    top: Texture | None,
    radius: float,
) -> None:
    """A plain box (die, rack, tray, marker) in one colour, optionally with a texture on its face."""
    hull = rounded_hull(box, camera, radius)
    fill(picture, hull, np.clip(colour * lamp.on(np.array([0.0, 0.0, 1.0])) * 0.9, 0, 255))
    _own(owner, hull, 2 * index + 2)
    corners = box.corners()
    for axis, sides in (
        (0, ((1, 3, 7, 5), (2, 0, 4, 6))),
        (1, ((3, 2, 6, 7), (0, 1, 5, 4))),
        (2, ((6, 7, 5, 4), (3, 2, 0, 1))),
    ):
        for sign, side in zip((1, -1), sides, strict=True):
            outward = box.axes[:, axis] * sign
            middle = box.centre + outward * box.size[axis] / 2
            if float((camera.position - middle) @ outward) <= 0:
                continue
            inner = corners[list(side)]
            inner = inner + (inner.mean(axis=0) - inner) * min(radius / float(box.size.min()), 0.4) * 0.6
            pixels, _ = camera.project(inner)
            fill(picture, pixels, np.clip(colour * lamp.on(outward), 0, 255))
            if axis == 2 and sign == 1 and top is not None:
                _paste(picture, top, camera.project(corners[list(side)])[0], lamp.on(outward), 0.0)


def paint_shadows(
    picture: Picture, boxes: list[Box], camera: Camera, lamp: Lamp, strength: float, softness: float
) -> None:
    """Darkens the table where boxes keep the light away: a cast shadow and a tighter one at the foot.

    softness: blur of the cast shadow in tile widths.
    """
    height, width = picture.shape[:2]
    scale = 4 if max(height, width) > 700 else 2
    small = (height // scale + 1, width // scale + 1)
    cast, contact = np.zeros(small, dtype=np.uint8), np.zeros(small, dtype=np.uint8)
    slope = lamp.direction[:2] / max(float(lamp.direction[2]), 0.35)
    for box in boxes:
        corners = box.corners()
        thrown = corners.copy()
        thrown[:, :2] -= slope * thrown[:, 2:3]
        thrown[:, 2] = 0
        foot = corners.copy()
        foot[:, :2] = foot[:, :2] + (foot[:, :2] - box.centre[:2]) * 0.04
        foot[:, 2] = 0
        for layer, points in ((cast, thrown), (contact, foot)):
            if layer is contact and corners[:, 2].min() > 0.2:
                continue
            pixels, depths = camera.project(points)
            if depths.min() > 0.2:
                fill(
                    layer,
                    cv2.convexHull((pixels / scale).astype(np.float32))[:, 0, :].astype(np.float64),
                    (255.0,),
                )
    unit = camera.focal / float(np.linalg.norm(camera.position)) / scale
    cast = cv2.GaussianBlur(cast, (0, 0), max(softness * unit, 0.6))
    contact = cv2.GaussianBlur(contact, (0, 0), max(0.06 * unit, 0.5))
    shade = (
        1
        - np.maximum(cast.astype(np.float32) * strength, contact * np.float32(min(strength + 0.25, 0.75)))
        / 255
    )
    grown = cv2.resize(shade, (small[1] * scale, small[0] * scale), interpolation=cv2.INTER_LINEAR)
    picture[:] = (picture * grown[:height, :width, None]).astype(np.uint8)
