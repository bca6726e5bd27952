"""What moves: the camera's own motion taken out, then change by cells of a small grey picture.

Reading a frame in full costs a hundred times what this costs, so this decides when to look. A camera
that shakes, pans or zooms moves every pixel; what counts is what moves on the table.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .footage import Frame

Affine = NDArray[np.float64]
"""Shape (2, 3): from pixels of one small picture to pixels of another."""

LONG_SIDE = 640
"""Pixels of the small picture: a tile is still some eight pixels wide on a filmed table."""
CELL = 16
"""Pixels of a cell's side in the small picture."""
CHANGED = 4.0
"""Grey levels by which a cell differs at least when something moves in it …"""
OVER_NOISE = 4.0
"""… and at least this many times as much as the typical cell, which shows noise and compression."""
IDENTITY: Affine = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

_NEIGHBOURS = np.ones((3, 3), dtype=np.uint8)
_CORNERS = 160
_LEAST_CORNERS = 12
_STILL = 4.5
"""Grey levels: below this mean difference a picture without corners is taken for the same."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A small grey look at one frame.

    number, seconds: of the frame. grey: shape (rows, columns). scale: small pixels per frame pixel.
    to_previous: where this picture's pixels lie in the previous one; None after a cut.
    moving: (rows, columns) of cells, whether something moved there since the previous glance.
    sharpness: mean strength of edges; comparable only between glances at the same scene.
    """

    number: int
    seconds: float
    grey: NDArray[np.uint8]
    scale: float
    to_previous: Affine | None
    moving: NDArray[np.bool_]
    sharpness: float


