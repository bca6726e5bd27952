"""What can't be scored, and the one plain sentence it gets."""

from __future__ import annotations

import fanlens.scoring
import pytest
from fanlens.scoring import (
    Context,
    Hand,
    HandError,
    Meld,
    context_from_json,
    explain,
    hand_from_json,
    parse_hand,
)
from fanlens.scoring import score as score_hand
from fanlens.scoring.errors import ContextError, NotationError, NotAWinError


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "no-tiles", "there are no tiles"),
        ("123m 45x", "unknown-tile", "'45x' in '45x' is no tile"),
        ("0m 123p", "unknown-tile", "'0m' in '0m' is no tile"),
        ("8z", "unknown-tile", "'8z' in '8z' is no tile"),
        ("123m 456p + 7s", "too-few", "7 tiles: 7 are missing"),
        ("123456789m 123p 5s", "too-few", "13 tiles: one is missing"),
        ("[2222p,1] 123456789m 5s", "too-few", "13 tiles, a kong counted as three: one is missing"),
        ("123456789m 12345p 5s", "too-many", "15 tiles: one is too many"),
        ("11111m 234p 567s 888s", "fifth-copy", "1m is there 5 times, but there are only four"),
        ("[1111m,1] 123m 456p 789s 5s + 5s", "fifth-copy", "1m is there 5 times, but there are only four"),
        ("123m 456p 789s EEE C + F", "no-winning-shape", "these tiles make no winning shape"),
        ("[124m] 456p 789s EEE C + C", "not-a-meld", "[124m] is no chow, pung or kong"),
        ("[EE] 456p 789s EEE C + C", "not-a-meld", "[EE] is no chow, pung or kong"),
        ("[ESW] 456p 789s EEE C + C", "not-a-meld", "[ESW] is no chow, pung or kong"),
        ("[891m] 456p 789s EEE C + C", "not-a-meld", "[891m] is no chow, pung or kong"),
        ("[] 456p", "malformed", "the hand text has an empty meld []"),
        ("[123m 456p", "malformed", "the hand text can't be read from '[123m 456p' on"),
        ("[2222p,4] 456p", "malformed", "a meld comes from 1, 2 or 3, not from '4'"),
        ("123m + 4m + 5m", "malformed", "the hand text marks two winning tiles"),
        ("123m +", "unknown-winning-tile", "one tile must follow the +, not nothing"),
        ("123m + 45m", "unknown-winning-tile", "one tile must follow the +, not 4m 5m"),
        ("123m 456p 789s EEE C + plum", "unknown-winning-tile", "the winning tile 'plum' is a flower"),
        ("123m 456p 789s EEE C + ?", "unknown-winning-tile", "the winning tile '?' can't be told"),
        ("12?m", "unknown-tile", "'12' in '12?m' is no tile"),
        ("123m 456p 789s EEE ? + C", "unknown-tile", "a concealed tile can't be told"),
        (
            "[????] 123m 456p 789s C + C",
            "face-down-kong",
            "a concealed kong lies face down: say which tile it is",
        ),
        (
            "123m 456p 789s EEE C + C plum plum",
            "twice-a-flower",
            "plum is there 2 times, but there is only one",
        ),
    ],
)
def test_bad_text(text: str, code: str, message: str) -> None:
    with pytest.raises(HandError) as caught:
        score_hand(parse_hand(text))
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_all_problems_are_told_at_once_with_their_tiles() -> None:
    hand = parse_hand("[????] 11111m 234p + 5s plum plum")
    assert [(problem.code, problem.tiles) for problem in explain(hand)] == [
        ("face-down-kong", (9, 10, 11, 12)),
        ("too-few", ()),
        ("fifth-copy", (0, 1, 2, 3, 4)),
        ("twice-a-flower", (13, 14)),
    ]


def test_half_a_kong_face_down_takes_the_tile_shown() -> None:
    hand = hand_from_json({"concealed": "123m456p789sC", "win_tile": "C", "melds": ["5sbackback5s"]})
    assert hand.melds == (Meld("concealed-kong", ("5s",) * 4),)


