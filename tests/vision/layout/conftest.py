"""A table to lay tiles on and to photograph from anywhere, as the detector would box them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES, MeldBox, TileBox
from fanlens.vision.reading import Circumstances, ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand
from numpy.typing import NDArray

HEIGHT = 1.35
"""Height of a face; its width is 1, its thickness 0.7."""


@dataclass(frozen=True)
class Laid:
    """A tile on the table: centre of its face, degrees it is turned, whether it stands on end, its size."""

    name: str
    x: float
    y: float
    z: float
    turn: float
    stands: bool
    size: float = 1.0


@dataclass
class Table:
    """Tiles on a plane (x to the right, y away from the player) and a pinhole camera over it."""

    laid: list[Laid] = field(default_factory=list)
    sure: float = 0.995
    doubts: dict[int, dict[str, float]] = field(default_factory=dict)

    def put(
        self,
        name: str,
        x: float,
        y: float,
        *,
        turn: float = 0.0,
        z: float = 0.0,
        stands: bool = False,
        size: float = 1.0,
    ) -> int:
        """One tile, or something taken for one; returns its number."""
        self.laid.append(Laid(name, x, y, z, turn, stands, size))
        return len(self.laid) - 1

    def row(
        self,
        names: str | Sequence[str],
        x: float = 0.0,
        y: float = 0.0,
        *,
        sideways: Sequence[int] = (),
        gaps: dict[int, float] | None = None,
        stands: bool = False,
    ) -> list[int]:
        """Touching tiles from x to the right. gaps: extra room before the tile at that place."""
        names = names.split() if isinstance(names, str) else names
        numbers = []
        for place, name in enumerate(names):
            x += (gaps or {}).get(place, 0.0)
            width = HEIGHT if place in sideways else 1.0
            lowered = -(HEIGHT - 1) / 2 if place in sideways else 0.0
            turn = 90.0 if place in sideways else 0.0
            numbers.append(self.put(name, x + width / 2, y + lowered, turn=turn, stands=stands))
            x += width + 0.01
        return numbers

    def boxes(
        self,
        *,
        elevation: float = 55.0,
        yaw: float = 0.0,
        roll: float = 0.0,
        distance: float = 26.0,
        outlines: bool = False,
        scale: float = 1.0,
        shift: tuple[float, float] = (0.0, 0.0),
    ) -> list[TileBox]:
        """What the detector sees from there: upright boxes, or the faces' outlines as corners."""
        centre = np.mean([[tile.x, tile.y, 0.0] for tile in self.laid], axis=0)
        a, e, r = math.radians(yaw), math.radians(elevation), math.radians(roll)
        ahead = np.array([math.sin(a) * math.cos(e), math.cos(a) * math.cos(e), -math.sin(e)])
        right = np.array([math.cos(a), -math.sin(a), 0.0])
        down = np.cross(ahead, right)
        eye = centre - ahead * distance
        found = []
        for number, tile in enumerate(self.laid):
            points = self._face(tile) - eye
            depth = points @ ahead
            flat = np.stack([points @ right, points @ down], axis=1) / depth[:, None] * 1400 * scale
            flat = flat @ np.array([[math.cos(r), math.sin(r)], [-math.sin(r), math.cos(r)]])
            flat = flat + np.array([640.0, 480.0]) * scale + np.array(shift)
            x0, y0 = (float(v) for v in flat.min(axis=0))
            x1, y1 = (float(v) for v in flat.max(axis=0))
            upright = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
            corners = (flat if outlines else upright).astype(np.float32)
            found.append(TileBox((x0, y0, x1, y1), self._probabilities(number), 0.99, corners))
        return found

    def meld_boxes(self, boxes: Sequence[TileBox], *groups: Sequence[int]) -> list[MeldBox]:
        """The boxes around groups of tiles."""
        sides = [np.array([boxes[i].box for i in group]) for group in groups]
        return [
            MeldBox(
                (float(s[:, 0].min()), float(s[:, 1].min()), float(s[:, 2].max()), float(s[:, 3].max())), 0.95
            )
            for s in sides
        ]

    def read(
        self,
        circumstances: Circumstances | None = None,
        *,
        melds: Sequence[Sequence[int]] = (),
        **camera: float | bool | tuple[float, float],
    ) -> Reading:
        """The reading of a photo from there."""
        boxes = self.boxes(**camera)  # type: ignore[arg-type]
        sighting = Sighting(
            ImageInfo("table.jpg", 1280, 960),
            ModelInfo("test", "0" * 64),
            tuple(boxes),
            tuple(self.meld_boxes(boxes, *melds)),
        )
        return read_hand(sighting, circumstances)

    def _face(self, tile: Laid) -> NDArray[np.float64]:
        across, along = np.array([0.5, 0.0, 0.0]), np.array([0.0, HEIGHT / 2, 0.0])
        centre = np.array([tile.x, tile.y, tile.z + 0.7])
        if tile.stands:
            along = np.array([0.0, 0.0, HEIGHT / 2])
            centre = np.array([tile.x, tile.y - 0.35, tile.z + HEIGHT / 2])
        turn = math.radians(tile.turn)
        spin = np.array(
            [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
        )
        across, along = spin @ across * tile.size, spin @ along * tile.size
        return np.array(
            [
                centre - across + along,
                centre + across + along,
                centre + across - along,
                centre - across - along,
            ]
        )

    def _probabilities(self, number: int) -> NDArray[np.float32]:
        rest = (1 - self.sure) / (len(TILE_CLASSES) - 1)
        probabilities = np.full(len(TILE_CLASSES), rest, dtype=np.float32)
        probabilities[TILE_CLASSES.index(self.laid[number].name)] = self.sure
        for name, probability in self.doubts.get(number, {}).items():
            probabilities[TILE_CLASSES.index(name)] = probability
        return probabilities


@pytest.fixture
def table() -> Table:
    """An empty table."""
    return Table()


@pytest.fixture
def new_table() -> Callable[[], Table]:
    """Makes empty tables, for tests that draw many."""
    return Table
