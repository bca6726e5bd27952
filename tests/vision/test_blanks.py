"""White dragons and backs: more dragons than a set has, and what colours tell."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.vision.blanks import told_by_colour, without_surplus_blanks
from fanlens.vision.boxes import TILE_CLASSES, TileBox


def tile(left: float = 0, **probabilities: float) -> TileBox:
    """A tile 30 pixels wide, with the probabilities of some names."""
    vector = np.zeros(len(TILE_CLASSES), np.float32)
    for name, value in probabilities.items():
        vector[TILE_CLASSES.index(name)] = value
    return TileBox((left, 0, left + 30, 40), vector, 1.0, np.zeros((4, 2), np.float32))


def names(*tiles: TileBox) -> list[str]:
    return [tile.best for tile in without_surplus_blanks(tiles)]


DOUBTFUL = tile(P=0.7, back=0.3)
CLEAR = tile(P=0.99, back=0.002)


def test_four_doubtful_dragons_may_be_dragons() -> None:
    assert names(*[DOUBTFUL] * 4) == ["P"] * 4


def test_of_five_doubtful_ones_none_is() -> None:
    assert names(*[DOUBTFUL] * 5) == ["back"] * 5


def test_those_that_stand_out_stay_dragons() -> None:
    # ln(0.99 / 0.002) is 6.2, ln(0.7 / 0.3) is 0.8.
    assert names(DOUBTFUL, CLEAR, DOUBTFUL, CLEAR, DOUBTFUL) == ["back", "P", "back", "P", "back"]


def test_clear_dragons_of_two_sets_stay() -> None:
    assert names(*[CLEAR] * 8) == ["P"] * 8


def test_a_turned_tile_keeps_the_rest_of_its_vector() -> None:
    given = tile(P=0.6, back=0.25, E=0.1)
    turned = without_surplus_blanks([given, *[DOUBTFUL] * 4])[0]
    shares = {name: float(turned.probabilities[TILE_CLASSES.index(name)]) for name in ("P", "back", "E")}
    assert {name: round(share, 3) for name, share in shares.items()} == {"P": 0.25, "back": 0.6, "E": 0.1}
    assert given.best == "P"  # the given tile is left as it was


def test_other_tiles_are_left_alone() -> None:
    bird = tile(**{"1s": 0.9, "P": 0.05})
    assert names(bird, *[DOUBTFUL] * 5) == ["1s", *["back"] * 5]


IVORY, LIGHTER, GREEN, YELLOW = (222, 216, 205), (242, 236, 225), (40, 120, 60), (235, 205, 60)
"""Faces with what is drawn on them; a blank one; backs."""


def coloured(*blanks: TileBox, colours: list[tuple[int, int, int]]) -> list[TileBox]:
    """Blank tiles as their colours tell them, right of three faces that end at 90."""
    row = [tile(left, **{name: 0.95}) for left, name in ((0, "1m"), (30, "2p"), (60, "E"))]
    return told_by_colour([*row, *blanks], np.array([IVORY] * 3 + colours, np.uint8))[3:]


def taken(left: float) -> TileBox:
    """A dragon taken for a back."""
    return tile(left, back=0.8, P=0.1)


def test_a_blank_one_beside_faces_that_has_their_colour_is_a_dragon() -> None:
    (found,) = coloured(taken(90), colours=[LIGHTER])
    # 0.1 : 0.8 times 30 are 3.75 : 1, of 0.9 together
    assert found.probabilities[TILE_CLASSES.index("P")] == pytest.approx(0.9 * 3.75 / 4.75, abs=1e-5)
    assert found.probabilities[TILE_CLASSES.index("back")] == pytest.approx(0.9 / 4.75, abs=1e-5)


@pytest.mark.parametrize(
    ("left", "colour"), [(90, GREEN), (90, (190, 184, 173)), (140, LIGHTER)], ids=["hue", "darker", "apart"]
)
def test_of_another_colour_or_by_itself_it_is_a_back(left: float, colour: tuple[int, int, int]) -> None:
    (found,) = coloured(taken(left), colours=[colour])
    assert found.probabilities.tolist() == taken(left).probabilities.tolist()


def test_without_any_chance_of_a_dragon_it_is_a_back() -> None:
    (found,) = coloured(tile(90, back=0.9, P=0.002), colours=[LIGHTER])
    assert found.best == "back"


@pytest.mark.parametrize(("count", "name"), [(1, "P"), (3, "P"), (4, "back")])
def test_up_to_three_in_a_row_are_dragons_and_four_a_kong_face_down(count: int, name: str) -> None:
    found = coloured(*(taken(90 + 30 * k) for k in range(count)), colours=[LIGHTER] * count)
    assert [each.best for each in found] == [name] * count


def test_no_more_than_a_set_has() -> None:
    told = [tile(300 + 30 * k, P=0.95, back=0.01) for k in range(2)]
    for count, name in ((2, "P"), (3, "back")):
        blanks = [*told, *(taken(90 + 30 * k) for k in range(count))]
        assert [each.best for each in coloured(*blanks, colours=[LIGHTER] * len(blanks))[2:]] == [
            name
        ] * count


def test_a_dragon_of_quite_another_hue_is_a_back() -> None:
    yellow, white = coloured(
        tile(90, P=0.88, back=0.1), tile(300, P=0.88, back=0.1), colours=[YELLOW, LIGHTER]
    )
    assert (yellow.best, white.best) == ("back", "P")  # 8.8 : 30
    (framed,) = coloured(tile(90, P=0.99, back=1e-5), colours=[GREEN])
    assert framed.best == "P"


def test_without_faces_colours_tell_nothing() -> None:
    blanks = [taken(0), tile(30, P=0.88, back=0.1)]
    found = told_by_colour(blanks, np.array([LIGHTER, YELLOW], np.uint8))
    assert [each.best for each in found] == ["back", "P"]
