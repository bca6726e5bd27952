"""The whole way of `fanlens label`: inputs, reading, results, corrections, review and exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from ...vision.corrections import Corrections
from .corrections import merge_corrections
from .dataset import make_dataset
from .engine import OpenReader, read_locally
from .export import ExistsError, Exported, OnExists, Pictures, export
from .files import locked
from .inputs import Inputs, Source
from .results import Entry, Results
from .review import begin_review
from .store import RESULTS_NAME, Store

LOCK_NAME = ".fanlens-lock"


class Engine(Protocol):
    """`read_locally`, `read_on_ray`."""

    def __call__(
        self,
        sources: Sequence[Source],
        open_reader: OpenReader,
        known: Mapping[str, bytes],
        workers: int | None = None,
    ) -> Iterator[Entry]: ...


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """How results become label files; fields as the options of `fanlens label`."""

    formats: tuple[str, ...]
    threshold: float = 0.0
    review_below: float = 0.9
    shares: Mapping[str, float] | None = None
    seed: int = 0
    on_exists: OnExists = "skip"
    pictures: Pictures = "link"


@dataclass(slots=True)
class Summary:
    """What a run did. read, taken, kept: pictures read now, taken over from previous results, and
    known in the output folder already. complaints: corrections that fit nothing, a sentence each."""

    read: int = 0
    taken: int = 0
    kept: int = 0
    pictures: int = 0
    tiles: int = 0
    empty: int = 0
    untold: int = 0
    to_review: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    exported: Exported = field(default_factory=Exported)


class AlreadyLabelledError(ValueError):
    """Pictures have results in the output folder and `on_exists` is `error`; nothing was done."""


def label_pictures(
    inputs: Inputs,
    out: Path,
    model: Mapping[str, Any],
    open_reader: OpenReader,
    settings: ExportSettings,
    *,
    engine: Engine = read_locally,
    workers: int | None = None,
    previous: Results | None = None,
    corrections: Iterable[Corrections] = (),
    progress: Callable[[Iterator[Entry], int], Iterator[Entry]] = lambda each, total: each,
) -> Summary:
    """Read what isn't known yet, and write results, review and labels to `out`.

    model: `name`, `sha256` and `settings` of what `open_reader` opens. previous: results of another
    run, taken over for pictures with the same content. progress: wraps the pictures as they get ready;
    total is how many there will be.
    Raises AlreadyLabelledError, ExistsError, BusyError, ResultsError, and what `open_reader` raises.
    """
    with locked(out / LOCK_NAME):
        mode: Literal["anew", "rest"] = "anew" if settings.on_exists == "overwrite" else "rest"
        store = Store(out, model, inputs.root, mode)
        known = [source for source in inputs.sources if _is_known(source, store.results)]
        if settings.on_exists == "error" and known:
            raise AlreadyLabelledError(
                f"{len(known)} pictures have results in {out} already, {known[0].name} first; nothing was "
                "done (--on-exists skip labels only the others)."
            )
        skipped = set(store.fresh)
        if mode == "rest":
            skipped.update(source.name for source in known)
        todo = [source for source in inputs.sources if source.name not in skipped]
        summary = Summary(kept=len(inputs.sources) - len(todo))
        taken = {} if previous is None else _by_content(previous)
        try:
            for entry in progress(engine(todo, open_reader, taken, workers), len(todo)):
                summary.taken += entry.sha256 in taken
                summary.read += entry.sha256 not in taken
                store.add(entry)
        finally:
            store.close()
        results = store.finish()
        _publish(results, out, settings, corrections, summary)
        return summary


def export_results(
    source: Path, out: Path, settings: ExportSettings, corrections: Iterable[Corrections] = ()
) -> Summary:
    """Make the labels and the review from a results file alone, also with other settings.

    Corrections are merged into the results, which are kept in `out`.
    Raises ExistsError, BusyError, ResultsError.
    """
    results = Results.load(source)
    with locked(out / LOCK_NAME):
        there = out / RESULTS_NAME
        other = there.exists() and not there.samefile(source) and settings.on_exists != "overwrite"
        if other and Results.load(there).lines != results.lines:
            raise ExistsError(f"{there} holds other results; choose another --out, or --on-exists overwrite.")
        summary = Summary(kept=len(results))
        _publish(results, out, settings, corrections, summary)
        return summary


def _publish(
    results: Results,
    out: Path,
    settings: ExportSettings,
    corrections: Iterable[Corrections],
    summary: Summary,
) -> None:
    summary.complaints = merge_corrections(results, corrections)
    results.save(out / RESULTS_NAME)
    dataset = make_dataset(
        results, out, threshold=settings.threshold, shares=settings.shares, seed=settings.seed
    )
    write_review = begin_review(results, settings.review_below)
    summary.exported = export(
        dataset, settings.formats, on_exists=settings.on_exists, pictures=settings.pictures
    )
    summary.to_review = write_review(out)
    for picture in results:
        summary.pictures += 1
        if picture.tiles is None:
            summary.failures.append((picture.path, picture.failure or "unknown"))
        else:
            summary.tiles += len(picture.tiles)
            summary.empty += not picture.tiles
            summary.untold += sum(tile.tile == "?" for tile in picture.tiles)


def _is_known(source: Source, results: Results) -> bool:
    """Whether the picture was read before and is the same file as far as its size tells."""
    picture = results.get(source.name)
    if picture is None or picture.tiles is None:
        return False
    try:
        return source.path.stat().st_size == picture.size
    except OSError:
        return True


def _by_content(previous: Results) -> dict[str, bytes]:
    """By sha256 the line of each picture that was read, its model named."""
    lines = {}
    for picture in previous:
        if picture.tiles is not None and picture.sha256:
            entry = picture.to_json()
            entry["model"] = dict(picture.model or previous.model)
            lines[picture.sha256] = json.dumps(entry).encode("ascii")
    return lines
