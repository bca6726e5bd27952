"""Renders one scene from a seed: tiles, camera, table, light, photo, labels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import cv2
import numpy as np

from .appearance import Appearance, random_appearance
from .clutter import Area, Flat, strew
from .compositions import KINDS, MIXTURE, Composition, Kind, compose
from .designs import Designs
from .effects import develop
from .font_sets import Split
from .foreground import overlay, put_hand
from .geometry import Array, Camera, painters_order
from .labelling import read_labels
from .painting import Lamp, Owner, Picture, fill, paint_block, paint_shadows, paint_tile
from .scene import Scene
from .surfaces import SIDE, mat_colour, surface

SIZES: tuple[tuple[int, int], ...] = ((960, 720), (960, 720), (960, 720), (720, 960), (960, 540), (800, 800))
"""Picture sizes (width, height) drawn from where none is asked for."""


@dataclass(frozen=True, slots=True)
class View:
    """Ranges a split's camera is drawn from, degrees: elevation above the table and field of view."""

    elevations: tuple[tuple[float, float], ...]
    fields: tuple[tuple[float, float], ...]


VIEWS: dict[Split, View] = {
    "train": View(((28, 50), (50, 54), (60, 76), (60, 90), (80, 90)), ((34, 50), (50, 64))),
    "development": View(((28, 52), (52, 60), (60, 88)), ((30, 34), (64, 68))),
    "held-out": View(((54, 60), (30, 54), (60, 88)), ((26, 33), (64, 70))),
}
"""Ranges are half-open, low to high; fields of view of training never meet those of the others,
elevations may."""


