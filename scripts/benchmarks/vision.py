"""One pass of the detector against ultralytics' torch `predict`: `benchmark.py vision PHOTO --weights PT`.

Both start from the file and end with boxes; same weights, same input size, called in turn. The stages
of a whole reading (with a second pass where it pays) and its peak memory are reported apart.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fanlens.models import load_manifest
from fanlens.vision import Reader
from fanlens.vision.detector import Detector
from fanlens.vision.picture import decode, read_bytes

from .peer import Peer
from .timing import in_fresh_process, in_turn, median

_MEMORY = """
import re, sys
from fanlens.vision import Reader
Reader(sys.argv[2] or None).read(sys.argv[1])
# Not ru_maxrss: a child starts with its parent's.
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("photo", type=Path, help="a photo, best one of 12 megapixels")
    parser.add_argument("--weights", type=Path, help="the detector's .pt weights, for the comparison")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument("--repeats", type=int, default=20)


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    manifest = load_manifest(options.model)
    reader, detector = Reader(manifest), Detector(manifest.detector)

    def one_pass() -> object:
        return detector.detect(decode(*read_bytes(options.photo)).rgb)

    calls = {"fanlens": one_pass}
    if options.weights:
        peer = Peer(options.weights, manifest)
        calls["ultralytics"] = lambda: peer.predict(options.photo)
    times = {name: median(each) for name, each in in_turn(calls, options.repeats).items()}
    print(f"one pass, decoding included, median of {options.repeats}:")
    for name, time in times.items():
        print(f"  {name:12} {time:7.1f} ms")
    if options.weights:
        print(f"  {times['ultralytics'] / times['fanlens']:.2f} times as fast")
    readings = [reader.read(options.photo) for _ in range(options.repeats)]
    stages = {name: median([each.timing_ms[name] for each in readings]) for name in readings[0].timing_ms}
    print(f"whole reading ({len(readings[0].tiles)} tiles), median of {options.repeats}:")
    print("  " + ", ".join(f"{name} {time:.1f} ms" for name, time in stages.items()))
    memory, _ = in_fresh_process(_MEMORY, str(options.photo), options.model or "")
    print(f"peak memory of a whole reading: {float(memory):.0f} MB")
