"""What happens at a filmed table: walls, discards, melds, a hand laid down tile by tile, washing.

A script is a list of moments, each with all tiles on the table from then on, the arms that reach over
it, and the truth: which hand lay complete from when to when. `footage` films it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from .appearance import Shape
from .clutter import Deck
from .geometry import FACE_DOWN, Box
from .hands import DealtHand, deal
from .laying import LaidHand, lay
from .table import Tile, lying, moved

EDGE = 13.0
"""Half the side of the table, in tile widths."""
HANDS_FROM, HANDS_TO = 7.7, 12.7
"""Where hands lie, in tile widths from the middle of the table; walls lie before them."""
_WALL_AT, _WALL_LONG = 6.4, 12
_POND_AT = 1.6
WIDEST = 21.0
_SEATS = 4


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm that reaches over the table. begin, end: seconds. seat: whose (0 nearest to the camera, then
    anticlockwise). target: how far it reaches, x and y on the table."""

    begin: float
    end: float
    seat: int
    target: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Laid:
    """The truth about one finished hand.

    start, end: seconds from when to when it lay complete. seat: whose. hand: with the tile that came last
    as its winning tile. melds are known by `hand.melds`.
    """

    start: float
    end: float
    seat: int
    hand: DealtHand


@dataclass
class Script:
    """moments: seconds and the tiles that lie there from then on, in order of time."""

    seconds: float
    moments: list[tuple[float, tuple[Tile, ...]]] = field(default_factory=list)
    arms: list[Arm] = field(default_factory=list)
    laid: list[Laid] = field(default_factory=list)


def write_script(rng: np.random.Generator, shape: Shape, seconds: float) -> Script:
    """Hands played, finished and washed until the time is over; one that can't be finished isn't begun."""
    script = Script(seconds)
    now = 0.0
    while True:
        play = float(rng.uniform(4, 6)) if seconds < 40 else float(rng.uniform(6, 14))
        hold = float(rng.uniform(5, 7)) if seconds < 40 else float(rng.uniform(5, 13))
        if now + play + hold + 7 > seconds and script.laid:
            break
        now = _Deal(script, rng, shape, now).run(play, min(hold, max(seconds - now - play - 7, 3.0)))
        if now >= seconds:
            break
    return script


