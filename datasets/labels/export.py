"""Putting the files of an export in place, without ever spoiling what a person wrote.

`exports.json` in the output folder lists every file an export left there with its digest. A file that
is listed and unchanged since is ours: it is replaced, or removed once it is no longer wanted (a
picture's label file moves when another picture turns up with its stem). Any other file of that name
is somebody's work, and `--on-exists` decides.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .dataset import Dataset
from .files import link_atomically, write_atomically
from .formats import FORMATS, LabelFile

OnExists = Literal["skip", "overwrite", "error"]
Pictures = Literal["link", "copy", "none"]
MANIFEST_NAME = "exports.json"
_MISSING = "missing"
"""Digest of a file that isn't there."""


class ExistsError(ValueError):
    """Files are in the way and `on_exists` is `error`; nothing was written."""


@dataclass(slots=True)
class Exported:
    """How many files were written, left as they were, and removed; kept: paths of somebody else's."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    kept: list[str] = field(default_factory=list)


def export(
    dataset: Dataset,
    formats: Sequence[str],
    *,
    on_exists: OnExists = "skip",
    pictures: Pictures = "link",
) -> Exported:
    """Write a data set's files in some formats below its output folder.

    on_exists: what to do about a file that no export of ours left there. pictures: whether those formats
    that want the pictures in the output folder get links, copies (links where the system has none), or
    nothing.
    Raises ExistsError before anything is written.
    """
    manifest = _read_manifest(dataset.out)
    plans = [_plan(dataset, name, manifest.get(name, {}), pictures) for name in formats]
    foreign = sorted(path for plan in plans for path in plan.foreign)
    if foreign and on_exists == "error":
        raise ExistsError(
            f"{len(foreign)} files are there already that no export left as they are, "
            f"{dataset.out / foreign[0]} first; nothing was written (--on-exists overwrite replaces them)."
        )
    done = Exported(kept=foreign if on_exists == "skip" else [])
    for plan in plans:
        if on_exists == "skip":
            for path in plan.foreign:
                del plan.wanted[path]
        # While files change hands both contents are listed: after a kill all of ours are still known.
        manifest[plan.name] = {
            path: plan.before.get(path, set()) | ({plan.wanted[path]} if path in plan.wanted else set())
            for path in {*plan.before, *plan.wanted}
        }
        _write_manifest(dataset.out, manifest)
        for file in _files(dataset, plan.name, pictures):
            if file.path not in plan.wanted:
                continue
            if file.path in plan.unchanged:
                done.unchanged += 1
            else:
                _place(file, dataset.out / file.path, pictures)
                done.written += 1
        _remove_stale(dataset.out, plan, done)
        manifest[plan.name] = {path: {digest} for path, digest in plan.wanted.items()}
        _write_manifest(dataset.out, manifest)
    return done


@dataclass(frozen=True, slots=True)
class _Plan:
    """One format's files: digests we left before, digests wanted now, and paths where just these lie already
    and where somebody else's do."""

    name: str
    before: Mapping[str, set[str]]
    wanted: dict[str, str]
    unchanged: frozenset[str]
    foreign: frozenset[str]


def _plan(dataset: Dataset, name: str, before: Mapping[str, set[str]], pictures: Pictures) -> _Plan:
    wanted: dict[str, str] = {}
    unchanged: set[str] = set()
    foreign: set[str] = set()
    for file in _files(dataset, name, pictures):
        digest, place, ours = _digest(file, pictures), dataset.out / file.path, before.get(file.path, set())
        found = _digest_on_disk(place) if os.path.lexists(place) else None
        if digest == _MISSING:
            if found not in ours:
                continue
            digest = found  # the picture is gone: its copy is all there is
        wanted[file.path] = digest
        if found == digest:
            unchanged.add(file.path)
        elif found is not None and found not in ours:
            foreign.add(file.path)
    return _Plan(name, before, wanted, frozenset(unchanged), frozenset(foreign))


def _files(dataset: Dataset, name: str, pictures: Pictures) -> Iterator[LabelFile]:
    for file in FORMATS[name](dataset):
        if file.picture is None or pictures != "none":
            yield file


def _remove_stale(out: Path, plan: _Plan, done: Exported) -> None:
    for path in sorted(set(plan.before) - set(plan.wanted) - plan.foreign):
        if _digest_on_disk(out / path) in plan.before[path]:
            (out / path).unlink()
            _remove_empty(out, (out / path).parent)
            done.removed += 1


def _place(file: LabelFile, place: Path, pictures: Pictures) -> None:
    if file.content is not None:
        write_atomically(place, file.content)
    else:
        assert file.picture is not None
        _place_picture(place, file.picture, pictures)


def _place_picture(place: Path, picture: Path, pictures: Pictures) -> None:
    if pictures == "link":
        try:
            link_atomically(place, picture)
            return
        except OSError:  # Windows without the right to make links
            pass
    if picture.is_file():
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.parent / ".fanlens-partial-picture"
        partial.unlink(missing_ok=True)
        shutil.copyfile(picture, partial)
        os.replace(partial, place)


def _digest(file: LabelFile, pictures: Pictures) -> str:
    if file.content is not None:
        return hashlib.sha256(file.content).hexdigest()
    assert file.picture is not None
    if pictures == "link":
        return _link_digest(str(file.picture))
    return _digest_on_disk(file.picture)


def _digest_on_disk(path: Path) -> str:
    if path.is_symlink():
        return _link_digest(os.readlink(path))
    if not path.is_file():
        return _MISSING
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _link_digest(target: str) -> str:
    return "link:" + hashlib.sha256(os.fsencode(target)).hexdigest()


def _remove_empty(out: Path, folder: Path) -> None:
    while folder != out and folder.is_relative_to(out):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _read_manifest(out: Path) -> dict[str, dict[str, set[str]]]:
    """By format and path the digests of what we left there; nothing where the file can't be read."""
    try:
        content = json.loads((out / MANIFEST_NAME).read_bytes())
        return {
            str(name): {str(path): set(digests) for path, digests in files.items()}
            for name, files in content["formats"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write_manifest(out: Path, formats: Mapping[str, Mapping[str, set[str]]]) -> None:
    content = {
        "format": "fanlens exports",
        "version": 1,
        "formats": {
            name: {path: sorted(digests) for path, digests in sorted(files.items())}
            for name, files in sorted(formats.items())
        },
    }
    write_atomically(out / MANIFEST_NAME, json.dumps(content, indent=0).encode("ascii") + b"\n")
