"""The score sheet of a table as CSV: written by the page's match sheet, read by the audit.

One row is one hand. Seats are E S W N as they were in that hand, `fan` is without flowers,
an empty cell is unknown, and columns that are not ours are kept and written back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, cast

Seat = Literal["E", "S", "W", "N"]
WinType = Literal["self-draw", "discard", "draw"]

SEATS: Final[tuple[Seat, ...]] = ("E", "S", "W", "N")
WIN_TYPES: Final[tuple[WinType, ...]] = ("self-draw", "discard", "draw")
COLUMNS: Final = (
    "hand", "round_wind", "winner", "discarder", "win_type", "winning_tile", "last_tile",
    "kong_replacement", "robbing_kong", "fourth_tile", "flowers", "fan", "fans", "start", "note",
)  # fmt: skip

_TRUE: Final = frozenset({"1", "true", "yes", "y", "x"})
_FALSE: Final = frozenset({"0", "false", "no", "n"})
# A cell that starts so would be run as a formula by a spreadsheet program.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class SheetError(ValueError):
    """The text is no score sheet; the message is one sentence that names row and column.

    row: counted from 1 for the header; column: its name; None where none is to blame.
    """

    def __init__(self, message: str, row: int | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.column = column


@dataclass(frozen=True)
class SheetRow:
    """One hand as declared; None is unknown.

    hand: its number, from 1. fan: without flowers. fans: WMO 2006 numbers, repeated where a fan
    counts more than once. start: seconds from the first frame of the recording.
    other: the columns that are not ours, by name.
    """

    hand: int
    round_wind: Seat | None = None
    winner: Seat | None = None
    discarder: Seat | None = None
    win_type: WinType | None = None
    winning_tile: str | None = None
    last_tile: bool | None = None
    kong_replacement: bool | None = None
    robbing_kong: bool | None = None
    fourth_tile: bool | None = None
    flowers: int | None = None
    fan: int | None = None
    fans: tuple[int, ...] = ()
    start: float | None = None
    note: str = ""
    other: MappingProxyType[str, str] = field(default_factory=lambda: MappingProxyType({}))


def read_sheet(text: str) -> tuple[SheetRow, ...]:
    """Read CSV text (a byte order mark, `;` or tab as separator, and any column order are accepted).

    Raises SheetError for a missing `hand` column, a cell that means nothing, contradictory cells,
    or one hand given twice.
    """
    text = text.removeprefix("\ufeff")
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise SheetError(f"The sheet is no valid CSV: {error}.") from None
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        raise SheetError("The sheet is empty.")
    header = [name.strip().lower() for name in lines[0]]
    if "hand" not in header:
        raise SheetError("The sheet has no column called hand.")
    doubled = {name for name in header if name and header.count(name) > 1}
    if doubled:
        raise SheetError(f"The sheet has the column {sorted(doubled)[0]} twice.")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if len(line) > len(header):
            raise SheetError(f"Row {number} of the sheet has more cells than there are columns.", number)
        cells = {name: cell.strip() for name, cell in zip(header, line, strict=False) if name}
        rows.append(_row(cells, number))
    seen: set[int] = set()
    for number, row in enumerate(rows, start=2):
        if row.hand in seen:
            raise SheetError(f"The sheet has hand {row.hand} twice.", number, "hand")
        seen.add(row.hand)
    return tuple(rows)


def write_sheet(rows: Iterable[SheetRow]) -> str:
    """CSV text with a header: our columns in order, then the others in the order they first occur."""
    rows = list(rows)
    others = list(dict.fromkeys(name for row in rows for name in row.other))
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *others])
    for row in rows:
        own = [_cell(getattr(row, name)) for name in COLUMNS]
        writer.writerow([*own, *(_cell(row.other.get(name, "")) for name in others)])
    return out.getvalue()


def _row(cells: dict[str, str], number: int) -> SheetRow:
    def fail(column: str, wanted: str) -> SheetError:
        value = cells[column][:40]
        message = f'Row {number} of the sheet: {column} is "{value}", but should be {wanted}.'
        return SheetError(message, number, column)

    def choice(column: str, allowed: tuple[str, ...]) -> str | None:
        value = cells.get(column, "")
        folded = {name.lower(): name for name in allowed}
        if not value:
            return None
        if value.lower() not in folded:
            raise fail(column, f"one of {', '.join(allowed)}")
        return folded[value.lower()]

    def count(column: str, text: str, most: int) -> int | None:
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) <= most):
            raise fail(column, f"a whole number from 0 to {most}")
        return int(text)

    def truth(column: str) -> bool | None:
        value = cells.get(column, "").lower()
        if not value:
            return None
        if value not in _TRUE | _FALSE:
            raise fail(column, "1, 0 or empty")
        return value in _TRUE

    hand = count("hand", cells.get("hand", ""), 999)
    if not hand:
        raise SheetError(f"Row {number} of the sheet has no hand number.", number, "hand")
    fans = []
    for part in cells.get("fans", "").replace(" ", "").split(";"):
        fan = count("fans", part, 82)
        if fan == 0:
            raise fail("fans", "fan numbers from 1 to 82 separated by ;")
        if fan is not None:
            fans.append(fan)
    row = SheetRow(
        hand=hand,
        round_wind=cast("Seat | None", choice("round_wind", SEATS)),
        winner=cast("Seat | None", choice("winner", SEATS)),
        discarder=cast("Seat | None", choice("discarder", SEATS)),
        win_type=cast("WinType | None", choice("win_type", WIN_TYPES)),
        winning_tile=_text(cells.get("winning_tile", "")) or None,
        last_tile=truth("last_tile"),
        kong_replacement=truth("kong_replacement"),
        robbing_kong=truth("robbing_kong"),
        fourth_tile=truth("fourth_tile"),
        flowers=count("flowers", cells.get("flowers", ""), 8),
        fan=count("fan", cells.get("fan", ""), 9999),
        fans=tuple(fans),
        start=_seconds(cells.get("start", ""), number),
        note=_text(cells.get("note", "")),
        other=MappingProxyType({k: _text(v) for k, v in cells.items() if k not in COLUMNS}),
    )
    _check(row, number)
    return row


def _check(row: SheetRow, number: int) -> None:
    where = f"Row {number} of the sheet"
    if row.win_type == "draw" and (row.winner or row.discarder or row.fan or row.fans):
        raise SheetError(f"{where}: a drawn hand has no winner, discarder or fans.", number)
    if row.win_type == "self-draw" and row.discarder:
        raise SheetError(f"{where}: a self-drawn win has no discarder.", number)
    if row.winner and row.winner == row.discarder:
        raise SheetError(f"{where}: {row.winner} cannot win on their own discard.", number)


def _seconds(text: str, number: int) -> float | None:
    """Seconds from `95`, `95.5`, `1:35` or `0:01:35.5`."""
    if not text:
        return None
    total = 0.0
    try:
        parts = text.split(":")
        if len(parts) > 3:
            raise ValueError
        for index, part in enumerate(parts):
            value = float(part)
            if not 0 <= value < 1e6 or (index and value >= 60):
                raise ValueError
            total = total * 60 + value
    except ValueError:
        message = f'Row {number} of the sheet: start is "{text[:40]}", but should be seconds or h:mm:ss.'
        raise SheetError(message, number, "start") from None
    return total


def _text(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "1" if value else "0"
        case float():
            return f"{value:g}" if value < 1e5 else f"{value:.0f}"
        case tuple():
            return ";".join(str(item) for item in value)
        case str() if value.lstrip("'").startswith(_FORMULA):
            return f"'{value}"
        case _:
            return str(value)
