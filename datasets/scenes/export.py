"""Writes scenes as a YOLO data set: `images/`, `labels/` and, with everything known, `json/`."""

from __future__ import annotations

import json
from pathlib import Path

import cv2

from ...vision.boxes import MELD_CLASS, TILE_CLASSES
from .scene import Scene

CLASSES: tuple[str, ...] = (*TILE_CLASSES, MELD_CLASS)
"""Class names in label order: the 43 of a tile, then `meld`."""


def yolo_lines(scene: Scene) -> list[str]:
    """`class cx cy w h` for every tile and every exposed group, fractions of the picture."""
    height, width = scene.picture.shape[:2]
    named = [(tile.tile, tile.box) for tile in scene.tiles] + [(MELD_CLASS, meld.box) for meld in scene.melds]
    return [
        f"{CLASSES.index(name)} {(x0 + x1) / 2 / width:.6f} {(y0 + y1) / 2 / height:.6f} "
        f"{(x1 - x0) / width:.6f} {(y1 - y0) / height:.6f}"
        for name, (x0, y0, x1, y1) in named
    ]


def write_scene(scene: Scene, out: Path, name: str, *, quality: int = 92) -> Path:
    """Writes `images/NAME.jpg`, `labels/NAME.txt` and `json/NAME.json` below `out`.

    Returns the picture's path.
    """
    for folder in ("images", "labels", "json"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    done, data = cv2.imencode(".jpg", scene.picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"scene {scene.seed} could not be written as JPEG")
    path = out / "images" / f"{name}.jpg"
    path.write_bytes(data.tobytes())
    lines = yolo_lines(scene)
    (out / "labels" / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    truth = {"image": f"images/{name}.jpg", **scene.to_json()}
    (out / "json" / f"{name}.json").write_text(json.dumps(truth, ensure_ascii=False), encoding="utf-8")
    return path
