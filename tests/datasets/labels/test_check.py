"""Planted label errors are found, in every layout that people use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fanlens.datasets.labels.check import check_labels
from fanlens.datasets.labels.check_report import write_check
from fanlens.datasets.labels.formats import FORMATS
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.readers import DatasetError, Labels, read_dataset
from fanlens.datasets.labels.results import PictureResult, Results, Tile
from fanlens.datasets.labels.run import label_pictures

from .conftest import MODEL, open_fake

ROW = ("1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m")


def box(number: int, shift: float = 0.0) -> tuple[float, float, float, float]:
    return (50.0 * number + shift, 100.0, 50.0 * number + 40 + shift, 160.0)


def read(path: str, names: tuple[str, ...] = ROW) -> PictureResult:
    tiles = tuple(Tile(number, name, 0.97, box(number)) for number, name in enumerate(names))
    return PictureResult(path, tiles, width=640, height=320)


def labels(path: str, boxes: list[tuple[str, tuple[float, float, float, float]]]) -> Labels:
    return Labels(Path(path), tuple(boxes))


def test_the_three_kinds_of_error_are_found_and_nothing_else() -> None:
    given = [(name, box(number, shift=3)) for number, name in enumerate(ROW)]
    good = (labels("good.jpg", given), read("good.jpg"))
    bad = list(given)
    bad[1] = ("9s", bad[1][1])
    bad[4] = ("5m", box(4, shift=3 + 14))
    del bad[6]
    found = check_labels([good, (labels("bad.jpg", [*bad, ("9s", (500, 10, 540, 70))]), read("bad.jpg"))])
    # 9s is a class of this set only by the error, yet named as FanLens names it.
    assert [(each.kind, each.path.name, each.label, each.seen) for each in found] == [
        ("bad box", "bad.jpg", "5m", "5m"),
        ("wrong class", "bad.jpg", "9s", "2m"),
        ("missing", "bad.jpg", None, "7m"),
        ("no tile", "bad.jpg", "9s", None),
    ]
    assert found[0].detail == "a side is 35% of the tile's size off"
    assert found[1].detail == "labelled 9s, seen as 2m at 0.97"
    assert found[2].detail == "7m seen at 0.97, no label there"


def test_a_sets_own_class_names_are_learnt_from_what_is_seen() -> None:
    names = {name: f"wan-{name[0]}" for name in ROW}
    pairs = [
        (labels(f"{n}.jpg", [(names[name], box(i)) for i, name in enumerate(ROW)]), read(f"{n}.jpg"))
        for n in range(4)
    ]
    wrong = [("wan-2" if i == 0 else names[name], box(i)) for i, name in enumerate(ROW)]
    found = check_labels([*pairs, (labels("wrong.jpg", wrong), read("wrong.jpg"))])
    assert [(each.kind, each.path.name, each.label, each.seen) for each in found] == [
        ("wrong class", "wrong.jpg", "wan-2", "1m")
    ]


def test_classes_that_a_set_never_labels_are_not_missing() -> None:
    found = check_labels(
        [
            (labels("x.jpg", [(name, box(i)) for i, name in enumerate(ROW)]), read("x.jpg", (*ROW, "back"))),
            (labels("y.jpg", []), PictureResult("y.jpg", None, failure="cut")),
        ]
    )
    assert found == []


@pytest.mark.parametrize("layout", ["yolo", "coco", "voc", "labelme", "cvat"])
def test_our_own_exports_are_read_back(photos: Path, tmp_path: Path, settings: Callable, layout: str) -> None:
    """What is labelled by the model agrees with the model; names and places survive each layout."""
    (photos / "b" / "2.JPEG").unlink()  # somebody's VOC set pairs by name alone
    (photos / "a" / "1.png").unlink()
    out = photos / "set"
    label_pictures(gather([str(photos)]), out, MODEL, open_fake, settings(layout))
    results = Results.load(out / "results.json")
    found = read_dataset(out if layout == "yolo" else photos)
    assert len(found) == 5
    by_name = {picture.path: picture for picture in results}
    pairs = []
    for each in found:
        name = each.path.relative_to(out / "images" if layout == "yolo" else photos).as_posix()
        pairs.append((each, by_name[name]))
        tiles = by_name[name].tiles or ()
        scale = (by_name[name].width, by_name[name].height) if each.fractions else (1, 1)
        boxes = sorted(
            (label, tuple(side * scale[i % 2] for i, side in enumerate(place)))
            for label, place in each.boxes
            if label not in ("meld", "?")
        )
        wanted = sorted((tile.tile, tile.box) for tile in tiles if tile.tile != "?")
        assert [label for label, _ in boxes] == [label for label, _ in wanted]
        assert all(
            max(abs(a - b) for a, b in zip(one[1], other[1], strict=True)) < 0.1
            for one, other in zip(boxes, wanted, strict=True)
        )
    assert [each for each in check_labels(pairs) if each.seen != "?"] == []


@pytest.mark.parametrize(
    "names",
    [
        "names: [\"1m\", '2m', 3m]\n",
        "nc: 3\nnames:\n- 1m\n- 2m\n- 3m\ntrain: x\n",
        "names:\n  0: 1m\n  1: '2m'  # two\n  2: \"3m\"\nnc: 3\n",
        "names: {0: 1m, 1: 2m, 2: 3m}\n",
    ],
)
def test_the_ways_people_write_class_names(tmp_path: Path, photos: Path, names: str) -> None:
    (photos / "data.yaml").write_text(names)
    (photos / "a" / "1.txt").write_text("2 0.5 0.5 0.25 0.5\n0 0.1 0.1 0.2 0.1 0.2 0.3 0.1 0.3\n")
    (photos / "a" / "1.png").unlink()
    (found,) = read_dataset(photos)
    assert found.boxes == (("3m", (0.375, 0.25, 0.625, 0.75)), ("1m", (0.1, 0.1, 0.2, 0.3)))


def test_what_is_no_data_set_is_said_plainly(photos: Path) -> None:
    with pytest.raises(DatasetError, match=r"no labels .* were found for its pictures"):
        read_dataset(photos)
    (photos / "data.yaml").write_text("names: [1m]\n")
    (photos / "b" / "2.txt").write_text("7 0.5 0.5 0.1 0.1\n")
    with pytest.raises(DatasetError, match=r"2\.txt: line 1 is no label: '7 0\.5 0\.5 0\.1 0\.1'"):
        read_dataset(photos)
    (photos / "b" / "2.txt").unlink()
    (photos / "b" / "2.xml").write_text('<!DOCTYPE x [<!ENTITY a "b">]><annotation>&a;</annotation>')
    with pytest.raises(DatasetError, match="XML with its own entities"):
        read_dataset(photos)


def test_the_report_escapes_what_strangers_wrote(photos: Path, tmp_path: Path) -> None:
    picture = read("a/1.jpg")
    given = Labels(photos / "a" / "1.jpg", (("<b>=1</b>", box(0)),) * 3)
    found = check_labels([(given, picture)])
    write_check(found, {given.path: picture}, photos, tmp_path)
    page = (tmp_path / "check.html").read_text(encoding="utf-8")
    assert "<b>=1" not in page
    assert len(FORMATS) == 6
