"""Train the locator: ultralytics' own trainer, with what tile pictures need on top of it.

- Turns by any angle, with boxes that stay tight (`warping.py`): a photo may be taken from any side.
- Partly labelled pictures: where nobody boxed the face-down tiles or the meld groups of a picture,
  these classes' scores are left out of its loss, so they are not learnt as background.
- Tiles that nobody boxed (photos show ponds): where a photo's labels show nothing and the network
  is fairly sure of a tile, the photo teaches nothing; rendered scenes teach what is no tile.
- Ignore regions are painted over with their mean colour.
- Windows: pictures are loaded at the size they are read at, and a window with tiles in it is cut out.
- Short epochs drawn from several sources by weight, so that the schedule has fine steps on a CPU.

What a source is stands in `sources.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fanlens.vision.boxes import MELD_CLASS, TILE_CLASSES
from numpy.typing import NDArray
from torch import Tensor, nn
from ultralytics import YOLO
from ultralytics.data.build import InfiniteDataLoader, seed_worker
from ultralytics.data.dataset import YOLODataset
from ultralytics.models.yolo.detect import DetectionTrainer
from ultralytics.nn.tasks import DetectionModel
from ultralytics.utils.loss import v8DetectionLoss

from .crops import pixel_boxes
from .network import HAS_BFLOAT16
from .sources import COMPLETE, Source
from .warping import outlines, warped

CLASSES = (*TILE_CLASSES, MELD_CLASS)
BACK, MELD = CLASSES.index("back"), CLASSES.index(MELD_CLASS)
READ_AT = 640
"""Longest side in pixels that pictures are loaded at, as the detector does when it reads."""
DOUBTED = 0.35
"""Score from which an unlabelled box in a photo may well be a tile that nobody boxed."""


def _columns(complete: Sequence[str]) -> Tensor:
    """Which classes a picture labels throughout, as 0/1 (44,)."""
    known = torch.ones(len(CLASSES))
    known[BACK] = float("back" in complete)
    known[MELD] = float("meld" in complete)
    return known


class TileDataset(YOLODataset):  # type: ignore[misc]
    """Pictures with their turns, their painted-over regions and their known columns."""

    about: dict[str, Any]

    def load_image(self, i: int, *args: Any, **kwargs: Any) -> Any:
        """The picture with its longest side at `READ_AT`, its ignore regions painted over."""
        window, self.imgsz = self.imgsz, READ_AT
        picture, original, resized = super().load_image(i, *args, **kwargs)
        self.imgsz = window
        regions = self.about.get(Path(self.im_files[i]).stem, {}).get("ignore", [])
        if regions:
            picture = picture.copy()
            for region in regions:
                _paint(picture, np.array(region) * resized[1] / original[1])
        return picture, original, resized

    def update_labels_info(self, label: dict[str, Any]) -> dict[str, Any]:
        """Add the known columns, and turn, scale and cut the picture before any other change."""
        about = self.about.get(Path(label["im_file"]).stem, {})
        label["columns"] = _columns(about.get("complete", COMPLETE))
        label["doubted"] = torch.tensor(about.get("photo", True))
        if self.augment:
            _warp(label, about, self.imgsz)
        return super().update_labels_info(label)


def _warp(label: dict[str, Any], about: dict[str, Any], side: int) -> None:
    """Replace the picture by a window of it as `warping` makes it, and the labels by those inside."""
    height, width = label["img"].shape[:2]
    boxes = pixel_boxes(label["bboxes"], width, height)
    shapes, outlined = outlines(boxes, about, width / label["ori_shape"][1])
    window = warped(label["img"], shapes, side, outlined=outlined)
    meld = label["cls"][:, 0] == MELD
    for number in window.spoilt:
        if meld[number]:
            label["columns"][MELD] = 0
        else:
            _paint(window.picture, window.boxes[number])
    left = window.boxes[window.kept]
    size = np.tile(window.picture.shape[1::-1], 2)
    middles = np.hstack([(left[:, :2] + left[:, 2:]) / 2, left[:, 2:] - left[:, :2]]) / size
    label["img"] = window.picture
    label["bboxes"] = middles.astype(np.float32)
    label["cls"] = label["cls"][window.kept]
    label["ori_shape"] = label["resized_shape"] = window.picture.shape[:2]


def _paint(picture: NDArray[np.uint8], box: NDArray[np.float64]) -> None:
    """Fill a box `(x0, y0, x1, y1)` in pixels with its mean colour, in place."""
    x0, y0, x1, y1 = box.round().astype(int).clip(0)
    part = picture[y0:y1, x0:x1]
    if part.size:
        part[:] = part.mean((0, 1)).astype(np.uint8)


class PartlyLabelledLoss(v8DetectionLoss):  # type: ignore[misc]
    """ultralytics' loss without the class columns that a picture does not label."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self._cross_entropy = nn.BCEWithLogitsLoss(reduction="none")
        self.bce = self._known_cross_entropy

    def _known_cross_entropy(self, scores: Tensor, targets: Tensor) -> Tensor:
        loss: Tensor = self._cross_entropy(scores, targets)
        missed = (
            (targets.sum(-1) == 0) & (scores.detach().amax(-1).sigmoid() > DOUBTED) & self._doubted[:, None]
        )
        return loss * (self._known[:, None, :] | (targets > 0)) * ~missed[:, :, None]

    def get_assigned_targets_and_loss(self, preds: Any, batch: dict[str, Any], **kwargs: Any) -> Any:
        """Note the batch's known columns, then the loss as ever."""
        if "columns" in batch:
            self._known = torch.stack(tuple(batch["columns"])) > 0
            self._doubted = torch.stack(tuple(batch["doubted"]))
        else:  # ultralytics' own validation
            self._known = torch.ones(1, len(CLASSES), dtype=torch.bool)
            self._doubted = torch.zeros(1, dtype=torch.bool)
        return super().get_assigned_targets_and_loss(preds, batch, **kwargs)


