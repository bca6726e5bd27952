"""`fanlens score` with a reader whose eyes are made up: every photo shows the same hand.

The reader decodes for real and reads the boxes for real; only the networks are left out.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from fanlens.app import score_command
from fanlens.app.main import cli
from fanlens.scoring import parse_hand
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.corrections import Correction
from fanlens.vision.picture import decode, read_bytes
from fanlens.vision.reading import Circumstances, ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand
from PIL import Image

HAND = "234m 567m 345p 678s 99s"


class MadeUpReader:
    """Sees the tiles of `text` in one row, all but the doubtful ones for certain."""

    def __init__(self, text: str = HAND, doubtful: dict[int, tuple[str, float]] | None = None) -> None:
        hand = parse_hand(text) if text else None
        tiles = () if hand is None else (*hand.concealed, *([hand.winning_tile] if hand.winning_tile else []))
        self._tiles = tuple(self._tile(i, name, (doubtful or {}).get(i)) for i, name in enumerate(tiles))

    @staticmethod
    def _tile(place: int, name: str, other: tuple[str, float] | None) -> TileBox:
        probabilities = np.zeros(43, np.float32)
        probabilities[TILE_CLASSES.index(name)] = 0.995
        if other is not None:
            probabilities[TILE_CLASSES.index(name)] = 0.99 - other[1]
            probabilities[TILE_CLASSES.index(other[0])] = other[1]
        x0, y0, x1, y1 = 20.0 + 40 * place, 100.0, 60.0 + 40 * place, 154.0
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
        return TileBox((x0, y0, x1, y1), probabilities, 0.99, corners, 0.0, 0.99)

    def read(
        self,
        source: bytes,
        *,
        name: str | None = None,
        circumstances: Circumstances | None = None,
        corrections: Sequence[Correction] = (),
        **_: Any,
    ) -> Reading:
        picture = decode(*read_bytes(source)) if name is None else decode(source, name)
        sighting = Sighting(
            ImageInfo(None, picture.width, picture.height, picture.notes),
            ModelInfo("made-up", "0" * 64),
            self._tiles,
        )
        return read_hand(sighting, circumstances, corrections)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> list[MadeUpReader]:
    """What the command gets as its reader; a test may put another in."""
    chosen = [MadeUpReader()]
    monkeypatch.setattr(score_command, "_reader", lambda model: chosen[0])
    return chosen


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "hand.jpg"
    path.write_bytes(_picture())
    return path


def _picture(format: str = "JPEG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (640, 300), (40, 110, 70)).save(buffer, format, **options)
    return buffer.getvalue()


def _score(*words: str | Path, input: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["score", *map(str, words)], input=input)


def _lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_help() -> None:
    result = _score("-h")
    assert result.exit_code == 0
    for option in ("--json", "--save", "--model", "--set", "--corrections", "--self-draw", "--rules"):
        assert option in result.stdout


def test_readable(reader: list[MadeUpReader], photo: Path) -> None:
    result = _score(photo, "--winning-tile", "4m", "--no-self-draw")
    assert result.exit_code == 0
    assert str(photo) in result.stdout
    # By hand: All Chows 平和 2, Concealed Hand 门前清 2, Short Straight 连六 1.
    for name in ("All Chows", "平和", "Concealed Hand", "门前清", "Short Straight", "连六", "Total 合计 5"):
        assert name in result.stdout


def test_json_is_the_contract(reader: list[MadeUpReader], photo: Path) -> None:
    result = _score(photo, "--json", "--winning-tile", "4m", "--self-draw", "--seat-wind", "E")
    (answer,) = _lines(result)
    assert result.exit_code == 0
    assert answer["image"] == {"path": str(photo), "width": 640, "height": 300}
    assert answer["model"] == {"name": "made-up", "sha256": "0" * 64}
    assert " ".join(tile["tile"] for tile in answer["tiles"]) == "2m 3m 4m 5m 6m 7m 3p 4p 5p 6s 7s 8s 9s 9s"
    assert [tile["id"] for tile in answer["tiles"]] == list(range(14))
    assert answer["tiles"][0]["box"] == [20, 100, 60, 154]
    assert answer["hand"]["winning_tile"] == "4m"
    assert answer["hand"] == answer["hands"][0]
    assert answer["context"]["self_draw"] is True
    assert answer["context"]["seat_wind"] == "E"
    # By hand: Fully Concealed Hand 4, All Chows 2, Short Straight 1.
    fans = {fan["name"]: fan["points"] * fan["count"] for fan in answer["score"]["fans"]}
    assert fans == {"Fully Concealed Hand": 4, "All Chows": 2, "Short Straight": 1}
    assert (answer["score"]["total"], answer["score"]["qualifies"]) == (7, False)
    assert 0 < answer["confidence"] <= 1


def test_no_hand_is_no_failure(reader: list[MadeUpReader], photo: Path) -> None:
    reader[0] = MadeUpReader("234m 567m")
    result = _score(photo, "--json")
    (answer,) = _lines(result)
    assert result.exit_code == 0
    assert answer["score"] is None
    assert len(answer["tiles"]) == 6
    assert answer["problems"][0]["code"] == "too-few"


def test_no_tiles(reader: list[MadeUpReader], photo: Path) -> None:
    reader[0] = MadeUpReader("")
    result = _score(photo)
    assert result.exit_code == 0
    assert "no tiles" in result.stdout
    assert _lines(_score(photo, "--json"))[0]["problems"][0]["code"] == "no-tiles"


def test_bad_files_do_not_stop_the_rest(reader: list[MadeUpReader], photo: Path, tmp_path: Path) -> None:
    text, cut, empty = tmp_path / "text.jpg", tmp_path / "cut.jpg", tmp_path / "empty.jpg"
    text.write_text("this is text")
    cut.write_bytes(_picture()[:-100])
    empty.write_bytes(b"")
    files = [text, photo, cut, empty, tmp_path / "missing.jpg", tmp_path, photo]
    result = _score(*files, "--json")
    assert result.exit_code == 1
    answers = _lines(result)
    assert [answer["image"]["path"] for answer in answers] == list(map(str, files))
    codes = [answer.get("error", {}).get("code") for answer in answers]
    expected = ["not-a-picture", None, "truncated", "empty-file", "not-found", "not-a-file", None]
    assert codes == expected
    for answer in answers:
        if "error" in answer:
            assert set(answer) == {"image", "error"}
            assert answer["image"]["path"] in answer["error"]["message"]
    assert len(result.stderr.splitlines()) == 5
    assert "Traceback" not in result.stderr


def test_standard_input(reader: list[MadeUpReader]) -> None:
    result = _score("-", "--json", input=_picture())
    assert result.exit_code == 0
    assert _lines(result)[0]["image"] == {"path": "-", "width": 640, "height": 300}
    refused = _score("-", input=b"text")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("fanlens: standard input: ")


def test_set_corrects_a_tile_and_keeps_what_was_seen(reader: list[MadeUpReader], photo: Path) -> None:
    (answer,) = _lines(_score(photo, "--json", "--set", "13=8s", "--set", "12=8s"))
    last = answer["tiles"][13]
    assert (last["tile"], last["confidence"], last["seen"]) == ("8s", 1, "9s")
    assert answer["score"] is not None


def test_set_of_a_tile_that_is_not_there(reader: list[MadeUpReader], photo: Path) -> None:
    result = _score(photo, "--set", "99=5p")
    assert result.exit_code == 1
    assert "99" in result.stderr
    assert str(photo) in result.stderr


@pytest.mark.parametrize("assignment", ["5p", "3=11m", "x=5p", "=5p"])
def test_set_that_is_none(reader: list[MadeUpReader], photo: Path, assignment: str) -> None:
    result = _score(photo, "--set", assignment)
    assert result.exit_code == 2
    assert "--set" in result.stderr


def test_set_needs_one_photo(reader: list[MadeUpReader], photo: Path) -> None:
    assert _score(photo, photo, "--set", "1=5p").exit_code == 2


def test_corrections_file_by_name(reader: list[MadeUpReader], photo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jpg"
    other.write_bytes(_picture(quality=50))
    file = tmp_path / "corrections.json"
    entry = {"image": "hand.jpg", "tiles": [{"id": 0, "tile": "1m"}]}
    file.write_text(json.dumps([entry]))
    first, second = _lines(_score(photo, other, "--json", "--corrections", file))
    assert first["tiles"][0]["tile"] == "1m"
    assert second["tiles"][0]["tile"] == "2m"


def test_corrections_of_another_content_are_left_alone(
    reader: list[MadeUpReader], photo: Path, tmp_path: Path
) -> None:
    file = tmp_path / "corrections.json"
    file.write_text(json.dumps({"image": "hand.jpg", "sha256": "f" * 64, "tiles": [{"id": 0, "tile": "1m"}]}))
    (answer,) = _lines(_score(photo, "--json", "--corrections", file))
    assert answer["tiles"][0]["tile"] == "2m"


def test_broken_corrections_file(reader: list[MadeUpReader], photo: Path, tmp_path: Path) -> None:
    file = tmp_path / "corrections.json"
    file.write_text("{")
    result = _score(photo, "--corrections", file)
    assert result.exit_code == 2
    assert "corrections.json" in result.stderr


def test_doubtful_tiles_say_how_to_settle_them(reader: list[MadeUpReader], photo: Path) -> None:
    reader[0] = MadeUpReader(doubtful={0: ("5m", 0.45)})  # 234m or 345m: both can be
    result = _score(photo)
    assert "Doubtful" in result.stdout
    assert "--set 0=5m" in result.stdout


def test_save(reader: list[MadeUpReader], photo: Path, tmp_path: Path) -> None:
    again = tmp_path / "folder" / "hand.jpg"
    again.parent.mkdir()
    again.write_bytes(_picture())
    out = tmp_path / "new" / "out"
    result = _score(photo, again, "--save", out)
    assert result.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["hand-fanlens-2.jpg", "hand-fanlens.jpg"]
    with Image.open(out / "hand-fanlens.jpg") as drawn:
        assert drawn.width >= 1000
    assert str(out / "hand-fanlens.jpg") in result.stdout


def test_save_beside_the_photo_keeps_the_photo(reader: list[MadeUpReader], photo: Path) -> None:
    before = photo.read_bytes()
    assert _score(photo, "--save", photo.parent).exit_code == 0
    assert photo.read_bytes() == before


def test_animation_is_said_to_be_one(reader: list[MadeUpReader], tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (640, 300), (shade, shade, shade)) for shade in (60, 90)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert "2 frames; the first was read" in _score(path).stdout
    assert _lines(_score(path, "--json"))[0]["image"]["notes"] == ["2 frames; the first was read"]


def test_unknown_model(photo: Path) -> None:
    result = _score(photo, "--model", "no-such-model")
    assert result.exit_code == 2
    assert "no-such-model" in result.stderr
    assert "Traceback" not in result.stderr


def test_whatever_one_photo_brings_about_the_rest_is_read(
    reader: list[MadeUpReader], photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = reader[0].read, []

    def broken_once(*arguments: Any, **named: Any) -> Reading:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("boom")
        return real(*arguments, **named)

    monkeypatch.setattr(reader[0], "read", broken_once)
    result = _score(photo, photo, "--json")
    assert result.exit_code == 1
    first, second = _lines(result)
    assert first["error"]["code"] == "failed"
    assert second["score"] is not None
