"""A score as people read it on a terminal: fans in English and Chinese, the tiles, the total."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from ..scoring import FLOWERS, TILES, Score, format_hand, format_tiles


def print_score(result: Score, *, console: Console | None = None) -> None:
    """Print the hand, its fans with the tiles that make them, the total and who pays what."""
    console = console or Console(highlight=False)
    console.print(format_hand(result.hand), markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right")
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    row = result.hand.tiles
    tiles_of_sets = len(row) - len(result.hand.flowers)
    for made in result.fans:
        times = f" ×{made.count}" if made.count > 1 else ""
        whole = len(made.tiles) == tiles_of_sets
        names = sorted((row[at] for at in made.tiles), key=(*TILES, *FLOWERS).index)
        tiles = "whole hand" if whole else format_tiles(names)
        table.add_row(str(made.points * made.count), f"{made.fan.name}{times}", made.fan.zh, tiles)
    console.print(table)
    flowers = f" + {result.flowers} for flowers 花" if result.flowers else ""
    console.print(f"Total 合计 {result.total}" + (f" ({result.fan}{flowers})" if flowers else ""))
    if not result.qualifies:
        short = "one point" if result.missing == 1 else f"{result.missing} points"
        console.print(f"No win yet 不足八番: {short} short of the 8 needed without flowers.")
        return
    paid = result.payments
    if paid.discarder is None:
        console.print(f"Each of the three pays {paid.others}; the winner receives {paid.winner}.")
    else:
        console.print(
            f"The discarder pays {paid.discarder}, the others {paid.others} each;"
            f" the winner receives {paid.winner}."
        )


def print_waits(tiles: tuple[str, ...], *, console: Console | None = None) -> None:
    """Print the tiles that complete a hand."""
    console = console or Console(highlight=False)
    console.print("Nothing completes it." if not tiles else f"Completed by 听 {' '.join(tiles)}")
