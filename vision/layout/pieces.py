"""What a row can be cut into: concealed tiles, melds, flowers, a winning tile, or none of the hand's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..boxes import TILE_CLASSES, MeldBox, TileBox, intersections
from .plane import Plane

FLOWERS = slice(34, 42)
INSIDE = 0.8
"""Share of a tile from which it lies in a meld box."""
BACK = TILE_CLASSES.index("back")


class PieceKind(StrEnum):
    """What one stretch of a row can be."""

    CONCEALED = "concealed"
    MELD = "meld"
    FLOWER = "flower"
    WINNING = "winning"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a row with one use; `indices` in row order, `extra` a tile laid beside a kong."""

    kind: PieceKind
    indices: tuple[int, ...]
    extra: int | None = None

    @property
    def all_indices(self) -> tuple[int, ...]:
        """The row's tiles and the one laid beside them."""
        return self.indices if self.extra is None else (*self.indices, self.extra)


@dataclass(frozen=True)
class Cut:
    """One way to cut a row: the hand's pieces in it and the score of the geometry (higher is likelier).

    concealed: concealed tiles and a winning tile together. sets: melds, a kong counting as one.
    winner: the tile set apart as the winning one, if any. block: whether the row holds concealed tiles
    beside that one. extras: tiles taken from beside the row.
    """

    pieces: tuple[Piece, ...]
    score: float
    concealed: int
    sets: int
    winner: int | None
    block: bool
    extras: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Tiles of the hand, a kong counting as three."""
        return self.concealed + 3 * self.sets

    @property
    def used(self) -> bool:
        """Whether the row holds anything of the hand beside flowers, which are told apart at the end."""
        return self.block or self.sets > 0 or self.winner is not None

    @cached_property
    def own(self) -> tuple[Piece, ...]:
        """The hand's pieces without its flowers."""
        return tuple(piece for piece in self.pieces if piece.kind is not PieceKind.FLOWER)

    @cached_property
    def standing(self) -> frozenset[int]:
        """The tiles of these."""
        return frozenset(i for piece in self.own for i in piece.all_indices)


@dataclass(frozen=True)
class RowContext:
    """What judging rows looks at: all tiles, meld boxes, and single tiles lying beside rows.

    logs: shape (n, 43). plane, excess: the tiles' places and how large each is for its place.
    beside: per tile of the row (by index), the single tiles right across from it.
    about: shape (n,), True for what can lie about in a pond: face-up tiles, no flowers. What is far
        smaller than tiles there are, or can't be told, is more likely a wind marker, a die or a letter.
    """

    tiles: Sequence[TileBox]
    logs: NDArray[np.float64]
    melds: Sequence[MeldBox]
    beside: Mapping[int, Sequence[int]]
    about: NDArray[np.bool_]
    plane: Plane
    excess: NDArray[np.float64]
    _around: dict[tuple[int, ...], list[tuple[float, int, bool]]] = field(default_factory=dict, repr=False)

    def around(self, tiles: tuple[int, ...]) -> list[tuple[float, int, bool]]:
        """Every other tile, nearest first: its gap to the nearest of these, and whether it can lie about."""
        # Asked of the same few tiles for hundreds of hands.
        if tiles not in self._around:
            own = list(tiles)
            gaps = (self.plane.distances[own] / self.plane.touching[own] - 1).min(axis=0)
            order = [index for index in np.argsort(gaps, kind="stable").tolist() if index not in tiles]
            self._around[tiles] = [(float(gaps[i]), i, bool(self.about[i])) for i in order]
        return self._around[tiles]

    @cached_property
    def within(self) -> list[frozenset[int]]:
        """Per meld box, the tiles that lie in it.

        The box round a slanting group takes in centres of the rows beside it, but not all of these tiles.
        """
        boxes = np.array([tile.box for tile in self.tiles], dtype=float).reshape(-1, 4)
        areas = np.maximum((boxes[:, 2:] - boxes[:, :2]).prod(axis=1), 1e-9)
        found = []
        for meld in self.melds:
            shares = intersections(np.array(meld.box), boxes) / areas
            found.append(frozenset(int(i) for i in np.flatnonzero(shares > INSIDE)))
        return found


def log_probabilities(tiles: Sequence[TileBox]) -> NDArray[np.float64]:
    """Shape (n, 43): log of each tile's class probabilities, floored at one in 100,000."""
    if not tiles:
        return np.zeros((0, len(TILE_CLASSES)))
    stacked = np.array([tile.probabilities for tile in tiles], dtype=float)
    logs: NDArray[np.float64] = np.log(np.clip(stacked, 1e-5, 1.0))
    return logs
