"""`fanlens audit`: footage and a score sheet in; every finished hand, scored and compared, out."""

from __future__ import annotations

import json
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .context_options import Given, context_options

if TYPE_CHECKING:
    from ..models import Manifest
    from ..vision.video import Footage, Region, See
    from .audit.events import Audit
    from .score_sheet import SheetRow

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells give it."""


class Seconds(click.ParamType[float]):
    """Seconds, or minutes and hours before them: 95, 1:35, 0:01:35.5."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        total = 0.0
        try:
            parts = [float(part) for part in str(value).split(":")]
            if not 1 <= len(parts) <= 3 or any(not 0 <= part < 1e6 for part in parts):
                raise ValueError
            if any(part >= 60 for part in parts[1:]):
                raise ValueError
        except ValueError:
            self.fail(f"{value!r} is no time; use seconds or h:mm:ss.", param, ctx)
        for part in parts:
            total = total * 60 + part
        return total


@dataclass(frozen=True, slots=True)
class Place:
    """A region as given: sides in pixels, or in parts of the picture where none is above 1."""

    name: str
    sides: tuple[float, float, float, float]

    def region(self, width: int, height: int) -> Region:
        """The region in parts of a picture of this size."""
        from ..vision.video import Region

        x0, y0, x1, y1 = self.sides
        if max(self.sides) > 1:
            x0, y0, x1, y1 = x0 / width, y0 / height, x1 / width, y1 / height
        return Region(self.name, (x0, y0, x1, y1))


class PlaceType(click.ParamType[Place]):
    """`NAME=X0,Y0,X1,Y1` or `X0,Y0,X1,Y1`."""

    name = "region"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Place:
        if isinstance(value, Place):
            return value
        name, _, sides = str(value).rpartition("=")
        try:
            x0, y0, x1, y1 = (float(side) for side in sides.split(","))
        except ValueError:
            self.fail(
                f"{value!r} is no region; use X0,Y0,X1,Y1 with a name before it if you like.", param, ctx
            )
        if not (0 <= x0 < x1 < 1e5 and 0 <= y0 < y1 < 1e5):
            self.fail(f"{value!r} is no region: it needs 0 <= X0 < X1 and 0 <= Y0 < Y1.", param, ctx)
        return Place(name, (x0, y0, x1, y1))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("videos", nargs=-1, required=True, metavar="VIDEO...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Where to write.",
)
@click.option(
    "--sheet",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv",
    help="The score sheet of the table, as the page writes it.",
)
@click.option(
    "--corrections",
    "corrections_files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A reviewer's corrections of the hands' frames (repeatable).",
)
@click.option(
    "--from",
    "start",
    type=Seconds(),
    default=0.0,
    metavar="TIME",
    help="Watch from here, in seconds or h:mm:ss.",
)
@click.option("--to", "end", type=Seconds(), metavar="TIME", help="Watch up to here.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.05),
    metavar="SECONDS",
    help="Read a frame this often; by default often where hands are laid down, rarely elsewhere.",
)
@click.option(
    "--region",
    "places",
    type=PlaceType(),
    multiple=True,
    metavar="[NAME=]X0,Y0,X1,Y1",
    help="Only look for hands here: pixels, or parts of the picture from 0 to 1 (repeatable). "
    "Named E, S, W or N it is the place of who sat there in the first hand.",
)
@click.option(
    "--fps",
    type=click.FloatRange(min=0.001),
    default=25.0,
    show_default=True,
    help="Frames a second of a folder of pictures.",
)
@click.option("--model", metavar="NAME|PATH", help="Another model: a manifest, its folder, or .pt weights.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the audit in DIR: finish it if it was interrupted, else only judge again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events.json instead of a summary.")
@context_options
def audit(
    videos: tuple[str, ...],
    out: Path,
    sheet: Path | None,
    corrections_files: tuple[Path, ...],
    start: float,
    end: float | None,
    every: float | None,
    places: tuple[Place, ...],
    fps: float,
    model: str | None,
    resume: bool,
    as_json: bool,
    given: Given,
) -> None:
    """Find every finished hand in each VIDEO (or folder of pictures), score it and compare it with the sheet.

    \b
    fanlens audit table3.mp4 --out audit3 --sheet table3.csv
    fanlens audit table3.mp4 --out audit3 --sheet table3.csv --resume --corrections fixed.json

    Several files are one recording in parts. DIR gets report.html (to read and send on), events.json,
    events.csv and a picture of each hand. Ctrl-C leaves a report of what was found so far; --resume goes
    on from there. Exit code 1: footage could not be read, or not to its end.
    """
    if end is not None and end <= start:
        raise click.BadParameter("it must be later than --from.", param_hint="--to")
    from ..vision.corrections import CorrectionsError
    from ..vision.video import Settings
    from .audit.found import StateError
    from .audit.run import Wanted, finish, watch_all

    rows = None if sheet is None else _sheet(sheet)
    corrections = _corrections(corrections_files)
    footages, refused = _open(videos, fps)
    if not footages:
        sys.exit(1)
    reader = _Reading(model)
    regions = tuple(place.region(footages[0].width, footages[0].height) for place in places)
    wanted = Wanted(out, Settings(start, end, every, regions), given, rows, corrections)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with _interruptible(), _progress(footages, start, end) as tick:
            state, left, interrupted = watch_all(
                footages, reader.see, reader.info, wanted, resume=resume, tick=tick
            )
        result, notes = finish(state, left, wanted)
    except StateError as error:
        raise click.ClickException(str(error)) from None
    except CorrectionsError as error:
        raise click.BadParameter(f"{error}.", param_hint="--corrections") from None
    except OSError as error:
        raise click.ClickException(
            f"{out}: the audit can't be written ({error.strerror or error})."
        ) from None
    broken = _warn(result, notes, interrupted)
    if as_json:
        from .audit.events import to_json

        click.echo(json.dumps(to_json(result), ensure_ascii=False))
    else:
        _summary(result, out)
    sys.exit(INTERRUPTED if interrupted else 1 if broken or refused else 0)


