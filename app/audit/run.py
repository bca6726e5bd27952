"""One audit from footage to output folder: watch what wasn't watched yet, judge, write.

Watching is dear and judging is cheap, so they are kept apart: whatever interrupts the watch leaves a
report of what was found so far, and a new sheet or corrections are judged without watching again.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...vision.corrections import Correction, Corrections, CorrectionsError, apply_corrections
from ...vision.draw import annotate, encode
from ...vision.picture import decode
from ...vision.reading import ModelInfo
from ...vision.video import Break, Counts, Footage, See, Settings, Watch
from ..context_options import Given
from ..score_sheet import SheetRow
from .events import Audit, to_csv, to_json
from .found import FRAMES, Found, Part, State, StateError, keep, load, save, write_atomically
from .match import match, seen_of
from .report import report
from .seats import found_regions, places
from .verdicts import Judged, judge, read_found

PICTURES = "pictures"
SAVED_EVERY = 20.0
"""Seconds of work after which what was found is saved, should the machine fail."""

Tick = Callable[[int, float], None]
"""Called with the index of the file and the seconds reached in it."""


@dataclass(frozen=True)
class Wanted:
    """What is to be audited and how.

    settings: of the watch, in seconds from the first frame of all footage together.
    rows: the score sheet's, None without one. corrections: of the hands' pictures.
    """

    folder: Path
    settings: Settings
    given: Given
    rows: tuple[SheetRow, ...] | None = None
    corrections: tuple[Corrections, ...] = ()


def watch_all(
    footages: Sequence[Footage],
    see: Callable[[], See],
    model: ModelInfo,
    wanted: Wanted,
    *,
    resume: bool,
    tick: Tick,
) -> tuple[State, tuple[Found, ...], bool]:
    """Watch the footage as far as it wasn't watched yet.

    see: gives the reader, called only if there is something to watch.
    Returns the state, hands still being followed when it was interrupted, and whether it was.
    Raises StateError where `resume` can't go on from what lies in the folder.
    """
    state = _state(footages, model, wanted, resume)
    reader: See | None = None
    offset = 0.0
    for index, (footage, part) in enumerate(zip(footages, state.parts, strict=True)):
        if not part.done:
            reader = reader or see()
            settings = _shifted(wanted.settings, offset, part.safe)
            if settings is None:
                part.done = True
            else:
                left = _watch(footage, reader, settings, state, index, wanted.folder, tick)
                if left is not None:
                    return state, left, True
        offset += part.duration
    save(state, wanted.folder)
    return state, (), False


def finish(state: State, left: Iterable[Found], wanted: Wanted) -> tuple[Audit, list[str]]:
    """Judge everything found and write the output folder; returns the audit and what to warn about.

    Raises CorrectionsError.
    """
    found = [*state.found, *left]
    fixed, warnings = _corrections(found, wanted.corrections)
    bare = [read_found(each, None, wanted.given, own) for each, own in zip(found, fixed, strict=True)]
    readings = [reading for reading, _ in bare]
    rows = wanted.rows
    matched: list[SheetRow | None] = [None] * len(found)
    if rows is not None:
        offsets = [sum(part.duration for part in state.parts[: each.part]) for each in found]
        seen = [
            seen_of(each.start + offset, reading)
            for each, offset, reading in zip(found, offsets, readings, strict=True)
        ]
        matched = [None if at is None else rows[at] for at in match(rows, seen)]
    at = places(readings, matched, wanted.settings.regions)
    if rows is None:
        judged = [
            Judged(each, reading, None, None, None, source, place)
            for each, (reading, source), place in zip(found, bare, at, strict=True)
        ]
    else:
        judged = [
            judge(each, row, wanted.given, own, place)
            for each, row, own, place in zip(found, matched, fixed, at, strict=True)
        ]
    pictures = tuple(_picture(wanted.folder, each, number) for number, each in enumerate(judged, 1))
    settings = {**state.settings, **_said(wanted)}
    audit = Audit(state, tuple(judged), pictures, rows, settings, found_regions(readings, at))
    _write(audit, wanted.folder)
    return audit, warnings


def _state(footages: Sequence[Footage], model: ModelInfo, wanted: Wanted, resume: bool) -> State:
    settings = {
        "from": wanted.settings.start,
        "to": wanted.settings.end,
        "every": wanted.settings.every,
        "regions": [{"name": region.name, "box": list(region.box)} for region in wanted.settings.regions],
    }
    if resume:
        state = load(wanted.folder)
        same = [part.sha256 for part in state.parts] == [footage.sha256 for footage in footages]
        if not same or state.settings != settings or state.model != model:
            what = "footage" if not same else "settings" if state.settings != settings else "model"
            raise StateError(
                f"{wanted.folder}: the audit there was begun with other {what}; leave out --resume."
            )
        for part, footage in zip(state.parts, footages, strict=True):
            part.path = footage.path
        return state
    parts = [
        Part(
            footage.path, footage.sha256, footage.duration, len(footage.times), footage.width, footage.height
        )
        for footage in footages
    ]
    return State(settings, model, parts)


def _shifted(settings: Settings, offset: float, safe: float) -> Settings | None:
    """The settings in seconds of one file; None where nothing of it is wanted."""
    start = max(settings.start - offset, safe, 0.0)
    end = None if settings.end is None else settings.end - offset
    return None if end is not None and end < start else replace(settings, start=start, end=end)


def _watch(
    footage: Footage, see: See, settings: Settings, state: State, index: int, folder: Path, tick: Tick
) -> tuple[Found, ...] | None:
    """Watch one file; the hands still followed where it was interrupted, None where it went to its end."""
    part = state.parts[index]
    if settings.start > footage.duration:
        part.done = True
        return None
    resumed = part.safe > 0
    before = part.counts
    watch = Watch(footage, see, settings)
    saved = time.monotonic()

    def note(counts: Counts) -> None:
        part.counts = before.plus(counts)
        part.reached = max(part.reached, watch.at)
        part.breaks = _joined(part.breaks, footage)

    def checkpoint() -> None:
        # What lies after the safe point is watched again, and counted then.
        part.safe = watch.safe
        note(watch.counts_at(part.safe))
        save(state, folder)

    def advance(seconds: float) -> None:
        nonlocal saved
        tick(index, seconds)
        if time.monotonic() - saved > SAVED_EVERY:
            checkpoint()
            saved = time.monotonic()

    try:
        for hand in watch.hands(advance):
            # Just before the point it went on from, a hand may lie that was found the first time.
            if resumed and any(each.part == index and hand.start <= each.end for each in state.found):
                continue
            state.found.append(keep(hand, index, len(state.found) + 1, folder))
    except KeyboardInterrupt:
        checkpoint()
        note(watch.counts)
        number = len(state.found)
        return tuple(keep(hand, index, number + k, folder) for k, hand in enumerate(watch.left(), 1))
    note(watch.counts)
    part.done = True
    save(state, folder)
    return None


def _joined(breaks: Sequence[Break], footage: Footage) -> list[Break]:
    """Breaks of an earlier and of this pass, each place once."""
    return sorted(
        {each.frame: each for each in (*breaks, *footage.breaks)}.values(), key=lambda each: each.frame
    )


def _corrections(
    found: Sequence[Found], given: Sequence[Corrections]
) -> tuple[list[list[Correction]], list[str]]:
    """The corrections of each hand, by its picture's sha256 or name, and those that belong to none."""
    fixed: list[list[Correction]] = [[] for _ in found]
    warnings = []
    for entry in given:
        places = [place for place, each in enumerate(found) if _is_of(entry, each, place)]
        if entry.image is None and entry.sha256 is None and len(found) == 1:
            places = [0]
        for place in places:
            fixed[place].extend(entry.tiles)
        if not places:
            named = entry.image or entry.sha256 or "no picture"
            warnings.append(f"The corrections of {named} belong to no hand of this audit.")
    for place, (each, own) in enumerate(zip(found, fixed, strict=True)):
        try:
            apply_corrections(each.sighting.tiles, own)
        except CorrectionsError as error:
            raise CorrectionsError(f"hand {place + 1}: {error}") from None
    return fixed, warnings


