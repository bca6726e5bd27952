"""Tile sets to render with: where their faces come from and which split may use them.

A face is an RGBA picture, shape (FACE_HEIGHT, FACE_WIDTH, 4), transparent where the tile shows.
Drawn sets come from a folder of tile art, font sets from `faces.drawing` with fonts of the system,
real sets from photos of the user (`real_faces`); nothing of these is shipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

from ...vision.boxes import TILE_CLASSES
from .. import faces as own_faces
from ..faces.drawing import document, face
from ..faces.outlines import Lettering
from .font_sets import FONT_SETS, FontSet, Split
from .real_faces import read_real_faces
from .varied import VARIED_SETS, bent, lent_flowers, varied_name, varied_set

FACE_WIDTH, FACE_HEIGHT = 192, 256
FACES: tuple[str, ...] = TILE_CLASSES[:42]

Face = NDArray[np.uint8]

KEPT_SETS = 32
"""Sets held in memory, 8 MB each."""

FONTS = Path("/usr/share/fonts")

DRAWN_SETS: dict[str, Split] = {"fluffystuff-cc0": "train", "uni": "train", "riichi": "train"}
"""Sets of the tile-art folder (its `fluffystuff-cc0/` and `ffalt-atlases/`); riichi resembles fluffystuff,
so neither may be held out while the other trains."""

_FLUFFY = {
    **{
        f"{n}{suit}": f"{name}{n}"
        for suit, name in (("m", "Man"), ("p", "Pin"), ("s", "Sou"))
        for n in range(1, 10)
    },
    **dict(zip("ESWNCFP", ("Ton", "Nan", "Shaa", "Pei", "Chun", "Hatsu", "Haku"), strict=True)),
}

_ATLAS = {
    **{
        f"{n}{suit}": f"{name}{n}"
        for suit, name in (("m", "ch"), ("p", "do"), ("s", "ba"))
        for n in range(1, 10)
    },
    **dict(
        zip(
            "ESWNCFP",
            ("wi_east", "wi_south", "wi_west", "wi_north", "dr_red", "dr_green", "dr_white"),
            strict=True,
        )
    ),
    **{name: f"fl_{name}" for name in ("plum", "orchid", "chrysanthemum", "bamboo")},
    "spring": "se_spring",
    "summer": "se_summer",
    "autumn": "se_fall",
    "winter": "se_winter",
}


@dataclass(frozen=True)
class Designs:
    """The tile sets at hand.

    tile_art: folder of drawn sets (or None); photos: folder with `images/`, `labels/` and
    `../manifest.csv` whose tiles are cut out for training scenes (or None); cache: where the cut
    faces are kept between runs; fonts: the system's fonts. Sets whose font or folder is missing
    are not offered, so the same seed gives the same picture only with the same folders and fonts.
    """

    tile_art: Path | None = None
    photos: Path | None = None
    cache: Path | None = None
    fonts: Path = FONTS
    _loaded: dict[str, Mapping[str, Face]] = field(default_factory=dict, repr=False, compare=False)

    def names(self, split: Split) -> list[str]:
        """Names of the sets `split` may use, in a fixed order; no set belongs to two splits."""
        names = [s.name for s in FONT_SETS if s.split == split and (self.fonts / s.font).is_file()]
        if self.tile_art is not None:
            names += [name for name, part in DRAWN_SETS.items() if part == split]
        if split == "train":
            names += ["own"]
            if (self.fonts / SYMBOLA).is_file():
                names += ["symbola"]
            names += [f"real:{group}" for group in self._real()]
            names += _varied_names(self.fonts)
        return names

    def faces(self, name: str) -> Mapping[str, Face]:
        """Every face of the set by tile; faces the set lacks are filled from one that has them.

        Raises KeyError for an unknown name.
        """
        if name not in self._loaded:
            if len(self._loaded) >= KEPT_SETS:
                self._loaded.pop(next(iter(self._loaded)))
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Mapping[str, Face]:
        if name.startswith("real:"):
            return self._real()[name.removeprefix("real:")]
        if name == "own":
            return {tile: _raster(own_faces.svg(tile)) for tile in FACES}
        if name == "symbola":
            return _symbola(self.fonts / SYMBOLA)
        if name in DRAWN_SETS and self.tile_art is not None:
            if name == "fluffystuff-cc0":
                found = {t: _raster(_read(self.tile_art / name / f"{f}.svg")) for t, f in _FLUFFY.items()}
                return {tile: found[tile] if tile in found else self.faces("own")[tile] for tile in FACES}
            return _atlas(self.tile_art / "ffalt-atlases" / f"{name}.svg")
        if name.startswith("varied-"):
            number = int(name.removeprefix("varied-"))
            font_set = varied_set(number)
            faces = _font_faces(font_set, self.fonts / font_set.font)
            return bent({**faces, **lent_flowers(self._flower_lenders(), number)}, number)
        for font_set in FONT_SETS:
            if font_set.name == name:
                return _font_faces(font_set, self.fonts / font_set.font)
        raise KeyError(name)

    def _flower_lenders(self) -> list[Mapping[str, Face]]:
        drawn = [name for name in ("uni", "riichi") if self.tile_art is not None]
        return [*self._real().values(), *(self.faces(name) for name in drawn)]

    def _real(self) -> Mapping[str, Mapping[str, Face]]:
        if self.photos is None:
            return {}
        return read_real_faces(self.photos, self.cache, (FACE_WIDTH, FACE_HEIGHT))


@lru_cache(maxsize=2)
def _varied_names(fonts: Path) -> list[str]:
    # Asked for every scene: 480 styles drawn and files looked for would be a tenth of its time.
    return [varied_name(n) for n in range(VARIED_SETS) if (fonts / varied_set(n).font).is_file()]


SYMBOLA = "truetype/ancient-scripts/Symbola_hint.ttf"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _raster(svg: str, width: int = FACE_WIDTH, height: int = FACE_HEIGHT) -> Face:
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, height=height, skip_system_fonts=True))
    bgra = cv2.imdecode(np.frombuffer(png, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    assert bgra is not None
    return np.ascontiguousarray(bgra[:, :, [2, 1, 0, 3]], dtype=np.uint8)


def _font_faces(font_set: FontSet, path: Path) -> dict[str, Face]:
    letters = Lettering(path, font_set.index)
    fallback = {}
    faces = {}
    for tile in FACES:
        try:
            faces[tile] = _raster(face(tile, font_set.style, letters))
        except KeyError:
            fallback[tile] = _raster(own_faces.svg(tile))
    return {**fallback, **faces}


@lru_cache(maxsize=4)
def _atlas(path: Path) -> dict[str, Face]:
    text = _read(path)
    cell = (75, 100)
    scale = FACE_WIDTH / cell[0]
    sheet = _raster(text, round(675 * scale), round(800 * scale))
    places = {
        name: (float(dict(re.findall(r'(\w+)="([^"]*)"', rest)).get("x", 0)),
               float(dict(re.findall(r'(\w+)="([^"]*)"', rest)).get("y", 0)))
        for name, rest in re.findall(r'<use xlink:href="#t_(\w+)" ([^>]*)/>', text)
    }  # fmt: skip
    faces = {}
    for tile, name in _ATLAS.items():
        x, y = (round(value * scale) for value in places[name])
        faces[tile] = np.ascontiguousarray(sheet[y : y + FACE_HEIGHT, x : x + FACE_WIDTH])
    return faces


def _symbola(path: Path) -> dict[str, Face]:
    letters = Lettering(path)
    order = [*"ESWNCFP", *(f"{n}{suit}" for suit in "msp" for n in range(1, 10)), *FACES[34:]]
    # The glyphs carry a frame of their own: they are drawn so large that it falls off the tile.
    return {
        tile: _raster(
            document(
                f'<path fill="#20242c" d="{letters.path_data(chr(0x1F000 + i), (-28, -34, 328, 434))}"/>'
            )
        )
        for i, tile in enumerate(order)
    }
