"""How well tiles are found and named: `evaluate.py tiles FOLDER [--part P] [--fold F] [--as-given]`.

FOLDER as `fanlens.datasets.real.photos` reads it: with `train/` and `val/`, or with `images/` and
`labels/` (finished hands, rendered scenes). Every figure comes with its counts.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from fanlens.datasets.real.photos import RealPhoto, read_photos
from fanlens.datasets.real.prepare import fold
from fanlens.models import Manifest, load_manifest
from fanlens.vision.boxes import Box
from fanlens.vision.finder import Finder, Found
from fanlens.vision.picture import decode, read_bytes
from fanlens.vision.reader import Reader
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .matching import Figures, Guess, Truth, average_precision, figures, heeded, pairs
from .peers import THIRTY_FOUR, mahjong_detector

FAINT = 0.01
"""Threshold for the precision-recall curves."""
_SHOWN = 12
_CELL = 640


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("folder", type=Path, help="labelled photos")
    parser.add_argument("--part", default="val", help="train, val or hands (default: val)")
    parser.add_argument("--fold", help="only this fold of the part: sessions or D")
    parser.add_argument("--as-given", action="store_true", help="the labels as published, uncorrected")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")
    parser.add_argument(
        "--widths",
        type=float,
        nargs=2,
        metavar=("LEAST", "MOST"),
        help="only faces whose shorter side is that many pixels once the picture fits the model's input",
    )
    parser.add_argument("--one-pass", action="store_true", help="without the second pass")
    parser.add_argument(
        "--peer", action="store_true", help="also the package mahjong-detector, which must be installed"
    )
    parser.add_argument("--worst", type=Path, metavar="FILE.png", help="write a sheet of the worst pictures")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    photos = read_photos(options.folder, options.part, corrected=not options.as_given)
    photos = [photo for photo in photos if photo.corrected.left_out is None]
    if options.fold:
        photos = [photo for photo in photos if fold(photo) == options.fold]
    manifest = load_manifest(options.model)
    truths = [_truth(photo) for photo in photos]
    if options.widths:
        least, most = options.widths
        scales = [manifest.detector.input / max(photo.size) for photo in photos]
        truths = [
            truth.between(least / scale, most / scale) for truth, scale in zip(truths, scales, strict=True)
        ]
    guesses = _guesses(photos, truths, manifest, not options.one_pass)
    faint = _guesses(photos, truths, _fainter(manifest), not options.one_pass)
    result = figures(guesses, truths)
    print(_report(result, average_precision(faint, truths), len(photos)))
    if not options.one_pass:
        read = figures(_with_read_groups(guesses, photos, truths, manifest), truths)
        print(f"melds of the readings    {read.meld_recall}, {read.meld_precision}")
    if options.peer:
        theirs = [
            heeded(mahjong_detector(_pixels(photo), FAINT), truth)
            for photo, truth in zip(photos, truths, strict=True)
        ]
        print(_peer_report(faint, theirs, truths))
    if options.worst:
        _worst_sheet(photos, guesses, truths, result).save(options.worst)
        print(f"worst pictures: {options.worst}")


def _fainter(manifest: Manifest) -> Manifest:
    classifier = manifest.classifier
    return replace(
        manifest,
        detector=replace(manifest.detector, confidence=FAINT),
        classifier=None if classifier is None else replace(classifier, least=0.0),
    )


def _truth(photo: RealPhoto) -> Truth:
    known = photo.corrected
    return Truth(
        [label.box for label in known.labels],
        [label.tile for label in known.labels],
        known.meld_boxes(),
        known.ignore,
        frozenset(known.complete),
    )


def _guesses(
    photos: Sequence[RealPhoto], truths: Sequence[Truth], manifest: Manifest, second_pass: bool
) -> list[Guess]:
    finder = Finder(manifest)
    return [
        heeded(_guess(finder.find(_pixels(photo), second_pass=second_pass)), truth)
        for photo, truth in zip(photos, truths, strict=True)
    ]


def _with_read_groups(
    guesses: Sequence[Guess], photos: Sequence[RealPhoto], truths: Sequence[Truth], manifest: Manifest
) -> list[Guess]:
    """The same with the groups that the whole reading has instead of those of the networks alone."""
    reader = Reader(manifest)
    return [
        heeded(replace(guess, melds=[group.box for group in reader.read_array(_pixels(photo)).groups]), truth)
        for guess, photo, truth in zip(guesses, photos, truths, strict=True)
    ]


def _pixels(photo: RealPhoto) -> NDArray[np.uint8]:
    return decode(*read_bytes(photo.path), side=math.inf).rgb


def _guess(found: Found) -> Guess:
    return Guess(
        [tile.box for tile in found.tiles],
        [tile.best for tile in found.tiles],
        [float(tile.probabilities.max()) for tile in found.tiles],
        [meld.box for meld in found.melds],
    )


def _report(result: Figures, precision: tuple[float, float], count: int) -> str:
    confused = ", ".join(
        f"{label} as {name} {times}" for (label, name), times in result.confusions.most_common(20)
    )
    return "\n".join(
        (
            f"pictures                 {count}",
            f"mAP50, mAP50-95          {precision[0]:.4f}, {precision[1]:.4f}",
            f"recall of faces          {result.recall}",
            f"precision of faces       {result.precision}",
            f"naming of found faces    {result.naming}",
            f"exact pictures           {result.exact}",
            f"calibration error (ECE)  {result.calibration_error:.4f}",
            f"backs recall, precision  {result.back_recall}, {result.back_precision}",
            f"melds recall, precision  {result.meld_recall}, {result.meld_precision}",
            f"confused                 {confused or '-'}",
        )
    )


def _peer_report(ours: Sequence[Guess], theirs: Sequence[Guess], truths: Sequence[Truth]) -> str:
    """Both on every labelled class, and on the 34 that mahjong-detector knows."""
    lines = []
    for note, labels in (
        ("", truths),
        (", its 34 classes", [truth.only(THIRTY_FOUR) for truth in truths]),
    ):
        their_50, their_mean = average_precision(theirs, labels)
        our_50, our_mean = average_precision(ours, labels)
        lines.append(
            f"mahjong-detector{note}: "
            f"mAP50, mAP50-95 {their_50:.4f}, {their_mean:.4f} (FanLens {our_50:.4f}, {our_mean:.4f})"
        )
    return "\n".join(lines)


def _worst_sheet(
    photos: Sequence[RealPhoto], guesses: Sequence[Guess], truths: Sequence[Truth], result: Figures
) -> Image.Image:
    """The pictures with most errors: lost tiles yellow, extra and misnamed ones red, with names."""
    order = [i for i in np.argsort([-wrong for wrong in result.errors], kind="stable") if result.errors[i]]
    cells = [_cell(photos[i], guesses[i], truths[i]) for i in order[:_SHOWN]]
    columns = min(3, max(1, len(cells)))
    rows = -(-len(cells) // columns) or 1
    sheet = Image.new("RGB", (columns * _CELL, rows * _CELL), (30, 30, 30))
    for place, cell in enumerate(cells):
        sheet.paste(cell, (place % columns * _CELL, place // columns * _CELL))
    return sheet


def _cell(photo: RealPhoto, guess: Guess, truth: Truth) -> Image.Image:
    image = Image.fromarray(_pixels(photo))
    scale = _CELL / max(image.size)
    image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=15)
    matched = dict(pairs(guess.boxes, truth.boxes))

    def mark(box: Box, text: str, colour: tuple[int, int, int]) -> None:
        x0, y0, x1, y1 = (side * scale for side in box)
        pen.rectangle((x0, y0, x1, y1), outline=colour, width=3)
        pen.text((x0, y0 - 17), text, fill=colour, font=font, stroke_width=2, stroke_fill="black")

    for i, name in enumerate(guess.names):
        label = truth.names[matched[i]] if i in matched else None
        if label != name:
            mark(guess.boxes[i], f"{name}, is {label or 'nothing'}", (255, 60, 40))
    for j in set(range(len(truth.boxes))) - set(matched.values()):
        mark(truth.boxes[j], truth.names[j], (255, 220, 0))
    pen.text((4, 2), photo.name[:70], fill="white", font=font, stroke_width=2, stroke_fill="black")
    return image
