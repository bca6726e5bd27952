"""What the API takes and gives, as models: they check requests and describe them in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Tiles = str | list[str]
Seat = Literal["E", "S", "W", "N"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=40, pattern=r"^[^\r\n]*$")]
Revision = Annotated[int, Field(ge=0, le=2**53, description="The revision of the sheet that is changed.")]


class MeldBody(BaseModel):
    kind: str | None = Field(
        None, description="chow, pung, melded-kong or concealed-kong; told from the tiles if absent."
    )
    tiles: Tiles = Field(description="Three tiles, four for a kong.", examples=["123m", ["E", "E", "E"]])
    source: int | None = None


class HandBody(BaseModel):
    concealed: Tiles = Field(
        description="Without the winning tile; with it where it is unknown.", examples=["2255m 678p"]
    )
    winning_tile: Tiles | None = None
    win_tile: Tiles | None = Field(None, description="Another spelling of winning_tile.")
    melds: list[MeldBody | str] | None = None
    flowers: int | Tiles | None = None


class ContextBody(BaseModel):
    """How the hand was won; what is absent is false or unknown."""

    self_draw: bool | None = False
    last_tile: bool | None = False
    kong_replacement: bool | None = False
    robbing_kong: bool | None = False
    fourth_tile: bool | None = False
    seat_wind: str | None = None
    prevalent_wind: str | None = None
    flowers: int | Tiles | None = None
    winning_tile: str | None = None


class ScoreBody(BaseModel):
    hand: HandBody | str = Field(description="A hand as JSON, or hand text such as `[123m] 45678p 55s + 9p`.")
    context: ContextBody | None = None
    rules: str = Field("current", description="current, wmo2006 or trial1998.")
    compare: bool = Field(
        False, description="Also answer what each option would make of the total (`changes`)."
    )


class RowBody(BaseModel):
    """One hand of the score sheet; null is unknown."""

    winner: Seat | None = None
    discarder: Seat | None = None
    win_type: Literal["self-draw", "discard", "draw"] | None = None
    winning_tile: Annotated[str, StringConstraints(max_length=16)] | None = None
    last_tile: bool | None = None
    kong_replacement: bool | None = None
    robbing_kong: bool | None = None
    fourth_tile: bool | None = None
    flowers: int | None = Field(None, ge=0, le=8)
    fan: int | None = Field(None, ge=0, le=9999, description="Without flowers.")
    fans: Annotated[list[Annotated[int, Field(ge=1, le=82)]], Field(max_length=100)] | None = None
    start: float | None = Field(
        None, ge=0, le=1e6, description="Seconds from the first frame of a recording."
    )
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""


Penalty = Annotated[int, Field(ge=-9999, le=9999)]


class EnterBody(BaseModel):
    revision: Revision
    row: RowBody
    penalties: tuple[Penalty, Penalty, Penalty, Penalty] = (0, 0, 0, 0)


class PlayersBody(BaseModel):
    players: tuple[Name, Name, Name, Name] = Field(description="East, South, West, North of the first hand.")


class RenameBody(PlayersBody):
    revision: Revision


class RevisionBody(BaseModel):
    revision: Revision


class Error(BaseModel):
    code: str
    message: str
    row: int | None = Field(None, description="Of a score sheet, where one row is wrong.")
    column: str | None = Field(None, description="Of a score sheet, where one cell is wrong.")
    hand: int | None = Field(None, description="Of a match, where one hand is wrong.")


class ErrorAnswer(BaseModel):
    """Every refusal but that of a hand: a code for machines and one sentence for people."""

    error: Error


class Problem(BaseModel):
    code: str
    message: str
    tiles: list[int] = Field(
        default=[], description="Positions in the row concealed, winning, melds, flowers."
    )


class ProblemsAnswer(BaseModel):
    problems: list[Problem]


class FanAnswer(BaseModel):
    id: int = Field(description="The number in the WMO 2006 rules; 82 is one concealed and one melded kong.")
    name: str
    zh: str
    points: int
    count: int
    tiles: list[int] = Field(
        description="Positions in the row concealed, winning, melds, flowers of the hand sent."
    )


class RangeAnswer(BaseModel):
    min: int
    max: int
    depends_on: list[str]


class PaymentsAnswer(BaseModel):
    winner: int
    discarder: int | None
    others: int


class ChangeAnswer(BaseModel):
    set: dict[str, Any]
    total: int | None
    impossible: str | None
    clash: list[str] = Field([], description="The two facts that can't both be, where it is impossible.")


class ScoreAnswer(BaseModel):
    total: int
    fan: int
    flowers: int
    qualifies: bool
    winning_tile: str | None
    fans: list[FanAnswer]
    range: RangeAnswer
    payments: PaymentsAnswer
    changes: list[ChangeAnswer] | None = Field(None, description="Only where `compare` asked for it.")


class PhotoAnswer(BaseModel):
    """The JSON of one photo."""

    model_config = ConfigDict(extra="allow")

    image: dict[str, Any]
    model: dict[str, Any]
    tiles: list[dict[str, Any]]
    hand: dict[str, Any] | None
    hands: list[dict[str, Any]]
    context: dict[str, Any]
    score: dict[str, Any] | None
    problems: list[dict[str, Any]]
    confidence: float
    timing_ms: dict[str, float]


class SheetHandAnswer(BaseModel):
    hand: int
    prevalent_wind: Seat
    seats: dict[str, int] = Field(description="Which player (0 to 3) sits where.")
    entered: bool
    row: dict[str, Any] | None
    penalties: list[int]
    points: list[int]
    running: list[int]


class MatchAnswer(BaseModel):
    id: str
    revision: int
    saved: str
    players: list[str]
    hands: list[SheetHandAnswer]
    next: int | None = Field(description="The first hand not yet entered; null when all sixteen are.")
    totals: list[int]
    table_points: list[float]


class MatchSummary(BaseModel):
    id: str
    saved: str
    players: list[str]


class MatchesAnswer(BaseModel):
    matches: list[MatchSummary]


class AboutAnswer(BaseModel):
    version: str
    source: str
    keeps: bool
    photo_limit: int


class KeptAnswer(BaseModel):
    name: str


class HealthAnswer(BaseModel):
    status: Literal["ok"]
