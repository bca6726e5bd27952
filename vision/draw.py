"""A reading drawn on its picture: names and roles, what is doubtful, the total above.

Legible at phone size: sizes follow the tiles, and small pictures are enlarged first. Text is Latin
only, in Pillow's own scalable font, so that no system font is needed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .reading import Reading, ReadTile

Colour = tuple[int, int, int]
Point = tuple[float, float]

ROLE_COLOURS: dict[str, Colour] = {
    "concealed": (0, 114, 178),
    "meld": (230, 159, 0),
    "flower": (204, 121, 167),
    "winning": (0, 158, 115),
    "elsewhere": (150, 150, 150),
}
"""By role, told apart by the colour-blind too (Okabe and Ito 2008)."""
DOUBTFUL: Colour = (213, 42, 0)
_INK: Colour = (255, 255, 255)
_BAR: Colour = (28, 32, 36)

_SHORT = 3
"""Letters of a name that fit below a tile."""
_LEAST_TILE = 52.0
"""Pixels a tile is drawn wide at least, as far as the picture's size allows."""
_LONGEST = 2400
_SHORTEST = 1000
"""Pixels of the drawn picture's long side."""


def annotate(rgb: NDArray[np.uint8], reading: Reading) -> NDArray[np.uint8]:
    """The picture with the reading drawn on it, between a bar with the total and one with the legend.

    rgb: uint8, shape (rows, columns, 3), the upright picture at any scale. Returns the same kind of
    array, perhaps enlarged.
    """
    image, scale = _fitted(rgb, reading)
    sheet = _Sheet(ImageDraw.Draw(image, "RGBA"), scale, image.width)
    for tile in reading.tiles:
        if tile.role == "elsewhere":
            sheet.outline(_corners(reading, tile), ROLE_COLOURS["elsewhere"], 1)
    for hand in reading.hands:
        for meld in hand.melds:
            sheet.frame(meld.box, ROLE_COLOURS["meld"])
    shown = [tile for tile in reading.tiles if tile.role != "elsewhere" or tile.flag]
    # Long names (flowers) are wider than their tiles: every other one goes a line lower.
    long_names = sorted((tile for tile in shown if len(tile.tile) > _SHORT), key=lambda tile: tile.box)
    lower = {tile.id for tile in long_names[1::2]}
    for tile in sorted(shown, key=lambda tile: tile.flag is not None):
        sheet.tile(tile, _corners(reading, tile), lower=tile.id in lower)
    legend = [(role, colour) for role, colour in ROLE_COLOURS.items() if _has(reading, role)]
    if reading.doubtful:
        legend.append(("doubtful", DOUBTFUL))
    top, bottom = _title_bar(_title(reading), image.width), _legend_bar(legend, image.width)
    whole = Image.new("RGB", (image.width, top.height + image.height + bottom.height))
    for part, y in ((top, 0), (image, top.height), (bottom, top.height + image.height)):
        whole.paste(part, (0, y))
    return np.asarray(whole)


