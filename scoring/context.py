"""The circumstances of a win: what the tiles alone don't show."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ContextError
from .tiles import CANONICAL, FLOWERS, WINDS


@dataclass(frozen=True, slots=True)
class Context:
    """How the hand was won. The default is a discard win without circumstance, winds unknown.

    self_draw: won on the player's own draw, not on another's tile.
    last_tile: won on the last tile of the wall, drawn (fan 44) or discarded (fan 45).
    kong_replacement: won on the tile drawn after an own kong (fan 46).
    robbing_kong: won on the tile another player added to a melded pung (fan 47).
    fourth_tile: the other three of the winning tile lay in sight of all (fan 58, Last Tile).
    seat_wind, prevalent_wind: `E`, `S`, `W` or `N`; None unknown, then no fan is counted for it.
    flowers: how many flower tiles; None: as many as the hand names.

    Raises ContextError for a wind that is none and for flowers beyond 0 to 8.
    """

    self_draw: bool = False
    last_tile: bool = False
    kong_replacement: bool = False
    robbing_kong: bool = False
    fourth_tile: bool = False
    seat_wind: str | None = None
    prevalent_wind: str | None = None
    flowers: int | None = None

    def __post_init__(self) -> None:
        if self.seat_wind is not None:
            object.__setattr__(self, "seat_wind", _wind(self.seat_wind, "seat wind"))
        if self.prevalent_wind is not None:
            object.__setattr__(self, "prevalent_wind", _wind(self.prevalent_wind, "prevalent wind"))
        if self.flowers is not None and not 0 <= self.flowers <= len(FLOWERS):
            message = f"{self.flowers} flowers: there can be 0 to {len(FLOWERS)}"
            raise ContextError("too-many-flowers", message)


def _wind(value: str, label: str) -> str:
    wind = CANONICAL.get(value)
    if wind not in WINDS:
        raise ContextError("unknown-context", f"the {label} {value!r} is none of E, S, W, N")
    return wind


FACTS: tuple[str, ...] = ("self_draw", "last_tile", "kong_replacement", "robbing_kong", "fourth_tile")
"""The yes-or-no facts of a context, in the order people are asked for them."""