def _is_of(entry: Corrections, found: Found, place: int) -> bool:
    if entry.sha256 is not None:
        return entry.sha256 == found.sha256
    names = {Path(found.picture).name, f"hand-{place + 1:03d}.jpg"}
    return entry.image is not None and Path(entry.image.replace("\\", "/")).name in names


def _picture(folder: Path, judged: Judged, number: int) -> str:
    """Draw the reading on the hand's frame; the path relative to the folder."""
    name = f"{PICTURES}/hand-{number:03d}.jpg"
    frame = decode((folder / judged.found.picture).read_bytes(), judged.found.picture, side=math.inf)
    (folder / PICTURES).mkdir(exist_ok=True)
    write_atomically(folder / name, encode(annotate(frame.rgb, judged.reading)))
    return name


def _said(wanted: Wanted) -> dict[str, Any]:
    """The settings of judging, for the record."""
    given = wanted.given
    return {
        "rules": given.rules,
        "context": {name: getattr(given.context, name) for name in sorted(given.facts)},
        "sheet_rows": None if wanted.rows is None else len(wanted.rows),
        "corrections": len(wanted.corrections),
    }


def _write(audit: Audit, folder: Path) -> None:
    write_atomically(
        folder / "events.json", json.dumps(to_json(audit), ensure_ascii=False, indent=1).encode()
    )
    # The byte order mark lets spreadsheet programs see that this is UTF-8.
    write_atomically(folder / "events.csv", to_csv(audit).encode("utf-8-sig"))
    write_atomically(folder / "report.html", report(audit, folder).encode())
    own = {each.found.picture for each in audit.judged} | set(audit.pictures)
    for kind in (FRAMES, PICTURES):
        for file in (folder / kind).glob("hand-*.jpg"):
            if f"{kind}/{file.name}" not in own:
                file.unlink()
