"""The hands found in footage as they are kept in the output folder, so that judging needs no watching.

`watched.json` holds what the watch has found for certain, per file of footage, and where to go on. A
person's corrections, a new score sheet or other circumstances are applied to this; the footage itself
is only read again where it wasn't watched yet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...vision.boxes import TILE_CLASSES, MeldBox, TileBox
from ...vision.reading import ImageInfo, ModelInfo, Sighting
from ...vision.video import Break, Counts, LaidHand

Json = dict[str, Any]

STATE = "watched.json"
FRAMES = "frames"
_FORMAT = 3
_LEAST = 1e-4
"""Probabilities below this are not kept."""


class StateError(ValueError):
    """What lies in the output folder can't be gone on with; the message is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finished hand in the footage.

    part: index of its file. start, end, seconds: from that file's first frame; seconds and frame are those
    of the picture. to_the_last: it still lay there when the watch ended. last: the id of the tile that came
    last. looks: frames read for it. faint: ids of its tiles that most of them missed. new, old: ids of the
    tiles that were turned up when the hand was shown, and of those that lay there before. picture, sha256:
    the frame as a JPEG, relative to the output folder.
    """

    part: int
    start: float
    end: float
    seconds: float
    frame: int
    to_the_last: bool
    sighting: Sighting
    last: int | None
    looks: int
    picture: str
    sha256: str
    faint: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    old: tuple[int, ...] = ()


@dataclass
class Part:
    """One file of footage and how far it has been watched.

    reached: seconds up to which it was watched. safe: seconds from which to go on.
    done: whether it was watched to its end.
    """

    path: str
    sha256: str
    duration: float
    frames: int
    width: int
    height: int
    counts: Counts = field(default_factory=Counts)
    breaks: list[Break] = field(default_factory=list)
    reached: float = 0.0
    safe: float = 0.0
    done: bool = False


@dataclass
class State:
    """All that a watch has brought to light.

    settings: those that decide what is found. found: in order of part and time, certain ones only.
    """

    settings: Json
    model: ModelInfo
    parts: list[Part] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Whether all footage was watched to its end."""
        return bool(self.parts) and all(part.done for part in self.parts)


def keep(hand: LaidHand, part: int, number: int, folder: Path) -> Found:
    """Save a hand's picture under its number (from 1) and give what is kept of it."""
    name = f"{FRAMES}/hand-{number:03d}.jpg"
    (folder / FRAMES).mkdir(parents=True, exist_ok=True)
    write_atomically(folder / name, hand.best.picture)
    return Found(
        part=part,
        start=hand.start,
        end=hand.end,
        seconds=hand.best.seconds,
        frame=hand.best.number,
        to_the_last=hand.to_the_last,
        sighting=hand.sighting,
        last=hand.last,
        looks=hand.looks,
        picture=name,
        sha256=hashlib.sha256(hand.best.picture).hexdigest(),
        faint=hand.faint,
        new=hand.new,
        old=hand.old,
    )


def save(state: State, folder: Path) -> None:
    """Write the state, whole or not at all."""
    value = {
        "format": _FORMAT,
        "settings": state.settings,
        "model": asdict(state.model),
        "parts": [asdict(part) for part in state.parts],
        "found": [_found_json(found) for found in state.found],
    }
    write_atomically(folder / STATE, json.dumps(value, ensure_ascii=False).encode())


def load(folder: Path) -> State:
    """The state in a folder. Raises StateError where there is none or it can't be read."""
    path = folder / STATE
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StateError(f"{folder}: there is no audit to go on with.") from None
    except (OSError, ValueError) as error:
        raise StateError(f"{path}: what was found earlier can't be read ({error}).") from None
    try:
        if value["format"] != _FORMAT:
            raise StateError(f"{path}: this audit was begun by another version; start it anew.")
        model = ModelInfo(value["model"]["name"], value["model"]["sha256"])
        parts = [_part(each) for each in value["parts"]]
        return State(value["settings"], model, parts, [_found(each, model) for each in value["found"]])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, StateError):
            raise
        raise StateError(f"{path}: what was found earlier is damaged; start the audit anew.") from None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it finds the old or the new content, never half of it."""
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    partial.replace(path)


def _part(value: Mapping[str, Any]) -> Part:
    own = {**value, "counts": Counts(**value["counts"])}
    own["breaks"] = [Break(**each) for each in value["breaks"]]
    return Part(**own)


def _found_json(found: Found) -> Json:
    own = {name: getattr(found, name) for name in Found.__slots__ if name != "sighting"}
    sighting = found.sighting
    return {
        **own,
        "sighting": {
            "width": sighting.image.width,
            "height": sighting.image.height,
            "tiles": [_tile_json(tile) for tile in sighting.tiles],
            "melds": [{"box": list(meld.box), "confidence": meld.confidence} for meld in sighting.melds],
            "calibration": [list(pair) for pair in sighting.calibration],
        },
    }


def _found(value: Mapping[str, Any], model: ModelInfo) -> Found:
    seen = value["sighting"]
    sighting = Sighting(
        ImageInfo(value["picture"], seen["width"], seen["height"]),
        model,
        tuple(_tile(each) for each in seen["tiles"]),
        tuple(MeldBox(_box(each["box"]), each["confidence"]) for each in seen["melds"]),
        tuple((float(raw), float(true)) for raw, true in seen["calibration"]),
    )
    ids = {name: tuple(value[name]) for name in ("faint", "new", "old")}
    return Found(**{**value, **ids, "sighting": sighting})


def _tile_json(tile: TileBox) -> Json:
    return {
        "box": [round(side, 2) for side in tile.box],
        "probabilities": {
            name: round(float(probability), 5)
            for name, probability in zip(TILE_CLASSES, tile.probabilities, strict=True)
            if probability >= _LEAST
        },
        "confidence": tile.confidence,
        "corners": np.round(tile.corners, 2).astype(float).tolist(),
        "up": tile.up,
        "up_confidence": tile.up_confidence,
        "axis_confidence": tile.axis_confidence,
    }


def _tile(value: Mapping[str, Any]) -> TileBox:
    probabilities = np.zeros(len(TILE_CLASSES), dtype=np.float32)
    for name, probability in value["probabilities"].items():
        probabilities[TILE_CLASSES.index(name)] = probability
    corners = np.array(value["corners"], dtype=np.float32).reshape(4, 2)
    return TileBox(
        _box(value["box"]),
        probabilities,
        value["confidence"],
        corners,
        value["up"],
        value["up_confidence"],
        value.get("axis_confidence", 0.0),  # absent from audits of earlier versions
    )


def _box(sides: Sequence[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (float(side) for side in sides)
    return x0, y0, x1, y1
