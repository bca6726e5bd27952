"""`fanlens label` as a person calls it; only the reader is replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result
from fanlens.app.label_check_command import check
from fanlens.app.label_command import label
from fanlens.app.main import cli
from fanlens.datasets.labels.engine import ModelReader
from fanlens.vision.picture import Picture
from PIL import Image


def read(data: bytes, picture: Picture) -> Mapping[str, Any]:
    """One 5m in the middle of the picture, one doubtful 9s beside it."""
    tiles = [
        {
            "id": number,
            "tile": tile,
            "confidence": confidence,
            "box": [10 + 40 * number, 20, 40 + 40 * number, 70],
        }
        for number, (tile, confidence) in enumerate((("5m", 0.98), ("9s", 0.5)))
    ]
    return {"tiles": tiles, "hands": [], "problems": []}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"name": "fake", "sha256": "0" * 64, "settings": {}}
    monkeypatch.setattr(ModelReader, "__call__", lambda self: read)
    monkeypatch.setattr(ModelReader, "describe", lambda self: about)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    root = tmp_path / "photos"
    root.mkdir()
    for seed in range(4):
        noise = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), dtype=np.uint8)
        Image.fromarray(noise).resize((120, 90)).save(root / f"{seed}.png")
    return root


def run(*arguments: object, **more: Any) -> Result:
    return CliRunner().invoke(cli, ["label", *map(str, arguments)], **more)


def test_a_folder_becomes_labels_results_and_a_review(photos: Path, tmp_path: Path) -> None:
    result = run(photos, "--out", tmp_path / "out", "--split", "50,50")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Pictures: 4 (4 read in ")
    assert lines[0].endswith(" a second), 0 failed.")
    assert lines[1] == "Tiles: 8; 0 pictures without any."
    assert lines[2] == f"Labels: yolo in {tmp_path / 'out'}."
    assert lines[3] == f"To look at first: 4 tiles in {tmp_path / 'out' / 'review.html'}."
    assert result.stderr == ""
    assert len(list((tmp_path / "out" / "labels" / "train").iterdir())) == 2
    again = run(photos, "--out", tmp_path / "out")
    assert again.stdout.splitlines()[0] == "Pictures: 4 (0 read; 4 known before), 0 failed."


def test_a_picture_that_fails_is_named_and_the_exit_code_is_1(photos: Path, tmp_path: Path) -> None:
    (photos / "bad\x1b[31m.png").write_bytes(b"")
    result = run(photos, photos / "gone.jpg", "--out", tmp_path / "out", "--json")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "fanlens: bad\\x1b[31m.png: the file is empty.",
        "fanlens: gone.jpg: there is no such file.",
    ]
    summary = json.loads(result.stdout)
    assert (summary["pictures"], summary["read"], summary["tiles"], len(summary["failed"])) == (6, 6, 8, 2)


def test_quiet_says_nothing(photos: Path, tmp_path: Path) -> None:
    assert run(photos, "--out", tmp_path / "out", "-q").output == ""


def test_lists_on_standard_input_and_in_a_file(photos: Path, tmp_path: Path) -> None:
    listed = f"{photos}/1.png\n{photos}/3.png\n"
    result = run("-", "--out", tmp_path / "one", "--json", input=listed)
    assert json.loads(result.stdout)["pictures"] == 2
    (tmp_path / "list").write_text(listed)
    result = run("--list", tmp_path / "list", "--out", tmp_path / "two", "--json")
    assert json.loads(result.stdout)["pictures"] == 2


def test_corrections_and_another_format_from_the_results(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(photos, "--out", out)
    said = [{"image": "1.png", "sha256": None, "tiles": [{"id": 1, "tile": "1s"}]}]
    (tmp_path / "corrections.json").write_text(json.dumps(said))
    result = run(
        "--from",
        out / "results.json",
        "--out",
        out,
        "--format",
        "coco",
        "--corrections",
        tmp_path / "corrections.json",
    )
    assert result.exit_code == 0, result.output
    entries = {entry["path"]: entry for entry in json.loads((out / "results.json").read_text())["pictures"]}
    tile = entries["1.png"]["tiles"][1]
    assert (tile["tile"], tile["confidence"]) == ("1s", 1.0)
    coco = json.loads((out / "annotations.json").read_text())
    names = {entry["id"]: entry["name"] for entry in coco["categories"]}
    assert [names[entry["category_id"]] for entry in coco["annotations"]].count("1s") == 1
    assert "To look at first: 3 tiles" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing option '--out'"),
        (("--out", "o"), "Name at least one picture, folder, glob or list."),
        (("nothing/**/*.jpg", "--out", "o"), "There is no picture in what was given."),
        (("x.jpg", "--out", "o", "--split", "half"), "'half' is no split"),
        (("x.jpg", "--out", "o", "--format", "pdf"), "'pdf' is not one of 'yolo', 'coco'"),
        (("x.jpg", "--out", "o", "--from", "results.json"), "give no pictures with it"),
        (("--out", "o", "--from", "broken.json"), "broken.json is no JSON"),
        (("x.jpg", "--out", "o", "--corrections", "broken.json"), "broken.json is no JSON"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.json").write_text("{}")
    (tmp_path / "broken.json").write_text("no")
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_on_exists_error(photos: Path, tmp_path: Path) -> None:
    run(photos, "--out", tmp_path / "out")
    result = run(photos, "--out", tmp_path / "out", "--on-exists", "error")
    assert result.exit_code == 2
    assert "4 pictures have results in" in result.stderr


def test_offering_the_command_loads_no_photo_reader() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from fanlens.app.main import cli;"
        "CliRunner().invoke(cli, ['label', '-h']);"
        "heavy = ('cv2', 'numpy', 'openvino', 'fanlens.vision');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_check_lists_likely_errors(photos: Path, tmp_path: Path) -> None:
    (photos / "data.yaml").write_text("names: [5m, 9s, 1p]\n")
    good = "0 0.208333 0.5 0.25 0.555556\n1 0.541667 0.5 0.25 0.555556\n"
    for seed in range(4):
        (photos / f"{seed}.txt").write_text(good)
    (photos / "2.txt").write_text(good.replace("0 0.2", "2 0.2"))
    result = run("check", photos, "--out", tmp_path / "report")
    assert result.exit_code == 0, result.output
    first, last = result.stdout.splitlines()
    assert first == "   1  0.98  wrong class  2.png [10 20 40 70]  labelled 1p, seen as 5m at 0.98"
    assert last == "1 likely errors in 4 pictures."
    assert (tmp_path / "report" / "check.html").exists()
    as_json = json.loads(run("check", photos, "--json").stdout)
    assert (as_json["kind"], as_json["label"], as_json["seen"]) == ("wrong class", "1p", "5m")


def test_check_refuses_a_folder_without_labels(photos: Path) -> None:
    result = run("check", photos)
    assert result.exit_code == 2
    assert "no labels (YOLO, COCO" in result.stderr


@pytest.mark.parametrize("arguments", [("-h",), ("check", "-h")])
def test_every_option_has_help(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    command = check if "check" in arguments else label
    assert all(option.help for option in command.params if isinstance(option, click.Option))
