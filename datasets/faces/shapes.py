"""SVG elements that pictures on faces are made of, in units of a face (300 x 400)."""

from __future__ import annotations

import math


def circle(x: float, y: float, r: float, colour: str, width: float = 0.0) -> str:
    """A disc, or a ring of that width."""
    paint = f'fill="none" stroke="{colour}" stroke-width="{width:.1f}"' if width else f'fill="{colour}"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {paint}/>'


def ring_of(x: float, y: float, radius: float, r: float, count: int, colour: str) -> list[str]:
    """Discs of radius `r` on a circle."""
    return [
        circle(
            x + radius * math.cos(2 * math.pi * i / count),
            y + radius * math.sin(2 * math.pi * i / count),
            r,
            colour,
        )
        for i in range(count)
    ]


def branch(path: str, colour: str, width: float) -> str:
    """A stroke with round ends along a path."""
    return (
        f'<path fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" '
        f'stroke-linejoin="round" d="{path}"/>'
    )
