"""`fanlens hand` as a person or a program calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fanlens.app.main import COMMANDS, cli

NINE_GATES = "1112345678999m + 5m"


def call(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(arguments), input=given)


def test_a_hand_is_printed_in_both_languages() -> None:
    done = call("hand", NINE_GATES)
    assert done.exit_code == 0
    assert "Nine Gates" in done.stdout
    assert "九莲宝灯" in done.stdout
    assert "Total 合计 91" in done.stdout
    assert "The discarder pays 99, the others 8 each; the winner receives 115." in done.stdout


def test_a_hand_below_eight_says_what_is_missing() -> None:
    done = call("hand", "[2222p,1] [4444s] 345m 678m E + E", "--flowers", "2")
    assert done.exit_code == 0
    assert "Total 合计 9 (7 + 2 for flowers 花)" in done.stdout
    assert "one point short of the 8" in done.stdout


def test_json_holds_hand_context_and_score() -> None:
    done = call("hand", NINE_GATES, "--self-draw", "--seat-wind", "E", "--json", "--rules", "wmo2006")
    answer = json.loads(done.stdout)
    assert answer["hand"]["winning_tile"] == "5m"
    assert answer["context"]["self_draw"] is True
    assert answer["score"]["total"] == 95
    assert [fan["id"] for fan in answer["score"]["fans"]] == [4, 56, 66, 73]
    assert answer["score"]["fans"][2]["tiles"] == [0, 1, 2, 10, 11, 12]
    assert answer["score"]["payments"] == {"winner": 309, "discarder": None, "others": 103}
    assert answer["problems"] == []


def test_another_winning_tile_can_be_named() -> None:
    done = call("hand", NINE_GATES, "--winning-tile", "9m", "--json")
    assert json.loads(done.stdout)["hand"]["winning_tile"] == "9m"
    assert call("hand", NINE_GATES, "--winning-tile", "1s").exit_code == 1
    assert call("hand", NINE_GATES, "--winning-tile", "plum").exit_code == 2


def test_what_is_no_hand_ends_with_one_sentence_and_1() -> None:
    done = call("hand", "123m 456p + 7s")
    assert done.exit_code == 1
    assert done.stderr == "fanlens: 7 tiles: 7 are missing\n"
    assert done.stdout == ""


def test_what_is_no_hand_as_json() -> None:
    done = call("hand", "123m 456p + 7s", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["code"] == "too-few"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--rules", "mil"),
        ("--flowers", "9", NINE_GATES),
        ("--seat-wind", "X", NINE_GATES),
        ("--batch", "no-such-file.jsonl"),
        ("--no-such-option",),
    ],
)
def test_wrong_usage_is_2(arguments: tuple[str, ...]) -> None:
    assert call("hand", *arguments).exit_code == 2


@pytest.mark.parametrize(
    ("text", "tiles"),
    [
        ("1112345678999m", [f"{rank}m" for rank in range(1, 10)]),
        ("[123m] [456p] [789s] 23m 55p + 1m", ["1m", "4m"]),
        ("[123m] [456p] [789s] 23m 55p", ["1m", "4m"]),
        ("19m 19p 19s ESWNCFP", ["1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "C", "F", "P"]),
        ("123m 456p 789s 1379p", []),
        # All four 1m stand in the hand: the fifth can't come.
        ("[111m] 1m 123p 456p 789s", []),
    ],
)
def test_waits(text: str, tiles: list[str]) -> None:
    assert json.loads(call("hand", "--waits", "--json", text).stdout)["waits"] == tiles


def test_waits_of_too_few_tiles() -> None:
    done = call("hand", "--waits", "[123m] 456p 78s")
    assert done.exit_code == 1
    assert done.stderr == "fanlens: 5 concealed tiles can't wait for one: it takes 10\n"


def test_batch_answers_every_line(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "concealed": "1112345678999m", "win_tile": "5m", "melds": [], "self_draw": True},
        {"id": "b", "concealed": ["1m"] * 13, "winning_tile": "1m"},
        {"id": "c", "concealed": "258m24369p147s88s", "win_tile": "3p", "rules": "trial1998", "flowers": 1},
    ]
    text = "\n".join([json.dumps(lines[0]), "{", json.dumps(lines[1]), "", "[1]", json.dumps(lines[2])])
    (tmp_path / "hands.jsonl").write_text(text, encoding="utf-8")
    done = call("hand", "--batch", str(tmp_path / "hands.jsonl"))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert [answer.get("total") for answer in answers] == [92, None, None, None, 17]
    nine_gates = {"id": 4, "name": "Nine Gates", "zh": "九莲宝灯", "points": 88, "count": 1}
    assert answers[0]["fans"][0] == nine_gates
    assert answers[1] == {"id": None, "error": {"code": "malformed", "message": "line 2 is no JSON object"}}
    assert (answers[2]["id"], answers[2]["error"]["code"]) == ("b", "fifth-copy")
    assert answers[4]["fan"] == 16


def test_batch_reads_standard_input_and_ends_with_0() -> None:
    line = json.dumps({"id": 1, "concealed": "1112345678999m", "win_tile": "5m"})
    done = call("hand", "--batch", "-", "--self-draw", given=line)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["total"] == 92


def test_help_and_version() -> None:
    assert call("--version").stdout.startswith("fanlens, version ")
    overview = call("-h").stdout
    assert all(name in overview for name in COMMANDS)
    assert "--fourth-tile" in call("hand", "-h").stdout


def test_hand_loads_no_photo_reader() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from fanlens.app.main import cli;"
        f"CliRunner().invoke(cli, ['hand', '{NINE_GATES}']);"
        "heavy = ('cv2', 'numpy', 'openvino', 'fanlens.vision');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
