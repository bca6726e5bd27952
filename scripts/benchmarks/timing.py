"""Times side by side: rivals are called in turn, so that a busy moment hits all of them."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence


def in_turn(calls: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each call, `repeats` times in turn after one call that doesn't count."""
    for call in calls.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name].append((time.perf_counter() - started) * 1000)
    return times


def median(times: Sequence[float]) -> float:
    return statistics.median(times)


def percentile(times: Sequence[float], share: float) -> float:
    """The time below which this share of the times lies (nearest rank)."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def in_fresh_process(code: str, *arguments: str) -> tuple[str, float]:
    """(what it printed, seconds it took) of a Python program in a process of its own."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip(), time.perf_counter() - started
