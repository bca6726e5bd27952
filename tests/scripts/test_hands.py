"""What `evaluate.py hands` counts as pointed at, and the fit of the totals' confidence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
CONCEALED = "2m 3m 4m 5m 6m 7m 3p 4p 5p 9s"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=SCRIPTS, capture_output=True, text=True)


def tile(name: str, x: float, y: float, role: str) -> dict[str, Any]:
    x0, y0, x1, y1 = x, y, x + 40, y + 54
    corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    mine = role != "elsewhere"
    return {
        "box": [x0, y0, x1, y1],
        "tile": name,
        "corners": corners,
        "up": 0.0,
        "role": role,
        "hand": mine,
    }


def scene(
    folder: Path,
    tiles: list[dict[str, Any]],
    hand: dict[str, Any],
    kind: str,
    split: str = "train",
    melded: int = 4,
) -> None:
    (folder / "json").mkdir(parents=True, exist_ok=True)
    content = {
        "image": "images/0.jpg",
        "width": 800,
        "height": 600,
        "split": split,
        "kind": "hand",
        "tiles": tiles,
        "melds": [
            {"box": [50, 400, 210, 454], "kind": kind, "tiles": list(range(11, 11 + melded)), "hand": True}
        ],
        "hand": {**hand, "melds": [{"kind": kind, "tiles": ["8s"] * melded}]},
        "all_visible": True,
    }
    (folder / "json" / "0.json").write_text(json.dumps(content), encoding="utf-8")


def counts(folder: Path) -> dict[str, str]:
    done = run("evaluate.py", "hands", "--scenes", str(folder), "--from-labels")
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


@pytest.fixture
def table() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A concealed row, the winning tile set apart, and a kong whose kind doesn't show: it carries flags."""
    names = CONCEALED.split()
    tiles = [tile(name, 50 + 40 * k, 500, "concealed") for k, name in enumerate(names)]
    tiles.append(tile("9s", 480, 500, "winning"))
    tiles += [tile("8s", 50 + 40 * k, 400, "meld") for k in range(4)]
    return tiles, {"concealed": names, "winning_tile": "9s", "flowers": []}


def test_a_right_hand_is_no_wrong_one(tmp_path: Path, table: Any) -> None:
    scene(tmp_path, *table, kind="melded-kong")
    found = counts(tmp_path)
    assert (found["tiles of the hand"], found["totals"]) == ("1 of 1", "1 of 1")
    assert found["right hands without any flag"] == "0 of 1"
    assert not [what for what in found if what.startswith("wrong")]


def test_a_flag_elsewhere_does_not_count_for_what_is_wrong(tmp_path: Path, table: Any) -> None:
    tiles, hand = table
    # The truth says that a tile within the row won: a wrong place without a flag.
    tiles[4]["role"], tiles[10]["role"] = "winning", "concealed"
    hand["concealed"] = [name for k, name in enumerate((*hand["concealed"], "9s")) if k != 4]
    hand["winning_tile"] = "6m"
    scene(tmp_path, tiles, hand, kind="melded-kong")
    found = counts(tmp_path)
    assert found["wrong hands with a flag or a problem anywhere"] == "1 of 1"
    assert found["wrong hands whose every wrong place is pointed at"] == "0 of 1"


def test_a_flag_on_what_is_wrong_counts(tmp_path: Path, table: Any) -> None:
    tiles, hand = table
    # The fourth tile of what is read as a kong, all of it flagged, is none of the hand's.
    tiles[14]["role"], tiles[14]["hand"] = "elsewhere", False
    scene(tmp_path, tiles, hand, kind="pung", melded=3)
    found = counts(tmp_path)
    assert found["totals"] == "0 of 1"
    assert found["wrong totals given whose every wrong place is pointed at"] == "1 of 1"
    assert found["wrong hands whose every wrong place is pointed at"] == "1 of 1"


def test_a_concealed_kong_that_lies_face_up_looks_melded(tmp_path: Path, table: Any) -> None:
    scene(tmp_path, *table, kind="concealed-kong")
    found = counts(tmp_path)
    assert (found["tiles of the hand"], found["totals"]) == ("1 of 1", "1 of 1")
    assert found["right hands without any flag"] == "0 of 1"


def test_a_concealed_kong_whose_tiles_lie_face_down_does_not(tmp_path: Path, table: Any) -> None:
    tiles, hand = table
    for down in (11, 14):
        tiles[down]["tile"] = "back"
    scene(tmp_path, tiles, hand, kind="concealed-kong")
    found = counts(tmp_path)
    assert (found["tiles of the hand"], found["totals"]) == ("1 of 1", "1 of 1")
    assert found["right hands without any flag"] == "1 of 1"


def test_the_fit_finds_scale_and_shift() -> None:
    # Right as often as scale 2 and shift 0.5 of the log-odds say: 0.5 becomes 1 / (1 + e^-0.5) = 0.6225.
    code = (
        "import numpy as np\n"
        "from training.totals import fit_log_odds, fitted\n"
        "rng = np.random.default_rng(0)\n"
        "raw = rng.uniform(0.05, 0.95, 20000)\n"
        "true = 1 / (1 + np.exp(-(2 * np.log(raw / (1 - raw)) + 0.5)))\n"
        "scale, shift = fit_log_odds(raw, (rng.random(20000) < true).astype(float))\n"
        "print(scale, shift, *fitted(np.array([0.0, 0.5]), scale, shift))\n"
    )
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    scale, shift, impossible, even = (float(number) for number in done.stdout.split())
    assert scale == pytest.approx(2.0, abs=0.1)
    assert shift == pytest.approx(0.5, abs=0.05)
    assert (impossible, even) == (0.0, pytest.approx(0.6225, abs=0.02))


def test_scenes_kept_for_measuring_are_not_fitted_on(tmp_path: Path, table: Any) -> None:
    scene(tmp_path, *table, kind="melded-kong", split="test")
    done = run("train.py", "calibrate-totals", "--model", str(tmp_path), "--scenes", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.strip() == f"{tmp_path}: scenes of the split 'test' are kept for measuring"
