"""The audit as data: `events.json` for machines, `events.csv` for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...scoring import format_hand, format_tiles
from ..score_sheet import SheetRow
from .found import Part, State
from .verdicts import FLOWERS, Judged

Json = dict[str, Any]

CSV_COLUMNS = (
    "number", "start", "end", "timecode", "seconds", "video", "frame", "hand", "tiles", "melds",
    "flower_tiles", "winning_tile", "winning_tile_from", "confidence", "fans", "fan", "flowers", "total",
    "sheet_hand", "declared_fan", "declared_flowers", "declared_total", "declared_fans", "verdict",
    "reason", "problems", "picture",
    "side", "seat",
)  # fmt: skip
# A cell that starts so would be run as a formula by a spreadsheet program.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Audit:
    """Everything the output folder is written from.

    judged: the hands in order of time. pictures: the overlay of each, relative to the output folder.
    rows: the sheet's, None without a sheet. regions: where the hands of each side of the table lay.
    """

    state: State
    judged: tuple[Judged, ...]
    pictures: tuple[str, ...]
    rows: tuple[SheetRow, ...] | None
    settings: Json
    regions: list[Json] = field(default_factory=list)

    @property
    def missing(self) -> tuple[SheetRow, ...]:
        """Rows with a winner that no hand of the footage belongs to."""
        matched = {judged.row.hand for judged in self.judged if judged.row is not None}
        return tuple(row for row in self.rows or () if row.win_type != "draw" and row.hand not in matched)

    def offset(self, part: int) -> float:
        """Seconds of the files before this one."""
        return sum(each.duration for each in self.state.parts[:part])

    @property
    def duration(self) -> float:
        """Seconds of all files."""
        return self.offset(len(self.state.parts))


def timecode(seconds: float) -> str:
    """h:mm:ss.mmm, rounded to the millisecond."""
    total = round(seconds * 1000)
    return f"{total // 3_600_000}:{total // 60_000 % 60:02}:{total // 1000 % 60:02}.{total % 1000:03}"


def to_json(audit: Audit) -> Json:
    """The object of `events.json`; times run on over several files of footage."""
    parts = audit.state.parts
    videos = [_video_json(part) for part in parts]
    whole = dict(videos[0])
    if len(parts) > 1:
        whole["duration"] = round(audit.duration, 3)
        whole["frames"] = {
            name: sum(video["frames"][name] for video in videos)
            for name in ("looked_at", "skipped", "failed")
        }
    return {
        "video": whole,
        "videos": videos,
        "model": asdict(audit.state.model),
        "settings": audit.settings,
        "complete": audit.state.done,
        "regions": audit.regions,
        "events": [
            _event_json(audit, number, judged, picture)
            for number, (judged, picture) in enumerate(zip(audit.judged, audit.pictures, strict=True), 1)
        ],
        "missing": [row_json(row) for row in audit.missing],
    }


def to_csv(audit: Audit) -> str:
    """The events as CSV text, one a row."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for event in to_json(audit)["events"]:
        writer.writerow([_cell(value) for value in _csv_row(event)])
    return out.getvalue()


def row_json(row: SheetRow) -> Json:
    """A row of the sheet as JSON: what is known of our columns, then the others."""
    own = {name: getattr(row, name) for name in SheetRow.__dataclass_fields__ if name != "other"}
    known = {name: value for name, value in own.items() if value not in (None, (), "")}
    return {**known, **({"fans": list(row.fans)} if row.fans else {}), **row.other}


def verdict_counts(judged: Iterable[Judged]) -> dict[str, int]:
    """How many hands have each verdict."""
    counts = {"agree": 0, "disagree": 0, "needs review": 0}
    for each in judged:
        if each.verdict is not None:
            counts[each.verdict] += 1
    return counts


def _video_json(part: Part) -> Json:
    return {
        "path": part.path,
        "sha256": part.sha256,
        "duration": round(part.duration, 3),
        "width": part.width,
        "height": part.height,
        "frames": asdict(part.counts),
        "watched_to": round(part.reached, 3),
        "complete": part.done,
        "breaks": [asdict(each) for each in part.breaks],
    }


def _event_json(audit: Audit, number: int, judged: Judged, picture: str) -> Json:
    found, reading = judged.found, judged.reading
    offset = audit.offset(found.part)
    said = reading.to_json()
    return {
        "number": number,
        "start": round(found.start + offset, 3),
        "end": round(found.end + offset, 3),
        "seconds": round(found.seconds + offset, 3),
        "timecode": timecode(found.seconds + offset),
        "frame": found.frame,
        "video": audit.state.parts[found.part].path,
        "until_the_end": found.to_the_last,
        "hand": said["hand"],
        "tiles": said["tiles"],
        "context": said["context"],
        "score": said["score"],
        "confidence": said["confidence"],
        "problems": said["problems"],
        "winning_tile_from": judged.winning_from,
        "place": asdict(judged.place),
        "looks": found.looks,
        "declared": None if judged.row is None else row_json(judged.row),
        "verdict": judged.verdict,
        "reason": judged.reason,
        "picture": picture,
        "image": {
            "path": found.picture,
            "sha256": found.sha256,
            "width": found.sighting.image.width,
            "height": found.sighting.image.height,
        },
        "corrections": [correction.to_json() for correction in reading.corrections],
        "hand_text": None if reading.hand is None else format_hand(reading.hand),
    }


def _csv_row(event: Json) -> Sequence[Any]:
    hand, made, declared = event["hand"] or {}, event["score"] or {}, event["declared"] or {}
    fans = ";".join(
        ";".join([str(fan["id"])] * fan["count"]) for fan in made.get("fans", ()) if fan["id"] != FLOWERS
    )
    total = None
    if "fan" in declared:
        total = declared["fan"] + declared.get("flowers", 0)
    return (
        event["number"], timecode(event["start"]), timecode(event["end"]), event["timecode"],
        event["seconds"], event["video"], event["frame"], event["hand_text"],
        format_tiles(hand.get("concealed", ())),
        " ".join(f"[{format_tiles(meld['tiles'])}]" for meld in hand.get("melds", ())),
        " ".join(hand.get("flowers", ())), made.get("winning_tile"), event["winning_tile_from"],
        event["confidence"], fans, made.get("fan"), made.get("flowers"), made.get("total"),
        declared.get("hand"),
        declared.get("fan"), declared.get("flowers"), total, ";".join(map(str, declared.get("fans", ()))),
        event["verdict"], event["reason"], " ".join(problem["message"] for problem in event["problems"]),
        event["picture"], event["place"]["side"], event["place"]["seat"],
    )  # fmt: skip


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def name_of(path: str) -> str:
    """A file's own name, for people."""
    return Path(path).name or path
