"""Our own tile faces: complete, self-contained, told apart when small."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cv2
import numpy as np
import pytest
import resvg_py
from fanlens.datasets import faces
from fanlens.datasets.faces.drawing import DOTS, STICKS
from fanlens.datasets.faces.garden import garden, planted
from fanlens.scoring import FLOWERS
from fanlens.vision.boxes import TILE_CLASSES
from numpy.typing import NDArray

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "g", "path", "circle", "rect", "ellipse"}


def raster(tile: str, width: int) -> NDArray[np.float64]:
    """The face on ivory as the page shows it, shape (height, width, 3)."""
    png = bytes(
        resvg_py.svg_to_bytes(
            svg_string=faces.svg(tile), width=width, height=width * 4 // 3, skip_system_fonts=True
        )
    )
    rgba = cv2.imdecode(np.frombuffer(png, dtype=np.uint8), cv2.IMREAD_UNCHANGED).astype(np.float64)
    opacity = rgba[:, :, 3:] / 255
    return rgba[:, :, :3] * opacity + np.array([225, 240, 245]) * (1 - opacity)


def test_there_is_a_face_for_every_tile_and_no_other_file() -> None:
    folder = Path(faces.__file__).parent / "art"
    assert sorted(path.stem for path in folder.glob("*.svg")) == sorted(TILE_CLASSES)
    assert faces.FACES == TILE_CLASSES


@pytest.mark.parametrize("tile", TILE_CLASSES)
def test_a_face_is_plain_drawing_without_fonts_or_references(tile: str) -> None:
    root = ElementTree.fromstring(faces.svg(tile))
    assert root.get("viewBox") == "0 0 300 400"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= DRAWN
    for element in root.iter():
        assert not [name for name in element.attrib if "href" in name or name in ("style", "font-family")]
        assert not [value for value in element.attrib.values() if "url(" in value]


def test_an_unknown_tile_is_refused() -> None:
    with pytest.raises(KeyError, match="no tile"):
        faces.svg("0m")


def test_faces_differ_at_32_pixels() -> None:
    small = {tile: raster(tile, 32) for tile in TILE_CLASSES}
    for one, other in itertools.combinations(TILE_CLASSES, 2):
        changed = np.abs(small[one] - small[other]).max(axis=2) > 60
        assert changed.mean() > 0.02, f"{one} and {other} look alike"


@pytest.mark.parametrize("rank", range(2, 10))
def test_dots_and_bamboos_are_as_many_as_their_rank(rank: int) -> None:
    assert len(DOTS[rank][0]) == rank
    assert len(STICKS[rank][0]) == rank


@pytest.mark.parametrize("seed", range(0, 300, 11))
def test_letters_of_a_garden_lie_on_the_face_and_apart(seed: int) -> None:
    plan = garden(seed)
    for x0, y0, x1, y1 in (plan.name, plan.number, plan.picture):
        assert 0 < x0 < x1 < 300
        assert 0 < y0 < y1 < 400
    beside = plan.name[2] <= plan.number[0] or plan.number[2] <= plan.name[0]
    below = plan.number[3] <= plan.name[1]
    assert beside or below


def test_a_garden_is_planted_anew_for_each_flower_and_set() -> None:
    box, inks = (30.0, 90.0, 270.0, 380.0), ("#111111", "#aa1111", "#11aa11", "#1111aa")
    pictures = {
        (seed, tile): "".join(planted(seed, tile, box, inks)) for seed in range(9) for tile in FLOWERS
    }
    assert len(set(pictures.values())) == len(pictures)
    assert pictures[4, "plum"] == "".join(planted(4, "plum", box, inks))
    for picture in pictures.values():
        root = ElementTree.fromstring(f"<g>{picture}</g>")
        assert {element.tag for element in root.iter()} <= DRAWN
