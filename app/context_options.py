"""The circumstances of a win as command-line options, the same on every command.

    @click.command()
    @context_options
    def score(given: Given, ...): ...

`given.context` is what to score with; `given.facts` says which circumstances were named at all, so
that a photo's total can be given as a range over the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

import click

from ..scoring import RULES, Context, NotationError, parse_tiles
from ..scoring.context import FACTS
from ..scoring.tiles import INDEX

Command = TypeVar("Command", bound=Callable[..., Any])
_WINDS = click.Choice(["E", "S", "W", "N"])


@dataclass(frozen=True, slots=True)
class Given:
    """What was said about a win on the command line.

    context: the circumstances, defaults filled in. winning_tile: the tile named as the winning one.
    rules: name of the rule set. facts: the circumstances named, as fields of `Context`.
    """

    context: Context = field(default_factory=Context)
    winning_tile: str | None = None
    rules: str = "current"
    facts: frozenset[str] = frozenset()


class TileName(click.ParamType[str]):
    """A tile that can be part of a set, in any spelling."""

    name = "tile"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            names = parse_tiles(str(value))
        except NotationError as error:
            self.fail(str(error), param, ctx)
        if len(names) != 1 or names[0] not in INDEX:
            self.fail(f"{value!r} is not one tile such as 5m, E or C", param, ctx)
        return names[0]


TILE = TileName()
_OPTIONS = (
    click.option("--self-draw/--no-self-draw", default=None, help="Won on an own draw, not on a discard."),
    click.option(
        "--last-tile/--no-last-tile", default=None, help="Won on the last tile of the wall, drawn or claimed."
    ),
    click.option(
        "--kong-replacement/--no-kong-replacement",
        default=None,
        help="Won on the tile drawn after an own kong.",
    ),
    click.option(
        "--robbing-kong/--no-robbing-kong", default=None, help="Won on the tile another added to a pung."
    ),
    click.option(
        "--fourth-tile/--no-fourth-tile",
        default=None,
        help="The other three of the winning tile lay in sight (the fan called Last Tile).",
    ),
    click.option("--seat-wind", type=_WINDS, help="The winner's own wind."),
    click.option("--prevalent-wind", type=_WINDS, help="The wind of the round."),
    click.option("--flowers", type=click.IntRange(0, 8), metavar="N", help="How many flower tiles, 0 to 8."),
    click.option("--winning-tile", type=TILE, metavar="TILE", help="The tile that completed the hand."),
    click.option(
        "--rules", type=click.Choice(list(RULES)), default="current", show_default=True, help="The rule set."
    ),
)
_FACTS = (*FACTS, "seat_wind", "prevalent_wind", "flowers")


def context_options(command: Command) -> Command:
    """Add the options of circumstance; the command gets them as one `given: Given`."""

    @wraps(command)
    def with_given(*args: Any, **kwargs: Any) -> Any:
        facts = {name: kwargs.pop(name) for name in _FACTS}
        known = {name: value for name, value in facts.items() if value is not None}
        given = Given(Context(**known), kwargs.pop("winning_tile"), kwargs.pop("rules"), frozenset(known))
        return command(*args, given=given, **kwargs)

    decorated: Any = with_given
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    result: Command = decorated
    return result
