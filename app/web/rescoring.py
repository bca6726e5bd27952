"""The score of a hand that a person is still correcting, and what each option would make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...scoring import (
    RULES,
    Context,
    ContextError,
    Hand,
    HandError,
    context_from_json,
    hand_from_json,
    score,
    score_to_json,
)
from ...scoring.context import FACTS
from ...scoring.rules import rule_set
from ...scoring.tiles import WINDS
from ...vision.reading import Circumstances
from ...vision.resolve.outcome import Laid, evaluate

Json = dict[str, Any]


def parse(
    hand: Mapping[str, Any] | str, context: Mapping[str, Any] | None
) -> tuple[Hand, Context, frozenset[str]]:
    """Hand, circumstances, and which of these were stated, from their JSON; raises HandError.

    A winning tile or a number of flowers is taken from either side.
    """
    known = hand_from_json(hand)
    facts = context_from_json(context)
    stated = frozenset(name for name, value in (context or {}).items() if value is not None)
    if facts.flowers is None and isinstance(hand, Mapping) and isinstance(hand.get("flowers"), int):
        facts = replace(facts, flowers=hand["flowers"])
    winning = (context or {}).get("winning_tile")
    if winning is not None and known.winning_tile is None:
        name = hand_from_json({"concealed": [], "winning_tile": winning}).winning_tile
        for _, candidate in known.winning_candidates():
            if candidate.winning_tile == name:
                return candidate, facts, stated
        raise HandError("unknown-winning-tile", f"The winning tile {name} is not among the concealed tiles.")
    return known, facts, stated


def score_json(hand: Hand, context: Context, stated: frozenset[str], rules: str, compare: bool) -> Json:
    """The `score` object; fans name their tiles by position in `hand.tiles`.

    stated: names of the context's fields that are known; `range` covers the others and, where it is
    unknown, the winning tile, of which the likeliest is assumed as for a photo. compare: add `changes`.
    Raises HandError.
    """
    rule_set(rules)
    laid = Laid(hand, tuple(range(len(hand.tiles))), ())
    outcome = evaluate(laid, Circumstances(context, stated, None, rules))
    total_range = {"min": outcome.low, "max": outcome.high, "depends_on": list(outcome.depends_on)}
    answer = score_to_json(outcome.score, outcome.laid.indices, total_range)
    if compare:
        assumed = outcome.laid.hand
        options = [(values, assumed, other, named) for values, other, named in _options(context, rules)]
        winners = [
            ({"winning_tile": candidate.winning_tile}, candidate, context, rules)
            for _, candidate in hand.winning_candidates()
        ]
        answer["changes"] = [_effect(*change) for change in (*options, *winners)]
    return answer


def _options(context: Context, rules: str) -> Iterator[tuple[Json, Context, str]]:
    values: Json
    for fact in FACTS:
        values = {fact: not getattr(context, fact)}
        if fact == "self_draw":
            # Each of these needs the other way of winning and ends with it.
            values["robbing_kong" if values[fact] else "kong_replacement"] = False
        yield values, replace(context, **values), rules
    for name in ("seat_wind", "prevalent_wind"):
        for wind in (*WINDS, None):
            if wind != getattr(context, name):
                values = {name: wind}
                yield values, replace(context, **values), rules
    for other in RULES:
        if other != rules:
            yield {"rules": other}, context, other


def _effect(values: Json, hand: Hand, context: Context, rules: str) -> Json:
    """What one change would give: {"set": what changes, "total" or null, "impossible": why or null}.

    Where it is impossible, `clash` names the two facts that can't both be.
    """
    try:
        return {"set": values, "total": score(hand, context, rules=rules).total, "impossible": None}
    except ContextError as error:
        return {"set": values, "total": None, "impossible": str(error), "clash": error.clash}
    except HandError:
        return {"set": values, "total": None, "impossible": None}
