"""Finding tiles and exposed groups: one pass of the YOLO network over one picture.

The raw scores of all classes are decoded here, not by the network's own post-processing: what a
tile could also be must survive. From here the detections go to `classifier`, which looks closer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ..models import DetectorSpec, ModelError
from .boxes import MELD_CLASS, TILE_CLASSES, intersections
from .network import Network

Floats = NDArray[np.float32]

FAINT = 0.4
"""Share of the threshold down to which tiles are handed on. They lend their classes to a better box on
the same tile and show where a second pass pays; on their own they count for nothing."""
_STRIDE = 32
_PAD = 114
"""Grey of the letterbox, as in training."""
_CANDIDATES = 3000
"""Boxes at most that enter suppression: far above any table, it bounds the time on noise."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Boxes of one pass, best first, down to `FAINT` times the threshold.

    boxes: (n, 4) as x0, y0, x1, y1 in pixels of the picture given.
    scores: (n, 43) in the order of TILE_CLASSES; each class scored for itself in [0, 1].
    meld_boxes: (m, 4). meld_scores: (m,).
    """

    boxes: Floats
    scores: Floats
    meld_boxes: Floats
    meld_scores: Floats

    @property
    def confidence(self) -> Floats:
        """(n,) probability that it is any tile."""
        return any_tile(self.scores)

    def above(self, confidence: float) -> Detections:
        """Those tiles that are tiles with at least this probability; the groups unchanged."""
        kept = self.confidence >= confidence
        return Detections(self.boxes[kept], self.scores[kept], self.meld_boxes, self.meld_scores)

    def scaled(self, zoom: float) -> Detections:
        """The same in a picture `zoom` times as large."""
        factor = np.float32(zoom)
        return replace(self, boxes=self.boxes * factor, meld_boxes=self.meld_boxes * factor)

    def __len__(self) -> int:
        return len(self.boxes)


class Detector:
    """The network and how its output is read."""

    def __init__(self, spec: DetectorSpec) -> None:
        """Raises ModelError where the network can't be read or its classes aren't ours."""
        unknown = set(spec.classes) - {*TILE_CLASSES, MELD_CLASS}
        if unknown or not spec.classes:
            raise ModelError(f"{spec.path}: unknown tile classes: {', '.join(sorted(unknown)) or 'none'}.")
        self.spec = spec
        self._rows = np.array([row for row, name in enumerate(spec.classes) if name != MELD_CLASS])
        self._columns = np.array([TILE_CLASSES.index(spec.classes[row]) for row in self._rows])
        self._meld_row = spec.classes.index(MELD_CLASS) if MELD_CLASS in spec.classes else None
        self._network = Network(spec.path, spec.fixed)

    def detect(self, rgb: NDArray[np.uint8]) -> Detections:
        """All tiles and groups of a picture fitted into the input size.

        rgb: uint8, shape (rows, columns, 3).
        """
        rows, columns = rgb.shape[:2]
        scale = self.spec.input / max(rows, columns)
        return self._at(rgb, max(1, round(columns * scale)), max(1, round(rows * scale)))

    def detect_unscaled(self, rgb: NDArray[np.uint8]) -> Detections:
        """The same at the picture's own size, whatever that is."""
        return self._at(rgb, rgb.shape[1], rgb.shape[0])

    def _at(self, rgb: NDArray[np.uint8], width: int, height: int) -> Detections:
        padded, offset = _letterboxed(rgb, width, height)
        output = self._network(padded[None])[0][0]
        if output.shape[0] != 4 + len(self.spec.classes):
            raise ModelError(
                f"{self.spec.path}: the network gives {output.shape[0]} rows, "
                f"{4 + len(self.spec.classes)} were expected."
            )
        back = np.array([rgb.shape[1] / width, rgb.shape[0] / height], np.float32)
        found = self._decode(output.T, offset, back)
        return _clipped(found, rgb.shape[1], rgb.shape[0])

    def _decode(self, output: Floats, offset: Floats, back: Floats) -> Detections:
        """output: (anchors, 4 + classes) as centre, size, scores in pixels of the input."""
        spec = self.spec
        least = spec.confidence * FAINT
        # The sum of all scores is never less than what `any_tile` makes of the tiles': most places are done
        # with at once.
        tiles = np.flatnonzero(output.T[4:].sum(axis=0) >= least)
        best = any_tile(output[tiles][:, 4 + self._rows])
        order = np.argsort(-best, kind="stable")
        tiles = tiles[order[best[order] >= least]][:_CANDIDATES]
        scores = np.zeros((len(tiles), len(TILE_CLASSES)), np.float32)
        scores[:, self._columns] = output[tiles][:, 4 + self._rows]
        boxes, scores = suppress(_corners(output[tiles], offset, back), scores, spec.iou, spec.containment)
        meld_boxes, meld_scores = np.zeros((0, 4), np.float32), np.zeros((0, 1), np.float32)
        if self._meld_row is not None:
            melds = np.flatnonzero(output[:, 4 + self._meld_row] >= spec.meld_confidence)
            melds = melds[np.argsort(-output[melds, 4 + self._meld_row], kind="stable")][:_CANDIDATES]
            meld_boxes, meld_scores = suppress(
                _corners(output[melds], offset, back),
                output[melds][:, 4 + self._meld_row, None],
                spec.meld_iou,
                spec.containment,
            )
        return Detections(boxes, scores, meld_boxes, meld_scores[:, 0])


