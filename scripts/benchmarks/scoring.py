"""Hands scored a second, FanLens beside PyMahjongGB (C++ called from Python), each hand once.

    scripts/benchmark.py scoring [FILE.jsonl.gz]

FILE: JSON lines in the form of `fanlens hand --batch`, with `expected_total`; the default is the
generated set of the shared scoring data. PyMahjongGB is no dependency: `pip install PyMahjongGB`.
What is timed begins with the fields of a parsed JSON line and ends with the total and the list of
fans. The two take turns, some hundred hands at a time; times are processor time of one thread.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fanlens.scoring import TILES, context_from_json, hand_from_json, parse_tiles, score

TURN = 500
SHARED = Path(os.environ.get("FANLENS_SHARED", Path(__file__).parents[3] / "shared"))
Line = dict[str, Any]

# PyMahjongGB's names: W characters, B dots, T bamboos, F1-F4 winds, J1-J3 dragons.
_PEER_CODES = (
    *(f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)),
    *(f"F{number}" for number in range(1, 5)),
    *(f"J{number}" for number in range(1, 4)),
)
_PEER_NAMES = dict(zip(TILES, _PEER_CODES, strict=True))
_PEER_KINDS = {"chow": "CHI", "pung": "PENG", "melded-kong": "GANG", "concealed-kong": "GANG"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this benchmark's options."""
    parser.add_argument("file", nargs="?", type=Path, default=SHARED / "scoring" / "generated.jsonl.gz")
    parser.add_argument("--limit", type=int, help="only the first so many hands")


def ours(line: Line) -> tuple[int, int]:
    """(total, different fans) by FanLens."""
    result = score(hand_from_json(line), context_from_json(line))
    return result.total, len(result.fans)


def peer() -> Callable[[Line], tuple[int, int]] | None:
    """The same by PyMahjongGB; None where it isn't installed."""
    try:
        from MahjongGB import MahjongFanCalculator
    except ImportError:
        return None

    def theirs(line: Line) -> tuple[int, int]:
        packs = []
        for meld in line["melds"]:
            tiles = [_PEER_NAMES[name] for name in parse_tiles(meld["tiles"])]
            # A chow is named by its middle tile; 0 says that a kong is concealed.
            from_whom = 0 if meld["kind"] == "concealed-kong" else 1
            packs.append((_PEER_KINDS[meld["kind"]], tiles[1], from_whom))
        fans = MahjongFanCalculator(
            pack=tuple(packs),
            hand=tuple(_PEER_NAMES[name] for name in parse_tiles(line["concealed"])),
            winTile=_PEER_NAMES[parse_tiles(line["win_tile"])[0]],
            flowerCount=line["flowers"],
            isSelfDrawn=line["self_draw"],
            is4thTile=line["fourth_tile"],
            isAboutKong=line["kong_replacement"] or line["robbing_kong"],
            isWallLast=line["last_tile"],
            seatWind="ESWN".index(line["seat_wind"]),
            prevalentWind="ESWN".index(line["prevalent_wind"]),
            verbose=True,
        )
        return sum(points * count for points, count, _, _ in fans), len(fans)

    return theirs


def run(options: argparse.Namespace) -> None:
    """Score every hand with both and print speed and agreement."""
    opener = gzip.open if options.file.suffix == ".gz" else open
    with opener(options.file, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][: options.limit]
    scorers = {"FanLens": ours}
    other = peer()
    if other is not None:
        scorers["PyMahjongGB"] = other
    totals: dict[str, list[int]] = {name: [] for name in scorers}
    seconds = dict.fromkeys(scorers, 0.0)
    for start in range(0, len(lines), TURN):
        for name, scorer in scorers.items():
            began = time.thread_time()
            found = [scorer(line)[0] for line in lines[start : start + TURN]]
            seconds[name] += time.thread_time() - began
            totals[name] += found
    expected = [line["expected_total"] for line in lines]
    print(f"{len(lines)} hands, each once")
    for name in scorers:
        right = sum(one == two for one, two in zip(totals[name], expected, strict=True))
        print(f"{name:12} {len(lines) / seconds[name]:9.0f} hands/s  {right} totals as expected")
    if other is None:
        print("PyMahjongGB is not installed: pip install PyMahjongGB")
    else:
        same = sum(one == two for one, two in zip(*totals.values(), strict=True))
        print(f"{same} equal totals, {len(lines) - same} different")
