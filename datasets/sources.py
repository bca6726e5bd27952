"""Where every data set comes from, under which licence, and how to prepare it.

The one table for people (`datasets/README.md` says the same in prose) and for code: the model's
manifest and card take their credits from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One data set.

    key: how `manifest.csv` and the file names call it (`A_…`, `B_…`, `D_…`).
    changed: what we changed, as CC BY 4.0 asks to be said; empty for our own.
    prepare: the command that makes a training set of it.
    """

    key: str
    name: str
    link: str
    licence: str
    what: str
    changed: str
    prepare: str


_CHANGED = "pictures chosen; labels renamed to our classes and mended as datasets/real/corrections lists"
_PREPARE = "python -m fanlens.datasets.real.prepare PHOTOS OUT"

SOURCES: tuple[Source, ...] = (
    Source(
        key="A",
        name="Roboflow Universe, riichimahjongdetection / chinese-mahjong-detection v4",
        link="https://universe.roboflow.com/riichimahjongdetection/chinese-mahjong-detection",
        licence="CC BY 4.0",
        what="hands in a row on coloured mats, trays of tiles; 640x640, stretched",
        changed=_CHANGED,
        prepare=_PREPARE,
    ),
    Source(
        key="B",
        name="Roboflow Universe, marco-liu-vwkdl / 13423423c-rethink-bonus-label v3",
        link="https://universe.roboflow.com/marco-liu-vwkdl/13423423c-rethink-bonus-label",
        licence="CC BY 4.0",
        what="phone photos, desk scenes, filmed tables with melds and flowers; 640x640, letterboxed",
        changed=_CHANGED,
        prepare=_PREPARE,
    ),
    Source(
        key="D",
        name="Roboflow Universe, leomiurarobot / mahjong-bmblq v5",
        link="https://universe.roboflow.com/leomiurarobot/mahjong-bmblq",
        licence="CC BY 4.0",
        what="webcam pictures of short rows of standing tiles; boxes take in the tile's top side",
        changed=_CHANGED,
        prepare=_PREPARE,
    ),
    Source(
        key="scenes",
        name="FanLens rendered scenes",
        link="datasets/scenes",
        licence="AGPL-3.0-or-later",
        what="rendered tables with melds, kongs, flowers, backs, ponds, and labels of everything",
        changed="",
        prepare="python -m fanlens.datasets.scenes --help",
    ),
)


def credit() -> str:
    """The sentences that a model trained on the photos must carry (CC BY 4.0)."""
    lines = [
        f"{source.name} ({source.licence}, {source.link}), changed: {source.changed}."
        for source in SOURCES
        if source.licence.startswith("CC")
    ]
    return "\n".join(lines)
