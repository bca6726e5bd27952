"""How well hands are found in footage: `evaluate.py audit [--recordings N | --photos DIR]`.

Simulated recordings with known events: every event once (recall, precision), boundaries, the exact
hand, the verdict against a sheet of which a third is wrong, timestamps. Each recording takes minutes, so
with --log what was measured is kept, and a second call goes on from there. --photos: a folder with
`images/` turned into footage by pan and zoom, and `hands.json` with the true hands: how many are read
right from the photo itself and from the footage.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fanlens.app.audit.found import Found
from fanlens.app.audit.match import match, seen_of
from fanlens.app.audit.verdicts import judge, read_found
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import SheetRow, read_sheet
from fanlens.datasets.scenes import Designs
from fanlens.datasets.scenes.footage import Laid, Recording, hand_of, sheet_rows, simulate
from fanlens.scoring import Hand
from fanlens.vision import Reader
from fanlens.vision.picture import decode, read_bytes
from fanlens.vision.video import LaidHand, Watch, open_footage

BOUNDARY = 1.0
"""Seconds by which start and end may be off."""
PAN_SECONDS, PAN_FPS = 6.0, 15.0


@dataclass
class Tally:
    """What was counted.

    off: frames by which a timestamp was off at most. unequal: whether frames are missing or too many.
    opposite: hands called agreeing that don't agree, or the other way round, without a doubt.
    """

    true: int = 0
    found: int = 0
    matched: int = 0
    starts: int = 0
    ends: int = 0
    tiles: int = 0
    hands: int = 0
    verdicts: int = 0
    opposite: int = 0
    off: float = 0.0
    unequal: int = 0

    def plus(self, more: Tally) -> Tally:
        """Both together."""
        both = {each.name: getattr(self, each.name) + getattr(more, each.name) for each in fields(self)}
        return Tally(**{**both, "off": max(self.off, more.off)})


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--recordings", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--seed0", type=int, default=1000)
    parser.add_argument("--split", choices=("train", "held-out"), default="held-out")
    parser.add_argument("--design", help="one tile set instead of a random one of the split")
    parser.add_argument("--size", default="1920x1080", metavar="WIDTHxHEIGHT")
    parser.add_argument("--fps", type=float, default=15.0, help="frames a second (default: %(default)s)")
    parser.add_argument(
        "--log", type=Path, metavar="FILE.jsonl", help="keep what was measured; go on from it"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the recordings; film no seed twice")
    parser.add_argument("--tile-art", type=Path, help="folder of drawn tile sets")
    parser.add_argument("--photos", type=Path, metavar="DIR", help="footage from these photos instead")
    parser.add_argument("--model", help="a manifest, its folder or a name (default: the shipped model)")


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    reader = Reader(options.model)
    if options.photos:
        _photos(options.photos, reader)
        return
    designs, total = Designs(options.tile_art), Tally()
    measured = _logged(options.log)
    for seed in range(options.seed0, options.seed0 + options.recordings):
        # What the figures depend on: a line of the log counts only for the same.
        key = {
            "seed": seed, "seconds": options.seconds, "split": options.split, "design": options.design,
            "size": options.size, "fps": options.fps, "model": reader.manifest.sha256,
        }  # fmt: skip
        tally = measured.get(json.dumps(key))
        if tally is None:
            print(f"seed {seed}", flush=True)
            tally = _recording(key, designs, reader, options.keep)
            if options.log:
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps({"key": key, "tally": asdict(tally)}) + "\n")
        total = total.plus(tally)
    _print(total)


def _logged(path: Path | None) -> dict[str, Tally]:
    """What was measured earlier, by what it depends on."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {json.dumps(line["key"]): Tally(**line["tally"]) for line in lines}


