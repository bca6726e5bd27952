"""The face classifier: names one tile from its crop.

Its trunk is the first nine layers of YOLO11n, so it starts from what the locator already knows of
tiles. Input N x 3 x 64 x 64 RGB in [0, 1]. Outputs `logits` N x 44 (the 43 tile classes, then "not
a tile") and `turn` N x 4 (quarter turns clockwise by which the face stands turned).
"""

from __future__ import annotations

import pickle
from pathlib import Path

import torch
from torch import Tensor, nn
from ultralytics import YOLO
from ultralytics.nn.tasks import DetectionModel

HAS_BFLOAT16 = torch.ops.mkldnn._is_mkldnn_bf16_supported()
"""Whether the CPU multiplies in bfloat16 (AVX-512 BF16, AMX): training is twice as fast with it."""
SIDE = 64
CLASSES = 44
NOT_A_TILE = 43
_TRUNK, _MIDDLE = 9, 7
"""Layers of YOLO11n that are used; after the seventh the map is 4 x 4 x 128, after the ninth 2 x 2 x 256."""


class FaceClassifier(nn.Module):
    """About 1.1 million weights and 17 million multiply-adds a crop."""

    def __init__(self) -> None:
        super().__init__()
        layers = list(DetectionModel("yolo11n.yaml", verbose=False).model)
        self.early = nn.Sequential(*layers[:_MIDDLE])
        self.late = nn.Sequential(*layers[_MIDDLE:_TRUNK])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.2)
        self.names = nn.Linear(128 + 256, CLASSES)
        self.turns = nn.Linear(128 + 256, 4)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        middle = self.early(crops)
        pooled = torch.cat([self.pool(middle), self.pool(self.late(middle))], 1)
        x = self.drop(pooled.flatten(1))
        return self.names(x), self.turns(x)


def load(path: Path) -> FaceClassifier:
    """A classifier from its own checkpoint, or with the trunk of ultralytics' YOLO11n weights."""
    model = FaceClassifier()
    try:
        model.load_state_dict(torch.load(path, weights_only=True)["model"])
    except pickle.UnpicklingError:  # not plain tensors: a whole model of ultralytics
        layers = list(YOLO(str(path)).model.float().model)
        model.early.load_state_dict(nn.Sequential(*layers[:_MIDDLE]).state_dict())
        model.late.load_state_dict(nn.Sequential(*layers[_MIDDLE:_TRUNK]).state_dict())
    return model
