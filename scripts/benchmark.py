#!/usr/bin/env python3
"""Measure how fast FanLens is: `benchmark.py WHAT -h` says how.

Each kind of benchmark is a module of `benchmarks/` with `configure(parser)` and `run(options)`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from kinds import run_kind

KINDS = {
    "audit": "footage watched, as a multiple of real time; memory over a long video",
    "scoring": "hands scored a second, beside PyMahjongGB, with the count of equal totals",
    "vision": "one pass of the detector beside ultralytics' predict; second pass; memory",
    "photo": "photo to total, each stage's share, start-up; beside a pipeline of other people's parts",
    "label": "pictures labelled a second, beside yolo predict save_txt; memory over many",
}

if __name__ == "__main__":
    run_kind("benchmarks", KINDS, __doc__)
