"""Writes the shipped faces again: `python -m fanlens.datasets.faces FONT`.

FONT is a font with Chinese characters whose licence allows outlines to be used; the shipped files
were made with LXGW WenKai Bold (SIL Open Font License 1.1).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from . import FACES
from .drawing import Style, back, face
from .outlines import Lettering

STYLE = Style(bold=7)


def main() -> None:
    """Draws the 42 faces and the back into `art/` beside this file."""
    parser = argparse.ArgumentParser(description="Draw the shipped tile faces again.")
    parser.add_argument("font", type=Path, help="font file for the Chinese characters and digits")
    letters = Lettering(parser.parse_args().font)
    folder = Path(__file__).parent / "art"
    folder.mkdir(exist_ok=True)
    for tile in FACES:
        drawn = back(STYLE) if tile == "back" else face(tile, STYLE, letters)
        (folder / f"{tile}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
