"""Boxes on a table and the pinhole camera that looks at them.

World: x to the right, y away from the viewer, z up, the table is z = 0; the unit is one tile width.
A box's own axes: x to the right of the printed face, y towards its top, z out of the face.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIGNS: Array = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=np.float64)
"""Signs of the 8 corners of a box: index = (x > 0) + 2 * (y > 0) + 4 * (z > 0)."""

CAPS: dict[int, tuple[int, int, int, int]] = {1: (6, 7, 5, 4), -1: (3, 2, 0, 1)}
"""Corners of the face (1) and of the back (-1), clockwise from the top left as one looks at them."""


def turn(degrees: float) -> Array:
    """Rotation about z, anticlockwise as seen from above, shape (3, 3)."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


FACE_UP: Array = np.eye(3)
FACE_DOWN: Array = np.diag([-1.0, 1.0, -1.0])
STANDING: Array = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""On its short side, face towards the viewer."""


@dataclass(frozen=True, slots=True)
class Box:
    """centre: shape (3,); axes: shape (3, 3), columns are the box's own x, y, z; size: (3,) full lengths."""

    centre: Array
    axes: Array
    size: Array

    def corners(self, inset: float = 0.0) -> Array:
        """The 8 corners in the order of `SIGNS`, shape (8, 3), moved inwards by `inset` on every axis."""
        return self.centre + (SIGNS * (self.size / 2 - inset)) @ self.axes.T

    def cap(self, side: int) -> Array:
        """Corners of the face (side 1) or the back (-1), shape (4, 3), clockwise from the top left."""
        return self.corners()[list(CAPS[side])]


def overlapping(box: Box, others: list[Box], slack: float = 0.02) -> NDArray[np.bool_]:
    """Which of `others` share more than `slack` tile widths of space with `box`, shape (n,).

    By the separating axes of two boxes.
    """
    if not others:
        return np.zeros(0, dtype=np.bool_)
    axes = np.stack([other.axes for other in others])
    mine = np.broadcast_to(box.axes.T, (len(others), 3, 3))
    theirs = axes.transpose(0, 2, 1)
    crossed = np.cross(mine[:, :, None, :], theirs[:, None, :, :]).reshape(len(others), 9, 3)
    directions = np.concatenate([mine, theirs, crossed], axis=1)
    lengths = np.linalg.norm(directions, axis=2, keepdims=True)
    directions = directions / np.maximum(lengths, 1e-9)
    usable = lengths[:, :, 0] > 1e-6
    corners = np.stack([other.corners() for other in others])
    a = np.einsum("nkd,cd->nkc", directions, box.corners())
    b = np.einsum("nkd,ncd->nkc", directions, corners)
    depth = np.minimum(a.max(2), b.max(2)) - np.maximum(a.min(2), b.min(2))
    result: NDArray[np.bool_] = np.where(usable, depth, np.inf).min(1) > slack
    return result


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera.

    position: (3,); rotation: (3, 3), rows right, down, forward; focal and centre in pixels.
    """

    position: Array
    rotation: Array
    focal: float
    centre: tuple[float, float]

    @classmethod
    def looking_at(
        cls,
        target: tuple[float, float],
        *,
        elevation: float,
        yaw: float,
        roll: float,
        distance: float,
        focal: float,
        centre: tuple[float, float],
    ) -> Camera:
        """elevation: degrees above the table (90 looks straight down); yaw and roll in degrees."""
        e, a = math.radians(elevation), math.radians(yaw)
        back = np.array([math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)])
        forward = -back
        right = np.array([math.cos(a), math.sin(a), 0.0])
        down = np.cross(forward, right)
        rotation = turn(roll) @ np.stack([right, down, forward])
        position = np.array([target[0], target[1], 0.0]) + distance * back
        return cls(position, rotation, focal, centre)

    def project(self, points: Array) -> tuple[Array, Array]:
        """World points (n, 3) to pixels (n, 2) and depths (n,)."""
        local = (points - self.position) @ self.rotation.T
        depth = np.maximum(local[:, 2], 1e-3)
        pixels = self.focal * local[:, :2] / depth[:, None] + np.array(self.centre)
        return pixels, local[:, 2]

    def plane(self) -> Array:
        """The homography from table coordinates (x, y, 1) to pixels, shape (3, 3)."""
        k = np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1.0]])
        translation = -self.rotation @ self.position
        return k @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], translation])


def painters_order(boxes: list[Box], hulls: Array, eye: Array) -> list[int]:
    """Indices from far to near such that no box is painted before one that it hides.

    hulls: (n, 4) picture boxes; only boxes that meet in the picture are compared. Two boxes that
    do not share space are split by the plane of one of their sides; the one on the eye's side of
    it is nearer.
    """
    count = len(boxes)
    axes = np.stack([box.axes for box in boxes]).transpose(0, 2, 1)
    normals = np.concatenate([axes, -axes], axis=1)
    centres = np.stack([box.centre for box in boxes])
    halves = np.stack([box.size / 2 for box in boxes])
    offsets = np.einsum("nkd,nd->nk", normals, centres) + np.concatenate([halves, halves], axis=1)
    corners = np.stack([box.corners() for box in boxes])
    eye_outside = np.einsum("nkd,d->nk", normals, eye) > offsets
    first, second = np.triu_indices(count, 1)
    meet = (
        (hulls[first, 0] <= hulls[second, 2])
        & (hulls[second, 0] <= hulls[first, 2])
        & (hulls[first, 1] <= hulls[second, 3])
        & (hulls[second, 1] <= hulls[first, 3])
    )
    first, second = first[meet], second[meet]

    def clearance(a: NDArray[np.intp], b: NDArray[np.intp]) -> Array:
        heights = np.einsum("pkd,pcd->pkc", normals[a], corners[b]) - offsets[a][:, :, None]
        lowest: Array = heights.min(2)
        return lowest

    after: list[list[int]] = [[] for _ in range(count)]
    waiting = np.zeros(count, dtype=int)
    if len(first):
        gap_a, gap_b = clearance(first, second), clearance(second, first)
        for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            side_a, side_b = int(gap_a[i].argmax()), int(gap_b[i].argmax())
            if gap_a[i, side_a] >= gap_b[i, side_b]:
                a_first = bool(eye_outside[a, side_a])
            else:
                a_first = not bool(eye_outside[b, side_b])
            far, near = (a, b) if a_first else (b, a)
            after[far].append(near)
            waiting[near] += 1
    distance = np.linalg.norm(centres - eye, axis=1)
    order: list[int] = []
    left = set(range(count))
    while left:
        ready = [i for i in left if waiting[i] == 0] or [max(left, key=lambda i: float(distance[i]))]
        for i in sorted(ready, key=lambda i: -float(distance[i])):
            order.append(i)
            left.discard(i)
            for near in after[i]:
                waiting[near] -= 1
    return order
