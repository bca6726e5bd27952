"""Write a folder of labelled photos as a YOLO data set with meld groups: `prepare PHOTOS OUT`.

OUT then holds, for each part,

    OUT/PART/images/NAME.jpg   a link to the picture (a copy where the system can't link)
    OUT/PART/labels/NAME.txt   `class cx cy w h`: the 43 tile classes in order, then 43 = meld
    OUT/PART/pictures.json     by name: source, group, `fold`, `complete` (kinds fully labelled),
                               `ignore` (boxes in pixels: neither tile nor background there)
    OUT/data.yaml              for ultralytics

Where `complete` lacks a kind, the picture says nothing about others of that kind: mask these
classes' columns where nothing is labelled, or they are learnt as background.
`fold` is `train`, `sessions` (left-out photo sessions), `D` (left-out source) or `val`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from functools import cache
from pathlib import Path

from ...vision.boxes import MELD_CLASS, TILE_CLASSES, Box
from .mending import KINDS
from .photos import HERE, RealPhoto, read_photos

CLASSES: tuple[str, ...] = (*TILE_CLASSES, MELD_CLASS)


def prepare(photos: Path, out: Path, *, single: str = "train") -> dict[str, int]:
    """Write the parts of `photos` (train and val) to `out`.

    single: the part that a folder with `images/` directly in it is (`hands` for our finished hands).
    Returns the number of pictures written for each part; those our corrections leave out are not.
    Raises ValueError naming the file at fault.
    """
    parts = [part for part in ("train", "val") if (photos / part / "images").is_dir()] or [single]
    counts = {}
    for part in parts:
        used = [photo for photo in read_photos(photos, part) if photo.corrected.left_out is None]
        for kind in ("images", "labels"):
            (out / part / kind).mkdir(parents=True, exist_ok=True)
        for photo in used:
            _link(photo.path, out / part / "images" / photo.path.name)
            (out / part / "labels" / f"{photo.name}.txt").write_text(_label_text(photo), encoding="utf-8")
        about = {photo.name: _about(photo) for photo in used}
        (out / part / "pictures.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        counts[part] = len(used)
    (out / "data.yaml").write_text(_data_yaml(out, parts), encoding="utf-8")
    return counts


def fold(photo: RealPhoto) -> str:
    """Which fold a photo belongs to: `train`, or what it is kept for instead (`folds.json`)."""
    if photo.part != "train":
        return photo.part
    folds = _folds()
    if photo.group in folds["left_out_sessions"]:
        return "sessions"
    return "D" if photo.group in folds["left_out_source_D"] else "train"


@cache
def _folds() -> dict[str, list[str]]:
    folds: dict[str, list[str]] = json.loads((HERE / "folds.json").read_text(encoding="utf-8"))
    return folds


def _about(photo: RealPhoto) -> dict[str, object]:
    return {
        "source": photo.source,
        "group": photo.group,
        "fold": fold(photo),
        "complete": [kind for kind in KINDS if kind in photo.corrected.complete],
        "ignore": photo.corrected.ignore,
    }


def _label_text(photo: RealPhoto) -> str:
    rows = [(CLASSES.index(label.tile), label.box) for label in photo.corrected.labels]
    rows += [(CLASSES.index(MELD_CLASS), box) for box in photo.corrected.meld_boxes()]
    return "".join(_label_line(index, box, photo.size) for index, box in rows)


def _label_line(index: int, box: Box, size: tuple[int, int]) -> str:
    x0, x1 = (min(max(x / size[0], 0.0), 1.0) for x in (box[0], box[2]))
    y0, y1 = (min(max(y / size[1], 0.0), 1.0) for y in (box[1], box[3]))
    return f"{index} {(x0 + x1) / 2:.6f} {(y0 + y1) / 2:.6f} {x1 - x0:.6f} {y1 - y0:.6f}\n"


def _link(picture: Path, place: Path) -> None:
    place.unlink(missing_ok=True)
    try:
        os.symlink(picture.resolve(), place)
    except OSError:
        shutil.copyfile(picture, place)


def _data_yaml(out: Path, parts: list[str]) -> str:
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(CLASSES))
    lines = f"train: {parts[0]}/images\nval: {parts[-1]}/images\n"
    return f"path: {out.resolve()}\n{lines}names:\n{names}"


def main() -> None:
    """The command line: `python -m fanlens.datasets.real.prepare PHOTOS OUT`."""
    parser = argparse.ArgumentParser(description="Write labelled photos as a YOLO data set with melds.")
    parser.add_argument("photos", type=Path, help="folder with train/ and val/, or with images/ and labels/")
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--part", default="train", help="what a folder with images/ in it is: train, hands")
    options = parser.parse_args()
    try:
        counts = prepare(options.photos, options.out, single=options.part)
    except ValueError as error:
        parser.error(str(error))
    print(", ".join(f"{part}: {count} pictures" for part, count in counts.items()))


if __name__ == "__main__":
    main()
