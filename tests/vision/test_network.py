"""The inference runtime: networks that take bytes, and those that take what ultralytics' do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fanlens.models import ModelError
from fanlens.vision.network import Network
from fanlens.vision.runtime import openvino

PICTURES = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3) + 100


def _doubling(path: Path, shape: list[int], kind: type, times: int = 2) -> Path:
    """A network that gives back twice what it takes in, or `times` as much, as float32, and the same once."""
    pictures = openvino.opset13.parameter([-1, *shape], kind)
    once = openvino.opset13.convert(pictures, "f32")
    twice = openvino.opset13.multiply(once, np.float32(times))
    openvino.save_model(openvino.Model([twice, once], [pictures]), path, compress_to_fp16=False)
    return path


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_bytes_go_in_as_they_are(tmp_path: Path) -> None:
    twice, once = Network(_doubling(tmp_path / "bytes.xml", [-1, -1, 3], np.uint8))(PICTURES)
    assert once.tolist() == PICTURES.tolist()
    assert twice.tolist() == (PICTURES.astype(int) * 2).tolist()


def test_others_take_shares_of_white_plane_by_plane(tmp_path: Path) -> None:
    _, once = Network(_doubling(tmp_path / "floats.xml", [3, -1, -1], np.float32))(PICTURES)
    assert once.shape == (2, 3, 4, 5)
    # the last pixel's blue is the 120th byte, 219
    assert once[1, 2, 3, 4] == pytest.approx(219 / 255, rel=5e-3)  # half precision on some CPUs
    assert once[0, 1, 0, 2] == pytest.approx(107 / 255, rel=5e-3)


def test_what_others_take_is_kept_until_they_have_read_it(tmp_path: Path) -> None:
    network = Network(_doubling(tmp_path / "floats.xml", [3, -1, -1], np.float32))
    for grey in range(0, 250, 10):
        _, once = network(np.full((1, 480, 640, 3), grey, np.uint8))
        assert once.min() == once.max() == pytest.approx(grey / 255, abs=4e-3)


def test_a_shape_with_a_file_of_its_own_is_computed_by_that(tmp_path: Path) -> None:
    whole = _doubling(tmp_path / "any.xml", [-1, -1, 3], np.uint8)
    one = _doubling(tmp_path / "one.xml", [4, 5, 3], np.uint8, times=3)
    network = Network(whole, {(1, 4, 5, 3): one})
    for _ in range(2):
        assert network(PICTURES[:1])[0].tolist() == (PICTURES[:1].astype(int) * 3).tolist()
        assert network(PICTURES)[0].tolist() == (PICTURES.astype(int) * 2).tolist()


def test_a_file_for_one_shape_that_is_no_network_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text("words")
    network = Network(
        _doubling(tmp_path / "any.xml", [-1, -1, 3], np.uint8), {(1, 4, 5, 3): tmp_path / "one.xml"}
    )
    assert network(PICTURES)[1].tolist() == PICTURES.tolist()
    with pytest.raises(ModelError, match=r"one\.xml: the inference runtime can't read this model"):
        network(PICTURES[:1])


def test_nobody_is_told_that_the_runtime_was_imported(tmp_path: Path) -> None:
    network = _doubling(tmp_path / "bytes.xml", [4, 5, 3], np.uint8)
    program = (
        "import sys, pathlib, fanlens.vision.network as n; n.Network(pathlib.Path(sys.argv[1]));"
        "print([name for name in sys.modules if 'telemetry' in name], 'openvino.tools.ovc' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(network)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    assert told.stdout == "[] False\n"
    assert not (tmp_path / "intel").exists()