def encode(rgb: NDArray[np.uint8]) -> bytes:
    """A picture as JPEG."""
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def _fitted(rgb: NDArray[np.uint8], reading: Reading) -> tuple[Image.Image, float]:
    """The picture at drawing size, and its pixels per pixel of the original."""
    info = reading.sighting.image
    long = max(info.width, info.height)
    boxes = [tile.box for tile in reading.tiles if tile.hand is not None]
    widths = [min(x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes]
    wanted = _LEAST_TILE / float(np.median(widths)) if widths else 1.0
    scale = min(max(wanted, _SHORTEST / long, min(1.0, 1600 / long)), _LONGEST / long)
    size = (max(1, round(info.width * scale)), max(1, round(info.height * scale)))
    return Image.fromarray(rgb).resize(size, Image.Resampling.LANCZOS), scale


def _corners(reading: Reading, tile: ReadTile) -> list[Point]:
    """The tile's outline in pixels of the original; the box where a person added the tile."""
    if tile.id < len(reading.sighting.tiles):
        return [(float(x), float(y)) for x, y in reading.sighting.tiles[tile.id].corners]
    x0, y0, x1, y1 = tile.box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _has(reading: Reading, role: str) -> bool:
    return any(tile.role == role for tile in reading.tiles)


def _title(reading: Reading) -> str:
    if reading.score is None:
        return reading.problems[0].message if reading.problems else "No hand."
    total, low, high = reading.score.score.total, reading.score.low, reading.score.high
    parts = [f"{total} points"]
    if low < high:
        parts.append(f"{low} to {high}")
    if not reading.score.score.qualifies:
        parts.append("below 8: no win")
    if reading.doubtful:
        parts.append(f"{len(reading.doubtful)} doubtful")
    return "  |  ".join(parts)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Drawing at the scale of the enlarged picture; places come in pixels of the original."""

    pen: ImageDraw.ImageDraw
    scale: float
    width: int

    def outline(self, corners: Sequence[Point], colour: Colour, thickness: int) -> None:
        points = [(x * self.scale, y * self.scale) for x, y in corners]
        self.pen.line([*points, points[0], points[1]], fill=colour, width=thickness, joint="curve")

    def frame(self, box: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = (side * self.scale for side in box)
        gap = self.width / 250
        self.pen.rounded_rectangle(
            (x0 - gap, y0 - gap, x1 + gap, y1 + gap), radius=2 * gap, outline=colour, width=max(3, int(gap))
        )

    def tile(self, tile: ReadTile, corners: Sequence[Point], *, lower: bool) -> None:
        """Outline, name on the lower edge (or a line lower), number in the upper left corner."""
        role = ROLE_COLOURS[tile.role]
        colour = DOUBTFUL if tile.flag else role
        across = min(_length(corners[0], corners[1]), _length(corners[1], corners[2])) * self.scale
        self.outline(corners, colour, max(2, round(across / (11 if tile.flag else 20))))
        x0, y0, x1, y1 = (side * self.scale for side in tile.box)
        name_doubted = tile.flag is not None and tile.flag != "role"
        name = f"{tile.tile}?" if name_doubted and tile.tile != "?" else tile.tile
        size = max(0.42 * across, self.width / 62, 11.0)
        while size > 11 and _font(size).getlength(name) > 1.5 * across and len(name) > _SHORT:
            size -= 1
        below = y1 + (1.5 if lower else 0.3) * size
        self._label((x0 + x1) / 2, below, name, size, DOUBTFUL if name_doubted else role)
        small = max(0.24 * across, 11.0)
        self.pen.text(
            (x0 + small / 3, y0 + small / 4),
            str(tile.id),
            font=_font(small),
            fill=colour,
            stroke_width=max(1, round(small / 9)),
            stroke_fill=_INK,
        )

    def _label(self, x: float, y: float, text: str, size: float, colour: Colour) -> None:
        font = _font(size)
        half = font.getlength(text) / 2 + size * 0.2
        self.pen.rounded_rectangle(
            (x - half, y - size * 0.75, x + half, y + size * 0.4), radius=size * 0.25, fill=(*colour, 235)
        )
        self.pen.text((x, y - size * 0.16), text, font=font, fill=_INK, anchor="mm")


def _title_bar(text: str, width: int) -> Image.Image:
    size = width / 24
    while size > width / 60 and _font(size).getlength(text) > 0.95 * width:
        size -= 1
    lines = _wrapped(text, _font(size), 0.95 * width)
    bar = Image.new("RGB", (width, round(size * (0.6 + 1.25 * len(lines)))), _BAR)
    pen = ImageDraw.Draw(bar)
    for number, line in enumerate(lines):
        pen.text((0.025 * width, size * (0.3 + 1.25 * number)), line, font=_font(size), fill=_INK)
    return bar


def _legend_bar(entries: Sequence[tuple[str, Colour]], width: int) -> Image.Image:
    size = width / 40
    font = _font(size)
    bar = Image.new("RGB", (width, round(size * 2)), _BAR)
    pen, x = ImageDraw.Draw(bar), 0.025 * width
    for name, colour in entries:
        pen.rounded_rectangle((x, size * 0.55, x + size * 0.9, size * 1.45), radius=size * 0.2, fill=colour)
        pen.text((x + size * 1.2, size), name, font=font, fill=_INK, anchor="lm")
        x += size * 2 + font.getlength(name)
    return bar


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if font.getlength(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size=max(8, round(size)))
    assert isinstance(font, ImageFont.FreeTypeFont)  # with a size it is always this one
    return font


def _length(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
