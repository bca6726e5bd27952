"""How rows lie to each other: what lies beside which, and how well a row's use fits where it lies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pieces import BACK, FLOWERS, Cut, PieceKind, RowContext
from .plane import Vector
from .rows import Row

TOLD, SMALLEST = 0.5, 0.75
"""What counts as a loose tile: probability of its likeliest name, size against the tiles at its place."""


@dataclass(frozen=True, slots=True)
class Bond:
    """How a row lies to the row of the concealed tiles.

    distance: clear distance in tile heights, 0 where they touch. parallel: cosine of the angle.
    scale: log of the ratio of the tiles' sizes. crowded: other loose tiles lie nearer than the row.
    askew: probability per tile of a short row that it lies at an odd angle to the concealed row.
    facing: 1 where the faces' tops point to the same side for certain, -1 to the other, 0 unknown.
    """

    distance: float
    parallel: float
    scale: float
    crowded: bool
    askew: Mapping[int, float]
    facing: float


def beside(rows: Sequence[Row]) -> dict[int, tuple[int, ...]]:
    """Per tile of a longer row, the single tiles lying right across from it."""
    singles = [row for row in rows if len(row) == 1]
    beside: dict[int, tuple[int, ...]] = {}
    for row in rows:
        if len(row) < 3:
            continue
        places = np.linspace(row.start, row.end, len(row))
        for single in singles:
            offset = single.start - places
            along, across = np.abs(offset @ row.along), np.abs(offset @ row.up)
            near = (along < 0.5 * row.pitch) & (across < 1.2 * row.height)
            for k in np.flatnonzero(near):
                index = row.indices[int(k)]
                beside[index] = (*beside.get(index, ()), single.indices[0])
    return beside


def face_up(logs: Vector, excess: Vector) -> NDArray[np.bool_]:
    """Which finds can lie about in a pond, see `RowContext`; `logs` has shape (n, 43)."""
    faces = np.exp(logs)
    plain: NDArray[np.bool_] = (faces[:, FLOWERS].sum(axis=1) < 0.5) & (faces[:, BACK] < 0.5)
    told = faces.max(axis=1) >= TOLD
    return np.asarray(plain & told & (excess >= 2 * math.log(SMALLEST)), dtype=np.bool_)


def loose_tiles(rows: Sequence[Row], context: RowContext) -> Vector:
    """Centres of the face-up tiles in no longer row: the pond, mostly."""
    short = [index for row in rows if len(row) <= 4 for index in row.indices]
    return context.plane.centres[[index for index in short if context.about[index]]]


def _places(row: Row) -> Vector:
    return np.linspace(row.start, row.end, max(len(row), 2))


def bond_of(home: Row, row: Row, context: RowContext, loose: Vector) -> Bond:
    """How a row lies to the one of the concealed tiles; `loose` as given by `loose_tiles`."""
    a, b = _places(home), _places(row)
    size = max(home.height, home.pitch)
    offsets = a[:, None] - b[None]
    distance = float(np.hypot(offsets[..., 0], offsets[..., 1]).min())
    shape = math.log(home.pitch / max(home.height, 1e-9))
    askew = {
        index: context.plane.askew(index, home.along, home.up, shape, float(context.excess[index]))
        for index in (row.indices if len(row) <= 4 else ())
    }
    crowded = False
    if len(row) <= 2 and len(loose):
        others = loose[:, None] - b[None]
        away = np.hypot(others[..., 0], others[..., 1]).min(axis=1)
        crowded = bool(((away > 1e-6) & (away < min(distance, 2.2 * size))).any())
    return Bond(
        max(0.0, distance / size - 1.0),
        abs(float(row.along @ home.along)) if len(row) > 1 else 1.0,
        math.log(row.pitch / home.pitch),
        crowded,
        askew,
        float(np.sign(row.up @ home.up)) * (2 * row.upright - 1) * (2 * home.upright - 1),
    )


def fit(bond: Bond, cut: Cut) -> float:
    """How well a row's use fits where it lies beside the concealed row."""
    distance = bond.distance
    value = -8.0 * max(0.0, abs(bond.scale) - 0.25)
    kinds = cut.kinds
    if cut.winner is not None:
        # The last tile may be fetched from anywhere on the table; near and by itself is likelier.
        value -= 0.3 + min(0.35 * distance, 3.0) + (2.0 if bond.crowded else 0.0)
    if PieceKind.MELD in kinds:
        value -= 0.5 * max(0.0, distance - 1.2) + (3.0 if bond.parallel < 0.9 else 0.0)
        if abs(bond.scale) > 0.03:
            # The concealed tiles lie nearest to their player, who mostly is the one with the camera.
            value -= math.copysign(0.3, bond.scale)
    if bond.facing < 0 and (PieceKind.MELD in kinds or PieceKind.CONCEALED in kinds):
        # The player opposite sees their tiles upright from the other side.
        value += 3.0 * bond.facing
    if PieceKind.FLOWER in kinds:
        value -= 1.0 * max(0.0, distance - 2.0) + (2.5 if bond.parallel < 0.9 else 0.0)
        turned = [bond.askew[i] for i in cut.indices(PieceKind.FLOWER) if i in bond.askew]
        odd = sum(turned) / len(turned) if turned else 0.0
        # A hand's flowers lie straight; what lies about at an odd angle among others is the table's.
        value += (0.8 if turned else 0.0) - 4.0 * odd
        value -= 1.0 + 3.0 * odd if bond.crowded else 0.0
    if PieceKind.CONCEALED in kinds:
        value -= 1.8 + 0.8 * max(0.0, distance - 0.8) + (3.0 if bond.parallel < 0.95 else 0.0)
        # A second row of one tile is hardly one.
        value -= 2.0 if len(cut.indices(PieceKind.CONCEALED)) == 1 else 0.0
    return value
