"""`fanlens label check`: likely errors in the labels of an existing data set."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="REPORT",
    help="Write check.csv and check.html (with crops) to this folder.",
)
@click.option("--limit", type=click.IntRange(1), default=300, show_default=True, help="Suggestions printed.")
@click.option("--model", metavar="NAME|PATH", help="Another model: a manifest, its folder, or .pt weights.")
@click.option("--workers", type=click.IntRange(1), help="Pictures read at a time; by default one a core.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each suggestion.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def check(
    folder: Path,
    out: Path | None,
    limit: int,
    model: str | None,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """List likely label errors in the data set at DIR (YOLO, COCO, Pascal VOC, labelme or CVAT),
    likeliest first: tiles without a label, wrong classes, boxes that lie badly.

    Exit code 1: a picture could not be read.
    """
    from ..datasets.labels.check import as_json as suggestion_json
    from ..datasets.labels.check import check_labels
    from ..datasets.labels.check_report import write_check
    from ..datasets.labels.engine import ModelReader, read_locally
    from ..datasets.labels.inputs import Source
    from ..datasets.labels.readers import DatasetError, read_dataset
    from ..models import ModelError
    from .label_progress import plain, progress

    root = folder.absolute()
    try:
        labels = read_dataset(root)
        sources = [Source(_below(each.path, root), each.path) for each in labels]
        reading = read_locally(sources, ModelReader(model), {}, workers)
        results = [entry.picture for entry in progress(quiet)(reading, len(sources))]
    except (DatasetError, ModelError) as error:
        raise click.UsageError(str(error)) from None
    suggestions = check_labels(list(zip(labels, results, strict=True)))
    failures = [picture for picture in results if picture.tiles is None]
    for picture in failures:
        click.echo(f"fanlens: {plain(picture.failure or picture.path)}", err=True)
    for rank, each in enumerate(suggestions[:limit], start=1):
        if as_json:
            click.echo(json.dumps(suggestion_json(each)))
        else:
            name = plain(_below(each.path, root))
            place = " ".join(f"{side:.0f}" for side in each.box or each.seen_box or ())
            click.echo(f"{rank:4d}  {each.score:.2f}  {each.kind:<11}  {name} [{place}]  {each.detail}")
    if out is not None:
        read = {each.path: picture for each, picture in zip(labels, results, strict=True)}
        write_check(suggestions, read, root, out)
    if not as_json:
        more = f", the first {limit} shown" if len(suggestions) > limit else ""
        click.echo(f"{len(suggestions)} likely errors in {len(results)} pictures{more}.")
    sys.exit(1 if failures else 0)


def _below(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()
