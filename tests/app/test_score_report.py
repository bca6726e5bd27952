"""What a person reads of a photo on the terminal."""

from __future__ import annotations

import io

import pytest
from fanlens.app.score_report import print_reading
from fanlens.vision.boxes import TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting
from fanlens.vision.resolve import read_hand
from rich.console import Console

from .audit.conftest import tile_box


def row(names: str, y: float) -> list[TileBox]:
    """Touching tiles, read with certainty."""
    return [tile_box(name, 60 + 41 * place, y) for place, name in enumerate(names.split())]


def told(*rows: list[TileBox]) -> list[str]:
    """The lines about what is doubtful."""
    tiles = tuple(tile for each in rows for tile in each)
    reading = read_hand(Sighting(ImageInfo(None, 800, 600), ModelInfo("test", "0" * 64), tiles))
    out = io.StringIO()
    print_reading(reading, "hand.jpg", None, console=Console(file=out, highlight=False, soft_wrap=True))
    return [line.strip() for line in out.getvalue().splitlines() if "--corrections" in line]


@pytest.mark.parametrize(
    ("kong", "words"),
    [
        ("3s 3s 3s 3s", "tiles 11, 12, 13, 14, 3333s: a melded kong is assumed; settle its kind"),
        ("back 3s 3s", "tiles 11, 12, 13, 3333s: taken for a kong of which a tile was not found; settle it"),
        ("back 3s 3s back", None),
    ],
)
def test_a_doubtful_kong_is_told_in_one_line(kong: str, words: str | None) -> None:
    lines = told(row("4p 5p 6p 7s 8s 9s 1m 2m 3m E E", 300), row(kong, 200))
    assert lines == ([] if words is None else [f"{words} with --corrections"])
