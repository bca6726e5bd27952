"""Rows of the sheet and hands of the footage: in order, and by time where given."""

from __future__ import annotations

from fanlens.app.audit.match import Seen, match
from fanlens.app.score_sheet import SheetRow


def test_in_order_whatever_the_totals() -> None:
    rows = [SheetRow(hand=1, fan=8), SheetRow(hand=2, fan=24), SheetRow(hand=3, fan=12)]
    assert match(rows, [Seen(10, 8, 8), Seen(60, 30, 30), Seen(90, 12, 12)]) == [0, 1, 2]


def test_a_drawn_hand_is_laid_down_by_nobody() -> None:
    rows = [SheetRow(hand=1, fan=8), SheetRow(hand=2, win_type="draw"), SheetRow(hand=3, fan=12)]
    assert match(rows, [Seen(10, 8, 8), Seen(90, 12, 12)]) == [0, 2]


def test_without_times_the_fan_tell_which_row_has_no_hand() -> None:
    rows = [SheetRow(hand=1, fan=8), SheetRow(hand=2, fan=24), SheetRow(hand=3, fan=12)]
    assert match(rows, [Seen(10, 8, 8), Seen(90, 12, 12)]) == [0, 2]


def test_times_tell_it_too() -> None:
    rows = [SheetRow(hand=1, start=0.0), SheetRow(hand=2, start=300.0), SheetRow(hand=3, start=600.0)]
    assert match(rows, [Seen(250, None, None), Seen(800, None, None)]) == [0, 2]


def test_a_hand_too_many_stays_alone() -> None:
    rows = [SheetRow(hand=1, fan=8, start=0.0), SheetRow(hand=2, fan=24, start=300.0)]
    assert match(rows, [Seen(100, 8, 8), Seen(200, 50, 50), Seen(400, 24, 24)]) == [0, None, 1]


def test_nothing_to_match() -> None:
    assert match([], [Seen(1, 8, 8)]) == [None]
    assert match([SheetRow(hand=1)], []) == []


def test_what_footage_cannot_show_parts_no_pair() -> None:
    """A hand worth 1 fan by a self-draw, none by a discard; the first row is its, with the flowers too."""
    rows = [SheetRow(hand=1, fan=1, flowers=2), SheetRow(hand=2, fan=89, flowers=1)]
    assert match(rows, [Seen(10, 0, 1, 2)]) == [0]
    assert match(rows, [Seen(10, 88, 89, 1)]) == [1]


def test_equal_fan_are_told_apart_by_their_flowers() -> None:
    rows = [SheetRow(hand=1, fan=8, flowers=0), SheetRow(hand=2, fan=8, flowers=3)]
    assert match(rows, [Seen(10, 8, 8, 3)]) == [1]
    assert match(rows, [Seen(10, 8, 8, 0)]) == [0]