def _letterboxed(rgb: NDArray[np.uint8], width: int, height: int) -> tuple[NDArray[np.uint8], Floats]:
    """A picture as the network takes it in, scaled to width x height and padded to multiples of 32.

    rgb: uint8, shape (rows, columns, 3). Returns the same, and the column and row of the picture's corner
    in it.
    """
    if rgb.shape[1] != width or rgb.shape[0] != height:
        way = cv2.INTER_AREA if rgb.shape[1] > width else cv2.INTER_LINEAR
        rgb = np.asarray(cv2.resize(rgb, (width, height), interpolation=way), dtype=np.uint8)
    right, below = -width % _STRIDE, -height % _STRIDE
    left, top = right // 2, below // 2
    grey = (_PAD, _PAD, _PAD)
    padded = cv2.copyMakeBorder(rgb, top, below - top, left, right - left, cv2.BORDER_CONSTANT, value=grey)
    return np.asarray(padded, dtype=np.uint8), np.array([left, top], np.float32)


def any_tile(scores: Floats) -> Floats:
    """(n,) probability that it is a tile of any class, from scores (n, classes) each given for itself.

    A network torn between three flowers gives each a low score, yet it is sure of a tile: the best
    class alone would lose it.
    """
    return np.asarray(1 - np.prod(1 - scores, axis=1), dtype=np.float32)


def suppress(boxes: Floats, scores: Floats, iou: float, containment: float) -> tuple[Floats, Floats]:
    """One box for each thing, across classes; a loser's scores live on in the winner's vector.

    boxes: (n, 4), best first. scores: (n, classes). A box loses against a better one where their
    intersection over union is above `iou`, or over the smaller one above `containment` (a part of a
    tile, or a box around it and something else). Returns the winners' boxes and, class by class, the
    greatest score of a winner and those losers that lie on it (`iou`).
    """
    if not len(boxes):
        return boxes, scores
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    alive = np.ones(len(boxes), bool)
    kept: list[int] = []
    kept_scores: list[Floats] = []
    for first in range(len(boxes)):
        if not alive[first]:
            continue
        shared = intersections(boxes[first], boxes)
        same = shared > iou * np.maximum(areas[first] + areas - shared, 1e-6)
        kept.append(first)
        kept_scores.append(np.maximum(scores[first], scores[same & alive].max(axis=0, initial=0.0)))
        alive &= ~(same | (shared > containment * np.maximum(np.minimum(areas[first], areas), 1e-6)))
        alive[first] = False
    return boxes[kept], np.stack(kept_scores)


def _corners(rows: Floats, offset: Floats, back: Floats) -> Floats:
    centre, half = rows[:, :2] - offset, rows[:, 2:4] / 2
    return np.hstack([(centre - half) * back, (centre + half) * back]).astype(np.float32)


def _clipped(found: Detections, width: int, height: int) -> Detections:
    limit = np.array([width, height, width, height], np.float32)
    return Detections(
        np.clip(found.boxes, 0, limit), found.scores, np.clip(found.meld_boxes, 0, limit), found.meld_scores
    )
