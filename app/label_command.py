"""`fanlens label`: pictures in; labels to train on and a review queue out. `fanlens label check`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..datasets.labels import processes
from ..datasets.labels.format_names import FORMAT_NAMES, TRAINING_FORMATS
from .label_check_command import check
from .label_progress import Watch, plain, progress

if TYPE_CHECKING:
    from ..datasets.labels.inputs import Inputs
    from ..datasets.labels.run import ExportSettings, Summary
    from ..vision.corrections import Corrections

_FIRST_FAILURES = 20
_T = TypeVar("_T")


class _LabelCommand(click.Command):
    """`label PATH...`, except that a first argument `check` leads to the command of that name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["check"]:
            with check.make_context("check", args[1:], parent=ctx) as inner:
                check.invoke(inner)
            ctx.exit()
        return super().parse_args(ctx, args)


def _file(**options: Any) -> click.Path:
    return click.Path(exists=True, dir_okay=False, path_type=Path, **options)


@click.command(cls=_LabelCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--list", "list_file", type=_file(), metavar="FILE", help="Pictures named in FILE, one a line.")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where labels, results.json and the review go.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMAT_NAMES),
    multiple=True,
    default=("yolo",),
    show_default=True,
    help="Label format (repeatable).",
)
@click.option(
    "--from", "source", type=_file(), metavar="RESULTS", help="Only export: make labels from results.json."
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Least confidence of a tile's name for it to be exported.",
)
@click.option(
    "--review-below",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Tiles less sure than this go to the review queue, flagged ones always.",
)
@click.option("--split", metavar="SHARES", help="Divide into train, val, test, such as 80,20 or 80,10,10.")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the split.")
@click.option(
    "--on-exists",
    type=click.Choice(["skip", "overwrite", "error"]),
    default="skip",
    show_default=True,
    help="Pictures labelled before, and label files of somebody else in the way.",
)
@click.option(
    "--images",
    "pictures",
    type=click.Choice(["link", "copy", "none"]),
    default="link",
    show_default=True,
    help="How YOLO's images folder is filled.",
)
@click.option(
    "--previous", type=_file(), metavar="RESULTS", help="Take over pictures that these results have."
)
@click.option(
    "--corrections",
    "corrections_files",
    type=_file(),
    multiple=True,
    metavar="FILE",
    help="A person's corrections, as the review page writes them (repeatable).",
)
@click.option("--model", metavar="NAME|PATH", help="Another model: a manifest, its folder, or .pt weights.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Threads on this machine, or a Ray cluster (RAY_ADDRESS).",
)
@click.option("--workers", type=click.IntRange(1), help="Pictures read at a time; by default one a core.")
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary; failures are still named.")
def label(
    paths: tuple[str, ...],
    list_file: Path | None,
    out: Path,
    formats: tuple[str, ...],
    source: Path | None,
    threshold: float,
    review_below: float,
    split: str | None,
    seed: int,
    on_exists: Any,
    pictures: Any,
    previous: Path | None,
    corrections_files: tuple[Path, ...],
    model: str | None,
    engine: str,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Label the pictures in each PATH: a file, a folder with its sub-folders, a glob, a list of
    pictures (.txt), or - for a list on standard input.

    \b
    fanlens label photos --out labels --format yolo --split 80,20
    fanlens label --from labels/results.json --out labels --format coco
    fanlens label check my-dataset

    A run that was stopped goes on where it was when the same command is given again. Then open
    review.html in the output folder. Exit code 1: a picture could not be read.
    """
    if source is None and engine == "local" and processes.workers(workers) > 1:
        processes.prepare()
    from ..datasets.labels.run import ExportSettings
    from ..datasets.labels.splits import SplitError, parse_shares

    try:
        shares = None if split is None else parse_shares(split)
    except SplitError as error:
        raise click.BadParameter(str(error), param_hint="--split") from None
    settings = ExportSettings(
        tuple(dict.fromkeys(formats)), threshold, review_below, shares, seed, on_exists, pictures
    )
    out = Path(out).absolute()
    corrections = _load_corrections(corrections_files)
    started = time.monotonic()
    if source is not None:
        if paths or list_file or previous:
            raise click.UsageError("--from exports what was read before; give no pictures with it.")
        summary = _checked(lambda: _export(source, out, settings, corrections))
    else:
        if not paths and list_file is None:
            raise click.UsageError("Name at least one picture, folder, glob or list.")
        inputs = _checked(lambda: _gather(paths, list_file, out))
        if not inputs.sources:
            raise click.UsageError("There is no picture in what was given.")
        watch = progress(quiet)
        summary = _checked(
            lambda: _label(inputs, out, settings, corrections, model, engine, workers, previous, watch)
        )
    _report(summary, out, settings, time.monotonic() - started, as_json, quiet)
    sys.exit(1 if summary.failures or summary.complaints else 0)


def _gather(paths: tuple[str, ...], list_file: Path | None, out: Path) -> Inputs:
    from ..datasets.labels.inputs import gather
    from ..datasets.labels.results import Results
    from ..datasets.labels.store import RESULTS_NAME

    # Names have to start where they started when the folder was first labelled into.
    before = out / RESULTS_NAME
    root = Results.load(before).root if before.exists() else None
    return gather(
        paths,
        lists=[] if list_file is None else [list_file],
        root=root,
        leave_out=out,
        stdin=sys.stdin.buffer,
    )


def _label(
    inputs: Inputs,
    out: Path,
    settings: ExportSettings,
    corrections: list[Corrections],
    model: str | None,
    engine: str,
    workers: int | None,
    previous: Path | None,
    watch: Watch,
) -> Summary:
    from ..datasets.labels.engine import ModelReader, read_locally
    from ..datasets.labels.ray_engine import read_on_ray
    from ..datasets.labels.results import Results
    from ..datasets.labels.run import label_pictures

    opener = ModelReader(model)
    return label_pictures(
        inputs,
        out,
        opener.describe(),
        opener,
        settings,
        engine=read_on_ray if engine == "ray" else read_locally,
        workers=workers,
        previous=None if previous is None else Results.load(previous),
        corrections=corrections,
        progress=watch,
    )


def _export(source: Path, out: Path, settings: ExportSettings, corrections: list[Corrections]) -> Summary:
    from ..datasets.labels.run import export_results

    return export_results(source, out, settings, corrections)


def _load_corrections(paths: tuple[Path, ...]) -> list[Corrections]:
    from ..vision.corrections import CorrectionsError, load_corrections

    try:
        return [entry for path in paths for entry in load_corrections(path)]
    except CorrectionsError as error:
        raise click.BadParameter(f"{error}.", param_hint="--corrections") from None


def _checked(work: Callable[[], _T]) -> _T:
    """Run a step; what the person can set right becomes one plain sentence (exit code 2)."""
    from ..datasets.labels.engine import WorkerDiedError
    from ..datasets.labels.export import ExistsError
    from ..datasets.labels.files import BusyError
    from ..datasets.labels.inputs import InputError
    from ..datasets.labels.ray_engine import NoRayError
    from ..datasets.labels.results import ResultsError
    from ..datasets.labels.run import AlreadyLabelledError
    from ..models import ModelError

    try:
        return work()
    except (
        AlreadyLabelledError,
        BusyError,
        ExistsError,
        InputError,
        ModelError,
        NoRayError,
        ResultsError,
        WorkerDiedError,
    ) as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        reason = f"{error.filename or 'the output folder'}: {error.strerror or error}"
        raise click.UsageError(f"the labels can't be written ({reason}).") from None
    except KeyboardInterrupt:
        click.echo("fanlens: stopped; the same command goes on from here.", err=True)
        sys.exit(130)


def _report(
    summary: Summary, out: Path, settings: ExportSettings, seconds: float, as_json: bool, quiet: bool
) -> None:
    for path, reason in summary.failures[: None if as_json else _FIRST_FAILURES]:
        named = reason if path in reason else f"{path}: {reason}"
        click.echo(f"fanlens: {plain(named)}", err=True)
    left = len(summary.failures) - _FIRST_FAILURES
    if left > 0 and not as_json:
        click.echo(f"fanlens: {left} more pictures could not be read; results.json names them.", err=True)
    for complaint in summary.complaints:
        click.echo(f"fanlens: {plain(complaint)}", err=True)
    kept = summary.exported.kept
    if kept:
        click.echo(
            f"fanlens: {len(kept)} files that no export left as they are were not touched, {plain(kept[0])} "
            "first; --on-exists overwrite replaces them.",
            err=True,
        )
    if as_json:
        click.echo(json.dumps(_as_json(summary, out, settings)))
    elif not quiet:
        for line in _summary_lines(summary, out, settings, seconds):
            click.echo(line)


def _summary_lines(summary: Summary, out: Path, settings: ExportSettings, seconds: float) -> Iterator[str]:
    rate = f" in {seconds:.1f} s, {summary.read / seconds:.1f} a second" if summary.read and seconds else ""
    parts = [f"{summary.read} read{rate}"]
    if summary.taken:
        parts.append(f"{summary.taken} taken over from previous results")
    if summary.kept:
        parts.append(f"{summary.kept} known before")
    yield f"Pictures: {summary.pictures} ({'; '.join(parts)}), {len(summary.failures)} failed."
    yield f"Tiles: {summary.tiles}; {summary.empty} pictures without any."
    left_out = sorted({*settings.formats} & {*TRAINING_FORMATS})
    if summary.untold and left_out:
        yield f"{summary.untold} tiles that can't be told are left out of {' and '.join(left_out)}."
    yield f"Labels: {', '.join(settings.formats)} in {plain(str(out))}."
    if summary.to_review:
        yield f"To look at first: {summary.to_review} tiles in {plain(str(out / 'review.html'))}."


def _as_json(summary: Summary, out: Path, settings: ExportSettings) -> dict[str, Any]:
    return {
        "out": str(out),
        "formats": list(settings.formats),
        "pictures": summary.pictures,
        "read": summary.read,
        "taken": summary.taken,
        "kept": summary.kept,
        "failed": [{"path": path, "failure": reason} for path, reason in summary.failures],
        "tiles": summary.tiles,
        "empty": summary.empty,
        "untold": summary.untold,
        "to_review": summary.to_review,
    }
