"""Halves of tiles put together, on rows of boxes 40 wide and 54 long."""

from __future__ import annotations

import numpy as np
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.detector import Detections
from fanlens.vision.halves import whole_tiles

Spans = list[tuple[float, float]]


def row(spans: Spans, name: str = "4s", *, upright: bool = True) -> Detections:
    """Boxes from x0 to x1 side by side, or one below the other."""
    boxes = np.array(
        [(x0, 100, x1, 154) if upright else (100, x0, 154, x1) for x0, x1 in spans], np.float32
    ).reshape(-1, 4)
    scores = np.zeros((len(boxes), 43), np.float32)
    scores[:, TILE_CLASSES.index(name)] = np.linspace(0.95, 0.9, len(boxes))
    return Detections(boxes, scores, np.zeros((0, 4), np.float32), np.zeros(0, np.float32))


WHOLE: Spans = [(41.0 * k, 41.0 * k + 40) for k in range(8)]
HALVES: Spans = [(328, 351), (346, 368)]


def test_two_halves_are_one_tile() -> None:
    for upright in (True, False):
        found = whole_tiles(row([*WHOLE, *HALVES], upright=upright))
        along = found.boxes[:, [0, 2] if upright else [1, 3]]
        assert len(found) == 9
        assert [328.0, 368.0] in along.tolist()


def test_the_surer_halfs_scores_stay() -> None:
    before = row([*WHOLE, *HALVES])
    after = whole_tiles(before)
    place = after.boxes[:, 0].tolist().index(328)
    assert after.scores[place].max() == before.scores[8].max()
    assert (np.diff(after.confidence) <= 0).all()


def test_each_half_goes_to_its_own_other_half() -> None:
    """Four halves of two tiles that touch: the inner two together would be one tile wide too."""
    found = whole_tiles(row([*WHOLE, (328, 349), (347, 368), (369, 390), (388, 409)]))
    assert len(found) == 10
    assert sorted(found.boxes[:, 0].tolist())[8:] == [328, 369]


def test_what_is_no_half_is_left_alone() -> None:
    apart = [*WHOLE, (328, 350), (400, 422)]
    single = [*WHOLE, (328, 350)]
    few: Spans = [(0, 40), *HALVES]
    for spans in (WHOLE, apart, single, few, [(23.0 * k, 23.0 * k + 22) for k in range(8)]):
        found = row(spans)
        assert whole_tiles(found) is found
    for name in ("back", "E"):
        other = row([*WHOLE, *HALVES], name)
        assert whole_tiles(other) is other
    two_suits = row([*WHOLE, *HALVES])
    two_suits.scores[9] = np.roll(two_suits.scores[9], -9)
    assert whole_tiles(two_suits) is two_suits
    nothing = row([])
    assert whole_tiles(nothing) is nothing
