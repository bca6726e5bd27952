"""Kongs with tiles face down of which one looks like a white dragon."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.layout.groups import best_group

BACK, DRAGON = TILE_CLASSES.index("back"), TILE_CLASSES.index("P")


def logs(*dragons: float) -> np.ndarray:
    """Log probabilities of tiles that are a white dragon with these probabilities, backs else."""
    vectors = np.full((len(dragons), len(TILE_CLASSES)), 1e-5)
    vectors[:, DRAGON], vectors[:, BACK] = dragons, [1 - share for share in dragons]
    return np.log(np.maximum(vectors, 1e-5))


@pytest.mark.parametrize(
    ("dragons", "names"),
    [
        # 0.3 for a back is more than e^-3 of 0.7 for the one kind of 34.
        ((0.1, 0.7, 0.1, 0.1), (BACK, BACK, BACK, BACK)),
        # Two that are dragons for certain stay, face up at both ends of two backs.
        ((0.999, 0.01, 0.01, 0.999), (DRAGON, BACK, BACK, DRAGON)),
        # 0.02 is less than e^-3 = 0.05 of 0.98.
        ((0.01, 0.98, 0.01, 0.01), (BACK, DRAGON, BACK, BACK)),
    ],
)
def test_four_down_rather_than_a_doubtful_dragon(dragons: tuple[float, ...], names: tuple[int, ...]) -> None:
    group = best_group(logs(*dragons))
    assert group is not None
    assert (group.kind, group.names, group.backs) == ("kong", names, names.count(BACK))


def test_four_that_look_like_dragons_are_dragons() -> None:
    group = best_group(logs(0.7, 0.7, 0.7, 0.7))
    assert group is not None
    assert (group.names, group.backs) == ((DRAGON,) * 4, 0)
