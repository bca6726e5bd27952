"""What else lies on the table, and boxes as detectors give them: neither may change the hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fanlens.vision.boxes import TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Sighting
from fanlens.vision.resolve import read_hand

IMAGE, MODEL = ImageInfo("table.jpg", 1280, 960), ModelInfo("test", "0" * 64)
HAND = "1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 5s 5s"


def hand(reading: Any) -> tuple[list[str], str | None, list[str], list[str]]:
    """Concealed tiles, winning tile, melds as text, flowers."""
    melds = [f"{meld.kind} {' '.join(sorted(meld.tiles))}" for meld in reading.hand.melds]
    return (
        sorted(reading.hand.concealed),
        reading.hand.winning_tile,
        sorted(melds),
        sorted(reading.hand.flowers),
    )


def test_melds_of_another_player_beyond_fourteen_tiles(table: Any) -> None:
    table.row(HAND)
    table.row("9m 9m 9m 2p 2p 2p 2p", x=2.0, y=4.2, sideways=(1,))
    assert hand(table.read(distance=30.0)) == (sorted(HAND.split()), None, [], [])


@pytest.mark.parametrize("place", [3, 8])
@pytest.mark.parametrize("roll", [0.0, 90.0])
def test_winning_tile_pushed_up_out_of_standing_tiles(table: Any, place: int, roll: float) -> None:
    names = HAND.split()
    for number, name in enumerate(names):
        table.put(name, number * 1.01, 0.0, z=0.3 if number == place else 0.0, stands=True)
    assert table.read(elevation=30.0, roll=roll).hand.winning_tile == names[place]


@pytest.mark.parametrize("outlines", [False, True], ids=["boxes", "outlines"])
def test_a_flower_at_an_odd_angle_among_loose_tiles_is_the_tables(table: Any, outlines: bool) -> None:
    table.row(HAND)
    table.put("winter", 4.0, 3.0, turn=30.0)
    table.put("9m", 6.0, 3.2, turn=70.0)
    table.put("C", 2.0, 3.4, turn=-20.0)
    assert hand(table.read(outlines=outlines)) == (sorted(HAND.split()), None, [], [])


def test_a_flower_in_the_pond_is_no_flower_of_the_hand(table: Any) -> None:
    table.row(HAND)
    table.row("9m C winter 2p 6s 1p", x=3.0, y=3.0)
    assert hand(table.read()) == (sorted(HAND.split()), None, [], [])


def test_a_loose_tile_beside_a_pung_is_no_added_kong(table: Any) -> None:
    # Only a pung with its claimed tile sideways is added to, and there.
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    table.row("3s 3s 3s", y=2.5, x=2.0)
    table.put("3s", 3.6, 4.0, turn=25.0)
    reading = table.read(elevation=65.0)
    assert hand(reading)[2] == ["pung 3s 3s 3s"]


def test_a_back_beside_a_pung_is_no_added_kong(table: Any) -> None:
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    table.row("3s 3s 3s", y=2.5, x=2.0, sideways=(1,))
    table.put("back", 3.5, 4.2, turn=10.0)
    assert hand(table.read(elevation=65.0))[2] == ["pung 3s 3s 3s"]


def test_sets_of_a_concealed_row_parted_a_little(table: Any) -> None:
    table.row(HAND, gaps={3: 0.3, 6: 0.3, 9: 0.3, 12: 0.3})
    assert hand(table.read()) == (sorted(HAND.split()), None, [], [])


def test_a_pair_beside_four_melds_shows_no_winning_tile(table: Any) -> None:
    # From this low every tile looks broader than high.
    table.row("S S", x=5.0)
    table.row("W W W F F F 9m 9m 9m 2m 2m 2m", y=2.2, gaps={3: 0.4, 6: 0.4, 9: 0.4})
    reading = table.read(elevation=28.0)
    assert hand(reading)[:2] == (["S", "S"], None)


def test_winning_tile_beside_a_pond_as_long_as_a_tray(table: Any) -> None:
    # Three full rows of discards touch each other; the hand lies before them.
    table.row(HAND)
    for number in range(3):
        names = [f"{1 + (place + 2 * number) % 9}{'mps'[(place + number) % 3]}" for place in range(6)]
        table.row(names, x=4.0, y=4.0 + 1.36 * number)
    assert hand(table.read(distance=32.0)) == (sorted(HAND.split()), None, [], [])


def test_four_melds_with_claimed_tiles_sideways_and_a_pair(table: Any) -> None:
    # The pair is the shortest row on the table, and still the concealed tiles.
    table.row("6m 6m", x=4.0)
    table.row(
        "4m 4m 4m 5m 4m 6m 3m 3m 3m 1m 2m 3m", y=2.2, sideways=(1, 3, 6, 9), gaps={3: 0.2, 6: 0.2, 9: 0.2}
    )
    for number in range(3):
        table.row(["7s", "9p", "2p", "W", "N", "8m"], x=1.0, y=6.0 + 1.5 * number)
    assert hand(table.read(distance=36.0, outlines=True)) == (
        ["6m", "6m"],
        None,
        ["chow 1m 2m 3m", "chow 4m 5m 6m", "pung 3m 3m 3m", "pung 4m 4m 4m"],
        [],
    )


def test_melds_seen_upright_from_the_other_side_are_doubted(table: Any) -> None:
    # Eleven concealed tiles and a pung that completes them, but faces the player opposite.
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    table.row("2p 2p 2p", x=4.0, y=2.6)
    sure = {}
    for up in (0.0, 180.0):
        boxes = tuple(
            replace(box, up=0.0 if number < 11 else up, up_confidence=0.95)
            for number, box in enumerate(table.boxes())
        )
        tile = read_hand(Sighting(IMAGE, MODEL, boxes)).tiles[12]
        sure[up] = tile.role_confidence if tile.role == "meld" else 1 - tile.role_confidence
    assert sure[0.0] > 0.9
    assert sure[180.0] < sure[0.0]


WALLS = {
    "wall": [("back", 17, -2.0, 6.0, 0.0)],
    "loose": [("back", 1, 1.0, 4.0, 20.0), ("back", 1, -1.5, 3.9, -35.0), ("back", 1, -8.0, 2.5, 70.0)],
    "another-hand": [("back", 13, 0.0, 9.0, 0.0)],
}


@pytest.mark.parametrize("things", WALLS.values(), ids=list(WALLS))
def test_backs_on_the_table_are_no_kongs(
    table: Any, things: list[tuple[str, int, float, float, float]]
) -> None:
    table.row("1m 2m 3m 4p 5p 6p 7s 8s 9s E E")
    table.row("3s 3s 3s", x=2.0, y=2.2, sideways=(0,))
    for name, count, x, y, turn in things:
        for number in range(count):
            table.put(name, x + 4.0 + 1.01 * number if count == 1 else x + 1.01 * number, y, turn=turn)
    assert hand(table.read(distance=32.0))[2] == ["pung 3s 3s 3s"]


@pytest.mark.parametrize("backs", [(0, 1, 2, 3), (0, 3), (1, 2)], ids=["down", "outer", "inner"])
def test_kongs_with_backs_beside_other_melds(table: Any, backs: tuple[int, ...]) -> None:
    table.row("1m 2m 3m 4p 5p 6p E E")
    names = ["back" if place in backs else "3s" for place in range(4)]
    table.row([*names, "9p", "9p", "9p"], y=2.3, x=1.0, sideways=(4,), gaps={4: 0.3})
    table.row(["back"] * 12, y=6.5, x=-1.0)
    shown = "?" if len(backs) == 4 else "3s"
    assert hand(table.read(distance=32.0))[2] == [f"concealed-kong {' '.join([shown] * 4)}", "pung 9p 9p 9p"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("roll", [0.0, 90.0])
def test_loose_boxes_show_no_winning_tile(table: Any, seed: int, roll: float) -> None:
    # Every side of every box is up to 6 percent of the tile off; a tile was taken for two, far away.
    table.row("1m 2m 3m 4p 5p 6p E E")
    table.row("7s 7s 7s 4m 3m 5m", y=2.2, sideways=(0, 3), gaps={3: 0.3})
    boxes = shaken(table.boxes(roll=roll), seed)
    reading = read_hand(Sighting(IMAGE, MODEL, boxes))
    assert hand(reading) == (
        sorted(["1m", "2m", "3m", "4p", "5p", "6p", "E", "E"]),
        None,
        ["chow 3m 4m 5m", "pung 7s 7s 7s"],
        [],
    )


def shaken(boxes: list[TileBox], seed: int) -> tuple[TileBox, ...]:
    """The boxes with every side moved by up to 6 percent of the box."""
    rng = np.random.default_rng(seed)
    found = []
    for tile in boxes:
        box = np.array(tile.box)
        sides = np.tile(box[2:] - box[:2], 2)
        x0, y0, x1, y1 = (float(v) for v in box + rng.uniform(-0.06, 0.06, 4) * sides)
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32)
        found.append(replace(tile, box=(x0, y0, x1, y1), corners=corners))
    return tuple(found)


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
def test_only_tiles_that_can_be_told_make_a_pond(table: Any, told: bool) -> None:
    # Something the size of a tile beside the winning tile: a discard, or a thing nobody can read.
    table.row("1m 2m 3m 4p 5p 6p 7s 8s E E E 5s 5s")
    last = table.put("9s", 5.0, 4.0)
    other = table.put("C", 5.9, 5.2)
    if not told:
        table.doubts[other] = {"C": 0.3, "F": 0.3, "N": 0.3}
    shown = table.read().tiles[last].role_confidence
    table.laid.pop()
    table.doubts.clear()
    alone = table.read().tiles[last].role_confidence
    assert (shown < alone - 0.02) == told
