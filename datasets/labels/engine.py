"""Reading many pictures: on this machine in threads or processes, or on a Ray cluster.

An engine takes sources and a way to open the reader, and yields one `Entry` for each source
as it gets ready; it never raises for a picture. The `Store` keeps what it yields.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from ...models import Manifest, load_manifest
from ...vision import Reader
from ...vision.network import use_threads
from ...vision.picture import Picture, PictureError, decode, read_bytes
from ...vision.weights import manifest_of_weights
from . import processes
from .duplicates import perceptual_hash
from .inputs import Source
from .results import Entry, MeldGroup, PictureResult, Tile

Read = Callable[[bytes, Picture], Mapping[str, Any]]
"""Reads one picture: the file's content and the same decoded, to the JSON of one photo."""

AHEAD = 2
"""Pictures in the making per worker: enough to keep it busy, few enough to bound memory."""
MANY = 50
"""Pictures from which processes pay: each takes as long to start as a dozen take to be read."""


class OpenReader(Protocol):
    """Opens the reader in whichever process it is needed; can be pickled."""

    def __call__(self) -> Read: ...


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Opens the reader of a model. model: as `vision.Reader` takes it; None for the shipped one."""

    model: str | None = None

    def __call__(self) -> Read:
        reader = Reader(self._manifest())

        def read(data: bytes, picture: Picture) -> Mapping[str, Any]:
            return reader.read(data, picture=picture).to_json()

        return read

    def describe(self) -> dict[str, Any]:
        """Name, sha256 and settings of the model. Raises ModelError."""
        manifest = self._manifest()
        spec = manifest.detector
        settings = {
            "version": manifest.version,
            "input": spec.input,
            "confidence": spec.confidence,
            "meld_confidence": spec.meld_confidence,
            "iou": spec.iou,
            "classifier": None if manifest.classifier is None else manifest.classifier.sha256,
        }
        return {"name": manifest.name, "sha256": manifest.sha256, "settings": settings}

    def _manifest(self) -> Manifest:
        if self.model is not None and self.model.endswith(".pt"):
            return manifest_of_weights(Path(self.model))
        return load_manifest(self.model)


class WorkerDiedError(RuntimeError):
    """A process that read pictures came to an end of its own; one plain sentence."""


def read_locally(
    sources: Sequence[Source],
    open_reader: OpenReader,
    known: Mapping[str, bytes],
    workers: int | None = None,
) -> Iterator[Entry]:
    """Read pictures on this machine, in order: a few in threads, many in processes of their own.

    The networks run outside Python's lock, but the layout and the rules inside it: processes keep every
    core busy, once they have started.
    known: by sha256, the lines of results that are taken over instead of reading again.
    workers: pictures read at a time, by default one a core, at most 8.
    Raises WorkerDiedError, and what `open_reader` raises.
    """
    if not sources:
        return
    count = min(processes.workers(workers), len(sources))
    pool: Executor
    read: Callable[[Source], Entry]
    if count > 1 and len(sources) >= MANY:
        pool = ProcessPoolExecutor(
            count,
            mp_context=processes.context(),
            initializer=_begin_worker,
            initargs=(open_reader, dict(known), max(1, (os.cpu_count() or 1) // count)),
        )
        read = _read_in_worker
    else:
        pool = ThreadPoolExecutor(count, thread_name_prefix="label")
        read = partial(read_one, read=open_reader(), known=known)
    waiting: deque[Future[Entry]] = deque()
    try:
        for source in sources:
            waiting.append(pool.submit(read, source))
            if len(waiting) >= count * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise WorkerDiedError(
            "a process that reads pictures has died, perhaps for lack of memory; what was read is kept, "
            "and the same command goes on from there (--workers 1 needs the least)."
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker(open_reader: OpenReader, known: Mapping[str, bytes], threads: int) -> None:
    """Make this process one that reads pictures; it ends with the process that started it."""
    global _read_in_worker_with
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=[parent], daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it says when to stop
    use_threads(threads)
    _read_in_worker_with = partial(read_one, read=open_reader(), known=known)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _read_in_worker(source: Source) -> Entry:
    assert _read_in_worker_with is not None
    return _read_in_worker_with(source)


_read_in_worker_with: Callable[[Source], Entry] | None = None


def read_one(source: Source, read: Read, known: Mapping[str, bytes]) -> Entry:
    """One picture, whatever is wrong with it."""
    return Entry.of(_read(source, read, known))


def _read(source: Source, read: Read, known: Mapping[str, bytes]) -> PictureResult:
    digest: str | None = None
    size: int | None = None
    try:
        data, _ = read_bytes(source.path)
        digest, size = hashlib.sha256(data).hexdigest(), len(data)
        if digest in known:
            taken = PictureResult.from_json(json.loads(known[digest]))
            return replace(taken, path=source.name, size=size)
        picture = decode(data, source.name)
        return picture_result(source.name, digest, size, picture, read(data, picture))
    except PictureError as error:
        # The results travel: they name pictures by their place below the root.
        code, reason = error.code, error.message.replace(str(source.path), source.name)
    except Exception as error:  # one picture never stops the others, whatever it does to the reader
        code, reason = "reader-failed", f"{source.name}: reading it failed ({type(error).__name__}: {error})."
    return PictureResult(source.name, None, sha256=digest, size=size, failure=reason, failure_code=code)


def picture_result(
    name: str, digest: str, size: int, picture: Picture, reading: Mapping[str, Any]
) -> PictureResult:
    """What is kept of the JSON of one photo. Melds of all its hands are numbered in one row."""
    hands = reading.get("hands") or ([reading["hand"]] if reading.get("hand") else [])
    melds: list[MeldGroup] = []
    number_of: dict[int, int] = {}
    for hand in hands:
        for meld in hand.get("melds", ()):
            group = MeldGroup.from_json(meld)
            number_of.update(dict.fromkeys(group.ids, len(melds)))
            melds.append(group)
    return PictureResult(
        path=name,
        tiles=tuple(Tile.from_json(tile | {"meld": number_of.get(tile["id"])}) for tile in reading["tiles"]),
        melds=tuple(melds),
        sha256=digest,
        size=size,
        width=picture.width,
        height=picture.height,
        phash=perceptual_hash(picture.rgb),
        notes=picture.notes,
        problems=tuple(reading.get("problems", ())),
    )
