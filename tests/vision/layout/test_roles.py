"""Which tile has which role, for the ways in which hands lie on tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting
from fanlens.vision.resolve import read_hand
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CAMERAS: list[dict[str, Any]] = [
    {},
    {"elevation": 85.0},
    {"elevation": 35.0, "yaw": 12.0},
    {"roll": 90.0},
    {"roll": 180.0},
    {"roll": 270.0},
    {"roll": 20.0},
    {"roll": -20.0},
    {"yaw": 180.0},
    {"yaw": 30.0, "outlines": True},
    {"roll": 40.0, "outlines": True},
]
"""Level, from above, flat and from the side, the picture turned, and from the opposite seat."""

HAND = "1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 5s 5s"


def roles(reading: Any) -> dict[str, list[str]]:
    """Tile names by role, sorted; melds apart as text."""
    found: dict[str, list[str]] = {}
    for tile in reading.tiles:
        if tile.role != "meld":
            found.setdefault(tile.role, []).append(tile.tile)
    found["melds"] = sorted(f"{meld.kind} {' '.join(sorted(meld.tiles))}" for meld in reading.hand.melds)
    return {role: sorted(names) for role, names in found.items() if names}


@pytest.mark.parametrize("camera", CAMERAS)
def test_one_row_is_concealed(table: Any, camera: dict[str, Any]) -> None:
    table.row(HAND)
    assert roles(table.read(**camera)) == {"concealed": sorted(HAND.split())}


@pytest.mark.parametrize("camera", CAMERAS)
def test_two_melds_behind_with_claimed_tiles_sideways(table: Any, camera: dict[str, Any]) -> None:
    table.row("1m 2m 3m 4p 5p 6p E E")
    table.row("7s 7s 7s 4m 3m 5m", y=2.2, sideways=(0, 3))
    assert roles(table.read(**camera)) == {
        "concealed": sorted(["1m", "2m", "3m", "4p", "5p", "6p", "E", "E"]),
        "melds": ["chow 3m 4m 5m", "pung 7s 7s 7s"],
    }


@pytest.mark.parametrize("camera", CAMERAS[:6])
def test_a_set_pushed_up_to_the_concealed_row_is_its_second_row(table: Any, camera: dict[str, Any]) -> None:
    table.row("2m 2m 2m 4p 6p 5p 8s 8s 1s 2s 3s")
    table.row("N N N", y=-1.37)
    assert set(roles(table.read(**camera))) == {"concealed"}


@pytest.mark.parametrize("camera", CAMERAS[:6])
def test_a_set_clear_of_the_concealed_row_is_a_meld(table: Any, camera: dict[str, Any]) -> None:
    table.row("2m 2m 2m 4p 6p 5p 8s 8s 1s 2s 3s")
    table.row("N N N", y=-1.57)
    assert roles(table.read(**camera))["melds"] == ["pung N N N"]


@pytest.mark.parametrize("camera", CAMERAS[:6])
@pytest.mark.parametrize(("y", "names"), [(-1.37, ["9m"]), (-1.57, ["9m", "N"])], ids=["touching", "clear"])
def test_melds_that_lie_elsewhere_make_a_touching_set_the_second_row(
    table: Any, camera: dict[str, Any], y: float, names: list[str]
) -> None:
    table.row("4p 6p 5p 8s 8s 1s 2s 3s")
    table.row("N N N", y=y)
    table.row("9m 9m 9m", x=1.0, y=3.2, sideways=(1,))
    assert sorted(meld.tiles[0] for meld in table.read(**camera).hand.melds) == names


@pytest.mark.parametrize("camera", CAMERAS)
def test_flowers_and_melds_touching_in_one_row(table: Any, camera: dict[str, Any]) -> None:
    table.row("2m 3m 4m 6s 7s 8s W W")
    table.row("plum winter 4p 4p 4p 1s 2s 3s", y=1.7)
    assert roles(table.read(**camera)) == {
        "concealed": sorted(["2m", "3m", "4m", "6s", "7s", "8s", "W", "W"]),
        "flower": ["plum", "winter"],
        "melds": ["chow 1s 2s 3s", "pung 4p 4p 4p"],
    }


@pytest.mark.parametrize("camera", CAMERAS)
def test_melds_beside_the_row_after_a_gap(table: Any, camera: dict[str, Any]) -> None:
    table.row("2m 3m 4m 6s 7s 8s W W 4p 4p 4p 1s 2s 3s", gaps={8: 0.8, 11: 0.4})
    reading = table.read(**camera)
    assert roles(reading) == {
        "concealed": sorted(["2m", "3m", "4m", "6s", "7s", "8s", "W", "W"]),
        "melds": ["chow 1s 2s 3s", "pung 4p 4p 4p"],
    }


@pytest.mark.parametrize(
    ("x", "y", "turn"),
    [
        (14.3, 0.0, 0.0),
        (14.1, 0.0, 25.0),
        (13.8, -0.17, 90.0),
        (-0.9, 0.0, 0.0),
        (6.0, 2.4, 15.0),
        (5.0, -1.9, 0.0),
    ],
    ids=["end", "end-turned", "end-sideways", "left", "above", "before"],
)
@pytest.mark.parametrize("roll", [0.0, 90.0, 180.0])
def test_winning_tile_set_apart(table: Any, x: float, y: float, turn: float, roll: float) -> None:
    table.row("1m 2m 3m 4p 5p 6p 7s 8s E E E 5s 5s")
    table.put("9s", x, y, turn=turn)
    reading = table.read(roll=roll)
    assert roles(reading)["winning"] == ["9s"]
    assert reading.hand.winning_tile == "9s"


def test_winning_tile_turned_inside_the_row(table: Any) -> None:
    table.row(HAND, sideways=(4,))
    assert table.read().hand.winning_tile == "5p"


def test_pond_and_walls_are_elsewhere(table: Any) -> None:
    table.row(HAND)
    for place, name in enumerate(["4m", "C", "9p", "9p", "2s", "8m", "1p", "W", "N", "7m", "S", "F"]):
        table.put(name, 3.0 + 1.6 * (place % 4), 4.5 + 1.9 * (place // 4), turn=7.0 * (place % 3 - 1))
    table.row(["back"] * 17, x=-2, y=12)
    reading = table.read(distance=34.0)
    assert roles(reading)["concealed"] == sorted(HAND.split())
    assert {tile.role for tile in reading.tiles[14:]} == {"elsewhere"}


@pytest.mark.parametrize("camera", CAMERAS)
def test_a_wind_marker_beside_a_flower_is_no_pond(table: Any, camera: dict[str, Any]) -> None:
    # A marker half the size of a tile, read as a red dragon, touches the flower behind the row.
    table.row(HAND)
    table.put("C", 0.85, 2.2, size=0.5)
    table.put("summer", 1.65, 2.35)
    reading = table.read(**camera)
    assert roles(reading) == {"concealed": sorted(HAND.split()), "elsewhere": ["C"], "flower": ["summer"]}


def test_claimed_tile_is_the_only_one_on_the_table(table: Any) -> None:
    # A hand of thirteen that only a 6m completes, which lies far off by itself.
    table.row("1m 2m 3m 6s 7s 8s 2p 3p 4p 9s 9s 7m 5m")
    table.put("6m", 6.0, 6.0)
    reading = table.read(distance=30.0)
    assert reading.hand.winning_tile == "6m"


@pytest.mark.parametrize("backs", [(0, 1, 2, 3), (0, 3), (1, 2), ()], ids=["down", "outer", "inner", "up"])
def test_kongs_by_what_shows(table: Any, backs: tuple[int, ...]) -> None:
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    table.row(["back" if place in backs else "3s" for place in range(4)], y=2.3, x=2.0)
    reading = table.read()
    kind, shown = {4: ("concealed-kong", "?"), 2: ("concealed-kong", "3s"), 0: ("melded-kong", "3s")}[
        len(backs)
    ]
    assert [(meld.kind, meld.tiles) for meld in reading.hand.melds] == [(kind, (shown,) * 4)]
    assert (reading.score is None) == (len(backs) == 4)
    if len(backs) == 4:
        assert [problem.code for problem in reading.problems] == ["face-down-kong"]
    if not backs:
        assert "kong" in reading.score.depends_on
        assert [tile.flag for tile in reading.tiles if tile.role == "meld"] == ["role"] * 4


@pytest.mark.parametrize(
    ("seen", "tiles"),
    [
        ("back 3s 3s", "3s"),
        ("3s 3s back", "3s"),
        ("3s back back", "3s"),
        ("back 3s back", "3s"),
        ("back back back", "?"),
    ],
)
def test_a_kong_of_which_a_tile_was_not_found(table: Any, seen: str, tiles: str) -> None:
    """Tiles are only turned face down in kongs; that one of it is missing is a doubt."""
    table.row("4p 5p 6p 7s 8s 9s 1m 2m 3m E E")
    kong = table.row(seen, y=2.3, x=2.0)
    reading = table.read()
    assert reading.hand is not None
    (meld,) = reading.hand.melds
    assert (meld.kind, meld.tiles) == ("concealed-kong", (tiles,) * 4)
    assert sorted({*reading.hands[0].melds[0].ids}) == kong
    assert [tile.flag for tile in reading.tiles if tile.id in kong] == ["low-confidence"] * 3
    assert (reading.score is None) == (tiles == "?")


@pytest.mark.parametrize("backs", [1, 2])
def test_the_winning_tile_may_touch_one_that_lies_face_down(table: Any, backs: int) -> None:
    table.row("4p 5p 6p 7s 8s 9s 1m 2m 3m E E 3s 4s")
    table.row([*["back"] * backs, "2s"], y=-2.0, x=3.0)
    reading = table.read()
    assert reading.hand is not None
    assert reading.hand.winning_tile == "2s"


@pytest.mark.parametrize("place", [0, 6, 13])
def test_a_blank_dragon_that_looks_face_down_is_the_hands(table: Any, place: int) -> None:
    names = ["1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "E", "E", "E", "P"]
    numbers = table.row([*names[:place], "P", *names[place:]])
    table.doubts[numbers[place]] = {"back": 0.6, "P": 0.38}
    reading = table.read()
    assert sorted(reading.hand.tiles) == sorted([*names, "P"])
    assert reading.tiles[place].flag == "inferred"


def test_a_back_beside_a_pair_is_no_kong_of_a_whole_hand(table: Any) -> None:
    table.row("4p 5p 6p 7s 8s 9s 1m 2m 3m E E 3s 3s 3s")
    table.row("back 3p 3p", y=3.3, x=2.0)
    reading = table.read()
    assert reading.hand is not None
    assert reading.hand.melds == ()


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "stacked"])
def test_added_kong(table: Any, beside: bool) -> None:
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    sideways = table.row("3s 3s 3s", y=2.5, x=2.0, sideways=(1,))[1]
    claimed = table.laid[sideways]
    if beside:
        table.put("3s", claimed.x, claimed.y + 1.02, turn=90.0)
    else:
        table.put("3s", claimed.x, claimed.y + 0.45, turn=90.0, z=0.7)
    reading = table.read(elevation=65.0)
    assert [(meld.kind, meld.tiles) for meld in reading.hand.melds] == [("melded-kong", ("3s",) * 4)]


def test_four_equal_tiles_inside_a_concealed_row_stay_concealed(table: Any) -> None:
    # 14 tiles with four 3m: 123m 333m as sets; a kong would leave one tile missing.
    names = "1m 2m 3m 3m 3m 3m 4p 5p 6p 7s 8s 9s E E"
    table.row(names)
    assert roles(table.read()) == {"concealed": sorted(names.split())}


def test_kong_at_the_end_of_a_touching_row_is_told_by_the_count(table: Any) -> None:
    table.row("4p 5p 6p 7s 8s 9s 1m 2m 3m E E 8p 8p 8p 8p")
    reading = table.read()
    assert [meld.tiles for meld in reading.hand.melds] == [("8p",) * 4]


def test_hand_in_a_rack_with_melds_behind(table: Any) -> None:
    table.row("2m 3m 4m 6s 7s 8s W W", stands=True)
    table.row("plum 4p 4p 4p 1s 2s 3s", y=1.4)
    reading = table.read(elevation=30.0)
    assert roles(reading) == {
        "concealed": sorted(["2m", "3m", "4m", "6s", "7s", "8s", "W", "W"]),
        "flower": ["plum"],
        "melds": ["chow 1s 2s 3s", "pung 4p 4p 4p"],
    }


def test_fourteen_concealed_tiles_in_two_rows(table: Any) -> None:
    # Seven pairs can hold no meld: both rows are concealed.
    table.row("1m 1m 3m 3m 5p 5p 7p", y=1.4)
    table.row("7p 2s 2s 4s 4s N N")
    reading = table.read()
    assert len(reading.hand.concealed) == 14
    assert reading.score is not None


def test_two_complete_hands(table: Any) -> None:
    table.row(HAND)
    table.row("1p 1p 1p 2p 3p 4p 6m 7m 8m 2s 3s 4s P P", y=7.0)
    reading = table.read(distance=32.0)
    assert len(reading.hands) == 2
    assert sorted(reading.hand.concealed) == sorted(HAND.split())
    assert "several-hands" in [problem.code for problem in reading.problems]


def test_meld_boxes_decide_where_geometry_can_not(table: Any) -> None:
    # Fourteen touching tiles in one row: without meld boxes all are taken as concealed.
    row = table.row(HAND)
    assert table.read().hand.melds == ()
    reading = table.read(melds=[row[0:3], row[3:6]])
    assert [meld.tiles for meld in reading.hand.melds] == [("1m", "2m", "3m"), ("4p", "5p", "6p")]


# The fixture is a class: every example lays its own table.
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scale=st.floats(0.3, 4.0),
    shift=st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
    quarter=st.sampled_from([0.0, 90.0, 180.0, 270.0]),
    tilt=st.floats(-12.0, 12.0),
)
def test_roles_do_not_depend_on_where_and_how_large(
    new_table: Callable[[], Any], scale: float, shift: tuple[float, float], quarter: float, tilt: float
) -> None:
    table = new_table()
    table.row("1m 2m 3m 4p 5p 6p E E")
    table.row("orchid 7s 7s 7s 3m 4m 5m", y=2.2)
    expected = roles(table.read())
    assert roles(table.read(scale=scale, shift=shift, roll=quarter + tilt)) == expected


def test_a_tray_is_counted_as_a_whole(table: Any) -> None:
    for number in range(4):
        ranks = [f"{1 + (place + number) % 9}{'mps'[(place + number) % 3]}" for place in range(9)]
        table.row(ranks, y=1.4 * number)
    reading = table.read(elevation=85.0)
    assert [(problem.code, problem.message) for problem in reading.problems] == [
        ("too-many", "36 tiles: 22 are too many.")
    ]


def test_sets_set_apart_in_the_row_are_concealed_where_the_melds_lie_elsewhere(table: Any) -> None:
    table.row("C C C S S S 6p 6p 4p 4p 4p", gaps={3: 0.28, 6: 0.28})
    meld = table.row("5s 5s 5s", y=2.6, sideways=(1,))
    # one group of the row is proposed too
    reading = table.read(melds=[[0, 1, 2], meld], elevation=70.0)
    assert roles(reading) == {
        "concealed": sorted(["C", "C", "C", "S", "S", "S", "6p", "6p", "4p", "4p", "4p"]),
        "melds": ["pung 5s 5s 5s"],
    }


def test_four_kongs_and_a_pair_are_fourteen(table: Any) -> None:
    # only two of the kongs are proposed as groups: the other row is no row of ten concealed tiles
    first, second = table.row("5p 5p 5p 5p"), table.row("2m 2m 2m 2m", x=4.04)
    table.row("C C C C 8s 8s 8s 8s 4s 4s", x=-1.0, y=-2.6)
    reading = table.read(melds=[first, second])
    assert sorted(meld.tiles[0] for meld in reading.hand.melds) == ["2m", "5p", "8s", "C"]
    assert all("kong" in meld.kind for meld in reading.hand.melds)
    assert list(reading.hand.concealed) == ["4s", "4s"]


def test_groups_of_the_picture_are_the_hands_melds_and_those_of_others(table: Any) -> None:
    table.row("1m 2m 3m 4p 5p 6p E E 7s 8s 9s")
    mine = table.row("4m 4m 4m", y=2.2)
    theirs = table.row("2p 2p 2p", x=2.0, y=9.0)
    across = [8, 9, 10]  # three of the concealed tiles, faintly taken for a group
    boxes = table.boxes()
    seen = [replace(meld, confidence=0.1) for meld in table.meld_boxes(boxes, theirs, across)]
    sighting = Sighting(
        ImageInfo("table.jpg", 1280, 960), ModelInfo("test", "0" * 64), tuple(boxes), tuple(seen)
    )
    reading = read_hand(sighting)
    assert [meld.kind for meld in reading.hand.melds] == ["pung"]  # type: ignore[union-attr]
    assert [group.box for group in reading.groups] == [
        table.meld_boxes(boxes, group)[0].box for group in (mine, theirs)
    ]


def test_groups_without_a_hand_are_what_was_seen(table: Any) -> None:
    first = table.row("2p 2p 2p")
    second = table.row("7s 8s 9s", x=8.0)
    boxes = table.boxes()
    seen = table.meld_boxes(boxes, first, second)
    reading = table.read(melds=[first, second])
    assert sorted(group.box for group in reading.groups) == sorted(meld.box for meld in seen)
