"""Imports go one way: app → datasets → vision → scoring; models imports nothing of ours."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT: dict[str, set[str]] = {
    "scoring": set(),
    "models": set(),
    "vision": {"scoring", "models"},
    "datasets": {"scoring", "vision", "models"},
    "app": {"scoring", "vision", "datasets", "models"},
}


def imported(path: Path) -> Iterator[str]:
    """Every module a file names in an import, relative ones resolved to `fanlens.…`."""
    package = ["fanlens", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            if module == "fanlens":
                yield from (f"fanlens.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_rooms_import_only_what_lies_below(room: str) -> None:
    strays = []
    for path in sorted((ROOT / room).rglob("*.py")):
        for module in imported(path):
            parts = module.split(".")
            if parts[0] == "fanlens" and len(parts) > 1 and parts[1] not in {room, *MAY_IMPORT[room]}:
                strays.append(f"{path.relative_to(ROOT)} imports {module}")
            # A bare `import datasets` would find somebody else's package, or ours by accident.
            if parts[0] in {"scoring", "vision", "app"}:
                strays.append(f"{path.relative_to(ROOT)} imports {module}")
    assert strays == []


def test_scoring_needs_the_standard_library_only() -> None:
    foreign = {
        module
        for path in (ROOT / "scoring").rglob("*.py")
        for module in imported(path)
        if module.split(".")[0] not in {*sys.stdlib_module_names, "fanlens"}
    }
    assert foreign == set()


def test_every_room_is_typed() -> None:
    assert all((ROOT / room / "py.typed").is_file() for room in MAY_IMPORT)
