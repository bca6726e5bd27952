"""Footage painted for the tests: tiles are white rectangles with two colours for a name.

`see` reads such frames as a detector would, so what is tested is how footage is followed, not a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.reading import ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

PALETTE = np.array(
    [
        (220, 40, 40),
        (30, 160, 60),
        (40, 70, 220),
        (200, 190, 20),
        (190, 40, 190),
        (20, 180, 190),
        (20, 20, 20),
    ],
    dtype=np.float64,
)
WIDTH, HEIGHT = 26, 36
STEP = 29
TABLE = (30, 95, 70)
SKIN = (205, 150, 120)
SIZE = (640, 360)

HAND = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "2p", "3p", "4p", "5s", "5s"]
"""A win: pure straight and a chow in dots."""


def table(seed: int = 1) -> Pixels:
    """A bare table with enough texture to hold on to."""
    rng = np.random.default_rng(seed)
    picture = np.empty((SIZE[1], SIZE[0], 3), dtype=np.uint8)
    picture[:] = TABLE
    for _ in range(90):
        x, y = int(rng.integers(SIZE[0])), int(rng.integers(SIZE[1]))
        shade = int(rng.integers(-18, 18))
        colour = tuple(float(value + shade) for value in TABLE)
        cv2.circle(picture, (x, y), int(rng.integers(2, 7)), colour, -1)
    return picture


def tile(picture: Pixels, name: str, x: int, y: int) -> None:
    """A tile face up with its upper left corner at (x, y)."""
    picture[y : y + HEIGHT, x : x + WIDTH] = (245, 245, 240)
    number = TILE_CLASSES.index(name)
    for place, colour in enumerate((number // 7, number % 7)):
        top = y + 5 + place * 14
        picture[top : top + 12, x + 5 : x + WIDTH - 5] = PALETTE[colour]


def row(picture: Pixels, names: Sequence[str], x: int = 100, y: int = 250) -> Pixels:
    """The picture with a row of tiles on it."""
    picture = picture.copy()
    for number, name in enumerate(names):
        tile(picture, name, x + number * STEP, y)
    return picture


def arm(picture: Pixels, x: int) -> Pixels:
    """The picture with an arm across it, its middle at x."""
    picture = picture.copy()
    cv2.line(picture, (x - 40, 0), (x + 40, SIZE[1]), SKIN, 110)
    return picture


def see(rgb: Pixels) -> Reading:
    """Read a painted frame."""
    bright = (rgb.min(axis=2) > 190).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(bright, connectivity=4)
    tiles = []
    for x, y, width, height, area in stats[1:count].tolist():
        if not (0.6 * WIDTH < width < 1.6 * WIDTH and 0.6 * HEIGHT < height < 1.6 * HEIGHT and area > 100):
            continue
        part = cv2.resize(rgb[y : y + height, x : x + width], (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
        colours, off = [], 0.0
        for top in (5, 19):
            mean = part[top + 3 : top + 9, 9:-9].reshape(-1, 3).mean(axis=0)
            distance = np.linalg.norm(PALETTE - mean, axis=1)
            colours.append(int(distance.argmin()))
            off = max(off, float(distance.min()))
        number = colours[0] * 7 + colours[1]
        if number >= 42:
            continue
        sure = 0.98 if off < 60 else 0.6
        probabilities = np.full(43, (1 - sure) / 42, dtype=np.float32)
        probabilities[number] = sure
        box = (float(x), float(y), float(x + width), float(y + height))
        corners = np.array(
            [[x, y], [x + width, y], [x + width, y + height], [x, y + height]], dtype=np.float32
        )
        tiles.append(TileBox(box, probabilities, sure, corners, 0.0, 0.99))
    tiles.sort(key=lambda each: (round(each.box[1] / 40), each.box[0]))
    image = ImageInfo(None, rgb.shape[1], rgb.shape[0])
    return read_hand(Sighting(image, ModelInfo("painted", "0" * 64), tuple(tiles)))


def write_video(
    path: Path,
    frames: Iterable[tuple[float, Pixels]],
    *,
    rotation: int = 0,
    codec: str = "h264",
    origin: float = 0.0,
) -> Path:
    """Encode frames with their own times (seconds); rotation: degrees anticlockwise that make it upright."""
    with av.open(str(path), "w") as container:
        stream = None
        for seconds, picture in frames:
            if stream is None:
                stream = container.add_stream(codec, rate=30)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
                stream.options = {"crf": "20", "preset": "ultrafast"} if codec == "h264" else {}
                if rotation:
                    stream.set_display_rotation(rotation)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), "rgb24")
            frame.pts, frame.time_base = round((seconds + origin) * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        assert stream is not None
        container.mux(stream.encode())
    return path


def played(
    steps: Sequence[tuple[float, Pixels]], end: float, rate: float = 15.0
) -> Iterable[tuple[float, Pixels]]:
    """Frames at a steady rate: each picture of `steps` is shown from its time on."""
    for number in range(round(end * rate)):
        seconds = number / rate
        yield seconds, [picture for start, picture in steps if start <= seconds + 1e-9][-1]