def render(
    seed: int,
    designs: Designs,
    *,
    split: Split = "train",
    kind: Kind = "mixed",
    size: tuple[int, int] | None = None,
    design: str | None = None,
    tile_width: tuple[float, float] | None = None,
) -> Scene:
    """The scene of `seed`: the same arguments and the same designs give the same picture.

    size: width and height in pixels. design: one of `designs.names(split)` instead of a random one.
    tile_width: range in pixels for the width of a tile in the middle of the picture, as far as the
    scene's main tiles fit; by default they fill a random part of the picture.
    Raises ValueError for an unknown kind, split or design, or where the split has no tile set.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of scene: expected one of {', '.join(KINDS)}")
    if split not in VIEWS:
        raise ValueError(f"{split!r} is no split: expected {', '.join(VIEWS)}")
    rng = np.random.default_rng([seed, zlib.crc32(f"{split}/{kind}".encode())])
    names = designs.names(split)
    if not names:
        raise ValueError(f"no tile set for split {split}: its fonts are missing and no tile art was given")
    if design is not None and design not in names:
        raise ValueError(f"no design {design!r} for split {split}: expected one of {', '.join(names)}")
    if kind == "mixed":
        kind = list(MIXTURE)[int(rng.choice(len(MIXTURE), p=list(MIXTURE.values())))]
    chosen = design or _design(names, rng)
    look = random_appearance(rng, split, designs.faces(chosen))
    size = size or SIZES[int(rng.integers(len(SIZES)))]
    composition = compose(kind, look.shape, rng)
    camera, elevation = _camera(composition, split, size, tile_width, rng)
    table_top = _table_edge(composition, rng)
    flats = strew(
        composition.table,
        _area(camera, size, table_top),
        composition.deck,
        rng,
        look,
        density=composition.density,
    )
    picture, owner, tile_pixels = _painted(composition, camera, look, flats, split, size, table_top, rng)
    if rng.random() < 0.06:
        put_hand(picture, owner, rng)
    labels = read_labels(composition.table, owner, camera, orientation_known=not chosen.startswith("real:"))
    picture = develop(picture, rng, sharpness=tile_pixels)
    if rng.random() < 0.06:
        before = owner.copy()
        picture = overlay(picture, owner, rng)
        if (before != owner).any():
            labels = read_labels(
                composition.table, owner, camera, orientation_known=not chosen.startswith("real:")
            )
    return Scene(
        picture=picture,
        tiles=labels.tiles,
        melds=labels.melds,
        ignore=labels.ignore,
        hand=composition.hand,
        all_visible=labels.all_visible,
        seed=seed,
        split=split,
        kind=kind,
        settings={"design": chosen, "elevation": round(elevation, 1), "tile_width": round(tile_pixels, 1)},
    )


def _design(names: list[str], rng: np.random.Generator) -> str:
    """A set: real faces in two of five scenes where there are any, drawn ones in the others.

    Of those two in three are varied ones where there are any.
    """
    real, varied = ([name for name in names if name.startswith(kind)] for kind in ("real:", "varied-"))
    pool = [name for name in names if not name.startswith(("real:", "varied-"))]
    if real and rng.random() < 0.4:
        pool = real
    elif varied and rng.random() < 2 / 3:
        pool = varied
    return pool[int(rng.integers(len(pool)))]


def _camera(
    composition: Composition,
    split: Split,
    size: tuple[int, int],
    tile_width: tuple[float, float] | None,
    rng: np.random.Generator,
) -> tuple[Camera, float]:
    """A camera that sees the main tiles, and its elevation."""
    width, height = size
    view = VIEWS[split]
    low, high = view.elevations[int(rng.integers(len(view.elevations)))]
    elevation = float(rng.uniform(low, high))
    upright = any(tile.box.axes[2, 1] > 0.5 for tile in composition.table.tiles)
    if upright:
        elevation = float(rng.uniform(15, 50)) if split == "train" else float(rng.uniform(22, 44))
    yaw = float(rng.normal(0, 9)) if rng.random() < 0.85 or upright else float(rng.uniform(0, 360))
    if upright:
        yaw = float(np.clip(yaw, -25, 25))
    low, high = view.fields[int(rng.integers(len(view.fields)))]
    focal = 0.5 * max(size) / float(np.tan(np.radians(rng.uniform(low, high) / 2)))
    roll = float(rng.normal(0, 2.5))
    main = np.concatenate([tile.box.corners() for tile in composition.table.tiles])
    target, distance = main.mean(axis=0)[:2], 25.0
    share = float(rng.choice([rng.uniform(0.8, 0.97), rng.uniform(0.35, 0.8)], p=[0.65, 0.35]))

    def at(target: Array, distance: float) -> Camera:
        return Camera.looking_at(
            (float(target[0]), float(target[1])),
            elevation=elevation,
            yaw=yaw,
            roll=roll,
            distance=distance,
            focal=focal,
            centre=(width / 2, height / 2),
        )

    for _ in range(6):
        camera = at(target, distance)
        pixels, depths = camera.project(main)
        if depths.min() < 0.5:
            distance *= 1.6
            continue
        low_corner, high_corner = pixels.min(axis=0), pixels.max(axis=0)
        fullness = float(((high_corner - low_corner) / (width * share, height * share)).max())
        distance *= min(max(fullness, 0.4), 2.5)
        target = (
            target
            + _on_table(camera, (low_corner + high_corner) / 2)
            - _on_table(camera, np.array([width / 2, height / 2]))
        )
    nearest, farthest = focal / (0.17 * max(size)), focal / max(0.018 * max(size), 14)
    if tile_width is not None:
        # Never so near that the main tiles leave the picture.
        distance = max(focal / float(rng.uniform(*tile_width)), distance * share / 0.97)
    else:
        distance = float(np.clip(distance, nearest, farthest))
    camera = at(target, distance)
    pixels, _ = camera.project(main)
    room = np.maximum(np.array([width, height]) - (pixels.max(axis=0) - pixels.min(axis=0)), 0) / 2
    aside = rng.uniform(-0.8, 0.8, 2) * room
    middle = np.array([width / 2, height / 2])
    for _ in range(4):
        # Near the horizon a shift in the picture is a long way on the table: take less until it fits.
        shifted = at(target + _on_table(camera, middle - aside) - _on_table(camera, middle), distance)
        pixels, depths = shifted.project(main)
        if depths.min() > 0.5 and pixels.min() > 0 and (pixels.max(axis=0) < (width, height)).all():
            return shifted, elevation
        aside = aside / 2
    return camera, elevation


def _on_table(camera: Camera, pixel: Array) -> Array:
    """The table point (x, y) under a pixel; pixels above the horizon are pulled below it."""
    local = np.array(
        [(pixel[0] - camera.centre[0]) / camera.focal, (pixel[1] - camera.centre[1]) / camera.focal, 1.0]
    )
    ray = local @ camera.rotation
    ray[2] = min(ray[2], -0.12)
    point: Array = camera.position[:2] + ray[:2] * (-camera.position[2] / ray[2])
    return point


def _area(camera: Camera, size: tuple[int, int], table: Area) -> Area:
    """A rectangle about as large as what the camera sees of the table."""
    width, height = size
    points = np.stack(
        [
            _on_table(camera, np.array(p, dtype=float))
            for p in ((0, 0), (width, 0), (0, height), (width, height))
        ]
    )
    middle = _on_table(camera, np.array([width / 2, height / 2]))
    points = middle + np.clip(points - middle, -22, 22)
    low, high = np.maximum(points.min(axis=0), table[:2]), np.minimum(points.max(axis=0), table[2:])
    return float(low[0]), float(low[1]), float(max(high[0], low[0] + 0.1)), float(max(high[1], low[1] + 0.1))


def _table_edge(composition: Composition, rng: np.random.Generator) -> Area:
    """The table top, with room around the main tiles: a rectangle x0, y0, x1, y1."""
    main = np.concatenate([tile.box.corners()[:, :2] for tile in composition.table.tiles])
    around = rng.uniform(1.0, 30, 4) if rng.random() < 0.5 else rng.uniform(15, 40, 4)
    low, high = main.min(axis=0) - around[:2], main.max(axis=0) + around[2:]
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _ground(
    camera: Camera, split: Split, size: tuple[int, int], table: Area, rng: np.random.Generator
) -> Picture:
    """The table top as the camera sees it, with whatever lies beyond its edge."""
    width, height = size
    texture = surface(rng, split)
    span = float(rng.uniform(7, 26))
    to_texture = np.array(
        [
            [SIDE / span, 0, SIDE / 2 + rng.uniform(-200, 200)],
            [0, -SIDE / span, SIDE / 2 + rng.uniform(-200, 200)],
            [0, 0, 1.0],
        ]
    )
    plane = camera.plane()
    picture = cv2.warpPerspective(
        texture,
        plane @ np.linalg.inv(to_texture),
        size,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    x0, y0, x1, y1 = table
    edge = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    inside = np.zeros((height, width), dtype=np.uint8)
    outline = _clipped(camera, edge)
    if len(outline) >= 3:
        fill(inside, outline, (255.0,))
    if inside.min() == 255:
        return np.asarray(picture, dtype=np.uint8)
    room = _room(split, size, rng)
    rim = float(rng.uniform(0.6, 3.0))
    if rng.random() < 0.6:
        wider = edge + np.array([(-rim, -rim), (rim, -rim), (rim, rim), (-rim, rim)])
        frame = _clipped(camera, wider)
        if len(frame) >= 3:
            fill(room, frame, mat_colour(rng, split))
    np.copyto(room, picture, where=inside[:, :, None] > 127)
    return room


def _clipped(camera: Camera, outline: Array) -> Array:
    """A table polygon in pixels, cut off where it would come too near to the camera's own plane."""
    points = np.column_stack([outline, np.zeros(len(outline))])
    depths = (points - camera.position) @ camera.rotation[2]
    kept: list[Array] = []
    for i in range(len(points)):
        j = (i + 1) % len(points)
        if depths[i] > 0.5:
            kept.append(points[i])
        if (depths[i] > 0.5) != (depths[j] > 0.5):
            share = (0.5 - depths[i]) / (depths[j] - depths[i])
            kept.append(points[i] + share * (points[j] - points[i]))
    if len(kept) < 3:
        return np.zeros((0, 2))
    return camera.project(np.stack(kept))[0]


