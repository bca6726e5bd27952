"""The footage as a line with every hand where it was laid down, as SVG."""

from __future__ import annotations

from html import escape

from .events import Audit, timecode

WIDTH, HEIGHT = 1000, 74
_LEFT, _RIGHT, _TOP, _THICK = 12, 988, 26, 20
_LEAST = 9.0
"""Units: how wide a hand is drawn at least."""
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)
"""Seconds between marks."""
_KIND = {"agree": "agree", "disagree": "disagree", "needs review": "review", None: "none"}


def timeline(audit: Audit) -> str:
    """The drawing; each hand links to its card, unwatched stretches are marked."""
    whole = max(audit.duration, 1e-3)

    def x(seconds: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * min(max(seconds / whole, 0.0), 1.0)

    drawn = [
        f'<rect class="track" x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_THICK}" rx="4"/>'
    ]
    for index, part in enumerate(audit.state.parts):
        if not part.done:
            begin, end = audit.offset(index) + part.reached, audit.offset(index) + part.duration
            drawn.append(
                f'<rect class="gap" x="{x(begin):.1f}" y="{_TOP}" width="{x(end) - x(begin):.1f}" '
                f'height="{_THICK}">'
                "<title>not watched</title></rect>"
            )
    step = next((step for step in _STEPS if whole / step <= 10), _STEPS[-1])
    for mark in range(0, int(whole) + 1, step):
        at, foot = f"{x(mark):.1f}", _TOP + _THICK
        drawn.append(f'<line class="tick" x1="{at}" x2="{at}" y1="{foot}" y2="{foot + 6}"/>')
        anchor = "start" if mark == 0 else "end" if x(mark) > _RIGHT - 30 else "middle"
        said = timecode(mark)[:-4]
        drawn.append(f'<text x="{at}" y="{HEIGHT - 8}" text-anchor="{anchor}">{said}</text>')
    taken = -1.0
    for number, judged in enumerate(audit.judged, 1):
        offset = audit.offset(judged.found.part)
        left, right = x(judged.found.start + offset), x(judged.found.end + offset)
        width = max(right - left, _LEAST)
        label = "" if left < taken else f'<text x="{left:.1f}" y="{_TOP - 7}">{_number(audit, number)}</text>'
        taken = left + 18 if label else taken
        at = timecode(judged.found.start + offset)[:-4]
        title = f"Hand {_number(audit, number)} at {at}" + (f": {judged.verdict}" if judged.verdict else "")
        drawn.append(
            f'<a class="{_KIND[judged.verdict]}" href="#hand-{number}" aria-label="{escape(title)}">'
            f'<rect x="{min(left, _RIGHT - width):.1f}" y="{_TOP - 3}" width="{width:.1f}" '
            f'height="{_THICK + 6}" rx="3"/>'
            f"{label}<title>{escape(title)}</title></a>"
        )
    shown = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="Timeline"'
    return f'<svg class="timeline" {shown}>{"".join(drawn)}</svg>'


def _number(audit: Audit, number: int) -> str:
    """The hand's number on the sheet, or where it has none in the footage."""
    row = audit.judged[number - 1].row
    return f"{row.hand}" if row is not None else f"#{number}" if audit.rows is not None else f"{number}"
