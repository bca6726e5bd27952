"""One short run from rendered pictures to a model that reads: every step of `scripts/train.py`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fanlens.datasets.scenes import Designs, render, write_scene
from fanlens.models import load_manifest
from fanlens.vision.finder import Finder
from fanlens.vision.picture import decode, read_bytes

pytest.importorskip("torch", reason="training needs the extra [train]")
pytest.importorskip("ultralytics", reason="training needs the extra [train]")

ROOT = Path(__file__).parents[2]
PICTURES = 8


def _train(*words: object) -> str:
    result = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "train.py"), *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


def test_one_epoch_on_eight_rendered_pictures_gives_a_model_that_reads(tmp_path: Path) -> None:
    scenes, run, model = tmp_path / "scenes", tmp_path / "run", tmp_path / "model"
    designs = Designs()
    for seed in range(PICTURES):
        write_scene(render(seed, designs, kind="hand", size=(320, 240), design="own"), scenes, f"{seed}")

    _train(
        *("locator", "--source", scenes, "--check", scenes, "--start", ROOT / "models" / "locator.pt"),
        *("--out", run, "--hours", 1e-6, "--size", 128, "--epoch-size", PICTURES, "--rate", 1e-5),
    )
    rows = (run / "results.csv").read_text().splitlines()
    assert len(rows) == 2  # the head and one epoch
    _train(
        *("classifier", "--source", scenes, "--start", ROOT / "models" / "classifier.pt"),
        *("--out", tmp_path / "faces.pt", "--minutes", 0.02, "--rate", 1e-6, "--model", ROOT / "models"),
    )
    _train("average", tmp_path / "faces.pt", ROOT / "models" / "classifier.pt", "--out", tmp_path / "mean.pt")
    locator = tmp_path / "locator.pt"
    _train("average", run / "weights" / "last.pt", ROOT / "models" / "locator.pt", "--out", locator)
    model.mkdir()
    shipped = json.loads((ROOT / "models" / "manifest.json").read_text())
    for name in ("manifest.json", "groups.json"):
        shutil.copy(ROOT / "models" / name, model)
    _train(
        *("export", "--locator", locator),
        *("--classifier", tmp_path / "mean.pt", "--out", model),
    )
    _train("calibrate", "--model", model, "--source", scenes)
    fitted = _train("fit-groups", "--model", model, "--scenes", scenes, "--source", scenes)
    assert float(fitted.split("groups ")[1].split(",")[0]) > 0  # figures come with their counts

    manifest = load_manifest(model)  # checks every sum
    written = json.loads((model / "manifest.json").read_text())
    assert written["detector"]["sha256"] != shipped["detector"]["sha256"]
    picture = sorted((scenes / "images").iterdir())[0]
    found = Finder(manifest).find(decode(*read_bytes(picture)).rgb)
    # a rate this small leaves the network what it was: it still finds a dozen tiles of the hand
    assert len(found.tiles) >= 10
