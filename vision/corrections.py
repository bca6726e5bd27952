"""A person's corrections of a reading: one format for the page, the review page and every command.

`{"image", "sha256", "tiles": [{"id" or "box", "tile", "role", "meld"}]}`. A tile is named by its id
or by its box; a box where the detector saw none adds a tile. `"tile": null` says that no tile lies
there. `"kind"` beside `"meld"` says which kong it is, where the picture can't show it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..scoring.hand import MELD_KINDS
from ..scoring.tiles import CANONICAL
from .boxes import TILE_CLASSES, Box, TileBox
from .reading import Role

ROLES: tuple[str, ...] = get_args(Role)
UNKNOWN = "?"
NO_TILE = ""


class CorrectionsError(ValueError):
    """Corrections that can't be read or that name a tile the picture doesn't have."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says about one tile; None where they say nothing.

    id or box: which tile. tile: its name, `?`, or `NO_TILE` where no tile lies there.
    role, meld: where it belongs; tiles with one meld number form that meld. kind: the meld's kind.
    """

    id: int | None = None
    box: Box | None = None
    tile: str | None = None
    role: Role | None = None
    meld: int | None = None
    kind: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The entry of the corrections format."""
        entry: dict[str, Any] = {"id": self.id} if self.id is not None else {"box": list(self.box or ())}
        if self.tile is not None:
            entry["tile"] = None if self.tile == NO_TILE else self.tile
        for name in ("role", "meld", "kind"):
            if getattr(self, name) is not None:
                entry[name] = getattr(self, name)
        return entry


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corrections of one picture: its path and sha256 as the file names them, and the tiles."""

    tiles: tuple[Correction, ...] = ()
    image: str | None = None
    sha256: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The object of the corrections format."""
        return {
            "image": self.image,
            "sha256": self.sha256,
            "tiles": [correction.to_json() for correction in self.tiles],
        }


