"""The shipped networks for one input shape find and name what those for any shape do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from fanlens.models import load_manifest
from fanlens.vision.classifier import CROPS, Classifier
from fanlens.vision.detector import Detector
from fanlens.vision.picture import decode

EXAMPLE = Path(__file__).parents[2] / "app" / "example" / "hand.jpg"


def _square() -> np.ndarray:
    """The photo that ships, its width and height made 640 pixels."""
    return np.asarray(cv2.resize(decode(EXAMPLE.read_bytes()).rgb, (640, 640)), np.uint8)


def test_the_detector_finds_the_same_in_a_square() -> None:
    spec = load_manifest().detector
    assert set(spec.fixed) == {(1, 640, 640, 3)}
    one, any_shape = (
        Detector(each).detect(_square()).above(spec.confidence) for each in (spec, replace(spec, fixed={}))
    )
    assert len(one) == len(any_shape) > 14
    np.testing.assert_allclose(one.boxes, any_shape.boxes, atol=1)
    np.testing.assert_allclose(one.scores, any_shape.scores, atol=0.05)


def test_the_classifier_names_the_same_by_the_few_and_by_the_many() -> None:
    spec = load_manifest().classifier
    assert spec is not None
    assert set(spec.fixed) == {(count, spec.input, spec.input, 3) for count in CROPS}
    square = _square()
    boxes = Detector(load_manifest().detector).detect(square).above(0.5).boxes
    corners = np.stack([boxes[:, [0, 2, 2, 0]], boxes[:, [1, 1, 3, 3]]], axis=2)
    for count in (1, len(corners)):
        one, any_number = (
            Classifier(each).classify(square, corners[:count]) for each in (spec, replace(spec, fixed={}))
        )
        np.testing.assert_allclose(one.probabilities, any_number.probabilities, atol=0.02)
        np.testing.assert_allclose(one.turn, any_number.turn, atol=0.02)
