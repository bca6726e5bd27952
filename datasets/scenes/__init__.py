"""Rendered scenes: pictures of hands and tables with every label, from a seed.

`render(seed, designs)` gives a `Scene`; `python -m fanlens.datasets.scenes` writes many of them as a
YOLO data set. The split `train` is for training; `development`, for choosing what to ship, and `held-out`,
for measuring it, each use tile sets, surfaces, back colours and fields of view of their own, which training
never sees; `held_out.json` holds the seeds that figures are measured on.
From here the pictures go to training and evaluation.
"""

from .designs import Designs
from .export import write_scene
from .font_sets import Split
from .held_out import Order, held_out, held_out_sets
from .render import render
from .scene import MeldLabel, Scene, TileLabel

__all__ = [
    "Designs",
    "MeldLabel",
    "Order",
    "Scene",
    "Split",
    "TileLabel",
    "held_out",
    "held_out_sets",
    "render",
    "write_scene",
]
