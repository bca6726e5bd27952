"""A match at one table: sixteen hands, who sat where, and what everybody has.

There is no dealer repeat, so a hand's number alone gives the prevalent wind and the seats. Each
round starts one seat on; before the third round East changes places with South and West with
North, the player who sat South in the first hand dealing first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from ...scoring import payments
from ...scoring.score import MINIMUM
from ..score_sheet import SEATS, Seat, SheetError, SheetRow, read_sheet, write_sheet

HANDS: Final = 16
TABLE_POINTS: Final = (4, 2, 1, 0)
# The order in which the four players sit around the table in each round.
_ORDER: Final = ((0, 1, 2, 3), (0, 1, 2, 3), (1, 0, 3, 2), (1, 0, 3, 2))
_NAME_COLUMNS: Final = ("east", "south", "west", "north")
_Value = TypeVar("_Value")


class MatchError(ValueError):
    """What was entered cannot be; the message is one plain sentence.

    code: `bad-sheet`, `own-discard` or `below-minimum`. place: the `hand` of the match, or the `row`
    and `column` of the sheet, as far as one is to blame.
    """

    def __init__(self, message: str, code: str = "bad-sheet", /, **place: str | int) -> None:
        super().__init__(message)
        self.code = code
        self.place = place


@dataclass(frozen=True)
class Match:
    """players: their names, in the order East, South, West, North of the first hand.

    rows: the hands entered so far, by number. penalties: points taken (negative) or given by the
    referee, by hand number and then by player (0 to 3).
    """

    players: tuple[str, str, str, str]
    rows: MappingProxyType[int, SheetRow] = field(default_factory=lambda: MappingProxyType({}))
    penalties: MappingProxyType[int, tuple[int, int, int, int]] = field(
        default_factory=lambda: MappingProxyType({})
    )


def prevalent_wind(number: int) -> Seat:
    """The wind of the round that hand `number` (1 to 16) lies in."""
    return SEATS[(number - 1) // 4]


def player_in(number: int, seat: Seat) -> int:
    """Which player (0 to 3) sits in `seat` in hand `number` (1 to 16)."""
    order = _ORDER[(number - 1) // 4]
    return order[((number - 1) % 4 + SEATS.index(seat)) % 4]


def with_hand(match: Match, row: SheetRow, penalties: tuple[int, int, int, int] | None = None) -> Match:
    """The match with one hand entered or replaced; raises MatchError for a hand that cannot be."""
    _check(row)
    rows = {**match.rows, row.hand: replace(row, round_wind=prevalent_wind(row.hand))}
    taken = dict(match.penalties)
    if penalties is not None:
        taken.pop(row.hand, None)
        if any(penalties):
            taken[row.hand] = penalties
    return replace(match, rows=_sorted(rows), penalties=_sorted(taken))


def without_hand(match: Match, number: int) -> Match:
    rows = {key: row for key, row in match.rows.items() if key != number}
    taken = {key: points for key, points in match.penalties.items() if key != number}
    return replace(match, rows=_sorted(rows), penalties=_sorted(taken))


def points(match: Match, number: int) -> tuple[int, int, int, int]:
    """What hand `number` gives each player, penalties included.

    Zero until winner, payer and fan are known.
    """
    out = [0, 0, 0, 0]
    row = match.rows.get(number)
    if row and row.winner and row.fan is not None and (row.discarder or row.win_type == "self-draw"):
        paid = payments(row.fan + (row.flowers or 0), self_draw=row.win_type == "self-draw")
        for seat in SEATS:
            if seat == row.winner:
                out[player_in(number, seat)] += paid.winner
            else:
                pays = paid.discarder if seat == row.discarder else None
                out[player_in(number, seat)] -= paid.others if pays is None else pays
    for player, taken in enumerate(match.penalties.get(number, ())):
        out[player] += taken
    return out[0], out[1], out[2], out[3]


def table_points(totals: tuple[int, ...]) -> tuple[float, ...]:
    """4, 2, 1 and 0 by rank; players level on score share the points of the places they hold."""
    out = []
    for total in totals:
        ahead = sum(other > total for other in totals)
        level = totals.count(total)
        out.append(round(sum(TABLE_POINTS[ahead : ahead + level]) / level, 2))
    return tuple(out)


def to_json(match: Match) -> dict[str, Any]:
    """All that the page shows: sixteen hands with winds and running scores, and the standing."""
    running = [0, 0, 0, 0]
    hands = []
    for number in range(1, HANDS + 1):
        gained = points(match, number)
        running = [have + got for have, got in zip(running, gained, strict=True)]
        row = match.rows.get(number)
        hands.append(
            {
                "hand": number,
                "prevalent_wind": prevalent_wind(number),
                "seats": {seat: player_in(number, seat) for seat in SEATS},
                "entered": row is not None,
                "row": None if row is None else _row_json(row),
                "penalties": list(match.penalties.get(number, (0, 0, 0, 0))),
                "points": list(gained),
                "running": list(running),
            }
        )
    missing = [number for number in range(1, HANDS + 1) if number not in match.rows]
    return {
        "players": list(match.players),
        "hands": hands,
        "next": missing[0] if missing else None,
        "totals": running,
        "table_points": list(table_points(tuple(running))),
    }


def to_csv(match: Match) -> str:
    """The score sheet, with the players' names by seat and the penalties as columns of our own."""
    rows = []
    for number in sorted({*match.rows, *match.penalties}):
        row = match.rows.get(number) or SheetRow(hand=number, round_wind=prevalent_wind(number))
        names = {
            column: match.players[player_in(number, seat)]
            for column, seat in zip(_NAME_COLUMNS, SEATS, strict=True)
        }
        taken = match.penalties.get(number, (0, 0, 0, 0))
        by_seat = ((seat, taken[player_in(number, seat)]) for seat in SEATS)
        marks = ";".join(f"{seat}:{amount}" for seat, amount in by_seat if amount)
        rows.append(replace(row, other=MappingProxyType({**names, "penalties": marks, **row.other})))
    return write_sheet(rows)


