"""Writes rendered scenes: `python -m fanlens.datasets.scenes --out DIR --count N --seed0 K …`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar, get_args

import cv2

from .compositions import KINDS, Kind
from .designs import FONTS, Designs
from .export import write_scene
from .font_sets import Split
from .held_out import Order, held_out, held_out_sets
from .render import render

_Item = TypeVar("_Item")

CACHE = Path.home() / ".cache" / "fanlens" / "faces"


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) >= 64 and int(height) >= 64):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: expected WIDTHxHEIGHT, at least 64x64")
    return int(width), int(height)


@dataclass(frozen=True, slots=True)
class _Sources:
    tile_art: Path | None
    photos: Path | None
    fonts: Path


@lru_cache(maxsize=1)
def _designs(sources: _Sources) -> Designs:
    cv2.setNumThreads(1)
    return Designs(sources.tile_art, sources.photos, CACHE, sources.fonts)


def _write(
    seed: int, *, out: Path, split: Split, kind: Kind, size: tuple[int, int] | None, sources: _Sources
) -> None:
    scene = render(seed, _designs(sources), split=split, kind=kind, size=size)
    write_scene(scene, out, f"{split}-{kind}-{seed:06d}")


def _write_held_out(order: Order, *, out: Path, sources: _Sources) -> None:
    write_scene(order.render(_designs(sources)), out, f"{order.kind}-{order.seed:06d}")


def main() -> None:
    """Parses the command line and writes the scenes."""
    parser = argparse.ArgumentParser(prog="python -m fanlens.datasets.scenes", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for images/, labels/ and json/")
    parser.add_argument("--count", type=int, default=100, help="how many scenes (default 100)")
    parser.add_argument("--seed0", type=int, default=0, help="seed of the first scene; the others follow")
    parser.add_argument("--split", choices=get_args(Split), default="train")
    parser.add_argument("--kind", choices=KINDS, default="mixed")
    parser.add_argument(
        "--held-out", choices=held_out_sets(), help="write this held-out set instead; its seeds are fixed"
    )
    parser.add_argument(
        "--size", type=_size, help="WIDTHxHEIGHT in pixels (default: one of several around 960)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--tile-art", type=Path, help="folder of drawn tile sets")
    parser.add_argument(
        "--photos", type=Path, help="folder of labelled photos to cut real faces from (train split only)"
    )
    parser.add_argument("--fonts", type=Path, default=FONTS, help=f"folder of fonts (default {FONTS})")
    options = parser.parse_args()
    for folder in (options.tile_art, options.photos):
        if folder is not None and not folder.is_dir():
            parser.error(f"no folder {folder}")
    sources = _Sources(options.tile_art, options.photos, options.fonts)
    if options.held_out:
        _run(
            partial(_write_held_out, out=options.out, sources=sources),
            list(held_out(options.held_out)),
            options.workers,
        )
    else:
        job = partial(
            _write,
            out=options.out,
            split=options.split,
            kind=options.kind,
            size=options.size,
            sources=sources,
        )
        _run(job, list(range(options.seed0, options.seed0 + options.count)), options.workers)


def _run(job: Callable[[_Item], None], items: list[_Item], workers: int) -> None:
    if workers > 1:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            for done, _ in enumerate(pool.map(job, items, chunksize=8), 1):
                _progress(done, len(items))
    else:
        for done, item in enumerate(items, 1):
            job(item)
            _progress(done, len(items))


def _progress(done: int, count: int) -> None:
    if sys.stderr.isatty() and (done % 10 == 0 or done == count):
        print(f"\r{done}/{count}", end="" if done < count else "\n", file=sys.stderr)


if __name__ == "__main__":
    main()
