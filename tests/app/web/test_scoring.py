"""Scores over HTTP. The totals are worked out by hand from the WMO 2006 fan list."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

# 123m 456m 789m is a Pure Straight (16); the pung of east winds is Prevalent Wind (2) in an east
# round, otherwise Pung of Terminals or Honours (1); no bamboos: One Voided Suit (1). 78m waited for
# 6m and 9m, so no fan for the wait.
HAND: dict[str, Any] = {
    "concealed": ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "5p", "5p"],
    "winning_tile": "9m",
    "melds": [{"kind": "pung", "tiles": ["E", "E", "E"]}],
    "flowers": [],
}


KNOWN = {"self_draw": False, "seat_wind": "S", "prevalent_wind": "W"}


def score(client: TestClient, **body: Any) -> Any:
    return client.post("/api/score", json=body)


def test_a_hand_gets_its_fans_with_the_tiles_that_make_them(client: TestClient) -> None:
    answer = score(client, hand=HAND, context={"prevalent_wind": "E", "seat_wind": "S", "flowers": 1})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["total"], body["fan"], body["flowers"], body["qualifies"]) == (20, 19, 1, True)
    fans = {fan["id"]: fan for fan in body["fans"]}
    assert {number: fan["points"] * fan["count"] for number, fan in fans.items()} == {
        28: 16,
        60: 2,
        75: 1,
        81: 1,
    }
    assert fans[28]["tiles"] == [0, 1, 2, 3, 4, 5, 6, 7, 10]
    assert fans[60]["tiles"] == [11, 12, 13]
    assert body["payments"] == {"winner": 44, "discarder": 28, "others": 8}
    assert "changes" not in body


@pytest.mark.parametrize(
    "hand",
    [
        "[EEE] 12345678m 55p + 9m",
        {**HAND, "concealed": "12345678m55p", "winning_tile": None, "win_tile": "9m"}
        | {"winning_tile": "9m"},
        {"concealed": "12345678m 55p", "win_tile": "9m", "melds": ["111z"]},
        {"concealed": HAND["concealed"], "win_tile": "9m", "melds": [{"tiles": "EEE"}]},
    ],
)
def test_every_spelling_is_taken(client: TestClient, hand: Any) -> None:
    answer = score(client, hand=hand)
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == 18


def test_flowers_by_number_in_the_hand(client: TestClient) -> None:
    assert score(client, hand={**HAND, "flowers": 3}).json()["total"] == 21


def test_the_winning_tile_may_stand_in_the_context(client: TestClient) -> None:
    hand = {**HAND, "concealed": [*HAND["concealed"], "9m"], "winning_tile": None}
    answer = score(client, hand=hand, context={"winning_tile": "9m"})
    assert answer.json()["winning_tile"] == "9m"
    assert "winning_tile" not in answer.json()["range"]["depends_on"]
    answer = score(client, hand=hand, context={"winning_tile": "9s"})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["code"] == "unknown-winning-tile"


def test_without_a_winning_tile_one_is_assumed_and_the_range_is_told(client: TestClient) -> None:
    # Won on 2m, 5m or 8m (Closed Wait), 3m or 7m (Edge Wait) or either 5p (Single Wait) it is 19; on
    # 1m, 4m, 6m or 9m another tile could have won too: 18. Seven tiles against four, two of them 5p.
    hand = {**HAND, "concealed": [*HAND["concealed"], "9m"], "winning_tile": None}
    body = score(client, hand=hand, context=KNOWN, compare=True).json()
    assert (body["total"], body["winning_tile"]) == (19, "5p")
    assert body["range"] == {"min": 18, "max": 19, "depends_on": ["winning_tile"]}
    assert next(fan for fan in body["fans"] if fan["id"] == 28)["tiles"] == [0, 1, 2, 3, 4, 5, 6, 7, 10]
    by_tile = {
        change["set"]["winning_tile"]: change["total"]
        for change in body["changes"]
        if "winning_tile" in change["set"]
    }
    assert by_tile == {
        "1m": 18, "2m": 19, "3m": 19, "4m": 18, "5m": 19, "6m": 18, "7m": 19, "8m": 19, "9m": 18, "5p": 19,
    }  # fmt: skip


def test_what_is_not_stated_is_a_range(client: TestClient) -> None:
    # Self-drawn adds 1; the east winds as seat and as prevalent wind 2 each for 1.
    assert score(client, hand=HAND).json()["range"]["min"] == 18
    assert score(client, hand=HAND).json()["range"]["max"] == 22
    assert score(client, hand=HAND, context=KNOWN).json()["range"] == {"min": 18, "max": 18, "depends_on": []}


def test_changes_say_what_each_option_would_make_of_the_total(client: TestClient) -> None:
    body = score(client, hand=HAND, context={"seat_wind": "S"}, compare=True).json()
    totals = {tuple(change["set"].items()): change for change in body["changes"]}
    # Prevalent Wind (2) takes the place of Pung of Terminals or Honours (1).
    assert totals[(("prevalent_wind", "E"),)]["total"] == 19
    assert totals[(("prevalent_wind", "W"),)]["total"] == 18
    # Self-drawn: fan 80 adds 1; a robbed kong would end with it.
    assert totals[(("self_draw", True), ("robbing_kong", False))]["total"] == 19
    # Last Tile Claim (8).
    assert totals[(("last_tile", True),)]["total"] == 26
    impossible = totals[(("kong_replacement", True),)]
    assert impossible["total"] is None
    assert "kong" in impossible["impossible"]
    assert impossible["clash"] == ["kong_replacement", "self_draw"]
    # A tile of the pair stands concealed beside the one that won on it.
    body = score(client, hand="[EEE] 12345678m 9m 5p + 5p", compare=True).json()
    fourth = next(change for change in body["changes"] if change["set"] == {"fourth_tile": True})
    assert fourth["clash"] == ["fourth_tile", "held"]


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        ("123m 456m 789m 55p 12s + 4s", "no-winning-shape"),
        ("123m 456m + 7m", "too-few"),
        ("1111m 1m 456m 789m 55p + 5p", "fifth-copy"),
        ("12q", "unknown-tile"),
        ({"concealed": "123x"}, "unknown-tile"),
    ],
)
def test_what_is_no_hand_gets_its_problems(client: TestClient, hand: Any, code: str) -> None:
    answer = score(client, hand=hand)
    assert answer.status_code == 422
    problems = answer.json()["problems"]
    assert code in {problem["code"] for problem in problems}
    assert all(problem["message"] and isinstance(problem["tiles"], list) for problem in problems)


def test_contradictory_circumstances_are_named(client: TestClient) -> None:
    answer = score(client, hand=HAND, context={"kong_replacement": True, "self_draw": True})
    assert answer.status_code == 422
    assert "kong" in answer.json()["problems"][0]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {"hand": HAND, "rules": "nonsense"},
        {"hand": HAND, "context": {"seat_wind": "X"}},
        {"hand": 3},
        {"hand": None},
        {},
        {"hand": {"concealed": None}},
        [],
    ],
)
def test_malformed_requests_are_problems_too(client: TestClient, body: Any) -> None:
    answer = client.post("/api/score", json=body)
    assert answer.status_code == 422
    assert answer.json()["problems"]


def test_no_json_at_all(client: TestClient) -> None:
    answer = client.post("/api/score", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["code"] == "malformed"
