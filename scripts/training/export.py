"""From trained weights to what ships: ONNX files, the `.pt` to train on from, and the manifest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from fanlens.models.manifest import file_sha256
from fanlens.vision.boxes import MELD_CLASS, TILE_CLASSES
from fanlens.vision.classifier import CROPS

from .classifier import MARGIN
from .fixed import write_fixed
from .network import SIDE, FaceClassifier
from .pixels import FromPixels
from .sparse_head import write_onnx

LOCATOR, LOCATOR_WEIGHTS, CLASSIFIER, CLASSIFIER_WEIGHTS = (
    "locator.onnx",
    "locator.pt",
    "classifier.onnx",
    "classifier.pt",
)


def _export_locator(weights: Path, out: Path, size: int) -> None:
    from ultralytics import YOLO
    from ultralytics.nn.tasks import DetectionModel

    trained = YOLO(str(weights)).model.float()
    # Checkpoints name the class they were trained as; what ships must load without our scripts.
    plain = DetectionModel(trained.yaml, nc=len(trained.names), verbose=False)
    plain.load_state_dict(trained.state_dict())
    plain.names, plain.args, plain.task = trained.names, {"imgsz": size, "task": "detect"}, "detect"
    torch.save({"model": plain.half(), "train_args": plain.args}, out / LOCATOR_WEIGHTS)
    write_onnx(YOLO(str(out / LOCATOR_WEIGHTS)).model, out / LOCATOR, size)


def _export_classifier(weights: Path, out: Path) -> None:
    from ultralytics.utils.torch_utils import fuse_conv_and_bn

    shutil.copy(weights, out / CLASSIFIER_WEIGHTS)
    model = FaceClassifier()
    model.load_state_dict(torch.load(weights, weights_only=True)["model"])
    model.eval()
    entrance: Any = model.early[0]
    entrance.conv, entrance.forward = fuse_conv_and_bn(entrance.conv, entrance.bn), entrance.forward_fuse
    torch.onnx.export(
        FromPixels(model, entrance.conv),
        (torch.zeros(1, SIDE, SIDE, 3, dtype=torch.uint8),),
        str(out / CLASSIFIER),
        input_names=["crops"],
        output_names=["logits", "turn"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}, "turn": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )


def _fixed(path: Path, shapes: Iterable[tuple[int, ...]]) -> list[dict[str, Any]]:
    """The manifest's entries of a network's files for one shape each, which are written."""
    entries = []
    for shape in shapes:
        out = path.with_stem("-".join([path.stem, *map(str, shape)]))
        write_fixed(path, shape, out)
        entries.append({"file": out.name, "sha256": file_sha256(out), "shape": shape})
    return entries


def export(locator: Path, classifier: Path, out: Path, *, size: int = 640) -> Path:
    """Write all files to `out`; a manifest already there keeps its thresholds, calibration and figures.

    Gives the manifest's path. Its `name` and `version` are for the maintainer to set.
    """
    out.mkdir(parents=True, exist_ok=True)
    _export_locator(locator, out, size)
    _export_classifier(classifier, out)
    path = out / "manifest.json"
    manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    manifest.setdefault("name", "fanlens-tiles")
    manifest.setdefault("version", "1")
    manifest["detector"] = manifest.get("detector", {}) | {
        "file": LOCATOR,
        "sha256": file_sha256(out / LOCATOR),
        "input": size,
        "classes": [*TILE_CLASSES, MELD_CLASS],
        "fixed": _fixed(out / LOCATOR, [(1, size, size, 3)]),
        "weights": {"file": LOCATOR_WEIGHTS, "sha256": file_sha256(out / LOCATOR_WEIGHTS)},
    }
    manifest["classifier"] = manifest.get("classifier", {}) | {
        "file": CLASSIFIER,
        "sha256": file_sha256(out / CLASSIFIER),
        "input": SIDE,
        "margin": MARGIN,
        "classes": [*TILE_CLASSES, "not a tile"],
        "fixed": _fixed(out / CLASSIFIER, [(count, SIDE, SIDE, 3) for count in CROPS]),
        "weights": {"file": CLASSIFIER_WEIGHTS, "sha256": file_sha256(out / CLASSIFIER_WEIGHTS)},
    }
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
