"""What people put together themselves: ultralytics on torch, then PyMahjongGB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fanlens.models import Manifest

_SUITS = {"m": "W", "p": "B", "s": "T"}
_HONORS = {"E": "F1", "S": "F2", "W": "F3", "N": "F4", "C": "J1", "F": "J2", "P": "J3"}


class Peer:
    """ultralytics' own `predict` with the same weights and input size."""

    def __init__(self, weights: Path, manifest: Manifest) -> None:
        from ultralytics import YOLO

        self._network = YOLO(str(weights))
        self._size = manifest.detector.input

    def predict(self, photo: Path) -> Any:
        """The boxes of a photo, decoding included."""
        return self._network.predict(str(photo), imgsz=self._size, device="cpu", verbose=False)[0]

    def total(self, photo: Path) -> int | None:
        """The total of all tiles found, the last in reading order taken as the winning one."""
        from MahjongGB import MahjongFanCalculator

        found = self.predict(photo)
        boxes = sorted(found.boxes, key=lambda box: float(box.xywh[0, 0]))
        names = [found.names[int(box.cls)] for box in boxes]
        flowers = sum(len(name) > 4 for name in names)
        tiles = [_HONORS.get(name) or _SUITS[name[1]] + name[0] for name in names if len(name) <= 2]
        if not tiles:
            return None
        try:
            fans = MahjongFanCalculator(
                (), tuple(tiles[:-1]), tiles[-1], flowers, False, False, False, False, 0, 0
            )
        except Exception:  # it raises whatever comes when the tiles are no win
            return None
        return sum(points for points, *_ in fans)
