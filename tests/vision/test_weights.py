"""ultralytics' `.pt` files as a model."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fanlens.models import ModelError
from fanlens.vision.weights import manifest_of_weights

ROOT = Path(__file__).parents[2]
WEIGHTS, PHOTO = ROOT / "models" / "locator.pt", ROOT / "app" / "example" / "hand.jpg"
PROGRAM = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from fanlens.vision.finder import Finder
from fanlens.vision.picture import decode
from fanlens.vision.weights import manifest_of_weights


def found(path, photo):
    manifest = manifest_of_weights(Path(path))
    tiles = Finder(manifest).find(decode(Path(photo).read_bytes()).rgb).tiles
    return manifest.name, len(manifest.detector.classes), len(tiles)


if __name__ == "__main__":
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        print(*pool.submit(found, *sys.argv[1:]).result())
"""


needs_ultralytics = pytest.mark.skipif(
    importlib.util.find_spec("ultralytics") is None, reason='needs ultralytics: pip install "fanlens[train]"'
)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone\.pt: there is no such file"):
        manifest_of_weights(tmp_path / "gone.pt")


@needs_ultralytics
def test_what_are_no_weights_is_said(tmp_path: Path) -> None:
    (tmp_path / "words.pt").write_text("no weights")
    with pytest.raises(ModelError, match=r"words\.pt: ultralytics can't use these weights"):
        manifest_of_weights(tmp_path / "words.pt")


@needs_ultralytics
def test_a_process_that_used_weights_leaves_nothing_behind(tmp_path: Path) -> None:
    program, scratch = tmp_path / "program.py", tmp_path / "scratch"
    program.write_text(PROGRAM)
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, str(program), str(WEIGHTS), str(PHOTO)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"TMPDIR": str(scratch)},
    )
    # fourteen tiles and six flowers
    assert done.stdout.split() == ["locator", "44", "20"]
    assert list(scratch.glob("fanlens-*")) == []
