"""What a scene is about: which tiles lie where, before camera and clutter."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .appearance import Shape
from .clutter import Deck, heap, hidden_hand, loose, melds, pond, self_overlapping, wall
from .geometry import FACE_UP, Box
from .hands import FLOWERS, deal
from .laying import lay
from .table import Block, Table, Tile, lying, standing

Kind = Literal["hand", "rack", "broken", "tiles", "backs", "melds", "mixed"]
"""hand: a finished hand; rack: the same with standing tiles; broken: a hand that is no win;
tiles: tiles in rows, trays, heaps; backs: walls and face-down tiles; melds: exposed groups; mixed: any."""

KINDS: tuple[Kind, ...] = get_args(Kind)
MIXTURE: dict[Kind, float] = {
    "hand": 0.3,
    "rack": 0.1,
    "broken": 0.06,
    "tiles": 0.34,
    "backs": 0.08,
    "melds": 0.12,
}
"""Shares of the kinds in `mixed`."""


@dataclass(slots=True)
class Composition:
    """The table, the tiles drawn so far, the hand's JSON (None without one), and how full of other
    things the rest of the table may be."""

    table: Table
    deck: Deck
    hand: dict[str, Any] | None
    density: float


def compose(kind: Kind, shape: Shape, rng: np.random.Generator) -> Composition:
    """The main things of a scene of this kind (not `mixed`), around the origin."""
    table = Table(shape)
    if kind in ("hand", "rack", "broken"):
        return _hand(kind, table, rng)
    deck = Deck(rng)
    density = float(rng.choice([0.0, rng.uniform(0.2, 1.0)], p=[0.55, 0.45]))
    if kind == "backs":
        area = (-9.0, -7.0, 9.0, 7.0)
        for _ in range(int(rng.integers(1, 5))):
            wall(table, area, deck, rng)
        for _ in range(int(rng.integers(0, 3))):
            hidden_hand(table, area, deck, rng)
        loose(table, area, deck, rng, int(rng.integers(2, 16)), face_down=0.75)
        heap(table, area, deck, rng, int(rng.integers(0, 16)), face_down=0.7)
    elif kind == "melds":
        area = (-8.0, -6.0, 8.0, 6.0)
        for _ in range(int(rng.integers(1, 5))):
            melds(table, area, rng)
        for _ in range(int(rng.integers(0, 3))):
            pond(table, area, deck, rng)
        if not table.tiles:
            return compose(kind, shape, rng)
    else:
        _loose_tiles(table, deck, rng)
    return Composition(table, deck, None, density)


def _hand(kind: Kind, table: Table, rng: np.random.Generator) -> Composition:
    hand = deal(rng, legal=kind != "broken")
    rack = kind == "rack" or (kind == "broken" and rng.random() < 0.3)
    laid = lay(hand, table.shape, rng, rack=rack)
    while self_overlapping(laid.tiles):
        laid = lay(hand, table.shape, rng, rack=rack)
    table.add(laid.tiles)
    table.meld_kinds.extend(laid.kinds)
    if rack and rng.random() < 0.6:
        _rack(table, rng)
    used = Counter([*hand.concealed, *hand.flowers, *(tile for meld in hand.melds for tile in meld.tiles)])
    truth = hand.to_json(winning_known=laid.winning_known, face_down=laid.face_down)
    density = float(rng.choice([0.0, rng.uniform(0.3, 1.4)], p=[0.25, 0.75]))
    return Composition(table, Deck(rng, used), truth, density)


def _rack(table: Table, rng: np.random.Generator) -> None:
    """A pusher in front of standing tiles, lower than they are."""
    row = [tile.box for tile in table.tiles if tile.role == "concealed"]
    left, right = min(b.centre[0] for b in row) - 1.5, max(b.centre[0] for b in row) + 1.5
    height = float(rng.uniform(0.1, 0.4))
    depth = float(rng.uniform(0.3, 1.2))
    y = -table.shape.depth / 2 - depth / 2 - float(rng.uniform(0.03, 1.0))
    box = Box(np.array([(left + right) / 2, y, height / 2]), FACE_UP, np.array([right - left, depth, height]))
    table.add_block(Block(box, rng.uniform(20, 230, 3).astype(np.float32)))


def _loose_tiles(table: Table, deck: Deck, rng: np.random.Generator) -> None:
    form = str(
        rng.choice(
            ["grid", "rows", "loose", "heap", "standing", "flowers"], p=[0.28, 0.26, 0.16, 0.1, 0.14, 0.06]
        )
    )
    shape = table.shape
    if form == "grid":
        _grid(table, deck, rng)
    elif form == "rows":
        y = 0.0
        for _ in range(int(rng.integers(1, 5))):
            gap = float(rng.choice([0.0, rng.uniform(0, 0.1), rng.uniform(0.1, 0.6)]))
            x = float(rng.uniform(-3, 0))
            for _ in range(int(rng.integers(1, 15))):
                yaw = float(rng.choice([0.0, 180.0, 90.0], p=[0.85, 0.1, 0.05])) + float(
                    rng.normal(0, 1 if gap < 0.05 else 5)
                )
                wide = shape.height if 45 < yaw < 135 else 1.0
                table.add([Tile(lying(shape, x + wide / 2, y, yaw=yaw, up=rng.random() > 0.06), deck.draw())])
                x += wide + 0.01 + gap
            y -= shape.height + float(rng.choice([0.02, rng.uniform(0.05, 1.2)]))
    elif form == "loose":
        reach = float(rng.uniform(2, 7))
        loose(
            table,
            (-reach, -reach * 0.7, reach, reach * 0.7),
            deck,
            rng,
            int(rng.integers(3, 36)),
            face_down=0.12,
        )
    elif form == "heap":
        heap(
            table,
            (0.0, 0.0, 0.1, 0.1),
            deck,
            rng,
            int(rng.integers(8, 45)),
            face_down=float(rng.choice([0.0, 0.3])),
        )
    elif form == "standing":
        _standing(table, deck, rng)
    else:
        names = [FLOWERS[i] for i in rng.permutation(8)[: int(rng.integers(2, 9))]]
        for i, name in enumerate(names):
            yaw = float(rng.choice([0.0, rng.uniform(-50, 50)]))
            table.add(
                [
                    Tile(
                        lying(
                            shape,
                            i * float(rng.uniform(1.0, 2.2)) + 0.02 * i,
                            float(rng.normal(0, 0.05)),
                            yaw=yaw,
                        ),
                        name,
                    )
                ]
            )


def _grid(table: Table, deck: Deck, rng: np.random.Generator) -> None:
    """Rows and columns pushed together, sometimes in a tray."""
    shape = table.shape
    columns, rows = int(rng.integers(3, 13)), int(rng.integers(2, 6))
    gap = float(rng.choice([0.0, 0.0, rng.uniform(0, 0.12)]))
    upside_down = float(rng.choice([0.0, 0.3]))
    for row in range(rows):
        for column in range(columns):
            if rng.random() < 0.02:
                continue
            yaw = 180.0 if rng.random() < upside_down else 0.0
            x, y = column * (1.01 + gap), -row * (shape.height + 0.01 + gap)
            table.add([Tile(lying(shape, x, y, yaw=yaw, up=rng.random() > 0.03), deck.draw())])
    if rng.random() < 0.4:
        colour = rng.uniform(10, 90, 3) if rng.random() < 0.6 else rng.uniform(90, 230, 3)
        rim, high = 0.35, float(rng.uniform(0.5, 1.0))
        wide, deep = columns * (1.01 + gap) + 0.1, rows * (shape.height + 0.01 + gap) + 0.1
        x0, y0 = -0.55, shape.height / 2 + 0.05
        spots = (
            ((x0 - rim / 2, y0 - deep / 2), (rim, deep + 2 * rim)),
            ((x0 + wide + rim / 2, y0 - deep / 2), (rim, deep + 2 * rim)),
            ((x0 + wide / 2, y0 + rim / 2), (wide, rim)),
            ((x0 + wide / 2, y0 - deep - rim / 2), (wide, rim)),
        )
        for (x, y), (w, d) in spots:
            box = Box(np.array([x, y, high / 2]), FACE_UP, np.array([w - 0.01, d - 0.01, high]))
            table.add_block(Block(box, colour.astype(np.float32)))


def _standing(table: Table, deck: Deck, rng: np.random.Generator) -> None:
    """Tiles on end facing the viewer: in rows that touch, or one by one."""
    shape = table.shape
    if rng.random() < 0.6:
        for row in range(int(rng.integers(1, 3))):
            for i in range(int(rng.integers(3, 15))):
                table.add([Tile(standing(shape, i * 1.01, row * float(rng.uniform(1.6, 3))), deck.draw())])
        return
    for _ in range(int(rng.integers(3, 14))):
        x, y = rng.uniform(-5, 5), rng.uniform(-3, 3)
        table.add([Tile(standing(shape, float(x), float(y), yaw=float(rng.normal(0, 12))), deck.draw())])
