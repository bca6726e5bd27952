"""What else lies on a table: walls, ponds, loose tiles, other hands, and things that are no tiles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from .appearance import Appearance, Shape, Texture
from .geometry import FACE_UP, Box, turn
from .hands import FLOWERS, TILES, deal
from .laying import lay
from .printed import book
from .table import Block, Table, Tile, lying, moved, standing

Area = tuple[float, float, float, float]
"""x0, y0, x1, y1 of the part of the table that things are put on, in tile widths."""


@dataclass(slots=True)
class Deck:
    """The tiles that are still to be drawn, shuffled; when it runs out it starts again."""

    rng: np.random.Generator
    used: Counter[str] = field(default_factory=Counter)
    _left: list[str] = field(default_factory=list)

    def draw(self) -> str:
        """The next tile; the first deck leaves out `used` ones, so no fifth copy turns up before it ends."""
        if not self._left:
            full = Counter({**dict.fromkeys(TILES, 4), **dict.fromkeys(FLOWERS, 1)})
            full.subtract(self.used)
            self.used = Counter()
            tiles = [tile for tile, count in full.items() for _ in range(max(count, 0))]
            self._left = [tiles[i] for i in self.rng.permutation(len(tiles))]
        return self._left.pop()


def _place(
    table: Table, group: list[Tile], area: Area, rng: np.random.Generator, *, yaws: list[float], margin: float
) -> bool:
    """Tries a few spots in the area for a group of tiles laid out around the origin."""
    for _ in range(12):
        x, y = float(rng.uniform(area[0], area[2])), float(rng.uniform(area[1], area[3]))
        yaw = float(rng.choice(yaws)) + float(rng.normal(0, 4))
        if table.add([replace(tile, box=moved(tile.box, x, y, yaw)) for tile in group], margin=margin):
            return True
    return False


QUARTERS = [0.0, 90.0, 180.0, 270.0]


def wall(table: Table, area: Area, deck: Deck, rng: np.random.Generator) -> None:
    """A stretch of the wall: face down, two high, the upper layer sometimes shorter."""
    shape = table.shape
    length, upper = int(rng.integers(2, 19)), int(rng.integers(0, 3))
    across = rng.random() < 0.8
    step = 1.0 if across else shape.height
    group = []
    for i in range(length):
        for level in range(2 if i >= upper else 1):
            box = lying(
                shape,
                (i - length / 2) * (step + 0.005),
                0.0,
                yaw=0.0 if across else 90.0,
                level=level * shape.depth,
                up=False,
            )
            group.append(Tile(box, deck.draw()))
    _place(table, group, area, rng, yaws=QUARTERS, margin=0.1)


def pond(table: Table, area: Area, deck: Deck, rng: np.random.Generator) -> None:
    """A player's discards, face up in rows of six."""
    shape = table.shape
    count, gap = int(rng.integers(2, 20)), float(rng.uniform(0.0, 0.15))
    tiles = []
    for i in range(count):
        x, y = (i % 6) * (1.03 + gap), -(i // 6) * (shape.height + 0.03 + gap)
        tiles.append(
            Tile(lying(shape, x, y, yaw=float(rng.normal(0, 1)) if gap > 0.06 else 0.0), deck.draw())
        )
    _place(table, tiles, area, rng, yaws=QUARTERS, margin=0.1)


def loose(
    table: Table,
    area: Area,
    deck: Deck,
    rng: np.random.Generator,
    count: int,
    *,
    face_down: float,
    margin: float = 0.15,
) -> None:
    """Single tiles at any angle; `face_down` is the share that hides its face."""
    for _ in range(count):
        up = rng.random() >= face_down
        _place(
            table,
            [Tile(lying(table.shape, 0.0, 0.0, up=up), deck.draw())],
            area,
            rng,
            yaws=[float(rng.uniform(0, 360))],
            margin=margin,
        )


def heap(
    table: Table, area: Area, deck: Deck, rng: np.random.Generator, count: int, *, face_down: float
) -> None:
    """Tiles pushed together somewhere: close, at any angle."""
    x, y = float(rng.uniform(area[0], area[2])), float(rng.uniform(area[1], area[3]))
    reach = 0.75 * count**0.5 + 0.8
    loose(
        table,
        (x - reach, y - reach, x + reach, y + reach),
        deck,
        rng,
        count,
        face_down=face_down,
        margin=0.02,
    )


def hidden_hand(table: Table, area: Area, deck: Deck, rng: np.random.Generator) -> None:
    """Another player's hand: standing with its back to us or sideways, or lying face down in a row."""
    shape = table.shape
    count = int(rng.integers(4, 15))
    lies = rng.random() < 0.3
    group = []
    for i in range(count):
        x = i - count / 2
        box = lying(shape, x, 0.0, up=False) if lies else standing(shape, x, 0.0)
        group.append(Tile(box, deck.draw()))
    _place(table, group, area, rng, yaws=[180.0, 180.0, 90.0, 270.0], margin=0.2)


def open_hand(table: Table, area: Area, rng: np.random.Generator) -> None:
    """Another player's hand laid open, complete with its melds."""
    laid = lay(deal(rng), table.shape, rng)
    first = len(table.meld_kinds)
    middle = np.mean([tile.box.centre for tile in laid.tiles], axis=0)
    group = [
        Tile(
            Box(tile.box.centre - middle * (1, 1, 0), tile.box.axes, tile.box.size),
            tile.name,
            "elsewhere",
            None if tile.meld is None else tile.meld + first,
        )
        for tile in laid.tiles
    ]
    if self_overlapping(group):
        return
    if _place(table, group, area, rng, yaws=QUARTERS, margin=0.4):
        table.meld_kinds.extend(laid.kinds)


def melds(table: Table, area: Area, rng: np.random.Generator) -> None:
    """One to four exposed groups of another player in a row, some with flowers."""
    hand = deal(rng)
    while not hand.melds:
        hand = deal(rng)
    laid = lay(hand, table.shape, rng)
    first = len(table.meld_kinds)
    chosen = [tile for tile in laid.tiles if tile.meld is not None]
    middle = np.mean([tile.box.centre for tile in chosen], axis=0) * (1, 1, 0)
    group = [
        Tile(
            Box(tile.box.centre - middle, tile.box.axes, tile.box.size),
            tile.name,
            "elsewhere",
            (tile.meld or 0) + first,
        )
        for tile in chosen
    ]
    if not self_overlapping(group) and _place(table, group, area, rng, yaws=QUARTERS, margin=0.3):
        table.meld_kinds.extend(laid.kinds)


def self_overlapping(tiles: list[Tile]) -> bool:
    """Whether two of the tiles share space."""
    trial = Table(table_shape(tiles))
    return not all(trial.add([tile]) for tile in tiles)


def table_shape(tiles: list[Tile]) -> Shape:
    """A shape with the proportions of these tiles."""
    size = tiles[0].box.size
    return Shape(float(size[1]), float(size[2]), 0.1, 0.4)


def _block(size: tuple[float, float, float], x: float, y: float, yaw: float) -> Box:
    return Box(np.array([x, y, size[2] / 2]), turn(yaw) @ FACE_UP, np.array(size))


def _spot(area: Area, rng: np.random.Generator) -> tuple[float, float, float]:
    return (
        float(rng.uniform(area[0], area[2])),
        float(rng.uniform(area[1], area[3])),
        float(rng.uniform(0, 360)),
    )


def dice(table: Table, area: Area, rng: np.random.Generator) -> None:
    """One to three dice close together."""
    x, y, _ = _spot(area, rng)
    side = float(rng.uniform(0.35, 0.7))
    ivory = np.array(rng.choice([[245, 245, 240], [235, 225, 200], [190, 30, 40]]), dtype=np.float32)
    for _ in range(int(rng.integers(1, 4))):
        spot = (x + float(rng.uniform(-1.5, 1.5)), y + float(rng.uniform(-1.5, 1.5)))
        box = _block((side, side, side), *spot, float(rng.uniform(0, 90)))
        table.add_block(Block(box, ivory, _pips(int(rng.integers(1, 7)), ivory), side * 0.12), margin=0.1)


def _pips(number: int, ground: NDArray[np.float32]) -> Texture:
    picture = np.zeros((48, 48, 4), dtype=np.float32)
    picture[:, :, :3], picture[:, :, 3] = ground, 255
    grid = {1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}
    colour = (200.0, 20.0, 30.0, 255.0) if number in (1, 4) else (30.0, 40.0, 90.0, 255.0)
    for place in grid[number]:
        centre = (10 + 14 * (place % 3), 10 + 14 * (place // 3))
        cv2.circle(picture, centre, 8 if number == 1 else 5, colour, -1, cv2.LINE_AA)
    return picture


def wind_marker(table: Table, area: Area, rng: np.random.Generator, look: Appearance) -> None:
    """A frame with a red wind character, as some tables use to show the prevalent wind."""
    x, y, _ = _spot(area, rng)
    frame = np.array(
        rng.choice([[20, 130, 70], [30, 90, 60], [40, 60, 140], [240, 238, 230]]), dtype=np.float32
    )
    wide = float(rng.uniform(0.7, 1.1))
    high = wide * float(rng.uniform(1.0, 1.25))
    face = cv2.resize(look.faces["ESWN"[int(rng.integers(4))]], (60, 76), interpolation=cv2.INTER_AREA)
    opacity = face[:, :, 3:].astype(np.float32) / 255
    top = np.full((96, 80, 4), 255, dtype=np.float32)
    top[:, :, :3] = frame
    inner = top[10:86, 10:70, :3]
    ground = np.array([245, 242, 232], dtype=np.float32) if rng.random() < 0.7 else frame
    inner[:] = ground * (1 - opacity) + np.array([200, 25, 35], dtype=np.float32) * opacity
    box = _block(
        (wide, high, float(rng.uniform(0.2, 0.6))), x, y, float(rng.choice([0, 180, rng.uniform(0, 360)]))
    )
    table.add_block(Block(box, frame, top, 0.05), margin=0.1)


def slab(table: Table, area: Area, rng: np.random.Generator) -> None:
    """A rack, ruler, phone, box of tissues or other block in any colour."""
    x, y, yaw = _spot(area, rng)
    kind = rng.random()
    if kind < 0.45:
        size = (float(rng.uniform(8, 18)), float(rng.uniform(0.25, 0.9)), float(rng.uniform(0.3, 0.9)))
        yaw = float(rng.choice(QUARTERS)) + float(rng.normal(0, 4))
    elif kind < 0.7:
        size = (float(rng.uniform(2, 3.5)), float(rng.uniform(4.5, 7)), float(rng.uniform(0.2, 0.4)))
    elif kind < 0.85:
        # Chips and white boxes of a tile's size without a face: blank things are not white dragons.
        size = (float(rng.uniform(0.5, 1.2)), float(rng.uniform(1.6, 3.5)), float(rng.uniform(0.1, 0.3)))
    else:
        size = (float(rng.uniform(1.5, 5)), float(rng.uniform(1.5, 4)), float(rng.uniform(0.3, 2)))
    dark = rng.random() < 0.4
    colour = rng.uniform(10, 60, 3) if dark else rng.uniform(20, 250, 3)
    table.add_block(Block(_block(size, x, y, yaw), colour.astype(np.float32), None, 0.04), margin=0.2)


@dataclass(frozen=True, slots=True)
class Flat:
    """A thing without height: outlines on the table (n, 2) with their RGB colours, lower ones first."""

    layers: list[tuple[NDArray[np.float64], NDArray[np.float32]]]


def disc(table: Table, area: Area, rng: np.random.Generator) -> Flat | None:
    """A coin, chip, dealer's disc or coaster; None if there was no room."""
    x, y, _ = _spot(area, rng)
    radius = float(rng.choice([rng.uniform(0.3, 0.7), rng.uniform(0.7, 2.0)]))
    if not table.free([_block((2 * radius, 2 * radius, 0.02), x, y, 0.0)], margin=0.1):
        return None
    circle = np.stack([np.cos(np.linspace(0, 2 * np.pi, 40)), np.sin(np.linspace(0, 2 * np.pi, 40))], axis=1)
    shares = [1.0, float(rng.uniform(0.6, 0.9)), float(rng.uniform(0.1, 0.5))][: int(rng.integers(1, 4))]
    return Flat([(circle * radius * s + (x, y), rng.uniform(0, 255, 3).astype(np.float32)) for s in shares])


def paper(table: Table, area: Area, rng: np.random.Generator) -> Flat | None:
    """A card, note or score sheet; None if there was no room."""
    x, y, yaw = _spot(area, rng)
    size = rng.uniform(1.2, 6, 2)
    if not table.free([_block((float(size[0]), float(size[1]), 0.02), x, y, yaw)], margin=0.05):
        return None
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size / 2
    outline = corners @ turn(yaw)[:2, :2].T + (x, y)
    layers = [(outline, rng.uniform(120, 255, 3).astype(np.float32))]
    for _ in range(int(rng.integers(0, 7))):
        line = corners * (float(rng.uniform(0.2, 0.8)), 0.03) + (0, float(rng.uniform(-0.4, 0.4)) * size[1])
        layers.append((line @ turn(yaw)[:2, :2].T + (x, y), rng.uniform(0, 120, 3).astype(np.float32)))
    return Flat(layers)


def strew(
    table: Table, area: Area, deck: Deck, rng: np.random.Generator, look: Appearance, *, density: float
) -> list[Flat]:
    """Fills the area with a random mixture; `density` 0 leaves it empty, 1 crowds it.

    Returns the flat things.
    """

    def times(mean: float) -> int:
        return int(rng.poisson(mean * density))

    for _ in range(times(1.2)):
        wall(table, area, deck, rng)
    for _ in range(times(0.7)):
        pond(table, area, deck, rng)
    for _ in range(times(0.5)):
        hidden_hand(table, area, deck, rng)
    for _ in range(times(0.25)):
        melds(table, area, rng)
    for _ in range(times(0.12)):
        open_hand(table, area, rng)
    if rng.random() < 0.4 * density:
        loose(table, area, deck, rng, int(rng.integers(1, 12)), face_down=float(rng.choice([1.0, 0.0, 0.5])))
    if rng.random() < 0.3 * density:
        heap(table, area, deck, rng, int(rng.integers(4, 26)), face_down=float(rng.choice([0.1, 0.5, 0.95])))
    for _ in range(times(0.6)):
        slab(table, area, rng)
    if rng.random() < 0.35 * density:
        dice(table, area, rng)
    if rng.random() < 0.25 * density:
        wind_marker(table, area, rng, look)
    for _ in range(times(0.9)):
        book(table, area, rng, look)
    flats = [disc(table, area, rng) for _ in range(times(0.6))] + [
        paper(table, area, rng) for _ in range(times(0.25))
    ]
    return [flat for flat in flats if flat is not None]
