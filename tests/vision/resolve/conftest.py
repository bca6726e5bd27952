"""One level row of boxes with the probabilities a test gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting

Tiles = Sequence[str | Mapping[str, float]]


def look(*rows: Tiles | str, sure: float = 0.995) -> Sighting:
    """Rows of touching tiles, the first one nearest; a tile is a name or its probabilities by name."""
    boxes: list[TileBox] = []
    for number, row in enumerate(rows):
        names = row.split() if isinstance(row, str) else row
        for place, name in enumerate(names):
            rest = (1 - sure) / (len(TILE_CLASSES) - 1)
            probabilities = np.full(len(TILE_CLASSES), rest, dtype=np.float32)
            if isinstance(name, str):
                probabilities[TILE_CLASSES.index(name)] = sure
            else:
                probabilities[:] = 1e-6
                for other, probability in name.items():
                    probabilities[TILE_CLASSES.index(other)] = probability
            x0, y0 = 50.0 + 40 * place, 600.0 - 90 * number
            box = (x0, y0, x0 + 40, y0 + 54)
            corners = np.array([[x0, y0], [x0 + 40, y0], [x0 + 40, y0 + 54], [x0, y0 + 54]], dtype=np.float32)
            boxes.append(TileBox(box, probabilities, 0.99, corners))
    return Sighting(ImageInfo("row.jpg", 1280, 960), ModelInfo("test", "0" * 64), tuple(boxes))


@pytest.fixture(name="look")
def look_fixture() -> Callable[..., Sighting]:
    """See `look`."""
    return look
