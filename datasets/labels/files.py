"""Writing files so that a kill at any moment leaves the old content or the new, never half of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")

PARTIAL = ".fanlens-partial"
"""The one temporary name in each folder: what a killed run leaves there, the next one writes over."""


class BusyError(RuntimeError):
    """Another process works on the same folder."""


def write_atomically(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Replace a file's content in one step; missing folders are made.

    durable: also force it onto the disk, for what can't be made again.
    """
    # Never opened as it lies there: a link left by a kill would lead the writing into a picture.
    with _in_its_folder(path, lambda partial: partial.open("xb")) as file:
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    os.replace(path.parent / PARTIAL, path)


def link_atomically(path: Path, target: Path) -> None:
    """Put a symbolic link in a file's place in one step."""
    _in_its_folder(path, lambda partial: os.symlink(target, partial))
    os.replace(path.parent / PARTIAL, path)


def _in_its_folder(path: Path, make: Callable[[Path], _T]) -> _T:
    """Make something new of the temporary name; what mostly isn't in the way is looked for afterwards."""
    partial = path.parent / PARTIAL
    try:
        return make(partial)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        partial.unlink()
    return make(partial)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; the system lets go of it when the process ends, however it ends.

    Raises BusyError where another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(f"{path.parent}: another fanlens label is writing there.") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
