"""How tiles fall into winning shapes, asked with plain counts as the photo reader does."""

from __future__ import annotations

import pytest
from fanlens.scoring import TILES, parse_tiles
from fanlens.scoring.shapes import is_winning, standard_forms, waiting_tiles, winning_forms
from hypothesis import given, settings
from hypothesis import strategies as st


def counts(text: str) -> list[int]:
    tiles = parse_tiles(text)
    return [tiles.count(name) for name in TILES]


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("11m", 4),
        ("123m 55p", 3),
        ("123456789m 123p 55s", 0),
        ("1122m 3344p 5566s EE", 0),
        ("1111m 2222p 3333s EE", 0),
        ("19m 19p 19s ESWNCFP P", 0),
        ("147m 258p 369s ESWNC", 0),
        ("14m 258p 36s ESWNCFP", 0),
        ("147m 258p 369s 55m 789p", 0),
        ("147m 258p 369s 55m", 1),
        ("11123455678999s", 0),
    ],
)
def test_wins(text: str, melds: int) -> None:
    assert is_winning(counts(text), melds)


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("12m", 4),
        ("11m", 3),
        ("11m", -1),
        ("EES", 3),
        # Four pairs and two sets are fourteen tiles, but no hand.
        ("11m 22p 33s EE CCC FFF", 0),
        # Seven pairs, orphans and knitted honours have nothing melded.
        ("1122m 3344p 566s", 1),
        ("147m 258p 369s ES", 1),
        # 8-9-1 is no chow, nor are three winds.
        ("891m 456p 789s ESW CC", 0),
        # Two suits of a knitted straight may not share a third.
        ("147m 147p 369s 55m 789p", 0),
    ],
)
def test_no_wins(text: str, melds: int) -> None:
    assert not is_winning(counts(text), melds)


def test_standard_forms_lists_every_split() -> None:
    # 111222333m: three pungs or three equal chows; with 44m also 1-2-3, 2-3-4 twice and the pair of ones.
    forms = {(form.chows, form.pungs, form.pair) for form in standard_forms(counts("111222333m 44m EEE"))}
    assert forms == {((), (0, 1, 2, 27), 3), ((0, 0, 0), (27,), 3), ((0, 1, 1), (27,), 0)}


def test_knitted_straights_are_winning_forms_but_no_standard_ones() -> None:
    knitted = counts("147m 258p 369s 55m 789p")
    assert standard_forms(knitted) == ()
    (form,) = winning_forms(knitted)
    assert form.knitted == (0, 3, 6, 10, 13, 16, 20, 23, 26)
    assert (form.chows, form.pair) == ((15,), 4)


def test_waiting_tiles_of_nine_gates() -> None:
    assert list(waiting_tiles(counts("1112345678999m"))) == list(range(9))


def test_counts_are_checked() -> None:
    with pytest.raises(ValueError, match="34 numbers from 0 to 4"):
        is_winning([0] * 33)
    with pytest.raises(ValueError, match="34 numbers from 0 to 4"):
        standard_forms([5] + [0] * 33)


def splits(tiles: list[int]) -> bool:
    """Sets only, by plain search: take the lowest tile as a pung or as the start of a chow."""
    if not tiles:
        return True
    low = tiles[0]
    pung = tiles.count(low) >= 3 and splits(tiles[3:])
    chow = low < 27 and low % 9 < 7 and low + 1 in tiles and low + 2 in tiles
    if chow and not pung:
        rest = tiles.copy()
        for tile in (low, low + 1, low + 2):
            rest.remove(tile)
        return splits(rest)
    return pung


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(0, 12), min_size=8, max_size=8).filter(lambda row: max(map(row.count, row)) <= 4))
def test_standard_forms_agree_with_plain_search(row: list[int]) -> None:
    tiles = sorted(row)
    found = False
    for pair in {tile for tile in tiles if tiles.count(tile) >= 2}:
        rest = tiles.copy()
        rest.remove(pair)
        rest.remove(pair)
        found = found or splits(rest)
    assert bool(standard_forms([tiles.count(tile) for tile in range(34)])) == found
