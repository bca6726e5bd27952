"""Random hands of Chinese Official mahjong: legal wins in every shape, and near misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...vision.boxes import TILE_CLASSES

TILES: tuple[str, ...] = TILE_CLASSES[:34]
FLOWERS: tuple[str, ...] = TILE_CLASSES[34:42]
HONOURS: tuple[str, ...] = TILE_CLASSES[27:34]
ORPHANS: tuple[str, ...] = ("1m", "9m", "1p", "9p", "1s", "9s", *HONOURS)


@dataclass(frozen=True, slots=True)
class Group:
    """One exposed group: kind as in the hand's JSON, tiles in order."""

    kind: str
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DealtHand:
    """A hand as it will lie on the table. `concealed` holds the winning tile too; `winning` repeats it."""

    concealed: tuple[str, ...]
    winning: str
    melds: tuple[Group, ...] = ()
    flowers: tuple[str, ...] = ()
    legal: bool = True

    def to_json(self, *, winning_known: bool, face_down: frozenset[int] = frozenset()) -> dict[str, Any]:
        """The contract's `hand`: without the winning tile in `concealed` only where the picture shows it.

        face_down: indices of concealed kongs lying face down on all four.
        """
        concealed = list(self.concealed)
        if winning_known:
            concealed.remove(self.winning)
        return {
            "concealed": concealed,
            "winning_tile": self.winning if winning_known else None,
            "flowers": list(self.flowers),
            "melds": [
                {"kind": meld.kind, "tiles": ["?"] * 4 if i in face_down else list(meld.tiles)}
                for i, meld in enumerate(self.melds)
            ],
        }


def deal(rng: np.random.Generator, *, legal: bool = True) -> DealtHand:
    """A random finished hand; with `legal` False one whose concealed tiles no longer complete it."""
    shape = rng.random()
    if shape < 0.06:
        hand = _seven_pairs(rng)
    elif shape < 0.10:
        hand = _thirteen_orphans(rng)
    elif shape < 0.16:
        hand = _knitted(rng)
    else:
        hand = _four_sets(rng)
    flowers = _flowers(rng)
    concealed = hand.concealed if legal else _spoil(hand, rng)
    winning = concealed[int(rng.integers(len(concealed)))]
    return DealtHand(concealed, winning, hand.melds, flowers, legal)


def _flowers(rng: np.random.Generator) -> tuple[str, ...]:
    count = int(rng.choice(9, p=[0.32, 0.24, 0.17, 0.1, 0.06, 0.04, 0.03, 0.02, 0.02]))
    chosen = rng.choice(len(FLOWERS), size=count, replace=False)
    return tuple(FLOWERS[i] for i in (sorted(chosen) if rng.random() < 0.5 else chosen))


@dataclass(slots=True)
class _Stock:
    """How many of each tile are taken; nobody holds a fifth copy."""

    taken: Counter[str] = field(default_factory=Counter)

    def take(self, tiles: Sequence[str]) -> bool:
        wanted = Counter(tiles)
        if any(self.taken[tile] + count > 4 for tile, count in wanted.items()):
            return False
        self.taken.update(wanted)
        return True


def _pool(rng: np.random.Generator) -> list[str]:
    """The tiles a hand is drawn from: everything, one suit, terminals and honours, …"""
    choice = rng.random()
    suit = "mps"[int(rng.integers(3))]
    if choice < 0.12:
        return [t for t in TILES if t.endswith(suit)]
    if choice < 0.24:
        return [t for t in TILES if t.endswith(suit) or t in HONOURS]
    if choice < 0.30:
        return list(ORPHANS)
    if choice < 0.38:
        low = int(rng.integers(1, 6))
        return [t for t in TILES if t not in HONOURS and low <= int(t[0]) <= low + 4]
    if choice < 0.42:
        return ["2s", "3s", "4s", "6s", "8s", "F"]
    return list(TILES)


