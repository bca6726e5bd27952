"""What the label commands show on a terminal while they work, and how they write strangers' file names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..datasets.labels.results import Entry

Watch = Callable[[Iterator["Entry"], int], Iterator["Entry"]]
"""Passes pictures on as they get ready; the number is how many there will be."""


def progress(quiet: bool) -> Watch:
    """A bar with rate and time left on standard error, where that is a terminal."""

    def watch(entries: Iterator[Entry], total: int) -> Iterator[Entry]:
        if quiet or total == 0 or not sys.stderr.isatty():
            yield from entries
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failed]}"),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=total, rate="", failed="")
            failed = 0
            for entry in entries:
                failed += entry.failed
                speed = bar.tasks[0].speed
                bar.update(
                    task,
                    advance=1,
                    rate=f"{speed:.1f} pictures/s" if speed else "",
                    failed=f"{failed} failed" if failed else "",
                )
                yield entry

    return watch


def plain(text: str) -> str:
    """Text for a terminal: control characters of strangers' file names can't steer it."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )
