"""The likely label errors as a CSV file and a page with crops."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from .check import Suggestion
from .files import write_atomically
from .geometry import enclosing
from .results import PictureResult
from .review import begin_crops, csv_bytes

CSV_NAME = "check.csv"
PAGE_NAME = "check.html"
PAGE_ITEMS = 400
_COLUMNS = (
    *("rank", "score", "kind", "picture", "label", "seen", "detail"),
    *("x0", "y0", "x1", "y1", "seen_x0", "seen_y0", "seen_x1", "seen_y1"),
)
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.45 system-ui, sans-serif; max-width: 980px; margin: 0 auto; padding: 16px; }
article { display: grid; grid-template-columns: 236px 1fr; gap: 16px; align-items: center;
  border: 1px solid #8885; border-radius: 12px; padding: 12px; margin: 12px 0; }
figure { margin: 0; position: relative; line-height: 0; justify-self: center; }
figure i { position: absolute; border: 2px solid #ff4d2e; border-radius: 3px; box-shadow: 0 0 0 1px #fff8; }
p { margin: 2px 0; overflow-wrap: anywhere; } .soft { opacity: .7; font-size: 14px; }
@media (max-width: 640px) { article { grid-template-columns: 1fr; } }
"""


def write_check(
    suggestions: Sequence[Suggestion], read: Mapping[Path, PictureResult], root: Path, out: Path
) -> None:
    """Write both files to `out`. read: by picture what was read in it, named below `root`."""
    rows = (
        (
            rank,
            each.score,
            each.kind,
            str(each.path),
            each.label or "",
            each.seen or "",
            each.detail,
            *_cells(each.box),
            *_cells(each.seen_box),
        )
        for rank, each in enumerate(suggestions, start=1)
    )
    write_atomically(out / CSV_NAME, csv_bytes(_COLUMNS, rows))
    write_atomically(out / PAGE_NAME, _page(suggestions, read, root))


def _cells(box: Sequence[float] | None) -> list[object]:
    return [""] * 4 if box is None else [round(side, 1) for side in box]


def _page(suggestions: Sequence[Suggestion], read: Mapping[Path, PictureResult], root: Path) -> bytes:
    shown = suggestions[:PAGE_ITEMS]
    boxes = [enclosing([box for box in (each.box, each.seen_box) if box]) for each in shown]
    crops = begin_crops(root, [(read[each.path], box) for each, box in zip(shown, boxes, strict=True)])()
    parts = []
    for rank, (each, crop) in enumerate(zip(shown, crops, strict=True), start=1):
        picture = "<p>The picture can't be shown.</p>"
        if crop is not None:
            left, top, width, height = crop["box"]
            picture = (
                f'<figure><img alt="the place in its picture" width="{crop["width"]}" '
                f'height="{crop["height"]}" src="data:image/jpeg;base64,{crop["jpeg"]}">'
                f'<i style="left:{left}%;top:{top}%;width:{width}%;height:{height}%"></i></figure>'
            )
        parts.append(
            f"<article>{picture}<div><p><b>{each.kind}</b> ({each.score:.2f})</p>"
            f"<p>{html.escape(each.detail)}</p>"
            f'<p class="soft">{rank}. {html.escape(str(each.path).encode(errors="replace").decode())}</p>'
            "</div></article>"
        )
    more = f", the first {len(shown)} shown" if len(suggestions) > len(shown) else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>FanLens label check</title><style>{_STYLE}</style></head><body>"
        f"<h1>Likely label errors</h1><p>{len(suggestions)} places, likeliest first{more}; "
        "all of them are in check.csv.</p>" + "".join(parts) + "</body></html>\n"
    ).encode()
