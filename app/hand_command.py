"""`fanlens hand`: hand text in, fans and total out; what completes a hand; many hands from a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TextIO

import click

from ..scoring import (
    Hand,
    HandError,
    NotationError,
    RuleSet,
    Score,
    context_from_json,
    context_to_json,
    fans_to_json,
    hand_from_json,
    hand_to_json,
    parse_hand,
    problem_to_json,
    score,
    score_to_json,
    waits,
)
from .context_options import Given, context_options
from .hand_report import print_score, print_waits


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("text", nargs=-1)
@click.option(
    "--batch",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE.jsonl",
    help="Score many hands, one JSON object a line (- for standard input); answers are JSON lines.",
)
@click.option("--waits", "ask_waits", is_flag=True, help="Say which tiles complete the hand.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for machines.")
@context_options
def hand(text: tuple[str, ...], batch: TextIO | None, ask_waits: bool, as_json: bool, given: Given) -> None:
    """Score a finished hand given as TEXT.

    \b
    fanlens hand "[123m] [2222p,1] [4444s] 67p 88s + 8p" --self-draw --seat-wind E

    Tiles are 1m-9m (characters), 1p-9p (dots), 1s-9s (bamboos), E S W N and C F P (red, green,
    white dragon). Brackets are melds; a kong without ,n is concealed; n says from whom it came
    (1 the player before, 2 opposite, 3 after). + marks the winning tile, else the last one won.
    Flowers stand by name (plum orchid chrysanthemum bamboo spring summer autumn winter) or as
    --flowers N.
    """
    if batch is not None:
        if text or ask_waits:
            raise click.UsageError("--batch takes no hand text and no --waits.")
        failed = _score_lines(batch, given)
        sys.exit(1 if failed else 0)
    line = " ".join(text)
    if not line.strip():
        raise click.UsageError("give the hand as text, or --batch FILE.jsonl.")
    try:
        if ask_waits:
            _answer_waits(line, as_json)
        else:
            _answer_score(line, given, as_json)
    except HandError as error:
        if as_json:
            click.echo(_dumps(_refused(error)))
        click.echo(f"fanlens: {error}", err=True)
        sys.exit(1)


def _answer_score(text: str, given: Given, as_json: bool) -> None:
    shown = _with_winning_tile(parse_hand(text), given.winning_tile)
    result = score(shown, given.context, rules=given.rules)
    if as_json:
        answer = {
            "hand": hand_to_json(shown),
            "context": context_to_json(given.context),
            "score": score_to_json(result),
            "problems": [],
        }
        click.echo(_dumps(answer))
    else:
        print_score(result)


def _with_winning_tile(shown: Hand, winning_tile: str | None) -> Hand:
    """The hand won on another of its tiles. NotationError where the tile is not among them."""
    if winning_tile is None or winning_tile == shown.winning_tile:
        return shown
    tiles = [*shown.concealed, *([shown.winning_tile] if shown.winning_tile else [])]
    if winning_tile not in tiles:
        raise NotationError("unknown-winning-tile", f"the winning tile {winning_tile} is not in the hand")
    tiles.remove(winning_tile)
    return replace(shown, concealed=tuple(tiles), winning_tile=winning_tile)


def _answer_waits(text: str, as_json: bool) -> None:
    shown = parse_hand(text)
    found = waits(shown)
    if as_json:
        click.echo(_dumps({"hand": hand_to_json(shown), "waits": list(found)}))
    else:
        print_waits(found)


def _refused(error: HandError) -> dict[str, Any]:
    problems = [problem_to_json(problem) for problem in error.problems]
    return {"score": None, "problems": problems, "error": {"code": error.code, "message": str(error)}}


def _score_lines(lines: Iterable[str], given: Given) -> int:
    """Answer every line with one JSON line; returns how many could not be scored."""
    failed = 0
    for answer in score_batch(lines, given):
        failed += "error" in answer
        click.echo(_dumps(answer))
    return failed


def score_batch(lines: Iterable[str], given: Given) -> Iterator[dict[str, Any]]:
    """One answer for each JSON line: `id`, `total`, `fan`, `fans`, or `id` and `error`.

    A line's own circumstances and `rules` come first; `given` fills in what it leaves out. Blank
    lines are skipped.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            identity: Any = None
            try:
                data = _object_of(line, number)
                identity = data.get("id")
                result = _score_object(data, given)
                yield {
                    "id": identity,
                    "total": result.total,
                    "fan": result.fan,
                    "fans": fans_to_json(result),
                }
            except HandError as error:
                yield {"id": identity, "error": {"code": error.code, "message": str(error)}}


def _object_of(line: str, number: int) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise NotationError("malformed", f"line {number} is no JSON object") from None
    if not isinstance(data, dict):
        raise NotationError("malformed", f"line {number} is no JSON object")
    return data


def _score_object(data: dict[str, Any], given: Given) -> Score:
    defaults = {name: getattr(given.context, name) for name in given.facts}
    circumstances = data.get("context")
    own = circumstances if isinstance(circumstances, dict) else data
    context = context_from_json(defaults | {k: v for k, v in own.items() if v is not None})
    shown = hand_from_json(data["hand"] if isinstance(data.get("hand"), dict) else data)
    if shown.winning_tile is None and given.winning_tile is not None:
        shown = _with_winning_tile(shown, given.winning_tile)
    rules = data.get("rules")
    if rules is not None and not isinstance(rules, str | RuleSet):
        raise NotationError("unknown-rules", f"{rules!r} is no rule set")
    return score(shown, context, rules=given.rules if rules is None else rules)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
