"""Arrangements of one hand: those of finished hands alone are among all of them."""

from __future__ import annotations

from typing import Any

import pytest
from fanlens.vision.layout import Arrangement, arrange

TABLES = [
    ("2m 2m 2m 4p 6p 5p 8s 8s 7s 9s 9s", "N N N", ""),  # 11 concealed tiles and a meld
    ("1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 5s 5s", "C 4s 7p 1m F 2p", "3s W 8p 8m 6s 1p"),  # a pond behind
]


def pieces(arrangement: Arrangement) -> frozenset[tuple[str, frozenset[int]]]:
    """What the hand consists of, whatever the order."""
    return frozenset((piece.kind.name, frozenset(piece.all_indices)) for piece in arrangement.pieces)


@pytest.mark.parametrize(("front", "behind", "further"), TABLES)
def test_finished_hands_alone_are_those_of_the_whole_search(
    table: Any, front: str, behind: str, further: str
) -> None:
    table.row(front)
    table.row(behind, y=-2.4)
    if further:
        table.row(further, y=-3.8)
    boxes = table.boxes()
    finished, whole = arrange(boxes, finished=True), arrange(boxes)
    assert {each.size for each in finished} == {14}
    assert len({each.size for each in whole}) > 1
    likeliest = next(each for each in whole if each.size == 14)
    assert pieces(finished[0]) == pieces(likeliest)
    assert finished[0].score == pytest.approx(likeliest.score)


def test_too_few_tiles_are_no_finished_hand(table: Any) -> None:
    table.row("2m 2m 2m 4p 6p 5p 8s")
    table.row("N N N", y=-2.4)
    assert arrange(table.boxes(), finished=True) == []
