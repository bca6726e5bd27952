"""Our own tile faces: 42 faces and the back as SVG files, drawn by `drawing` in one style.

Used by the page, by the example photo and as one of the renderer's tile sets. The characters are
outlines, so the files depend on no installed font; see README.md for licence and credit.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from ...vision.boxes import TILE_CLASSES

FACES: tuple[str, ...] = TILE_CLASSES
"""Every tile that has a face here: the 42 of the set and `back`."""


@cache
def svg(tile: str) -> str:
    """The SVG document of `tile`, 300 x 400 units, transparent around the drawing (the back is opaque).

    Raises KeyError for a name that is no tile.
    """
    if tile not in FACES:
        raise KeyError(f"{tile!r} is no tile: expected one of {' '.join(FACES)}")
    return resources.files(__package__).joinpath("art", f"{tile}.svg").read_text(encoding="utf-8")
