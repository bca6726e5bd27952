"""A command with one sub-command a module: what `benchmark.py` and `evaluate.py` share.

Each kind is a module of a package beside this file with `configure(parser)` and `run(options)`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from importlib import import_module


def run_kind(package: str, kinds: Mapping[str, str], description: str | None) -> None:
    """Parse the command line and run the kind it names; only that kind's module is imported.

    kinds: module names and what each measures, in one line.
    """
    parser = argparse.ArgumentParser(description=description)
    commands = parser.add_subparsers(dest="kind", required=True)
    asked = next((word for word in sys.argv[1:] if word in kinds), None)
    for name, line in kinds.items():
        chosen = commands.add_parser(name, help=line)
        if name == asked:
            import_module(f"{package}.{name}").configure(chosen)
    options = parser.parse_args()
    import_module(f"{package}.{options.kind}").run(options)
