"""How the processes that read pictures come to be: forked from one that has imported what they need.

A process that starts anew spends a third of a second on imports, and could begin only once the command
itself has done the same. The fork server imports beside it, and starts no thread that a fork would lose.
On Linux alone: elsewhere there is none, or system libraries don't bear being forked, and each process
starts anew.
"""

from __future__ import annotations

import os
import sys
from multiprocessing import get_context
from multiprocessing.context import BaseContext

_FORKED = sys.platform == "linux"
_IMPORTED = ["fanlens.datasets.labels.engine", "fanlens.vision.runtime"]


def workers(asked: int | None) -> int:
    """How many pictures are read at a time: by default one a core, at most 8."""
    return asked or min(os.cpu_count() or 1, 8)


def context() -> BaseContext:
    """The way to start a process that reads pictures."""
    return get_context("forkserver" if _FORKED else "spawn")


def prepare() -> None:
    """Let the fork server start and import; returns at once. Worth calling before heavy imports."""
    if _FORKED:
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(_IMPORTED)
        forkserver.ensure_running()
