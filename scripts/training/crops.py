"""Cut tile crops out of a prepared data set (YOLO layout) for the face classifier.

Every crop is the tile's box grown by `GROWTH` on each side, stretched to `STORED` pixels square:
the network's own margin is smaller, so that shifts and turns in training stay inside the crop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from fanlens.vision.boxes import TILE_CLASSES, intersections
from fanlens.vision.classifier import cut
from fanlens.vision.closer_look import box_corners
from fanlens.vision.detector import Detector
from numpy.typing import NDArray

from .sources import Source

STORED = 96
GROWTH = 0.30
NOT_A_TILE = len(TILE_CLASSES)
UNKNOWN_TURN = -1
MOSTLY_VISIBLE = 0.6
NO_TILE = 0.3
"""Share of a box that a tile may cover where the box holds no tile."""


@dataclass(frozen=True)
class Crops:
    """pixels: uint8 (N, STORED, STORED, 3) RGB; names: class numbers (N,), 43 for "not a tile";
    turns: quarter turns clockwise (N,), `UNKNOWN_TURN` where nobody knows."""

    pixels: NDArray[np.uint8]
    names: NDArray[np.int64]
    turns: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)


def joined(parts: list[Crops]) -> Crops:
    """All crops in one; empties the list, since they are gigabytes."""
    names, turns = (np.concatenate([getattr(part, key) for part in parts]) for key in ("names", "turns"))
    pixels = np.empty((len(names), STORED, STORED, 3), np.uint8)
    place = 0
    while parts:
        part = parts.pop(0)
        pixels[place : place + len(part)] = part.pixels
        place += len(part)
    return Crops(pixels, names, turns)


def read_labels(path: Path) -> NDArray[np.float64]:
    """YOLO rows `(class, cx, cy, w, h)` as an array (N, 5); empty files give (0, 5)."""
    rows = [line.split()[:5] for line in path.read_text().splitlines() if line.strip()]
    return np.array(rows, dtype=np.float64).reshape(-1, 5)


def pixel_boxes(centred: NDArray[np.floating], width: float, height: float) -> NDArray[np.float64]:
    """`(x0, y0, x1, y1)` in pixels of YOLO's `(cx, cy, w, h)`, shares of a picture; shape (N, 4)."""
    middle, half = centred[:, :2], centred[:, 2:4] / 2
    return np.asarray(np.hstack([middle - half, middle + half]) * (width, height, width, height))


def _crop(rgb: NDArray[np.uint8], box: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A box `(x0, y0, x1, y1)` as the reader cuts it, with the margin of the stored crops."""
    return cut(rgb, box_corners(box[None].astype(np.float32))[0], GROWTH, STORED)


def _background(
    rng: np.random.Generator, boxes: NDArray[np.float64], size: tuple[int, int], count: int
) -> Iterator[tuple[float, float, float, float]]:
    """Boxes of tile size that hold no tile, or less than a third of one."""
    width, height = size
    for _ in range(count * 20):
        if count == 0:
            return
        pick = boxes[rng.integers(len(boxes))]
        w, h = (pick[2] - pick[0]) * rng.uniform(0.7, 1.4), (pick[3] - pick[1]) * rng.uniform(0.7, 1.4)
        if rng.random() < 0.6:  # near a tile, where a detector is tempted
            cx = (pick[0] + pick[2]) / 2 + rng.choice([-1, 1]) * w * rng.uniform(0.6, 1.5)
            cy = (pick[1] + pick[3]) / 2 + rng.choice([-1, 1]) * h * rng.uniform(0.6, 1.5)
        else:
            cx, cy = rng.uniform(0, width), rng.uniform(0, height)
        box = (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2)
        if _covered(np.array(box), boxes) < NO_TILE and 0 <= cx < width and 0 <= cy < height:
            count -= 1
            yield box


def _false_finds(
    detector: Detector, rgb: NDArray[np.uint8], boxes: NDArray[np.float64], ignore: list[list[float]]
) -> NDArray[np.floating]:
    """Boxes (n, 4) that the detector takes for tiles where the labels show none (or a third of one)."""
    found = detector.detect(rgb).boxes
    known = np.vstack([boxes, np.array(ignore, np.float64).reshape(-1, 4)])
    return found[[_covered(box, known) < NO_TILE for box in found]]


def _covered(box: NDArray[np.floating], others: NDArray[np.float64]) -> float:
    """The greatest share of a box that one of the others covers."""
    area = max(float((box[2] - box[0]) * (box[3] - box[1])), 1.0)
    return float(intersections(box, others).max(initial=0.0)) / area


def from_source(
    source: Source, *, seed: int = 0, negatives: int = 2, detector: Detector | None = None
) -> Crops:
    """All tile crops of a source, and `negatives` crops without a tile from each picture whose tiles
    and backs are all labelled, together with what `detector` wrongly takes for a tile there.

    Where a picture's labels know which way the faces point (rendered scenes do), turns are known.
    """
    rng = np.random.default_rng(seed)
    pixels, names, turns = [], [], []
    for path in source.pictures():
        picture = cv2.imread(str(path))
        labels = read_labels(source.folder / "labels" / f"{path.stem}.txt")
        if picture is None or not len(labels):
            continue
        rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)
        height, width = rgb.shape[:2]
        boxes = pixel_boxes(labels[:, 1:5], width, height)
        # a scene's tiles stand in the order of its label lines, its groups after them
        faces = source.about.get(path.stem, {}).get("tiles", [{}] * len(labels))
        for number, box, face in zip(labels[:, 0].astype(int), boxes, faces, strict=False):
            hidden = face.get("visible", 1.0) < MOSTLY_VISIBLE
            if number >= NOT_A_TILE or hidden or min(box[2] - box[0], box[3] - box[1]) < 8:
                continue
            pixels.append(_crop(rgb, box))
            names.append(number)
            turns.append(UNKNOWN_TURN if face.get("up") is None else round(face["up"] / 90) % 4)
        if {"tiles", "back"} <= set(source.complete(path.stem)):
            others = [np.array(box) for box in _background(rng, boxes, (width, height), negatives)]
            if detector is not None:
                ignore = source.about.get(path.stem, {}).get("ignore", [])
                others += [*_false_finds(detector, rgb, boxes, ignore)]
            for other in others:
                pixels.append(_crop(rgb, other))
                names.append(NOT_A_TILE)
                turns.append(UNKNOWN_TURN)
    return Crops(np.stack(pixels), np.array(names), np.array(turns))
