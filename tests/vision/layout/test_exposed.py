"""Exposed groups out of faint proposals: the tiles tell where one ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fanlens.models import GroupsSpec, ModelError
from fanlens.vision.boxes import Box, MeldBox, TileBox
from fanlens.vision.layout import find_rows
from fanlens.vision.layout.exposed import FEATURES, GroupJudge, candidates, read_judge
from fanlens.vision.layout.plane import Plane

WEIGHTS = {"proposed": 0.5, "gap before": 1.0, "gap behind": 1.0, "unlikely": -6.0, "one of four alike": -6.0}
"""Of one hidden unit: a proposal at 0.5, legal faces and room on one side make 8 tanh(1) = 6.1 log-odds."""


def numbers(**changed: Any) -> dict[str, Any]:
    """What a judge is made of."""
    return {
        "features": list(FEATURES),
        "hidden": [[WEIGHTS.get(name, 0.0) for name in FEATURES]],
        "hidden_bias": [0.0],
        "output": [8.0],
        "output_bias": 0.0,
        "least": 0.5,
        "alone": 0.6,
    } | changed


def around(boxes: list[TileBox], *group: int) -> Box:
    """The box round some tiles."""
    sides = list(zip(*(boxes[i].box for i in group), strict=True))
    return (min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3]))


def groups(boxes: list[TileBox], *proposed: tuple[Box, float]) -> list[Box]:
    """What the judge makes of the proposals, from left to right."""
    rows = find_rows(boxes)
    proposals = [MeldBox(box, score) for box, score in proposed]
    melds = GroupJudge(numbers()).groups(boxes, rows, proposals, Plane.of(boxes))
    return sorted(meld.box for meld in melds)


def test_two_groups_that_touch_are_told_apart_by_their_faces(table: Any) -> None:
    table.row("1m 1m 1m 4p 5p 6p")
    boxes = table.boxes()
    whole, left, right = around(boxes, *range(6)), around(boxes, 0, 1, 2), around(boxes, 3, 4, 5)
    # a stretch across the seam is proposed best
    across = around(boxes, 1, 2, 3)
    found = groups(boxes, (whole, 0.3), (left, 0.3), (right, 0.3), (across, 0.5))
    assert found == [left, right]


def test_four_alike_are_a_kong_not_a_pung_and_a_tile(table: Any) -> None:
    table.row("7s 7s 7s 7s")
    boxes = table.boxes()
    kong = around(boxes, 0, 1, 2, 3)
    assert groups(boxes, (around(boxes, 0, 1, 2), 0.5), (kong, 0.4)) == [kong]


def test_the_fourth_tile_beside_a_pung_belongs_to_it(table: Any) -> None:
    pung = table.row("E E E", sideways=(1,))
    fourth = table.put("E", 1.7, 0.85, turn=90.0)
    boxes = table.boxes(elevation=80.0)
    found = candidates(boxes, find_rows(boxes), [], Plane.of(boxes))
    assert {frozenset(option.tiles) for option in found} == {
        frozenset(pung),
        frozenset((*pung, fourth)),
    }


def test_fourth_tiles_of_two_pungs_side_by_side_may_touch_each_other(table: Any) -> None:
    left = table.row("2m 2m 2m", sideways=(2,))
    right = table.row("N N N", x=3.6, sideways=(0,))
    added = [table.put("2m", 2.7, 0.85, turn=90.0), table.put("N", 4.29, 0.85, turn=90.0)]
    boxes = table.boxes(elevation=80.0)
    rows = find_rows(boxes)
    assert added in [list(row.indices) for row in rows]
    found = {frozenset(option.tiles) for option in candidates(boxes, rows, [], Plane.of(boxes))}
    assert {frozenset((*left, added[0])), frozenset((*right, added[1]))} <= found


@pytest.mark.parametrize("room", [0.0, 0.2])
def test_the_room_between_a_group_and_another_row_is_seen(table: Any, room: float) -> None:
    table.row("2m 2m 2m 4p 6p 5p 8s")
    table.row("N N N", y=-1.35 * (1 + room))
    boxes = table.boxes()
    found = [
        dict(zip(FEATURES, option.features, strict=True))
        for option in candidates(boxes, find_rows(boxes), [], Plane.of(boxes))
        if min(option.tiles) >= 7
    ]
    assert len(found) == 1
    assert found[0]["room across"] == pytest.approx(room, abs=0.03)
    assert found[0]["pushed up"] == pytest.approx(room, abs=0.03)


def test_a_proposal_counts_by_itself_where_its_tiles_were_not_found(table: Any) -> None:
    table.row("2p 2p 2p")
    boxes = table.boxes()
    far = (10.0, 10.0, 110.0, 60.0)
    assert groups(boxes[:2], (around(boxes, 0, 1, 2), 0.7), (far, 0.7), (far, 0.5)) == sorted(
        [far, around(boxes, 0, 1, 2)]
    )


def test_faces_that_are_no_group_outweigh_the_detector(table: Any) -> None:
    table.row("2p 5m 9s")
    boxes = table.boxes()
    assert groups(boxes, (around(boxes, 0, 1, 2), 0.9)) == []


def test_nothing_on_the_table_gives_no_groups() -> None:
    assert GroupJudge(numbers()).groups([], [], [], Plane.of([])) == []


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        json.dumps(numbers(features=["proposed"])),
        json.dumps(numbers(hidden=[[1.0]])),
        json.dumps({name: value for name, value in numbers().items() if name != "least"}),
    ],
    ids=["not JSON", "a list", "other features", "wrong shape", "a number missing"],
)
def test_numbers_that_fit_no_judge_are_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "groups.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"groups\.json"):
        read_judge(GroupsSpec(path, "0" * 64))
