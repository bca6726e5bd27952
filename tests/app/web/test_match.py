"""The match sheet: seats, points and what is kept."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from fanlens.app.score_sheet import SheetRow
from fanlens.app.web import Settings
from fanlens.app.web.match import (
    Match,
    MatchError,
    from_csv,
    player_in,
    points,
    prevalent_wind,
    table_points,
    to_csv,
    to_json,
    with_hand,
)
from fastapi.testclient import TestClient

NAMES = ("Ann", "Bo", "Cai", "Dee")


def seats(number: int) -> str:
    """The players' initials in the order East, South, West, North."""
    return "".join(NAMES[player_in(number, seat)][0] for seat in ("E", "S", "W", "N"))


@pytest.mark.parametrize(
    ("number", "wind", "order"),
    [
        # East deals one hand, then everybody moves one seat on: South of this hand is East of the next.
        (1, "E", "ABCD"),
        (2, "E", "BCDA"),
        (3, "E", "CDAB"),
        (4, "E", "DABC"),
        (5, "S", "ABCD"),
        (8, "S", "DABC"),
        # Before the third round East and South, West and North change places; who sat South deals.
        (9, "W", "BADC"),
        (10, "W", "ADCB"),
        (12, "W", "CBAD"),
        (13, "N", "BADC"),
        (16, "N", "CBAD"),
    ],
)
def test_winds_follow_from_the_hands_number(number: int, wind: str, order: str) -> None:
    assert prevalent_wind(number) == wind
    assert seats(number) == order


def test_everybody_deals_once_a_round() -> None:
    for first in (1, 5, 9, 13):
        assert {player_in(number, "E") for number in range(first, first + 4)} == {0, 1, 2, 3}


def entered(number: int, **values: Any) -> Match:
    return with_hand(Match(NAMES), SheetRow(hand=number, **values))


def test_a_discard_win_takes_eight_of_everybody_and_the_total_of_the_discarder() -> None:
    # 20 fan and 2 flowers: 22. The discarder pays 30, the two others 8 each.
    match = entered(1, winner="E", discarder="W", win_type="discard", fan=20, flowers=2)
    assert points(match, 1) == (46, -8, -30, -8)


def test_a_self_drawn_win_takes_the_same_of_everybody() -> None:
    # Hand 10: East is Ann, South Dee, West Cai, North Bo. Each pays 8 + 11.
    match = entered(10, winner="S", win_type="self-draw", fan=11)
    assert points(match, 10) == (-19, -19, -19, 57)


def test_a_drawn_hand_and_an_unfinished_entry_move_nothing() -> None:
    assert points(entered(1, win_type="draw"), 1) == (0, 0, 0, 0)
    assert points(entered(1, winner="E"), 1) == (0, 0, 0, 0)
    assert points(entered(1, winner="E", fan=8), 1) == (0, 0, 0, 0)


def test_penalties_and_running_scores() -> None:
    match = entered(1, winner="E", win_type="self-draw", fan=8)  # each pays 16
    match = with_hand(match, SheetRow(hand=3, win_type="draw"), (0, -10, 0, 0))
    shown = to_json(match)
    assert shown["hands"][0]["running"] == [48, -16, -16, -16]
    assert shown["hands"][2]["points"] == [0, -10, 0, 0]
    assert shown["totals"] == [48, -26, -16, -16]
    assert shown["next"] == 2
    # Cai and Dee share the places two and three: (2 + 1) / 2.
    assert shown["table_points"] == [4.0, 0.0, 1.5, 1.5]


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((100, 50, 0, -150), (4, 2, 1, 0)),
        ((-1, -2, 10, -7), (2, 1, 4, 0)),
        ((0, 0, 0, 0), (1.75, 1.75, 1.75, 1.75)),
        ((9, 9, -9, -9), (3, 3, 0.5, 0.5)),
        ((5, 5, 5, -15), (2.33, 2.33, 2.33, 0)),
    ],
)
def test_table_points_are_shared_on_a_tie(totals: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert table_points(totals) == expected


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"hand": 17, "win_type": "draw"}, "hand 17"),
        ({"hand": 1, "win_type": "draw", "winner": "E"}, "drawn"),
        ({"hand": 1, "winner": "E", "discarder": "E"}, "own discard"),
        ({"hand": 1, "winner": "E", "discarder": "S", "win_type": "self-draw"}, "discarder"),
        ({"hand": 1, "winner": "E", "fan": 7}, "8 fan"),
    ],
)
def test_hands_that_cannot_be_are_refused(values: dict[str, Any], word: str) -> None:
    with pytest.raises(MatchError, match=word):
        with_hand(Match(NAMES), SheetRow(**values))


def test_the_sheet_goes_out_and_comes_back() -> None:
    match = entered(
        9, winner="W", discarder="N", win_type="discard", winning_tile="9m", last_tile=False,
        fourth_tile=True, flowers=1, fan=19, fans=(28, 60, 75), start=754.5, note="close, =call",
    )  # fmt: skip
    match = with_hand(match, SheetRow(hand=2, win_type="draw"), (-10, 0, 5, 0))
    text = to_csv(match)
    lines = text.splitlines()
    assert lines[0].startswith(
        "hand,round_wind,winner,discarder,win_type,winning_tile,last_tile,kong_replacement,"
        "robbing_kong,fourth_tile,flowers,fan,fans,start,note,"
    )
    # In hand 2 Ann sits North and Cai South.
    assert lines[1] == "2,E,,,draw,,,,,,,,,,,Bo,Cai,Dee,Ann,S:5;N:-10"
    assert lines[2] == '9,W,W,N,discard,9m,0,,,1,1,19,28;60;75,754.5,"close, =call",Bo,Ann,Dee,Cai,'
    assert from_csv(text, ("1", "2", "3", "4")) == match


