"""Verdicts and their reasons, on hands whose worth was counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fanlens.app.audit import verdicts
from fanlens.app.audit.found import Found
from fanlens.app.audit.verdicts import judge, read_found
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import SheetRow
from fanlens.scoring import Context
from fanlens.vision.boxes import MeldBox
from fanlens.vision.corrections import Correction
from fanlens.vision.reading import Reading, ReadTile

from .conftest import Finds

# Pure Straight 16, Concealed Hand 2, All Chows 2, Single Wait 1.
STRAIGHT = "123456789m 234p 5s + 5s"
ROW = SheetRow(hand=4, round_wind="E", winner="S", win_type="discard", fan=21)
NOTHING = replace(ROW, last_tile=False, kong_replacement=False, robbing_kong=False, fourth_tile=False)


def test_the_same_fan_agrees(find: Finds) -> None:
    judged = judge(find(STRAIGHT), ROW, Given())
    assert judged.reading.score is not None
    assert judged.reading.score.score.fan == 21
    assert (judged.verdict, judged.winning_from) == ("agree", "motion")
    assert judged.reason == "Both have 21 fan."


def test_a_wrong_total_disagrees_and_names_the_fan(find: Finds) -> None:
    row = SheetRow(
        hand=4, round_wind="E", winner="S", win_type="discard", fan=19, last_tile=False,
        kong_replacement=False, robbing_kong=False, fourth_tile=False, winning_tile="5s",
    )  # fmt: skip
    judged = judge(find(STRAIGHT), row, Given())
    assert judged.verdict == "disagree"
    assert judged.reason == (
        "The footage shows 21 fan, the sheet has 19: the sheet lacks as much as Concealed Hand 门前清 (2)."
    )


def test_listed_fans_say_what_is_missing_and_what_is_too_much(find: Finds) -> None:
    row = SheetRow(hand=4, round_wind="E", winner="S", win_type="discard", fan=29, fans=(22, 62, 63, 79))
    judged = judge(find(STRAIGHT), row, Given())
    assert judged.verdict == "disagree"
    assert judged.reason == (
        "The footage shows 21 fan, the sheet has 29: the sheet lacks Pure Straight 清龙 (16), and "
        "the sheet counts Full Flush 清一色 (24), which the hand does not make."
    )


def test_an_unknown_circumstance_is_no_disagreement(find: Finds) -> None:
    """Drawn it is Fully Concealed 4 and Self-Drawn is implied: 21 - 2 + 4 = 23."""
    judged = judge(find(STRAIGHT), SheetRow(hand=4, round_wind="E", winner="S", fan=23), Given())
    assert judged.verdict == "needs review"
    assert judged.reason == (
        "The footage shows 21 fan, the sheet has 23, "
        "which would be right if the tile was drawn, not discarded."
    )


def test_the_sheets_circumstances_are_used(find: Finds) -> None:
    row = SheetRow(hand=4, round_wind="E", winner="S", win_type="self-draw", fan=23)
    assert judge(find(STRAIGHT), row, Given()).verdict == "agree"


def test_a_doubtful_tile_needs_a_look(find: Finds) -> None:
    """4p or 1p completes 23p, and both were seen."""
    found = find("123456789m 23p 55s + 4p", doubts={13: ("1p", 0.45)})
    judged = judge(found, SheetRow(hand=1, round_wind="E", winner="S", win_type="discard", fan=30), Given())
    assert judged.verdict == "needs review"
    assert judged.reason is not None
    assert "tile 13 may be 4p or 1p" in judged.reason


def test_no_winning_hand_disagrees(find: Finds) -> None:
    judged = judge(find("123456789m 234p 5s + 9s"), ROW, Given())
    assert judged.verdict == "disagree"
    assert judged.reason == "The tiles laid down are no winning hand, the sheet has 21 fan."


def test_a_hand_without_a_row_or_a_row_without_fan_needs_a_look(find: Finds) -> None:
    assert judge(find(STRAIGHT), None, Given()).reason == "No hand of the sheet belongs to this one."
    judged = judge(find(STRAIGHT), SheetRow(hand=7), Given())
    assert (judged.verdict, judged.reason) == (
        "needs review",
        "The sheet gives no fan for hand 7; the footage shows 21.",
    )


def test_the_winning_tile_by_motion_goes_before_the_sheets(find: Finds) -> None:
    row = SheetRow(hand=4, round_wind="E", winner="S", win_type="discard", fan=21, winning_tile="9m")
    judged = judge(find(STRAIGHT), row, Given())
    assert judged.verdict == "agree"
    assert judged.reason is not None
    assert judged.reason.endswith("The sheet's winning tile is 9m, but 5s came last in the footage.")
    assert judge(find(STRAIGHT, last=False), row, Given()).winning_from == "sheet"


def test_beside_four_melds_the_pair_has_won(find: Finds) -> None:
    # Nothing was seen to come last, and the sheet names a tile that can't have won.
    found = find("[222m] [333p] [333s] [888p] 5s + 5s", last=False)
    judged = judge(found, replace(ROW, winning_tile="2m"), Given())
    assert judged.winning_from == "hand"
    assert judged.reading.hand is not None
    assert (judged.reading.hand.concealed, judged.reading.hand.winning_tile) == (("5s",), "5s")


def test_a_reviewer_has_the_last_word(find: Finds) -> None:
    fixed = [Correction(id=8, role="winning")]
    reading, source = read_found(find(STRAIGHT), None, Given(), fixed)
    assert reading.hand is not None
    assert (reading.hand.winning_tile, source) == ("9m", "correction")


def test_circumstances_of_the_command_line_fill_the_gaps(find: Finds) -> None:
    given = Given(Context(self_draw=True), None, "current", frozenset({"self_draw"}))
    reading, _ = read_found(find(STRAIGHT), None, given)
    assert reading.score is not None
    assert reading.score.score.fan == 23


def test_a_tile_that_few_frames_showed_is_a_doubt(find: Finds) -> None:
    """A wrong sheet is for a person then, until a reviewer says what lies there."""
    found = replace(find(STRAIGHT), faint=(13,))
    row = replace(ROW, fan=16)
    judged = judge(found, row, Given())
    assert judged.verdict == "needs review"
    assert "tile 13 (5s) is doubtful" in (judged.reason or "")
    assert judged.reading.confidence <= 0.5
    judged = judge(found, row, Given(), [Correction(id=13, tile="5s")])
    assert "doubtful" not in (judged.reason or "")


def test_a_kong_of_unknown_kind_is_no_excuse_for_any_total(find: Finds) -> None:
    """Melded Kong 1, two pungs of terminals or honors 2, One Voided Suit 1.

    Concealed the kong makes 2, and Two Concealed Pungs 2 with the 1s.
    """
    found = find("[6666s] [789s] 77p 111s SS + S")
    row = replace(NOTHING, winner="W", fan=4)
    assert judge(found, row, Given()).verdict == "agree"
    assert judge(found, replace(row, fan=18), Given()).verdict == "disagree"


def test_a_kong_is_of_the_kind_that_the_sheet_declares(find: Finds) -> None:
    """The same hand: 4 fan with a melded kong, 7 with a concealed one.

    Drawn, the pung of S is concealed too: Three Concealed Pungs 16 for 2, and Self-Drawn 1, so 22.
    """
    found = find("[6666s] [789s] 77p 111s SS + S")
    judged = judge(found, replace(NOTHING, winner="W", fan=7), Given())
    assert (judged.verdict, judged.reason) == (
        "agree",
        "Both have 7 fan. A win needs 8 fan without flowers, this hand has 7. "
        "For the sheet the kong of 6s was concealed; the footage shows no more than its tiles.",
    )
    assert judged.reading.hand is not None
    assert judged.reading.score is not None
    assert judged.reading.hand.melds[0].kind == "concealed-kong"
    assert judged.reading.score.score.fan == 7
    assert judged.reading.corrections == ()
    listed = replace(NOTHING, winner="W", fan=7, fans=(74,))
    assert judge(found, listed, Given()).verdict != "agree"
    unknown = replace(NOTHING, winner="W", win_type=None, fan=22)
    judged = judge(found, unknown, Given())
    assert judged.verdict == "needs review"
    assert "the kong of 6s was concealed and the tile was drawn" in (judged.reason or "")


def test_a_kong_is_of_no_declared_kind_where_a_tile_is_in_doubt(find: Finds) -> None:
    """Short Straight 1, No Honors 1; Melded Kong 1, or concealed: Concealed Kong 2 and Concealed Hand 2."""
    row = replace(NOTHING, fan=6)
    assert judge(find("[6666s] 456789m 23p 55s + 4p"), row, Given()).verdict == "agree"
    found = find("[6666s] 456789m 23p 55s + 4p", doubts={10: ("1p", 0.45)})
    judged = judge(found, row, Given())
    assert judged.verdict == "needs review"
    assert "tile 10 may be 4p or 1p" in (judged.reason or "")


def test_a_tile_that_lies_apart_and_came_last_has_won(find: Finds) -> None:
    """A gap of a third of a tile alone leaves a doubt: without a single wait it were 20 fan."""
    found = find(STRAIGHT)
    *rest, won = found.sighting.tiles
    x0, y0, x1, y1 = won.box
    apart = replace(won, box=(x0 + 14, y0, x1 + 14, y1), corners=won.corners + np.array([14, 0], np.float32))
    found = replace(found, sighting=replace(found.sighting, tiles=(*rest, apart)))
    row = replace(NOTHING, fan=20)
    assert judge(replace(found, last=None), row, Given()).verdict == "needs review"
    judged = judge(found, row, Given())
    assert (judged.verdict, judged.winning_from) == ("disagree", "place")
    # Another tile that came last goes before a small gap, and what a person says before both.
    reading, source = read_found(replace(found, last=8), None, Given())
    assert reading.score is not None
    assert (reading.score.winning_tile, source) == ("9m", "motion")
    for tile in ("5s", "1m"):
        reading, source = read_found(replace(found, last=8), None, Given(winning_tile=tile))
        assert reading.score is not None
        assert (reading.score.winning_tile, source) == (tile, "command line")


def test_a_tile_beside_the_hand_that_may_belong_to_a_meld_is_a_doubt(
    find: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fourth tile of an added kong, for instance, may be taken for a discard."""
    read = verdicts.read_hand
    for chance, verdict in ((0.36, "needs review"), (0.01, "disagree")):

        def beside(*arguments: Any, chance: float = chance) -> Reading:
            reading = read(*arguments)
            box, roles = (0.0, 0.0, 40.0, 54.0), (("meld", chance),)
            tile = ReadTile(14, "5s", 0.99, box, "elsewhere", 0.6, role_alternatives=roles, flag="role")
            return replace(reading, tiles=(*reading.tiles, tile))

        monkeypatch.setattr(verdicts, "read_hand", beside)
        judged = judge(find(STRAIGHT), replace(NOTHING, fan=19), Given())
        assert judged.verdict == verdict
        assert ("tile 14 (5s)" in (judged.reason or "")) == (verdict == "needs review")


