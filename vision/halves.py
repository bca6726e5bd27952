"""Tiles that the network took for two: each half of a bamboo tile looks like a narrower bamboo tile.

Such halves are told by their size: each is much narrower than the tiles around it, and both together are
as large as one of these. Both are of one suit; what is foreshortened only looks narrow. From here the
tiles go to the classifier, which sees the whole.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .detector import Detections, any_tile

Floats = NDArray[np.float32]

NARROW = 0.72
"""A half is narrower than this part of the tiles around it …"""
WHOLE = (0.8, 1.25)
"""… and both halves together are between these parts of their width and length."""
AROUND = 5.0
"""Tile lengths up to which tiles are around it …"""
LEAST = 6
"""… and how many it takes to know their size, its own among them."""
_SUITED = 27
"""The first classes are the suited tiles, nine of each suit."""


def whole_tiles(found: Detections) -> Detections:
    """The same with both halves of a tile as one box, whose scores are the greater ones of both."""
    boxes, scores = found.boxes.copy(), found.scores.copy()
    widths, lengths = _typical(boxes)
    names = scores.argmax(axis=1)
    narrow = (boxes[:, 2:] - boxes[:, :2]).min(axis=1) < NARROW * widths
    small = np.flatnonzero(narrow & (names < _SUITED))
    pairs = [
        (_unlike(_around(boxes[i], boxes[j]), float(widths[i]), float(lengths[i])), i, j)
        for k, i in enumerate(small.tolist())
        for j in small[k + 1 :].tolist()
        if names[i] // 9 == names[j] // 9
    ]
    joined: set[int] = set()
    gone: list[int] = []
    for unlike, i, j in sorted(pairs):
        if math.isfinite(unlike) and not joined & {i, j}:
            boxes[i], scores[i] = _around(boxes[i], boxes[j]), np.maximum(scores[i], scores[j])
            joined |= {i, j}
            gone.append(j)
    if not gone:
        return found
    boxes, scores = np.delete(boxes, gone, axis=0), np.delete(scores, gone, axis=0)
    order = np.argsort(-any_tile(scores), kind="stable")
    return Detections(boxes[order], scores[order], found.meld_boxes, found.meld_scores)


def _around(first: Floats, second: Floats) -> Floats:
    """(4,) the box around two boxes."""
    return np.concatenate([np.minimum(first[:2], second[:2]), np.maximum(first[2:], second[2:])])


def _typical(boxes: Floats) -> tuple[Floats, Floats]:
    """(n,) median width and length (shorter and longer side) of the tiles around each; 0 where few are."""
    sides = np.sort(boxes[:, 2:] - boxes[:, :2], axis=1)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    near = apart <= AROUND * sides[:, 1, None]
    width, length = (_medians(side, near) for side in sides.T)
    return width, length


def _medians(values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """(m,) median of those of n values that each row of (m, n) chooses; 0 where these are few."""
    counts = chosen.sum(axis=1)
    ordered = np.sort(np.where(chosen, values, np.float32(np.inf)), axis=1)
    middle = np.stack([(counts - 1) // 2, counts // 2], axis=1)
    medians = np.take_along_axis(ordered, middle, axis=1).mean(axis=1)
    return np.where(counts >= LEAST, medians, np.float32(0))


def _unlike(box: Floats, width: float, length: float) -> float:
    """How much a box differs from a tile of this size; infinite where it can't be one."""
    short, long = sorted((float(box[2] - box[0]), float(box[3] - box[1])))
    ratios = short / width, long / length
    if min(ratios) < WHOLE[0] or max(ratios) > WHOLE[1]:
        return math.inf
    return max(abs(ratio - 1) for ratio in ratios)
