"""Loading a manifest: what is checked before any file is opened."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from fanlens.models import ModelError, load_manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of two files with made-up content."""
    for name in ("locator.onnx", "classifier.onnx"):
        (tmp_path / name).write_bytes(name.encode())
    _write(tmp_path, _content(tmp_path))
    return tmp_path


def _content(folder: Path) -> dict[str, Any]:
    digests = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("locator.onnx", "classifier.onnx")
    }
    return {
        "name": "test-tiles",
        "version": 3,
        "detector": {
            "file": "locator.onnx",
            "sha256": digests["locator.onnx"],
            "input": 640,
            "classes": ["1m", "meld"],
            "thresholds": {"confidence": 0.25, "iou": 0.6},
        },
        "classifier": {
            "file": "classifier.onnx",
            "sha256": digests["classifier.onnx"],
            "input": 64,
            "margin": 0.1,
            "classes": ["1m", "not a tile"],
            "temperature": 1.5,
            "weight": 0.8,
        },
        "calibration": {"total": [[0, 0], [1, 0.9]]},
    }


def _write(folder: Path, content: Any) -> None:
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")


def test_everything_is_read(folder: Path) -> None:
    manifest = load_manifest(folder)
    assert (manifest.name, manifest.version) == ("test-tiles", "3")
    assert manifest.detector.path == folder / "locator.onnx"
    assert manifest.detector.classes == ("1m", "meld")
    assert (manifest.detector.confidence, manifest.detector.iou) == (0.25, 0.6)
    assert manifest.detector.containment == 0.8  # left out: the default
    assert manifest.classifier is not None
    assert (manifest.classifier.margin, manifest.classifier.temperature) == (0.1, 1.5)
    assert (manifest.classifier.weight, manifest.classifier.input) == (0.8, 64)
    assert manifest.calibration == {"total": [[0, 0], [1, 0.9]]}
    assert manifest.sha256 == hashlib.sha256(b"locator.onnx").hexdigest()


def test_file_or_folder(folder: Path) -> None:
    assert load_manifest(str(folder / "manifest.json")) == load_manifest(folder)


def test_classifier_may_be_missing(folder: Path) -> None:
    content = _content(folder)
    del content["classifier"]
    _write(folder, content)
    assert load_manifest(folder).classifier is None


def _with_fixed(folder: Path) -> dict[str, Any]:
    """The same with a file for pictures of 640 x 640."""
    (folder / "square.onnx").write_bytes(b"square")
    content = _content(folder)
    digest = hashlib.sha256(b"square").hexdigest()
    content["detector"]["fixed"] = [{"file": "square.onnx", "sha256": digest, "shape": [1, 640, 640, 3]}]
    return content


def test_files_for_one_shape_are_known_by_it(folder: Path) -> None:
    assert load_manifest(folder).detector.fixed == {}
    _write(folder, _with_fixed(folder))
    manifest = load_manifest(folder)
    assert manifest.detector.fixed == {(1, 640, 640, 3): folder / "square.onnx"}
    assert manifest.classifier is not None
    assert manifest.classifier.fixed == {}


def test_changed_file_for_one_shape_is_refused(folder: Path) -> None:
    _write(folder, _with_fixed(folder))
    (folder / "square.onnx").write_bytes(b"something else")
    with pytest.raises(ModelError, match=r"square\.onnx: .*sha256"):
        load_manifest(folder)


@pytest.mark.parametrize("file", ["locator.onnx", "classifier.onnx"])
def test_changed_file_is_refused(folder: Path, file: str) -> None:
    (folder / file).write_bytes(b"something else")
    with pytest.raises(ModelError, match=rf"{file}: .*sha256"):
        load_manifest(folder)


def test_missing_file(folder: Path) -> None:
    (folder / "locator.onnx").unlink()
    with pytest.raises(ModelError, match=r"locator\.onnx: .*missing"):
        load_manifest(folder)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"name": "x"}', "\x00", '{"detector": 3, "name": "x"}'])
def test_broken_manifest(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"manifest\.json"):
        load_manifest(tmp_path)


def test_unknown_model() -> None:
    with pytest.raises(ModelError, match="no-such-model"):
        load_manifest("no-such-model")
