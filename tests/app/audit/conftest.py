"""Hands as the watch leaves them, made from hand text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from fanlens.app.audit.found import FRAMES, Found
from fanlens.scoring import Hand, parse_hand
from fanlens.vision.boxes import TILE_CLASSES, MeldBox, TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting

Finds = Callable[..., Found]


def tile_box(name: str, x: float, y: float, doubt: tuple[str, float] | None = None) -> TileBox:
    """A tile read with certainty, or with a doubt: another name and its probability."""
    probabilities = np.full(43, 0.0002, dtype=np.float32)
    probabilities[TILE_CLASSES.index(name)] = 0.99
    if doubt is not None:
        probabilities[TILE_CLASSES.index(name)] = 0.99 - doubt[1]
        probabilities[TILE_CLASSES.index(doubt[0])] = doubt[1]
    corners = np.array([[x, y], [x + 40, y], [x + 40, y + 54], [x, y + 54]], dtype=np.float32)
    return TileBox((x, y, x + 40.0, y + 54.0), probabilities, 0.99, corners, 0.0, 0.99)


def sighting_of(hand: Hand, doubts: dict[int, tuple[str, float]]) -> Sighting:
    """The hand's tiles laid out: concealed and winning tile in a row, melds behind them, flowers in front."""
    tiles, melds = [], []
    standing = [*hand.concealed, *([hand.winning_tile] if hand.winning_tile else [])]
    for number, name in enumerate(standing):
        tiles.append(tile_box(name, 60 + 41 * number, 300, doubts.get(number)))
    x = 60.0
    for meld in hand.melds:
        begin = x
        for name in meld.tiles:
            tiles.append(tile_box(name, x, 200))
            x += 41
        melds.append(MeldBox((begin, 200.0, x, 254.0), 0.95))
        x += 30
    for number, name in enumerate(hand.flowers):
        tiles.append(tile_box(name, 60 + 41 * number, 420))
    return Sighting(ImageInfo(None, 800, 600), ModelInfo("test", "0" * 64), tuple(tiles), tuple(melds))


@pytest.fixture
def find(tmp_path: Path) -> Finds:
    """A hand found at some second; the last tile of the text came last, unless `last` is False."""

    def make(
        text: str,
        start: float = 10.0,
        *,
        number: int = 1,
        doubts: dict[int, tuple[str, float]] | None = None,
        last: bool = True,
    ) -> Found:
        hand = parse_hand(text)
        standing = len(hand.concealed) + (hand.winning_tile is not None)
        name = f"{FRAMES}/hand-{number:03d}.jpg"
        (tmp_path / FRAMES).mkdir(exist_ok=True)
        picture = np.full((600, 800, 3), (60, 110, 40), dtype=np.uint8)
        cv2.imwrite(str(tmp_path / name), picture)
        return Found(
            part=0,
            start=start,
            end=start + 8,
            seconds=start + 1.5,
            frame=round((start + 1.5) * 30),
            to_the_last=False,
            sighting=sighting_of(hand, doubts or {}),
            last=standing - 1 if last else None,
            looks=3,
            picture=name,
            sha256=f"{number:064d}",
        )

    return make
