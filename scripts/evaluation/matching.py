"""Found tiles against labelled ones: who is who, and the figures that follow from it."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from fanlens.vision.boxes import TILE_CLASSES, Box
from numpy.typing import NDArray

OVERLAP = 0.5
"""Intersection over union from which a found box and a labelled one are the same thing."""
BINS = 15
"""Equal-width bins of the calibration error (Naeini et al. 2015)."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is labelled in a picture. `complete`: kinds (tiles, back, meld) of which nothing is unlabelled."""

    boxes: Sequence[Box]
    names: Sequence[str]
    melds: Sequence[Box]
    ignore: Sequence[Box]
    complete: frozenset[str]

    def only(self, names: Collection[str]) -> Truth:
        """The labels of these classes alone."""
        kept = [i for i, name in enumerate(self.names) if name in names]
        return replace(self, boxes=[self.boxes[i] for i in kept], names=[self.names[i] for i in kept])

    def between(self, least: float, most: float) -> Truth:
        """The faces whose shorter side is that many pixels; what else is labelled is ignored."""
        sides = [min(x1 - x0, y1 - y0) for x0, y0, x1, y1 in self.boxes]
        kept = [i for i, side in enumerate(sides) if least <= side <= most and self.names[i] != "back"]
        others = [box for i, box in enumerate(self.boxes) if i not in kept]
        return replace(
            self,
            boxes=[self.boxes[i] for i in kept],
            names=[self.names[i] for i in kept],
            melds=(),
            ignore=[*self.ignore, *others],
            complete=self.complete - {"back", "meld"},
        )


@dataclass(frozen=True, slots=True)
class Guess:
    """What was found in a picture; sure: probability of each name."""

    boxes: Sequence[Box]
    names: Sequence[str]
    sure: Sequence[float]
    melds: Sequence[Box]


@dataclass(frozen=True, slots=True)
class Tally:
    """Right ones out of all, printed with its counts."""

    right: int
    all: int

    def __str__(self) -> str:
        return f"{self.right / self.all:.4f} ({self.right}/{self.all})" if self.all else "- (0/0)"


def overlaps(first: Sequence[Box], second: Sequence[Box]) -> NDArray[np.float64]:
    """(n, m) intersection over union."""
    a = np.array(first, float).reshape(-1, 1, 4)
    b = np.array(second, float).reshape(1, -1, 4)
    shared = (np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])).clip(0).prod(axis=2)
    areas = [(boxes[..., 2:] - boxes[..., :2]).clip(0).prod(axis=2) for boxes in (a, b)]
    return np.asarray(shared / np.maximum(areas[0] + areas[1] - shared, 1e-9))


def pairs(found: Sequence[Box], labelled: Sequence[Box]) -> list[tuple[int, int]]:
    """(found, labelled) pairs, the greatest overlap first, each box used once."""
    table = overlaps(found, labelled)
    matched = []
    while table.size and table.max() >= OVERLAP:
        i, j = (int(place) for place in np.unravel_index(int(table.argmax()), table.shape))
        matched.append((i, j))
        table[i, :] = table[:, j] = 0
    return matched


def ignored(box: Box, regions: Sequence[Sequence[float]]) -> bool:
    """Whether a box's centre lies in a region that the labels say nothing about."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def heeded(guess: Guess, truth: Truth) -> Guess:
    """The guess without what the labels say nothing about: regions to ignore, kinds not labelled.

    What lies on a labelled box counts even there: walls are ignored, their clear backs labelled.
    """

    def counts(box: Box, name: str) -> bool:
        kind = name if name in ("back", "meld") else "tiles"
        return _matches(box, truth) or (not ignored(box, truth.ignore) and kind in truth.complete)

    kept = [i for i, box in enumerate(guess.boxes) if counts(box, guess.names[i])]
    return Guess(
        [guess.boxes[i] for i in kept],
        [guess.names[i] for i in kept],
        [guess.sure[i] for i in kept],
        [box for box in guess.melds if counts(box, "meld")],
    )


def _matches(box: Box, truth: Truth) -> bool:
    return bool(overlaps([box], [*truth.boxes, *truth.melds]).max(initial=0) >= OVERLAP)


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of a set of pictures at the shipped thresholds.

    recall, precision: faces found, whatever they were named. naming: of the found. confusions: pairs
    (labelled, named). exact: pictures with every face found and named right, nothing extra.
    calibration_error: expected calibration error of the names' probabilities, extra tiles counting
    as wrong. errors: faces lost, extra or misnamed in each picture.
    """

    recall: Tally
    precision: Tally
    naming: Tally
    confusions: Counter[tuple[str, str]]
    exact: Tally
    calibration_error: float
    back_recall: Tally
    back_precision: Tally
    meld_recall: Tally
    meld_precision: Tally
    errors: tuple[int, ...]


