"""Reading a manifest: which files make up a model, checked before anything opens them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parent / "manifest.json"


class ModelError(ValueError):
    """A model can't be used; the message is one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class DetectorSpec:
    """A YOLO detector in ONNX form with raw outputs (no suppression inside).

    path: the ONNX file, sha256 checked. sha256: 64 hex digits.
    input: longest side of the letterboxed input in pixels, a multiple of 32.
    classes: names in the order of the output rows.
    confidence: least score of a tile that is reported; meld_confidence: the same for a group.
    iou, containment: two boxes above either (intersection over union, intersection over the smaller
    one) are one tile; meld_iou: the same for groups.
    fixed: see `ClassifierSpec`.
    """

    path: Path
    sha256: str
    input: int
    classes: tuple[str, ...]
    confidence: float = 0.3
    meld_confidence: float = 0.4
    iou: float = 0.5
    containment: float = 0.8
    meld_iou: float = 0.5
    fixed: Mapping[tuple[int, ...], Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClassifierSpec:
    """A classifier in ONNX form: N x 3 x input x input RGB in [0, 1] -> `logits`, `turn`.

    margin: by what share of its width and height a box is grown on each side before it is cut out.
    classes: names in the order of `logits`; `not a tile` may be among them.
    temperature: divides `logits`. weight, detector_weight: exponents of the two stages' class
    probabilities where they are multiplied. least: faint finds whose score times the
    probability of their name is less than this are left out. found_scale, found_shift: what makes a
    probability of the detector's log-odds that it is a tile.
    fixed: by the shape of its input, files with the same network for that shape alone, in which it takes
    less time; their weights are those in `path`, which lies beside them.
    """

    path: Path
    sha256: str
    input: int
    classes: tuple[str, ...]
    margin: float = 0.08
    temperature: float = 1.0
    weight: float = 1.0
    detector_weight: float = 0.3
    least: float = 0.3
    found_scale: float = 1.0
    found_shift: float = 0.0
    fixed: Mapping[tuple[int, ...], Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GroupsSpec:
    """The numbers that judge which tiles are an exposed group, fitted for one detector.

    path: a JSON file, sha256 checked.
    """

    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """One model: a detector, perhaps a classifier and what judges groups, and the calibration of it all.

    calibration: numbers by name; each use documents its own.
    """

    name: str
    version: str
    detector: DetectorSpec
    classifier: ClassifierSpec | None = None
    groups: GroupsSpec | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The detector's digest, by which a reading names its model."""
        return self.detector.sha256


def load_manifest(model: str | PathLike[str] | None = None) -> Manifest:
    """The manifest of `model`, every file's sha256 checked.

    model: None for the shipped model, its name, a manifest file, or a folder that holds `manifest.json`.
    Raises ModelError where it can't be found or read, or a file differs from its digest.
    """
    path = _find(model)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: the model's manifest can't be read ({error}).") from None
    try:
        detector, classifier, groups = content["detector"], content.get("classifier"), content.get("groups")
        return Manifest(
            name=content["name"],
            version=str(content["version"]),
            detector=DetectorSpec(
                **_network(path, detector), **_known(detector.get("thresholds", {}), DetectorSpec)
            ),
            classifier=None
            if classifier is None
            else ClassifierSpec(**_network(path, classifier), **_known(classifier, ClassifierSpec)),
            groups=None if groups is None else GroupsSpec(_file(path, groups), groups["sha256"]),
            calibration=content.get("calibration", {}),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: the manifest lacks or misstates {error}.") from None


def file_sha256(path: Path) -> str:
    """Digest of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _find(model: str | PathLike[str] | None) -> Path:
    if model is None:
        if not SHIPPED.is_file():
            raise ModelError(f"{SHIPPED}: no model ships with this copy; name one with --model.")
        return SHIPPED
    path = Path(model)
    if path.is_dir():
        path = path / "manifest.json"
    if path.is_file():
        return path
    if SHIPPED.is_file() and json.loads(SHIPPED.read_text(encoding="utf-8")).get("name") == str(model):
        return SHIPPED
    raise ModelError(f"{model}: there is no such model, neither by name nor as a file.")


def _file(manifest: Path, entry: Mapping[str, Any]) -> Path:
    path = manifest.parent / str(entry["file"])
    if not path.is_file():
        raise ModelError(f"{path}: the model's file is missing.")
    if file_sha256(path) != entry["sha256"]:
        raise ModelError(f"{path}: the file differs from the sha256 in its manifest and isn't opened.")
    return path


def _network(manifest: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "path": _file(manifest, entry),
        "sha256": entry["sha256"],
        "input": int(entry["input"]),
        "classes": tuple(entry["classes"]),
        "fixed": {tuple(one["shape"]): _file(manifest, one) for one in entry.get("fixed", ())},
    }


def _known(numbers: Mapping[str, Any], spec: type) -> dict[str, Any]:
    """Those entries that are numbers of `spec` (float fields with a default)."""
    names = {name for name, kind in spec.__annotations__.items() if kind == "float"}
    return {name: float(value) for name, value in numbers.items() if name in names}
