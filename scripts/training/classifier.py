"""Train the face classifier on tile crops, with turns and phone faults added on the fly.

Faces are never mirrored: they are chiral. Quarter turns are drawn at random for every crop, since
a tile may lie sideways or upside down, and the network tells the turn where the face shows it.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from fanlens.models import load_manifest
from fanlens.vision.detector import Detector
from numpy.typing import NDArray
from torch import Tensor

from .crops import GROWTH, UNKNOWN_TURN, Crops, from_source, joined
from .network import CLASSES, HAS_BFLOAT16, SIDE, FaceClassifier, load
from .sources import Source

MARGIN = 0.08
"""Growth of the box on each side at reading time."""
RARITY = 0.75
"""Power of a class's share by which its crops are drawn less often: flowers are rare and hardest to tell."""
SKEW = 0.3
"""Share of crops whose tile lies askew in its box."""


def _geometry(count: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Sampling matrices (N, 2, 3) into the stored crop, and the quarter turns drawn (N,)."""

    def uniform(low: float, high: float) -> Tensor:
        return torch.rand(count, generator=rng) * (high - low) + low

    turns = torch.randint(0, 4, (count,), generator=rng)
    often = (torch.rand(count, generator=rng) < SKEW).float()
    tilt = uniform(-8, 8) * (1 - often) + uniform(-45, 45) * often
    angle = -torch.deg2rad(turns * 90.0 + tilt)
    inner = (1 + 2 * MARGIN) / (1 + 2 * GROWTH)
    # an upright box around a tile that lies askew takes in more of the table
    leaning = torch.deg2rad(tilt).abs()
    inner = inner * (1 + often * uniform(0.4, 1) * (torch.cos(leaning) + torch.sin(leaning) - 1))
    sx, sy = (inner * (1 + uniform(-0.12, 0.22)) for _ in range(2))
    shear = uniform(-0.10, 0.10)
    cos, sin = torch.cos(angle), torch.sin(angle)
    matrix = torch.zeros(count, 2, 3)
    matrix[:, 0, 0], matrix[:, 0, 1] = cos * sx, (-sin + shear * cos) * sy
    matrix[:, 1, 0], matrix[:, 1, 1] = sin * sx, (cos + shear * sin) * sy
    matrix[:, 0, 2], matrix[:, 1, 2] = (uniform(-0.08, 0.08) for _ in range(2))
    return matrix, turns


def _phone_faults(x: Tensor, rng: torch.Generator) -> Tensor:
    """Exposure, white balance, contrast, lost resolution, blur and noise, each at random."""
    n = len(x)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(n, *shape, generator=rng) * (high - low) + low

    grey = x.mean(1, keepdim=True)
    saturation = uniform(0.5, 1.4, 1, 1, 1)
    x = grey + (x - grey) * saturation
    x = x * uniform(0.88, 1.12, 3, 1, 1)
    mean = x.mean((1, 2, 3), keepdim=True)
    x = (x - mean) * uniform(0.6, 1.35, 1, 1, 1) + mean * uniform(0.55, 1.3, 1, 1, 1)
    # a slope of light across the crop
    ramp = torch.linspace(-1, 1, SIDE)
    x = (
        x
        + uniform(-0.12, 0.12, 1, 1, 1) * ramp[None, None, None, :]
        + uniform(-0.12, 0.12, 1, 1, 1) * ramp[None, None, :, None]
    )
    # small tiles: two fifths of the batch thrown down to 16-48 pixels and back
    order = torch.randperm(n, generator=rng)
    for part in order[: n * 2 // 5].chunk(4):
        side = int(torch.randint(16, 48, (1,), generator=rng))
        small = F.interpolate(x[part], size=(side, side), mode="area")
        x[part] = F.interpolate(small, size=(SIDE, SIDE), mode="bilinear", align_corners=False)
    for part in order[n * 2 // 5 : n * 3 // 5].chunk(3):
        horizontal = torch.rand(1, generator=rng) < 0.5
        width = int(torch.randint(1, 4, (1,), generator=rng)) * 2 + 1
        shape = (1, width) if horizontal else (width, 1)
        x[part] = F.avg_pool2d(x[part], shape, 1, (shape[0] // 2, shape[1] // 2), count_include_pad=False)
    noise = torch.randn(x.shape, generator=rng) * uniform(0, 0.06, 1, 1, 1)
    return (x + noise).clamp(0, 1)


def augmented(crops: Crops, index: NDArray[np.int64], rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """A batch: pictures (N, 3, SIDE, SIDE), names (N,) and turns (N,), -1 where unknown."""
    stored = torch.from_numpy(crops.pixels[index]).permute(0, 3, 1, 2).float() / 255
    matrix, drawn = _geometry(len(index), rng)
    grid = F.affine_grid(matrix, [len(index), 3, SIDE, SIDE], align_corners=False)
    x = F.grid_sample(stored, grid, padding_mode="border", align_corners=False)
    known = torch.from_numpy(crops.turns[index])
    turns = torch.where(known == UNKNOWN_TURN, known, (known + drawn) % 4)
    return _phone_faults(x, rng), torch.from_numpy(crops.names[index]), turns


def plain(crops: Crops, index: NDArray[np.int64]) -> Tensor:
    """The crops as the reader cuts them, without any fault."""
    inner = (1 + 2 * MARGIN) / (1 + 2 * GROWTH)
    stored = torch.from_numpy(crops.pixels[index]).permute(0, 3, 1, 2).float() / 255
    matrix = torch.tensor([[inner, 0.0, 0.0], [0.0, inner, 0.0]]).repeat(len(index), 1, 1)
    grid = F.affine_grid(matrix, [len(index), 3, SIDE, SIDE], align_corners=False)
    return F.grid_sample(stored, grid, padding_mode="border", align_corners=False)


def accuracy(model: FaceClassifier, crops: Crops) -> float:
    """Share of crops named right."""
    model.eval()
    right = 0
    with torch.inference_mode():
        for start in range(0, len(crops), 256):
            index = np.arange(start, min(start + 256, len(crops)))
            names, _ = model(plain(crops, index))
            right += int((names.argmax(1) == torch.from_numpy(crops.names[index])).sum())
    return right / len(crops)


def train(
    crops: Crops,
    often: NDArray[np.float64],
    checks: dict[str, Crops],
    start: Path,
    out: Path,
    *,
    minutes: float,
    rate: float = 2e-3,
    batch: int = 128,
    seed: int = 0,
) -> None:
    """Train from `start` for `minutes` of wall time, one cosine from `rate` to zero; checkpoints as it goes.

    often: (n,) how often a crop is drawn beside the others; rare classes are drawn more often still.
    Weights are averaged (EMA), and `out` holds {"model": state dict, "progress": share of the time used}.
    """
    torch.manual_seed(seed)
    torch.set_flush_denormal(True)
    rng = torch.Generator().manual_seed(seed)
    draw = np.random.default_rng(seed)
    model = load(start)
    model = model.to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.02)
    counts = np.bincount(crops.names, weights=often, minlength=CLASSES).clip(1)
    weights = often / counts[crops.names] ** RARITY
    weights /= weights.sum()
    began, said, seen = time.monotonic(), 0.0, 0
    while (progress := (time.monotonic() - began) / (minutes * 60)) < 1:
        warm = min(seen / (50 * batch), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate * warm * (0.5 + 0.5 * math.cos(math.pi * progress))
        model.train()
        index = draw.choice(len(crops), batch, p=weights)
        x, names, turns = augmented(crops, index, rng)
        with torch.autocast("cpu", torch.bfloat16, enabled=HAS_BFLOAT16):
            name_logits, turn_logits = model(x.contiguous(memory_format=torch.channels_last))
        name_logits, turn_logits = name_logits.float(), turn_logits.float()
        loss = F.cross_entropy(name_logits, names, label_smoothing=0.01)
        if (turns >= 0).any():
            loss = loss + 0.3 * F.cross_entropy(turn_logits, turns, ignore_index=UNKNOWN_TURN)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        average.update_parameters(model)
        seen += batch
        if time.monotonic() - said > 120:
            said = time.monotonic()
            right = float((name_logits.argmax(1) == names).float().mean())
            scores = " ".join(f"{name} {accuracy(average.module, part):.4f}" for name, part in checks.items())
            print(f"{progress:.2f} seen {seen} loss {loss.item():.3f} batch {right:.3f} {scores}", flush=True)
            torch.save({"model": average.module.state_dict(), "progress": progress}, out)
    torch.save({"model": average.module.state_dict(), "progress": 1.0}, out)
    for name, part in checks.items():
        print(f"final {name} {accuracy(average.module, part):.4f} of {len(part)}", flush=True)


def train_on_folders(
    sources: list[Source],
    checks: list[Source],
    start: Path,
    out: Path,
    *,
    model: Path | None = None,
    threads: int = 1,
    **settings: Any,
) -> None:
    """Cut the crops of all sources, draw those of each as often as its weight says, and `train`.

    model: folder of a manifest; what its detector wrongly takes for a tile is learnt as none.
    """
    torch.set_num_threads(threads)
    detector = None if model is None else Detector(load_manifest(model).detector)
    parts = []
    for number, source in enumerate(sources):
        parts.append(from_source(source, seed=number, detector=detector))
        print(f"{source.folder} {source.fold or ''}: {len(parts[-1])} crops", flush=True)
    often = np.concatenate(
        [np.full(len(crops), source.weight) for crops, source in zip(parts, sources, strict=True)]
    )
    crops = joined(parts)
    held = {f"{source.folder.name}/{source.fold or 'all'}": from_source(source) for source in checks}
    train(crops, often, held, start, out, **settings)
