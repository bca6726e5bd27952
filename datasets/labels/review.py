"""What a person should look at first: `review.csv` and `review.html`, riskiest first.

The page stands alone: crops, tile faces and program are in the one file. On it a person accepts or
changes each tile and downloads a corrections file, which `fanlens label --corrections` merges.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...vision.boxes import TILE_CLASSES, Box
from ...vision.corrections import ROLES
from ...vision.picture import VIEWING_SIDE, PictureError, decode, read_bytes
from ..faces import svg
from .files import write_atomically
from .processes import workers
from .results import PictureResult, Results, Tile

CSV_NAME = "review.csv"
PAGE_NAME = "review.html"
PAGE_ITEMS = 400
"""Tiles on the page, which keeps it at a few megabytes; the CSV has them all."""
_CROP_HEIGHT = 150
_CROP_WIDTH = 220
_MARGIN = 0.6
"""Of a tile's size, shown around it: its neighbours help to tell it."""
_FLAG_DOUBT = {"inferred": 0.5, "conflict": 0.3, "low-confidence": 0.2, "role": 0.05}
_PROBLEM_DOUBT = {"fifth-copy": 0.3, "twice-a-flower": 0.5}
"""Problems of a hand that mean a wrong name; a hand that is no win may be labelled well."""
_FLAG_REASON = {
    "low-confidence": "the name is uncertain",
    "inferred": "the rules made it another tile than was seen",
    "conflict": "the hand contradicts itself here",
    "role": "its place in the hand is uncertain",
}
_COLUMNS = (
    *("rank", "picture", "tile_id", "tile", "confidence", "seen", "alternatives", "role", "risk", "reason"),
    *("x0", "y0", "x1", "y1"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One tile to look at. risk: in [0, 1], how likely its label is wrong. reason: one sentence part."""

    picture: PictureResult
    tile: Tile
    risk: float
    reason: str


def review_queue(results: Results, threshold: float = 0.9) -> list[ReviewItem]:
    """The doubtful tiles of all pictures, riskiest first.

    A tile is doubtful where the reading flags it, it is one copy too many, or its confidence is below
    `threshold`; never where a person has settled it. Doubts add up as if they were independent.
    """
    items = [item for picture in results for item in _doubtful(picture, threshold)]
    return sorted(items, key=lambda item: (-item.risk, item.picture.path, item.tile.id))


def _doubtful(picture: PictureResult, threshold: float) -> Iterator[ReviewItem]:
    settled = {entry["id"] for entry in picture.corrections if "id" in entry}
    blamed: dict[int, Mapping[str, Any]] = {}
    for problem in picture.problems:
        if problem["code"] in _PROBLEM_DOUBT:
            blamed.update({int(number): problem for number in problem.get("tiles", ())})
    for tile in picture.tiles or ():
        if tile.id in settled:
            continue
        reasons, right = [], tile.confidence
        if tile.tile == "?":
            reasons.append("it can't be told")
            right = 0.0
        elif tile.confidence < threshold and tile.flag != "low-confidence":
            reasons.append("the name is uncertain")
        # Where no hand was found there are no roles to doubt.
        if tile.flag is not None and not (tile.flag == "role" and tile.hand is None):
            reasons.append(_FLAG_REASON.get(tile.flag, tile.flag))
            right *= 1 - _FLAG_DOUBT.get(tile.flag, 0.0)
        if tile.id in blamed:
            reasons.append(str(blamed[tile.id]["message"]).rstrip("."))
            right *= 1 - _PROBLEM_DOUBT[blamed[tile.id]["code"]]
        if reasons:
            yield ReviewItem(picture, tile, round(1 - right, 4), "; ".join(reasons))


def harmless(text: str) -> str:
    """A CSV cell that no spreadsheet takes for a formula: an apostrophe goes before = + - @."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A CSV file that spreadsheets open as UTF-8, its text cells harmless."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "backslashreplace")


def begin_review(results: Results, threshold: float = 0.9) -> Callable[[Path], int]:
    """Begin with the queue's crops, in threads of their own; what it gives writes the queue's two files.

    That takes the folder to write to, and returns how many tiles are in the queue.
    """
    items = review_queue(results, threshold)
    crops = begin_crops(results.root, [(item.picture, item.tile.box) for item in items[:PAGE_ITEMS]])

    def write(out: Path) -> int:
        write_atomically(out / CSV_NAME, csv_bytes(_COLUMNS, _rows(items)))
        write_atomically(out / PAGE_NAME, _page(results, items, crops()))
        return len(items)

    return write


def _rows(items: Sequence[ReviewItem]) -> Iterator[tuple[object, ...]]:
    return (
        (
            rank,
            item.picture.path,
            item.tile.id,
            item.tile.tile,
            item.tile.confidence,
            item.tile.seen or "",
            " ".join(f"{tile}:{value:.3f}" for tile, value in item.tile.alternatives),
            item.tile.role,
            item.risk,
            item.reason,
            *(round(side, 1) for side in item.tile.box),
        )
        for rank, item in enumerate(items, start=1)
    )


def _page(results: Results, items: Sequence[ReviewItem], crops: Sequence[dict[str, Any] | None]) -> bytes:
    content = {
        "model": dict(results.model),
        "total": len(items),
        "roles": ROLES,
        "tiles": [*TILE_CLASSES, "?"],
        "items": [_entry(item, crop) for item, crop in zip(items[:PAGE_ITEMS], crops, strict=True)],
    }
    faces = "".join(_symbol(name) for name in TILE_CLASSES)
    folder = resources.files(__package__)
    page = Template(folder.joinpath("review.html").read_text(encoding="utf-8"))
    return page.substitute(
        model=html.escape(results.model["name"]),
        faces=faces,
        data=script_json(content),
        program=folder.joinpath("review.js").read_text(encoding="utf-8"),
    ).encode("utf-8")


def _entry(item: ReviewItem, crop: dict[str, Any] | None) -> dict[str, Any]:
    tile = item.tile
    return {
        "path": item.picture.path,
        "sha256": item.picture.sha256,
        "id": tile.id,
        "box": list(tile.box),
        "tile": tile.tile,
        "confidence": tile.confidence,
        "seen": tile.seen,
        "role": tile.role,
        "alternatives": [
            {"tile": name, "probability": value} for name, value in tile.alternatives[:5] if name != tile.tile
        ],
        "reason": item.reason,
        "crop": crop,
    }


def script_json(content: Any) -> str:
    """JSON that can stand in a script element whatever file names are in it."""
    text = json.dumps(content)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _symbol(name: str) -> str:
    drawing = svg(name)
    inner = drawing[drawing.index(">") + 1 : drawing.rindex("</svg>")]
    return f'<symbol id="face-{name}" viewBox="0 0 300 400">{inner}</symbol>'


def begin_crops(
    root: Path, places: Sequence[tuple[PictureResult, Box]]
) -> Callable[[], list[dict[str, Any] | None]]:
    """For each box a small picture around it, and where the box lies in it (per cent).

    Every picture is opened once, in threads that begin at once; what this gives waits for them.
    None where the picture is gone, can't be read, or is another one now.
    """
    crops: list[dict[str, Any] | None] = [None] * len(places)
    by_picture: dict[str, list[int]] = {}
    for index, (picture, _) in enumerate(places):
        by_picture.setdefault(picture.path, []).append(index)

    def cut(path: str) -> None:
        try:
            data, _ = read_bytes(root / path)
            rgb = decode(data, path, side=VIEWING_SIDE).rgb
        except PictureError:
            return
        for index in by_picture[path]:
            picture, box = places[index]
            crops[index] = _crop(rgb, box, rgb.shape[1] / max(picture.width, 1))

    pool = ThreadPoolExecutor(workers(None))
    cutting = [pool.submit(cut, path) for path in by_picture]
    pool.shutdown(wait=False)

    def ready() -> list[dict[str, Any] | None]:
        for each in cutting:
            each.result()
        return crops

    return ready


def _crop(rgb: NDArray[np.uint8], box: Box, scale: float) -> dict[str, Any] | None:
    rows, columns = rgb.shape[:2]
    x0, y0, x1, y1 = (side * scale for side in box)
    margin = _MARGIN * max(x1 - x0, y1 - y0)
    left, top = max(int(x0 - margin), 0), max(int(y0 - margin), 0)
    right, bottom = min(int(x1 + margin) + 1, columns), min(int(y1 + margin) + 1, rows)
    if right - left < 2 or bottom - top < 2:
        return None
    part = rgb[top:bottom, left:right]
    zoom = min(_CROP_HEIGHT / part.shape[0], _CROP_WIDTH / part.shape[1], 3.0)
    size = (max(1, round(part.shape[1] * zoom)), max(1, round(part.shape[0] * zoom)))
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    small = cv2.resize(part, size, interpolation=way)
    ok, encoded = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not ok:
        return None
    width, height = right - left, bottom - top
    return {
        "jpeg": base64.b64encode(encoded.tobytes()).decode("ascii"),
        "width": size[0],
        "height": size[1],
        "box": [
            round(100 * value, 1)
            for value in ((x0 - left) / width, (y0 - top) / height, (x1 - x0) / width, (y1 - y0) / height)
        ],
    }
