"""Writes rendered scenes: `python -m fanlens.datasets.scenes --out DIR --count N --seed0 K …`."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import cv2

from .compositions import KINDS, Kind
from .designs import FONTS, Designs, Split
from .export import write_scene
from .render import render

CACHE = Path.home() / ".cache" / "fanlens" / "faces"


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) >= 64 and int(height) >= 64):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: expected WIDTHxHEIGHT, at least 64x64")
    return int(width), int(height)


@lru_cache(maxsize=1)
def _designs(tile_art: Path | None, photos: Path | None, fonts: Path) -> Designs:
    cv2.setNumThreads(1)
    return Designs(tile_art, photos, CACHE, fonts)


def _write(
    seed: int,
    *,
    out: Path,
    split: Split,
    kind: Kind,
    size: tuple[int, int] | None,
    tile_art: Path | None,
    photos: Path | None,
    fonts: Path,
) -> int:
    scene = render(seed, _designs(tile_art, photos, fonts), split=split, kind=kind, size=size)
    write_scene(scene, out, f"{split}-{kind}-{seed:06d}")
    return seed


def main() -> None:
    """Parses the command line and writes the scenes."""
    parser = argparse.ArgumentParser(prog="python -m fanlens.datasets.scenes", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for images/, labels/ and json/")
    parser.add_argument("--count", type=int, default=100, help="how many scenes (default 100)")
    parser.add_argument("--seed0", type=int, default=0, help="seed of the first scene; the others follow")
    parser.add_argument("--split", choices=("train", "held-out"), default="train")
    parser.add_argument("--kind", choices=KINDS, default="mixed")
    parser.add_argument("--size", type=_size, help="WIDTHxHEIGHT in pixels (default: one of several around 960)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--tile-art", type=Path, help="folder of drawn tile sets")
    parser.add_argument("--photos", type=Path, help="folder of labelled photos to cut real faces from (train split only)")
    parser.add_argument("--fonts", type=Path, default=FONTS, help=f"folder of fonts (default {FONTS})")
    options = parser.parse_args()
    for folder in (options.tile_art, options.photos):
        if folder is not None and not folder.is_dir():
            parser.error(f"no folder {folder}")
    job = partial(
        _write,
        out=options.out,
        split=options.split,
        kind=options.kind,
        size=options.size,
        tile_art=options.tile_art,
        photos=options.photos,
        fonts=options.fonts,
    )
    seeds = range(options.seed0, options.seed0 + options.count)
    if options.workers > 1:
        with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
            for seed in pool.map(job, seeds, chunksize=8):
                _progress(seed - options.seed0 + 1, options.count)
    else:
        for seed in seeds:
            _progress(job(seed) - options.seed0 + 1, options.count)


def _progress(done: int, count: int) -> None:
    if sys.stderr.isatty() and (done % 10 == 0 or done == count):
        print(f"\r{done}/{count}", end="" if done < count else "\n", file=sys.stderr)


if __name__ == "__main__":
    main()
