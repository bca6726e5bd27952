"""The mean of several networks of one line of training (model soup, Wortsman et al. 2022)."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .network import YOLO


def average(files: list[Path], out: Path) -> None:
    """Write the mean of classifiers, or of locators as ultralytics keeps them."""
    try:
        states = [torch.load(file, weights_only=True)["model"] for file in files]
    except pickle.UnpicklingError:  # not plain tensors: whole models of ultralytics
        networks = [YOLO(str(file)) for file in files]
        model = networks[0].model.float()
        model.load_state_dict(_mean([network.model.float().state_dict() for network in networks]))
        torch.save({"model": model.half(), "train_args": networks[0].overrides}, out)
    else:
        torch.save({"model": _mean(states), "progress": 1.0}, out)


def _mean(states: list[dict[str, Tensor]]) -> dict[str, Any]:
    return {
        name: sum(state[name] for state in states) / len(states) if value.is_floating_point() else value
        for name, value in states[-1].items()
    }
