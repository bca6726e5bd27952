"""The program's own source as a ZIP: who is served by it may have it (AGPL-3.0, section 13).

Made from the files that run, so it is right for a changed copy too, and needs no internet.
"""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_ROOMS: Final = ("scoring", "models", "vision", "datasets", "app")
_SUFFIXES: Final = (".py", ".js", ".css", ".html", ".svg", ".png", ".json", ".md", ".webmanifest", ".typed")
# Every entry gets the same time, so that the same source gives the same bytes.
_TIME: Final = (2020, 1, 1, 0, 0, 0)


@cache
def source_zip() -> bytes:
    """All source files of the installed `fanlens` rooms, weights and data sets left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for room in _ROOMS:
            _add(archive, resources.files(f"fanlens.{room}"), f"fanlens/{room}")
    return out.getvalue()


def _add(archive: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{name}/{item.name}"
        if item.is_dir() and not item.name.startswith(("_", ".")):
            _add(archive, item, path)
        elif item.name.endswith(_SUFFIXES):
            info = zipfile.ZipInfo(path, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, item.read_bytes())
