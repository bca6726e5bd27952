"""Lays a finished hand on the table the way players do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from .appearance import Shape
from .geometry import Box
from .hands import DealtHand, Group
from .table import Role, Tile, lying, standing

KongLook = Literal["up", "down", "outer-down", "inner-down"]
"""How a concealed kong lies: four up, four down, two and two."""
_KONG_LOOKS: tuple[KongLook, ...] = get_args(KongLook)


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


Place = Literal["none", "in-row", "end", "turned-end", "left", "above", "before"]
"""Where the winning tile lies: among the others unmarked, turned in the row (or pushed up out of
standing tiles), after the row, after it and turned, left of it, beyond it, nearer than it."""

_PLACES: dict[Place, float] = {
    "none": 0.45,
    "in-row": 0.09,
    "end": 0.16,
    "turned-end": 0.09,
    "left": 0.07,
    "above": 0.09,
    "before": 0.05,
}


def lay(hand: DealtHand, shape: Shape, rng: np.random.Generator, *, rack: bool = False) -> LaidHand:
    """Lays `hand` in one or two rows, melds and flowers beside, behind or before them.

    rack: concealed tiles stand facing the viewer, the rest lies behind.
    """
    jitter = float(rng.choice([0.0, rng.uniform(0.003, 0.02)], p=[0.3, 0.7]))
    place = list(_PLACES)[int(rng.choice(len(_PLACES), p=list(_PLACES.values())))]
    if len(hand.concealed) == 1:
        place = "none"
    rows = _concealed_rows(hand, place, shape, rng, rack=rack)
    tiles: list[Tile] = []
    y, right = 0.0, 0.0
    step = shape.height + float(rng.choice([rng.uniform(0.0, 0.06), rng.uniform(0.1, 0.6)]))
    for row in rows:
        gaps = [0.0] * len(row)
        if len(row) > 5 and rng.random() < 0.08:
            # Some players part their sets a little.
            for i in range(3, len(row), 3):
                gaps[i] = float(rng.uniform(0.1, 0.35))
        right = max(right, _put(row, gaps, 0.0, y, jitter, rng, tiles))
        y -= step
    span = _Span(right, top=0.0, bottom=y + step)
    if place not in ("none", "in-row"):
        box = _winning_box(place, shape, span, rng, rack=rack)
        tiles.append(Tile(box, hand.winning, "winning", hand=True))
        corners = box.corners()
        # Later rows keep clear of it.
        span.right = max(span.right, float(corners[:, 0].max()))
        if place == "above":
            span.top = float(box.centre[1])
        elif place == "before":
            span.bottom = float(box.centre[1])
    groups, face_down = _groups(hand.melds, shape, rng)
    flowers = [_face_up(name, shape, "flower", rng) for name in hand.flowers]
    _lay_exposed(tiles, groups, flowers, shape, rng, span=span, jitter=jitter, rack=rack)
    return LaidHand(tiles, [meld.kind for meld in hand.melds], place != "none", face_down)


@dataclass(slots=True)
class _Span:
    """How far the tiles laid so far reach: right end, and the y of their topmost and lowest rows."""

    right: float
    top: float
    bottom: float


def _concealed_rows(
    hand: DealtHand, place: Place, shape: Shape, rng: np.random.Generator, *, rack: bool
) -> list[list[_Spot]]:
    """The concealed tiles in one row or two, with the winning tile where `place` puts it among them."""
    names = list(hand.concealed)
    if place != "none":
        names.remove(hand.winning)
    if rack:
        row = [_Spot(Tile(standing(shape, 0.5, 0.0), name, "concealed", hand=True), 1.0) for name in names]
    else:
        row = [_face_up(name, shape, "concealed", rng) for name in names]
    if place == "in-row":
        at = int(rng.integers(len(row) + 1))
        if rack:
            box = standing(shape, 0.5, 0.0, level=0.3)
            row.insert(at, _Spot(Tile(box, hand.winning, "winning", hand=True), 1.0))
        else:
            row.insert(at, _turned(hand.winning, shape, "winning", rng))
    elif len(row) > 6 and not rack and rng.random() < 0.12:
        cut = int(rng.integers(len(row) // 2, len(row) - 2))
        return [row[:cut], row[cut:]]
    return [row]


def _winning_box(place: Place, shape: Shape, span: _Span, rng: np.random.Generator, *, rack: bool) -> Box:
    """Where the winning tile lies apart from the row."""
    apart = float(rng.uniform(0.25, 1.2))
    if place == "end":
        if rack and rng.random() < 0.5:
            return standing(shape, span.right + apart + 0.5, 0.0, yaw=float(rng.uniform(-8, 8)))
        return lying(shape, span.right + apart + 0.7, 0.0, yaw=float(rng.normal(0, 4)))
    if place == "turned-end":
        if rng.random() < 0.5:
            return lying(shape, span.right + shape.height / 2 + 0.01, 0.0, yaw=90.0)
        return lying(shape, span.right + apart + 0.7, 0.0, yaw=90.0 + float(rng.normal(0, 4)))
    if place == "left":
        yaw = float(rng.choice([0, 90, rng.uniform(-60, 60)]))
        return lying(shape, -apart - 0.8, float(rng.uniform(-0.3, 0.3)), yaw=yaw)
    away = shape.height + float(rng.uniform(0.25, 1.0))
    x = float(rng.uniform(0.3, max(span.right - 0.3, 0.4)))
    y = span.top + away if place == "above" else span.bottom - away
    return lying(shape, x, y, yaw=float(rng.choice([0.0, rng.normal(0, 14)])))


def _lay_exposed(
    tiles: list[Tile],
    groups: list[list[_Spot]],
    flowers: list[_Spot],
    shape: Shape,
    rng: np.random.Generator,
    *,
    span: _Span,
    jitter: float,
    rack: bool,
) -> None:
    """Melds and flowers beside, behind or before the concealed row."""
    where = "behind" if rack else str(rng.choice(["beside", "behind", "before"], p=[0.34, 0.42, 0.24]))
    meld_gap = float(rng.uniform(0.0, 0.03)) if rng.random() < 0.35 else float(rng.uniform(0.12, 0.7))
    with_melds = bool(groups) and bool(flowers) and rng.random() < 0.55
    sections = list(groups)
    if with_melds:
        sections.insert(0 if rng.random() < 0.5 else len(sections), flowers)
    line: list[_Spot] = []
    gaps: list[float] = []
    for section in sections:
        # Flowers keep a visible distance from melds: a row of both would not say where one ends.
        mixed = bool(line) and (section is flowers or line[-1].tile.role == "flower")
        first = 0.0 if not line else max(meld_gap, 0.2) if mixed else meld_gap
        gaps += [first] + [0.0] * (len(section) - 1)
        line += section
    step = shape.height + float(rng.choice([rng.uniform(0.08, 0.3), rng.uniform(0.3, 1.5)]))
    if rack:
        step = shape.depth / 2 + shape.height / 2 + float(rng.uniform(0.05, 1.0))
    above, below = span.top + step, span.bottom - max(step, shape.height + 0.1)
    if line:
        total = sum(spot.width for spot in line) + sum(gaps)
        spare = span.right - total
        align = float(rng.choice([0.0, max(spare, 0.0), spare / 2, rng.uniform(-1, 3)]))
        if where == "beside" and total + span.right < 26:
            start = span.right + max(meld_gap, float(rng.uniform(0.4, 1.2)))
            _put(line, gaps, start, 0.0, jitter, rng, tiles)
        elif where == "before":
            _put(line, gaps, align, below, jitter, rng, tiles)
            below -= 2 * shape.height + 0.3
        else:
            _put(line, gaps, align, above, jitter, rng, tiles)
            above += 2 * shape.height + 0.3
    if flowers and not with_melds:
        start = float(rng.uniform(0.0, max(span.right - len(flowers), 0.5)))
        y = above if rack or rng.random() < 0.65 else below
        if not rack and rng.random() < 0.25:
            start, y = -len(flowers) - float(rng.uniform(0.3, 1.0)) - 1.6, 0.0
        _put(flowers, [0.0] * len(flowers), start, y, jitter, rng, tiles)


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
) -> tuple[list[list[_Spot]], frozenset[int]]:
    """The exposed groups as pieces of a row, and which of them lie face down on all four."""
    turns = rng.random() < 0.55
    groups, face_down = [], set()
    for index, meld in enumerate(melds):
        if meld.kind == "concealed-kong":
            look = _KONG_LOOKS[int(rng.choice(4, p=[0.2, 0.35, 0.25, 0.2]))]
            if look == "down":
                face_down.add(index)
            groups.append(_concealed_kong(meld, look, index, shape))
        else:
            groups.append(_melded(meld, index, shape, rng, turns=turns))
    return groups, frozenset(face_down)


def _melded(meld: Group, index: int, shape: Shape, rng: np.random.Generator, *, turns: bool) -> list[_Spot]:
    """A chow, pung or melded kong; `turns`: the claimed tile lies sideways."""
    names = list(meld.tiles)
    turned = -1
    if turns:
        turned = 0 if meld.kind == "chow" else int(rng.choice([0, 1, len(names) - 1]))
    if turns and meld.kind == "chow":
        # The claimed tile comes first, whichever of the three it is.
        names.insert(0, names.pop(int(rng.integers(3))))
    added = meld.kind == "melded-kong" and turned >= 0 and rng.random() < 0.5
    if added:
        names.pop()
        turned = min(turned, len(names) - 1)
    spots: list[_Spot] = []
    for i, name in enumerate(names):
        if i != turned:
            spots.append(_face_up(name, shape, "meld", rng, index))
            continue
        claimed = _turned(name, shape, "meld", rng, index)
        if added:
            spots.append(_added(claimed, shape, rng))
        spots.append(claimed)
    return spots


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
