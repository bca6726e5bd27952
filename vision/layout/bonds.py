"""How rows lie to each other: what lies beside which, and how well a row's use fits where it lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .pieces import BACK, FLOWERS, Cut
from .plane import Plane, Vector
from .rows import Row

TOLD, SMALLEST = 0.5, 0.75
"""What counts as a loose tile: probability of its likeliest name, size against the tiles at its place."""

NO_ROOM, ROOM = 0.035, 0.055
"""Gaps in tile heights up to which tiles touch across rows, and from which they don't."""


@dataclass(frozen=True, slots=True)
class Bond:
    """How a row lies to the row of the concealed tiles.

    distance: clear distance in tile heights, 0 where they touch. parallel: cosine of the angle.
    scale: log of the ratio of the tiles' sizes.
    facing: 1 where the faces' tops point to the same side for certain, -1 to the other, 0 unknown.
    """

    distance: float
    parallel: float
    scale: float
    facing: float


def beside(rows: Sequence[Row], plane: Plane) -> dict[int, tuple[int, ...]]:
    """Per tile of a longer row, the tiles of short rows lying right across from it."""
    loose = [index for row in rows if len(row) < 3 for index in row.indices]
    beside: dict[int, tuple[int, ...]] = {}
    for row in rows:
        if len(row) < 3:
            continue
        places = np.linspace(row.start, row.end, len(row))
        for other in loose:
            offset = plane.centres[other] - places
            along, across = np.abs(offset @ row.along), np.abs(offset @ row.up)
            near = (along < 0.5 * row.pitch) & (across < 1.2 * row.height)
            for k in np.flatnonzero(near):
                index = row.indices[int(k)]
                beside[index] = (*beside.get(index, ()), other)
    return beside


def face_up(logs: Vector, excess: Vector) -> NDArray[np.bool_]:
    """Which finds can lie about in a pond, see `RowContext`; `logs` has shape (n, 43)."""
    faces = np.exp(logs)
    plain: NDArray[np.bool_] = (faces[:, FLOWERS].sum(axis=1) < 0.5) & (faces[:, BACK] < 0.5)
    told = faces.max(axis=1) >= TOLD
    return np.asarray(plain & told & (excess >= 2 * math.log(SMALLEST)), dtype=np.bool_)


def _places(row: Row) -> Vector:
    return row.start + _shares(max(len(row), 2)) * (row.end - row.start)


@cache
def _shares(count: int) -> Vector:
    return np.linspace(0.0, 1.0, count)[:, None]


class Bonds:
    """How each of a picture's rows lies to each other one; worked out for all of them at once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        places = [_places(row) for row in rows]
        starts = np.cumsum([0, *(len(each) for each in places[:-1])])
        x, y = np.concatenate(places).T
        apart = np.hypot(x[:, None] - x, y[:, None] - y)
        nearest = np.minimum.reduceat(np.minimum.reduceat(apart, starts, axis=0), starts, axis=1)
        sizes = np.array([max(row.height, row.pitch) for row in rows])
        pitches = np.array([row.pitch for row in rows])
        along, up = np.array([row.along for row in rows]), np.array([row.up for row in rows])
        told = np.array([2 * row.upright - 1 for row in rows])
        single = np.array([len(row) == 1 for row in rows])
        self._distances = np.maximum(nearest / sizes[:, None] - 1, 0).tolist()
        self._parallel = np.where(single, 1.0, np.abs(along @ along.T)).tolist()
        self._scales = np.log(pitches / pitches[:, None]).tolist()
        self._facing = (np.sign(up @ up.T) * told * told[:, None]).tolist()

    def of(self, home: int, row: int) -> Bond:
        """How a row lies to the one of the concealed tiles, both by number."""
        return Bond(
            self._distances[home][row],
            self._parallel[home][row],
            self._scales[home][row],
            self._facing[home][row],
        )


def pushed_up(home: Row, row: Row, bond: Bond, plane: Plane) -> float:
    """1 where at least two of the row's tiles touch the other row, 0 where there's room between."""
    if len(row) < 2 or bond.distance >= 0.5:
        return 0.0
    room = float(np.partition(row.room_across(plane, home.indices), 1)[1])
    return min(max((ROOM - room) / (ROOM - NO_ROOM), 0.0), 1.0)


def fits(bond: Bond, cuts: Sequence[Cut], pushed: float) -> list[float]:
    """How well each use of a row fits where the row lies beside the concealed one; pushed: as `pushed_up`."""
    # A row has a hundred cuts, and in what counts here they are of a few sorts.
    known: dict[_Sort, float] = {}
    found = []
    for cut in cuts:
        winner = cut.winner is not None
        sort = (cut.sets > 0, cut.block, winner, cut.concealed - winner == 1)
        if sort not in known:
            known[sort] = _fit(bond, pushed, *sort)
        found.append(known[sort])
    return found


_Sort = tuple[bool, bool, bool, bool]
"""Whether a cut has melds, concealed tiles, a winning tile, and whether just one tile is concealed."""


def _fit(bond: Bond, pushed: float, melds: bool, concealed: bool, winner: bool, single: bool) -> float:
    distance = bond.distance
    value = -8.0 * max(0.0, abs(bond.scale) - 0.25)
    if winner:
        # How near it lies counts where all of the hand is known, see `apart`.
        value -= 0.3
    if melds:
        value -= 0.5 * distance + 0.5 * max(0.0, distance - 1.0) + (3.0 if bond.parallel < 0.9 else 0.0)
        # Melds are kept clear of the concealed tiles; whoever lays these in two rows pushes them together.
        value -= 3.0 * pushed
        if abs(bond.scale) > 0.03:
            # The concealed tiles lie nearest to their player, who mostly is the one with the camera.
            value -= math.copysign(0.3, bond.scale)
    if bond.facing < 0 and (melds or concealed):
        # The player opposite sees their tiles upright from the other side.
        value += 3.0 * bond.facing
    if concealed:
        value -= 1.8 + 1.5 * max(0.0, distance - 0.5) + (3.0 if bond.parallel < 0.95 else 0.0)
        # Melds lie apart from concealed tiles in two rows; a second row of one tile is hardly one.
        value -= 1.5 if melds else 0.0
        value -= 2.0 if single else 0.0
    return value