def figures(guesses: Sequence[Guess], truths: Sequence[Truth]) -> Figures:
    """The figures of pictures; guesses as given by `heeded`."""
    count: Counter[str] = Counter()
    confusions: Counter[tuple[str, str]] = Counter()
    sure: list[float] = []
    right: list[bool] = []
    errors = []
    for guess, truth in zip(guesses, truths, strict=True):
        matched = dict(pairs(guess.boxes, truth.boxes))
        wrong = 0
        for i, name in enumerate(guess.names):
            label = truth.names[matched[i]] if i in matched else None
            sure.append(guess.sure[i])
            right.append(label == name)
            kind = "back" if name == "back" else "face"
            count[f"{kind} found"] += 1
            on_a_face = label not in (None, "back")
            count[f"{kind} found rightly"] += label == name if kind == "back" else on_a_face
            if on_a_face:
                count["named"] += 1
                count["named right"] += label == name
                wrong += label != name
                if label != name:
                    confusions[str(label), name] += 1
            elif kind == "face":
                wrong += 1
        taken = set(matched.values())
        named = {j: guess.names[i] for i, j in matched.items()}
        for j, label in enumerate(truth.names):
            kind = "back" if label == "back" else "face"
            seen = j in taken and (kind == "face" or named[j] == "back")
            count[f"{kind} labelled"] += 1
            count[f"{kind} seen"] += seen
            wrong += kind == "face" and not seen
        errors.append(wrong)
        if "meld" in truth.complete:
            count["melds labelled"] += len(truth.melds)
            count["melds found"] += len(guess.melds)
            count["melds right"] += len(pairs(guess.melds, truth.melds))
    return Figures(
        recall=Tally(count["face seen"], count["face labelled"]),
        precision=Tally(count["face found rightly"], count["face found"]),
        naming=Tally(count["named right"], count["named"]),
        confusions=confusions,
        exact=Tally(sum(wrong == 0 for wrong in errors), len(errors)),
        calibration_error=calibration_error(sure, right),
        back_recall=Tally(count["back seen"], count["back labelled"]),
        back_precision=Tally(count["back found rightly"], count["back found"]),
        meld_recall=Tally(count["melds right"], count["melds labelled"]),
        meld_precision=Tally(count["melds right"], count["melds found"]),
        errors=tuple(errors),
    )


def calibration_error(sure: Sequence[float], right: Sequence[bool]) -> float:
    """Expected calibration error: mean distance of confidence and accuracy over bins, weighted by size."""
    if not sure:
        return 0.0
    confidence, hit = np.array(sure), np.array(right, float)
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(confidence[place == b].mean() - hit[place == b].mean()) * (place == b).mean()
            for b in np.unique(place)
        )
    )


def average_precision(guesses: Sequence[Guess], truths: Sequence[Truth]) -> tuple[float, float]:
    """(mAP50, mAP50-95) over the tile classes that are labelled, by COCO's own code.

    guesses: as given by `heeded`, found at a threshold far below the shipped one.
    """
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    all_labels = (
        (picture, name, box)
        for picture, truth in enumerate(truths)
        for name, box in zip(truth.names, truth.boxes, strict=True)
    )
    labelled = [_entry(number, *label) for number, label in enumerate(all_labels, 1)]
    found = [
        _entry(0, picture, name, box) | {"score": score}
        for picture, guess in enumerate(guesses)
        for name, box, score in zip(guess.names, guess.boxes, guess.sure, strict=True)
    ]
    if not labelled or not found:
        return 0.0, 0.0
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {
            "images": [{"id": picture} for picture in range(len(truths))],
            "annotations": labelled,
            "categories": [{"id": number, "name": name} for number, name in enumerate(TILE_CLASSES)],
        }
        coco.createIndex()
        run = COCOeval(coco, coco.loadRes(found), "bbox")
        run.params.maxDets = [1, 100, 300]
        run.evaluate()
        run.accumulate()
    precision = run.eval["precision"][:, :, :, 0, -1]  # overlaps, recalls, classes
    known = precision > -1
    return float(precision[0][known[0]].mean()), float(precision[known].mean())


def _entry(number: int, picture: int, name: str, box: Box) -> dict[str, object]:
    x0, y0, x1, y1 = box
    return {
        "id": number,
        "image_id": picture,
        "category_id": TILE_CLASSES.index(name),
        "bbox": [x0, y0, x1 - x0, y1 - y0],
        "area": (x1 - x0) * (y1 - y0),
        "iscrowd": 0,
    }
