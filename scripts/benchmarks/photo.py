"""From file to total: `benchmark.py photo PHOTO... [--weights PT]`, beside other people's parts."""

from __future__ import annotations

import argparse
from pathlib import Path

from fanlens.models import load_manifest
from fanlens.vision import Reader

from .peer import Peer
from .timing import in_fresh_process, in_turn, median, percentile

_START = "import sys; from fanlens.vision import Reader; Reader(sys.argv[1] or None)"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("photos", type=Path, nargs="+", metavar="PHOTO")
    parser.add_argument("--weights", type=Path, help="the detector's .pt weights, for the peer pipeline")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument("--repeats", type=int, default=20)


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    manifest = load_manifest(options.model)
    reader = Reader(manifest)
    peer = Peer(options.weights, manifest) if options.weights else None
    own: list[float] = []
    other: list[float] = []
    stages: dict[str, float] = {}
    for photo in options.photos:
        calls = {"fanlens": lambda photo=photo: reader.read(photo)}
        if peer is not None:
            calls["peer"] = lambda photo=photo: peer.total(photo)
        times = in_turn(calls, options.repeats)
        own += times["fanlens"]
        other += times.get("peer", [])
        for stage, time in reader.read(photo).timing_ms.items():
            stages[stage] = stages.get(stage, 0.0) + time
    print(f"{len(options.photos)} photos, each {options.repeats} times, end to end:")
    print(f"  fanlens  median {median(own):7.1f} ms, 95th percentile {percentile(own, 0.95):7.1f} ms")
    if other:
        print(f"  peer     median {median(other):7.1f} ms, 95th percentile {percentile(other, 0.95):7.1f} ms")
    whole = stages.pop("total")
    print("  " + ", ".join(f"{stage} {time / whole:.0%}" for stage, time in stages.items()))
    starts = [in_fresh_process(_START, options.model or "")[1] for _ in range(5)]
    print(f"start-up, median of 5 fresh processes: {median(starts):.2f} s")
