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
    NotAWinError,
    Score,
    context_from_json,
    hand_from_json,
    score,
    score_to_json,
)
from ...scoring.context import FACTS
from ...scoring.tiles import WINDS

Json = dict[str, Any]


def parse(hand: Mapping[str, Any] | str, context: Mapping[str, Any] | None) -> tuple[Hand, Context]:
    """Hand and circumstances from their JSON; raises HandError.

    A winning tile or a number of flowers is taken from either side.
    """
    known = hand_from_json(hand)
    facts = context_from_json(context)
    if facts.flowers is None and isinstance(hand, Mapping) and isinstance(hand.get("flowers"), int):
        facts = replace(facts, flowers=hand["flowers"])
    winning = (context or {}).get("winning_tile")
    if winning is not None and known.winning_tile is None:
        name = hand_from_json({"concealed": [], "winning_tile": winning}).winning_tile
        for _, candidate in known.winning_candidates():
            if candidate.winning_tile == name:
                return candidate, facts
        raise HandError("unknown-winning-tile", f"The winning tile {name} is not among the concealed tiles.")
    return known, facts


def score_json(hand: Hand, context: Context, rules: str) -> Json:
    """The `score` object; fans name their tiles by position in `hand.tiles`.

    Without a winning tile the last concealed tile that can have won is assumed, and `range` says what
    the others would give. Raises HandError.
    """
    if hand.winning_tile is not None:
        return score_to_json(score(hand, context, rules=rules))
    position, result = _assumed(hand, context, rules)
    totals = [other.total for _, other in _candidates(hand, context, rules)]
    low, high = min(totals), max(totals)
    places = [at for at in range(len(hand.concealed)) if at != position]
    ids = [*places, position, *range(len(hand.concealed), len(hand.tiles))]
    depends = ["winning_tile"] if low != high else []
    return score_to_json(result, ids, {"min": low, "max": high, "depends_on": depends})


def changes(hand: Hand, context: Context, rules: str) -> list[Json]:
    """What each single change of context, rules or (where unknown) winning tile would give.

    Each is {"set": what changes, "total": the new total or null, "impossible": why not, or null}.
    """
    out = []
    for values, new_context, new_rules in _options(context, rules):
        out.append(_effect(values, hand, new_context, new_rules))
    for _, candidate in hand.winning_candidates():
        out.append(_effect({"winning_tile": candidate.winning_tile}, candidate, context, rules))
    return out


def _options(context: Context, rules: str) -> Iterator[tuple[Json, Context, str]]:
    for fact in FACTS:
        values: Json = {fact: not getattr(context, fact)}
        if fact == "self_draw":
            # Each of these needs the other way of winning and ends with it.
            values["robbing_kong" if values[fact] else "kong_replacement"] = False
        yield values, replace(context, **values), rules
    for name in ("seat_wind", "prevalent_wind"):
        for wind in (*WINDS, None):
            if wind != getattr(context, name):
                yield {name: wind}, replace(context, **{name: wind}), rules
    for other in RULES:
        if other != rules:
            yield {"rules": other}, context, other


def _effect(values: Json, hand: Hand, context: Context, rules: str) -> Json:
    try:
        result = score(hand, context, rules=rules) if hand.winning_tile else _assumed(hand, context, rules)[1]
    except ContextError as error:
        return {"set": values, "total": None, "impossible": str(error)}
    except HandError:
        return {"set": values, "total": None, "impossible": None}
    return {"set": values, "total": result.total, "impossible": None}


def _assumed(hand: Hand, context: Context, rules: str) -> tuple[int, Score]:
    found = list(_candidates(hand, context, rules))
    if not found:
        # No tile can have won; the error of the last one says why.
        *_, (_, last) = hand.winning_candidates() if hand.concealed else [(0, hand)]
        score(last, context, rules=rules)
        raise NotAWinError("no-winning-shape", "These tiles make no winning shape.")
    return max(found, key=lambda item: item[0])


def _candidates(hand: Hand, context: Context, rules: str) -> Iterator[tuple[int, Score]]:
    for position, candidate in hand.winning_candidates():
        try:
            yield position, score(candidate, context, rules=rules)
        except ContextError:
            continue
