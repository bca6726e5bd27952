"""What is doubtful about a tile, and which tiles deserve a second look though each looks sure by itself.

Where one tile had to give way to another, the wrong one may be either; and a tile that touches the
hand without being of it may be a tile of the hand that was misread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..boxes import COPIES, TILE_CLASSES, TileBox
from ..corrections import UNKNOWN
from ..reading import Flag, Role
from .hypotheses import Hypothesis

SURE_NAME = 0.95
"""Below this probability a name is flagged."""

SURE_ROLE = 0.95
SURE_FLOWER = 0.9
SURE_WINNER = 0.85
"""Below these probabilities a role is flagged. A flower is worth one point, and which of the standing
tiles won is told by a problem where nothing shows it: both may be a little less sure."""

MISSED_FLOWER = 0.02
"""From this probability on, a tile left out of the hand is flagged as one of its flowers: those are
missed more easily than anything else, and nothing else in the hand shows that one is missing."""

CONFLICTS = frozenset(("fifth-copy", "twice-a-flower", "not-a-meld"))
"""Problems of tiles that can't all be what they were read as."""

TOUCHING = 1.05
"""Centres nearer than this, in geometric means of the two tiles' sides, lie side by side: 0.86 where
two tiles of the usual shape touch with their long sides, 1.16 with their short ones."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """What speaks against single tiles of a reading, by their places.

    hand: the tiles of all hands. conflicting: those that a problem says can't be. contested: see
    `contested`. beside: see `beside_the_hand`. open_kongs: those of kongs whose kind the total hangs on.
    partial: those of kongs of which a tile wasn't found.
    """

    hand: frozenset[int]
    conflicting: frozenset[int]
    contested: frozenset[int]
    beside: frozenset[int]
    open_kongs: frozenset[int]
    partial: frozenset[int]

    def of_name(self, place: int, name: str, seen: str, confidence: float) -> Flag | None:
        """The flag on a tile's name. seen: what the detector read."""
        if place not in self.hand:
            return "low-confidence" if place in self.beside and name == UNKNOWN else None
        if name not in (seen, UNKNOWN):
            return "inferred"
        doubtful = confidence < SURE_NAME or name == UNKNOWN or place in self.contested | self.partial
        return "low-confidence" if doubtful else None

    def of_role(self, place: int, role: Role, chances: Mapping[Role, float]) -> Flag | None:
        """The flag on a tile's role. chances: the probability of every role."""
        own = settled = chances.get(role, 0.0)
        if role in ("concealed", "winning"):
            settled = chances.get("concealed", 0.0) + chances.get("winning", 0.0)
        missed = role == "elsewhere" and chances.get("flower", 0.0) >= MISSED_FLOWER
        doubtful = missed or settled < (SURE_FLOWER if role == "flower" else SURE_ROLE) or own < SURE_WINNER
        return "role" if doubtful or place in self.open_kongs or place in self.beside else None


def contested(hypothesis: Hypothesis, logs: NDArray[np.float64]) -> frozenset[int]:
    """Tiles that took part in a conflict over how many of a kind there can be."""
    flowers = set(hypothesis.flowers)
    read = {i: int(logs[i].argmax()) for i in hypothesis.names if i not in flowers}
    copies = Counter(read.values())
    moved = {read[i] for i, name in hypothesis.names.items() if i in read and name != read[i]}
    crowded = {name for name in moved if copies[name] > COPIES and TILE_CLASSES[name] != "back"}
    return hypothesis.contested | {i for i, name in read.items() if name in crowded}


def beside_the_hand(tiles: Sequence[TileBox], hand: Collection[int]) -> frozenset[int]:
    """Face-up tiles that touch one of the hand's without being of it."""
    others = [i for i, tile in enumerate(tiles) if i not in hand and tile.best != "back"]
    own = sorted(hand)
    if not own or not others:
        return frozenset()
    boxes = np.array([tile.box for tile in tiles], dtype=float)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    sizes = np.sqrt(np.maximum((boxes[:, 2:] - boxes[:, :2]).prod(axis=1), 1e-9))
    apart = np.linalg.norm(centres[others][:, None] - centres[own][None], axis=2)
    usual = np.sqrt(sizes[others][:, None] * sizes[own][None])
    return frozenset(others[k] for k in np.flatnonzero((apart < TOUCHING * usual).any(axis=1)))
