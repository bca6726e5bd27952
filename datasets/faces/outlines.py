"""Characters as SVG paths, taken from a font's outlines, so that a face depends on no installed font."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont


@lru_cache(maxsize=64)
def _open(path: Path, index: int) -> TTFont:
    if path.suffix == ".ttc":
        return TTCollection(str(path), lazy=True).fonts[index]
    return TTFont(str(path), lazy=True)


class Lettering:
    """One font file as a source of outlines. `index` picks the font of a collection (.ttc)."""

    def __init__(self, path: Path, index: int = 0) -> None:
        self.path = path
        self._font = _open(path, index)
        self._glyphs = self._font.getGlyphSet()
        self._names = self._font.getBestCmap()

    def has(self, text: str) -> bool:
        """Whether every character of `text` has an outline here."""
        return all(ord(c) in self._names and self._bounds(c) is not None for c in text)

    def _bounds(self, character: str) -> tuple[float, float, float, float] | None:
        pen = BoundsPen(self._glyphs)
        self._glyphs[self._names[ord(character)]].draw(pen)
        return pen.bounds  # type: ignore[no-any-return]

    def path_data(
        self, character: str, box: tuple[float, float, float, float], *, stretch: float = 1.25
    ) -> str:
        """SVG path data of `character` fitted into `box` (x0, y0, x1, y1), y down, centred.

        stretch: how far one axis may be stretched beyond the other to fill the box.
        Raises KeyError where the font lacks the character.
        """
        x0, y0, x1, y1 = box
        bounds = self._bounds(character)
        if bounds is None:
            raise KeyError(character)
        left, bottom, right, top = bounds
        width, height = max(right - left, 1.0), max(top - bottom, 1.0)
        # A stroke such as 一 is flat: it keeps its own proportions instead of filling the box.
        sx, sy = (x1 - x0) / width, (y1 - y0) / height
        sx, sy = min(sx, sy * stretch), min(sy, sx * stretch)
        dx = (x0 + x1) / 2 - sx * (left + right) / 2
        dy = (y0 + y1) / 2 + sy * (bottom + top) / 2
        pen = SVGPathPen(self._glyphs, ntos=lambda value: f"{value:.1f}".rstrip("0").rstrip("."))
        self._glyphs[self._names[ord(character)]].draw(TransformPen(pen, (sx, 0, 0, -sy, dx, dy)))
        return str(pen.getCommands())
