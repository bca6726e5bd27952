"""Hands, circumstances and scores as JSON objects, both ways; the shapes are those of the README.

Reading accepts every spelling: tiles as text or as a list, `win_tile` or `winning_tile`, flowers as
a number or as names. Writing uses lists and `winning_tile`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from .context import FACTS, Context
from .errors import NotationError, Problem
from .hand import MELD_KINDS, Hand, Meld
from .notation import known_side, meld_kind, parse_hand, parse_meld
from .score import Score
from .tiles import parse_tiles

Json = dict[str, Any]


def hand_from_json(data: Mapping[str, Any] | str) -> Hand:
    """The hand of a JSON object (`concealed`, `winning_tile`, `melds`, `flowers`) or of hand text.

    Without a `winning_tile` the winning tile is unknown; hand text has its own way to mark it.
    Raises NotationError for what can't be read.
    """
    if isinstance(data, str):
        return parse_hand(data)
    if not isinstance(data, Mapping):
        raise NotationError("malformed", "a hand must be an object or hand text")
    if isinstance(data.get("hand"), str):
        return parse_hand(data["hand"])
    try:
        concealed = data["concealed"]
    except KeyError:
        raise NotationError("malformed", "the hand has no 'concealed'") from None
    winning = data["win_tile"] if "win_tile" in data else data.get("winning_tile")
    melds = data.get("melds") or ()
    if not isinstance(melds, Sequence) or isinstance(melds, str):
        raise NotationError("malformed", "'melds' must be a list")
    flowers = data.get("flowers") or ()
    named = () if isinstance(flowers, int) else _tiles(flowers, "flowers")
    return Hand(
        _tiles(concealed, "concealed"),
        None if winning is None else _winning(winning),
        tuple([_meld(meld) for meld in melds]),
        named,
    )


def _tiles(value: Any, field: str) -> tuple[str, ...]:
    if not isinstance(value, str | list | tuple):
        raise NotationError("malformed", f"{field!r} must be text or a list of tiles")
    return parse_tiles(value)


def _winning(value: Any) -> str:
    names = _tiles(value, "winning_tile")
    if len(names) != 1:
        raise NotationError("unknown-winning-tile", f"{value!r} is not one winning tile")
    return names[0]


def _meld(value: Any) -> Meld:
    if isinstance(value, str):
        return parse_meld(value)
    if not isinstance(value, Mapping) or "tiles" not in value:
        raise NotationError("malformed", "a meld must be text or an object with 'tiles'")
    tiles = value["tiles"]
    if not isinstance(tiles, str):
        tiles = _tiles(tiles, "tiles")
    kind, source = value.get("kind"), value.get("source")
    if not isinstance(kind, str | None) or (source is not None and source not in (1, 2, 3)):
        raise NotationError("malformed", f"a meld of kind {kind!r} from {source!r} is none")
    return _meld_of(kind, tiles, source)


@lru_cache(maxsize=4096)
def _meld_of(kind: str | None, tiles: str | tuple[str, ...], source: int | None) -> Meld:
    names = known_side(parse_tiles(tiles))
    if kind is None:
        kind = meld_kind(names)
        if kind is None:
            raise NotationError("not-a-meld", f"{' '.join(names)} is no chow, pung or kong")
    elif kind not in MELD_KINDS:
        raise NotationError("not-a-meld", f"{kind!r} is no kind of meld; there are {', '.join(MELD_KINDS)}")
    return Meld(kind, names, source)


def context_from_json(data: Mapping[str, Any] | None) -> Context:
    """The circumstances in a JSON object; what is absent or null keeps its default.

    `flowers` as a number is how many; named flowers belong to the hand and are not read here.
    Raises NotationError for a value of the wrong sort, ContextError for one that can't be.
    """
    get = (data or {}).get
    flowers = get("flowers")
    if isinstance(flowers, str | list | tuple):
        flowers = None
    try:
        return _context(*[get(name) for name in FACTS], get("seat_wind"), get("prevalent_wind"), flowers)
    except TypeError:
        raise NotationError("unknown-context", "a circumstance is neither a word nor a number") from None


# Typed, so that 1 is not taken for true.
@lru_cache(maxsize=4096, typed=True)
def _context(*values: Any) -> Context:
    facts: dict[str, Any] = {}
    *answers, seat, prevalent, flowers = values
    for name, value in zip(FACTS, answers, strict=True):
        if value is not None and not isinstance(value, bool):
            raise NotationError("unknown-context", f"{name!r} must be true or false, not {value!r}")
        facts[name] = bool(value)
    if flowers is not None and (isinstance(flowers, bool) or not isinstance(flowers, int)):
        raise NotationError("malformed", f"'flowers' must be a number or names, not {flowers!r}")
    return Context(**facts, seat_wind=seat, prevalent_wind=prevalent, flowers=flowers)


def hand_to_json(hand: Hand) -> Json:
    """The `hand` object: concealed, winning_tile, flowers and melds (kind and tiles)."""
    return {
        "concealed": list(hand.concealed),
        "winning_tile": hand.winning_tile,
        "flowers": list(hand.flowers),
        "melds": [
            {"kind": meld.kind, "tiles": list(meld.tiles)}
            | ({} if meld.source is None else {"source": meld.source})
            for meld in hand.melds
        ],
    }


def context_to_json(context: Context) -> Json:
    """The `context` object: every circumstance, null where unknown."""
    return {
        **{name: getattr(context, name) for name in FACTS},
        "seat_wind": context.seat_wind,
        "prevalent_wind": context.prevalent_wind,
        "flowers": context.flowers,
    }


def fans_to_json(result: Score) -> list[Json]:
    """The fans without the tiles that make them: id, name, zh, points, count."""
    return [
        {
            "id": made.fan.id,
            "name": made.fan.name,
            "zh": made.fan.zh,
            "points": made.points,
            "count": made.count,
        }
        for made in result.fans
    ]


def score_to_json(result: Score, ids: Sequence[int] | None = None, total_range: Json | None = None) -> Json:
    """The `score` object of a hand.

    ids: the tile id of each position in `Hand.tiles`; None names the tiles by position.
    total_range: the `range` object, where what the total depends on was worked out; None for a hand
        of which everything is known.
    """
    fans = fans_to_json(result)
    for made, shown in zip(result.fans, fans, strict=True):
        shown["tiles"] = list(made.tiles) if ids is None else [ids[at] for at in made.tiles]
    paid = result.payments
    return {
        "total": result.total,
        "fan": result.fan,
        "flowers": result.flowers,
        "qualifies": result.qualifies,
        "winning_tile": result.hand.winning_tile,
        "fans": fans,
        "range": total_range or {"min": result.total, "max": result.total, "depends_on": []},
        "payments": {"winner": paid.winner, "discarder": paid.discarder, "others": paid.others},
    }


def problem_to_json(problem: Problem, ids: Sequence[int] | None = None) -> Json:
    """One of the `problems`: code, message and the tiles concerned."""
    tiles = list(problem.tiles) if ids is None else [ids[at] for at in problem.tiles]
    return {"code": problem.code, "message": problem.message, "tiles": tiles}


