"""Fit the model that judges exposed groups (`fanlens.vision.layout.exposed`) on scenes and photos.

The detector that proposes must be the one that ships. It is too sure where it was trained, so most
examples should come from scenes that it wasn't trained on; photos show how people lay groups out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from evaluation.matching import ignored, overlaps, pairs
from fanlens.models import load_manifest
from fanlens.models.manifest import file_sha256
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.finder import Finder, Found
from fanlens.vision.layout.exposed import FEATURES, Candidate, candidates
from fanlens.vision.layout.plane import Plane
from fanlens.vision.picture import decode, read_bytes

from .crops import pixel_boxes, read_labels
from .sources import Source
from .totals import check_split

FILE = "groups.json"
HIDDEN = 64
STEPS, BATCH, RATE, DECAY = 6000, 512, 1e-2, 0.05
LEAST, ALONE = 0.35, 0.6
"""Probability from which a candidate counts, and score from which a proposal without one does: where
recall and precision on the scenes were about equal."""
FILLED = 0.8
"""Intersection over union from which a candidate fills a labelled box: three tiles of four don't."""


def fit_groups(model: Path, folders: Sequence[Path], sources: Sequence[Source] = ()) -> dict[str, float]:
    """Fit on scenes and labelled photos; writes `groups.json` into the folder `model` and its manifest.

    folders: rendered scenes. sources: prepared photos; those with groups labelled throughout are taken.
    Gives the counts and the loss (mean negative log-likelihood). ValueError for scenes kept for measuring
    and where no group is among the candidates.
    """
    for folder in folders:
        check_split(folder)
    finder = Finder(replace(load_manifest(model), groups=None))
    found = [example for folder in folders for example in _of_scenes(folder, finder)]
    found += [example for source in sources for example in _of_photos(source, finder)]
    features = np.array([features for features, _, _ in found])
    right = np.array([is_group for _, is_group, _ in found], float)
    if not right.any() or right.all():
        raise ValueError("the pictures hold no exposed groups to learn from")
    numbers, loss = _fit(features, right, np.array([weight for _, _, weight in found]))
    (model / FILE).write_text(json.dumps(numbers) + "\n", encoding="utf-8")
    path = model / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["groups"] = {"file": FILE, "sha256": file_sha256(model / FILE)}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {"candidates": float(len(right)), "groups": float(right.sum()), "loss": loss}


Example = tuple[tuple[float, ...], bool, float]
"""Features of a candidate, whether just these tiles are a labelled group, and how much it counts."""


def _of_scenes(folder: Path, finder: Finder) -> Iterator[Example]:
    for path in sorted((folder / "json").glob("*.json")):
        scene = json.loads(path.read_text(encoding="utf-8"))
        found = finder.find(decode(*read_bytes(folder / scene["image"])).rgb)
        own = dict(pairs([tile.box for tile in found.tiles], [tuple(tile["box"]) for tile in scene["tiles"]]))
        groups = {frozenset(meld["tiles"]) for meld in scene["melds"]}
        for candidate in _candidates(found):
            is_group = frozenset(own.get(index, -1) for index in candidate.tiles) in groups
            if is_group or not ignored(candidate.box, scene["ignore"]):
                yield candidate.features, is_group, 1.0


def _candidates(found: Found) -> list[Candidate]:
    return candidates(found.tiles, found.rows, found.melds, Plane.of(found.tiles))


def _of_photos(source: Source, finder: Finder) -> Iterator[Example]:
    """Here a group is labelled as a box; it is the candidate that fills it."""
    for path in source.pictures():
        labels = read_labels(source.folder / "labels" / f"{path.stem}.txt")
        groups = labels[labels[:, 0] == len(TILE_CLASSES)][:, 1:5]
        if not len(groups) or "meld" not in source.complete(path.stem):
            continue
        rgb = decode(*read_bytes(path)).rgb
        boxes = pixel_boxes(groups, rgb.shape[1], rgb.shape[0])
        found = finder.find(rgb)
        for candidate in _candidates(found):
            is_group = bool(overlaps([candidate.box], boxes.tolist()).max() > FILLED)
            if is_group or not ignored(candidate.box, source.about.get(path.stem, {}).get("ignore", [])):
                yield candidate.features, is_group, source.weight


def _fit(features: np.ndarray, right: np.ndarray, weights: np.ndarray) -> tuple[dict[str, Any], float]:
    """The numbers of `GroupJudge`, by AdamW; the features' scale is folded into the first layer."""
    torch.manual_seed(0)
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    known = torch.tensor((features - mean) / spread, dtype=torch.float32)
    truth = torch.tensor(right, dtype=torch.float32)
    hidden, output = torch.nn.Linear(len(FEATURES), HIDDEN), torch.nn.Linear(HIDDEN, 1)
    optimiser = torch.optim.AdamW([*hidden.parameters(), *output.parameters()], lr=RATE, weight_decay=DECAY)
    pace = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    judge = torch.nn.functional.binary_cross_entropy_with_logits
    shares = torch.tensor(weights, dtype=torch.float64)
    for _ in range(STEPS):
        drawn = torch.multinomial(shares, BATCH, replacement=True)
        loss = judge(output(torch.tanh(hidden(known[drawn])))[:, 0], truth[drawn])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        pace.step()
    with torch.no_grad():
        overall = float(judge(output(torch.tanh(hidden(known)))[:, 0], truth))
    layers = [part.detach().double().numpy() for part in (*hidden.parameters(), *output.parameters())]
    hidden_weights = layers[0] / spread
    numbers = {
        "features": FEATURES,
        "hidden": hidden_weights.round(5).tolist(),
        "hidden_bias": (layers[1] - hidden_weights @ mean).round(5).tolist(),
        "output": layers[2][0].round(5).tolist(),
        "output_bias": round(float(layers[3][0]), 5),
        "least": LEAST,
        "alone": ALONE,
    }
    return numbers, overall