def test_an_unknown_winning_tile_is_no_problem_of_the_hand_but_has_no_score() -> None:
    hand = Hand(parse_hand("1112345678999s + 3s").tiles)
    assert explain(hand) == []
    with pytest.raises(NotAWinError, match="it is not known which tile won") as caught:
        score_hand(hand)
    assert caught.value.code == "unknown-winning-tile"
    candidates = {other.winning_tile: score_hand(other).total for _, other in hand.winning_candidates()}
    assert candidates["3s"] == 89
    assert set(candidates) == {f"{rank}s" for rank in range(1, 10)}


@pytest.mark.parametrize(
    ("text", "context", "message"),
    [
        (
            "[2222p] 123m 456m 789m E + E",
            {"kong_replacement": True},
            "a kong replacement contradicts a win that is not self-drawn",
        ),
        (
            "123m 456m 789m EEE C + C",
            {"kong_replacement": True, "self_draw": True},
            "a kong replacement contradicts a hand without a kong",
        ),
        (
            "123m 456m 789m EEE C + C",
            {"robbing_kong": True, "self_draw": True},
            "robbing a kong contradicts a self-drawn win",
        ),
        (
            "123m 456m 78m EEE CC + 9m",
            {"robbing_kong": True, "last_tile": True},
            "robbing a kong contradicts the last tile of the wall",
        ),
        (
            "[789m] 123m 456m 78m EE + 9m",
            {"robbing_kong": True},
            "robbing a kong of 9m contradicts another 9m in the hand or its melds",
        ),
        (
            "123m 456m 789m EEE C + C",
            {"fourth_tile": True},
            "the last C, its other three in sight, contradicts another C concealed in the hand",
        ),
        (
            "123m 456m 789m EEE C + C plum orchid",
            {"flowers": 1},
            "1 flowers contradicts 2 flowers named in the hand",
        ),
    ],
)
def test_contradictions_name_both_facts(text: str, context: dict[str, bool], message: str) -> None:
    with pytest.raises(ContextError) as caught:
        score_hand(parse_hand(text), Context(**context))  # type: ignore[arg-type]
    assert (caught.value.code, str(caught.value)) == ("contradiction", message)


def test_impossible_circumstances() -> None:
    with pytest.raises(ContextError, match="9 flowers: there can be 0 to 8") as caught:
        Context(flowers=9)
    assert caught.value.code == "too-many-flowers"
    with pytest.raises(ContextError, match="the seat wind 'X' is none of E, S, W, N") as caught:
        Context(seat_wind="X")
    assert caught.value.code == "unknown-context"


@pytest.mark.parametrize(
    "data",
    [
        {"winning_tile": "1m"},
        {"concealed": 12},
        {"concealed": ["1m", 3]},
        {"concealed": "123m", "melds": "123m"},
        {"concealed": "123m", "melds": [3]},
        {"concealed": "123m", "melds": [{"kind": "kong", "tiles": "1111m"}]},
        {"concealed": "123m", "melds": [{"kind": ["chow"], "tiles": "123m"}]},
        {"concealed": "123m", "win_tile": "12m"},
        {"concealed": "123m", "flowers": {"plum": 1}},
        ["1m"],
    ],
)
def test_bad_objects(data: object) -> None:
    with pytest.raises(NotationError):
        hand_from_json(data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        {"self_draw": 1},
        {"last_tile": "yes"},
        {"self_draw": []},
        {"seat_wind": "East"},
        {"seat_wind": 1},
        {"flowers": True},
        {"flowers": 1.5},
        {"flowers": -1},
    ],
)
def test_bad_circumstances(data: dict[str, object]) -> None:
    with pytest.raises(HandError):
        context_from_json(data)


def test_the_surface_is_what_it_says() -> None:
    contract = "Hand Meld Context RuleSet Score RULES HandError parse_hand score waits explain"
    assert set(contract.split(" ")) <= set(fanlens.scoring.__all__)
    assert all(hasattr(fanlens.scoring, name) for name in fanlens.scoring.__all__)
