"""Fit what turns both networks' scores into probabilities, on photo sessions kept out of training.

The classifier's temperature (Guo et al. 2017) and the detector's weight in the pooled opinion make
the names of the tiles found likeliest (least negative log-likelihood); scale and shift of the
detector's log-odds (Platt 1999) do the same for what is a tile at all.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from evaluation.matching import OVERLAP, ignored, overlaps
from fanlens.models import load_manifest
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.classifier import Classifier, Faces, combine
from fanlens.vision.closer_look import box_corners
from fanlens.vision.detector import Detector, any_tile
from fanlens.vision.picture import decode, read_bytes

from .crops import pixel_boxes, read_labels
from .sources import Source

TEMPERATURES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0)
DETECTOR_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
BACK = TILE_CLASSES.index("back")
UNMATCHED = -1


def _sightings(
    source: Source, detector: Detector, classifier: Classifier
) -> tuple[np.ndarray, Faces, np.ndarray]:
    """Detector scores, the classifier's opinion at temperature 1 and the true class of everything found.

    The class is `UNMATCHED` where no label lies there and the labels of its kind are complete.
    """
    sightings = []
    for path in source.pictures():
        rgb = decode(*read_bytes(path)).rgb
        labels = read_labels(source.folder / "labels" / f"{path.stem}.txt")
        labels = labels[labels[:, 0] < len(TILE_CLASSES)]
        found = detector.detect(rgb)
        if not len(labels) or not len(found):
            continue
        boxes = pixel_boxes(labels[:, 1:5], rgb.shape[1], rgb.shape[0])
        overlap = overlaps(found.boxes.tolist(), boxes.tolist())
        matched = overlap.max(axis=1) >= OVERLAP
        names = np.where(matched, labels[overlap.argmax(axis=1), 0].astype(int), UNMATCHED)
        regions = source.about.get(path.stem, {}).get("ignore", [])
        heeded = matched | ~np.array([ignored(box, regions) for box in found.boxes.tolist()])
        if "back" not in source.complete(path.stem):
            heeded &= matched | (found.scores.argmax(axis=1) != BACK)
        faces = classifier.classify(rgb, box_corners(found.boxes[heeded]))
        sightings.append((found.scores[heeded], faces, names[heeded]))
    return _joined(sightings)


def _joined(sightings: list[tuple[np.ndarray, Faces, np.ndarray]]) -> tuple[np.ndarray, Faces, np.ndarray]:
    scores, faces, truth = zip(*sightings, strict=True)
    together = Faces(
        np.concatenate([part.probabilities for part in faces]),
        np.concatenate([part.tile for part in faces]),
        np.concatenate([part.turn for part in faces]),
        np.concatenate([part.colours for part in faces]),
    )
    return np.concatenate(scores), together, np.concatenate(truth)


def _platt(odds: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Scale and shift of log-odds by logistic regression (Newton's method, a touch of ridge)."""
    design = np.column_stack([odds, np.ones_like(odds)])
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (chance - right) + 0.1 * (weights - (1.0, 0.0))
        bend = design.T @ (design * (chance * (1 - chance))[:, None]) + 0.1 * np.eye(2)
        weights = weights - np.linalg.solve(bend, slope)
    return float(weights[0]), float(weights[1])


def calibrate(model: Path, sources: list[Source]) -> dict[str, float]:
    """Fit on `sources` and write the numbers into the manifest; gives them with the count behind them.

    A few photo sessions on which next to nothing is wrong would have the names surer than they are on
    other tables: give scenes that weren't trained on with them.
    """
    manifest = load_manifest(model)
    if manifest.classifier is None:
        raise ValueError(f"{model}: a model without a classifier has nothing to calibrate")
    plain = replace(manifest.classifier, temperature=1.0, weight=1.0)
    detector, classifier = Detector(manifest.detector), Classifier(plain)
    scores, faces, truth = _joined([_sightings(source, detector, classifier) for source in sources])
    found = np.clip(any_tile(scores), 1e-6, 1 - 1e-6)
    scale, shift = _platt(np.log(found / (1 - found)), (truth != UNMATCHED).astype(float))
    tiles = truth != UNMATCHED
    scores, truth = scores[tiles], truth[tiles]
    faces = Faces(faces.probabilities[tiles], faces.tile[tiles], faces.turn[tiles], faces.colours[tiles])
    logs = np.log(np.maximum(faces.probabilities, 1e-12))
    best = (np.inf, 1.0, 0.0)
    for temperature, weight in product(TEMPERATURES, DETECTOR_WEIGHTS):
        powers = np.exp(logs / temperature)
        cooled = replace(faces, probabilities=powers / powers.sum(axis=1, keepdims=True))
        spec = replace(plain, temperature=temperature, detector_weight=weight)
        probabilities, sure = combine(scores, cooled, spec)
        named = probabilities / np.maximum(sure, 1e-9)[:, None]
        loss = float(-np.log(np.maximum(named[np.arange(len(truth)), truth], 1e-9)).mean())
        best = min(best, (loss, temperature, weight))
    path = model / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    fitted = {"temperature": best[1], "weight": 1.0, "detector_weight": best[2]}
    content["classifier"] |= fitted | {"found_scale": round(scale, 3), "found_shift": round(shift, 3)}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return fitted | {"found_scale": scale, "found_shift": shift, "loss": best[0], "tiles": float(len(truth))}
