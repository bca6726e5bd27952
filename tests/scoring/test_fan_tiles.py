"""Which tiles make which fan, and the JSON that says so."""

from __future__ import annotations

from fanlens.scoring import Context, format_tiles, parse_hand, score, score_to_json


def made_by(text: str, **context: object) -> dict[int, str]:
    hand = parse_hand(text)
    result = score(hand, Context(**context))  # type: ignore[arg-type]
    return {made.fan.id: format_tiles(hand.tiles[at] for at in made.tiles) for made in result.fans}


def test_kongs_circumstances_and_flowers() -> None:
    assert made_by("[123m] [2222p,1] [4444s] 67p EE + 8p plum", self_draw=True) == {
        82: "2222p 4444s",
        80: "8p",
        81: "plum",
    }


def test_chows_and_the_wait() -> None:
    found = made_by("[123m] 12345689m NN + 7m")
    # The 1-2-3 of the straight is the melded one, the pair of chows both; the wait is in 7-8-9.
    assert found[28] == "456897123m"
    assert found[69] == "123123m"
    assert found[77] == "897m"


def test_winds_dragons_and_terminals() -> None:
    found = made_by("[EEE] [CCC] [FFF] 999m 1p + 1p", seat_wind="E")
    assert found[18] == "999m 11p EEE CCC FFF"
    assert found[54] == "CCC FFF"
    assert found[61] == "EEE"
    assert found[79] == "11p"


def test_a_knitted_straight() -> None:
    found = made_by("258m 24369p 147s 88s + 3p")
    assert found[35] == "258m 369p 147s"
    assert found[78] == "243p"


def test_concealed_pungs_leave_out_the_one_a_discard_completed() -> None:
    assert made_by("[EEE] 222m 555p 88s 33s + 8s")[66] == "222m 555p"
    assert made_by("[EEE] 222m 555p 88s 33s + 8s", self_draw=True)[33] == "222m 555p 888s"


def test_tile_hogs_and_flowers() -> None:
    found = made_by("[333p] 24p 789m 456s EE + 3p plum spring")
    assert found[64] == "3333p"
    assert found[58] == "3p"
    assert found[81] == "plum spring"


def test_ids_of_the_picture_stand_in_for_positions() -> None:
    result = score(parse_hand("[EEE] [CCC] [FFF] 234m 1p + 1p"))
    ids = [100 + at for at in range(14)]
    shown = score_to_json(result, ids)
    assert shown["fans"][0]["id"] == 54
    assert shown["fans"][0]["tiles"] == [108, 109, 110, 111, 112, 113]
    assert shown["range"] == {"min": shown["total"], "max": shown["total"], "depends_on": []}
