"""Simulated recordings: repeatable, with a truth that keeps to the rules."""

from __future__ import annotations

import numpy as np
import pytest
from fanlens.datasets.scenes import Designs
from fanlens.datasets.scenes.footage import Recording, hand_of, sheet_rows, simulate
from fanlens.scoring import score

DESIGNS = Designs()


def recording(seed: int, seconds: float = 60.0, *, variable: bool = False) -> Recording:
    return simulate(
        seed,
        DESIGNS,
        seconds=seconds,
        split="train",
        design="own",
        size=(320, 180),
        fps=10,
        variable=variable,
    )


@pytest.mark.parametrize("seed", range(4))
def test_events_lie_apart_and_are_wins(seed: int) -> None:
    made = recording(seed)
    assert 1 <= len(made.events) <= 4
    end = 0.0
    for event, declared in zip(made.events, made.declared, strict=True):
        assert end < event.start < event.end <= 60.0
        end = event.end
        assert score(hand_of(event.hand), declared.context).fan == declared.true_fan
    assert [row["fan"] for row in sheet_rows(made)] == [declared.fan for declared in made.declared]


def test_the_last_tile_comes_when_the_event_starts() -> None:
    made = recording(1)
    event = made.events[0]
    before = [tiles for seconds, tiles in made.script.moments if seconds < event.start][-1]
    after = [tiles for seconds, tiles in made.script.moments if seconds <= event.start][-1]
    own = [tile for tile in after if tile.hand]
    assert len(own) == len(event.hand.concealed) + len(event.hand.flowers) + sum(
        len(meld.tiles) for meld in event.hand.melds
    )
    shown = {tile.box.centre.tobytes() for tile in before if tile.hand and tile.box.axes[2, 2] > 0}
    come = [tile.name for tile in own if tile.box.centre.tobytes() not in shown]
    assert event.hand.winning in come


def test_the_same_seed_gives_the_same_frames() -> None:
    first, second = recording(7, 6.0, variable=True), recording(7, 6.0, variable=True)
    assert first.times.tolist() == second.times.tolist()
    for (a, one), (b, other) in zip(first.frames(), second.frames(), strict=True):
        assert a == b
        if round(a * 10) % 20 == 0:
            assert np.array_equal(one, other)


def test_variable_times_ascend_unevenly() -> None:
    steps = np.diff(recording(2, variable=True).times)
    assert steps.min() > 0
    assert steps.max() > 1.9 * steps.min()
