"""Rendered scenes: the same seed the same picture, honest labels, splits apart."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import get_args

import cv2
import numpy as np
import pytest
from fanlens.datasets.scenes import Designs, Scene, Split, held_out, held_out_sets, render, write_scene
from fanlens.datasets.scenes.appearance import BACK_HUES, random_shape
from fanlens.datasets.scenes.compositions import KINDS, MIXTURE, Kind, compose
from fanlens.datasets.scenes.export import CLASSES, yolo_lines
from fanlens.datasets.scenes.font_sets import FONT_SETS
from fanlens.datasets.scenes.geometry import overlapping
from fanlens.datasets.scenes.render import VIEWS
from fanlens.datasets.scenes.surfaces import SURFACES
from fanlens.datasets.scenes.varied import VARIED_SETS, bent, lent_flowers, varied_set
from fanlens.scoring import FLOWERS
from fanlens.vision.boxes import TILE_CLASSES

DESIGNS = Designs()
SIZE = (480, 360)


def scene(seed: int, kind: Kind = "mixed") -> Scene:
    return render(seed, DESIGNS, kind=kind, size=SIZE, design="own")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_picture_and_labels(kind: Kind) -> None:
    first, second = scene(11, kind), scene(11, kind)
    assert np.array_equal(first.picture, second.picture)
    assert first.to_json() == second.to_json()
    assert first.picture.shape == (360, 480, 3)
    assert not np.array_equal(first.picture, scene(12, kind).picture)


@pytest.mark.parametrize("seed", range(12))
def test_labels_lie_inside_the_picture_and_name_what_shows(seed: int) -> None:
    result = scene(seed)
    for tile in result.tiles:
        x0, y0, x1, y1 = tile.box
        assert 0 <= x0 < x1 <= 480
        assert 0 <= y0 < y1 <= 360
        assert tile.tile in (tile.printed, "back")
        assert tile.printed in TILE_CLASSES[:42]
        assert tile.up is None if tile.tile == "back" else tile.up is not None
        assert 0.4 <= tile.visible <= 1
        if tile.meld is not None:
            assert tile.meld < len(result.melds)
    for meld in result.melds:
        assert len(meld.tiles) in (3, 4)
        boxes = np.array([result.tiles[i].box for i in meld.tiles])
        assert meld.box == (*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0))
    for line in yolo_lines(result):
        number, *values = line.split()
        assert int(number) < len(CLASSES) == 44
        assert all(0 <= float(value) <= 1 for value in values)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_no_two_tiles_share_space(kind: Kind, seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = compose(kind, random_shape(rng), rng).table.boxes
    for i, box in enumerate(boxes):
        assert not overlapping(box, boxes[i + 1 :], slack=0.03).any()


@pytest.mark.parametrize("seed", range(20, 32))
def test_a_wholly_visible_hand_is_labelled_tile_by_tile(seed: int) -> None:
    result = scene(seed, "hand")
    assert result.hand is not None
    mine = [tile for tile in result.tiles if tile.hand]
    if not result.all_visible:
        return
    assert Counter(t.printed for t in mine if t.role == "concealed") == Counter(result.hand["concealed"])
    assert [t.printed for t in mine if t.role == "winning"] == (
        [result.hand["winning_tile"]] if result.hand["winning_tile"] else []
    )
    assert Counter(t.printed for t in mine if t.role == "flower") == Counter(result.hand["flowers"])
    kinds = [meld["kind"] for meld in result.hand["melds"]]
    assert [meld.kind for meld in result.melds if meld.hand] == kinds


def test_a_level_tile_seen_from_above_points_up_where_its_face_does() -> None:
    for seed in range(6):
        for tile in scene(seed, "tiles").tiles:
            if tile.up is None:
                continue
            (left, top), (right, _), _, (_, bottom) = (
                tile.corners[0],
                tile.corners[1],
                tile.corners[2],
                tile.corners[3],
            )
            if tile.up < 20 or tile.up > 340:
                assert top < bottom
                assert left < right


@pytest.mark.parametrize(("split", "unseen"), list(combinations(get_args(Split), 2)))
def test_the_splits_share_no_tile_set_surface_or_back(split: Split, unseen: Split) -> None:
    assert not set(DESIGNS.names(split)) & set(DESIGNS.names(unseen))
    assert not set(SURFACES[split]) & set(SURFACES[unseen])
    # Hues go round: 1.02 is 0.02. Training has brown backs too, 0.06 to 0.12.
    brown = [(0.06, 0.12), (0.0, 0.02)] if split == "train" else []
    for low, high in (*BACK_HUES[split], *brown):
        assert all(high <= other_low or other_high <= low for other_low, other_high in BACK_HUES[unseen])


@pytest.mark.parametrize("unseen", ["development", "held-out"])
def test_training_has_fonts_and_lenses_of_its_own(unseen: Split) -> None:
    varied = {varied_set(number).font for number in range(VARIED_SETS)}
    assert len(varied) > 20
    trained = varied | {font_set.font for font_set in FONT_SETS if font_set.split == "train"}
    assert not trained & {font_set.font for font_set in FONT_SETS if font_set.split == unseen}
    for low, high in VIEWS["train"].fields:
        assert all(high <= other_low or other_high <= low for other_low, other_high in VIEWS[unseen].fields)


def test_varied_sets_differ_and_stay_what_they_are() -> None:
    styles = [varied_set(number).style for number in range(VARIED_SETS)]
    assert len(set(styles)) == VARIED_SETS
    assert styles == [varied_set(number).style for number in range(VARIED_SETS)]


def test_bending_moves_a_face_but_keeps_its_colour() -> None:
    face = np.zeros((256, 192, 4), np.uint8)
    face[100:150, 60:130] = (180, 20, 40, 255)
    (once, again, other) = (bent({"C": face}, number)["C"] for number in (4, 4, 5))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)
    assert once.shape == face.shape
    assert 0.7 < (once[..., 3] > 127).sum() / (50 * 70) < 1.3
    assert np.abs(once[once[..., 3] > 250][:, :3].astype(int) - (180, 20, 40)).max() <= 1


def test_lent_flowers_are_those_of_the_lenders_in_any_mixture() -> None:
    lenders = [{tile: np.full((4, 3, 4), shade, np.uint8) for tile in TILE_CLASSES} for shade in (10, 200)]
    lent = [lent_flowers(lenders, number) for number in range(200)]
    with_any = [flowers for flowers in lent if flowers]
    assert 50 < len(with_any) < 110  # two sets of five
    shades = Counter()
    for flowers in with_any:
        assert set(flowers) == set(FLOWERS)
        shades[tuple(int(flowers[tile][0, 0, 0]) for tile in FLOWERS)] += 1
    assert len(shades) > 40  # of 256 mixtures
    assert {shade for mixture in shades for shade in mixture} == {10, 200}
    assert lent_flowers([], 3) == {}
    assert all(np.array_equal(lent[7].get(tile), lent_flowers(lenders, 7).get(tile)) for tile in FLOWERS)


def test_held_out_seeds_are_listed_once() -> None:
    seeds = [order.seed for name in held_out_sets() for order in held_out(name)]
    assert len(seeds) == len(set(seeds)) == 520
    assert len(list(held_out("hands"))) == 300
    orders = list(held_out("12-megapixel"))
    assert len(orders) == 100
    assert all(width * height == 12_000_000 for width, height in (order.size for order in orders))


def test_the_mixture_is_complete() -> None:
    assert set(MIXTURE) == set(KINDS) - {"mixed"}
    assert sum(MIXTURE.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "chess"}, "no kind of scene"),
        ({"split": "test"}, "no split"),
        ({"design": "x"}, "no design"),
    ],
)
def test_unknown_names_are_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        render(1, DESIGNS, **change)  # type: ignore[arg-type]


def test_a_split_without_tile_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no tile set for split held-out"):
        render(1, Designs(fonts=tmp_path), split="held-out")


def test_written_scenes_are_a_yolo_data_set(tmp_path: Path) -> None:
    result = scene(3, "melds")
    path = write_scene(result, tmp_path, "a")
    assert path == tmp_path / "images" / "a.jpg"
    assert cv2.imread(str(path)).shape == (360, 480, 3)
    lines = (tmp_path / "labels" / "a.txt").read_text().splitlines()
    assert len(lines) == len(result.tiles) + len(result.melds)
    assert sum(line.startswith("43 ") for line in lines) == len(result.melds) > 0
    assert (tmp_path / "json" / "a.json").is_file()