class TileModel(DetectionModel):  # type: ignore[misc]
    """A YOLO detection model with `PartlyLabelledLoss`."""

    def init_criterion(self) -> PartlyLabelledLoss:
        """The loss, built once by ultralytics."""
        return PartlyLabelledLoss(self)

    def loss(self, batch: dict[str, Any], preds: Any = None) -> Any:
        """The loss; the layers run in bfloat16 where the CPU has it (twice as fast), the loss never does."""
        if preds is None and HAS_BFLOAT16:
            with torch.autocast("cpu", torch.bfloat16):
                preds = self.forward(batch["img"])
            preds = {
                name: [part.float() for part in value] if isinstance(value, list) else value.float()
                for name, value in preds.items()
            }
        return super().loss(batch, preds)


def trainer_for(sources: list[Source], epoch_size: int) -> type[DetectionTrainer]:
    """An ultralytics trainer class that draws `epoch_size` pictures an epoch from `sources`."""

    class TileTrainer(DetectionTrainer):  # type: ignore[misc]
        def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> TileModel:
            model = TileModel(cfg, nc=self.data["nc"], ch=self.data["channels"], verbose=False)
            model = self.set_model_names_for_load(model)
            if weights:
                model.load(weights)
            return model.to(memory_format=torch.channels_last)

        def get_dataloader(
            self, dataset_path: Any, batch_size: int = 16, rank: int = 0, mode: str = "train"
        ) -> Any:
            if mode != "train":
                return super().get_dataloader(dataset_path, batch_size, rank, mode)
            listing = self.save_dir / "train.txt"
            listing.write_text("".join(f"{path}\n" for source in sources for path in source.pictures()))
            about = {name: value for source in sources for name, value in source.about.items()}
            dataset = TileDataset(
                img_path=str(listing),
                imgsz=self.args.imgsz,
                batch_size=batch_size,
                augment=True,
                hyp=self.args,
                prefix="train: ",
                data=self.data,
            )
            dataset.about = about
            shares = {}
            for source in sources:
                pictures = source.pictures()
                shares.update({str(path): source.weight / len(pictures) for path in pictures})
            weights = [shares[path] for path in dataset.im_files]
            sampler = torch.utils.data.WeightedRandomSampler(weights, epoch_size, replacement=True)
            return InfiniteDataLoader(
                dataset=dataset,
                batch_size=batch_size,
                sampler=sampler,
                collate_fn=dataset.collate_fn,
                worker_init_fn=seed_worker,
                drop_last=True,
            )

        def preprocess_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
            batch = super().preprocess_batch(batch)
            batch["img"] = batch["img"].contiguous(memory_format=torch.channels_last)
            return batch

    return TileTrainer


def train(
    sources: list[Source],
    check: Path,
    start: Path,
    out: Path,
    *,
    hours: float,
    rate: float = 8e-4,
    batch: int = 8,
    size: int = 448,
    epoch_size: int = 400,
    freeze: int = 0,
    threads: int = 1,
    resume: bool = False,
) -> Path:
    """Train from `start` for `hours`; gives the last checkpoint (`out/weights/last.pt`).

    check: a prepared folder whose pictures ultralytics validates on at the very end.
    size: side of the windows in pixels.
    freeze: how many of the first layers keep their weights. resume: go on from `out`'s checkpoint.
    """
    out.mkdir(parents=True, exist_ok=True)
    data = out / "data.yaml"
    names = "".join(f"  {number}: '{name}'\n" for number, name in enumerate(CLASSES))
    folders = [str(source.folder / "images") for source in sources]
    data.write_text(f"train: {json.dumps(folders)}\nval: {check / 'images'}\nnames:\n{names}")
    last = out / "weights" / "last.pt"
    model = YOLO(str(last if resume else start))
    model.add_callback("on_train_start", lambda _: torch.set_num_threads(threads))
    settings: dict[str, Any] = {
        "optimizer": "AdamW", "lr0": rate, "lrf": 0.03, "cos_lr": True, "warmup_epochs": 1.0,
        "weight_decay": 0.0005, "nbs": batch, "mosaic": 0.0, "close_mosaic": 0, "fliplr": 0.0, "flipud": 0.0,
        "degrees": 0.0, "scale": 0.0, "translate": 0.0, "shear": 0.0, "perspective": 0.0,
        "hsv_h": 0.02, "hsv_s": 0.6, "hsv_v": 0.45,
    }  # fmt: skip
    model.train(
        trainer=trainer_for(sources, epoch_size),
        data=str(data),
        time=hours,
        epochs=1000,
        batch=batch,
        imgsz=size,
        device="cpu",
        workers=0,
        amp=False,
        val=False,
        plots=False,
        save_period=-1,
        freeze=freeze or None,
        project=str(out.parent),
        name=out.name,
        exist_ok=True,
        resume=resume,
        verbose=False,
        patience=0,
        **settings,
    )
    return last
