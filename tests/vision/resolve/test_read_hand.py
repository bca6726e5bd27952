"""What the rules make of what was seen: names inferred, false wins kept, totals and ranges."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from fanlens.scoring import Context, Hand, score
from fanlens.vision.layout import find_rows
from fanlens.vision.reading import Circumstances, Sighting
from fanlens.vision.resolve import read_hand
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HAND = "2m 3m 4m 5m 6m 7m 3p 4p 5p 6s 7s 8s 9s 9s"


def codes(reading: Any) -> list[str]:
    return [problem.code for problem in reading.problems]


def with_doubt(place: int, doubt: dict[str, float]) -> list[Any]:
    tiles: list[Any] = HAND.split()
    tiles[place] = doubt
    return tiles


def test_total_is_that_of_the_rules(look: Any) -> None:
    circumstances = Circumstances(
        Context(self_draw=True, seat_wind="E", prevalent_wind="E"),
        frozenset(("self_draw", "seat_wind", "prevalent_wind")),
        winning_tile="2m",
    )
    reading = read_hand(look(HAND), circumstances)
    tiles = HAND.split()
    expected = score(Hand(tuple(tiles[1:]), "2m"), circumstances.context)
    assert reading.score.score.total == expected.total
    assert (reading.score.low, reading.score.high, reading.score.depends_on) == (expected.total,) * 2 + ((),)
    assert reading.hand.winning_tile == "2m"
    assert codes(reading) == []
    assert reading.confidence > 0.9


def test_unknown_winning_tile_gives_a_range(look: Any) -> None:
    reading = read_hand(look(HAND))
    totals = set()
    for self_draw in (False, True):
        for tile in set(HAND.split()):
            rest = HAND.split()
            rest.remove(tile)
            totals.add(score(Hand(tuple(rest), tile), Context(self_draw=self_draw)).total)
    assert (reading.score.low, reading.score.high) == (min(totals), max(totals))
    assert reading.score.depends_on == ("winning_tile", "self_draw")
    assert reading.hand.winning_tile is None
    assert reading.score.winning_tile in HAND.split()
    assert codes(reading) == ["unknown-winning-tile", "unknown-context"]


def test_winds_matter_only_with_a_pung_of_winds(look: Any) -> None:
    circumstances = Circumstances(Context(), frozenset(("self_draw",)), winning_tile="9s")
    reading = read_hand(look("2m 3m 4m 5m 6m 7m 3p 4p 5p W W W 9s 9s"), circumstances)
    assert reading.score.depends_on == ("seat_wind", "prevalent_wind")
    # Without any wind known one fan for the pung of winds; two for the own and two for the round's instead.
    assert reading.score.high - reading.score.low == 3


def test_a_doubtful_tile_is_inferred_and_shows_what_was_seen(look: Any) -> None:
    # Seen as 6p with the 5p close behind: only 5p makes a hand.
    reading = read_hand(look(with_doubt(8, {"6p": 0.55, "5p": 0.44})))
    tile = reading.tiles[8]
    assert (tile.tile, tile.seen, tile.flag) == ("5p", "6p", "inferred")
    assert reading.score is not None
    assert ("6p", pytest.approx(0.55, abs=0.01)) in tile.alternatives


def test_a_clearly_read_false_win_stays_one(look: Any) -> None:
    reading = read_hand(look(with_doubt(8, {"6p": 0.997, "5p": 0.002})))
    assert reading.tiles[8].tile == "6p"
    assert reading.score is None
    assert reading.confidence == 0.0
    assert codes(reading) == ["no-winning-shape"]


def test_thirteen_fifteen_and_five_of_a_kind(look: Any) -> None:
    thirteen = read_hand(look("2m 3m 4m 5m 6m 7m 3p 4p 5p 6s 7s 8s 9s"))
    assert [(p.code, p.message) for p in thirteen.problems] == [("too-few", "13 tiles: one is missing.")]
    fifteen = read_hand(look(HAND + " 1p"))
    assert codes(fifteen) == ["too-many"]
    five = read_hand(look("3m 3m 3m 3m 3m 4m 5m 3p 4p 5p 6s 7s 9s 9s"))
    assert codes(five) == ["fifth-copy"]
    assert five.problems[0].tiles == (0, 1, 2, 3, 4)
    assert {tile.flag for tile in five.tiles[:5]} == {"conflict"}


def test_a_doubtful_name_always_offers_others(look: Any) -> None:
    # Five of a kind, all clearly read: which of them is wrong is for a person to say.
    reading = read_hand(look("3m 3m 3m 3m 3m 4m 5m 3p 4p 5p 6s 7s 9s 9s"))
    assert all(len(tile.alternatives) >= 3 for tile in reading.tiles[:5])
    assert all("3m" not in dict(tile.alternatives) for tile in reading.tiles[:5])
    assert all(tile.alternatives == () for tile in reading.tiles[5:])


def test_a_flower_twice(look: Any) -> None:
    reading = read_hand(look(HAND, "plum plum"))
    assert codes(reading) == ["twice-a-flower"]
    assert reading.problems[0].tiles == (14, 15)


def test_a_tile_that_can_not_be_told_is_a_question_mark(look: Any) -> None:
    # Nothing legal among what it could be: it stays unread.
    reading = read_hand(look(with_doubt(8, {"N": 0.2, "C": 0.2, "F": 0.2})))
    assert (reading.tiles[8].tile, reading.tiles[8].flag) == ("?", "low-confidence")
    assert "unknown-tile" in codes(reading)
    assert reading.score is None


def test_rows_that_are_known_are_not_those_of_fewer_tiles(look: Any) -> None:
    seen = look(HAND, "plum winter")
    known = replace(seen, rows=tuple(find_rows(seen.tiles)))
    assert read_hand(known).hand == read_hand(seen).hand
    # Without the winter: its place in the rows is gone.
    assert read_hand(known.of(seen.tiles[:-1])).hand.flowers == ("plum",)


def test_no_tiles() -> None:
    from fanlens.vision.reading import ImageInfo, ModelInfo

    reading = read_hand(Sighting(ImageInfo(None, 10, 10), ModelInfo("test", ""), ()))
    assert codes(reading) == ["no-tiles"]
    assert reading.hand is None
    assert reading.to_json()["hand"] is None


def test_a_stated_winning_tile_that_is_not_there(look: Any) -> None:
    reading = read_hand(look(HAND), Circumstances(winning_tile="C"))
    assert codes(reading) == ["unknown-winning-tile"]
    assert reading.score is None


def test_fewer_flowers_stated_than_seen_wins(look: Any) -> None:
    reading = read_hand(look(HAND, "plum spring"), Circumstances(Context(flowers=1), winning_tile="2m"))
    assert reading.score.score.flowers == 1


def test_json_has_the_fields_of_the_contract(look: Any) -> None:
    value = json.loads(
        json.dumps(read_hand(look("2m 3m 4m 5m 6m 7m 3p 4p 5p 9s 9s", "plum 2s 2s 2s")).to_json())
    )
    assert set(value) == {
        *(
            "image",
            "model",
            "tiles",
            "hand",
            "hands",
            "context",
            "score",
            "problems",
            "confidence",
            "timing_ms",
        )
    }
    assert set(value["tiles"][0]) >= {
        *(
            "id",
            "tile",
            "confidence",
            "box",
            "role",
            "role_confidence",
            "meld",
            "alternatives",
            "seen",
            "flag",
        )
    }
    assert [tile["id"] for tile in value["tiles"]] == list(range(15))
    assert value["hand"]["melds"][0]["kind"] == "pung"
    assert value["hand"]["melds"][0]["ids"] == [12, 13, 14]
    assert value["hand"]["flowers"] == ["plum"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_noise_never_makes_a_wrong_hand_without_a_flag(look: Any, data: st.DataObject) -> None:
    """Three tiles are read with any doubt whatever; wrong names always carry a flag."""
    tiles: list[Any] = HAND.split()
    look_alikes = {"2m": "3m", "3m": "2m", "4p": "5p", "5p": "6p", "7s": "9s", "9s": "7s", "6s": "8s"}
    for _ in range(3):
        place = data.draw(st.integers(0, 13))
        name = HAND.split()[place]
        share = data.draw(st.floats(0.01, 0.99))
        if name in look_alikes:
            # The detector is calibrated: it is as sure of the wrong name as it is often wrong.
            tiles[place] = {name: 1 - share, look_alikes[name]: share * 0.99}
    reading = read_hand(look(tiles))
    for tile, name in zip(reading.tiles, HAND.split(), strict=True):
        assert tile.tile == name or tile.flag is not None or tile.confidence >= 0.9