def _room(split: Split, size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Something out of focus beyond the table."""
    small = np.empty((90, 120, 3), dtype=np.uint8)
    small[:] = np.clip(mat_colour(rng, split) * float(rng.uniform(0.2, 0.9)), 0, 255)
    for _ in range(int(rng.integers(0, 25))):
        x, y, w, h = rng.integers(0, 120), rng.integers(0, 90), rng.integers(3, 40), rng.integers(3, 50)
        colour = tuple(float(c) for c in rng.uniform(0, 240, 3))
        cv2.rectangle(small, (int(x), int(y)), (int(x + w), int(y + h)), colour, -1)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.5, 4)))
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _painted(
    composition: Composition,
    camera: Camera,
    look: Appearance,
    flats: list[Flat],
    split: Split,
    size: tuple[int, int],
    table_top: Area,
    rng: np.random.Generator,
) -> tuple[Picture, Owner, float]:
    """The picture before the photo's own flaws, who owns each pixel, and the width of a typical tile."""
    table = composition.table
    width, height = size
    picture = _ground(camera, split, size, table_top, rng)
    owner: Owner = np.zeros((height, width), dtype=np.int32)
    for flat in flats:
        for outline, colour in flat.layers:
            pixels = _clipped(camera, outline)
            if len(pixels) >= 3:
                fill(picture, pixels, colour)
    towards = rng.normal(0, 0.45, 2)
    direction = np.array([towards[0], towards[1], 1.0])
    lamp = Lamp(direction / np.linalg.norm(direction), float(rng.uniform(0.35, 0.7)))
    boxes = table.boxes
    depths = np.array(
        [float(((box.corners() - camera.position) @ camera.rotation[2]).min()) for box in boxes]
    )
    hulls = np.zeros((len(boxes), 4))
    for i, box in enumerate(boxes):
        if depths[i] > 0.3:
            pixels, _ = camera.project(box.corners())
            hulls[i] = (*pixels.min(axis=0), *pixels.max(axis=0))
    seen = [
        i
        for i in range(len(boxes))
        if depths[i] > 0.3
        and hulls[i, 2] > -60
        and hulls[i, 3] > -60
        and hulls[i, 0] < width + 60
        and hulls[i, 1] < height + 60
    ]
    strength, softness = (
        float(rng.uniform(0.15, 0.6)),
        float(rng.choice([rng.uniform(0.03, 0.15), rng.uniform(0.15, 0.6)])),
    )
    paint_shadows(picture, [boxes[i] for i in seen], camera, lamp, strength, softness)
    tints = rng.normal(1, 0.02, len(boxes))
    order = painters_order([boxes[i] for i in seen], hulls[seen], camera.position) if seen else []
    for position in order:
        i = seen[position]
        if i < len(table.tiles):
            paint_tile(picture, owner, boxes[i], table.tiles[i].name, i, camera, lamp, look, float(tints[i]))
        else:
            block = table.blocks[i - len(table.tiles)]
            paint_block(picture, owner, block.box, i, camera, lamp, block.colour, block.top, block.radius)
    centres, away = camera.project(np.stack([tile.box.centre for tile in table.tiles]))
    shown = (
        (centres[:, 0] > 0)
        & (centres[:, 0] < width)
        & (centres[:, 1] > 0)
        & (centres[:, 1] < height)
        & (away > 0.3)
    )
    typical = float(np.median(camera.focal / away[shown])) if shown.any() else 40.0
    return picture, owner, typical
