"""Fit how sure a reading is of its total, on rendered scenes of the training split.

A reading's own probability that its total is right (from the search over hypotheses) is brought in
line with how often it is: scale and shift of its log-odds (Platt 1999), written into the manifest as
points between which `vision` interpolates. Two numbers, since a few hundred scenes bear no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from evaluation.cases import WINDS, Case, scenes, sighting_of
from evaluation.matching import calibration_error
from fanlens.models import load_manifest
from fanlens.vision import Reader
from fanlens.vision.reading import Circumstances
from fanlens.vision.resolve import read_hand

FOLDS = 5
LEAST = 60
"""Fewest totals, right and wrong ones, that a fit is made of."""
POINTS = (0.0, 0.01, 0.03, *(round(0.05 * k, 2) for k in range(1, 20)), 0.97, 0.99, 0.997, 1.0)
"""Raw probabilities at which the fitted curve is written down."""
EDGE = 1e-3
"""Probabilities are kept this far from 0 and 1 before their log-odds are taken."""


def fit_totals(model: Path, folders: Sequence[Path]) -> dict[str, float]:
    """Fit on scenes in `folders` and write `calibration.total` into the manifest of `model`.

    Gives scale and shift, the calibration error before and after (each fold judged by a fit on the
    others), and the counts behind them. ValueError for scenes that are kept for measuring, for too few
    totals, and where the probabilities say nothing of what is right.
    """
    for folder in folders:
        check_split(folder)
    manifest = load_manifest(model)
    reader = Reader(replace(manifest, calibration={}))
    answers = [answer for folder in folders for case in scenes(folder) for answer in _answers(case, reader)]
    raw = np.array([probability for probability, _ in answers])
    right = np.array([is_right for _, is_right in answers], float)
    if len(answers) < LEAST or not 0 < right.sum() < len(right):
        raise ValueError(f"{len(answers)} totals, {right.sum():.0f} of them right, are too few to fit on")
    scale, shift = fit_log_odds(raw, right)
    if scale <= 0:
        raise ValueError("surer totals are not likelier to be right: nothing was written")
    judged = np.empty(len(raw))
    for fold in range(FOLDS):
        own = np.arange(len(raw)) % FOLDS == fold
        judged[own] = fitted(raw[own], *fit_log_odds(raw[~own], right[~own]))
    points = [[point, round(float(fitted(np.array([point]), scale, shift)[0]), 4)] for point in POINTS]
    path = model / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content.setdefault("calibration", {})["total"] = points
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {
        "scale": scale,
        "shift": shift,
        "calibration error as read": calibration_error(raw.tolist(), right.astype(bool).tolist()),
        "calibration error fitted": calibration_error(judged.tolist(), right.astype(bool).tolist()),
        "totals": float(len(raw)),
        "right": float(right.sum()),
    }


def fit_log_odds(raw: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Scale and shift of log-odds by logistic regression (Newton's method, a touch of ridge)."""
    design = np.column_stack([_log_odds(raw), np.ones_like(raw)])
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (chance - right) + weights - (1.0, 0.0)
        bend = design.T @ (design * (chance * (1 - chance))[:, None]) + np.eye(2)
        weights = weights - np.linalg.solve(bend, slope)
    return float(weights[0]), float(weights[1])


def fitted(raw: np.ndarray, scale: float, shift: float) -> np.ndarray:
    """The probabilities that the fit makes of raw ones; what is impossible stays so."""
    chance = 1 / (1 + np.exp(-(scale * _log_odds(raw) + shift)))
    return np.where(raw <= 0, 0.0, chance)


def _log_odds(raw: np.ndarray) -> np.ndarray:
    kept = np.clip(raw, EDGE, 1 - EDGE)
    return np.asarray(np.log(kept / (1 - kept)))


def _answers(case: Case, reader: Reader) -> Iterator[tuple[float, bool]]:
    """Every total that is given for a scene, in the circumstances of its truth: how sure, and if right."""
    if case.hands is not None and not case.totals:
        return
    sighting = sighting_of(case, reader)
    for circumstances, total in case.totals or ((Circumstances(stated=WINDS), None),):
        reading = read_hand(sighting, circumstances)
        if reading.score is not None:
            yield reading.confidence, reading.score.score.total == total


def check_split(folder: Path) -> None:
    """Raises ValueError where a folder holds no scenes, or such as are kept for measuring."""
    path = next(iter(sorted((folder / "json").glob("*.json"))), None)
    if path is None:
        raise ValueError(f"{folder}: no rendered scenes (json/*.json) in it")
    split = json.loads(path.read_text(encoding="utf-8"))["split"]
    if split != "train":
        raise ValueError(f"{folder}: scenes of the split {split!r} are kept for measuring")
