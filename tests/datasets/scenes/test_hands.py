"""Random hands: legal by the rules of the scoring room."""

from __future__ import annotations

from collections import Counter

import numpy as np
from fanlens.datasets.scenes.appearance import random_shape
from fanlens.datasets.scenes.clutter import self_overlapping
from fanlens.datasets.scenes.hands import deal
from fanlens.datasets.scenes.laying import lay
from fanlens.scoring import Hand, Meld, explain
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_a_legal_hand_is_a_win(seed: int) -> None:
    dealt = deal(np.random.default_rng(seed))
    truth = dealt.to_json(winning_known=True)
    hand = Hand(
        tuple(truth["concealed"]),
        truth["winning_tile"],
        tuple(Meld(meld["kind"], tuple(meld["tiles"])) for meld in truth["melds"]),
        tuple(truth["flowers"]),
    )
    assert not explain(hand)
    kongs = sum(len(meld.tiles) == 4 for meld in dealt.melds)
    assert len(dealt.concealed) + sum(len(meld.tiles) for meld in dealt.melds) == 14 + kongs


@given(SEEDS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_tile_of_the_hand_is_laid_once_and_a_known_winner_is_marked(seed: int, rack: bool) -> None:
    rng = np.random.default_rng(seed)
    dealt = deal(rng)
    laid = lay(dealt, random_shape(rng), rng, rack=rack)
    melded = [tile for meld in dealt.melds for tile in meld.tiles]
    assert Counter(tile.name for tile in laid.tiles) == Counter([*dealt.concealed, *dealt.flowers, *melded])
    winners = [tile.name for tile in laid.tiles if tile.role == "winning"]
    assert winners == ([dealt.winning] if laid.winning_known else [])
    for number, meld in enumerate(dealt.melds):
        assert sorted(t.name for t in laid.tiles if t.meld == number) == sorted(meld.tiles)


def test_a_kong_face_down_is_four_unknown_tiles_in_the_truth() -> None:
    for seed in range(400):
        dealt = deal(np.random.default_rng(seed))
        for number, meld in enumerate(dealt.melds):
            if meld.kind == "concealed-kong":
                truth = dealt.to_json(winning_known=False, face_down=frozenset({number}))
                assert truth["melds"][number] == {"kind": "concealed-kong", "tiles": ["?"] * 4}
                assert truth["winning_tile"] is None
                assert truth["concealed"] == list(dealt.concealed)
                return
    raise AssertionError("no concealed kong in 400 hands")


def test_laid_hands_rarely_need_laying_again() -> None:
    rng = np.random.default_rng(7)
    spoilt = 0
    for _ in range(60):
        dealt = deal(rng)
        spoilt += self_overlapping(lay(dealt, random_shape(rng), rng).tiles)
    assert spoilt < 8