def _recording(key: dict[str, Any], designs: Designs, reader: Reader, keep: Path | None) -> Tally:
    """Film one recording, audit it and print how that went."""
    width, height = (int(side) for side in key["size"].split("x"))
    recording = simulate(
        key["seed"],
        designs,
        seconds=key["seconds"],
        split=key["split"],
        design=key["design"],
        size=(width, height),
        fps=key["fps"],
    )
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        name = "-".join(str(value) for part, value in key.items() if part != "model") + ".mp4"
        path = (keep or Path(folder)) / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = recording.write(path.with_suffix(".part.mp4"))
            partial.replace(path)
        filmed = time.process_time()
        footage = open_footage(path)
        watch = Watch(footage, reader.read_array)
        found = list(watch.hands())
    watched = time.process_time()
    tally = Tally()
    count = min(len(footage.times), len(recording.times))
    tally.unequal = int(len(footage.times) != len(recording.times))
    tally.off = float(np.abs(footage.times[:count] - recording.times[:count]).max()) * key["fps"]
    _judge(recording, found, tally)
    print(
        f"  {tally.true} events, {tally.found} found, {tally.matched} matched; start and end within 1 s "
        f"{tally.starts} and {tally.ends}, exact {tally.hands}, verdict {tally.verdicts}; "
        f"{watch.counts.looked_at} looks, rotation {recording.rotation}; "
        f"CPU {filmed - begun:.0f} s filmed, {watched - filmed:.0f} s watched",
        flush=True,
    )
    return tally


def _judge(recording: Recording, found: list[LaidHand], tally: Tally) -> None:
    pairs = _paired(recording.events, found)
    tally.true += len(recording.events)
    tally.found += len(found)
    tally.matched += len(pairs)
    rows = _rows(recording)
    kept = [_found(hand) for hand in found]
    seen = [
        seen_of(hand.start, read_found(each, None, Given())[0])
        for hand, each in zip(found, kept, strict=True)
    ]
    matched = match(rows, seen)
    for event, truth in enumerate(recording.events, 1):
        if event - 1 not in dict(pairs):
            print(f"  event {event} missed, {truth.start:.1f} to {truth.end:.1f} s: {hand_of(truth.hand)}")
    for place in sorted({*range(len(found))} - {place for _, place in pairs}):
        print(f"  found where nothing is, {found[place].start:.1f} s: {found[place].reading.hand}")
    for event, place in pairs:
        hand, truth = found[place], recording.events[event]
        start, end = abs(hand.start - truth.start), abs(hand.end - truth.end)
        tally.starts += start <= BOUNDARY
        tally.ends += end <= BOUNDARY
        row = matched[place]
        judged = judge(kept[place], None if row is None else rows[row], Given())
        right, exact = _same_tiles(judged.reading.hand, hand_of(truth.hand))
        tally.tiles += right
        tally.hands += exact
        declared = recording.declared[event]
        expected = "agree" if declared.fan == declared.true_fan else "disagree"
        tally.verdicts += judged.verdict == expected and row == event
        tally.opposite += judged.verdict not in (expected, "needs review")
        if not (exact and start <= BOUNDARY and end <= BOUNDARY and judged.verdict == expected):
            print(
                f"  event {event + 1}: start {hand.start - truth.start:+.2f} s, "
                f"end {hand.end - truth.end:+.2f} s"
                f"\n    true {hand_of(truth.hand)}\n    read {judged.reading.hand}"
                f"\n    expected {expected}: {judged.verdict}: {judged.reason}"
            )


