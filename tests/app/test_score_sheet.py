"""The score sheet as CSV."""

from __future__ import annotations

import csv
import io
from types import MappingProxyType

import pytest
from fanlens.app.score_sheet import COLUMNS, SEATS, SheetError, SheetRow, read_sheet, write_sheet
from hypothesis import example, given
from hypothesis import strategies as st

_text = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), max_size=12)
_maybe = st.none() | st.booleans()


@st.composite
def rows(draw: st.DrawFn, hand: int = 1) -> SheetRow:
    winner = draw(st.none() | st.sampled_from(SEATS))
    discarder = draw(st.none() | st.sampled_from([seat for seat in SEATS if seat != winner]))
    return SheetRow(
        hand=draw(st.integers(1, 999)),
        round_wind=draw(st.none() | st.sampled_from(SEATS)),
        winner=winner,
        discarder=discarder,
        win_type=draw(st.sampled_from([None, "discard"])),
        winning_tile=draw(st.none() | st.sampled_from(["1m", "E", "9s"])),
        last_tile=draw(_maybe),
        kong_replacement=draw(_maybe),
        robbing_kong=draw(_maybe),
        fourth_tile=draw(_maybe),
        flowers=draw(st.none() | st.integers(0, 8)),
        fan=draw(st.none() | st.integers(0, 400)),
        fans=tuple(draw(st.lists(st.integers(1, 82), max_size=6))),
        start=draw(st.none() | st.integers(0, 7200).map(float)),
        note=draw(_text),
        other=MappingProxyType({"referee": draw(_text), "=sum": draw(_text)}),
    )


@given(rows())
def test_what_is_written_is_read_back(row: SheetRow) -> None:
    assert read_sheet(write_sheet([row])) == (row,)


@given(rows())
@example(SheetRow(1, note="=1"))
@example(SheetRow(1, note='"=1'))  # a quotation mark makes it text
def test_no_cell_is_a_formula(row: SheetRow) -> None:
    for cell in [*csv.reader(io.StringIO(write_sheet([row]), newline=""))][-1]:
        assert not cell.startswith(("=", "+", "@"))


def test_the_columns_are_those_of_the_contract() -> None:
    assert COLUMNS == (
        "hand", "round_wind", "winner", "discarder", "win_type", "winning_tile", "last_tile",
        "kong_replacement", "robbing_kong", "fourth_tile", "flowers", "fan", "fans", "start", "note",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("start", "seconds"), [("95", 95), ("1:35", 95), ("0:01:35", 95), ("1:01:35.5", 3695.5), ("", None)]
)
def test_start_as_seconds_or_time(start: str, seconds: float | None) -> None:
    assert read_sheet(f"hand,start\n1,{start}\n")[0].start == seconds


def test_other_programs_spellings() -> None:
    text = "\ufeffHAND;Winner;Win_Type;last_tile;fans\r\n1;e;Self-Draw;yes;28; \r\n\r\n".replace(
        "28; ", '"28;60"'
    )
    (row,) = read_sheet(text)
    assert (row.winner, row.win_type, row.last_tile, row.fans) == ("E", "self-draw", True, (28, 60))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The sheet is empty."),
        ("winner\nE\n", "The sheet has no column called hand."),
        ("hand,hand\n1,1\n", "The sheet has the column hand twice."),
        ("hand\n1\n1\n", "The sheet has hand 1 twice."),
        ("hand,winner\n,E\n", "Row 2 of the sheet has no hand number."),
        ("hand\n1,2\n", "Row 2 of the sheet has more cells than there are columns."),
        ("hand,winner\n1,X\n", 'Row 2 of the sheet: winner is "X", but should be one of E, S, W, N.'),
        ("hand,fan\n1,-3\n", 'Row 2 of the sheet: fan is "-3", but should be a whole number from 0 to 9999.'),
        ("hand,fans\n1,83\n", 'Row 2 of the sheet: fans is "83", but should be a whole number from 0 to 82.'),
        (
            "hand,last_tile\n1,maybe\n",
            'Row 2 of the sheet: last_tile is "maybe", but should be 1, 0 or empty.',
        ),
        ("hand,start\n1,soon\n", 'Row 2 of the sheet: start is "soon", but should be seconds or h:mm:ss.'),
        (
            "hand,win_type,winner\n1,draw,E\n",
            "Row 2 of the sheet: a drawn hand has no winner, discarder or fans.",
        ),
        (
            "hand,win_type,discarder\n1,self-draw,E\n",
            "Row 2 of the sheet: a self-drawn win has no discarder.",
        ),
        ("hand,winner,discarder\n1,E,E\n", "Row 2 of the sheet: E cannot win on their own discard."),
    ],
)
def test_what_is_no_sheet_is_told_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(SheetError) as caught:
        read_sheet(text)
    assert str(caught.value) == message
