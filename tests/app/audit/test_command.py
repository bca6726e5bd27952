"""`fanlens audit` from footage to folder, with a reader of painted tiles."""

from __future__ import annotations

import json
from pathlib import Path

import click
import fanlens.app.audit_command as command
import pytest
from click.testing import CliRunner, Result
from fanlens.app.main import cli
from fanlens.vision.reading import ModelInfo
from fanlens.vision.video import See

from ...vision.video.painted import HAND, Pixels, played, row, see, table, write_video

SHEET = "hand,round_wind,winner,win_type,fan\n1,E,S,discard,{fan}\n"


class PaintedReading:
    """Stands in for the model."""

    info = ModelInfo("painted", "0" * 64)
    looks = 0

    def __init__(self, model: str | None) -> None:
        pass

    def see(self) -> See:
        def look(rgb: Pixels):  # type: ignore[no-untyped-def]
            PaintedReading.looks += 1
            return see(rgb)

        return look


@pytest.fixture(autouse=True)
def _painted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_Reading", PaintedReading)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare table; thirteen tiles from 1.0 s, the last (5s) from 1.8 s, gone at 4.0 s."""
    bare = table()
    steps = [(0.0, bare), (1.0, row(bare, HAND[:13])), (1.8, row(bare, HAND)), (4.0, bare)]
    return write_video(tmp_path_factory.mktemp("audit") / "game.mp4", played(steps, 5.0, 10.0))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["audit", *map(str, arguments)])


def test_from_video_to_report_and_judged_again(video: Path, tmp_path: Path) -> None:
    out, sheet = tmp_path / "out", tmp_path / "sheet.csv"
    sheet.write_text(SHEET.format(fan=21))
    result = run(video, "--out", out, "--sheet", sheet)
    assert result.exit_code == 0, result.output
    assert "1 hand: 1 agree, 0 disagree, 0 needs review" in result.output
    data = json.loads((out / "events.json").read_text(encoding="utf-8"))
    (event,) = data["events"]
    assert event["start"] == pytest.approx(1.8, abs=0.3)
    assert event["end"] == pytest.approx(4.0, abs=0.3)
    assert event["hand"]["winning_tile"] == "5s"
    assert event["winning_tile_from"] == "motion"
    frames = data["video"]["frames"]
    assert frames["looked_at"] + frames["skipped"] + frames["failed"] == 50
    assert (out / "report.html").is_file()

    # A new sheet and corrections are judged without watching again.
    looks = PaintedReading.looks
    sheet.write_text(SHEET.format(fan=21))
    fixed = tmp_path / "fixed.json"
    tiles = [{"id": i, "tile": name} for i, name in enumerate(["2m", "3m", "4m"])]
    fixed.write_text(json.dumps({"image": event["image"]["path"], "tiles": tiles}))
    result = run(video, "--out", out, "--sheet", sheet, "--resume", "--corrections", fixed, "--json")
    assert result.exit_code == 0, result.output
    (event,) = json.loads(result.stdout)["events"]
    assert event["hand"]["concealed"][:3] == ["2m", "3m", "4m"]
    assert [tile["seen"] for tile in event["tiles"][:3]] == ["1m", "2m", "3m"]
    assert event["verdict"] == "disagree"
    assert PaintedReading.looks == looks


def test_interrupted_and_gone_on_with(video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:

        class Interrupting(PaintedReading):
            def see(self) -> See:
                look, done = super().see(), []

                def stop(rgb: Pixels):  # type: ignore[no-untyped-def]
                    done.append(look(rgb))
                    if len(done) == 3:
                        raise KeyboardInterrupt
                    return done[-1]

                return stop

        patch.setattr(command, "_Reading", Interrupting)
        result = run(video, "--out", out)
    assert result.exit_code == 130
    data = json.loads((out / "events.json").read_text(encoding="utf-8"))
    assert data["complete"] is False
    assert "interrupted" in (out / "report.html").read_text(encoding="utf-8")
    result = run(video, "--out", out, "--resume")
    assert result.exit_code == 0, result.output
    data = json.loads((out / "events.json").read_text(encoding="utf-8"))
    assert data["complete"] is True
    assert len(data["events"]) == 1
    frames = data["video"]["frames"]
    assert frames["looked_at"] + frames["skipped"] == 50


def test_a_part_of_the_footage(video: Path, tmp_path: Path) -> None:
    result = run(video, "--out", tmp_path, "--from", "0:00:04.2", "--json")
    data = json.loads(result.stdout)
    assert data["events"] == []
    assert data["video"]["frames"]["skipped"] + data["video"]["frames"]["looked_at"] == 8
    assert data["settings"]["from"] == pytest.approx(4.2)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.mp4", "--out", "out"], 1, "missing.mp4: there is no such file."),
        (["VIDEO", "--out", "out", "--from", "5", "--to", "4"], 2, "it must be later than --from."),
        (["VIDEO", "--out", "out", "--region", "1,2,3"], 2, "is no region"),
        (["VIDEO", "--out", "out", "--from", "1:75"], 2, "is no time"),
        (["VIDEO", "--out", "out", "--resume"], 1, "there is no audit to go on with."),
        (["VIDEO"], 2, "Missing option '--out'"),
    ],
)
def test_wrong_usage_gets_one_sentence(
    video: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*(str(video) if word == "VIDEO" else word for word in arguments))
    assert result.exit_code == code
    assert message in result.output
    assert "Traceback" not in result.output


def test_a_bad_sheet_is_refused_before_anything_is_watched(video: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("hand,fan\n1,many\n")
    result = run(video, "--out", tmp_path / "out", "--sheet", sheet)
    assert result.exit_code == 2
    assert 'fan is "many"' in result.output
    assert not (tmp_path / "out").exists()


def test_every_option_is_documented() -> None:
    result = run("-h")
    assert result.exit_code == 0
    for parameter in command.audit.params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name
