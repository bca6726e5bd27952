"""Footage to hands: `benchmark.py audit VIDEO [--minutes M]`: faster than real time, memory flat."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from fanlens.vision import Reader
from fanlens.vision.video import Footage, Frame, Watch, open_footage

EVERY = 300.0
"""Seconds of footage between readings of the memory."""


class _Repeated(Footage):
    """A video shown again and again, its times running on."""

    once: Footage

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        begun, number = 0.0, 0
        while begun < self.duration:
            for frame in self.once.frames():
                if begun + frame.seconds < self.duration:
                    yield Frame(number, begun + frame.seconds, frame.width, frame.height, frame._pixels)
                    number += 1
            begun += self.once.duration


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("video", type=Path)
    parser.add_argument("--minutes", type=float, help="show it again and again for so long (default: once)")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    reader = Reader(options.model)
    once = open_footage(options.video)
    seconds = once.duration if options.minutes is None else options.minutes * 60
    footage = _Repeated(once.path, once.sha256, np.zeros(0), seconds, once.width, once.height)
    footage.once = once
    looking = 0.0
    memory: list[float] = []

    def look(rgb):  # type: ignore[no-untyped-def]
        nonlocal looking
        begun = time.perf_counter()
        reading = reader.read_array(rgb)
        looking += time.perf_counter() - begun
        return reading

    def tick(at: float) -> None:
        if at >= EVERY * len(memory):
            memory.append(_resident())
            print(f"  {at / 60:6.1f} min  {memory[-1]:7.0f} MiB", flush=True)

    watch = Watch(footage, look)
    begun, busy = time.perf_counter(), time.process_time()
    hands = sum(1 for _ in watch.hands(tick))
    took, busy = time.perf_counter() - begun, time.process_time() - busy
    print(f"{once.width} x {once.height}, {seconds / 60:.1f} min, {os.cpu_count()} cores, {hands} hands")
    print(
        f"{seconds / took:.2f} times real time; {looking / took:.0%} of it in {watch.counts.looked_at} looks"
    )
    print(f"{busy / seconds:.2f} seconds of one core for a second of footage")
    if len(memory) > 2:
        print(
            f"memory after the first {EVERY / 60:.0f} minutes: {memory[1]:.0f} to {max(memory[1:]):.0f} MiB"
        )


def _resident() -> float:
    """MiB of memory in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
