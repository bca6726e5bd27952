"""A person's corrections in the results: they win over the model and stay when pictures are read again.

What the model saw is kept: a corrected tile keeps `seen`, a tile that a person took away goes to
`removed`. Every correction is stored with the box of its tile, so it finds it again among the tiles
of another model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ...vision.corrections import NO_TILE, Correction, Corrections
from .geometry import enclosing, iou
from .results import MeldGroup, PictureResult, Results, Tile

SAME_TILE = 0.5
"""Intersection over union from which a corrected box and a tile's box are the same tile."""


def merge_corrections(results: Results, filed: Iterable[Corrections]) -> list[str]:
    """Apply corrections to the pictures they name, in place.

    A picture is found by its sha256, else by its path below the root, else by its file name where only
    one has it. Returns one sentence for each entry that fits no picture or names no tile of it.
    """
    filed = list(filed)
    if not filed:
        return []
    by_sha: dict[str, list[str]] = {}
    by_name: dict[str, list[str]] = {}
    for picture in results:
        if picture.sha256:
            by_sha.setdefault(picture.sha256, []).append(picture.path)
        by_name.setdefault(PurePosixPath(picture.path).name, []).append(picture.path)
    complaints = []
    for entry in filed:
        image = (entry.image or "").replace("\\", "/")
        if entry.sha256:
            paths = by_sha.get(entry.sha256, [])
        elif entry.image in results.lines:
            paths = [entry.image]
        else:
            paths = by_name.get(PurePosixPath(image).name, [])
            paths = paths if len(paths) == 1 else []
        if not paths:
            asked = entry.image or entry.sha256 or "a picture without a name"
            complaints.append(f"{asked}: the corrections fit no picture of these results.")
        for path in paths:
            named = results.get(path)
            assert named is not None
            try:
                results.put(apply_corrections(named, entry.tiles))
            except ValueError as error:
                complaints.append(f"{path}: {error}")
    return complaints


def apply_corrections(picture: PictureResult, corrections: Sequence[Correction]) -> PictureResult:
    """The picture with what a person said about its tiles.

    A tile is meant by its box where one is given, else by its id. A box where no tile lies adds one.
    Raises ValueError for a picture that couldn't be read, an id it doesn't have, or a tile added
    without a name.
    """
    if picture.tiles is None:
        raise ValueError("the picture could not be read, so there is nothing to correct.")
    tiles = {tile.id: tile for tile in picture.tiles}
    removed = {tile.id: tile for tile in picture.removed}
    stored = {_key(entry): dict(entry) for entry in picture.corrections}
    for correction in corrections:
        tile = _meant(correction, tiles, removed)
        if tile is None:
            assert correction.box is not None
            if correction.tile == NO_TILE:
                continue
            if correction.tile is None:
                raise ValueError(f"no tile lies at {list(correction.box)}; one that is added needs a name.")
            number = max((*tiles, *removed), default=-1) + 1
            tile = Tile(number, correction.tile, 1.0, correction.box)
        changed = _corrected(tile, correction)
        if correction.tile == NO_TILE:
            tiles.pop(tile.id, None)
            removed[tile.id] = tile
        else:
            removed.pop(tile.id, None)
            tiles[tile.id] = changed
        entry = {**correction.to_json(), "id": tile.id, "box": list(changed.box)}
        key = _key(entry)
        stored[key] = {**stored.get(key, {}), **entry}
    kept = tuple(tiles[number] for number in sorted(tiles))
    melds, kept = _regrouped(kept, picture.melds)
    return replace(
        picture,
        tiles=kept,
        melds=melds,
        removed=tuple(removed[number] for number in sorted(removed)),
        corrections=tuple(stored[key] for key in sorted(stored)),
    )


def _key(entry: Mapping[str, Any]) -> tuple[float, ...]:
    return tuple(float(side) for side in entry["box"])


def _meant(correction: Correction, tiles: Mapping[int, Tile], removed: Mapping[int, Tile]) -> Tile | None:
    everything = {**removed, **tiles}
    if correction.box is not None:
        box = correction.box
        best = max(everything.values(), key=lambda tile: iou(tile.box, box), default=None)
        return best if best is not None and iou(best.box, box) >= SAME_TILE else None
    tile = everything.get(correction.id if correction.id is not None else -1)
    if tile is None:
        raise ValueError(f"there is no tile {correction.id} to correct.")
    return tile


def _corrected(tile: Tile, correction: Correction) -> Tile:
    if correction.tile not in (None, NO_TILE):
        tile = replace(tile, tile=str(correction.tile), confidence=1.0, flag=None)
    if correction.role is not None:
        meld = correction.meld if correction.role == "meld" else None
        tile = replace(tile, role=correction.role, role_confidence=1.0, meld=meld)
    return tile


def _regrouped(
    tiles: Sequence[Tile], before: Sequence[MeldGroup]
) -> tuple[tuple[MeldGroup, ...], tuple[Tile, ...]]:
    """The melds after the tiles' roles, numbered anew; a concealed kong stays one."""
    known = {meld.ids: meld for meld in before}
    members: dict[int, list[Tile]] = {}
    for tile in tiles:
        if tile.role == "meld" and tile.meld is not None:
            members.setdefault(tile.meld, []).append(tile)
    melds: list[MeldGroup] = []
    place: dict[int, int] = {}
    for number in sorted(members):
        group = members[number]
        ids = tuple(tile.id for tile in group)
        old = known.get(ids)
        kind = _kind([tile.tile for tile in group], old)
        box = enclosing([tile.box for tile in group])
        place[number] = len(melds)
        melds.append(MeldGroup(kind, ids, box, old.confidence if old else 1.0))
    renumbered = tuple(
        replace(tile, meld=place[tile.meld]) if tile.role == "meld" and tile.meld is not None else tile
        for tile in tiles
    )
    return tuple(melds), renumbered


def _kind(names: Sequence[str], old: MeldGroup | None) -> str:
    if len(names) == 4:
        kept = old is not None and old.kind == "concealed-kong"
        return "concealed-kong" if kept or names.count("back") >= 2 else "melded-kong"
    return "pung" if len({name for name in names if name != "?"}) == 1 else "chow"