def from_csv(text: str, players: tuple[str, str, str, str]) -> Match:
    """Read a score sheet; `players` are the names where it has none. Raises MatchError."""
    try:
        rows = read_sheet(text)
    except SheetError as error:
        place: dict[str, str | int] = {} if error.row is None else {"row": error.row}
        if error.column is not None:
            place["column"] = error.column
        raise MatchError(str(error), "bad-sheet", **place) from None
    names = list(players)
    match = Match(players)
    for row in rows:
        _check(row)
        if row.round_wind not in (None, prevalent_wind(row.hand)):
            raise MatchError(
                f"Hand {row.hand} lies in the round of {prevalent_wind(row.hand)}, "
                f"but the sheet says {row.round_wind}.",
                hand=row.hand,
            )
        for column, seat in zip(_NAME_COLUMNS, SEATS, strict=True):
            if row.other.get(column):
                names[player_in(row.hand, seat)] = row.other[column][:40]
        taken = _penalties(row)
        other = {k: v for k, v in row.other.items() if k not in (*_NAME_COLUMNS, "penalties")}
        bare = replace(row, other=MappingProxyType(other))
        if bare == SheetRow(hand=row.hand, round_wind=row.round_wind) and any(taken):
            match = replace(match, penalties=_sorted({**match.penalties, row.hand: taken}))
        else:
            match = with_hand(match, bare, taken)
    return replace(match, players=(names[0], names[1], names[2], names[3]))


def _penalties(row: SheetRow) -> tuple[int, int, int, int]:
    out = [0, 0, 0, 0]
    for part in row.other.get("penalties", "").replace(" ", "").split(";"):
        seat, _, amount = part.partition(":")
        digits = amount.lstrip("+-")
        if not part:
            continue
        if seat not in SEATS or not (digits.isascii() and digits.isdigit() and len(amount) <= 5):
            message = f'Hand {row.hand}: the penalty "{part[:20]}" should look like E:-10.'
            raise MatchError(message, hand=row.hand)
        out[player_in(row.hand, seat)] += int(amount)
    return out[0], out[1], out[2], out[3]


def _check(row: SheetRow) -> None:
    if not 1 <= row.hand <= HANDS:
        raise MatchError(f"A match has hands 1 to {HANDS}; there is no hand {row.hand}.", hand=row.hand)
    if row.win_type == "draw":
        if row.winner or row.discarder or row.fan:
            raise MatchError("A drawn hand has no winner, no discarder and no fan.", hand=row.hand)
        return
    if row.winner and row.winner == row.discarder:
        raise MatchError(f"{row.winner} cannot win on their own discard.", "own-discard")
    if row.win_type == "self-draw" and row.discarder:
        raise MatchError("A self-drawn win has no discarder.", hand=row.hand)
    if row.fan is not None and row.fan < MINIMUM:
        message = f"A win needs {MINIMUM} fan without flowers; this hand has {row.fan}."
        raise MatchError(message, "below-minimum")


def _row_json(row: SheetRow) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in SheetRow.__dataclass_fields__ if name != "other"}
    return {**shown, "fans": list(row.fans)}


def _sorted(items: dict[int, _Value]) -> MappingProxyType[int, _Value]:
    return MappingProxyType(dict(sorted(items.items())))
