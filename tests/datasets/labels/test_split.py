"""Near-duplicates and splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fanlens.datasets.labels.dataset import make_dataset
from fanlens.datasets.labels.duplicates import near_duplicates, perceptual_hash
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.run import ExportSettings, label_pictures
from fanlens.datasets.labels.splits import SplitError, assign_parts, parse_shares
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageEnhance

from .conftest import MODEL, open_fake, save_picture


def hashed(image: Image.Image) -> str:
    return perceptual_hash(np.asarray(image.convert("RGB")))


@pytest.fixture
def picture(tmp_path: Path) -> Image.Image:
    return Image.open(save_picture(tmp_path / "one.png", 5, size=(640, 480))).convert("RGB")


def apart(one: str, other: str) -> int:
    return (int(one, 16) ^ int(other, 16)).bit_count()


def test_a_picture_saved_again_smaller_or_brighter_is_near(picture: Image.Image, tmp_path: Path) -> None:
    picture.save(tmp_path / "again.jpg", quality=40)
    copies = [
        Image.open(tmp_path / "again.jpg"),
        picture.resize((200, 150)),
        ImageEnhance.Brightness(picture).enhance(0.8),
        picture.crop((6, 4, 636, 476)),
    ]
    assert all(apart(hashed(picture), hashed(copy)) <= 8 for copy in copies)


def test_other_pictures_are_far(tmp_path: Path) -> None:
    hashes = [hashed(Image.open(save_picture(tmp_path / f"{seed}.png", seed))) for seed in range(1, 30)]
    assert min(apart(one, other) for one in hashes for other in hashes if one != other) > 8


def test_nearness_is_chained() -> None:
    codes = {"a": 0, "b": 0x3F, "c": 0xFFF, "d": 0xFFFFFFFFFFFFFFFF}
    assert near_duplicates({name: f"{code:016x}" for name, code in codes.items()}) == [["a", "b", "c"], ["d"]]
    assert near_duplicates({}) == []


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("80,20", {"train": 0.8, "val": 0.2}),
        ("0.8/0.1/0.1", {"train": 0.8, "val": 0.1, "test": 0.1}),
        ("train=3,test=1", {"train": 0.75, "test": 0.25}),
        ("70%,30%", {"train": 0.7, "val": 0.3}),
    ],
)
def test_shares(text: str, shares: dict[str, float]) -> None:
    assert parse_shares(text) == pytest.approx(shares)


@pytest.mark.parametrize("text", ["", "80", "80,-20", "a,b", "1,2,3,4", "0,0", "val=1,val=2", "dev=1,val=2"])
def test_what_is_no_split(text: str) -> None:
    with pytest.raises(SplitError, match="is no split"):
        parse_shares(text)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(0, 5))
def test_groups_stay_together_and_shares_are_met_within_a_group(sizes: list[int], seed: int) -> None:
    groups = [[f"{number}-{index}" for index in range(size)] for number, size in enumerate(sizes)]
    parts = assign_parts(groups, {"train": 0.7, "val": 0.3}, seed)
    assert len(parts) == sum(sizes)
    assert all(len({parts[name] for name in group}) == 1 for group in groups)
    assert abs(list(parts.values()).count("train") - 0.7 * sum(sizes)) <= max(sizes)
    assert parts == assign_parts(list(reversed(groups)), {"train": 0.7, "val": 0.3}, seed)


def test_the_seed_draws_the_split() -> None:
    groups = [[str(number)] for number in range(40)]
    drawn = [assign_parts(groups, {"train": 0.5, "val": 0.5}, seed) for seed in range(3)]
    assert drawn[0] != drawn[1] != drawn[2]


def test_a_burst_lies_on_one_side(tmp_path: Path) -> None:
    root = tmp_path / "photos"
    for seed in range(1, 11):
        image = Image.open(save_picture(root / f"{seed}-0.png", seed, size=(320, 240)))
        for shot in (1, 2):
            image.resize((320 + shot * 16, 240 + shot * 12)).save(root / f"{seed}-{shot}.jpg", quality=70)
    settings = ExportSettings((), shares={"train": 0.6, "val": 0.4})
    label_pictures(gather([str(root)]), tmp_path / "out", MODEL, open_fake, settings)
    from fanlens.datasets.labels.results import Results

    results = Results.load(tmp_path / "out" / "results.json")
    dataset = make_dataset(results, tmp_path / "out", shares={"train": 0.6, "val": 0.4})
    side = {}
    for labelled in dataset:
        side.setdefault(labelled.path.split("-")[0], set()).add(labelled.part)
    assert all(len(parts) == 1 for parts in side.values())
    assert sorted(part for (part,) in side.values()).count("train") == 6