def _four_sets(rng: np.random.Generator) -> DealtHand:
    pool = _pool(rng)
    chow_share = float(rng.choice([0.15, 0.55, 0.8]))
    melded = int(rng.choice(5, p=[0.34, 0.24, 0.2, 0.14, 0.08]))
    while True:
        stock, concealed, melds = _Stock(), list[str](), list[Group]()
        sets = 0
        for _ in range(60):
            if sets == 4:
                break
            tile = pool[int(rng.integers(len(pool)))]
            meld = sets < melded
            if rng.random() < chow_share:
                run = tuple(f"{int(tile[0]) + i}{tile[1]}" for i in range(3)) if tile[0].isdigit() else ()
                if not run or any(t not in pool for t in run) or not stock.take(run):
                    continue
                kind = "chow"
                tiles: tuple[str, ...] = run
            else:
                kong = rng.random() < (0.3 if meld else 0.12)
                kind = (
                    "pung" if not kong else "melded-kong" if meld and rng.random() < 0.5 else "concealed-kong"
                )
                tiles = (tile,) * (4 if kong else 3)
                if not stock.take(tiles):
                    continue
            if meld or kind == "concealed-kong":
                melds.append(Group(kind, tiles))
            else:
                concealed.extend(tiles)
            sets += 1
        pairs = [t for t in pool if stock.taken[t] <= 2]
        if sets == 4 and pairs:
            concealed.extend([pairs[int(rng.integers(len(pairs)))]] * 2)
            order = rng.permutation(len(melds))
            tiles = tuple(_arranged(concealed, rng))
            return DealtHand(tiles, tiles[-1], tuple(melds[i] for i in order))


def _arranged(tiles: list[str], rng: np.random.Generator) -> list[str]:
    """Sets as they were built, or sorted by suit and rank as most players keep them."""
    return sorted(tiles, key=TILES.index) if rng.random() < 0.6 else tiles


def _seven_pairs(rng: np.random.Generator) -> DealtHand:
    pool = _pool(rng)
    if len(pool) < 7:
        pool = list(TILES)
    chosen = rng.choice(len(pool), size=7, replace=False)
    tiles = tuple(_arranged([pool[i] for i in chosen for _ in range(2)], rng))
    return DealtHand(tiles, tiles[-1])


def _thirteen_orphans(rng: np.random.Generator) -> DealtHand:
    tiles = tuple(sorted([*ORPHANS, ORPHANS[int(rng.integers(13))]], key=TILES.index))
    return DealtHand(tiles, tiles[-1])


def _knitted(rng: np.random.Generator) -> DealtHand:
    suits = [str(s) for s in rng.permutation(list("mps"))]
    straight = [f"{rank}{suits[first]}" for first in range(3) for rank in range(first + 1, 10, 3)]
    if rng.random() < 0.5:
        sixteen = [*straight, *HONOURS]
        chosen = rng.choice(len(sixteen), size=14, replace=False)
        tiles = tuple(sorted((sixteen[i] for i in chosen), key=TILES.index))
        return DealtHand(tiles, tiles[-1])
    honours = rng.choice(7, size=2, replace=False)
    pung, pair = [HONOURS[honours[0]]] * 3, [HONOURS[honours[1]]] * 2
    if rng.random() < 0.4:
        tiles = (*straight, *pair)
        return DealtHand(tiles, tiles[-1], (Group("pung", tuple(pung)),))
    tiles = (*straight, *pung, *pair)
    return DealtHand(tiles, tiles[-1])


def _spoil(hand: DealtHand, rng: np.random.Generator) -> tuple[str, ...]:
    """Concealed tiles with one missing, one too many, or one or two exchanged at random."""
    tiles = list(hand.concealed)
    way = rng.random()
    if way < 0.3 and len(tiles) > 2:
        tiles.pop(int(rng.integers(len(tiles))))
    elif way < 0.45:
        tiles.insert(int(rng.integers(len(tiles))), TILES[int(rng.integers(34))])
    else:
        for _ in range(int(rng.integers(1, 4))):
            tiles[int(rng.integers(len(tiles)))] = TILES[int(rng.integers(34))]
    return tuple(tiles)
