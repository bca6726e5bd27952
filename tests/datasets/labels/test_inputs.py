"""What is taken as a picture, and what becomes of hostile names and broken files."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fanlens.datasets.labels.formats import FORMATS
from fanlens.datasets.labels.inputs import InputError, gather
from fanlens.datasets.labels.results import Results
from fanlens.datasets.labels.run import label_pictures
from PIL import Image

from .conftest import MODEL, open_fake, save_picture

ALL = ["a/1.jpg", "a/1.png", "b/1.jpg", "b/2.JPEG", "b/2.jpg", "b/deep/1.jpg", "empty.png"]


def names(*paths: object, **more: object) -> list[str]:
    return [source.name for source in gather([str(path) for path in paths], **more).sources]  # type: ignore[arg-type]


def test_a_folder_is_searched_with_its_sub_folders(photos: Path) -> None:
    assert names(photos) == ALL
    assert gather([str(photos)]).root == photos


def test_names_start_at_the_deepest_common_folder(photos: Path) -> None:
    assert names(photos / "a", photos / "b" / "deep") == ["a/1.jpg", "a/1.png", "b/deep/1.jpg"]
    assert names(photos / "b" / "2.jpg") == ["2.jpg"]


def test_globs_and_doubles(photos: Path) -> None:
    assert names(f"{photos}/**/1.*") == ["a/1.jpg", "a/1.png", "b/1.jpg", "b/deep/1.jpg"]
    assert names(photos, photos / "a" / "1.jpg", f"{photos}/a/*.jpg") == ALL


def test_a_name_that_looks_like_a_glob_is_a_name(photos: Path) -> None:
    save_picture(photos / "[1].jpg", 9)
    assert names(photos / "[1].jpg") == ["[1].jpg"]


@pytest.mark.parametrize("file", ["list.txt", "list"])
def test_a_list_file(photos: Path, tmp_path: Path, file: str) -> None:
    listed = tmp_path / file
    listed.write_bytes(b"\xef\xbb\xbfphotos/b/2.jpg\r\n\r\nphotos/a/1.png\r\n")
    as_path = names(listed) if file.endswith(".txt") else names(lists=[listed])
    assert as_path == ["a/1.png", "b/2.jpg"]


@pytest.mark.parametrize("end", ["\n", "\0"])
def test_a_list_on_standard_input(photos: Path, end: str) -> None:
    stdin = io.BytesIO(os.fsencode(f"{photos}/b/2.jpg{end}{photos}/b/1.jpg{end}"))
    assert names("-", stdin=stdin) == ["1.jpg", "2.jpg"]


def test_pictures_are_told_by_their_first_bytes_too(photos: Path) -> None:
    (photos / "a" / "1.jpg").rename(photos / "a" / "scan")
    (photos / "._1.jpg").write_bytes(b"resource fork")
    (photos / ".hidden").mkdir()
    save_picture(photos / ".hidden" / "x.jpg", 3)
    assert names(photos) == ["a/1.png", "a/scan", *ALL[2:]]


def test_the_output_folder_is_not_searched(photos: Path) -> None:
    save_picture(photos / "labels" / "images" / "x.jpg", 3)
    assert names(photos, leave_out=photos / "labels") == ALL


def test_a_fixed_root_refuses_what_lies_outside(photos: Path) -> None:
    assert names(photos / "a", root=photos) == ["a/1.jpg", "a/1.png"]
    with pytest.raises(InputError, match=r"lies outside .*/a, from where the labels there are named"):
        gather([str(photos / "b")], root=photos / "a")


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: the list can't be read"):
        gather([], lists=[tmp_path / "nowhere"])


HOSTILE = [
    "<img src=x onerror=alert(1)>.jpg",
    "</script><script>alert(1)</script>.jpg".replace("/", "\u2215"),
    "=cmd|' !A0.jpg",
    "@SUM(1).jpg",
    "+1.jpg",
    "-1.jpg",
    "--out.jpg",
    "; rm -rf ~.jpg",
    "$(touch x).jpg",
    "\"quoted\" & 'single'.jpg",
    "new\nline.jpg",
    "tab\tand\x1b[31mred.jpg",
    "麻将 牌.jpg",
    "e\u0301.jpg",
    "back\\slash.jpg",
    "CON.jpg",
    " leading and trailing .jpg",
    "%2e%2e%2f.jpg",
    "x" * 240 + ".jpg",
    "no ending",
]


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Hostile names and broken pictures; the code each broken one fails with."""
    root = tmp_path / "hostile"
    for seed, name in enumerate(HOSTILE, start=1):
        save_picture(root / "x.jpg", seed).rename(root / name)
    save_picture(root / "y.jpg", 90)
    os.rename(root / "y.jpg", os.fsencode(root) + b"/\xff\xfe not utf-8.jpg")
    whole = save_picture(root / "whole.jpg", 91, size=(400, 300)).read_bytes()
    broken = {
        "empty.jpg": (b"", "empty-file"),
        "text.jpg": (b"not a picture at all", "not-a-picture"),
        "cut.jpg": (whole[: len(whole) * 2 // 3], "truncated"),
        "tail of zeros.jpg": (whole[: len(whole) // 2] + bytes(len(whole) // 2), "truncated"),
        "header.png": (b"\x89PNG\r\n\x1a\n", "damaged"),
        "page.png": (b"%PDF-1.7", "not-a-picture"),
    }
    for name, (content, _) in broken.items():
        (root / name).write_bytes(content)
    (root / "nowhere.jpg").symlink_to("gone.jpg")
    Image.new("1", (20_000, 20_000)).save(root / "bomb.png")
    return root, {
        **{name: code for name, (_, code) in broken.items()},
        "nowhere.jpg": "not-found",
        "bomb.png": "too-large",
    }


def test_hostile_names_and_broken_pictures(
    hostile: tuple[Path, dict[str, str]], tmp_path: Path, settings: Callable
) -> None:
    root, codes = hostile
    out = tmp_path / "out"
    summary = label_pictures(gather([str(root)]), out, MODEL, open_fake, settings(*FORMATS))
    results = Results.load(out / "results.json")
    failed = {picture.path: picture.failure_code for picture in results if picture.tiles is None}
    assert failed == codes
    assert dict(summary.failures).keys() == codes.keys()
    assert all(reason.startswith(f"{path}: ") for path, reason in summary.failures)
    assert str(tmp_path) not in json.dumps([reason for _, reason in summary.failures])
    assert summary.pictures - len(failed) == len(HOSTILE) + 2

    assert len(list((out / "labels").rglob("*.txt"))) == len(HOSTILE) + 2
    assert len(json.loads((out / "annotations.json").read_text())["images"]) == len(HOSTILE) + 2
    assert len(json.loads((out / "label_studio.json").read_text())) == len(HOSTILE) + 2
    assert sum(1 for _ in ElementTree.parse(out / "annotations.xml").iter("image")) == len(HOSTILE) + 2
    for path in (out / "Annotations").rglob("*.xml"):
        ElementTree.parse(path)
    # Nothing was written outside, nor by any name's will.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hostile", "out"]

    page = (out / "review.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert page.count("<script") == 2
    with (out / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]
    assert "'=cmd|' !A0.jpg" in cells
