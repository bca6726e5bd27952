"""Stands for the networks: finds red rectangles that stand apart, and names every crop 5m."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from fanlens.models import ClassifierSpec, DetectorSpec, Manifest
from fanlens.vision import classifier as classifier_module
from fanlens.vision import detector as detector_module
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.classifier import CROPS, NOT_A_TILE

FACES = (*TILE_CLASSES, NOT_A_TILE)
MANIFEST = Manifest(
    "test",
    "1",
    DetectorSpec(Path("locator"), "0" * 64, 640, (*TILE_CLASSES, "meld")),
    ClassifierSpec(Path("classifier"), "0" * 64, 64, FACES),
)
RED = (220, 20, 20)


class RedTiles:
    """Both networks of `MANIFEST`."""

    def __init__(self, path: Path, fixed: object) -> None:
        del fixed
        self._is_locator = path.name == "locator"

    def __call__(self, batch: np.ndarray) -> list[np.ndarray]:
        if self._is_locator:
            return [self.locate(batch[0])]
        assert len(batch) in CROPS
        return self.classify(batch)

    @staticmethod
    def locate(picture: np.ndarray) -> np.ndarray:
        """(1, 48, n) places, each with 5m at 0.8."""
        red = ((picture[..., 0] > 127) & (picture[..., 1] < 77)).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(red)
        scores = np.where(np.arange(44) == TILE_CLASSES.index("5m"), 0.8, 0)
        rows = [[x + w / 2, y + h / 2, w, h, *scores] for x, y, w, h, area in stats[1:] if area > 20]
        return np.array(rows, np.float32).reshape(-1, 48).T[None]

    @staticmethod
    def classify(crops: np.ndarray) -> list[np.ndarray]:
        """Logits of names and of turns: all upright."""
        logits = np.zeros((len(crops), 44), np.float32)
        logits[:, FACES.index("5m")] = 9
        return [logits, np.tile(np.array([9, 0, 0, 0], np.float32), (len(crops), 1))]


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have both stages open these instead of files."""
    monkeypatch.setattr(detector_module, "Network", RedTiles)
    monkeypatch.setattr(classifier_module, "Network", RedTiles)
