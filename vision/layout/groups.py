"""Which group three or four tiles are likeliest to be, asked of the rules.

Chows, pungs and kongs as faces; kongs also with some or all tiles face down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...scoring import Hand, Meld, explain
from ..boxes import TILE_CLASSES

KONG = "kong"
BACK = TILE_CLASSES.index("back")
SUITED_AND_HONOURS = 34
UNREADABLE_COST = -8.0
"""Cost at which three or four tiles are taken as a group that can't be read, rather than a legal one."""

DRAGON_AMONG_BACKS = 3.0
"""How much less common a kong of white dragons with some face down is than one with all down (natural log):
dragons are one kind of 34."""
_DRAGON = TILE_CLASSES.index("P")
_ORDERS = tuple(permutations(range(3)))
_IN_TURN = np.array(_ORDERS).T[:, :, None]
"""Shape (3, 6, 1): the place of a chow's first, second and third tile in each order."""


@dataclass(frozen=True, slots=True)
class Group:
    """The likeliest group of some tiles.

    kind: "chow", "pung" or "kong"; None where no legal group is likely.
    names: class indices in the order of the tiles; `BACK` for a tile face down.
    cost: log of its likelihood against that of the tiles' likeliest names (0 or less).
    backs: how many tiles lie face down.
    """

    kind: str | None
    names: tuple[int, ...]
    cost: float
    backs: int


@cache
def chow_starts() -> tuple[int, ...]:
    """Class indices of the tiles a chow can begin with."""
    names = TILE_CLASSES[:SUITED_AND_HONOURS]
    return tuple(
        first
        for first in range(SUITED_AND_HONOURS - 2)
        if all(
            problem.code != "not-a-meld"
            for problem in explain(Hand((), melds=(Meld("chow", names[first : first + 3]),)))
        )
    )


def best_group(logs: NDArray[np.float64], *, partial: bool = False) -> Group | None:
    """The likeliest group of 3 or 4 tiles; `logs` has shape (3 or 4, 43).

    A group that can't be read (`kind` None) where no legal one is likely enough. None where a flower lies,
    and for three tiles with one face down: only kongs are laid that way. partial: unless it is one of which
    a tile wasn't found.
    """
    group = _best_group(logs.tobytes(), len(logs))
    # Of three tiles the faces down say that one is missing.
    return None if group is not None and len(logs) == 3 and group.backs and not partial else group


@lru_cache(maxsize=4096)
def _best_group(content: bytes, count: int) -> Group | None:
    """The same, partial ones too; kept, since every stretch of a row is asked for several times."""
    logs = np.frombuffer(content).reshape(count, -1)
    likeliest = logs.argmax(axis=1)
    down = likeliest == BACK
    if bool(((likeliest >= SUITED_AND_HONOURS) & ~down).any()):
        return None
    legal = groups(logs, most=1)
    cost = legal[0][0] - float(logs.max(axis=1).sum()) if legal else UNREADABLE_COST
    if count == 3 and bool(down.any()) and cost < UNREADABLE_COST:
        return None
    if not legal or cost < UNREADABLE_COST:
        return Group(None, tuple(int(i) for i in likeliest), UNREADABLE_COST, int(down.sum()))
    group = legal[0][1]
    return Group(group.kind, group.names, min(0.0, cost), group.backs)


def groups(logs: NDArray[np.float64], *, most: int = 4) -> list[tuple[float, Group]]:
    """The likeliest legal groups with their log probability, best first.

    logs: shape (3 or 4, 43). A tile read as face down stays so: a kong may have some of its tiles down. Three
    tiles of which some are down are a kong with a tile missing.
    """
    down = logs.argmax(axis=1) == BACK
    backs = int(down.sum())
    if backs == len(logs):
        weight = float(logs[:, BACK].sum())
        return [(weight, Group(KONG, (BACK,) * backs, 0.0, backs))]
    faces = np.where(down[:, None], logs[:, BACK : BACK + 1], logs[:, :SUITED_AND_HONOURS])
    same = faces.sum(axis=0)
    kind = KONG if len(logs) == 4 or backs else "pung"
    found = [
        (float(same[name]), kind, tuple(BACK if is_down else int(name) for is_down in down))
        for name in _top(same, most)
    ]
    hidden, seen = float(logs[:, BACK].sum()), float(same[_DRAGON]) - DRAGON_AMONG_BACKS
    if backs and int(same.argmax()) == _DRAGON and hidden > seen:
        # A tile face down may look like a dragon: all down are far more common than just that kong.
        found[0] = (seen, *found[0][1:])
        found.append((hidden, KONG, (BACK,) * len(logs)))
    if kind == "pung":
        starts = np.array(chow_starts())
        first, second, third = _IN_TURN
        runs = faces[first, starts] + faces[second, starts + 1] + faces[third, starts + 2]
        for at in _top(runs.ravel(), most):
            order, start = _ORDERS[at // len(starts)], int(starts[at % len(starts)])
            names = [0, 0, 0]
            for offset, place in enumerate(order):
                names[place] = start + offset
            found.append((float(runs.flat[at]), "chow", tuple(names)))
    found.sort(key=lambda item: -item[0])
    return [(weight, Group(kind, names, 0.0, names.count(BACK))) for weight, kind, names in found[:most]]


def _top(values: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of the largest values, largest first."""
    if most == 1:
        return np.array([values.argmax()])
    return np.argsort(-values)[:most]
