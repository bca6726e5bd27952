"""Boxes against boxes, as `(x0, y0, x1, y1)` in pixels."""

from __future__ import annotations

from collections.abc import Sequence

from ...vision.boxes import Box


def area(box: Box) -> float:
    """Square pixels; 0 for a box without extent."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def iou(one: Box, other: Box) -> float:
    """Intersection over union in [0, 1]."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (area(one) + area(other) - shared)


def enclosing(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of `boxes`."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
