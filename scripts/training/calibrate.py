"""Fit what turns both networks' scores into probabilities, on photo sessions kept out of training.

Three numbers: the classifier's temperature (Guo et al. 2017), the detector's weight in the pooled
opinion, and with them the probability of every class of every tile found. They are chosen to make
the labels likeliest (least negative log-likelihood); which box was found plays no part.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from fanlens.models import load_manifest
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.classifier import Classifier, Faces, combine
from fanlens.vision.closer_look import box_corners
from fanlens.vision.detector import Detector
from fanlens.vision.picture import decode, read_bytes

from .crops import read_labels
from .sources import Source

TEMPERATURES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0)
DETECTOR_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
_OVERLAP = 0.5


def _sightings(
    source: Source, detector: Detector, classifier: Classifier
) -> tuple[np.ndarray, Faces, np.ndarray]:
    """Detector scores, the classifier's opinion at temperature 1 and the true class of every tile found."""
    scores, faces, truth = [], [], []
    for path in source.pictures():
        rgb = decode(read_bytes(path)).rgb
        labels = read_labels(source.folder / "labels" / f"{path.stem}.txt")
        labels = labels[labels[:, 0] < len(TILE_CLASSES)]
        found = detector.detect(rgb)
        if not len(labels) or not len(found):
            continue
        size = np.array([rgb.shape[1], rgb.shape[0]])
        half = labels[:, 3:5] / 2
        boxes = np.hstack([labels[:, 1:3] - half, labels[:, 1:3] + half]) * np.tile(size, 2)
        low = np.maximum(found.boxes[:, None, :2], boxes[None, :, :2])
        high = np.minimum(found.boxes[:, None, 2:], boxes[None, :, 2:])
        shared = (high - low).clip(0).prod(axis=2)
        areas = [(part[:, 2:] - part[:, :2]).prod(axis=1) for part in (found.boxes, boxes)]
        overlap = shared / (areas[0][:, None] + areas[1][None] - shared)
        matched = np.flatnonzero(overlap.max(axis=1) >= _OVERLAP)
        scores.append(found.scores[matched])
        faces.append(classifier.classify(rgb, box_corners(found.boxes[matched])))
        truth.append(labels[overlap.argmax(axis=1)[matched], 0].astype(int))
    together = Faces(
        np.concatenate([part.probabilities for part in faces]),
        np.concatenate([part.tile for part in faces]),
        np.concatenate([part.turn for part in faces]),
    )
    return np.concatenate(scores), together, np.concatenate(truth)


def calibrate(model: Path, source: Source) -> dict[str, float]:
    """Fit on `source` and write the numbers into the manifest; gives them with the count behind them."""
    manifest = load_manifest(model)
    if manifest.classifier is None:
        raise ValueError(f"{model}: a model without a classifier has nothing to calibrate")
    plain = replace(manifest.classifier, temperature=1.0, weight=1.0)
    scores, faces, truth = _sightings(source, Detector(manifest.detector), Classifier(plain))
    logs = np.log(np.maximum(faces.probabilities, 1e-12))
    best = (np.inf, 1.0, 0.0)
    for temperature, weight in product(TEMPERATURES, DETECTOR_WEIGHTS):
        powers = np.exp(logs / temperature)
        cooled = Faces(powers / powers.sum(axis=1, keepdims=True), faces.tile, faces.turn)
        spec = replace(plain, temperature=temperature, detector_weight=weight)
        probabilities, sure = combine(scores, cooled, spec)
        named = probabilities / np.maximum(sure, 1e-9)[:, None]
        loss = float(-np.log(np.maximum(named[np.arange(len(truth)), truth], 1e-9)).mean())
        best = min(best, (loss, temperature, weight))
    path = model / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["classifier"] |= {"temperature": best[1], "weight": 1.0, "detector_weight": best[2]}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {"loss": best[0], "temperature": best[1], "detector_weight": best[2], "tiles": float(len(truth))}
