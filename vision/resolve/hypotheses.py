"""What the hand could be: arrangements times names, weighed by what was seen and what is legal.

For one arrangement the tiles' names are searched from the likeliest downwards (`naming`). Names that
make a finished hand count in full. All others together count for "this is no win", with a prior that
keeps a false win visible: a tile is only taken for another than was read when the other name was
seen with more than a few percent, or nothing legal is left otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..layout import Arrangement, PieceKind
from ..layout.groups import Group
from .flowers import FlowerNames
from .naming import Naming

NO_WIN = math.log(0.02)
"""Log weight of "these tiles are no win" against a win whose names were read with certainty.

A finished hand is what people photograph (say 19 in 20), but a false win lies one tile beside a
true one, and each true one has some twenty such neighbours that would all be set right by a repair.
"""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One reading of the picture.

    names: class index per tile of the hand. melds: kind and tile indices of each meld; None as a kind
    for tiles that lie as a group but are none. win: whether the names make a finished hand.
    weight: natural log, comparable among hypotheses of one picture. told: the flowers' names.
    """

    arrangement: Arrangement
    names: Mapping[int, int]
    melds: tuple[tuple[Group, tuple[int, ...]], ...]
    win: bool
    weight: float
    told: FlowerNames

    def chance(self, index: int, name: int) -> float | None:
        """Probability that a tile has a name, given this hypothesis; None where it has no say in that."""
        if index in self.told.chances:
            return self.told.chances[index].get(name, 0.0)
        if self.win and index in self.names:
            return float(self.names[index] == name)
        return None

    @property
    def contested(self) -> frozenset[int]:
        """Flower tiles that were taken for the same flower."""
        return self.told.contested

    @property
    def concealed(self) -> tuple[int, ...]:
        """Indices of the concealed tiles, without one set apart as the winning tile."""
        return self.arrangement.indices(PieceKind.CONCEALED)

    @property
    def winning(self) -> int | None:
        """Index of the tile set apart as the winning one."""
        apart = self.arrangement.indices(PieceKind.WINNING)
        return apart[0] if apart else None

    @property
    def flowers(self) -> tuple[int, ...]:
        """Indices of the flower tiles."""
        return self.arrangement.indices(PieceKind.FLOWER)


def hypotheses(arrangement: Arrangement, naming: Naming) -> list[Hypothesis]:
    """Everything one arrangement can be: its legal hands, likeliest first, then "no win"."""
    logs = naming.logs
    standing = arrangement.indices(PieceKind.CONCEALED, PieceKind.WINNING)
    melds = tuple(piece.all_indices for piece in arrangement.melds)
    best = [naming.group(indices) for indices in melds]
    cost = sum(group.cost for group in best)
    # The arrangement's score judged its melds by their likeliest faces; here faces are weighed anew.
    # Which flower each one is says nothing of how the hand lies, but a hand has none twice: one of two
    # runs with the same flower may be another's, while one run with it twice is read wrong.
    flowers = naming.flowers(arrangement.indices(PieceKind.FLOWER))
    base = arrangement.score - cost + flowers.different
    base -= sum(
        naming.flowers(piece.indices).different
        for piece in arrangement.pieces
        if piece.kind is PieceKind.FLOWER
    )
    found: list[Hypothesis] = []
    mass = 0.0
    if arrangement.size == 14:
        for names, chosen, weight in naming.legal(standing, melds):
            laid = tuple(zip(chosen, melds, strict=True))
            names = {**names, **flowers.names}
            found.append(Hypothesis(arrangement, names, laid, True, base + weight, flowers))
            mass += math.exp(weight)
    read = {i: int(logs[i].argmax()) for i in standing}
    for group, indices in zip(best, melds, strict=True):
        read.update(zip(indices, group.names, strict=True))
    found.append(
        Hypothesis(
            arrangement,
            {**read, **flowers.names},
            tuple(zip(best, melds, strict=True)),
            False,
            base + cost + NO_WIN + math.log(max(1.0 - min(mass, 1.0), 1e-6)),
            flowers,
        )
    )
    return found