class Motion:
    """Glances at one frame after another, the last ones kept."""

    def __init__(self, keep: float) -> None:
        """keep: seconds of glances that are kept."""
        self._keep = keep
        self.past: deque[Glance] = deque()

    def feed(self, frame: Frame) -> Glance:
        """The glance at the next frame; it is also the last of `past`."""
        grey = frame.grey(LONG_SIDE)
        shape = (-(-grey.shape[0] // CELL), -(-grey.shape[1] // CELL))
        previous = self.past[-1] if self.past else None
        if previous is not None and previous.grey.shape != grey.shape:
            self.past.clear()
            previous = None
        to_previous: Affine | None = None
        moving = np.ones(shape, dtype=np.bool_)
        if previous is not None:
            to_previous, moving = _compared(grey, previous.grey)
        glance = Glance(
            frame.number,
            frame.seconds,
            grey,
            grey.shape[1] / frame.width,
            to_previous,
            moving,
            sharpness(grey),
        )
        self.past.append(glance)
        while self.past[0].seconds < frame.seconds - self._keep:
            self.past.popleft()
        return glance


def sharpness(grey: NDArray[np.uint8]) -> float:
    """Mean absolute Laplacian: it falls with every blur and doesn't depend on brightness alone."""
    edges = cv2.Laplacian(grey, cv2.CV_16S, ksize=1)
    return float(np.abs(edges).mean())


def _compared(
    grey: NDArray[np.uint8], previous: NDArray[np.uint8]
) -> tuple[Affine | None, NDArray[np.bool_]]:
    """The camera's motion and the cells that moved beyond it."""
    moving = moving_cells(grey, previous, IDENTITY)
    if not moving.any():
        return IDENTITY, moving
    to_previous = align(grey, previous)
    if to_previous is None:
        return None, np.ones_like(moving)
    explained = moving_cells(grey, previous, to_previous)
    # Where the camera stands, the estimate is only as good as its corners.
    return (IDENTITY, moving) if moving.sum() <= explained.sum() else (to_previous, explained)


def align(grey: NDArray[np.uint8], other: NDArray[np.uint8], guess: Affine | None = None) -> Affine | None:
    """Where the pixels of `grey` lie in `other`, for a camera that shifted, turned or zoomed.

    Corners of the picture are followed by optical flow and most of them must agree (Shi and Tomasi
    1994; Lucas and Kanade in pyramids, Bouguet 2001; RANSAC). guess: about where they lie.
    None where the pictures show different things.
    """
    points = cv2.goodFeaturesToTrack(grey, _CORNERS, 0.01, 8)
    if points is None or len(points) < _LEAST_CORNERS:
        # Nothing to hold on to, a bare table: only what stands still can be the same.
        return IDENTITY if float(cv2.absdiff(grey, other).mean()) < _STILL else None
    start = points if guess is None else (points[:, 0] @ guess[:, :2].T + guess[:, 2])[:, None]
    moved, found, _ = cv2.calcOpticalFlowPyrLK(
        grey,
        other,
        points,
        np.array(start, dtype=np.float32),
        winSize=(15, 15),
        maxLevel=3,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    kept = found[:, 0] == 1
    if int(kept.sum()) < _LEAST_CORNERS:
        return None
    cv2.setRNGSeed(1)
    matrix, inliers = cv2.estimateAffinePartial2D(
        points[kept], moved[kept], method=cv2.RANSAC, ransacReprojThreshold=1.5
    )
    # A third is enough: a hand or an arm across the table may carry half the corners.
    if matrix is None or int(inliers.sum()) < max(_LEAST_CORNERS // 2, 0.3 * len(points)):
        return None
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    return np.asarray(matrix, dtype=np.float64) if 0.4 < scale < 2.5 else None


def moving_cells(
    grey: NDArray[np.uint8], previous: NDArray[np.uint8], to_previous: Affine
) -> NDArray[np.bool_]:
    """Cells of `grey` in which something moved, once the camera's motion and the light are taken out."""
    rows, columns = grey.shape
    soft = np.asarray(cv2.blur(grey, (3, 3)), dtype=np.uint8)
    before = np.asarray(cv2.blur(previous, (3, 3)), dtype=np.uint8)
    seen = np.ones((rows, columns), dtype=np.bool_)
    if to_previous is not IDENTITY:
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        before = np.asarray(cv2.warpAffine(before, to_previous, (columns, rows), flags=flags), dtype=np.uint8)
        seen = cv2.warpAffine(np.ones_like(previous), to_previous, (columns, rows), flags=flags) > 0
    level = soft.astype(np.float32) - _median_difference(soft, before, seen)
    # An edge may be a pixel off: only what lies outside of the range of its neighbourhood has changed.
    above, below = level - cv2.dilate(before, _NEIGHBOURS), cv2.erode(before, _NEIGHBOURS) - level
    strength = np.where(seen, np.maximum(np.maximum(above, below), 0.0), 0.0).astype(np.float32)
    cells = cell_means(strength)
    limit = max(CHANGED, OVER_NOISE * float(np.median(cells)))
    return np.asarray(cells > limit, dtype=np.bool_)


def _median_difference(
    first: NDArray[np.uint8], second: NDArray[np.uint8], among: NDArray[np.bool_]
) -> float:
    """Median of first - second where `among` is set, 0 where nothing is: by counting, without sorting."""
    counts = np.bincount(first[among].astype(np.intp) - second[among] + 255, minlength=511).cumsum()
    total = int(counts[-1])
    if not total:
        return 0.0
    middle = np.searchsorted(counts, [(total - 1) // 2, total // 2], side="right")
    return float(middle.mean()) - 255


def cell_means(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means over cells of CELL pixels, shape (ceil(rows / CELL), ceil(columns / CELL))."""
    rows, columns = values.shape
    padded = cv2.copyMakeBorder(values, 0, -rows % CELL, 0, -columns % CELL, cv2.BORDER_REPLICATE)
    shape = (padded.shape[0] // CELL, CELL, padded.shape[1] // CELL, CELL)
    return np.asarray(padded.reshape(shape).mean(axis=(1, 3)), dtype=np.float32)


def chained(first: Affine, second: Affine) -> Affine:
    """`first`, then `second`."""
    return np.hstack([second[:, :2] @ first[:, :2], second[:, :2] @ first[:, 2:] + second[:, 2:]])


def inverted(matrix: Affine) -> Affine:
    """The way back."""
    return np.asarray(cv2.invertAffineTransform(matrix), dtype=np.float64)


def carried(points: NDArray[np.float64], matrix: Affine) -> NDArray[np.float64]:
    """Points of shape (..., 2) moved by the matrix."""
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2], dtype=np.float64)
