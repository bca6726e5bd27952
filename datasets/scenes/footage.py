"""Simulated recordings of a table with known events, to test and measure the audit on.

Every moment of a script is rendered once; the frames between are that picture moved by the camera's
shake, with arms, noise and flicker, compressed by a video encoder at a steady or variable rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...scoring import Context, Hand, Meld, score
from ...vision.boxes import TILE_CLASSES, TileBox
from .appearance import Appearance, random_appearance
from .designs import Designs
from .font_sets import Split
from .footage_script import EDGE, Arm, Laid, Script, write_script
from .geometry import Array, Camera, painters_order
from .hands import DealtHand
from .painting import Lamp, Owner, Picture, paint_shadows, paint_tile, seen_cap
from .surfaces import SIDE, surface
from .table import Tile

WINDS = ("E", "S", "W", "N")
_NOISES = 6
Colour = tuple[float, ...]
_CLOCK = 90_000
"""Ticks a second of the written timestamps."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a score sheet says about a hand: circumstances, and a fan that may be wrong.

    hand: number from 1. fan: declared; true_fan: what the hand is worth in this context.
    """

    hand: int
    context: Context
    fan: int
    true_fan: int


@dataclass(frozen=True)
class Recording:
    """A simulated recording.

    size: width and height of the upright picture. rotation: degrees anticlockwise by which a player
    has to turn the stored frames. times: seconds of every frame. events: the truth, in order.
    """

    seed: int
    size: tuple[int, int]
    rotation: int
    times: NDArray[np.float64]
    script: Script
    declared: tuple[Declared, ...]
    _stage: _Stage

    @property
    def events(self) -> tuple[Laid, ...]:
        """The finished hands, in order."""
        return tuple(self.script.laid)

    def frames(self) -> Iterator[tuple[float, Picture]]:
        """Seconds and upright picture of every frame, RGB."""
        return self._stage.film(self.script, self.times, np.random.default_rng([self.seed, 2]))

    def seen(self, seconds: float) -> tuple[TileBox, ...]:
        """What a perfect detector sees in the frame at `seconds`: tiles that no arm covers, backs too."""
        return self._stage.seen(self.script, seconds)

    def write(self, path: Path, *, crf: int = 24) -> Path:
        """Encode as H.264; crf: strength of the compression, 18 (weak) to 35 (strong)."""
        import av

        turns = self.rotation // 90 % 4
        with av.open(str(path), "w") as container:
            stream: Any = container.add_stream("libx264", rate=30)
            width, height = self.size if turns % 2 == 0 else self.size[::-1]
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            stream.time_base = stream.codec_context.time_base = Fraction(1, _CLOCK)
            stream.options = {"crf": str(crf), "preset": "ultrafast"}
            if self.rotation:
                stream.set_display_rotation(self.rotation)
            for seconds, picture in self.frames():
                stored = np.ascontiguousarray(np.rot90(picture, -turns))
                frame = av.VideoFrame.from_ndarray(stored, "rgb24")
                frame.pts, frame.time_base = round(seconds * _CLOCK), Fraction(1, _CLOCK)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return path


def simulate(
    seed: int,
    designs: Designs,
    *,
    seconds: float = 180.0,
    split: Split = "held-out",
    design: str | None = None,
    size: tuple[int, int] = (1920, 1080),
    fps: float = 30.0,
    variable: bool | None = None,
    rotation: int | None = None,
    wrong: float = 0.3,
) -> Recording:
    """The recording of `seed`; the same arguments and designs give the same one.

    design: one of `designs.names(split)`, random if None. size: of the upright picture. fps: frames a
    second. variable: whether frames come at uneven times, random if None. rotation: 0, 90, -90 or 180,
    random (mostly 0) if None. wrong: share of hands whose declared fan is wrong.
    """
    rng = np.random.default_rng([seed, 1])
    names = designs.names(split)
    chosen = design or names[int(rng.integers(len(names)))]
    look = random_appearance(rng, split, designs.faces(chosen))
    uneven = bool(rng.random() < 0.5) if variable is None else variable
    turned = int(rng.choice([0, 0, 0, 180, 90, -90])) if rotation is None else rotation
    script = write_script(rng, look.shape, seconds)
    times = _times(rng, seconds, fps, uneven)
    declared = tuple(_declared(number, laid, rng, wrong) for number, laid in enumerate(script.laid, 1))
    return Recording(seed, size, turned, times, script, declared, _Stage(rng, look, split, size))


def hand_of(dealt: DealtHand) -> Hand:
    """A dealt hand as the rules take it, its winning tile known."""
    rest = list(dealt.concealed)
    rest.remove(dealt.winning)
    melds = tuple(Meld(meld.kind, meld.tiles) for meld in dealt.melds)  # type: ignore[arg-type]
    return Hand(tuple(rest), dealt.winning, melds, dealt.flowers)


def _declared(number: int, laid: Laid, rng: np.random.Generator, wrong: float) -> Declared:
    self_draw = bool(rng.random() < 0.4)
    seat = WINDS[(laid.seat - number + 1) % 4]
    context = Context(self_draw=self_draw, seat_wind=seat, prevalent_wind=WINDS[(number - 1) // 4 % 4])
    fan = score(hand_of(laid.hand), context).fan
    off = int(rng.choice([2, 6, 8, 16, -1, -2])) if rng.random() < wrong else 0
    return Declared(number, context, max(fan + off, 1), fan)


def _times(rng: np.random.Generator, seconds: float, fps: float, variable: bool) -> NDArray[np.float64]:
    """Seconds of every frame; a phone at a variable rate slows down and drops frames."""
    count = int(seconds * fps)
    if not variable:
        return np.arange(count) / fps
    steps = rng.choice([1.0, 1.02, 0.98, 2.0, 3.0], size=count, p=[0.6, 0.15, 0.15, 0.07, 0.03]) / fps
    times = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(times[times < seconds])


class _Stage:
    """Table, light and camera of one recording."""

    def __init__(
        self, rng: np.random.Generator, look: Appearance, split: Split, size: tuple[int, int]
    ) -> None:
        width, height = size
        self._look = look
        self._size = size
        focal = max(size) * float(rng.uniform(0.9, 1.5))
        short = min(width, height * 1.05)
        self._camera = Camera.looking_at(
            (0.0, float(rng.uniform(-0.6, 0.0))),
            elevation=float(rng.uniform(68, 86)),
            yaw=float(rng.normal(0, 3)),
            roll=float(rng.normal(0, 1.5)),
            distance=focal * 2.12 * EDGE / short,
            focal=focal,
            centre=(width / 2, height / 2),
        )
        direction = np.array([*rng.normal(0, 0.4, 2), 1.0])
        self._lamp = Lamp(direction / np.linalg.norm(direction), float(rng.uniform(0.4, 0.7)))
        self._shadow = float(rng.uniform(0.15, 0.5)), float(rng.uniform(0.05, 0.4))
        self._ground = _ground(self._camera, split, size, rng)
        skin = np.array([1.0, rng.uniform(0.68, 0.82), rng.uniform(0.5, 0.7)]) * rng.uniform(130, 235)
        self._skin, self._sleeve = tuple(skin.tolist()), tuple(rng.uniform(20, 200, 3).tolist())
        self._shake = float(rng.choice([0.3, rng.uniform(0.5, 1.5)])) * max(size) / 1280
        self._phases = rng.uniform(0, 2 * np.pi, 6)
        self._noise = float(rng.uniform(1.0, 4.0))

    def film(
        self, script: Script, times: NDArray[np.float64], rng: np.random.Generator
    ) -> Iterator[tuple[float, Picture]]:
        """Seconds and picture of each frame."""
        width, height = self._size
        noises = []
        for _ in range(_NOISES):
            noise = rng.normal(0, self._noise, (height, width, 1)).astype(np.int8).repeat(3, axis=2)
            noises.append((np.maximum(noise, 0).astype(np.uint8), np.maximum(-noise, 0).astype(np.uint8)))
        moments = iter(script.moments)
        following = next(moments, None)
        still = self._ground
        for number, seconds in enumerate(times.tolist()):
            changed = False
            while following is not None and following[0] <= seconds:
                tiles, changed = following[1], True
                following = next(moments, None)
            if changed:
                still = self._painted(tiles)
            picture = still
            reaching = [arm for arm in script.arms if arm.begin <= seconds <= arm.end]
            if reaching:
                picture = still.copy()
                for arm in reaching:
                    self._put_arm(picture, arm, seconds, self._skin, self._sleeve)
            shaken = cv2.warpAffine(
                picture,
                self._shaken(seconds),
                self._size,
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )
            light = 1 + 0.006 * np.sin(seconds * 9 + self._phases[0])
            lighter, darker = noises[number % _NOISES]
            noisy = cv2.subtract(cv2.add(cv2.convertScaleAbs(shaken, alpha=float(light)), lighter), darker)
            yield seconds, np.asarray(noisy, dtype=np.uint8)

    def _painted(self, tiles: tuple[Tile, ...]) -> Picture:
        picture = self._ground.copy()
        if not tiles:
            return picture
        owner: Owner = np.zeros(picture.shape[:2], dtype=np.int32)
        boxes = [tile.box for tile in tiles]
        hulls = np.zeros((len(boxes), 4))
        for i, box in enumerate(boxes):
            pixels, _ = self._camera.project(box.corners())
            hulls[i] = (*pixels.min(axis=0), *pixels.max(axis=0))
        paint_shadows(picture, boxes, self._camera, self._lamp, *self._shadow)
        for i in painters_order(boxes, hulls, self._camera.position):
            paint_tile(picture, owner, boxes[i], tiles[i].name, i, self._camera, self._lamp, self._look, 1.0)
        return picture

    def _shaken(self, seconds: float) -> Array:
        """Where the camera has moved: a tripod's tremor, in pixels, and a trace of turning."""
        waves = [
            np.sin(seconds * rate + phase)
            for rate, phase in zip((2.1, 5.3, 3.1, 7.7, 1.3), self._phases[1:], strict=True)
        ]
        x, y = self._shake * (waves[0] + 0.4 * waves[1]), self._shake * (waves[2] + 0.4 * waves[3])
        matrix = cv2.getRotationMatrix2D(
            (self._size[0] / 2, self._size[1] / 2), 0.02 * self._shake * float(waves[4]), 1.0
        )
        return np.asarray(matrix + np.array([[0, 0, x], [0, 0, y]]), dtype=np.float64)

    def seen(self, script: Script, seconds: float) -> tuple[TileBox, ...]:
        """The tiles in view, as `Recording.seen` gives them."""
        tiles = [tiles for begin, tiles in script.moments if begin <= seconds][-1]
        width, height = self._size
        covered = np.zeros((height, width), dtype=np.uint8)
        for arm in script.arms:
            if arm.begin <= seconds <= arm.end:
                self._put_arm(covered, arm, seconds, (255.0,), (255.0,))
        shaken = self._shaken(seconds)
        boxes: list[TileBox] = []
        centres = np.array([tile.box.centre for tile in tiles]).reshape(-1, 3)
        for tile in tiles:
            away = centres - tile.box.centre
            if ((np.abs(away[:, :2]).max(axis=1) < 0.5) & (away[:, 2] > 0.1)).any():
                # Another tile lies on it.
                continue
            cap = seen_cap(tile.box, self._camera)
            pixels, _ = self._camera.project(tile.box.cap(cap))
            x, y = (int(value) for value in pixels.mean(axis=0))
            if not (0 <= x < width and 0 <= y < height) or covered[y, x] > 127:
                continue
            corners = pixels @ shaken[:, :2].T + shaken[:, 2]
            boxes.append(_tile_box(corners, tile.name if cap == 1 else "back"))
        return tuple(boxes)

    def _put_arm(self, picture: Picture, arm: Arm, seconds: float, skin: Colour, sleeve: Colour) -> None:
        """Paint an arm and its sleeve; it is furthest over the table in the middle of its time."""
        share = np.sin(np.pi * (seconds - arm.begin) / max(arm.end - arm.begin, 1e-6))
        angle = np.radians(90.0 * arm.seat)
        outside = np.array([np.sin(angle), -np.cos(angle)]) * (EDGE + 6)
        target = np.array(arm.target)
        root = outside + 0.35 * (target - outside) * np.abs([np.cos(angle), np.sin(angle)])
        tip = root + (target - root) * min(1.0, 0.2 + 0.9 * float(share))
        points, depths = self._camera.project(np.array([[*root, 1.5], [*tip, 1.2]]))
        unit = self._camera.focal / float(depths.mean())
        cuff = points[0] + (points[1] - points[0]) * 0.55
        start, end, cut = ((int(x), int(y)) for x, y in (*points, cuff))
        cv2.line(picture, start, end, skin, max(int(2.6 * unit), 1), cv2.LINE_AA)
        cv2.circle(picture, end, max(int(1.7 * unit), 1), skin, -1, cv2.LINE_AA)
        cv2.line(picture, start, cut, sleeve, max(int(3.2 * unit), 1), cv2.LINE_AA)