def _paired(events: tuple[Laid, ...], found: list[LaidHand]) -> list[tuple[int, int]]:
    """Events with the found hand that shares most time with them, each hand once."""
    shared = sorted(
        (
            (min(hand.end, event.end) - max(hand.start, event.start), number, place)
            for number, event in enumerate(events)
            for place, hand in enumerate(found)
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for seconds, number, place in shared:
        if seconds > 0 and number not in pairs and place not in pairs.values():
            pairs[number] = place
    return sorted(pairs.items())


def _same_tiles(read: Hand | None, true: Hand) -> tuple[bool, bool]:
    """Whether all tiles are right; whether melds and winning tile are too, the kind of a kong left out."""
    if read is None:
        return False, False
    melds = [
        Counter((meld.is_kong, tuple(sorted(meld.tiles))) for meld in hand.melds) for hand in (read, true)
    ]
    tiles = Counter(read.tiles) == Counter(true.tiles)
    return tiles, tiles and melds[0] == melds[1] and read.winning_tile == true.winning_tile


def _rows(recording: Recording) -> tuple[SheetRow, ...]:
    lines = sheet_rows(recording)
    text = [",".join(lines[0]), *(",".join(str(value) for value in line.values()) for line in lines)]
    return read_sheet("\n".join(text))


def _found(hand: LaidHand) -> Found:
    best = hand.best
    return Found(
        0, hand.start, hand.end, best.seconds, best.number, hand.to_the_last,
        hand.sighting, hand.last, hand.looks, "", "", hand.faint, hand.new, hand.old,
    )  # fmt: skip


def _print(tally: Tally) -> None:
    def share(count: int, of: int) -> str:
        return f"{count}/{of} ({count / of:.1%})" if of else "0/0"

    print(f"recall            {share(tally.matched, tally.true)}")
    print(f"precision         {share(tally.matched, tally.found)}")
    print(f"start within 1 s  {share(tally.starts, tally.matched)}")
    print(f"end within 1 s    {share(tally.ends, tally.matched)}")
    print(f"all tiles right   {share(tally.tiles, tally.matched)}")
    print(f"exact hand        {share(tally.hands, tally.matched)}")
    print(f"verdict right     {share(tally.verdicts, tally.matched)}")
    print(f"opposite verdict  {share(tally.opposite, tally.matched)}")
    print(f"timestamps off by {tally.off:.3f} frames at most, {tally.unequal} recordings with other frames")


def _photos(folder: Path, reader: Reader) -> None:
    """Pan and zoom over each photo; its tiles as read from the photo and from the footage."""
    truths = json.loads((folder / "hands.json").read_text(encoding="utf-8"))
    same = photo_right = footage_right = 0
    paths = sorted((folder / "images").iterdir())
    for path in paths:
        still = reader.read(path)
        with tempfile.TemporaryDirectory() as place:
            video = _pan(decode(*read_bytes(path)).rgb, Path(place) / "pan.mp4")
            hands = list(Watch(open_footage(video), reader.read_array).hands())
        own = _tiles(still.hand)
        read = [_tiles(hand.reading.hand) for hand in hands]
        truth = _true_tiles(truths[path.stem])
        same += read == [own]
        photo_right += own == truth
        footage_right += read == [truth]
        if read != [truth]:
            print(f"  {path.name}\n    true    {truth}\n    photo   {own}\n    footage {read}")
    print(f"all tiles right from the photo:   {photo_right}/{len(paths)}")
    print(f"all tiles right from the footage: {footage_right}/{len(paths)}, as one hand")
    print(f"the same from both:               {same}/{len(paths)}")


def _tiles(hand: Hand | None) -> list[str]:
    return [] if hand is None else sorted(hand.tiles)


def _true_tiles(truth: dict[str, Any]) -> list[str]:
    won = [truth["winning_tile"]] if truth["winning_tile"] else []
    melded = [tile for meld in truth["melds"] for tile in meld["tiles"]]
    return sorted([*truth["concealed"], *won, *melded, *truth["flowers"]])


def _pan(rgb: np.ndarray, path: Path) -> Path:
    import av

    height, width = rgb.shape[:2]
    scale = min(1.0, 1920 / width, 1080 / height)
    size = (round(width * scale) // 2 * 2, round(height * scale) // 2 * 2)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=int(PAN_FPS))
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number in range(int(PAN_SECONDS * PAN_FPS)):
            share = number / (PAN_SECONDS * PAN_FPS)
            zoom = scale * (1 + 0.06 * share)
            shift = size[0] * 0.015 * np.sin(2 * np.pi * share)
            matrix = np.array([[zoom, 0, shift - 0.03 * share * size[0]], [0, zoom, -0.03 * share * size[1]]])
            small = cv2.warpAffine(rgb, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(small), "rgb24")))
        container.mux(stream.encode())
    return path
