"""Which hypothesis it is: all arrangements' hypotheses weighed against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..layout import Arrangement
from .hypotheses import Hypothesis, hypotheses
from .naming import Naming

CONSIDERED = 10.0
"""Arrangements lighter than the best by more than this (natural log) aren't searched for names."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One hand found among the tiles.

    best: the hypothesis taken. weighed: all hypotheses with their probabilities, likeliest first.
    """

    best: Hypothesis
    weighed: tuple[tuple[Hypothesis, float], ...]


def judge(arrangements: Sequence[Arrangement], naming: Naming) -> Verdict | None:
    """The likeliest hypothesis over all arrangements, and how likely each is."""
    found: list[Hypothesis] = []
    best = -math.inf
    for arrangement in arrangements:
        if arrangement.score < best - CONSIDERED:
            continue
        found.extend(hypotheses(arrangement, naming))
        best = max(best, max(hypothesis.weight for hypothesis in found))
    if not found:
        return None
    shares = [math.exp(max(hypothesis.weight - best, -60.0)) for hypothesis in found]
    total = sum(shares)
    weighed = sorted(
        ((hypothesis, share / total) for hypothesis, share in zip(found, shares, strict=True)),
        key=lambda item: -item[1],
    )
    wins = sum(share for hypothesis, share in weighed if hypothesis.win)
    likeliest = next(
        (hypothesis for hypothesis, _ in weighed if hypothesis.win == (wins >= 0.5)), weighed[0][0]
    )
    return Verdict(likeliest, tuple(weighed))