def _tile_box(corners: Array, name: str) -> TileBox:
    """A tile named with near certainty. corners: of its face, clockwise from the face's own top left."""
    top = corners[0] + corners[1] - corners[2] - corners[3]
    up = float(np.degrees(np.arctan2(top[0], -top[1])) % 360)
    level = np.roll(corners, -int(corners.sum(axis=1).argmin()), axis=0)
    low, high = corners.min(axis=0), corners.max(axis=0)
    probabilities = np.full(len(TILE_CLASSES), 0.02 / (len(TILE_CLASSES) - 1), dtype=np.float32)
    probabilities[TILE_CLASSES.index(name)] = 0.98
    box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    return TileBox(box, probabilities, 0.99, level.astype(np.float32), None if name == "back" else up, 0.99)


def _ground(camera: Camera, split: Split, size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """The table top, and the floor beyond its edge."""
    scale = SIDE / (2 * EDGE + 1)
    to_texture = np.array([[scale, 0, SIDE / 2], [0, -scale, SIDE / 2], [0, 0, 1.0]])
    floor = tuple(float(value) for value in rng.uniform(20, 120, 3))
    top = cv2.warpPerspective(
        surface(rng, split),
        camera.plane() @ np.linalg.inv(to_texture),
        size,
        flags=cv2.INTER_LINEAR,
        borderValue=floor,
    )
    return np.asarray(top, dtype=np.uint8)


def sheet_rows(recording: Recording) -> list[dict[str, Any]]:
    """The score sheet's rows as its columns name them."""
    rows = []
    for declared in recording.declared:
        context = declared.context
        rows.append(
            {
                "hand": declared.hand,
                "round_wind": context.prevalent_wind,
                "winner": context.seat_wind,
                "win_type": "self-draw" if context.self_draw else "discard",
                "last_tile": 0,
                "kong_replacement": 0,
                "robbing_kong": 0,
                "fourth_tile": 0,
                "flowers": len(recording.events[declared.hand - 1].hand.flowers),
                "fan": declared.fan,
            }
        )
    return rows