def _in_doubt(monkeypatch: pytest.MonkeyPatch, number: int, role: str, chance: float) -> None:
    """Every reading flags the role of a tile, which may be another one."""
    read = verdicts.read_hand

    def doubting(*arguments: Any) -> Reading:
        reading = read(*arguments)
        tiles = list(reading.tiles)
        if tiles[number].role != role:
            doubt: tuple[Any, ...] = ((role, chance),)
            tiles[number] = replace(tiles[number], flag="role", role_alternatives=doubt)
        return replace(reading, tiles=tuple(tiles))

    monkeypatch.setattr(verdicts, "read_hand", doubting)


def test_flowers_make_no_fan_so_they_leave_no_doubt_about_it(
    find: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    _in_doubt(monkeypatch, 14, "elsewhere", 0.4)
    found = find(STRAIGHT + " plum")
    assert judge(found, replace(NOTHING, fan=19), Given()).verdict == "disagree"


# A pung of W for a kong of it: Pure Straight 16, Pung of Terminals or Honors 1, One Voided Suit 1, Single
# Wait 1. Melded Kong 1 more, a concealed one 2 and Concealed Hand 2.
@pytest.mark.parametrize(
    ("fan", "verdict"), [(20, "agree"), (19, "needs review"), (17, "disagree"), (30, "disagree")]
)
def test_a_fourth_tile_in_doubt_is_one_where_a_pung_makes_the_sheets_fan(
    find: Finds, monkeypatch: pytest.MonkeyPatch, fan: int, verdict: str
) -> None:
    _in_doubt(monkeypatch, 14, "elsewhere", 0.3)
    found = find("123456789m 5s [WWWW] + 5s")
    assert judge(found, replace(NOTHING, fan=fan), Given()).verdict == verdict


@pytest.mark.parametrize(("fan", "verdict"), [(19, "agree"), (20, "needs review"), (21, "disagree")])
def test_a_fourth_tile_may_lie_upon_a_pung(find: Finds, fan: int, verdict: str) -> None:
    """As above: 19 for the pung, Melded Kong 1 more for a kong whose fourth tile hides another."""
    judged = judge(find("123456789m 5s [WWW] + 5s"), replace(NOTHING, fan=fan), Given())
    assert judged.verdict == verdict
    if verdict == "needs review":
        assert (judged.reason or "").endswith("which would be right if a fourth W lay upon the pung.")


def _claimed_at(found: Found, number: int, top: float) -> Found:
    """The find with a tile turned sideways, 56 by 41 pixels, its upper edge at `top`; its row: 200 to 254."""
    tiles = list(found.sighting.tiles)
    x0 = tiles[number].box[0]
    box = (x0, top, x0 + 56.0, top + 41.0)
    corners = np.array([(x0, top), (x0 + 56, top), (x0 + 56, top + 41), (x0, top + 41)], dtype=np.float32)
    tiles[number] = replace(tiles[number], box=box, corners=corners, up=90.0)
    (meld,) = found.sighting.melds
    around = (meld.box[0], min(top, meld.box[1]), x0 + 56.0, max(top + 41.0, meld.box[3]))
    return replace(
        found, sighting=replace(found.sighting.of(tiles), melds=(MeldBox(around, meld.confidence),))
    )


@pytest.mark.parametrize(
    ("top", "kong"),
    [(213.0, False), (200.0, False), (206.0, False), (193.0, True), (219.0, True)],
    ids=[
        "at the player's edge",
        "at the far edge",
        "in the middle",
        "beyond the far edge",
        "before the near one",
    ],
)
def test_a_fourth_tile_lies_upon_a_claimed_one_that_stands_out(find: Finds, top: float, kong: bool) -> None:
    """As above. The neighbours are 54 pixels high: 7 and 6 pixels beyond their edges are too much."""
    found = _claimed_at(find("123456789m 5s [WWW] + 5s"), 13, top)
    judged = judge(found, replace(NOTHING, fan=20), Given())
    assert judged.reading.hand is not None
    meld = judged.reading.hand.melds[0]
    if kong:
        assert (judged.verdict, meld.kind, meld.tiles) == ("agree", "melded-kong", ("W",) * 4)
        assert judged.reason == (
            "Both have 20 fan. "
            "For the sheet a fourth W lies upon the pung, whose claimed tile stands out of its row."
        )
    else:
        assert (judged.verdict, meld.kind) == ("needs review", "pung")
    # a sheet that counts the pung is right, however the tile lies
    assert judge(found, replace(NOTHING, fan=19), Given()).verdict == "agree"


def test_a_fourth_tile_in_sight_lies_upon_no_pung(find: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    read = verdicts.read_hand

    def with_discard(*arguments: Any) -> Reading:
        reading = read(*arguments)
        discard = ReadTile(14, "W", 0.99, (0.0, 0.0, 40.0, 54.0), "elsewhere", 0.99)
        return replace(reading, tiles=(*reading.tiles, discard))

    monkeypatch.setattr(verdicts, "read_hand", with_discard)
    judged = judge(find("123456789m 5s [WWW] + 5s"), replace(NOTHING, fan=20), Given())
    assert judged.verdict == "disagree"
