"""How many planted label errors `fanlens label check` finds: `evaluate.py label_check FOLDER`.

FOLDER as `fanlens.datasets.real.photos` reads it. Its corrected labels are written out as YOLO with
errors planted in them (wrong classes, missing labels, boxes shifted by 30 to 60% of a side), the check
runs over them as over anybody's, and its first suggestions are held against what was planted.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fanlens.datasets.labels.check import Suggestion, check_labels
from fanlens.datasets.labels.engine import ModelReader, read_locally
from fanlens.datasets.labels.geometry import iou
from fanlens.datasets.labels.inputs import Source
from fanlens.datasets.labels.readers import Labels, read_dataset
from fanlens.datasets.real.photos import RealPhoto, read_photos
from fanlens.vision.boxes import TILE_CLASSES, Box

PLANTED = {"wrong class": 80, "missing": 60, "bad box": 60}
SHIFTS = (0.3, 0.6)
"""Of a side, in a direction drawn for each box."""


@dataclass(frozen=True, slots=True)
class Planted:
    """One error. box: the tile's true place; shown: the label's, None where it was taken away."""

    kind: str
    name: str
    box: Box
    shown: Box | None


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("folder", type=Path, help="labelled photos")
    parser.add_argument("--part", default="val", help="train, val or hands (default: val)")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument("--seed", type=int, default=0, help="draws the errors (default: 0)")
    parser.add_argument("--first", type=int, default=300, help="suggestions looked at (default: 300)")


def run(options: argparse.Namespace) -> None:
    """Plant, check, count and print."""
    photos = [photo for photo in read_photos(options.folder, options.part) if not photo.corrected.left_out]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        planted = _plant(photos, root, random.Random(options.seed))
        labels = read_dataset(root)
        sources = [Source(each.path.relative_to(root).as_posix(), each.path) for each in labels]
        read = [entry.picture for entry in read_locally(sources, ModelReader(options.model), {})]
        pairs = list(zip(labels, read, strict=True))
        print(_report(check_labels(pairs), planted, photos, pairs, options.first))


def _plant(photos: Sequence[RealPhoto], root: Path, draw: random.Random) -> dict[str, list[Planted]]:
    """Write the set with errors to `root`; the errors by picture name."""
    places = [(photo.name, index) for photo in photos for index in range(len(photo.corrected.labels))]
    draw.shuffle(places)
    kinds = [kind for kind, count in PLANTED.items() for _ in range(count)]
    chosen = dict(zip(places, kinds, strict=False))
    planted: dict[str, list[Planted]] = {}
    (root / "labels").mkdir()
    (root / "images").mkdir()
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(TILE_CLASSES))
    (root / "data.yaml").write_text(f"train: images\nval: images\nnames:\n{names}", encoding="utf-8")
    for photo in photos:
        (root / "images" / photo.path.name).symlink_to(photo.path.resolve())
        lines = []
        for index, label in enumerate(photo.corrected.labels):
            kind = chosen.get((photo.name, index))
            name, box = label.tile, label.box
            if kind == "wrong class":
                name = draw.choice([other for other in TILE_CLASSES if other != name])
            elif kind == "bad box":
                box = _shifted(box, draw)
            if kind is not None:
                shown = None if kind == "missing" else box
                planted.setdefault(photo.name, []).append(Planted(kind, label.tile, label.box, shown))
            if kind != "missing":
                lines.append(_line(name, box, photo.size))
        (root / "labels" / f"{photo.name}.txt").write_text("".join(lines), encoding="utf-8")
    return planted


def _shifted(box: Box, draw: random.Random) -> Box:
    x0, y0, x1, y1 = box
    across, down = draw.choice([(1, 0), (-1, 0), (0, 1), (0, -1)])
    dx, dy = across * draw.uniform(*SHIFTS) * (x1 - x0), down * draw.uniform(*SHIFTS) * (y1 - y0)
    return (x0 + dx, y0 + dy, x1 + dx, y1 + dy)


def _line(name: str, box: Box, size: tuple[int, int]) -> str:
    (x0, x1), (y0, y1) = (box[0] / size[0], box[2] / size[0]), (box[1] / size[1], box[3] / size[1])
    place = f"{(x0 + x1) / 2:.6f} {(y0 + y1) / 2:.6f} {x1 - x0:.6f} {y1 - y0:.6f}"
    return f"{TILE_CLASSES.index(name)} {place}\n"


def _report(
    suggestions: Sequence[Suggestion],
    planted: dict[str, list[Planted]],
    photos: Sequence[RealPhoto],
    pairs: Sequence[tuple[Labels, object]],
    first: int,
) -> str:
    ignored = {photo.name: photo.corrected.ignore for photo in photos}
    found: set[Planted] = set()
    false: Counter[str] = Counter()
    in_ignored = 0
    for each in suggestions[:first]:
        error = _error_at(each, planted.get(each.path.stem, ()))
        if error is not None:
            found.add(error)
        else:
            false[each.kind] += 1
            box = each.seen_box or each.box
            assert box is not None
            centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            in_ignored += any(
                x0 <= centre[0] <= x1 and y0 <= centre[1] <= y1 for x0, y0, x1, y1 in ignored[each.path.stem]
            )
    everything = [error for errors in planted.values() for error in errors]
    lines = [
        f"{len(found)} of {len(everything)} planted errors among the first {first} suggestions "
        f"({len(found) / len(everything):.1%}), {len(pairs)} pictures, {len(suggestions)} suggestions in all"
    ]
    for kind, count in Counter(error.kind for error in everything).items():
        lines.append(f"  {kind:12} {sum(error.kind == kind for error in found)} of {count}")
    lines.append(f"suggestions at no planted error: {dict(false)}, {in_ignored} in regions our labels ignore")
    return "\n".join(lines)


def _error_at(suggestion: Suggestion, errors: Sequence[Planted]) -> Planted | None:
    """The planted error a suggestion points at, whatever it calls it."""
    for error in errors:
        places = [box for box in (error.shown, error.box) if box is not None]
        told = [box for box in (suggestion.box, suggestion.seen_box) if box is not None]
        if any(iou(one, other) >= 0.5 for one in places for other in told):
            return error
    return None
