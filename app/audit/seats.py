"""Who sat where a hand was laid down: the side of the table, and which seat that was in that hand.

A player's tiles stand upright for that player, so their direction tells the side; the four sides are at
right angles, however the camera was turned. Winds pass from seat to seat with every hand, in the
direction of play. So one number, how far the sheet's winds are turned against the picture's sides,
fits all hands, and the hand that it doesn't fit was noted for the wrong player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from ...vision.reading import Reading
from ...vision.video import Region, region_at
from ..score_sheet import SEATS, Seat, SheetRow

Side = Literal["near", "right", "far", "left"]
SIDES: Final[tuple[Side, ...]] = ("near", "right", "far", "left")
"""Sides of the table as the camera sees it, in the direction of play."""
LEAST_TILES = 4
"""Tiles that must show which way up they stand …"""
SURE_UP = 0.9
"""… with at least this probability; half of the dots and bamboos look the same upside down."""
AGREEING = 0.7
"""Length of the mean direction of a hand's tiles (1: all the same) from which it counts; claimed tiles of
melds lie sideways."""
LEAST_HANDS = 3
"""Hands that must agree on how the winds lie …"""
MOST = 2 / 3
"""… more than this part of all, and not all on one side: a camera carried to each winner proves nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hand lay. region: the name of the region it lay in. seat: its wind in that hand."""

    side: Side | None = None
    region: str | None = None
    seat: Seat | None = None


NOWHERE: Final = Place()


def places(
    readings: Sequence[Reading], rows: Sequence[SheetRow | None], regions: Sequence[Region]
) -> tuple[Place, ...]:
    """The place of each hand of the footage; rows: the sheet's row that belongs to each.

    A region named E, S, W or N is the place of who sat there in the first hand; without such names the
    winds are taken from the sheet's winners, as far as these agree.
    """
    sides = _sides([_direction(reading) for reading in readings])
    named = [_region(reading, regions) for reading in readings]
    fixed = [SEATS.index(name) if name in SEATS else None for name in named]
    turn = 0 if any(place is not None for place in fixed) else _turn(sides, rows)
    found = []
    for side, name, own, row in zip(sides, named, fixed, rows, strict=True):
        place = own if any(each is not None for each in fixed) else side
        seat = None
        if place is not None and turn is not None and row is not None:
            seat = SEATS[(place - turn - (row.hand - 1)) % 4]
        found.append(Place(None if side is None else SIDES[side], name, seat))
    return tuple(found)


def found_regions(readings: Sequence[Reading], at: Sequence[Place]) -> list[dict[str, Any]]:
    """Where the hands of each side lay, as parts of the picture's width and height from 0 to 1."""
    found = []
    for side in SIDES:
        boxes = [_bounds(reading) for reading, place in zip(readings, at, strict=True) if place.side == side]
        if boxes:
            low, high = np.min(boxes, axis=0)[:2], np.max(boxes, axis=0)[2:]
            box = [round(float(part), 3) for part in np.clip(np.concatenate([low, high]), 0, 1)]
            found.append({"side": side, "box": box, "hands": len(boxes)})
    return found


def _direction(reading: Reading) -> float | None:
    """Degrees clockwise from the picture's top to where the hand's tiles point."""
    ups = [
        float(tile.up)
        for read in reading.tiles
        if read.hand == 0 and read.id < len(reading.sighting.tiles)
        for tile in (reading.sighting.tiles[read.id],)
        if tile.up is not None and tile.up_confidence >= SURE_UP
    ]
    if len(ups) < LEAST_TILES:
        return None
    mean = np.exp(1j * np.radians(ups)).mean()
    return float(np.degrees(np.angle(mean))) if abs(mean) >= AGREEING else None


def _sides(directions: Sequence[float | None]) -> list[int | None]:
    """Index into SIDES of each hand, the camera's own turn taken out."""
    known = np.radians([each for each in directions if each is not None])
    # Four times the angle is the same for all sides of a table.
    skew = float(np.degrees(np.angle(np.exp(4j * known).sum()))) / 4 if len(known) else 0.0
    return [None if each is None else round(-(each - skew) / 90) % 4 for each in directions]


def _turn(sides: Sequence[int | None], rows: Sequence[SheetRow | None]) -> int | None:
    """The side of who sat East in the first hand, by the sheet's winners; None where they don't agree."""
    votes = [
        ((side - SEATS.index(row.winner) - (row.hand - 1)) % 4, side)
        for side, row in zip(sides, rows, strict=True)
        if side is not None and row is not None and row.winner is not None
    ]
    if not votes:
        return None
    turn, count = Counter(turn for turn, _ in votes).most_common(1)[0]
    several = len({side for each, side in votes if each == turn}) > 1
    return turn if count >= LEAST_HANDS and count > MOST * len(votes) and several else None


def _region(reading: Reading, regions: Sequence[Region]) -> str | None:
    x0, y0, x1, y1 = _bounds(reading)
    region = region_at((x0, y0, x1, y1), (1, 1), regions)
    return region.name or None if region is not None else None


def _bounds(reading: Reading) -> tuple[float, float, float, float]:
    """The first hand's box in parts of the picture; the whole picture where there is no hand."""
    boxes = [tile.box for tile in reading.tiles if tile.hand == 0]
    if not boxes:
        return (0.0, 0.0, 1.0, 1.0)
    size = np.array([reading.sighting.image.width, reading.sighting.image.height] * 2)
    low, high = np.min(boxes, axis=0)[:2], np.max(boxes, axis=0)[2:]
    x0, y0, x1, y1 = (float(side) for side in np.array([*low, *high]) / size)
    return (x0, y0, x1, y1)
