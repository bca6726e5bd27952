#!/usr/bin/env python3
"""Measure how fast FanLens is: `benchmark.py WHAT -h` says how.

Each kind of benchmark is a module of `benchmarks/` with `configure(parser)` and `run(options)`.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

KINDS = {
    "audit": "footage watched, as a multiple of real time; memory over a long video",
    "scoring": "hands scored a second, beside PyMahjongGB, with the count of equal totals",
    "vision": "one pass of the detector beside ultralytics' predict; second pass; memory",
    "photo": "photo to total, each stage's share, start-up; beside a pipeline of other people's parts",
    "label": "pictures labelled a second, beside yolo predict save_txt; memory over many",
}


def main() -> None:
    """Parse the command line and run one benchmark; only its own module is imported."""
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    asked = next((word for word in sys.argv[1:] if word in KINDS), None)
    for name, line in KINDS.items():
        chosen = kinds.add_parser(name, help=line)
        if name == asked:
            import_module(f"benchmarks.{name}").configure(chosen)
    options = parser.parse_args()
    import_module(f"benchmarks.{options.kind}").run(options)


if __name__ == "__main__":
    main()