def load_corrections(path: str | Path) -> list[Corrections]:
    """All corrections of a file: one JSON object, a list of them, or one a line.

    Raises CorrectionsError, naming the file and what is wrong with it.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorrectionsError(f"{path} can't be read as corrections: {error}") from error
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        try:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as error:
            raise CorrectionsError(f"{path} is no JSON: {error}") from error
    entries = value if isinstance(value, list) else [value]
    try:
        return [parse_corrections(entry) for entry in entries]
    except CorrectionsError as error:
        raise CorrectionsError(f"{path}: {error}") from error


def parse_corrections(value: Any) -> Corrections:
    """Corrections from a decoded JSON object. Raises CorrectionsError with one plain sentence."""
    if not isinstance(value, Mapping):
        raise CorrectionsError("corrections are an object with a list `tiles`")
    entries = value.get("tiles")
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise CorrectionsError("corrections need a list `tiles`")
    image, sha256 = value.get("image"), value.get("sha256")
    if isinstance(image, Mapping):
        image = image.get("path")
    for name, text in (("image", image), ("sha256", sha256)):
        if text is not None and not isinstance(text, str):
            raise CorrectionsError(f"`{name}` must be text")
    return Corrections(tuple(_parse_tile(entry) for entry in entries), image, sha256)


def parse_assignment(text: str) -> Correction:
    """A correction from `ID=TILE`, as `--set` takes it. Raises CorrectionsError."""
    number, equals, tile = text.partition("=")
    if not equals or not number.strip().isdigit():
        raise CorrectionsError(f"{text!r} is no ID=TILE, such as 3=5m")
    return Correction(id=int(number), tile=_tile_name(tile.strip()))


def _parse_tile(entry: Any) -> Correction:
    if not isinstance(entry, Mapping):
        raise CorrectionsError("every entry of `tiles` is an object")
    number, box = entry.get("id"), entry.get("box")
    if number is None and box is None:
        raise CorrectionsError("a corrected tile needs an `id` or a `box`")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 0):
        raise CorrectionsError(f"{number!r} is no tile id")
    sides: Box | None = None
    if box is not None:
        try:
            x0, y0, x1, y1 = (float(side) for side in box)
        except (TypeError, ValueError) as error:
            raise CorrectionsError(f"{box!r} is no box of four numbers") from error
        if not (np.isfinite([x0, y0, x1, y1]).all() and x0 < x1 and y0 < y1):
            raise CorrectionsError(f"{box!r} is no box of four numbers in the order x0, y0, x1, y1")
        sides = (x0, y0, x1, y1)
    tile: str | None = None
    if "tile" in entry:
        tile = NO_TILE if entry["tile"] is None else _tile_name(entry["tile"])
    role, meld, kind = entry.get("role"), entry.get("meld"), entry.get("kind")
    if role is not None and role not in ROLES:
        raise CorrectionsError(f"{role!r} is no role; the roles are {', '.join(ROLES)}")
    if meld is not None and (not isinstance(meld, int) or isinstance(meld, bool) or meld < 0):
        raise CorrectionsError(f"{meld!r} is no number of a meld")
    if kind is not None and kind not in MELD_KINDS:
        raise CorrectionsError(f"{kind!r} is no kind of meld; the kinds are {', '.join(MELD_KINDS)}")
    return Correction(number, sides, tile, role, meld, kind)


def _tile_name(name: Any) -> str:
    known = CANONICAL.get(name) if isinstance(name, str) else None
    if known is None:
        raise CorrectionsError(f"{name!r} is no tile")
    return known


def apply_corrections(
    tiles: Sequence[TileBox], corrections: Sequence[Correction]
) -> tuple[list[TileBox], dict[int, Correction]]:
    """The tiles with corrected ones certain, and everything said about each tile by its id.

    Later corrections win over earlier ones, name by name. Tiles added by a box come last.
    Raises CorrectionsError for an id the picture doesn't have.
    """
    found = list(tiles)
    said: dict[int, Correction] = {}
    for correction in corrections:
        number = correction.id
        if number is None:
            assert correction.box is not None
            number = _at(found, correction.box)
            if number is None:
                if correction.tile is None:
                    raise CorrectionsError(
                        f"no tile lies at {list(correction.box)}; a tile that is added needs its name"
                    )
                number = len(found)
                found.append(_certain(correction.box, None))
        if not 0 <= number < len(found):
            raise CorrectionsError(f"there is no tile {number}; the picture has tiles 0 to {len(found) - 1}")
        before = said.get(number, Correction(id=number))
        said[number] = Correction(
            id=number,
            box=correction.box or before.box,
            tile=before.tile if correction.tile is None else correction.tile,
            role=correction.role or before.role,
            meld=correction.meld if correction.role or correction.meld is not None else before.meld,
            kind=correction.kind or before.kind,
        )
    for number, correction in said.items():
        if correction.tile is not None:
            seen = found[number]
            found[number] = TileBox(
                seen.box,
                _certain(seen.box, correction.tile).probabilities,
                1.0,
                seen.corners,
                seen.up,
                seen.up_confidence,
                seen.axis_confidence,
            )
    return found, said


def _certain(box: Box, name: str | None) -> TileBox:
    x0, y0, x1, y1 = box
    probabilities = np.zeros(len(TILE_CLASSES), dtype=np.float32)
    if name in TILE_CLASSES:
        probabilities[TILE_CLASSES.index(name)] = 1.0
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32)
    return TileBox(box, probabilities, 1.0, corners)


def _at(tiles: Sequence[TileBox], box: Box) -> int | None:
    """The tile whose box overlaps most with the given one, if it covers half of both together."""
    best: tuple[float, int] | None = None
    for number, tile in enumerate(tiles):
        width = min(box[2], tile.box[2]) - max(box[0], tile.box[0])
        height = min(box[3], tile.box[3]) - max(box[1], tile.box[1])
        if width <= 0 or height <= 0:
            continue
        shared = width * height
        union = _area(box) + _area(tile.box) - shared
        if shared / union >= 0.5 and (best is None or shared / union > best[0]):
            best = (shared / union, number)
    return None if best is None else best[1]


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
