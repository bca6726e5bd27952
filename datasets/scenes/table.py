"""What lies on the table: tiles with their roles, and things that are no tiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .appearance import Shape, Texture
from .geometry import FACE_DOWN, FACE_UP, STANDING, Box, overlapping, turn

Role = Literal["concealed", "meld", "flower", "winning", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile on the table. name: what is printed on it; meld: index of its exposed group, if any;
    hand: whether it belongs to the finished hand the picture is about."""

    box: Box
    name: str
    role: Role = "elsewhere"
    meld: int | None = None
    hand: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A box that is no tile: a die, a rack, a marker. colour: RGB, shape (3,)."""

    box: Box
    colour: NDArray[np.float32]
    top: Texture | None = None
    radius: float = 0.03


@dataclass(slots=True)
class Table:
    """Everything on the table; nothing that is added may share space with what already lies there."""

    shape: Shape
    tiles: list[Tile] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    meld_kinds: list[str] = field(default_factory=list)

    @property
    def boxes(self) -> list[Box]:
        """Boxes of tiles, then of blocks."""
        return [tile.box for tile in self.tiles] + [block.box for block in self.blocks]

    def free(self, boxes: Iterable[Box], *, margin: float = 0.0) -> bool:
        """Whether `boxes`, grown by `margin` on all sides, touch nothing that lies here."""
        here = self.boxes
        if not here:
            return True
        centres = np.stack([box.centre for box in here])
        reaches = np.array([float(np.linalg.norm(box.size)) / 2 for box in here])
        for box in boxes:
            grown = Box(box.centre, box.axes, box.size + 2 * margin) if margin else box
            reach = float(np.linalg.norm(grown.size)) / 2
            near = np.flatnonzero(((centres - box.centre) ** 2).sum(axis=1) < (reaches + reach) ** 2)
            if len(near) and overlapping(grown, [here[i] for i in near]).any():
                return False
        return True

    def add(self, tiles: list[Tile], *, margin: float = 0.0) -> bool:
        """Lays all of `tiles` down, or none if there is no room. They must not overlap each other."""
        if not self.free([tile.box for tile in tiles], margin=margin):
            return False
        self.tiles.extend(tiles)
        return True

    def add_block(self, block: Block, *, margin: float = 0.0) -> bool:
        """Puts a block down if there is room."""
        if not self.free([block.box], margin=margin):
            return False
        self.blocks.append(block)
        return True


def lying(shape: Shape, x: float, y: float, *, yaw: float = 0.0, level: float = 0.0, up: bool = True) -> Box:
    """A tile flat on the table (or `level` above it), turned by `yaw` degrees, face up or down."""
    axes = turn(yaw) @ (FACE_UP if up else FACE_DOWN)
    return Box(np.array([x, y, level + shape.depth / 2]), axes, shape.size)


def standing(shape: Shape, x: float, y: float, *, yaw: float = 0.0, level: float = 0.0) -> Box:
    """A tile on its short side; its face looks to the viewer at yaw 0."""
    return Box(np.array([x, y, level + shape.height / 2]), turn(yaw) @ STANDING, shape.size)


def moved(box: Box, x: float, y: float, yaw: float) -> Box:
    """The box turned by `yaw` about the origin, then shifted."""
    rotation = turn(yaw)
    return Box(rotation @ box.centre + np.array([x, y, 0.0]), rotation @ box.axes, box.size)
