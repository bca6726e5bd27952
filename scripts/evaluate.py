#!/usr/bin/env python3
"""Measure FanLens against the truth: `evaluate.py WHAT -h` says how.

Each kind of evaluation is a module of `evaluation/` with `configure(parser)` and `run(options)`.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

KINDS = {
    "tiles": "tiles found and named in labelled photos",
    "hands": "finished hands read and scored, photos and rendered scenes",
    "audit": "hands found in simulated footage, or in photos turned into footage",
    "label_check": "planted label errors found among the first suggestions of the label check",
}


def main() -> None:
    """Parse the command line and run one evaluation; only its own module is imported."""
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    asked = next((word for word in sys.argv[1:] if word in KINDS), None)
    for name, line in KINDS.items():
        chosen = kinds.add_parser(name, help=line)
        if name == asked:
            import_module(f"evaluation.{name}").configure(chosen)
    options = parser.parse_args()
    import_module(f"evaluation.{options.kind}").run(options)


if __name__ == "__main__":
    main()
