"""Faces cut out of photos carry the names that our mended labels give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fanlens.datasets.real import photos as photos_module
from fanlens.datasets.scenes.real_faces import read_real_faces
from fanlens.vision.boxes import TILE_CLASSES

WIDTH, HEIGHT = 60, 80
TWO, NINE = TILE_CLASSES.index("2s"), TILE_CLASSES.index("9s")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One photo of all 42 faces, each with a bar at a height of its own; 2s is labelled 9s and 9s 2s."""
    train = tmp_path / "train"
    for name in ("images", "labels"):
        (train / name).mkdir(parents=True)
    picture = np.full((6 * 100, 7 * 80, 3), 60, np.uint8)
    lines = []
    for number in range(42):
        x, y = number % 7 * 80 + 10, number // 7 * 100 + 10
        picture[y : y + HEIGHT, x : x + WIDTH] = 240
        bar = y + 16 + number
        picture[bar : bar + 4, x + 15 : x + 45] = 0
        label = {TWO: NINE, NINE: TWO}.get(number, number)
        centre = (x + WIDTH / 2) / picture.shape[1], (y + HEIGHT / 2) / picture.shape[0]
        lines.append(
            f"{label} {centre[0]} {centre[1]} {WIDTH / picture.shape[1]} {HEIGHT / picture.shape[0]}"
        )
    cv2.imwrite(str(train / "images" / "table.png"), picture)
    (train / "labels" / "table.txt").write_text("\n".join(lines))
    (tmp_path / "manifest.csv").write_text(
        "name,split,source,group,variant\ntable,train,B,B-table,original\n"
    )
    return train


def bar_of(face: np.ndarray) -> float:
    """Where the ink lies, in pixels from the tile's top."""
    return float(np.nonzero(face[:, :, 3] > 128)[0].mean()) / face.shape[0] * HEIGHT


def test_mended_labels_name_the_faces(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[dict[str, Any]] = [
        {"do": "reclass", "box": TWO, "tile": "9s", "to": "2s", "why": "wrong"},
        {"do": "reclass", "box": NINE, "tile": "2s", "to": "9s", "why": "wrong"},
    ]
    entry = {"table": {"boxes": 42, "changes": changes}}
    monkeypatch.setattr(photos_module, "load_corrections", lambda _: entry)
    faces = read_real_faces(folder, None, (WIDTH, HEIGHT))["B-table"]
    assert bar_of(faces["2s"]) == pytest.approx(16 + TWO + 2, abs=3)
    assert bar_of(faces["9s"]) == pytest.approx(16 + NINE + 2, abs=3)
