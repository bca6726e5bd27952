"""Cuts tile faces out of labelled photos, one set a photo session, for rendering training scenes.

The faces stay on the user's machine: they are read at run time and kept in a cache folder.
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from ...vision.boxes import TILE_CLASSES
from ..real.photos import read_photos

Face = NDArray[np.uint8]

LEAST_SIDE = 40
"""Shorter side in pixels below which a crop is too coarse to be a texture."""
LEAST_TILES = 26
"""Sessions with fewer different tiles are not offered as a set."""
KEPT_OUT = frozenset({"A-421", "A-IMG27", "B-IMG17", "D"})
"""Sessions left out of training (`datasets/real/folds.json`): their faces must stay unseen too."""
VARIANTS = frozenset({"original", "augmented"})


@lru_cache(maxsize=2)
def read_real_faces(
    photos: Path, cache: Path | None, size: tuple[int, int]
) -> Mapping[str, Mapping[str, Face]]:
    """Sets by session: every one of the 42 tiles, missing ones lent by the fullest other sessions.

    photos: folder with `images/` and `labels/` and, beside it, `manifest.csv`. size: width, height of a face.
    """
    stamp = hashlib.sha256(f"{photos.resolve()} {size} {LEAST_SIDE} {LEAST_TILES} v4".encode()).hexdigest()[
        :12
    ]
    kept = cache / f"faces-{stamp}.npz" if cache is not None else None
    if kept is not None and kept.is_file():
        with np.load(kept) as archive:
            cut = {key: archive[key] for key in archive.files}
    else:
        cut = _cut_all(photos, size)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = kept.with_suffix(f".{np.random.default_rng().integers(1 << 30)}.part.npz")
            np.savez(partial, allow_pickle=False, **cut)
            partial.replace(kept)
    sets: dict[str, dict[str, Face]] = defaultdict(dict)
    for key, face in cut.items():
        session, tile = key.split("/")
        sets[session][tile] = face
    fullest = sorted(sets, key=lambda s: (-len(sets[s]), s))
    lent: dict[str, Face] = {}
    for session in fullest:
        lent = {**sets[session], **lent}
    lacking = [tile for tile in TILE_CLASSES[:42] if tile not in lent]
    if lacking:
        return {}
    return {s: {**lent, **sets[s]} for s in sorted(sets) if len(sets[s]) >= LEAST_TILES}


def _cut_all(photos: Path, size: tuple[int, int]) -> dict[str, Face]:
    """The best crop of each tile in each session, by `session/tile`, by our mended labels.

    A face under a wrong name would be painted on every table of its set.
    """
    with (photos.parent / "manifest.csv").open(encoding="utf-8", newline="") as file:
        wanted = {row["name"] for row in csv.DictReader(file) if row["variant"] in VARIANTS}
    best: dict[str, tuple[float, Face]] = {}
    for photo in read_photos(photos.parent, photos.name):
        if photo.name not in wanted or photo.group in KEPT_OUT or photo.corrected.left_out is not None:
            continue
        picture = cv2.imread(str(photo.path))
        if picture is None:
            continue
        for label in photo.corrected.labels:
            x0, y0, x1, y1 = (round(side) for side in label.box)
            if label.tile == "back" or min(x1 - x0, y1 - y0) < LEAST_SIDE:
                continue
            # Source A's pictures are stretched to a square; elsewhere a wide box is a tile on its side.
            if photo.source != "A" and y1 - y0 < 1.1 * (x1 - x0):
                continue
            crop = np.asarray(picture[max(y0, 0) : y1, max(x0, 0) : x1, ::-1], dtype=np.uint8)
            score = _quality(crop)
            key = f"{photo.group}/{label.tile}"
            if score > best.get(key, (0.0,))[0]:
                best[key] = (score, _as_face(crop, size))
    return {key: face for key, (_, face) in best.items()}


def _ground(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The colour of the tile itself: the median of its brighter half, RGB."""
    flat = crop.reshape(-1, 3).astype(np.float32)
    luminance = flat.mean(axis=1)
    median: NDArray[np.float32] = np.median(flat[luminance >= np.median(luminance)], axis=0)
    return median


def _quality(crop: NDArray[np.uint8]) -> float:
    """0 for crops that are not level faces; otherwise larger for sharper and larger ones.

    A level face is bright and of one colour all around its rim; a tilted one shows table in its corners.
    """
    height, width = crop.shape[:2]
    if height < 20 or width < 20 or not 0.75 < height / width < 1.75:
        return 0.0
    ground = _ground(crop)
    if ground.min() < 110:
        return 0.0
    small = cv2.resize(crop, (48, 64), interpolation=cv2.INTER_AREA).astype(np.float32)
    near = np.abs(small - ground).max(axis=2) < 42
    rim = np.concatenate(
        [near[3:6].ravel(), near[-6:-3].ravel(), near[:, 2:5].ravel(), near[:, -5:-2].ravel()]
    )
    corners = np.concatenate(
        [near[y, x].ravel() for y in (slice(2, 8), slice(-8, -2)) for x in (slice(2, 7), slice(-7, -2))]
    )
    if rim.mean() < 0.86 or corners.mean() < 0.8:
        return 0.0
    grey = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_RGB2GRAY)
    detail = float(np.log1p(cv2.Laplacian(grey, cv2.CV_32F).var()))
    return float(max(detail - 3.0, 0.0) * min(height, width) ** 0.5)


def _as_face(crop: NDArray[np.uint8], size: tuple[int, int]) -> Face:
    """Ink on a transparent ground: opacity grows with the distance from the tile's own colour."""
    height, width = crop.shape[:2]
    margin_x, margin_y = round(width * 0.03), round(height * 0.03)
    crop = np.ascontiguousarray(crop[margin_y : height - margin_y, margin_x : width - margin_x])
    face = cv2.resize(crop, size, interpolation=cv2.INTER_CUBIC).astype(np.float32)
    ground = _ground(crop)
    distance = np.abs(face - ground).max(axis=2)
    alpha = np.clip((distance - 14) / 45, 0, 1)
    # Towards the rim lie the tile's rounded edges and its neighbours: only dark ink counts there.
    x = np.minimum(np.arange(size[0]), np.arange(size[0])[::-1]) / size[0]
    y = np.minimum(np.arange(size[1]), np.arange(size[1])[::-1]) / size[1]
    inside = np.clip(np.minimum(x[None, :] / 0.07, y[:, None] / 0.055), 0, 1)
    alpha = alpha * inside
    # The ink as it would be without the ground shining through.
    ink = np.where(
        alpha[:, :, None] > 0.02, ground + (face - ground) / np.maximum(alpha, 0.3)[:, :, None], face
    )
    rgba = np.dstack([np.clip(ink, 0, 255), alpha * 255])
    return np.asarray(rgba, dtype=np.uint8)
