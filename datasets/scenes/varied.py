"""Tile sets drawn at random: fonts, inks and motifs in combinations that no list holds.

What reads tiles of many designs learns what a tile's face has in all of them.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ..faces.drawing import FLOWER_TEXT, Inks, Style
from .font_sets import FontSet

VARIED_SETS = 480
"""How many of them are offered."""

_NOTO = "opentype/noto/Noto{}CJK-{}.ttc"


class _Font(NamedTuple):
    """A file below the fonts' folder, its place in a .ttc, and the boldest extra outline that suits it."""

    file: str
    place: int = 0
    bold: float = 10.0


_FONTS = (
    *(_Font(f"truetype/lxgw-wenkai/LXGWWenKai-{weight}.ttf") for weight in ("Light", "Regular", "Bold")),
    *(_Font(_NOTO.format("Serif", weight), 3, 4) for weight in ("Black", "Bold", "SemiBold")),
    *(_Font(_NOTO.format("Serif", weight), 0, 8) for weight in ("Medium", "Regular")),
    *(_Font(_NOTO.format("Sans", weight), 3, 4) for weight in ("Black", "Bold", "Medium")),
    _Font("truetype/arphic/ukai.ttc"),
    _Font("truetype/arphic/ukai.ttc"),  # twice: most sets on sale are in this hand
    _Font("truetype/arphic/uming.ttc"),
    _Font("truetype/wqy/wqy-zenhei.ttc", bold=5),
    _Font("truetype/cns11643/TW-Kai-98_1.ttf"),
    _Font("truetype/cns11643/TW-Sung-98_1.ttf"),
    _Font("truetype/kouzan-mouhitsu/kouzan-mouhitsu.ttf", bold=5),
    _Font("truetype/kouzan-mouhitsu/kouzan-mouhitsu-gyosho.ttf", bold=5),
    _Font("truetype/aoyagi-kouzan-t/AoyagiKouzanT.ttf", bold=5),
    _Font("truetype/reggae/ReggaeOne-Regular.ttf", bold=3),
    _Font("truetype/arphic-bkai00mp/bkai00mp.ttf"),
    _Font("truetype/arphic-gkai00mp/gkai00mp.ttf"),
    _Font("truetype/cwtex/cwfs.ttf"),
    _Font("truetype/cwtex/cwming.ttf"),
    _Font("truetype/seto/setofont.ttf"),
    _Font("truetype/kiloji/kiloji_b.ttf"),
    _Font("truetype/oradano-mincho/OradanoGSRR.ttf", bold=8),
    _Font("truetype/smiley-sans/SmileySans-Oblique.ttf", bold=4),
    _Font("truetype/bizud-mincho/BIZUDMincho-Regular.ttf"),
    _Font("truetype/sawarabi-mincho/sawarabi-mincho-medium.ttf"),
    _Font("truetype/motoya-l-cedar/MTLc3m.ttf"),
    _Font("truetype/horai-umefont/ume-tgo5.ttf", bold=6),
)


def varied_name(number: int) -> str:
    """The name of the set `number`."""
    return f"varied-{number:03d}"


def varied_set(number: int) -> FontSet:
    """The set `number` (0 to `VARIED_SETS` - 1), always the same one; it is for training."""
    rng = np.random.default_rng([number, 0x7161])

    def one(*values: str) -> str:
        return values[int(rng.integers(len(values)))]

    font = _FONTS[int(rng.integers(len(_FONTS)))]
    style = Style(
        inks=_inks(rng),
        dots=one("rings", "flower", "solid", "wheel"),
        sticks=one("capsule", "bone", "segments", "plain"),
        white=one("blank", "frame", "frame", "double", "segments", "letter", "白"),
        bird=one("peacock", "sparrow"),
        corner=one("none", "none", "none", "first", "both", "red"),
        five=one("五", "伍"),
        simplified=bool(rng.random() < 0.15),
        numerals=one("black", "black", "blue", "green", "red"),
        bold=float(rng.uniform(0, font.bold)),
        size=float(rng.uniform(0.8, 1.0)),
        flowers=one("motif", "garden", "garden"),
        flower_seed=int(rng.integers(100, 10_000)),
    )
    return FontSet(varied_name(number), "train", font.file, style, font.place)


def lent_flowers(
    lenders: Sequence[Mapping[str, NDArray[np.uint8]]], number: int
) -> dict[str, NDArray[np.uint8]]:
    """Flowers of other sets for the set `number`, each of any of the lenders; none for most numbers."""
    rng = np.random.default_rng([number, 0xF10A])
    if not lenders or rng.random() > 0.4:
        return {}
    lent = {}
    for tile in FLOWER_TEXT:
        # A session that lacks a flower shows another one's, so the same picture stands in many sets.
        pictures = list({id(faces[tile]): faces[tile] for faces in lenders}.values())
        lent[tile] = pictures[int(rng.integers(len(pictures)))]
    return lent


def bent(faces: Mapping[str, NDArray[np.uint8]], number: int) -> dict[str, NDArray[np.uint8]]:
    """The faces of the set `number`, each bent a little in its own way: RGBA pictures of one size.

    A carver's hand moves strokes, dots and petals; the same motif is then not the same picture.
    """
    rng = np.random.default_rng([number, 0xBE47])
    strength = float(rng.uniform(0, 0.035))
    return {tile: _bent(face, strength, rng) for tile, face in faces.items()}


def _bent(face: NDArray[np.uint8], strength: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    height, width = face.shape[:2]
    ways = rng.normal(0, strength * width, (2, 5, 4)).astype(np.float32)
    dx, dy = (cv2.resize(way, (width, height), interpolation=cv2.INTER_CUBIC) for way in ways)
    across, down = rng.uniform(0.94, 1.12, 2).astype(np.float32)
    x = (np.arange(width, dtype=np.float32) - width / 2) * across + width / 2
    y = (np.arange(height, dtype=np.float32) - height / 2) * down + height / 2
    alpha = face[:, :, 3:].astype(np.float32) / 255
    # colour weighted by opacity: what is transparent has no colour to mix in
    weighted = np.dstack([face[:, :, :3] * alpha, face[:, :, 3].astype(np.float32)])
    moved = cv2.remap(weighted, x[None] + dx, y[:, None] + dy, cv2.INTER_LINEAR, borderValue=(0, 0, 0, 0))
    colour = moved[:, :, :3] / np.maximum(moved[:, :, 3:] / 255, 1e-3)
    return np.asarray(np.clip(np.dstack([colour, moved[:, :, 3]]), 0, 255), dtype=np.uint8)


def _inks(rng: np.random.Generator) -> Inks:
    """Four inks; now and then one stands in for another, as on sets of few colours."""

    def ink(hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]) -> str:
        rgb = colorsys.hsv_to_rgb(rng.uniform(*hue) % 1, rng.uniform(*saturation), rng.uniform(*value))
        return "#" + "".join(f"{round(255 * channel):02x}" for channel in rgb)

    black = ink((0, 1), (0, 0.5), (0.04, 0.25))
    red = ink((0.93, 1.04), (0.7, 1), (0.45, 0.9))
    green = ink((0.28, 0.47), (0.6, 1), (0.25, 0.6))
    blue = ink((0.53, 0.72), (0.5, 1), (0.3, 0.75))
    fewer = rng.random()
    if fewer < 0.12:
        blue = black
    elif fewer < 0.2:
        green = blue
    elif fewer < 0.25:
        green = blue = black
    return Inks(black, red, green, blue)
