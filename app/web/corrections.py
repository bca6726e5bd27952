"""Keeping corrected photos: labelled examples that `fanlens label` and the training read.

A kept photo is decoded and written anew, so nothing of its metadata (place, camera, time) is left.
Beside it lies a JSON file in the corrections format that every command reads.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import threading
from pathlib import Path
from typing import Any, Final

from PIL import Image

from ...vision.corrections import CorrectionsError, parse_corrections
from ...vision.picture import decode

_QUALITY: Final = 95


class FullError(RuntimeError):
    """The space set aside for kept photos is used up."""


class CorrectionKeeper:
    """Writes into one folder, at most `limit` bytes in all (what already lies there counts)."""

    def __init__(self, folder: Path, limit: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._limit = limit
        self._lock = threading.Lock()

    def keep(self, photo: bytes, corrections: Any) -> str:
        """Keep one photo with its corrections and return the name it got, made from its content.

        corrections: an object of the corrections format, boxes in pixels of the upright photo; `seen`
        beside a tile is kept. The same photo corrected again replaces the older corrections.
        Raises PictureError, CorrectionsError, FullError.
        """
        parse_corrections(corrections)
        picture = decode(photo, side=math.inf)
        out = io.BytesIO()
        Image.fromarray(picture.rgb).save(out, "JPEG", quality=_QUALITY, subsampling=0)
        content = out.getvalue()
        sha256 = hashlib.sha256(content).hexdigest()
        name = sha256[:20]
        entry = {
            "image": f"{name}.jpg",
            "sha256": sha256,
            "width": picture.rgb.shape[1],
            "height": picture.rgb.shape[0],
            "tiles": [_entry(tile, picture.scale) for tile in corrections["tiles"]],
        }
        text = json.dumps(entry, ensure_ascii=False, indent=1).encode()
        with self._lock:
            used = sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())
            if used + len(content) + len(text) > self._limit:
                raise FullError("The space for kept photos is used up, so this one was not kept.")
            self._write(f"{name}.jpg", content)
            self._write(f"{name}.json", text)
        return name

    def _write(self, name: str, content: bytes) -> None:
        partial = self._folder / f"{name}.partial"
        partial.write_bytes(content)
        os.replace(partial, self._folder / name)


def _entry(tile: dict[str, Any], scale: float) -> dict[str, Any]:
    """One tile, named by its box: an id would only mean something to the model that gave it."""
    if "box" not in tile or tile["box"] is None:
        raise CorrectionsError("A tile that is kept needs a box.")
    known = {key: tile[key] for key in ("tile", "role", "meld", "kind", "seen") if tile.get(key) is not None}
    if "tile" in tile and tile["tile"] is None:
        known["tile"] = None
    return {"box": [round(side * scale, 1) for side in tile["box"]], **known}
