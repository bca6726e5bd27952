"""What else lies on the table, and boxes as detectors give them: neither may change the hand."""

from __future__ import annotations

from typing import Any

import pytest

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