class _Deal:
    """One hand from the walls to the next walls."""

    def __init__(self, script: Script, rng: np.random.Generator, shape: Shape, start: float) -> None:
        self._script = script
        self._rng = rng
        self._shape = shape
        self._now = start
        self._seat = int(rng.integers(_SEATS))
        self._hand, self._own = _laid_hand(rng, shape, self._seat)
        self._deck = Deck(rng, Counter(_names(self._hand)))
        self._fixed = self._others()
        self._walls = [tile for seat in range(_SEATS) for tile in self._wall(seat)]
        self._pond: list[Tile] = []
        self._shown: list[Tile] = []

    def run(self, play: float, hold: float) -> float:
        """Play it; the seconds at which the next may start."""
        self._show()
        self._discards(self._now + play)
        start = self._reveal()
        end = start + hold
        for _ in range(int(self._rng.integers(0, 3)) if hold > 4 else 0):
            self._pass_over(float(self._rng.uniform(start + 1.5, end - 2.0)))
        self._script.laid.append(Laid(start, end, self._seat, self._hand))
        self._now = end
        self._clear()
        self._wash()
        if self._rng.random() < 0.4:
            self._sort()
        self._build()
        return self._now + 0.5

    def _show(self) -> None:
        tiles = (*self._walls, *self._fixed, *self._pond, *self._shown)
        self._script.moments.append((self._now, tiles))

    def _discards(self, until: float) -> None:
        """Discards one after another; the winner's melds and flowers are laid out meanwhile."""
        groups: list[list[Tile]] = [
            [tile for tile in self._own if tile.meld == number] for number in range(len(self._hand.melds))
        ]
        groups.append([tile for tile in self._own if tile.role == "flower"])
        groups = [group for group in groups if group]
        concealed = [tile for tile in self._own if tile.role in ("concealed", "winning")]
        self._shown = [_face_down(tile) for tile in concealed[:-1]]
        self._show()
        turn, count = 0, [0] * _SEATS
        while groups or self._now < until:
            self._now += float(self._rng.uniform(0.9, 1.8)) if not groups else 0.7
            if groups:
                group = groups.pop()
                self._reach(self._seat, group[0].box)
                self._shown += group
            else:
                spot = self._pond_spot(turn, count[turn])
                self._reach(turn, spot)
                self._pond.append(Tile(spot, self._deck.draw()))
                count[turn] += 1
                turn = (turn + 1) % _SEATS
            self._show()

    def _reveal(self) -> float:
        """Turn the winner's tiles up, the winning one last; the seconds when it lies complete."""
        concealed = [tile for tile in self._own if tile.role in ("concealed", "winning")]
        others = [tile for tile in self._own if tile.role not in ("concealed", "winning")]
        size = int(self._rng.choice([1, 3, 5, len(concealed)], p=[0.35, 0.3, 0.2, 0.15]))
        step = {1: 0.22, 3: 0.45, 5: 0.6}.get(size, 0.8)
        self._now += 0.8
        for done in range(0, len(concealed) - 1, size):
            upper = min(done + size, len(concealed) - 1)
            self._reach(self._seat, concealed[upper - 1].box)
            self._shown = [*others, *concealed[:upper], *map(_face_down, concealed[upper:-1])]
            self._show()
            self._now += step
        self._now += float(self._rng.uniform(0.5, 1.0))
        self._reach(self._seat, concealed[-1].box)
        self._shown = list(self._own)
        self._show()
        return self._now

    def _pass_over(self, at: float) -> None:
        """Somebody's arm over the hand while it lies there."""
        middle = np.mean([tile.box.centre[:2] for tile in self._own], axis=0)
        seat = int(self._rng.integers(_SEATS))
        reach = (float(middle[0]), float(middle[1]))
        self._script.arms.append(Arm(at, at + float(self._rng.uniform(0.8, 1.6)), seat, reach))

    def _clear(self) -> None:
        """All hands are broken up and pushed to the middle."""
        own = list(self._shown)
        while own:
            for _ in range(3):
                if own:
                    tile = own.pop(int(self._rng.integers(len(own))))
                    self._reach(self._seat, tile.box, before=0.2)
            self._shown = own
            self._show()
            self._now += 0.3

    def _wash(self) -> None:
        """Tiles pushed around, most face down."""
        self._fixed, self._walls, self._pond = [], [], []
        for round_ in range(int(self._rng.integers(8, 14))):
            self._shown = [self._anywhere() for _ in range(24)]
            if round_ % 3 == 0:
                self._reach(round_ % _SEATS, self._shown[0].box, before=0.4)
            self._show()
            self._now += 0.22

    def _sort(self) -> None:
        """A player sorts thirteen tiles face up before they are set up."""
        seat = int(self._rng.integers(_SEATS))
        names = [self._deck.draw() for _ in range(13)]
        for _ in range(int(self._rng.integers(4, 8))):
            self._shown = [
                Tile(moved(lying(self._shape, (i - 6) * 1.02, -10.0), 0.0, 0.0, 90.0 * seat), name)
                for i, name in enumerate(names)
            ]
            self._reach(seat, self._shown[int(self._rng.integers(13))].box)
            self._show()
            self._now += float(self._rng.uniform(0.5, 0.9))
            i, j = self._rng.integers(13, size=2)
            names[i], names[j] = names[j], names[i]
        self._shown = []

    def _build(self) -> None:
        """Walls grow on all four sides."""
        whole = [self._wall(seat) for seat in range(_SEATS)]
        self._shown = []
        for part in range(1, 5):
            self._walls = [tile for side in whole for tile in side[: len(side) * part // 4]]
            self._reach(part % _SEATS, whole[part % _SEATS][0].box, before=0.3)
            self._show()
            self._now += 0.5

    def _reach(self, seat: int, box: Box, *, before: float = 0.3) -> None:
        """An arm that is over the box now and gone soon."""
        target = (float(box.centre[0]), float(box.centre[1]))
        self._script.arms.append(Arm(self._now - before, self._now + 0.35, seat, target))

    def _wall(self, seat: int) -> list[Tile]:
        tiles = []
        for i in range(_WALL_LONG):
            for level in range(2):
                x = (i - (_WALL_LONG - 1) / 2) * 1.005
                box = lying(self._shape, x, -_WALL_AT, level=level * self._shape.depth, up=False)
                tiles.append(Tile(moved(box, 0.0, 0.0, 90.0 * seat), "E"))
        return tiles

    def _others(self) -> list[Tile]:
        """The other players' hands, face down."""
        return [
            Tile(moved(lying(self._shape, (i - 6) * 1.01, -10.0, up=False), 0.0, 0.0, 90.0 * seat), "E")
            for seat in range(_SEATS)
            if seat != self._seat
            for i in range(13)
        ]

    def _pond_spot(self, seat: int, number: int) -> Box:
        x, y = (number % 6 - 2.5) * 1.04, -_POND_AT - (number // 6) * (self._shape.height + 0.04)
        yaw = float(self._rng.normal(0, 1.5))
        return moved(lying(self._shape, x, y - self._shape.height / 2, yaw=yaw), 0.0, 0.0, 90.0 * seat)

    def _anywhere(self) -> Tile:
        x, y = self._rng.uniform(-8, 8, 2)
        up = bool(self._rng.random() < 0.25)
        box = lying(self._shape, float(x), float(y), yaw=float(self._rng.uniform(0, 360)), up=up)
        return Tile(box, self._deck.draw())


def _laid_hand(rng: np.random.Generator, shape: Shape, seat: int) -> tuple[DealtHand, list[Tile]]:
    """A hand that fits in front of a player, its tiles in the order they are turned up."""
    while True:
        hand = deal(rng)
        laid = lay(hand, shape, rng)
        corners = np.concatenate([tile.box.corners() for tile in laid.tiles])
        low, high = corners.min(axis=0), corners.max(axis=0)
        if high[0] - low[0] <= WIDEST and high[1] - low[1] <= HANDS_TO - HANDS_FROM and not laid.face_down:
            break
    x, y = -(low[0] + high[0]) / 2, -HANDS_FROM - high[1]
    tiles = [
        replace(tile, box=moved(moved(tile.box, float(x), float(y), 0.0), 0.0, 0.0, 90.0 * seat))
        for tile in laid.tiles
    ]
    return hand, _winning_last(tiles, laid, hand)


def _winning_last(tiles: list[Tile], laid: LaidHand, hand: DealtHand) -> list[Tile]:
    """The tiles in the order they are turned up."""
    if laid.winning_known:
        last = next(i for i, tile in enumerate(tiles) if tile.role == "winning")
    else:
        last = max(
            i for i, tile in enumerate(tiles) if tile.role == "concealed" and tile.name == hand.winning
        )
    return [*tiles[:last], *tiles[last + 1 :], tiles[last]]


def _face_down(tile: Tile) -> Tile:
    return replace(tile, box=Box(tile.box.centre, tile.box.axes @ FACE_DOWN, tile.box.size))


def _names(hand: DealtHand) -> list[str]:
    return [*hand.concealed, *hand.flowers, *(name for meld in hand.melds for name in meld.tiles)]
