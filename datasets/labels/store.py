"""What is known in an output folder while it grows: `results.json` and the journal beside it.

Every picture that was read is appended to `journal.jsonl` as one line, at once. At the end the
journal is folded into `results.json` in one step and removed. A run that is killed at any moment
leaves both usable: a half-written last line is dropped, everything before it counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from ...vision.corrections import parse_corrections
from .corrections import apply_corrections
from .results import Entry, Results, dump_line, parsed

RESULTS_NAME = "results.json"
JOURNAL_NAME = "journal.jsonl"


class Store:
    """The results of an output folder, kept up to date on disk.

    results: what the last finished run left. fresh: names of the pictures the journal already has
    from a run that didn't finish.
    """

    def __init__(self, folder: Path, model: Mapping[str, Any], root: Path, mode: str) -> None:
        """Open or begin.

        root: where the pictures' names start. mode: goes into the journal's first line; a journal of
        another model, root or mode belongs to another command and is folded in first.
        Raises ResultsError.
        """
        self.folder = folder
        self.model = dict(model)
        path = folder / RESULTS_NAME
        self.results = Results.load(path) if path.exists() else Results(root, self.model)
        self.fresh: dict[str, None] = {}
        self._journal = folder / JOURNAL_NAME
        self._file: BinaryIO | None = None
        self._head = {"model": self.model, "root": str(root), "mode": mode}
        head, entries = _read_journal(self._journal)
        self._entries = {entry["path"]: dump_line(entry) for entry in entries}
        if head is not None and head != self._head:
            self._fold(head["model"], self._entries.values())
            self._entries.clear()
        self.fresh.update(dict.fromkeys(self._entries))

    def add(self, entry: Entry) -> None:
        """Note one picture, on disk at once."""
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            lines = [dump_line(self._head), *self._entries.values()]
            # Written anew, so that a torn last line is never appended to.
            partial = self._journal.with_suffix(".partial")
            partial.write_bytes(b"".join(line + b"\n" for line in lines))
            os.replace(partial, self._journal)
            self._file = self._journal.open("ab", buffering=0)
        self._file.write(entry.line + b"\n")
        self._entries[entry.path] = entry.line

    def finish(self) -> Results:
        """Fold the journal into the results and remove it."""
        self.close()
        self._fold(self.model, self._entries.values())
        self._entries.clear()
        return self.results

    def close(self) -> None:
        """Let go of the journal as it is; the same command goes on from there."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _fold(self, model: Mapping[str, Any], lines: Collection[bytes]) -> None:
        if lines and self.results.model != model:
            _name_model(self.results)
            self.results.model = dict(model)
        for line in lines:
            new = parsed(line)
            old = self.results.get(new.path)
            if old is not None and old.corrections and new.sha256 == old.sha256:
                said = parse_corrections({"tiles": list(old.corrections)})
                new = apply_corrections(new, said.tiles)
            elif new.model is None:
                self.results.lines[new.path] = line
                continue
            if new.model == self.results.model:
                new = replace(new, model=None)
            self.results.put(new)
        self.results.save(self.folder / RESULTS_NAME)
        self._journal.unlink(missing_ok=True)


def _name_model(results: Results) -> None:
    """Write the file's model into each picture's own entry, before the file gets another one."""
    for picture in list(results):
        if picture.model is None:
            results.put(replace(picture, model=results.model))


def _read_journal(path: Path) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The first line and the entries; whatever doesn't end in a line break was never finished."""
    if not path.exists():
        return None, []
    entries = list(_whole_lines(path))
    return (entries[0], entries[1:]) if entries else (None, [])


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            try:
                entry = json.loads(line)
            except ValueError:
                return
            yield entry
