"""Suppression across classes, and the detector around a network made of constants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fanlens.models import DetectorSpec, ModelError
from fanlens.vision import detector as detector_module
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.detector import Detector, suppress

M4, M5, PLUM = (TILE_CLASSES.index(name) for name in ("4m", "5m", "plum"))


def _scores(*rows: dict[int, float]) -> np.ndarray:
    scores = np.zeros((len(rows), 43), np.float32)
    for row, classes in zip(scores, rows, strict=True):
        for index, score in classes.items():
            row[index] = score
    return scores


def _boxes(*boxes: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(boxes, np.float32).reshape(-1, 4)


def test_one_tile_under_two_names_comes_out_once_with_both() -> None:
    # Intersection 48 x 60 of a union of 52 x 60: 0.92.
    boxes, scores = suppress(
        _boxes((0, 0, 50, 60), (2, 0, 52, 60)), _scores({M4: 0.8}, {M5: 0.5, M4: 0.1}), 0.5, 0.8
    )
    assert boxes.tolist() == [[0, 0, 50, 60]]
    assert scores[0, M4] == pytest.approx(0.8)
    assert scores[0, M5] == pytest.approx(0.5)


def test_part_of_a_tile_is_swallowed_and_lends_nothing() -> None:
    # The part lies wholly inside, but covers only 0.2 of the tile.
    boxes, scores = suppress(
        _boxes((0, 0, 50, 60), (10, 10, 40, 30)), _scores({PLUM: 0.9}, {M5: 0.6}), 0.5, 0.8
    )
    assert len(boxes) == 1
    assert scores[0, M5] == 0


def test_neighbours_both_stay() -> None:
    # Overlap 8 x 60 of boxes 50 wide: 0.09 of the union, 0.16 of the smaller.
    boxes, _ = suppress(_boxes((0, 0, 50, 60), (42, 0, 92, 60)), _scores({M4: 0.9}, {M4: 0.8}), 0.5, 0.8)
    assert len(boxes) == 2


def test_nothing_in_nothing_out() -> None:
    boxes, scores = suppress(_boxes(), np.zeros((0, 43), np.float32), 0.5, 0.8)
    assert boxes.shape == (0, 4)
    assert scores.shape == (0, 43)


class _Constant:
    """Stands for the network: gives one output, keeps what it was given."""

    output: np.ndarray
    batch: np.ndarray

    def __init__(self, *files: object) -> None:
        del files

    def __call__(self, batch: np.ndarray) -> list[np.ndarray]:
        _Constant.batch = batch
        return [_Constant.output]


@pytest.fixture
def constant(monkeypatch: pytest.MonkeyPatch) -> type[_Constant]:
    monkeypatch.setattr(detector_module, "Network", _Constant)
    return _Constant


def _spec(classes: tuple[str, ...], **numbers: float) -> DetectorSpec:
    return DetectorSpec(Path("net.onnx"), "0" * 64, 640, classes, **numbers)


def _output(*columns: list[float]) -> np.ndarray:
    """(1, 4 + classes, anchors) from one list for each anchor."""
    return np.array(columns, np.float32).T[None]


def test_letterbox_and_back(constant: type[_Constant]) -> None:
    # 1280 x 660 fits into 640 x 330, padded to 640 x 352: 11 rows above.
    constant.output = _output([100, 111, 40, 60, 0.9, 0.2, 0.0])
    found = Detector(_spec(("5m", "4m", "meld"))).detect(np.full((660, 1280, 3), 255, np.uint8))
    assert constant.batch.shape == (1, 352, 640, 3)
    assert np.unique(constant.batch[0, :11]).tolist() == [114]
    assert constant.batch[0, 11:341].min() == 255
    # Centre (100, 100) and size (40, 60) at half the scale.
    assert found.boxes.tolist() == [[160, 140, 240, 260]]
    assert found.scores[0, M5] == pytest.approx(0.9)
    assert found.scores[0, M4] == pytest.approx(0.2)
    # It is one of the two unless it is neither: 1 - 0.1 x 0.8.
    assert found.confidence.tolist() == pytest.approx([0.92])
    assert len(found.meld_boxes) == 0


def test_groups_do_not_compete_with_their_tiles(constant: type[_Constant]) -> None:
    constant.output = _output(
        [100, 100, 40, 60, 0.9, 0.0], [140, 100, 120, 60, 0.0, 0.8], [142, 100, 120, 60, 0.0, 0.7]
    )
    found = Detector(_spec(("5m", "meld"))).detect_unscaled(np.zeros((320, 320, 3), np.uint8))
    assert len(found) == 1
    assert found.meld_boxes.tolist() == [[80, 70, 200, 130]]
    assert found.meld_scores.tolist() == pytest.approx([0.8])


def test_boxes_end_where_the_picture_ends(constant: type[_Constant]) -> None:
    constant.output = _output([10, 10, 60, 60, 0.9])
    found = Detector(_spec(("5m",))).detect_unscaled(np.zeros((320, 320, 3), np.uint8))
    assert found.boxes.tolist() == [[0, 0, 40, 40]]


def test_threshold(constant: type[_Constant]) -> None:
    constant.output = _output([50, 50, 40, 40, 0.5], [150, 50, 40, 40, 0.25], [250, 50, 40, 40, 0.1])
    found = Detector(_spec(("5m",), confidence=0.3)).detect_unscaled(np.zeros((320, 320, 3), np.uint8))
    assert found.confidence.tolist() == pytest.approx([0.5, 0.25])
    assert found.above(0.3).confidence.tolist() == pytest.approx([0.5])


def test_foreign_classes_are_refused(constant: type[_Constant]) -> None:
    with pytest.raises(ModelError, match="cat"):
        Detector(_spec(("5m", "cat")))
    constant.output = _output([50, 50, 40, 40, 0.5])
    with pytest.raises(ModelError, match="rows"):
        Detector(_spec(("5m", "6m"))).detect(np.zeros((64, 64, 3), np.uint8))


def test_file_that_is_no_network(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"not a network")
    with pytest.raises(ModelError, match=r"net\.onnx"):
        Detector(DetectorSpec(tmp_path / "net.onnx", "0" * 64, 640, ("5m",)))
