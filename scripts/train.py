#!/usr/bin/env python3
"""Train what FanLens sees with: from prepared data to weights.

    train.py locator    --source FOLDER[:WEIGHT[:FOLD]] … --start WEIGHTS.pt --out RUN --hours H
    train.py classifier --source FOLDER[:WEIGHT[:FOLD]] … --out FILE.pt --start WEIGHTS.pt --minutes M
    train.py average    FILE.pt FILE.pt … --out FILE.pt
    train.py export     --locator RUN/weights/last.pt --classifier FILE.pt --out DIR
    train.py calibrate  --model DIR --source FOLDER[:WEIGHT[:FOLD]] …
    train.py fit-groups --model DIR --scenes FOLDER … --source FOLDER[:WEIGHT[:FOLD]] …
    train.py calibrate-totals --model DIR --scenes FOLDER …

A source is a folder in YOLO layout (see `datasets/README.md`: how to prepare photos of your own
and how to render scenes). A locator run goes on where it stopped with `--resume`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from training.sources import Source


def source(text: str) -> Source:
    """`FOLDER[:WEIGHT[:FOLD]]` as a source."""
    folder, weight, fold = (*text.split(":"), "", "")[:3]
    if not (Path(folder) / "images").is_dir():
        raise argparse.ArgumentTypeError(f"{folder}: no folder images/ in it")
    return Source(Path(folder), float(weight or 1), fold or None)


def main() -> None:
    """Parse the command line and run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)

    locator = steps.add_parser("locator", help="train the YOLO network that finds tiles and melds")
    locator.add_argument("--source", type=source, action="append", required=True)
    locator.add_argument(
        "--check", type=Path, required=True, help="prepared folder to validate on at the end"
    )
    locator.add_argument("--start", type=Path, required=True)
    locator.add_argument("--out", type=Path, required=True)
    locator.add_argument("--hours", type=float, required=True)
    locator.add_argument("--rate", type=float, default=8e-4)
    locator.add_argument("--batch", type=int, default=8)
    locator.add_argument("--size", type=int, default=448)
    locator.add_argument("--epoch-size", type=int, default=400)
    locator.add_argument("--freeze", type=int, default=0)
    locator.add_argument("--threads", type=int, default=1)
    locator.add_argument("--resume", action="store_true")

    classifier = steps.add_parser("classifier", help="train the network that names a tile from its crop")
    classifier.add_argument("--source", type=source, action="append", required=True)
    classifier.add_argument("--check", type=source, action="append", default=[])
    classifier.add_argument("--out", type=Path, required=True)
    classifier.add_argument("--minutes", type=float, required=True)
    classifier.add_argument(
        "--start", type=Path, required=True, help="its own checkpoint, or YOLO11n weights"
    )
    classifier.add_argument(
        "--model", type=Path, help="folder of a manifest whose detector's false finds are learnt as no tiles"
    )
    classifier.add_argument("--rate", type=float, default=2e-3)
    classifier.add_argument("--threads", type=int, default=1)

    mean = steps.add_parser(
        "average", help="the mean of several locators, or classifiers, trained one from another"
    )
    mean.add_argument("files", type=Path, nargs="+")
    mean.add_argument("--out", type=Path, required=True)

    export = steps.add_parser("export", help="write ONNX files, sha256 sums and the manifest")
    export.add_argument("--locator", type=Path, required=True)
    export.add_argument("--classifier", type=Path, required=True)
    export.add_argument("--out", type=Path, required=True)

    calibrate = steps.add_parser("calibrate", help="fit the probabilities on data kept out of training")
    calibrate.add_argument("--model", type=Path, required=True, help="folder of the manifest, rewritten")
    calibrate.add_argument("--source", type=source, action="append", required=True)

    groups = steps.add_parser("fit-groups", help="fit what judges exposed groups, on rendered scenes")
    groups.add_argument("--model", type=Path, required=True, help="folder of the manifest, rewritten")
    groups.add_argument(
        "--scenes", type=Path, nargs="+", required=True, help="folders with images/ and json/"
    )
    groups.add_argument("--source", type=source, action="append", default=[], help="labelled photos")

    totals = steps.add_parser("calibrate-totals", help="fit how sure totals are, on rendered scenes")
    totals.add_argument("--model", type=Path, required=True, help="folder of the manifest, rewritten")
    totals.add_argument(
        "--scenes", type=Path, nargs="+", required=True, help="folders with images/ and json/"
    )

    args = parser.parse_args()
    if args.step == "locator":
        from training import locator as step

        last = step.train(
            args.source,
            args.check,
            args.start,
            args.out,
            hours=args.hours,
            rate=args.rate,
            batch=args.batch,
            size=args.size,
            epoch_size=args.epoch_size,
            freeze=args.freeze,
            threads=args.threads,
            resume=args.resume,
        )
        print(last)
    elif args.step == "classifier":
        from training import classifier as faces

        faces.train_on_folders(
            args.source,
            args.check,
            args.start,
            args.out,
            minutes=args.minutes,
            model=args.model,
            rate=args.rate,
            threads=args.threads,
        )
    elif args.step == "average":
        from training.average import average

        average(args.files, args.out)
    elif args.step == "calibrate":
        from training import calibrate as fitting

        print(fitting.calibrate(args.model, args.source))
    elif args.step in ("fit-groups", "calibrate-totals"):
        try:
            if args.step == "fit-groups":
                from training import groups as fitting_groups

                figures = fitting_groups.fit_groups(args.model, args.scenes, args.source)
            else:
                from training import totals as fitting_totals

                figures = fitting_totals.fit_totals(args.model, args.scenes)
        except ValueError as error:
            sys.exit(str(error))
        print(", ".join(f"{what} {figure:.4g}" for what, figure in figures.items()))
    else:
        from training import export as writing

        writing.export(args.locator, args.classifier, args.out)


if __name__ == "__main__":
    main()
