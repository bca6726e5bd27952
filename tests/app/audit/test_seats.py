"""Where hands lay, and whether the sheet's winner sat there."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fanlens.app.audit.found import Found, Part, State
from fanlens.app.audit.run import Wanted, finish
from fanlens.app.audit.seats import Place
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import Seat, SheetRow
from fanlens.vision.reading import ModelInfo
from fanlens.vision.video import Region, Settings
from PIL import Image

from .conftest import Finds

HAND = "123456789m 234p 5s + 5s"
UPS = {"near": 0.0, "right": 270.0, "far": 180.0, "left": 90.0}
MIDDLE = (400.0, 300.0)
SKEW = 6.0
"""Degrees by which the camera is turned against the table."""


def facing(found: Found, side: str, scale: float = 1.0) -> Found:
    """The hand as it lies for a player at this side, the picture's middle staying where it is."""
    angle = np.radians(UPS[side] + SKEW)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * scale
    tiles = []
    for tile in found.sighting.tiles:
        corners = ((tile.corners - MIDDLE) @ turn + MIDDLE).astype(np.float32)
        low, high = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        up, sure = np.degrees(angle), 0.99
        if tile.best in ("2p", "4p", "5s"):
            # These look the same upside down.
            up, sure = up + 180, 0.55
        placed = replace(tile, box=(*low, *high), corners=corners)
        tiles.append(replace(placed, up=float(up % 360), up_confidence=sure))
    return replace(found, sighting=replace(found.sighting, tiles=tuple(tiles)))


def audited(
    find: Finds, folder: Path, sides: list[str], winners: list[Seat], *regions: Region
) -> tuple[list[Place], list[tuple[str | None, str]], dict[str, object]]:
    found = [facing(find(HAND, 100.0 * n, number=n), side) for n, side in enumerate(sides, 1)]
    part = Part("game.mp4", "ab" * 32, 900.0, 27000, 800, 600, reached=900.0, done=True)
    rows = tuple(
        SheetRow(hand=n, round_wind="E", winner=winner, win_type="discard", fan=21)
        for n, winner in enumerate(winners, 1)
    )
    state = State({}, ModelInfo("test", "0" * 64), [part], found)
    audit, _ = finish(state, (), Wanted(folder, Settings(regions=regions), Given(), rows))
    data = json.loads((folder / "events.json").read_text(encoding="utf-8"))
    said = [(each.verdict, each.reason or "") for each in audit.judged]
    return [each.place for each in audit.judged], said, data


def test_a_win_noted_for_the_wrong_player(find: Finds, tmp_path: Path) -> None:
    """East of the first hand sits near; in hand 2 East is at the right, in hand 3 far, so South is left.

    In hand 4 East is left, so South is near: the sheet's West is wrong.
    """
    places, said, data = audited(find, tmp_path, ["near", "right", "left", "near"], ["E", "E", "S", "W"])
    assert [(place.side, place.seat) for place in places] == [
        ("near", "E"), ("right", "E"), ("left", "S"), ("near", "S"),
    ]  # fmt: skip
    assert [verdict for verdict, _ in said] == ["agree", "agree", "agree", "needs review"]
    assert said[3][1] == "Both have 21 fan. The sheet's winner is W, but this hand lay where S sat."
    assert [event["place"]["seat"] for event in data["events"]] == ["E", "E", "S", "S"]  # type: ignore[attr-defined]
    regions = data["regions"]
    assert [(each["side"], each["hands"]) for each in regions] == [("near", 2), ("right", 1), ("left", 1)]  # type: ignore[attr-defined]
    # A row from x = 60 to 633 and y = 300 to 354 in 800 x 600 pixels, turned by 6 degrees about the middle.
    assert regions[0]["box"] == pytest.approx([0.070, 0.441, 0.790, 0.630], abs=0.001)  # type: ignore[index]
    assert "S&#x27;s seat in that hand" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_winners_that_contradict_each_other_prove_nothing(find: Finds, tmp_path: Path) -> None:
    places, said, _ = audited(find, tmp_path, ["near", "right", "left", "near"], ["E", "E", "W", "W"])
    assert {place.seat for place in places} == {None}
    assert [verdict for verdict, _ in said] == ["agree"] * 4, said


def test_a_camera_carried_to_each_winner_proves_nothing(find: Finds, tmp_path: Path) -> None:
    places, _, _ = audited(find, tmp_path, ["near"] * 4, ["E", "N", "W", "W"])
    assert {place.seat for place in places} == {None}


def test_a_region_named_by_its_seat_needs_no_other_hands(find: Finds, tmp_path: Path) -> None:
    """Who sat South in the first hand is North in the third."""
    region = Region("S", (0.0, 0.4, 1.0, 1.0))
    places, said, _ = audited(find, tmp_path, ["near"] * 3, ["S", "E", "W"], region)
    assert [(place.region, place.seat) for place in places] == [("S", "S"), ("S", "E"), ("S", "N")]
    assert [verdict for verdict, _ in said] == ["agree", "agree", "needs review"]


def test_a_small_hand_is_shown_close_up_and_upright(find: Finds, tmp_path: Path) -> None:
    """A row of 573 x 54 pixels at half the size stands on the right side; the close-up lies."""
    part = Part("game.mp4", "ab" * 32, 900.0, 27000, 800, 600, reached=900.0, done=True)
    sides = ["near", "right"]
    found = [facing(find(HAND, 100.0 * n, number=n), side, 0.5) for n, side in enumerate(sides, 1)]
    state = State({}, ModelInfo("test", "0" * 64), [part], found)
    finish(state, (), Wanted(tmp_path, Settings(), Given()))
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = re.findall(r'class="close" src="data:image/jpeg;base64,([^"]+)"', report)
    sizes = [Image.open(io.BytesIO(base64.b64decode(data))).size for data in shown]
    assert len(sizes) == 2
    for width, height in sizes:
        assert 280 < width < 400
        assert 27 < height < 150