def test_unknown_columns_are_kept() -> None:
    match = from_csv("hand;winner;referee\n1;E;Fu\n", NAMES)
    assert match.rows[1].other == MappingProxyType({"referee": "Fu"})
    assert "referee" in to_csv(match).splitlines()[0]


def test_a_sheet_of_another_order_is_refused() -> None:
    with pytest.raises(MatchError, match="round of E"):
        from_csv("hand,round_wind\n1,S\n", NAMES)
    with pytest.raises(MatchError, match="penalty"):
        from_csv("hand,penalties\n1,E-10\n", NAMES)


class TestOverHttp:
    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        return Settings(matches=tmp_path / "deep" / "matches.sqlite3")

    @pytest.fixture
    def match(self, client: TestClient) -> dict[str, Any]:
        answer = client.post("/api/matches", json={"players": list(NAMES)})
        assert answer.status_code == 200
        return dict(answer.json())

    def enter(self, client: TestClient, match: dict[str, Any], number: int, **row: Any) -> Any:
        body = {"revision": match["revision"], "row": row}
        return client.put(f"/api/matches/{match['id']}/hands/{number}", json=body)

    def test_enter_correct_clear_and_undo(self, client: TestClient, match: dict[str, Any]) -> None:
        row = {"winner": "E", "discarder": "S", "win_type": "discard", "fan": 8}
        match = self.enter(client, match, 1, **row).json()
        assert match["totals"] == [32, -16, -8, -8]
        match = self.enter(client, match, 1, **{**row, "fan": 24}).json()
        assert match["totals"] == [48, -32, -8, -8]
        match = client.delete(f"/api/matches/{match['id']}/hands/1?revision={match['revision']}").json()
        assert match["totals"] == [0, 0, 0, 0]
        for expected in ([48, -32, -8, -8], [32, -16, -8, -8], [0, 0, 0, 0], [0, 0, 0, 0]):
            answer = client.post(f"/api/matches/{match['id']}/undo", json={"revision": match["revision"]})
            match = answer.json()
            assert match["totals"] == expected

    def test_an_outdated_sheet_changes_nothing(self, client: TestClient, match: dict[str, Any]) -> None:
        first = self.enter(client, match, 1, win_type="draw").json()
        assert self.enter(client, match, 2, win_type="draw").status_code == 409
        undone = client.post(f"/api/matches/{match['id']}/undo", json={"revision": first["revision"]}).json()
        again = self.enter(client, undone, 3, win_type="draw").json()
        # A number that an undone change had is not given out again.
        assert again["revision"] not in (match["revision"], first["revision"])
        assert self.enter(client, first, 4, win_type="draw").status_code == 409

    def test_another_server_finds_it_again(
        self, client: TestClient, match: dict[str, Any], settings: Settings, reader: Any
    ) -> None:
        from fanlens.app.web import create_app

        match = self.enter(client, match, 1, win_type="draw").json()
        with TestClient(create_app(reader, settings), base_url="http://localhost") as other:
            assert other.get(f"/api/matches/{match['id']}").json() == match
            assert other.get("/api/matches").json()["matches"][0]["players"] == list(NAMES)

    def test_export_and_import(self, client: TestClient, match: dict[str, Any]) -> None:
        match = self.enter(client, match, 1, winner="S", win_type="self-draw", fan=30, note="满贯").json()
        sheet = client.get(f"/api/matches/{match['id']}/sheet.csv")
        assert sheet.headers["content-type"] == "text/csv; charset=utf-8"
        assert "attachment" in sheet.headers["content-disposition"]
        other = client.post("/api/matches", json={"players": ["", "", "", ""]}).json()
        assert other["players"] == ["East", "South", "West", "North"]
        address = f"/api/matches/{other['id']}/sheet.csv?revision={other['revision']}"
        imported = client.put(address, content=sheet.content, headers={"content-type": "text/csv"}).json()
        assert imported["players"] == list(NAMES)
        assert imported["hands"] == match["hands"]

    @pytest.mark.parametrize("sheet", [b"\xff\xfe\x00", b"", b"winner\nE\n", b'hand\n"1', b"hand\n99\n"])
    def test_no_sheet_is_one_sentence(self, client: TestClient, match: dict[str, Any], sheet: bytes) -> None:
        address = f"/api/matches/{match['id']}/sheet.csv?revision={match['revision']}"
        answer = client.put(address, content=sheet, headers={"content-type": "text/csv"})
        assert answer.status_code == 422
        assert answer.json()["error"]["message"].endswith(".")
        assert client.get(f"/api/matches/{match['id']}").json() == match

    @pytest.mark.parametrize(
        ("sheet", "error"),
        [
            ("hand,fan\n1,8\n2,many\n", {"code": "bad-sheet", "row": 3, "column": "fan"}),
            ("hand,round_wind\n5,E\n", {"code": "bad-sheet", "hand": 5}),
            ("hand,fan\n1,7\n", {"code": "below-minimum"}),
        ],
    )
    def test_what_is_wrong_with_a_sheet_is_named_by_its_place(
        self, client: TestClient, match: dict[str, Any], sheet: str, error: dict[str, Any]
    ) -> None:
        address = f"/api/matches/{match['id']}/sheet.csv?revision={match['revision']}"
        answer = client.put(address, content=sheet, headers={"content-type": "text/csv"})
        assert {key: value for key, value in answer.json()["error"].items() if key != "message"} == error

    def test_unknown_matches(self, client: TestClient) -> None:
        assert client.get("/api/matches/0123456789abcdef").status_code == 404
        assert client.get("/api/matches/none").status_code == 422
