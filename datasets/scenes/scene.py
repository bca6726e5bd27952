"""A rendered scene and its labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...vision.boxes import Box as PictureBox
from .font_sets import Split
from .table import Role


@dataclass(frozen=True, slots=True)
class TileLabel:
    """A tile whose face or back shows.

    box: tight bounding box in pixels of what shows of the face (or the back), not of the sides.
    tile: a name of `TILE_CLASSES`; `back` if the back shows. printed: what is on its face.
    corners: the whole face, clockwise from its own top left, in pixels, also where something hides it.
    up: where the face's top points, degrees clockwise from the picture's up; None for backs and for
        tile sets whose faces may have been cut upside down.
    visible: share of the face that is inside the picture and not hidden.
    meld: index into `Scene.melds`, or None. hand: part of the finished hand the scene is about.
    """

    box: PictureBox
    tile: str
    printed: str
    corners: tuple[tuple[float, float], ...]
    up: float | None
    visible: float
    role: Role
    meld: int | None
    hand: bool


@dataclass(frozen=True, slots=True)
class MeldLabel:
    """An exposed group: kind as in the hand's JSON, its tiles as indices into `Scene.tiles`."""

    box: PictureBox
    kind: str
    tiles: tuple[int, ...]
    hand: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """picture: RGB, shape (height, width, 3). ignore: boxes where something half visible lies that is
    neither a label nor background. hand: the contract's `hand`, None in scenes without one.
    all_visible: every tile of the hand that lies uncovered is labelled. settings: what was drawn."""

    picture: NDArray[np.uint8]
    tiles: tuple[TileLabel, ...]
    melds: tuple[MeldLabel, ...]
    ignore: tuple[PictureBox, ...]
    hand: dict[str, Any] | None
    all_visible: bool
    seed: int
    split: Split
    kind: str
    settings: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Everything but the picture, ready for `json.dumps`."""
        height, width = self.picture.shape[:2]
        return {
            "width": width,
            "height": height,
            "seed": self.seed,
            "split": self.split,
            "kind": self.kind,
            "settings": self.settings,
            "tiles": [asdict(tile) for tile in self.tiles],
            "melds": [asdict(meld) for meld in self.melds],
            "ignore": [list(box) for box in self.ignore],
            "hand": self.hand,
            "all_visible": self.all_visible,
        }
