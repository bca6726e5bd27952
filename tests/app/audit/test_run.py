"""The output folder: events.json, events.csv, pictures and the report."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from fanlens.app.audit.events import timecode
from fanlens.app.audit.found import Part, State, StateError, load, save
from fanlens.app.audit.run import Wanted, finish
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import SheetRow
from fanlens.scoring import format_tiles
from fanlens.vision.corrections import Correction, Corrections, CorrectionsError
from fanlens.vision.reading import ModelInfo
from fanlens.vision.video import Break, Counts, Settings

from .conftest import Finds

EVIL = '<script>alert("x")</script>'


def state_of(*found: Any, done: bool = True) -> State:
    part = Part("game <1>.mp4", "ab" * 32, 120.0, 3600, 800, 600, Counts(9, 3589, 2), [], 120.0, 0.0, done)
    settings = {"from": 0.0, "to": None, "every": None, "regions": []}
    return State(settings, ModelInfo("test", "0" * 64), [part], list(found))


def test_the_folder_of_an_audit(find: Finds, tmp_path: Path) -> None:
    state = state_of(
        find("123456789m 234p 5s + 5s", 10.0, number=1),
        find("[EEE] [345p] 99p 789s 22s + 2s plum", 70.0, number=2),
    )
    rows = (
        SheetRow(hand=1, round_wind="E", winner="S", win_type="discard", fan=21, note=EVIL,
                 other=MappingProxyType({"south": "Ann <i>"})),
        SheetRow(hand=2, win_type="draw"),
        SheetRow(hand=3, round_wind="E", winner="E", win_type="discard", fan=99, last_tile=False,
                 kong_replacement=False, robbing_kong=False, fourth_tile=False),
        SheetRow(hand=4, round_wind="E", winner="N", win_type="discard", fan=8, start=100.0),
    )  # fmt: skip
    audit, warnings = finish(state, (), Wanted(tmp_path, Settings(), Given(), rows))
    assert warnings == []
    data = json.loads((tmp_path / "events.json").read_text(encoding="utf-8"))
    assert data["video"]["sha256"] == "ab" * 32
    assert data["video"]["duration"] == 120.0
    assert data["video"]["frames"] == {"looked_at": 9, "skipped": 3589, "failed": 2}
    assert data["model"] == {"name": "test", "sha256": "0" * 64}
    first, second = data["events"]
    assert (first["start"], first["end"], first["seconds"], first["frame"]) == (10.0, 18.0, 11.5, 345)
    assert first["timecode"] == "0:00:11.500"
    assert format_tiles(first["hand"]["concealed"]) == "123456789m 234p 5s"
    assert first["hand"]["winning_tile"] == "5s"
    assert (first["score"]["fan"], first["verdict"], first["declared"]["hand"]) == (21, "agree", 1)
    assert (second["verdict"], second["declared"]["hand"]) == ("disagree", 3)
    assert [meld["kind"] for meld in second["hand"]["melds"]] == ["pung", "chow"]
    assert second["hand"]["flowers"] == ["plum"]
    assert [row["hand"] for row in data["missing"]] == [4]
    for event in data["events"]:
        assert (tmp_path / event["picture"]).read_bytes().startswith(b"\xff\xd8")

    lines = list(csv.DictReader(io.StringIO((tmp_path / "events.csv").read_text(encoding="utf-8-sig"))))
    assert [line["verdict"] for line in lines] == ["agree", "disagree"]
    assert lines[0]["hand"] == "123456789m 234p 5s + 5s"
    assert (lines[0]["fan"], lines[0]["declared_fan"], lines[0]["timecode"]) == ("21", "21", "0:00:11.500")

    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert EVIL not in report
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in report
    assert "Ann &lt;i&gt;" in report
    assert "game &lt;1&gt;.mp4" in report
    assert report.count("data:image/jpeg;base64,") == 2
    assert "http://" not in report.replace("http://www.w3.org", "")
    assert "https://" not in report
    assert "default-src 'none'" in report
    assert len(audit.judged) == 2


def test_what_a_reader_must_know_stands_on_top(find: Finds, tmp_path: Path) -> None:
    state = state_of(done=False)
    state.parts[0].reached = 61.5
    state.parts[0].breaks = [Break(30.0, 900, "the video is damaged here (invalid data)")]
    finish(state, [find("123456789m 234p 5s + 5s")], Wanted(tmp_path, Settings(), Given()))
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "interrupted at 0:01:01.500" in report
    assert "at 0:00:30.000: the video is damaged here" in report
    data = json.loads((tmp_path / "events.json").read_text(encoding="utf-8"))
    assert data["complete"] is False
    assert data["events"][0]["verdict"] is None
    assert data["events"][0]["declared"] is None
    assert data["video"]["breaks"][0]["frame"] == 900


def test_corrections_pin_and_the_rest_is_worked_out_anew(find: Finds, tmp_path: Path) -> None:
    """The 9s was a 5s: then it is the straight again."""
    state = state_of(find("123456789m 234p 5s + 9s"))
    fix = Corrections((Correction(id=13, tile="5s"),), image="frames/hand-001.jpg")
    other = Corrections((Correction(id=1, tile="5s"),), image="other.jpg")
    audit, warnings = finish(state, (), Wanted(tmp_path, Settings(), Given(), None, (fix, other)))
    assert warnings == ["The corrections of other.jpg belong to no hand of this audit."]
    reading = audit.judged[0].reading
    assert reading.score is not None
    assert reading.score.score.fan == 21
    assert (reading.tiles[13].tile, reading.tiles[13].confidence, reading.tiles[13].seen) == ("5s", 1.0, "9s")
    wrong = Corrections((Correction(id=99, tile="5s"),), sha256=f"{1:064d}")
    wanted = Wanted(tmp_path, Settings(), Given(), None, (wrong,))
    with pytest.raises(CorrectionsError, match="hand 1: there is no tile 99"):
        finish(state, (), wanted)


def test_what_was_found_is_kept_as_it_was(find: Finds, tmp_path: Path) -> None:
    state = state_of(find("[EEE] [1111p] 99p 789s 22s + 2s plum", doubts={2: ("8s", 0.3)}))
    save(state, tmp_path)
    again = load(tmp_path)
    assert again.parts == state.parts
    assert (again.settings, again.model) == (state.settings, state.model)
    one, other = again.found[0], state.found[0]
    assert (one.start, one.last, one.picture) == (other.start, other.last, other.picture)
    for a, b in zip(one.sighting.tiles, other.sighting.tiles, strict=True):
        assert a.box == b.box
        assert a.probabilities == pytest.approx(b.probabilities, abs=1e-4)
    assert one.sighting.melds == other.sighting.melds


@pytest.mark.parametrize("content", [None, "", "{}", '{"format": 1, "parts": [{}]}'])
def test_a_state_that_cannot_be_gone_on_with(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "watched.json").write_text(content)
    with pytest.raises(StateError) as caught:
        load(tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0:00:00.000"), (59.9996, "0:01:00.000"), (3661.25, "1:01:01.250")]
)
def test_timecodes(seconds: float, text: str) -> None:
    assert timecode(seconds) == text
