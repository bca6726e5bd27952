"""The results of labelling: what was read in each picture, as kept in `results.json`.

The file is the source of truth, every export is made from it:

    {"format": "fanlens results", "version": 1,
     "root": "../photos",                 # where the pictures' paths start, relative to this file
     "model": {"name", "sha256"},
     "settings": {"input", "confidence", ...},  # how the model was used
     "tile_classes": [...],
     "pictures": [
      {"path": "day 1/7.jpg", "sha256", "bytes", "width", "height", "phash", "notes": [...],
       "tiles": [{"id", "tile", "confidence", "box", "role", "role_confidence", "meld",
                  "alternatives", "seen", "flag", "hand"}, ...],
       "melds": [{"kind", "ids", "box", "confidence"}, ...],
       "problems": [{"code", "message", "tiles"}, ...]},
      {"path": "day 1/8.jpg", ..., "tiles": []},                       # read, and there is no tile
      {"path": "day 1/9.jpg", "tiles": null, "failure": "why", "failure_code": "truncated"}]}

One picture a line, by path, so two files can be compared with line tools. Boxes are pixels of the
upright picture. A picture that a person corrected also has `corrections` (what they said) and
`removed` (tiles they took away); one read with another model than the file's has its own `model`.
`phash` is a perceptual hash (`duplicates`). No dates and no times: the same pictures and the same
model give the same file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...vision.boxes import TILE_CLASSES, Box
from .files import write_atomically

FORMAT = "fanlens results"
VERSION = 1


class ResultsError(ValueError):
    """A results file that can't be used; one plain sentence that names it."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of a picture, as in the JSON of one photo; `hand` is None for tiles of no hand.

    meld: index into the picture's `melds`.
    """

    id: int
    tile: str
    confidence: float
    box: Box
    role: str = "elsewhere"
    role_confidence: float = 1.0
    meld: int | None = None
    alternatives: tuple[tuple[str, float], ...] = ()
    seen: str | None = None
    flag: str | None = None
    hand: int | None = None

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Tile:
        x0, y0, x1, y1 = (float(side) for side in entry["box"])
        return cls(
            id=int(entry["id"]),
            tile=str(entry["tile"]),
            confidence=float(entry["confidence"]),
            box=(x0, y0, x1, y1),
            role=str(entry.get("role", "elsewhere")),
            role_confidence=float(entry.get("role_confidence", 1.0)),
            meld=entry.get("meld"),
            alternatives=tuple(
                (str(other["tile"]), float(other["probability"])) for other in entry.get("alternatives", ())
            ),
            seen=entry.get("seen"),
            flag=entry.get("flag"),
            hand=entry.get("hand"),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "tile": self.tile,
            "confidence": self.confidence,
            "box": list(self.box),
            "role": self.role,
            "role_confidence": self.role_confidence,
            "meld": self.meld,
            "alternatives": [{"tile": tile, "probability": value} for tile, value in self.alternatives],
            "seen": self.seen,
            "flag": self.flag,
            "hand": self.hand,
        }


@dataclass(frozen=True, slots=True)
class MeldGroup:
    """One exposed group: its kind, its tiles' ids and the box around them."""

    kind: str
    ids: tuple[int, ...]
    box: Box
    confidence: float = 1.0

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> MeldGroup:
        x0, y0, x1, y1 = (float(side) for side in entry["box"])
        ids = tuple(int(number) for number in entry["ids"])
        return cls(str(entry["kind"]), ids, (x0, y0, x1, y1), float(entry.get("confidence", 1.0)))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "ids": list(self.ids),
            "box": list(self.box),
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class PictureResult:
    """One picture. path: its name below the root. size: the file's bytes. tiles: None where it failed.

    problems: as in the JSON of one photo. corrections: entries of the corrections format, each with
    the box of its tile, so that they also fit what another model finds.
    """

    path: str
    tiles: tuple[Tile, ...] | None
    melds: tuple[MeldGroup, ...] = ()
    sha256: str | None = None
    size: int | None = None
    width: int = 0
    height: int = 0
    phash: str | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Mapping[str, Any], ...] = ()
    failure: str | None = None
    failure_code: str | None = None
    model: Mapping[str, Any] | None = None
    corrections: tuple[Mapping[str, Any], ...] = ()
    removed: tuple[Tile, ...] = ()

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> PictureResult:
        tiles = entry["tiles"]
        return cls(
            path=str(entry["path"]),
            tiles=None if tiles is None else tuple(Tile.from_json(tile) for tile in tiles),
            melds=tuple(MeldGroup.from_json(meld) for meld in entry.get("melds", ())),
            sha256=entry.get("sha256"),
            size=entry.get("bytes"),
            width=int(entry.get("width", 0)),
            height=int(entry.get("height", 0)),
            phash=entry.get("phash"),
            notes=tuple(entry.get("notes", ())),
            problems=tuple(entry.get("problems", ())),
            failure=entry.get("failure"),
            failure_code=entry.get("failure_code"),
            model=entry.get("model"),
            corrections=tuple(entry.get("corrections", ())),
            removed=tuple(Tile.from_json(tile) for tile in entry.get("removed", ())),
        )

    def to_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": self.path, "sha256": self.sha256, "bytes": self.size}
        if self.model is not None:
            entry["model"] = dict(self.model)
        if self.tiles is None:
            entry |= {"tiles": None, "failure": self.failure, "failure_code": self.failure_code}
        else:
            entry |= {
                "width": self.width,
                "height": self.height,
                "phash": self.phash,
                "notes": list(self.notes),
                "tiles": [tile.to_json() for tile in self.tiles],
                "melds": [meld.to_json() for meld in self.melds],
                "problems": [dict(problem) for problem in self.problems],
            }
        if self.corrections:
            entry["corrections"] = [dict(correction) for correction in self.corrections]
        if self.removed:
            entry["removed"] = [tile.to_json() for tile in self.removed]
        return entry

    def to_line(self) -> bytes:
        """The entry as one line of JSON, the same bytes for the same content."""
        return dump_line(self.to_json())


