"""A reading as people read it on a terminal: the hand, its worth, what is doubtful and how to settle it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ..scoring import format_hand, format_tiles
from ..vision.reading import Reading, ReadTile
from .hand_report import print_score

_ASSUMED = frozenset({"unknown-context", "unknown-winning-tile"})
"""Problems that leave a total standing: they say what it depends on."""


def print_reading(reading: Reading, name: str, saved: Path | None, *, console: Console | None = None) -> None:
    """Print one photo's reading; `saved` is where its annotated picture lies."""
    console = console or Console(highlight=False, soft_wrap=True)

    def say(text: str, style: str | None = None) -> None:
        console.print(text, markup=False, style=style)

    say(name, "bold")
    if reading.score is not None:
        print_score(reading.score.score, console=console)
        say(f"Sure of the total: {reading.confidence:.0%}")
    elif reading.hand is not None:
        say(format_hand(reading.hand))
    for problem in reading.problems:
        say(f"{'Note' if problem.code in _ASSUMED else 'Problem'}: {problem.message}")
    for note in reading.sighting.image.notes:
        say(f"Note: {note}.")
    aside = sum(tile.role == "elsewhere" for tile in reading.tiles)
    if aside:
        say(f"{aside} {'tile lies' if aside == 1 else 'tiles lie'} elsewhere on the table.")
    if reading.doubtful:
        say("Doubtful 存疑:")
        for line in _doubts(reading):
            say(f"  {line}")
    if saved is not None:
        say(f"Annotated picture: {saved}")
    say("")


def _doubts(reading: Reading) -> list[str]:
    """One line for each doubtful tile, and one for each kong of either kind or of which a tile is missing."""
    melds = reading.hands[0].melds if reading.hands else ()
    partial = {number for number, meld in enumerate(melds) if len({*meld.ids}) < len(meld.ids)}
    lines, kongs = [], dict[int, str]()
    for tile in reading.doubtful:
        if tile.hand != 0 or tile.meld is None:
            lines.append(_doubt(tile))
        elif tile.meld in partial:
            kongs[tile.meld] = "taken for a kong of which a tile was not found; settle it with --corrections"
        elif tile.flag == "role" and not tile.role_alternatives:
            kind = melds[tile.meld].kind.replace("-", " ")
            kongs[tile.meld] = f"a {kind} is assumed; settle its kind with --corrections"
        else:
            lines.append(_doubt(tile))
    for number, words in sorted(kongs.items()):
        ids = ", ".join(map(str, dict.fromkeys(melds[number].ids)))
        lines.append(f"tiles {ids}, {format_tiles(melds[number].tiles)}: {words}")
    return lines


def _doubt(tile: ReadTile) -> str:
    """One doubtful tile: what it is taken for, what else it could be, how to settle it."""
    others = [f"{name} {chance:.0%}" for name, chance in tile.alternatives[:3] if chance >= 0.01]
    instead = f" (or {', '.join(others)})" if others else ""
    example = tile.alternatives[0][0] if tile.alternatives else "TILE"
    settle = f"--set {tile.id}={example}"
    if tile.flag == "role":
        roles = ", ".join(f"{role} {chance:.0%}" for role, chance in tile.role_alternatives[:2])
        doubt = f" (or {roles})" if roles else ""
        return f"tile {tile.id}, {tile.tile}: {tile.role}{doubt}; settle its role with --corrections"
    if tile.flag == "inferred":
        return f"tile {tile.id}, {tile.tile} by the rules, seen as {tile.seen}{instead}; else {settle}"
    if tile.tile == "?":
        return f"tile {tile.id} can't be told{instead}; settle with {settle}"
    return f"tile {tile.id}, {tile.tile} {tile.confidence:.0%}{instead}; else {settle}"
