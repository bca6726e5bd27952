"""Whether a tile lies where it was seen, told from small grey pictures."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.vision.video.motion import IDENTITY, Glance
from fanlens.vision.video.presence import Likeness

BOX = (100.0, 60.0, 116.0, 82.0)
LIGHT = 170


def glance(patch: np.ndarray | float, *, noise: int = 0) -> Glance:
    """A dark table with one patch of 22 by 16 pixels on it."""
    grey = np.full((120, 240), 60, dtype=np.int16)
    grey[60:82, 100:116] = patch
    grey += np.random.default_rng(noise).integers(-3, 4, grey.shape, dtype=np.int16)
    cells = np.zeros((8, 15), dtype=np.bool_)
    return Glance(noise, noise / 8, grey.astype(np.uint8), 1.0, IDENTITY, cells, 1.0)


def sticks(level: float) -> np.ndarray:
    """A pale figure on a tile: 13 grey levels either way, in bars of four pixels."""
    bars = np.where(np.arange(22) // 4 % 2 == 0, 13.0, -13.0)
    return np.repeat(level + bars[:, None], 16, axis=1)


@pytest.mark.parametrize(
    ("other", "lies"),
    [
        (sticks(LIGHT), True),
        (sticks(LIGHT + 6), True),
        (float(LIGHT), False),
        (255.0 + LIGHT - sticks(255.0), False),
        (90.0, False),
    ],
    ids=["the same", "in other light", "a bare table as light", "another figure", "a bare table"],
)
def test_a_tile_is_known_by_its_figure(other: np.ndarray | float, lies: bool) -> None:
    likeness = Likeness(glance(sticks(LIGHT)), [BOX])
    assert likeness.seen(glance(other, noise=1), IDENTITY).tolist() == [lies]


@pytest.mark.parametrize(("level", "lies"), [(LIGHT, True), (LIGHT - 40, False)])
def test_a_blank_tile_is_known_by_its_light(level: float, lies: bool) -> None:
    likeness = Likeness(glance(float(LIGHT)), [BOX])
    assert likeness.seen(glance(level, noise=1), IDENTITY).tolist() == [lies]
