"""Mended labels: applied to a made-up folder and, where the photos are at hand, to the real ones."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest
from fanlens.datasets.real import CorrectionError, Label, RealPhoto, apply_changes, read_photos
from fanlens.datasets.real.mending import FOLDER, KINDS, load_corrections
from fanlens.datasets.real.photos import HERE
from fanlens.datasets.real.prepare import prepare
from PIL import Image

SHARED = Path(os.environ.get("FANLENS_SHARED", Path(__file__).resolve().parents[4] / "shared"))
PARTS = ("train", "val", "hands")

LABELS = (
    Label(0, "1m", (10.0, 10.0, 20.0, 25.0)),
    Label(1, "2m", (20.0, 10.0, 30.0, 25.0)),
    Label(2, "4m", (30.0, 10.0, 40.0, 25.0)),
    Label(3, "plum", (40.0, 2.0, 50.0, 12.0)),
)


@cache
def photos_of(part: str, *, corrected: bool = True) -> list[RealPhoto]:
    folder = SHARED / ("hands" if part == "hands" else "photos")
    if not folder.is_dir():
        pytest.skip(f"the photos are not at hand ({folder})")
    return read_photos(folder, part, corrected=corrected)


def entry(*changes: dict[str, object], **more: object) -> dict[str, object]:
    return {"boxes": 4, "changes": list(changes), **more}


def test_changes_are_applied_and_numbers_stay() -> None:
    corrected = apply_changes(
        "a",
        LABELS,
        entry(
            {"do": "reclass", "box": 2, "tile": "4m", "to": "3m", "why": "misnamed"},
            {"do": "move", "box": 3, "tile": "plum", "to": [40, 10, 50, 25], "why": "wrong side"},
            {"do": "remove", "box": 0, "tile": "1m", "why": "not a tile"},
            {"do": "add", "tile": "1m", "at": [11, 10, 20, 25], "why": "missing"},
            {"do": "ignore", "at": [0, 0, 64, 8], "why": "pond"},
            melds=[[4, 1, 2]],
            unlabelled=["back"],
        ),
    )
    assert [(label.number, label.tile) for label in corrected.labels] == [
        (1, "2m"),
        (2, "3m"),
        (3, "plum"),
        (4, "1m"),
    ]
    assert corrected.labels[2].box == (40.0, 10.0, 50.0, 25.0)
    assert corrected.meld_boxes() == ((11.0, 10.0, 40.0, 25.0),)
    assert corrected.ignore == ((0.0, 0.0, 64.0, 8.0),)
    assert corrected.complete == {"tiles", "meld"}
    assert corrected.left_out is None


def test_refit_gives_every_box_anew() -> None:
    boxes = [[i, i, i + 5, i + 9] for i in range(4)]
    corrected = apply_changes("a", LABELS, entry({"do": "refit", "to": boxes, "why": "drawn around glyphs"}))
    assert [label.box for label in corrected.labels] == [(i, i, i + 5, i + 9) for i in range(4)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"boxes": 5}, "a: the corrections are for 5 boxes, the label file has 4."),
        (entry({"do": "remove", "box": 9, "tile": "1m"}), "a: there is no box 9 to remove."),
        (entry({"do": "remove", "box": 0, "tile": "9m"}), "a: box 0 is 1m, not 9m."),
        (entry({"do": "reclass", "box": 0, "tile": "1m", "to": "10m"}), "a: '10m' is no tile."),
        (entry({"do": "add", "tile": "1m", "at": [5, 5, 5, 9]}), r"a: \[5, 5, 5, 9\] is no box."),
        (entry({"do": "polish", "box": 0, "tile": "1m"}), "a: unknown kind of change 'polish'."),
        (entry(melds=[[0, 1]]), "a: a meld is 3 or 4 tiles, and no tile is in two."),
        (entry(melds=[[0, 1, 7]]), "a: there is no box 7 for a meld."),
    ],
)
def test_corrections_for_another_file_are_refused(bad: dict[str, object], message: str) -> None:
    with pytest.raises(CorrectionError, match=message):
        apply_changes("a", LABELS, bad)


def own_photos(folder: Path) -> None:
    """Two 100x50 pictures: one with two tiles and a meld of three more, one without a tile."""
    for kind in ("images", "labels"):
        (folder / "train" / kind).mkdir(parents=True)
    (folder / "classes.yaml").write_text("names:\n  0: back\n  1: 1s\n  2: meld\n", encoding="utf-8")
    for name in ("tisch-ä", "leer"):
        Image.new("RGB", (100, 50)).save(folder / "train" / "images" / f"{name}.jpg")
    rows = ["0 0.05 0.5 0.06 0.4", *(f"1 {x} 0.5 0.08 0.4" for x in (0.5, 0.6, 0.7)), "2 0.6 0.5 0.28 0.4"]
    (folder / "train" / "labels" / "tisch-ä.txt").write_text("\n".join(rows), encoding="utf-8")
    (folder / "train" / "labels" / "leer.txt").write_text("", encoding="utf-8")


def test_own_photos_are_prepared(tmp_path: Path) -> None:
    own_photos(tmp_path / "mine")
    assert prepare(tmp_path / "mine", tmp_path / "out") == {"train": 2}
    lines = (tmp_path / "out/train/labels/tisch-ä.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "42 0.050000 0.500000 0.060000 0.400000"
    assert lines[1] == "18 0.500000 0.500000 0.080000 0.400000"
    assert lines[-1] == "43 0.600000 0.500000 0.280000 0.400000"
    assert (tmp_path / "out/train/labels/leer.txt").read_text(encoding="utf-8") == ""
    assert Image.open(tmp_path / "out/train/images/tisch-ä.jpg").size == (100, 50)
    about = json.loads((tmp_path / "out/train/pictures.json").read_text(encoding="utf-8"))["tisch-ä"]
    assert about == {
        "source": "",
        "group": "tisch-ä",
        "fold": "train",
        "complete": list(KINDS),
        "ignore": [],
    }
    yaml = (tmp_path / "out/data.yaml").read_text(encoding="utf-8")
    assert "  42: back\n  43: meld\n" in yaml
    assert "train: train/images\nval: train/images\n" in yaml


def test_preparing_twice_gives_the_same(tmp_path: Path) -> None:
    own_photos(tmp_path / "mine")
    prepare(tmp_path / "mine", tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    prepare(tmp_path / "mine", tmp_path / "out")
    assert before == {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}


def test_bad_label_files_are_named(tmp_path: Path) -> None:
    own_photos(tmp_path)
    label = tmp_path / "train" / "labels" / "leer.txt"
    label.write_text("0 0.5 0.5 0.1 0.1\n7 0.5 0.5 0.1 0.1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"leer\.txt: line 2 is no label"):
        read_photos(tmp_path, "train")
    label.unlink()
    with pytest.raises(ValueError, match=r"leer\.txt: there is no label file"):
        read_photos(tmp_path, "train")


def test_a_folder_without_pictures_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no images folder for the part train"):
        read_photos(tmp_path, "train")


@pytest.mark.parametrize("path", sorted([*FOLDER.glob("*.json"), *(HERE / "roles").glob("*.json")]), ids=str)
def test_every_label_file_credits_its_source(path: Path) -> None:
    credit = " ".join(json.loads(path.read_text(encoding="utf-8"))["credit"])
    for word in ("CC BY 4.0", "changed", "universe.roboflow.com"):
        assert word in credit


@pytest.mark.parametrize("part", PARTS)
def test_every_change_says_why(part: str) -> None:
    for name, entry_ in load_corrections(part).items():
        for change in entry_.get("changes", ()):
            assert change["why"], name


def test_folds_are_sessions_of_train_only() -> None:
    folds = json.loads((HERE / "folds.json").read_text(encoding="utf-8"))
    groups = {photo.group for photo in photos_of("train")}
    assert {*folds["left_out_sessions"], *folds["left_out_source_D"]} <= groups
    assert not groups & {photo.group for photo in photos_of("val")}


@pytest.mark.parametrize("part", PARTS)
def test_corrections_fit_the_photos(part: str) -> None:
    photos = photos_of(part)
    assert set(load_corrections(part)) <= {photo.name for photo in photos}
    for photo in photos:
        width, height = photo.size
        boxes = [label.box for label in photo.corrected.labels] + list(photo.corrected.ignore)
        for x0, y0, x1, y1 in boxes:
            assert -1 <= x0 < x1 <= width + 1, photo.name
            assert -1 <= y0 < y1 <= height + 1, photo.name


@pytest.mark.parametrize(("part", "count"), [("val", 16), ("hands", 14)])
def test_roles_are_complete(part: str, count: int) -> None:
    entries = json.loads((HERE / "roles" / f"{part}.json").read_text(encoding="utf-8"))["pictures"]
    assert len(entries) == count
    photos = {photo.name: photo for photo in photos_of(part)}
    for name, roles in entries.items():
        melds = [number for meld in photos[name].corrected.melds for number in meld]
        listed = [number for numbers in roles.values() for number in numbers] + melds
        assert sorted(listed) == [label.number for label in photos[name].corrected.labels], name


def test_roles_of_the_finished_hands_agree_with_their_truth() -> None:
    photos = photos_of("hands")
    truth = json.loads((SHARED / "hands" / "hands.json").read_text(encoding="utf-8"))
    for photo in photos:
        tiles = {label.number: label.tile for label in photo.corrected.labels}
        seen = {
            role: sorted(tiles[number] for number, (is_, _) in photo.roles.items() if is_ == role)
            for role in ("concealed", "flower", "winning")
        }
        hand = truth[photo.name]
        assert seen["concealed"] == sorted(hand["concealed"])
        assert seen["flower"] == sorted(hand["flowers"])
        assert seen["winning"] == ([hand["winning_tile"]] if hand["winning_tile"] else [])
        melds = [sorted(tiles[number] for number in meld) for meld in photo.corrected.melds]
        assert melds == [sorted(meld["tiles"]) for meld in hand["melds"]]


def test_as_given_only_faces_count_as_labelled() -> None:
    photo = photos_of("val", corrected=False)[0]
    assert photo.corrected.complete == {"tiles"}
    assert photo.corrected.ignore == ()
