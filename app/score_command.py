"""`fanlens score`: photos in; hand, fans and total out, and what is doubtful with how to settle it."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .context_options import Given, context_options

if TYPE_CHECKING:
    from ..vision import Reader, Reading
    from ..vision.corrections import Correction, Corrections

STDIN = "-"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each photo.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Leave an annotated picture of each photo there.",
)
@click.option("--model", metavar="NAME|PATH", help="Another model: a manifest, its folder, or .pt weights.")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="ID=TILE",
    help="Correct a tile of the photo, such as 7=5p (repeatable).",
)
@click.option(
    "--corrections",
    "corrections_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Corrections as the page writes them, for one photo or many.",
)
@context_options
def score(
    photos: tuple[str, ...],
    as_json: bool,
    save: Path | None,
    model: str | None,
    assignments: tuple[str, ...],
    corrections_file: Path | None,
    given: Given,
) -> None:
    """Score the finished hand in each PHOTO (- for standard input).

    \b
    fanlens score hand.jpg --self-draw --seat-wind E
    fanlens score *.jpg --json > hands.jsonl

    What a photo can't show (how it was won, winds) is given by options; without them a discard win
    is taken and the total comes with its range. Exit code 1: a photo could not be read.
    """
    if assignments and len(photos) > 1:
        raise click.UsageError("--set corrects one photo; use --corrections FILE for many.")
    corrections = _Corrections(assignments, corrections_file)
    reader = _reader(model)
    pictures = None if save is None else _Pictures(save)
    failed = 0
    with _progress(len(photos)) as advance:
        for photo in photos:
            failed += not _one(photo, reader, given, corrections, pictures, as_json)
            advance()
    sys.exit(1 if failed else 0)


def _one(
    photo: str,
    reader: Reader,
    given: Given,
    corrections: _Corrections,
    pictures: _Pictures | None,
    as_json: bool,
) -> bool:
    """Read and report one photo; False where it can't be read."""
    from ..vision import Circumstances, PictureError
    from ..vision.corrections import CorrectionsError
    from ..vision.picture import read_bytes
    from .score_report import print_reading

    circumstances = Circumstances(given.context, given.facts, given.winning_tile, given.rules)
    name = "standard input" if photo == STDIN else photo
    try:
        data = sys.stdin.buffer.read() if photo == STDIN else read_bytes(photo)[0]
        own = corrections.of(photo, data)
        reading = reader.read(data, name=name, circumstances=circumstances, corrections=own)
        saved = None if pictures is None else pictures.save(photo, data, reading)
    except PictureError as error:
        return _refuse(photo, error.code, error.message, as_json)
    except CorrectionsError as error:
        return _refuse(photo, "bad-correction", f"{name}: {error}.", as_json)
    except OSError as error:
        return _refuse(photo, "not-saved", f"{name}: its picture can't be saved ({error}).", as_json)
    except Exception as error:  # whatever one photo brings about, the others are still read
        reason = f"{type(error).__name__}: {error}"
        return _refuse(photo, "failed", f"{name}: reading it failed ({reason}); please report this.", as_json)
    if as_json:
        answer = reading.to_json()
        answer["image"]["path"] = photo
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        print_reading(reading, name, saved)
    return True


def _refuse(photo: str, code: str, message: str, as_json: bool) -> bool:
    if as_json:
        answer: dict[str, Any] = {"image": {"path": photo}, "error": {"code": code, "message": message}}
        click.echo(json.dumps(answer, ensure_ascii=False))
    click.echo(f"fanlens: {message}", err=True)
    return False


def _reader(model: str | None) -> Reader:
    from ..models import ModelError
    from ..vision import Reader

    warnings.filterwarnings("ignore", module=r"PIL\.")  # odd metadata; what matters is an error
    try:
        if model is not None and model.endswith(".pt"):
            from ..vision.weights import manifest_of_weights

            return Reader(manifest_of_weights(Path(model)))
        return Reader(model)
    except ModelError as error:
        if model is not None:
            raise click.BadParameter(str(error), param_hint="--model") from None
        raise click.ClickException(str(error)) from None


class _Corrections:
    """What `--set` and `--corrections` say about each photo."""

    def __init__(self, assignments: Sequence[str], file: Path | None) -> None:
        from ..vision.corrections import CorrectionsError, load_corrections, parse_assignment

        try:
            self._set = [parse_assignment(text) for text in assignments]
        except CorrectionsError as error:
            raise click.BadParameter(f"{error}.", param_hint="--set") from None
        try:
            self._filed: list[Corrections] = [] if file is None else load_corrections(file)
        except CorrectionsError as error:
            raise click.BadParameter(f"{error}.", param_hint="--corrections") from None

    def of(self, photo: str, data: bytes) -> list[Correction]:
        """Those filed for this picture (by sha256, else by its path or name), then those set by hand."""
        digest = hashlib.sha256(data).hexdigest() if self._filed else ""
        filed = [
            correction
            for entry in self._filed
            if (entry.sha256 == digest if entry.sha256 else _same_picture(entry.image, photo))
            for correction in entry.tiles
        ]
        return [*filed, *self._set]


def _same_picture(named: str | None, photo: str) -> bool:
    """Whether corrections that name a picture mean this one; those that name none mean any."""
    return named is None or named == photo or Path(named.replace("\\", "/")).name == Path(photo).name


class _Pictures:
    """Annotated pictures in a folder, one file for each photo."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise click.BadParameter(f"{folder} can't be made ({reason}).", param_hint="--save") from None

    def save(self, photo: str, data: bytes, reading: Reading) -> Path:
        """The file written; photos of one name from different folders don't overwrite each other."""
        from ..vision.draw import annotate, encode
        from ..vision.picture import VIEWING_SIDE, decode

        stem = "stdin" if photo == STDIN else Path(photo).stem
        name, number = f"{stem}-fanlens.jpg", 2
        while name.casefold() in self._taken:
            name, number = f"{stem}-fanlens-{number}.jpg", number + 1
        self._taken.add(name.casefold())
        path = self._folder / name
        path.write_bytes(encode(annotate(decode(data, side=VIEWING_SIDE).rgb, reading)))
        return path


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A bar on standard error where that is a terminal and there is more than one photo."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
