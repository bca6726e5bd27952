"""What the detector hands on: tiles and exposed groups as boxes in the picture plane.

Boxes are `(x0, y0, x1, y1)` in pixels of the upright picture, x to the right, y down.
From here the data goes to `layout` (which role has each tile) and `resolve` (which hand is it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Box = tuple[float, float, float, float]

TILE_CLASSES: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *"ESWNCFP",
    *("plum", "orchid", "chrysanthemum", "bamboo", "spring", "summer", "autumn", "winter"),
    "back",
)
"""The 43 names a tile can have, in the order of every probability vector (`TileBox.probabilities`)."""

COPIES = 4
"""How many of each tile a set has, but for flowers."""

MELD_CLASS = "meld"
"""The detector's 44th class: one exposed group; its kind follows from its tiles."""


def intersections(box: NDArray[np.floating], others: NDArray[np.floating]) -> NDArray[np.floating]:
    """(n,) areas that `box` (4,) shares with `others` (n, 4)."""
    width = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    height = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return np.asarray(np.maximum(width, 0) * np.maximum(height, 0))


@dataclass(frozen=True, slots=True)
class TileBox:
    """One tile as the detector saw it.

    box: upright bounding box in pixels.
    probabilities: shape (43,), calibrated, in the order of `TILE_CLASSES`; sums to at most 1.
        What is missing to 1 is the probability that it can't be told or is no tile.
    confidence: probability in [0, 1] that a tile lies here at all.
    corners: shape (4, 2), the tile's outline in pixels, clockwise from the top left corner of the
        rectangle in its row's own frame; for a level picture these are the corners of `box`.
    up: direction in which the top of the face points, degrees clockwise from the picture's up
        (0 up, 90 right, 180 down, 270 left); None where the face doesn't tell (backs, 1p, …).
    up_confidence: probability that `up` is right among the four quarter turns.
    axis_confidence: probability that the top points there or the other way round: many a face looks the
        same upside down, but not sideways.
    """

    box: Box
    probabilities: NDArray[np.float32]
    confidence: float
    corners: NDArray[np.float32]
    up: float | None = None
    up_confidence: float = 0.0
    axis_confidence: float = 0.0

    @property
    def best(self) -> str:
        """The likeliest of `TILE_CLASSES`."""
        return TILE_CLASSES[int(np.argmax(self.probabilities))]


@dataclass(frozen=True, slots=True)
class MeldBox:
    """One exposed group (chow, pung or kong) as the detector saw it."""

    box: Box
    confidence: float
