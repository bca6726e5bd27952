"""Roles told by when tiles came, on hands laid out so that the picture alone says otherwise."""

from __future__ import annotations

from dataclasses import replace

from fanlens.app.audit.verdicts import judge, read_found
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import SheetRow
from fanlens.scoring import Hand, Meld
from fanlens.vision.corrections import Correction

from .conftest import Finds

# Five tiles that stand, the groups apart: ids 0 to 4, 5 to 7, 8 to 10 and 11 to 13.
APART = "[555s] [567p] [789m] 77m 88p + 8p"
NOTHING = SheetRow(
    hand=1, round_wind="E", winner="S", win_type="discard",
    last_tile=False, kong_replacement=False, robbing_kong=False, fourth_tile=False,
)  # fmt: skip


def test_a_group_turned_up_with_the_rest_is_concealed(find: Finds) -> None:
    """Two Concealed Pungs 2 need the 5s in the hand; No Honors 1 is all there is without."""
    found = replace(find(APART), new=(0, 1, 2, 3, 4, 5, 6, 7), old=(8, 9, 10, 11, 12, 13))
    reading, source = read_found(found, None, Given())
    assert reading.hand is not None
    assert sorted(reading.hand.concealed) == ["5s", "5s", "5s", "7m", "7m", "8p", "8p"]
    assert reading.hand.melds == (Meld("chow", ("5p", "6p", "7p")), Meld("chow", ("7m", "8m", "9m")))
    assert (reading.hand.winning_tile, source) == ("8p", "motion")
    assert reading.corrections == ()
    assert judge(found, replace(NOTHING, fan=1), Given()).verdict == "agree"


def test_a_group_that_lay_there_before_is_a_meld(find: Finds) -> None:
    """All Chows 2 and No Honors 1; were the 123m in the hand, Concealed Hand 2 came to it."""
    found = find("123m 456m 234p 67s 99s + 8s")
    row = replace(NOTHING, fan=3)
    assert judge(found, row, Given()).verdict == "disagree"
    timed = replace(found, new=tuple(range(3, 14)), old=(0, 1, 2))
    judged = judge(timed, row, Given())
    assert judged.verdict == "agree"
    assert judged.reading.hand == Hand(
        ("4m", "5m", "6m", "2p", "3p", "4p", "6s", "7s", "9s", "9s"),
        "8s",
        (Meld("chow", ("1m", "2m", "3m")),),
    )


def test_what_fits_no_hand_says_nothing(find: Finds) -> None:
    """Two tiles that lay there before are no meld, nor is a row of which not all is known."""
    found = find("123m 456m 234p 67s 99s + 8s")
    for new, old in ((range(2, 14), (0, 1)), (range(4, 14), (0, 1, 2)), ((), (0, 1, 2))):
        reading, _ = read_found(replace(found, new=tuple(new), old=tuple(old)), None, Given())
        assert reading.hand is not None
        assert reading.hand.melds == ()


def test_a_reviewers_roles_go_before_the_footage(find: Finds) -> None:
    found = replace(find("123m 456m 234p 67s 99s + 8s"), new=tuple(range(3, 14)), old=(0, 1, 2))
    reading, _ = read_found(found, None, Given(), [Correction(id=0, role="concealed")])
    assert reading.hand is not None
    assert reading.hand.melds == ()
