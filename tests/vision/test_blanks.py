"""More white dragons than a set has: which of them are backs."""

from __future__ import annotations

import numpy as np
from fanlens.vision.blanks import without_surplus_blanks
from fanlens.vision.boxes import TILE_CLASSES, TileBox


def tile(**probabilities: float) -> TileBox:
    """A tile somewhere, with the probabilities of some names."""
    vector = np.zeros(len(TILE_CLASSES), np.float32)
    for name, value in probabilities.items():
        vector[TILE_CLASSES.index(name)] = value
    return TileBox((0, 0, 30, 40), vector, 1.0, np.zeros((4, 2), np.float32))


def names(*tiles: TileBox) -> list[str]:
    return [tile.best for tile in without_surplus_blanks(tiles)]


DOUBTFUL = tile(P=0.7, back=0.3)
CLEAR = tile(P=0.99, back=0.002)


def test_four_doubtful_dragons_may_be_dragons() -> None:
    assert names(*[DOUBTFUL] * 4) == ["P"] * 4


def test_of_five_doubtful_ones_none_is() -> None:
    assert names(*[DOUBTFUL] * 5) == ["back"] * 5


def test_those_that_stand_out_stay_dragons() -> None:
    # ln(0.99 / 0.002) is 6.2, ln(0.7 / 0.3) is 0.8.
    assert names(DOUBTFUL, CLEAR, DOUBTFUL, CLEAR, DOUBTFUL) == ["back", "P", "back", "P", "back"]


def test_clear_dragons_of_two_sets_stay() -> None:
    assert names(*[CLEAR] * 8) == ["P"] * 8


def test_a_turned_tile_keeps_the_rest_of_its_vector() -> None:
    given = tile(P=0.6, back=0.25, E=0.1)
    turned = without_surplus_blanks([given, *[DOUBTFUL] * 4])[0]
    shares = {name: float(turned.probabilities[TILE_CLASSES.index(name)]) for name in ("P", "back", "E")}
    assert {name: round(share, 3) for name, share in shares.items()} == {"P": 0.25, "back": 0.6, "E": 0.1}
    assert given.best == "P"  # the given tile is left as it was


def test_other_tiles_are_left_alone() -> None:
    bird = tile(**{"1s": 0.9, "P": 0.05})
    assert names(bird, *[DOUBTFUL] * 5) == ["1s", *["back"] * 5]
