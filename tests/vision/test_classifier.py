"""Cutting tiles out and pooling two opinions."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from fanlens.models import ClassifierSpec, load_manifest
from fanlens.vision import classifier as classifier_module
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.classifier import CROPS, FACELESS, NOT_A_TILE, Classifier, Faces, combine, cut, softmax
from fanlens.vision.closer_look import box_corners
from fanlens.vision.picture import decode, read_bytes
from hypothesis import given
from hypothesis import strategies as st

SPEC = ClassifierSpec(Path("x"), "0" * 64, 64, (*TILE_CLASSES, NOT_A_TILE), weight=1.0, detector_weight=0.5)


def _quarters(x0: int, y0: int, side: int, size: int = 400) -> np.ndarray:
    """A picture, black but for a square whose quarters are red, green, blue, white (clockwise)."""
    picture = np.zeros((size, size, 3), np.uint8)
    half = side // 2
    for (dx, dy), colour in zip(
        ((0, 0), (half, 0), (half, half), (0, half)),
        ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)),
        strict=True,
    ):
        picture[y0 + dy : y0 + dy + half, x0 + dx : x0 + dx + half] = colour
    return picture


def _rectangle(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


@pytest.mark.parametrize("side", [16, 64, 256])
def test_cut_without_margin_is_the_tile(side: int) -> None:
    crop = cut(_quarters(40, 60, side), _rectangle(40, 60, 40 + side, 60 + side), 0.0, 64)
    assert crop.shape == (64, 64, 3)
    assert crop[10, 10].tolist() == [255, 0, 0]
    assert crop[10, 54].tolist() == [0, 255, 0]
    assert crop[54, 54].tolist() == [0, 0, 255]
    assert crop[54, 10].tolist() == [255, 255, 255]


@pytest.mark.parametrize("side", [40, 200])
def test_cut_takes_in_the_margin_on_each_side(side: int) -> None:
    crop = cut(_quarters(100, 100, side), _rectangle(100, 100, 100 + side, 100 + side), 0.5, 64)
    lit = crop.max(axis=2) > 127
    assert np.flatnonzero(lit.any(axis=0))[[0, -1]].tolist() == [16, 47]
    assert np.flatnonzero(lit.any(axis=1))[[0, -1]].tolist() == [16, 47]


def test_cut_of_a_turned_rectangle_starts_at_its_own_top_left() -> None:
    # Its up points right: the top left corner in its own frame is the picture's top right.
    corners = np.roll(_rectangle(100, 100, 200, 200), -1, axis=0)
    crop = cut(_quarters(100, 100, 100), corners, 0.0, 64)
    assert crop[10, 10].tolist() == [0, 255, 0]
    assert crop[10, 54].tolist() == [0, 0, 255]


def test_cut_at_the_edge_repeats_it() -> None:
    crop = cut(np.full((50, 50, 3), 200, np.uint8), _rectangle(-20, -20, 10, 10), 0.1, 64)
    assert crop.min() == 200
    assert cut(np.full((50, 50, 3), 200, np.uint8), _rectangle(60, 60, 200, 200), 0.1, 64).min() == 200


def _faces(name: str, sure: float, tile: float = 0.99) -> Faces:
    probabilities = np.full((1, 43), (1 - sure) / 42, np.float32)
    probabilities[0, TILE_CLASSES.index(name)] = sure
    turn = np.full((1, 4), 0.25, np.float32)
    return Faces(probabilities, np.array([tile], np.float32), turn, np.zeros((1, 3), np.uint8))


def _scores(**classes: float) -> np.ndarray:
    scores = np.zeros((1, 43), np.float32)
    for name, score in classes.items():
        scores[0, TILE_CLASSES.index(name.lstrip("_"))] = score
    return scores


def test_agreement_strengthens() -> None:
    probabilities, confidence = combine(_scores(_5m=0.9, _4m=0.1), _faces("5m", 0.9), SPEC)
    assert probabilities[0].argmax() == TILE_CLASSES.index("5m")
    assert probabilities[0].max() > 0.9 * confidence[0]
    assert probabilities[0].sum() == pytest.approx(confidence[0], abs=1e-5)


def test_disagreement_leaves_both_in() -> None:
    probabilities, _ = combine(_scores(_4m=0.6, _5m=0.3), _faces("5m", 0.6), SPEC)
    four, five = (probabilities[0, TILE_CLASSES.index(name)] for name in ("4m", "5m"))
    assert five > four > 0.01


def test_what_is_no_tile_loses_confidence() -> None:
    _, sure = combine(_scores(_5m=0.6), _faces("5m", 0.9, tile=0.99), SPEC)
    _, unsure = combine(_scores(_5m=0.6), _faces("5m", 0.9, tile=0.05), SPEC)
    assert sure[0] == pytest.approx(0.6 * 0.99)
    assert unsure[0] < 0.1


def test_detector_alone() -> None:
    probabilities, confidence = combine(_scores(_5m=0.8), None, None)
    assert confidence[0] == pytest.approx(0.8)
    assert probabilities[0, TILE_CLASSES.index("5m")] == pytest.approx(0.8, abs=0.01)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=20))
def test_softmax_sums_to_one(logits: list[float]) -> None:
    assert softmax(np.array([logits], np.float32)).sum() == pytest.approx(1, abs=1e-5)


class _Looks:
    """Sure of white crops; takes dark ones for 5m at first, in later looks for 4m. Black ones are filling.

    crops: how many of each batch are no filling.
    """

    crops: ClassVar[list[int]] = []

    def __init__(self, *files: object) -> None:
        del files

    def __call__(self, batch: np.ndarray) -> list[np.ndarray]:
        assert len(batch) in CROPS
        first = not self.crops
        self.crops.append(int((batch.max(axis=(1, 2, 3)) > 0).sum()))
        logits, turns = np.zeros((len(batch), 43), np.float32), np.zeros((len(batch), 4), np.float32)
        white = batch.mean(axis=(1, 2, 3)) > 127
        logits[white, TILE_CLASSES.index("5m")] = turns[white, 0] = 20
        logits[~white, TILE_CLASSES.index("5m" if first else "4m")] = 1 if first else 2
        # what is upright at first is seen turned by as many quarters as the crop was
        for crop, turn in enumerate([0, 0] if first else [1, 2, 3]):
            turns[crop, turn] = max(turns[crop, turn], 1)
        return [logits, turns]


def test_only_doubtful_tiles_are_seen_from_all_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier_module, "Network", _Looks)
    monkeypatch.setattr(_Looks, "crops", [])
    rgb = np.full((50, 100, 3), 60, np.uint8)
    rgb[:, :50] = 255
    boxes = np.array([[10, 10, 40, 40], [60, 10, 90, 40]], np.float32)
    faces = Classifier(ClassifierSpec(Path("faces"), "0" * 64, 64, TILE_CLASSES)).classify(
        rgb, box_corners(boxes)
    )
    assert _Looks.crops == [2, 3]
    assert faces.colours.tolist() == [[255] * 3, [60] * 3]
    # logits of the doubtful one: 5m 1/4, 4m 3 x 2/4, the other 41 classes 0; of its turn: 1 0 0 0
    whole = math.exp(0.25) + math.exp(1.5) + 41
    five, four = (faces.probabilities[:, TILE_CLASSES.index(name)] for name in ("5m", "4m"))
    assert five.tolist() == pytest.approx([1, math.exp(0.25) / whole], abs=1e-4)
    assert four.tolist() == pytest.approx([0, math.exp(1.5) / whole], abs=1e-4)
    assert faces.turn[:, 0].tolist() == pytest.approx([1, math.e / (math.e + 3)], abs=1e-4)


class _Turns:
    """Sure that white crops are 5m; their turns are those given, crop by crop.

    turns: (n, 4) logits of the first look. crops: how many were looked at.
    """

    turns: ClassVar[list[list[float]]] = []
    crops: ClassVar[int] = 0

    def __init__(self, *files: object) -> None:
        del files

    def __call__(self, batch: np.ndarray) -> list[np.ndarray]:
        assert len(batch) in CROPS
        logits, turns = np.zeros((len(batch), 43), np.float32), np.zeros((len(batch), 4), np.float32)
        white = np.flatnonzero(batch.max(axis=(1, 2, 3)) > 0)
        logits[white, TILE_CLASSES.index("5m")] = 20
        turns[: len(self.turns)] = self.turns
        type(self).crops += len(white)
        return [logits, turns]


@pytest.mark.parametrize(
    ("turn", "looks"),
    [([5, 0, 5, 0], 1), ([0, 5, 0, 5], 1), ([9, 0, 0, 0], 1), ([5, 5, 0, 0], 4), ([0, 0, 0, 0], 4)],
)
def test_a_face_that_looks_the_same_upside_down_is_seen_once(
    monkeypatch: pytest.MonkeyPatch, turn: list[float], looks: int
) -> None:
    monkeypatch.setattr(classifier_module, "Network", _Turns)
    monkeypatch.setattr(_Turns, "turns", [turn])
    monkeypatch.setattr(_Turns, "crops", 0)
    rgb = np.full((50, 50, 3), 255, np.uint8)
    classifier = Classifier(ClassifierSpec(Path("faces"), "0" * 64, 64, TILE_CLASSES))
    classifier.classify(rgb, box_corners(np.array([[10, 10, 40, 40]], np.float32)))
    assert _Turns.crops == looks


@pytest.mark.parametrize(
    ("turn", "top"),
    [
        ([0.4, 0.05, 0.5, 0.05], (2, 0.5, 0.9)),
        # 0 is the likeliest quarter, but the face lies sideways, one way or the other
        ([0.35, 0.33, 0.02, 0.3], (1, 0.33, 0.63)),
    ],
)
def test_the_top_lies_on_the_likelier_axis(turn: list[float], top: tuple[int, float, float]) -> None:
    faces = replace(_faces("5m", 0.9), turn=np.array([turn], np.float32))
    assert faces.top(0) == pytest.approx(top, abs=1e-6)


def test_a_turned_picture_gives_the_same_names() -> None:
    example = Path(__file__).parents[2] / "app" / "example"
    rgb = decode(*read_bytes(example / "hand.jpg"), side=math.inf).rgb
    tiles = json.loads((example / "hand.json").read_text())["tiles"]
    boxes = np.array([tile["box"] for tile in tiles], np.float32)
    manifest = load_manifest()
    assert manifest.classifier is not None
    classifier = Classifier(manifest.classifier)
    upright = classifier.classify(rgb, box_corners(boxes))
    # a quarter turn clockwise takes (x, y) to (rows - y, x)
    rows = rgb.shape[0]
    turned_boxes = np.stack([rows - boxes[:, 3], boxes[:, 0], rows - boxes[:, 1], boxes[:, 2]], axis=1)
    turned = classifier.classify(np.ascontiguousarray(np.rot90(rgb, -1)), box_corners(turned_boxes))
    assert np.array_equal(turned.probabilities.argmax(axis=1), upright.probabilities.argmax(axis=1))
    assert turned.probabilities == pytest.approx(upright.probabilities, abs=0.02)
    told = [tile["tile"] not in FACELESS for tile in tiles]
    assert turned.turn[told] == pytest.approx(np.roll(upright.turn, 1, axis=1)[told], abs=0.02)
