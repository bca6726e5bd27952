"""Looking closer: every tile is cut out at full resolution and named by a network of its own.

The detector sees a tile of 30 pixels between its neighbours; the classifier sees the face alone.
Both opinions are multiplied into one calibrated vector. From here the tiles go to `layout`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..models import ClassifierSpec, ModelError
from .boxes import TILE_CLASSES
from .detector import any_tile
from .network import Network

Floats = NDArray[np.float32]

NOT_A_TILE = "not a tile"
SURE_OF_NAME = 0.9
"""Probability of a name from which one look is enough."""
SURE_OF_BLANK = 0.6
"""The same for a tile face down or none at all, which look alike from all sides."""
SURE_OF_AXIS = 0.7
"""The same for whether the face is turned sideways. Up to 0.98, 0.8 and 0.9 of the three, more looks read no
more hands of 1,160: 936 instead of 938."""
FACELESS = frozenset({"back", "1p", "1s", "P"})
"""Tiles whose face doesn't tell how they are turned: the bird of one set sits where another's stands, and a
frame has no top. Of 37 of these two that seemed turned on tiles of upright shape one was."""
CROPS = (18, 6)
"""Crops to a call of the network, for which it ships in files of their own: for any number a call takes two
crops longer, and each new one a dozen. The last crops are made up to the fewer, or to the many where two
calls would take longer than one."""
_FLOOR = 1e-4
"""Least probability of a class by the detector: it names one class and leaves the others near zero."""


@dataclass(frozen=True, slots=True)
class Faces:
    """What the classifier says of n crops.

    probabilities: (n, 43), given that it is a tile; sums to 1. tile: (n,) probability that it is one.
    turn: (n, 4) probability of each quarter turn clockwise by which the face is turned in its crop.
    colours: (n, 3) mean colour of each crop's midst.
    """

    probabilities: Floats
    tile: Floats
    turn: Floats
    colours: NDArray[np.uint8]

    def top(self, place: int) -> tuple[int, float, float]:
        """The likeliest turn of a crop on its likelier axis, its probability and that of the axis."""
        turn = self.turn[place]
        axes = _axes(turn)
        axis = int(axes.argmax())
        quarter = axis if turn[axis] >= turn[axis + 2] else axis + 2
        return quarter, float(turn[quarter]), float(axes[axis])


class Classifier:
    """The network and how its output is read."""

    def __init__(self, spec: ClassifierSpec) -> None:
        """Raises ModelError where the network can't be read or its classes aren't ours."""
        unknown = set(spec.classes) - {*TILE_CLASSES, NOT_A_TILE}
        if unknown or not set(spec.classes) >= set(TILE_CLASSES):
            raise ModelError(f"{spec.path}: the classifier's classes aren't the 43 tiles.")
        self.spec = spec
        self._order = np.array([spec.classes.index(name) for name in TILE_CLASSES])
        self._none = spec.classes.index(NOT_A_TILE) if NOT_A_TILE in spec.classes else None
        turnless = {*FACELESS, NOT_A_TILE}
        self._turnless = np.array([name in turnless for name in spec.classes])
        blank = [name in ("back", NOT_A_TILE) for name in spec.classes]
        self._sure = np.where(blank, SURE_OF_BLANK, SURE_OF_NAME)
        self._network = Network(spec.path, spec.fixed)

    def classify(self, rgb: NDArray[np.uint8], corners: Floats) -> Faces:
        """Name the tiles of a picture.

        rgb: uint8, shape (rows, columns, 3). corners: (n, 4, 2), see `TileBox.corners`.
        """
        side = self.spec.input
        crops = np.empty((len(corners), side, side, 3), np.uint8)
        for matrix, crop in zip(_matrices(corners, self.spec.margin, side), crops, strict=True):
            crop[:] = _sampled(rgb, matrix, side)
        logits, turn = self._look(crops)
        all_classes = softmax(logits / self.spec.temperature)
        tile = np.ones(len(corners), np.float32) if self._none is None else 1 - all_classes[:, self._none]
        named = all_classes[:, self._order]
        shares = named / np.maximum(named.sum(axis=1, keepdims=True), 1e-9)
        midst = crops[:, side // 4 : side - side // 4, side // 4 : side - side // 4]
        return Faces(shares, tile, softmax(turn), midst.mean(axis=(1, 2)).astype(np.uint8))

    def _look(self, batch: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """Logits of crops (n, side, side, 3) and of their turns.

        A tile is the same from any side of the table: where one look leaves a doubt, these are the means
        over the four quarter turns.
        """
        named, turned = self._run(batch)
        doubtful = np.flatnonzero(self._doubts(named, turned))
        if not len(doubtful):
            return named, turned
        sides = [np.rot90(batch[doubtful], -quarters, axes=(1, 2)) for quarters in (1, 2, 3)]
        more = [part.reshape(3, len(doubtful), -1) for part in self._run(np.concatenate(sides))]
        back = [np.roll(turn, -quarters, axis=1) for quarters, turn in enumerate(more[1], 1)]
        named, turned = named.copy(), turned.copy()
        named[doubtful] = (named[doubtful] + more[0].sum(axis=0)) / 4
        turned[doubtful] = (turned[doubtful] + np.sum(back, axis=0)) / 4
        return named, turned

    def _run(self, batch: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """Logits of crops (n, side, side, 3) and of their turns."""
        named = np.zeros((len(batch), len(self.spec.classes)), np.float32)
        turned = np.zeros((len(batch), 4), np.float32)
        many, few = CROPS
        start = 0
        while start < len(batch):
            room = many if len(batch) - start > 2 * few else few
            crops = batch[start : start + room]
            count = len(crops)
            if count < room:
                crops = np.concatenate([crops, np.zeros((room - count, *crops.shape[1:]), np.uint8)])
            names, turns = self._network(crops)
            named[start : start + count], turned[start : start + count] = names[:count], turns[:count]
            start += count
        return named, turned

    def _doubts(self, named: Floats, turned: Floats) -> NDArray[np.bool_]:
        """(n,) which logits leave it open what the tile is, or which way its face is turned."""
        names = softmax(named / self.spec.temperature)
        likeliest = names.argmax(axis=1)
        turnless = self._turnless[likeliest]
        # Many faces look the same upside down, from whichever side they are looked at.
        unsure_of_axis = (_axes(softmax(turned)).max(axis=1) < SURE_OF_AXIS) & ~turnless
        return np.asarray((names.max(axis=1) < self._sure[likeliest]) | unsure_of_axis)


def _axes(turns: Floats) -> Floats:
    """(..., 2) probability that a face is upright or upside down, and that it lies sideways.

    turns: (..., 4).
    """
    return turns[..., :2] + turns[..., 2:]


def cut(rgb: NDArray[np.uint8], corners: Floats, margin: float, side: int) -> NDArray[np.uint8]:
    """One tile, grown by `margin` on each side and stretched to a square; edges are repeated.

    corners: (4, 2), a rectangle clockwise from the top left corner in its own frame.
    """
    return _sampled(rgb, _matrices(corners[None], margin, side)[0], side)


def _matrices(corners: Floats, margin: float, side: int) -> NDArray[np.float64]:
    """From pixels of the crops to those of the picture, (n, 2, 3); corners: (n, 4, 2)."""
    origin, across, down = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
    first = origin - margin * (across + down)
    steps = [direction * (1 + 2 * margin) / side for direction in (across, down)]
    matrices = np.stack([*steps, first], axis=2).astype(np.float64)
    # Pixel centres lie at half coordinates, hence the shift by half a step (and by half a pixel).
    matrices[:, :, 2] += (matrices[:, :, 0] + matrices[:, :, 1]) / 2 - 0.5
    return matrices


def _sampled(rgb: NDArray[np.uint8], matrix: NDArray[np.float64], side: int) -> NDArray[np.uint8]:
    (across_x, down_x, _), (across_y, down_y, _) = matrix.tolist()
    shrinking = max(math.hypot(across_x, across_y), math.hypot(down_x, down_y))
    if shrinking > 1.5:
        # warpAffine samples points, so a strong reduction needs the mean over the area first.
        ends = np.array([(x, y, 1) for x in (-0.5, side - 0.5) for y in (-0.5, side - 0.5)]) @ matrix.T + 0.5
        matrix = matrix.copy()
        x0, y0 = np.maximum(np.floor(ends.min(axis=0)).astype(int), 0)
        x1, y1 = np.maximum(np.ceil(ends.max(axis=0)).astype(int), (x0 + 1, y0 + 1))
        part = rgb[min(y0, rgb.shape[0] - 1) : y1, min(x0, rgb.shape[1] - 1) : x1]
        size = (max(1, round(part.shape[1] / shrinking)), max(1, round(part.shape[0] / shrinking)))
        rgb = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        scale = np.array([part.shape[1] / size[0], part.shape[0] / size[1]])
        matrix[:, 2] = (matrix[:, 2] + 0.5 - (x0, y0)) / scale - 0.5
        matrix[:, :2] /= scale[:, None]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    crop = cv2.warpAffine(rgb, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, dtype=np.uint8)


def combine(scores: Floats, faces: Faces | None, spec: ClassifierSpec | None) -> tuple[Floats, Floats]:
    """One opinion out of two.

    scores: (n, 43) of the detector. faces: the classifier's, None where there is no classifier.
    Returns (n, 43) probabilities of each class, summing to the probability that it is a tile, and
    (n,) that probability. Classes: weighted product of both stages (log-linear pooling, Genest and
    Zidek 1986). Tile or not: the detector's score, its odds scaled and shifted by calibration
    (Platt 1999), times the classifier's.
    """
    detector = np.maximum(scores, _FLOOR)
    detector /= detector.sum(axis=1, keepdims=True)
    found = any_tile(scores)
    if faces is None or spec is None:
        return detector * found[:, None], found
    near, far = spec.weight, spec.detector_weight
    logs = near * np.log(np.maximum(faces.probabilities, 1e-9)) + far * np.log(detector)
    odds = np.clip(found, 1e-6, 1 - 1e-6)
    odds = spec.found_scale * np.log(odds / (1 - odds)) + spec.found_shift
    tile = np.asarray(faces.tile / (1 + np.exp(-odds)), dtype=np.float32)
    return softmax(logs) * tile[:, None], tile


def softmax(logits: NDArray[np.floating]) -> Floats:
    """Along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)
