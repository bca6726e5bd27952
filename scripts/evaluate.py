#!/usr/bin/env python3
"""Measure FanLens against the truth: `evaluate.py WHAT -h` says how.

Each kind of evaluation is a module of `evaluation/` with `configure(parser)` and `run(options)`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from kinds import run_kind

KINDS = {
    "tiles": "tiles found and named in labelled photos",
    "hands": "finished hands read and scored, photos and rendered scenes",
    "turns": "whether photos of hands read the same turned by any angle",
    "audit": "hands found in simulated footage, or in photos turned into footage",
    "label_check": "planted label errors found among the first suggestions of the label check",
}

if __name__ == "__main__":
    run_kind("evaluation", KINDS, __doc__)