def _sheet(path: Path) -> tuple[SheetRow, ...]:
    from .score_sheet import SheetError, read_sheet

    try:
        return read_sheet(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise click.BadParameter(f"{path} is no text in UTF-8.", param_hint="--sheet") from None
    except OSError as error:
        raise click.BadParameter(f"{path} can't be read ({error.strerror}).", param_hint="--sheet") from None
    except SheetError as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--sheet") from None


def _corrections(paths: Sequence[Path]) -> tuple[Any, ...]:
    from ..vision.corrections import CorrectionsError, load_corrections

    try:
        return tuple(entry for path in paths for entry in load_corrections(path))
    except CorrectionsError as error:
        raise click.BadParameter(f"{error}.", param_hint="--corrections") from None


def _open(videos: Sequence[str], fps: float) -> tuple[list[Footage], int]:
    """The footage that can be opened, and how much can't."""
    from ..vision.video import FootageError, open_footage

    opened, refused = [], 0
    for video in videos:
        try:
            opened.append(open_footage(video, fps=fps))
        except FootageError as error:
            refused += 1
            click.echo(f"fanlens: {error.message}", err=True)
    return opened, refused


class _Reading:
    """The model: its manifest at once, for the record; its networks only if something is to be watched."""

    def __init__(self, model: str | None) -> None:
        from ..models import ModelError, load_manifest
        from ..vision.reading import ModelInfo

        warnings.filterwarnings("ignore", module=r"PIL\.")  # odd metadata; what matters is an error
        try:
            if model is not None and model.endswith(".pt"):
                from ..vision.weights import manifest_of_weights

                self._manifest: Manifest = manifest_of_weights(Path(model))
            else:
                self._manifest = load_manifest(model)
        except ModelError as error:
            if model is not None:
                raise click.BadParameter(str(error), param_hint="--model") from None
            raise click.ClickException(str(error)) from None
        self.info = ModelInfo(self._manifest.name, self._manifest.sha256)

    def see(self) -> See:
        from ..vision import Reader

        return Reader(self._manifest).read_array


def _warn(result: Audit, notes: Sequence[str], interrupted: bool) -> bool:
    """Say on standard error what is incomplete; whether footage was."""
    broken = False
    for part in result.state.parts:
        for each in part.breaks[:5]:
            broken = True
            click.echo(f"fanlens: {part.path}: at {each.seconds:.1f} s {each.message}.", err=True)
        if len(part.breaks) > 5:
            click.echo(f"fanlens: {part.path}: {len(part.breaks) - 5} more damaged places.", err=True)
    for note in notes:
        click.echo(f"fanlens: {note}", err=True)
    if interrupted:
        click.echo(
            "fanlens: interrupted; the report shows what was found so far, --resume goes on.", err=True
        )
    return broken


def _summary(result: Audit, out: Path) -> None:
    from .audit.events import timecode, to_json, verdict_counts

    for event in to_json(result)["events"]:
        made = event["score"]
        worth = f"{made['fan']} fan" if made else "no total"
        said = "" if event["verdict"] is None else f"  {event['verdict']}: {event['reason']}"
        click.echo(f"{timecode(event['start'])[:-4]}  {event['hand_text']}  {worth}{said}")
    for row in result.missing:
        click.echo(f"hand {row.hand} of the sheet was not found in the footage")
    hands = len(result.judged)
    line = f"{hands} {'hand' if hands == 1 else 'hands'}"
    if result.rows is not None:
        line += ": " + ", ".join(
            f"{count} {verdict}" for verdict, count in verdict_counts(result.judged).items()
        )
    click.echo(f"{line}. Report: {out / 'report.html'}")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let a polite kill end the watch like Ctrl-C does."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(
    footages: Sequence[Footage], start: float, end: float | None
) -> Iterator[Callable[[int, float], None]]:
    """A bar with the time left on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda index, seconds: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    offsets = [sum(each.duration for each in footages[:index]) for index in range(len(footages))]
    last = offsets[-1] + footages[-1].duration
    total = max(min(last, end if end is not None else last) - start, 0.0)
    columns = (
        TextColumn("watching"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("watching", total=total)
        yield lambda index, seconds: bar.update(task, completed=offsets[index] + seconds - start)
