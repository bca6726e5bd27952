"""Pictures labelled a second: `benchmark.py label FOLDER --weights PT`, beside `yolo predict save_txt`.

Both get the same pictures and weights and write YOLO label files; whole commands in fresh processes,
in turn. `--memory` labels FOLDER's pictures over and over to 2,000 and prints how the memory grew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from fanlens.datasets.labels.inputs import gather

from .timing import median

_MEMORY_PICTURES = 2_000
_SAMPLE_SECONDS = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("folder", type=Path, help="pictures")
    parser.add_argument("--weights", type=Path, help="the detector's .pt weights, for the comparison")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", type=int, nargs="?", const=_MEMORY_PICTURES, metavar="PICTURES")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    pictures = [source.path for source in gather([str(options.folder)]).sources]
    with tempfile.TemporaryDirectory() as scratch:
        photos, count = Path(scratch) / "photos", max(options.memory or 0, len(pictures))
        _fill(photos, pictures, len(pictures))
        commands = {"fanlens label": lambda out: _ours(photos, out, options.model)}
        if options.weights:
            weights = options.weights.resolve()
            commands["yolo predict"] = lambda out: _theirs(photos, out, weights)
        rates = _rates(commands, Path(scratch), len(pictures), options.repeats)
        print(f"{len(pictures)} pictures, start-up included, median of {options.repeats}:")
        for name, rate in rates.items():
            print(f"  {name:14} {rate:7.2f} pictures/s")
        if options.weights:
            print(f"  {rates['fanlens label'] / rates['yolo predict']:.2f} times as fast")
        if options.memory:
            many = Path(scratch) / "many"
            _fill(many, pictures, count)
            samples = _memory(_ours(many, Path(scratch) / "memory", options.model))
            early, late = samples[len(samples) // 4], max(samples[len(samples) // 2 :])
            print(
                f"memory over {count} pictures: {early:.0f} MB after a quarter, {late:.0f} MB at most later"
            )


def _fill(folder: Path, pictures: list[Path], count: int) -> None:
    """Links to `count` pictures, the given ones over and over."""
    folder.mkdir()
    for number in range(count):
        picture = pictures[number % len(pictures)]
        os.symlink(picture, folder / f"{number:06d}{picture.suffix}")


def _ours(photos: Path, out: Path, model: str | None) -> list[str]:
    program = "from fanlens.app.main import cli; cli()"
    chosen = ["--model", model] if model else []
    return [sys.executable, "-c", program, "label", str(photos), "--out", str(out), *chosen, "-q"]


def _theirs(photos: Path, out: Path, weights: Path) -> list[str]:
    program = "from ultralytics.cfg import entrypoint; entrypoint()"
    arguments = [f"model={weights}", f"source={photos}", f"project={out}", "save=False", "save_txt=True"]
    return [sys.executable, "-c", program, "predict", *arguments, "verbose=False"]


def _rates(
    commands: dict[str, Callable[[Path], list[str]]], scratch: Path, count: int, repeats: int
) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    out = scratch / "out"
    for _ in range(repeats):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command(out), check=True, capture_output=True)
            seconds[name].append(time.perf_counter() - started)
            shutil.rmtree(out)
    return {name: count / median(each) for name, each in seconds.items()}


def _memory(command: list[str]) -> list[float]:
    """Megabytes that the command and the processes it started held together, sampled while they ran."""
    samples: list[float] = []
    process = subprocess.Popen(command)

    def watch() -> None:
        while process.poll() is None:
            samples.append(sum(_held(pid) for pid in [process.pid, *_started_by(process.pid)]))
            time.sleep(_SAMPLE_SECONDS)

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait()
    watcher.join()
    return samples


def _started_by(pid: int) -> list[int]:
    """The processes it started, theirs, and so on."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    numbers = [int(child) for child in children]
    return [*numbers, *(later for number in numbers for later in _started_by(number))]


def _held(pid: int) -> float:
    """Megabytes of its own that a process holds, shared libraries counted in part; 0 once it is gone."""
    try:
        sizes = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in sizes.splitlines() if line.startswith("Pss:")), 0.0)
