"""Which pictures are meant: files, folders, globs, list files and lists on standard input.

Every picture gets a name: its path below one common folder, the root, with `/` between the parts.
That name is its identity in the results and the place of its label file, so pictures of one file name
in different folders stay apart. From here `Source`s go to `engine`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".heic", ".heif", ".bmp", ".tif", ".tiff", ".gif"}
)
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"II*\0", b"MM\0*")
STDIN = "-"


class InputError(ValueError):
    """The inputs can't be used as given; one plain sentence."""


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """One picture. name: its path below the root, parts joined by `/`. path: where it lies."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Inputs:
    """The root and the pictures below it, each once, by name."""

    root: Path
    sources: tuple[Source, ...]


def gather(
    paths: Sequence[str],
    *,
    lists: Sequence[Path] = (),
    root: Path | None = None,
    leave_out: Path | None = None,
    stdin: BinaryIO | None = None,
) -> Inputs:
    """The pictures that `paths` mean.

    paths: files, folders (searched with their sub-folders), globs (`**` included), list files
        (`.txt`, a path a line) and `-` for such a list on standard input, whose lines may also end
        in NUL. A file named here is taken whatever its name; in folders and globs a picture is told by
        its ending or its first bytes, and names that start with a dot are passed over.
    lists: more list files, whatever their ending.
    root: the folder names start from, if it is fixed already; else the deepest folder that holds
        everything given. leave_out: a folder that isn't searched (where the labels go).
    Raises InputError where a list can't be read or something lies outside `root`. A path that isn't
    there is no error here: it fails as a picture, the others are still labelled.
    """
    places: list[Path] = []
    found: dict[Path, None] = {}
    skipped = None if leave_out is None else _absolute(leave_out)
    expanded = [_expand(text, stdin) for text in paths] + [_listed(path) for path in lists]
    for each in expanded:
        for path, named in each:
            if path.is_dir():
                places.append(path)
                found.update(dict.fromkeys(_below(path, skipped)))
            elif named or looks_like_picture(path):
                places.append(path.parent)
                found[path] = None
    if not places:
        return Inputs(root or Path.cwd(), ())
    base = root if root is not None else _common(places)
    sources = []
    for path in found:
        if not path.is_relative_to(base):
            raise InputError(
                f"{path} lies outside {base}, from where the labels there are named; choose another --out."
            )
        sources.append(Source(path.relative_to(base).as_posix(), path))
    return Inputs(base, tuple(sorted(sources)))


def looks_like_picture(path: Path) -> bool:
    """Whether a file found in a folder is to be read as a picture: by its ending, else its first bytes."""
    if path.name.startswith("."):
        return False
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(12)
    except (OSError, ValueError):
        return False
    return head.startswith(_SIGNATURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def _expand(text: str, stdin: BinaryIO | None) -> Iterator[tuple[Path, bool]]:
    """The paths one argument stands for, and whether each was named outright."""
    if text == STDIN:
        if stdin is None:
            raise InputError("there is no standard input to read a list from.")
        for line in _lines(stdin.read()):
            yield _absolute(line), True
        return
    path = Path(text)
    if os.path.lexists(path) or not glob.has_magic(text):
        if path.suffix.lower() == ".txt" and path.is_file():
            yield from _listed(path)
        else:
            yield _absolute(path), True
        return
    for match in sorted(glob.glob(text, recursive=True)):
        yield _absolute(match), False


def _listed(path: Path) -> Iterator[tuple[Path, bool]]:
    """The paths in a list file, from the current folder or, where they aren't there, from the list's."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: the list can't be read ({error.strerror or error}).") from None
    for line in _lines(content.removeprefix(b"\xef\xbb\xbf")):
        beside = path.parent / line
        yield _absolute(beside if beside.exists() and not os.path.exists(line) else line), True


def _lines(content: bytes) -> Iterator[str]:
    separator = b"\0" if b"\0" in content else b"\n"
    for line in content.split(separator):
        text = os.fsdecode(line.rstrip(b"\r") if separator == b"\n" else line)
        if text.strip():
            yield text


def _below(folder: Path, leave_out: Path | None) -> Iterable[Path]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != leave_out)
        for name in sorted(files):
            path = here / name
            if looks_like_picture(path):
                yield path


def _absolute(path: str | os.PathLike[str]) -> Path:
    """Absolute and without `..`, links kept: a picture is named by where the person sees it."""
    return Path(os.path.abspath(path))


def _common(places: Sequence[Path]) -> Path:
    try:
        return Path(os.path.commonpath(places))
    except ValueError:
        raise InputError("pictures on different drives can't be labelled into one folder.") from None
