"""The scenes that figures are measured on: their seeds stand in `held_out.json`, fixed before training."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

from .compositions import Kind
from .designs import Designs
from .render import render
from .scene import Scene


@dataclass(frozen=True, slots=True)
class Order:
    """What to render: the arguments of `render` but the designs; the split is always `held-out`."""

    seed: int
    kind: Kind
    size: tuple[int, int]
    tile_width: tuple[float, float] | None

    def render(self, designs: Designs) -> Scene:
        """The scene itself."""
        return render(
            self.seed, designs, split="held-out", kind=self.kind, size=self.size, tile_width=self.tile_width
        )


def _table() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("held_out.json").read_text(encoding="utf-8")
    sets: dict[str, Any] = json.loads(text)["sets"]
    return sets


def held_out_sets() -> tuple[str, ...]:
    """Names of the held-out sets."""
    return tuple(_table())


def held_out(name: str) -> Iterator[Order]:
    """The scenes of the held-out set `name`, in order. Raises KeyError for an unknown name."""
    chosen = _table()[name]
    size = (int(chosen["size"][0]), int(chosen["size"][1]))
    tile_width = tuple(chosen["tile_width"]) if "tile_width" in chosen else None
    for kind, seeds in chosen["seeds"].items():
        for seed in seeds:
            yield Order(seed, kind, size, tile_width)
