"""Flowers, last tiles and added tiles: whether what lies apart from the rows is the hand's or the table's."""

from __future__ import annotations

from typing import Any

import pytest

HAND = "1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 5s 5s"


def by_role(reading: Any, role: str) -> list[str]:
    """Names of the tiles with a role, sorted."""
    return sorted(tile.tile for tile in reading.tiles if tile.role == role)


def melds(reading: Any) -> list[str]:
    """Melds as text."""
    return sorted(f"{meld.kind} {' '.join(sorted(meld.tiles))}" for meld in reading.hand.melds)


@pytest.mark.parametrize("roll", [0.0, 90.0])
def test_a_flower_that_touches_discards_is_theirs(table: Any, roll: float) -> None:
    # Two rows of discards behind the hand's left end; the flower is the last of the nearer row.
    table.row(HAND)
    table.row("4p W winter", x=0.0, y=2.1)
    table.row("9m 6m", x=0.0, y=3.46)
    assert by_role(table.read(roll=roll), "flower") == []


def test_the_last_of_several_flowers_is_kept_beside_a_discard(table: Any) -> None:
    # A tile of somebody else's lies a tenth of a width past the last flower of a row of four.
    table.row(HAND)
    table.row("chrysanthemum bamboo spring autumn", x=1.0, y=-1.6)
    table.put("N", 5.64, -1.65)
    assert by_role(table.read(), "flower") == ["autumn", "bamboo", "chrysanthemum", "spring"]


@pytest.mark.parametrize(
    ("near", "near_at", "far", "far_at"),
    [
        # One of them is the same as one beside the row: a hand has no flower twice.
        ("chrysanthemum autumn", (2.0, 1.8), "orchid chrysanthemum spring", (6.0, 4.2)),
        # All are others: a hand keeps its flowers in one place.
        ("plum chrysanthemum spring", (1.0, 1.7), "summer orchid winter", (8.0, 3.2)),
    ],
)
def test_flowers_beyond_those_beside_the_row_are_another_hands(
    table: Any, near: str, near_at: tuple[float, float], far: str, far_at: tuple[float, float]
) -> None:
    table.row(HAND)
    own = table.row(near, *near_at)
    table.row(far, *far_at)
    reading = table.read(distance=32.0)
    assert [tile.id for tile in reading.tiles if tile.role == "flower"] == own


def test_a_flower_read_twice_in_one_row_stays_in_it(table: Any) -> None:
    # Nobody else's flowers lie in the row: one of the two was read wrong.
    table.row(HAND)
    table.row("summer summer winter", x=2.0, y=1.8)
    reading = table.read()
    assert by_role(reading, "flower") == ["summer", "summer", "winter"]
    assert "twice-a-flower" in [problem.code for problem in reading.problems]


@pytest.mark.parametrize("gap", [0.45, 0.75, 1.1])
def test_the_eighth_tile_after_a_gap_is_the_winning_one(table: Any, gap: float) -> None:
    table.row("3m 5m 3m 4m 5m 8m 8m 4m", gaps={7: gap})
    table.row("4m 5m 6m 2m 1m 3m", y=-2.2, x=2.0, sideways=(0, 3))
    assert table.read().hand.winning_tile == "4m"


def test_a_last_tile_between_the_row_and_its_melds(table: Any) -> None:
    table.row("1p 1p 1p 2p 3p 5s 6s 6s 6s 7s")
    table.row("4s 2s 3s", x=1.0, y=3.6, sideways=(0,))
    table.put("6s", 3.6, 1.9, turn=6.0)
    reading = table.read()
    assert (reading.hand.winning_tile, melds(reading)) == ("6s", ["chow 2s 3s 4s"])


def test_two_kongs_added_to_side_by_side(table: Any) -> None:
    # The added tiles lie beside the claimed ones and touch each other.
    table.row("9p 9p 3m 4m 5m 9m 9m 9m")
    row = table.row("2m 2m 2m N N N", x=9.2, sideways=(2, 3))
    for name, claimed in (("2m", row[2]), ("N", row[3])):
        table.put(name, table.laid[claimed].x, table.laid[claimed].y + 1.02, turn=90.0)
    assert melds(table.read()) == ["melded-kong 2m 2m 2m 2m", "melded-kong N N N N"]


def test_the_nearer_melds_are_the_hands_however_plain(table: Any) -> None:
    # A second player's kong was added to, which shows that it is one, not whose.
    table.row("5s 5s 5s 2s 1s 3s W W")
    table.row("3s 3s 3s 6s 6s 6s 6s", y=-1.9)
    row = table.row("9p 9p 9p 6p 6p 6p", x=1.0, y=6.0, sideways=(1, 4))
    table.put("9p", table.laid[row[1]].x, table.laid[row[1]].y + 1.02, turn=90.0)
    assert melds(table.read(distance=32.0)) == ["melded-kong 6s 6s 6s 6s", "pung 3s 3s 3s"]


def test_two_concealed_rows_and_a_meld_are_no_tray(table: Any) -> None:
    # Three rows of about equal length that touch; only two of them are concealed.
    table.row("8m 3p 6p 9p C C")
    table.row("1s 4s 7s 2m 5m", y=1.4)
    table.row("spring F F F", y=2.9, gaps={1: 0.25})
    reading = table.read()
    assert (melds(reading), by_role(reading, "flower")) == (["pung F F F"], ["spring"])


def test_four_alike_twice_in_a_row_beside_a_pond(table: Any) -> None:
    # Thirteen tiles with four 3s and four 4s; the winning tile lies above them.
    table.row("2s 2s 2s 3s 3s 3s 3s 4s 4s 4s 4s 8s 8s")
    table.put("2s", 2.0, 1.75)
    for number, names in enumerate(("7p C 1s 1p N C", "6s 6s 7p 7m 6m 3p", "1m 7p 6p 9p 4m W")):
        table.row(names, x=8.0, y=5.0 + 1.37 * number)
    assert table.read(distance=32.0).hand.winning_tile == "2s"


@pytest.mark.parametrize("roll", [0.0, 90.0, 200.0])
def test_a_doubtful_tile_face_down_at_the_end_of_the_row_is_none_of_the_hands(
    table: Any, roll: float
) -> None:
    row = table.row("9p 9p 9p 7s 7s 7s P P P 4m back")
    table.doubts[row[-1]] = {"back": 0.75, "P": 0.1, "4m": 0.1}
    table.row("9m 9m 9m", x=1.0, y=-2.4, sideways=(1,))
    table.put("4m", 5.0, 2.2, turn=20.0)
    reading = table.read(roll=roll)
    assert [problem.code for problem in reading.problems] == ["unknown-context"]
    assert (reading.hand.winning_tile, len(reading.hand.concealed)) == ("4m", 10)
    assert by_role(reading, "elsewhere") == ["back"]
