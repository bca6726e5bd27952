"""Lays a finished hand on the table the way players do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .appearance import Shape
from .geometry import Box
from .hands import DealtHand, Group
from .table import Role, Tile, lying, standing

KongLook = Literal["up", "down", "outer-down", "inner-down"]
"""How a concealed kong lies: four up, four down, two and two."""


@dataclass(frozen=True, slots=True)
class LaidHand:
    """Tiles in the hand's own frame (its row runs along x through the origin), kinds of the exposed
    groups, whether the picture shows which tile won, and which groups lie face down on all four."""

    tiles: list[Tile]
    kinds: list[str]
    winning_known: bool
    face_down: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Spot:
    """A tile in a row: its box at the row's left end, and how much of the row it takes."""

    tile: Tile
    width: float


def lay(hand: DealtHand, shape: Shape, rng: np.random.Generator, *, rack: bool = False) -> LaidHand:
    """Lays `hand` in one or two rows; `rack`: concealed tiles stand facing the viewer, the rest lies behind."""
    jitter = float(rng.choice([0.0, rng.uniform(0.003, 0.02)], p=[0.3, 0.7]))
    concealed = list(hand.concealed)
    concealed.remove(hand.winning)
    known = bool(rng.random() < 0.55) and len(concealed) > 0
    place = str(
        rng.choice(
            ["end", "turned-end", "above", "before", "left", "in-row"], p=[0.3, 0.16, 0.16, 0.1, 0.13, 0.15]
        )
    )
    if not known:
        concealed = list(hand.concealed)
    elif place == "in-row":
        concealed.insert(int(rng.integers(len(concealed) + 1)), hand.winning)

    groups, kinds, face_down = _groups(hand.melds, shape, rng)
    tiles: list[Tile] = []
    flower_row = [_face_up(name, shape, "flower", rng) for name in hand.flowers]
    touching = rng.random() < 0.35
    meld_gap = float(rng.uniform(0.0, 0.03)) if touching else float(rng.uniform(0.12, 0.7))

    # The concealed row or rows.
    lines = [concealed]
    if len(concealed) > 6 and not rack and rng.random() < 0.12:
        cut = int(rng.integers(len(concealed) // 2, len(concealed) - 2))
        lines = [concealed[:cut], concealed[cut:]]
    y, right = 0.0, 0.0
    row_step = shape.height + float(rng.choice([rng.uniform(0.0, 0.06), rng.uniform(0.1, 0.6)]))
    for line in lines:
        won_here = known and place == "in-row" and line is lines[0]
        spots = []
        marked = concealed.index(hand.winning) if won_here and hand.winning in line else -1
        for i, name in enumerate(line):
            is_winning = won_here and i == marked
            if is_winning and not rack:
                spots.append(_turned(name, shape, "winning", rng))
            elif rack:
                spots.append(
                    _Spot(
                        Tile(
                            standing(shape, 0.5, 0.0),
                            name,
                            "winning" if is_winning else "concealed",
                            hand=True,
                        ),
                        1.0,
                    )
                )
            else:
                spots.append(_face_up(name, shape, "winning" if is_winning else "concealed", rng))
        if rack and won_here and marked >= 0:
            # A standing winner is pushed up out of the row.
            box = spots[marked].tile.box
            lifted = Box(box.centre + np.array([0.0, 0.0, 0.3]), box.axes, box.size)
            spots[marked] = replace(spots[marked], tile=replace(spots[marked].tile, box=lifted))
        gaps = [0.0] * len(spots)
        if len(spots) > 5 and rng.random() < 0.08:
            for i in range(3, len(spots), 3):
                gaps[i] = float(rng.uniform(0.1, 0.35))
        right = max(right, _put(spots, gaps, 0.0, y, jitter, rng, tiles))
        y -= row_step
    bottom = y + row_step
    top = 0.0

    # The winning tile, apart from the others.
    if known and place != "in-row":
        apart = float(rng.uniform(0.25, 1.2))
        depth = shape.height if not rack else max(shape.height, shape.depth)
        if place == "end" and rack and rng.random() < 0.5:
            box = standing(shape, right + apart + 0.5, 0.0, yaw=float(rng.uniform(-8, 8)))
        elif place in ("end", "turned-end"):
            yaw = 0.0 if place == "end" else 90.0
            box = lying(shape, right + apart + 0.7, 0.0, yaw=yaw + float(rng.normal(0, 4)))
            if place == "turned-end" and rng.random() < 0.5:
                box = lying(shape, right + shape.height / 2 + 0.01, 0.0, yaw=90.0)
        elif place == "left":
            box = lying(
                shape,
                -apart - 0.8,
                float(rng.uniform(-0.3, 0.3)),
                yaw=float(rng.choice([0, 90, rng.uniform(-60, 60)])),
            )
        else:
            away = depth + float(rng.uniform(0.25, 1.0))
            along = float(rng.uniform(0.3, max(right - 0.3, 0.4)))
            box = lying(
                shape,
                along,
                top + away if place == "above" else bottom - away,
                yaw=float(rng.choice([0.0, rng.normal(0, 14)])),
            )
            top, bottom = (top + away, bottom) if place == "above" else (top, bottom - away)
        tiles.append(Tile(box, hand.winning, "winning", hand=True))
        if place in ("end", "turned-end"):
            right = float(box.corners()[:, 0].max())

    _lay_exposed(
        tiles,
        groups,
        flower_row,
        shape,
        rng,
        right=right,
        top=top,
        bottom=bottom,
        meld_gap=meld_gap,
        jitter=jitter,
        rack=rack,
    )
    return LaidHand(tiles, kinds, known, face_down)


def _lay_exposed(
    tiles: list[Tile],
    groups: list[list[_Spot]],
    flowers: list[_Spot],
    shape: Shape,
    rng: np.random.Generator,
    *,
    right: float,
    top: float,
    bottom: float,
    meld_gap: float,
    jitter: float,
    rack: bool,
) -> None:
    """Melds and flowers beside, behind or before the concealed row."""
    where = "behind" if rack else str(rng.choice(["beside", "behind", "before"], p=[0.34, 0.42, 0.24]))
    line: list[_Spot] = []
    gaps: list[float] = []
    sections: list[list[_Spot]] = [*groups]
    with_melds = bool(groups) and rng.random() < 0.55
    if flowers and with_melds:
        sections.insert(0 if rng.random() < 0.5 else len(sections), flowers)
    for section in sections:
        for i, spot in enumerate(section):
            # Flowers keep a visible distance from melds: a row of both says nothing about where one ends.
            gap = 0.0 if i else meld_gap
            if i == 0 and line and (section is flowers or line[-1].tile.role == "flower"):
                gap = max(gap, 0.2)
            line.append(spot)
            gaps.append(gap if line[1:] else 0.0)
    step = shape.height + float(rng.choice([rng.uniform(0.08, 0.3), rng.uniform(0.3, 1.5)]))
    if rack:
        step = shape.depth / 2 + shape.height / 2 + float(rng.uniform(0.05, 1.0))
    total = sum(spot.width for spot in line) + sum(gaps)
    free_rows = [top + step, bottom - max(step, shape.height + 0.1)]
    if line:
        align = float(rng.choice([0.0, max(right - total, 0.0), (right - total) / 2, rng.uniform(-1, 3)]))
        if where == "beside" and total + right < 26:
            start = right + max(meld_gap, float(rng.uniform(0.4, 1.2)))
            _put(line, gaps, start, 0.0, jitter, rng, tiles)
        elif where == "before":
            _put(line, gaps, align, free_rows[1], jitter, rng, tiles)
            free_rows[1] -= 2 * shape.height + 0.3
        else:
            _put(line, gaps, align, free_rows[0], jitter, rng, tiles)
            free_rows[0] += 2 * shape.height + 0.3
    if flowers and not with_melds:
        side = 0 if rack or rng.random() < 0.65 else 1
        if rng.random() < 0.25 and not rack:
            _put(
                flowers,
                [0.0] * len(flowers),
                -len(flowers) - float(rng.uniform(0.3, 1.0)) - 1.6,
                0.0,
                jitter,
                rng,
                tiles,
            )
        else:
            start = float(rng.uniform(0.0, max(right - len(flowers), 0.5)))
            _put(flowers, [0.0] * len(flowers), start, free_rows[side], jitter, rng, tiles)


def _put(
    spots: list[_Spot],
    gaps: list[float],
    x: float,
    y: float,
    jitter: float,
    rng: np.random.Generator,
    tiles: list[Tile],
) -> float:
    """Appends the spots from x on along the row at height y; returns the row's right end."""
    for spot, gap in zip(spots, gaps, strict=True):
        x += gap + (float(rng.uniform(0, 1.5 * jitter)) if jitter else 0.0)
        shift = np.array([x, y + float(rng.normal(0, jitter)), 0.0])
        box = spot.tile.box
        tiles.append(replace(spot.tile, box=Box(box.centre + shift, box.axes, box.size)))
        if spot.width:
            x += spot.width
    return x


def _face_up(name: str, shape: Shape, role: Role, rng: np.random.Generator, meld: int | None = None) -> _Spot:
    yaw = 180.0 if rng.random() < 0.04 else 0.0
    return _Spot(Tile(lying(shape, 0.5, 0.0, yaw=yaw), name, role, meld, hand=True), 1.0)


def _turned(
    name: str, shape: Shape, role: Role, rng: np.random.Generator, meld: int | None = None, level: float = 0.0
) -> _Spot:
    """Sideways, its long side on the row's lower edge."""
    yaw = 90.0 if rng.random() < 0.7 else -90.0
    box = lying(shape, shape.height / 2, (1 - shape.height) / 2, yaw=yaw, level=level)
    return _Spot(Tile(box, name, role, meld, hand=True), shape.height)


def _groups(
    melds: tuple[Group, ...], shape: Shape, rng: np.random.Generator
) -> tuple[list[list[_Spot]], list[str], frozenset[int]]:
    turns = rng.random() < 0.55
    groups, face_down = [], set()
    for index, meld in enumerate(melds):
        if meld.kind == "concealed-kong":
            look: KongLook = ("up", "down", "outer-down", "inner-down")[
                int(rng.choice(4, p=[0.2, 0.35, 0.25, 0.2]))
            ]
            if look == "down":
                face_down.add(index)
            groups.append(_concealed_kong(meld, look, index, shape))
            continue
        names = list(meld.tiles)
        turned = -1
        if turns:
            turned = 0 if meld.kind == "chow" else int(rng.choice([0, 1, len(names) - 1]))
            if meld.kind == "chow":
                # The claimed tile comes first, whichever of the three it is.
                names.insert(0, names.pop(int(rng.integers(3))))
        spots = []
        added = meld.kind == "melded-kong" and turned >= 0 and rng.random() < 0.5
        for i, name in enumerate(names[:-1] if added else names):
            if i != turned:
                spots.append(_face_up(name, shape, "meld", rng, index))
                continue
            spots.append(_turned(name, shape, "meld", rng, index))
            if added:
                spots.insert(len(spots) - 1, _added(spots[-1], shape, rng))
        groups.append(spots)
    return groups, [meld.kind for meld in melds], frozenset(face_down)


def _added(claimed: _Spot, shape: Shape, rng: np.random.Generator) -> _Spot:
    """The fourth tile of an added kong: beside the turned one, further from the player, or on top of it."""
    box = claimed.tile.box
    shift = np.array([0.0, 0.0, shape.depth]) if rng.random() < 0.3 else np.array([0.0, 1.02, 0.0])
    return _Spot(replace(claimed.tile, box=Box(box.centre + shift, box.axes, box.size)), 0.0)


def _concealed_kong(meld: Group, look: KongLook, index: int, shape: Shape) -> list[_Spot]:
    down = {"up": (), "down": (0, 1, 2, 3), "outer-down": (0, 3), "inner-down": (1, 2)}[look]
    return [
        _Spot(Tile(lying(shape, 0.5, 0.0, up=i not in down), name, "meld", index, hand=True), 1.0)
        for i, name in enumerate(meld.tiles)
    ]