class Entry(NamedTuple):
    """One picture on its way into the results, already the line of JSON that is kept: it is made once, where
    the picture was read. path, sha256, failed: what counts on the way."""

    path: str
    sha256: str | None
    failed: bool
    line: bytes

    @classmethod
    def of(cls, picture: PictureResult) -> Entry:
        return cls(picture.path, picture.sha256, picture.tiles is None, picture.to_line())

    @property
    def picture(self) -> PictureResult:
        return parsed(self.line)


def dump_line(entry: Mapping[str, Any]) -> bytes:
    """One line of JSON in plain ASCII: file names that are no valid text survive as escapes."""
    return json.dumps(entry, separators=(",", ":")).encode("ascii")


@dataclass(slots=True)
class Results:
    """All pictures of one results file.

    root: absolute folder at which the pictures' paths start. model: its `name`, `sha256` and `settings`,
    the last model that read any of them. lines: picture path to its entry as one
    line of JSON; parsed only when asked for, which keeps ten thousand pictures small.
    """

    root: Path
    model: Mapping[str, Any]
    lines: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Results:
        """Read a results file. Raises ResultsError."""
        try:
            content = json.loads(path.read_bytes())
        except OSError as error:
            raise ResultsError(f"{path}: the results can't be read ({error.strerror or error}).") from None
        except ValueError as error:
            raise ResultsError(f"{path} is no JSON ({error}).") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ResultsError(f"{path} is no results file of fanlens label.")
        if content.get("version") != VERSION:
            raise ResultsError(
                f"{path} has version {content.get('version')!r}; this fanlens reads version {VERSION}."
            )
        try:
            root = Path(os.path.abspath(path.parent / content["root"]))
            lines = {str(entry["path"]): dump_line(entry) for entry in content["pictures"]}
            for entry in content["pictures"]:
                PictureResult.from_json(entry)
            model = {**content["model"], "settings": dict(content.get("settings", {}))}
            return cls(root, model, lines)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ResultsError(f"{path}: an entry is damaged ({error!r}).") from None

    def save(self, path: Path) -> None:
        """Write the file atomically, pictures by path."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "root": _relative(self.root, path.parent),
            "model": {"name": self.model["name"], "sha256": self.model["sha256"]},
            "settings": dict(self.model.get("settings", {})),
            "tile_classes": list(TILE_CLASSES),
        }
        start = dump_line(head)[:-1] + b',"pictures":['
        body = b",\n".join(self.lines[name] for name in sorted(self.lines))
        write_atomically(path, start + (b"\n" + body if body else b"") + b"\n]}\n", durable=True)

    def __iter__(self) -> Iterator[PictureResult]:
        for name in sorted(self.lines):
            yield parsed(self.lines[name])

    def __len__(self) -> int:
        return len(self.lines)

    def get(self, name: str) -> PictureResult | None:
        """The picture of this path below the root."""
        line = self.lines.get(name)
        return None if line is None else parsed(line)

    def put(self, picture: PictureResult) -> None:
        """Add a picture, or replace the one of the same path."""
        self.lines[picture.path] = picture.to_line()


@lru_cache(maxsize=500)
def parsed(line: bytes) -> PictureResult:
    """An entry's picture; the last ones are kept, since labels, queue and counts go through all in turn."""
    return PictureResult.from_json(json.loads(line))


def _relative(folder: Path, start: Path) -> str:
    try:
        return Path(os.path.relpath(folder, start)).as_posix()
    except ValueError:  # another drive
        return folder.as_posix()
