"""Draws tile faces as SVG: one `Style` gives a whole set of 42 faces.

The shipped set (`fanlens.datasets.faces.svg`) is one style; the renderer draws many more.
Faces are 300 x 400 units, transparent where the tile shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .garden import garden, planted
from .outlines import Lettering
from .shapes import branch, circle, ring_of

WIDTH, HEIGHT = 300, 400

NUMERALS = "一二三四五六七八九"
WINDS = {"E": "東", "S": "南", "W": "西", "N": "北"}
PLANTS = ("plum", "orchid", "chrysanthemum", "bamboo")
SEASONS = ("spring", "summer", "autumn", "winter")
FLOWER_TEXT = dict(zip((*PLANTS, *SEASONS), "梅蘭菊竹春夏秋冬", strict=True))


@dataclass(frozen=True, slots=True)
class Inks:
    """The four inks of a set as CSS colours."""

    black: str
    red: str
    green: str
    blue: str


CLASSIC = Inks("#1c2433", "#b3202a", "#11683f", "#1f3f8f")


@dataclass(frozen=True, slots=True)
class Style:
    """How one set is drawn. size: share of the usual size; bold: width of an extra outline, in units.

    dots: rings | flower | solid | wheel; sticks: capsule | bone | segments | plain;
    white: blank | frame | double | segments | letter | 白; corner: none | first | both | red;
    flowers: motif (each flower's own) | garden (any picture, see `garden`).
    """

    inks: Inks = CLASSIC
    dots: str = "rings"
    sticks: str = "capsule"
    white: str = "frame"
    bird: str = "peacock"
    corner: str = "none"
    wan: str = "萬"
    five: str = "五"
    simplified: bool = False
    numerals: str = "black"
    bold: float = 0.0
    size: float = 1.0
    flowers: str = "motif"
    flower_seed: int = 0

    def colour(self, name: str) -> str:
        """The style's ink for black, red, green or blue."""
        return str(getattr(self.inks, name))


def face(tile: str, style: Style, letters: Lettering) -> str:
    """The SVG document of `tile` (a name of `TILE_CLASSES` but `back`). Raises KeyError for other names."""
    parts = _corner(tile, style, letters)
    if tile[0].isdigit():
        rank = int(tile[0])
        draw = {"m": _characters, "p": _dots, "s": _bamboos}[tile[1]]
        parts += draw(rank, style, letters)
    elif tile in WINDS:
        parts.append(_text(WINDS[tile], (40, 75, 260, 325), style, letters, style.numerals))
    elif tile in "CFP":
        parts += _dragon(tile, style, letters)
    else:
        parts += _flower(tile, style, letters)
    return document("".join(parts), style.size)


def document(body: str, size: float = 1.0) -> str:
    """Wraps drawing elements into an SVG document, scaled about the middle by `size`."""
    moved = (
        body
        if size == 1.0
        else (
            f'<g transform="translate({WIDTH / 2 * (1 - size):.2f} {HEIGHT / 2 * (1 - size):.2f}) '
            f'scale({size})">'
            f"{body}</g>"
        )
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{moved}</svg>\n'


def _text(
    character: str,
    box: tuple[float, float, float, float],
    style: Style,
    letters: Lettering,
    ink: str,
    *,
    bold: float = 1.0,
) -> str:
    colour = style.colour(ink)
    stroke = (
        f' stroke="{colour}" stroke-width="{style.bold * bold:.1f}" stroke-linejoin="round"'
        if style.bold
        else ""
    )
    return f'<path fill="{colour}"{stroke} d="{letters.path_data(character, box)}"/>'


def _corner(tile: str, style: Style, letters: Lettering) -> list[str]:
    label = tile[0] if tile[0].isdigit() else tile if tile in "ESWNCF" else ""
    if tile == "P" and style.corner != "none" and style.white != "letter":
        label = "P"
    if style.corner == "none" or not label or not letters.has(label):
        return []
    ink = "red" if style.corner == "red" else "black"
    first = f'<path fill="{style.colour(ink)}" d="{letters.path_data(label, (20, 18, 56, 66))}"/>'
    if style.corner != "both":
        return [first]
    return [first, f'<g transform="rotate(180 150 200)">{first}</g>']


def _characters(rank: int, style: Style, letters: Lettering) -> list[str]:
    numeral = style.five if rank == 5 else NUMERALS[rank - 1]
    wan = "万" if style.simplified else style.wan
    return [
        _text(numeral, (72, 28, 228, 176), style, letters, style.numerals),
        _text(wan, (62, 196, 238, 374), style, letters, "red"),
    ]


# Centres, radius and inks of the dots of each rank: (x, y, ink), radius.
_GREEN_TOP = ((68, 66, "green"), (150, 106, "green"), (232, 146, "green"))
DOTS: dict[int, tuple[tuple[tuple[float, float, str], ...], float]] = {
    2: (((150, 105, "green"), (150, 295, "blue")), 66),
    3: (((78, 88, "blue"), (150, 200, "red"), (222, 312, "green")), 52),
    4: (((88, 100, "blue"), (212, 100, "green"), (88, 300, "green"), (212, 300, "blue")), 54),
    5: (
        ((80, 92, "blue"), (220, 92, "green"), (150, 200, "red"), (80, 308, "green"), (220, 308, "blue")),
        48,
    ),
    6: (tuple((x, y, "green" if y < 120 else "red") for y in (82, 218, 326) for x in (96, 204)), 48),
    7: ((*_GREEN_TOP, *((x, y, "red") for y in (234, 332) for x in (100, 200))), 40),
    8: (tuple((x, y, "blue") for y in (62, 154, 246, 338) for x in (98, 202)), 42),
    9: (
        tuple((x, y, ink) for y, ink in ((78, "blue"), (200, "red"), (322, "green")) for x in (62, 150, 238)),
        40,
    ),
}


def _dots(rank: int, style: Style, letters: Lettering) -> list[str]:
    if rank == 1:
        return _great_dot(style)
    dots, radius = DOTS[rank]
    return [_dot(x, y, radius, style.colour(ink), style) for x, y, ink in dots]


def _dot(x: float, y: float, r: float, colour: str, style: Style) -> str:
    if style.dots == "solid":
        return circle(x, y, r, colour) + circle(x, y, r * 0.3, "#fffdf5")
    if style.dots == "flower":
        rim, heart = circle(x, y, r * 0.92, colour, r * 0.14), circle(x, y, r * 0.24, colour)
        return "".join([rim, heart, *ring_of(x, y, r * 0.53, r * 0.19, 6, colour)])
    if style.dots == "wheel":
        spokes = "".join(
            f'<path stroke="{colour}" stroke-width="{r * 0.16:.1f}" '
            f'd="M{x - r * 0.8 * c:.1f} {y - r * 0.8 * s:.1f}'
            f'L{x + r * 0.8 * c:.1f} {y + r * 0.8 * s:.1f}"/>'
            for c, s in ((math.cos(a), math.sin(a)) for a in (math.pi / 4, 3 * math.pi / 4))
        )
        return circle(x, y, r * 0.88, colour, r * 0.22) + spokes + circle(x, y, r * 0.22, colour)
    return (
        circle(x, y, r * 0.88, colour, r * 0.24)
        + circle(x, y, r * 0.48, colour, r * 0.16)
        + circle(x, y, r * 0.18, colour)
    )


def _great_dot(style: Style) -> list[str]:
    x, y = 150.0, 200.0
    if style.dots == "solid":
        return [
            circle(x, y, 112, style.inks.blue),
            circle(x, y, 62, "#fffdf5"),
            circle(x, y, 44, style.inks.red),
        ]
    if style.dots == "wheel":
        parts = [circle(x, y, 104, style.inks.green, 14), circle(x, y, 70, style.inks.red, 10)]
        return [*parts, *ring_of(x, y, 42, 14, 8, style.inks.green), circle(x, y, 20, style.inks.red)]
    petals = 16 if style.dots == "rings" else 12
    parts = [circle(x, y, 112, style.inks.blue, 8)]
    parts += ring_of(x, y, 86, 15 if petals == 16 else 19, petals, style.inks.green)
    parts += [
        circle(x, y, 58, style.inks.blue, 8),
        *ring_of(x, y, 34, 11, 8, style.inks.red),
        circle(x, y, 14, style.inks.red),
    ]
    return parts


# Sticks of each rank: (x, y, ink, degrees), and their length.
STICKS: dict[int, tuple[tuple[tuple[float, float, str, float], ...], float]] = {
    2: (((150, 106, "green", 0), (150, 294, "blue", 0)), 156),
    3: (((150, 106, "green", 0), (92, 294, "blue", 0), (208, 294, "green", 0)), 156),
    4: (
        tuple(
            (x, y, "blue" if (x < 150) == (y < 200) else "green", 0) for y in (106, 294) for x in (92, 208)
        ),
        156,
    ),
    5: (
        (
            *(
                (x, y, "green" if (x < 150) == (y < 200) else "blue", 0.0)
                for y in (106, 294)
                for x in (72, 228)
            ),
            (150, 200, "red", 0.0),
        ),
        156,
    ),
    6: (tuple((x, y, "green" if y < 200 else "blue", 0) for y in (106, 294) for x in (72, 150, 228)), 156),
    7: (
        (
            (150, 70, "red", 0.0),
            *((x, y, "green" if x != 150 else "blue", 0.0) for y in (202, 326) for x in (72, 150, 228)),
        ),
        108,
    ),
    8: (
        (
            (52, 110, "green", 0),
            (248, 110, "green", 0),
            (118, 112, "green", -32),
            (182, 112, "green", 32),
            (52, 290, "blue", 0),
            (248, 290, "blue", 0),
            (118, 288, "blue", 32),
            (182, 288, "blue", -32),
        ),
        140,
    ),
    9: (
        tuple(
            (x, y, "red" if x == 150 else "green" if x < 150 else "blue", 0)
            for y in (72, 200, 328)
            for x in (72, 150, 228)
        ),
        108,
    ),
}


def _bamboos(rank: int, style: Style, letters: Lettering) -> list[str]:
    if rank == 1:
        return _bird(style)
    sticks, length = STICKS[rank]
    width = 40 if rank in (2, 3, 4) else 34
    return [
        f'<g transform="translate({x} {y}) rotate({angle})">'
        f"{_stick(length, width, style.colour(ink), style)}</g>"
        for x, y, ink, angle in sticks
    ]


def _rect(x: float, y: float, width: float, height: float, rx: float, colour: str) -> str:
    """A rectangle with rounded corners, centred on x."""
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{rx:.1f}" fill="{colour}"/>'
    )


def _stick(length: float, width: float, colour: str, style: Style) -> str:
    half, w = length / 2, width / 2
    if style.sticks == "plain":
        return _rect(0, -half, width * 0.7, length, 8, colour)
    if style.sticks == "segments":
        third = length / 3
        return "".join(
            _rect(0, -half + third * i + 2, width * 0.75, third - 4, w * 0.5, colour) for i in range(3)
        )
    if style.sticks == "bone":
        ends = [
            circle(s * w * 0.45, t * (half - w * 0.5), w * 0.55, colour) for s in (-1, 1) for t in (-1, 1)
        ]
        middle = [circle(s * w * 0.35, 0, w * 0.5, colour) for s in (-1, 1)]
        return "".join([*ends, *middle, _rect(0, -half + w * 0.5, w, length - w, 0, colour)])
    nodes = [
        _rect(0, y - w * 0.28, width, w * 0.56, w * 0.28, colour)
        for y in (-half + w * 0.3, 0, half - w * 0.3)
    ]
    shine = [
        branch(f"M0 {y0:.1f}V{y1:.1f}", "#f4f1e4", round(w * 0.22, 1))
        for y0, y1 in ((-half + w, -w * 0.7), (w * 0.7, half - w))
    ]
    return "".join([_rect(0, -half, width * 0.68, length, w * 0.6, colour), *nodes, *shine])


def _bird(style: Style) -> list[str]:
    green, red, blue = style.inks.green, style.inks.red, style.inks.blue
    if style.bird == "sparrow":
        return [
            f'<path fill="{green}" d="M62 236C70 168 128 132 176 142C182 96 222 74 254 92L284 108L252 122'
            f'C250 152 246 206 208 250C176 286 112 290 62 236Z"/>',
            f'<path fill="{red}" d="M90 232C110 190 150 176 196 184C184 226 146 254 90 232Z"/>',
            f'<path fill="none" stroke="{green}" stroke-width="12" stroke-linecap="round" '
            'd="M76 248L28 330M88 256L54 352M104 264L86 358M164 272V340'
            'M164 340L136 352M164 340L192 352M196 258V336L222 350"/>',
            circle(232, 108, 9, "#fffdf5") + circle(232, 108, 4, style.inks.black),
        ]
    feathers = []
    for i in range(7):
        angle = math.radians(-78 + 26 * i)
        tip = (150 + 132 * math.sin(angle), 190 - 150 * math.cos(angle))
        feathers.append(
            f'<path stroke="{green}" stroke-width="13" stroke-linecap="round" '
            f'd="M150 214L{tip[0]:.1f} {tip[1]:.1f}"/>'
        )
        feathers.append(circle(tip[0], tip[1] + 8, 21, blue if i % 2 else green))
        feathers.append(circle(tip[0], tip[1] + 8, 9, red))
    body = (
        f'<path fill="{blue}" d="M150 122C176 122 182 150 174 178C204 204 206 268 150 296'
        'C94 268 96 204 126 178C118 150 124 122 150 122Z"/>'
        f'<path fill="{red}" d="M150 196C172 214 174 252 150 270C126 252 128 214 150 196Z"/>'
        f'<path fill="{red}" d="M142 146L150 166L158 146Z"/>'
        + circle(140, 142, 6, "#fffdf5")
        + circle(160, 142, 6, "#fffdf5")
        + f'<path fill="none" stroke="{red}" stroke-width="10" stroke-linecap="round" '
        'd="M130 288V352M130 352L106 368M130 352L142 370M170 288V352M170 352L194 368M170 352L158 370"/>'
    )
    return [*feathers, body]


def _dragon(tile: str, style: Style, letters: Lettering) -> list[str]:
    if tile == "C":
        return [_text("中", (62, 60, 238, 340), style, letters, "red")]
    if tile == "F":
        return [_text("发" if style.simplified else "發", (46, 70, 254, 330), style, letters, "green")]
    frame = f'fill="none" stroke="{style.inks.blue}"'
    if style.white == "frame":
        return [f'<rect x="48" y="58" width="204" height="284" rx="10" {frame} stroke-width="20"/>']
    if style.white == "double":
        return [
            f'<rect x="40" y="52" width="220" height="296" rx="6" {frame} stroke-width="10"/>',
            f'<rect x="66" y="78" width="168" height="244" rx="4" {frame} stroke-width="8"/>',
        ]
    if style.white == "segments":
        return [
            f'<rect x="46" y="56" width="208" height="288" {frame} stroke-width="30" '
            'stroke-dasharray="42 10"/>',
            f'<rect x="30" y="40" width="240" height="320" {frame} stroke-width="5"/>',
        ]
    if style.white == "letter" and letters.has("P"):
        return [_text("P", (84, 90, 216, 310), style, letters, "blue")]
    if style.white == "白":
        return [_text("白", (62, 70, 238, 330), style, letters, "black")]
    return []


def _flower(tile: str, style: Style, letters: Lettering) -> list[str]:
    plant = tile in PLANTS
    number = (PLANTS if plant else SEASONS).index(tile) + 1
    text = FLOWER_TEXT[tile]
    if style.simplified and tile == "orchid":
        text = "兰"
    ink = ("red", "blue", "green", "black")[(style.flower_seed + (0 if plant else 1)) % 4]
    if style.flowers == "garden":
        return _garden_flower(tile, text, number, ink, style, letters)
    corner = (206, 26, 280, 112) if style.flower_seed % 2 == 0 else (20, 26, 94, 112)
    digit = (22, 26, 58, 82) if style.flower_seed % 2 == 0 else (242, 26, 278, 82)
    parts = [_text(text, corner, style, letters, ink, bold=0.4)]
    if letters.has(str(number)) and style.flower_seed % 5 != 4:
        parts.append(_text(str(number), digit, style, letters, "red" if plant else "blue", bold=0.4))
    return parts + _PICTURES[tile](style)


def _garden_flower(
    tile: str, text: str, number: int, ink: str, style: Style, letters: Lettering
) -> list[str]:
    plan = garden(style.flower_seed)
    inks = style.inks
    parts = planted(style.flower_seed, tile, plan.picture, (inks.black, inks.red, inks.green, inks.blue))
    parts.append(_text(text, plan.name, style, letters, ink, bold=0.5))
    digit = {"1": str(number), "一": NUMERALS[number - 1], "": ""}[plan.numbered]
    if digit and letters.has(digit):
        parts.append(_text(digit, plan.number, style, letters, "red" if tile in PLANTS else "blue", bold=0.4))
    return parts


def _petals(x: float, y: float, r: float, count: int, colour: str, heart: str) -> str:
    return "".join([*ring_of(x, y, r * 0.6, r * 0.42, count, colour), circle(x, y, r * 0.32, heart)])


def _leaf(x: float, y: float, length: float, angle: float, colour: str) -> str:
    return (
        f'<path fill="{colour}" transform="translate({x} {y}) rotate({angle})" '
        f'd="M0 0C{length * 0.3:.0f} {-length * 0.22:.0f} {length * 0.7:.0f} {-length * 0.22:.0f} {length} 0'
        f'C{length * 0.7:.0f} {length * 0.22:.0f} {length * 0.3:.0f} {length * 0.22:.0f} 0 0Z"/>'
    )


def _plum(style: Style) -> list[str]:
    return [
        branch("M70 368L120 280L104 210L160 140M120 280L200 230L236 168", "#5b3a22", 13),
        _petals(160, 140, 38, 5, style.inks.red, "#e0b13a"),
        _petals(228, 186, 40, 5, style.inks.red, "#e0b13a"),
        _petals(104, 214, 34, 5, style.inks.red, "#e0b13a"),
        _petals(182, 292, 36, 5, style.inks.red, "#e0b13a"),
    ]


def _orchid(style: Style) -> list[str]:
    return [
        branch(
            "M150 372C120 290 90 240 34 214M150 372C150 280 120 190 96 128M150 372C176 280 214 230 268 204",
            style.inks.green,
            13,
        ),
        branch("M150 372C160 300 176 220 196 176", style.inks.green, 7),
        _petals(200, 160, 42, 5, style.inks.blue, style.inks.red),
        _petals(140, 236, 34, 5, style.inks.blue, style.inks.red),
    ]


def _chrysanthemum(style: Style) -> list[str]:
    return [
        branch("M150 372C140 310 150 270 152 220", style.inks.green, 11),
        _leaf(148, 330, 92, -28, style.inks.green),
        _leaf(148, 340, 92, 208, style.inks.green),
        *ring_of(152, 196, 62, 18, 14, "#d9971e"),
        *ring_of(152, 196, 36, 15, 9, "#d9971e"),
        circle(152, 196, 20, style.inks.red),
    ]


def _bamboo_plant(style: Style) -> list[str]:
    stalk = "".join(
        f'<rect x="128" y="{y}" width="24" height="76" rx="8" fill="{style.inks.green}"/>'
        for y in (130, 212, 294)
    )
    leaves = (
        (150, 150, -30),
        (150, 160, 10),
        (130, 230, 205),
        (130, 236, 165),
        (150, 300, -20),
        (150, 306, 25),
    )
    return [stalk, *(_leaf(x, y, 104, angle, style.inks.green) for x, y, angle in leaves)]


def _spring(style: Style) -> list[str]:
    return [
        branch("M60 372C120 320 130 240 220 150", style.inks.green, 10),
        _leaf(128, 280, 84, 20, style.inks.green),
        _leaf(120, 286, 76, 196, style.inks.green),
        _petals(214, 156, 54, 6, style.inks.red, "#e0b13a"),
        _petals(110, 200, 34, 6, style.inks.red, "#e0b13a"),
    ]


def _summer(style: Style) -> list[str]:
    petals = "".join(_leaf(150, 240, 110, angle, style.inks.red) for angle in (-150, -120, -90, -60, -30))
    return [
        branch("M150 372V240", style.inks.green, 10),
        f'<ellipse cx="150" cy="330" rx="112" ry="34" fill="{style.inks.green}"/>',
        petals,
        circle(150, 240, 20, "#e0b13a"),
    ]


def _autumn(style: Style) -> list[str]:
    leaves = "".join(_leaf(150, 232, 108, angle, style.inks.red) for angle in (-170, -130, -90, -50, -10))
    return [branch("M150 372L150 232", "#7a4a1d", 10), leaves, _leaf(90, 340, 60, -20, "#d9971e")]


def _winter(style: Style) -> list[str]:
    flake = "".join(
        branch(f"M150 226L{150 + 96 * c:.0f} {226 + 96 * s:.0f}", style.inks.blue, 12)
        for c, s in ((math.cos(math.pi / 3 * i), math.sin(math.pi / 3 * i)) for i in range(6))
    )
    return [flake, *ring_of(150, 226, 96, 15, 6, style.inks.blue), circle(150, 226, 24, style.inks.red),
            branch("M60 362C120 340 190 376 246 350", "#5b3a22", 12)]  # fmt: skip


_PICTURES = {
    "plum": _plum,
    "orchid": _orchid,
    "chrysanthemum": _chrysanthemum,
    "bamboo": _bamboo_plant,
    "spring": _spring,
    "summer": _summer,
    "autumn": _autumn,
    "winter": _winter,
}


def back(style: Style) -> str:
    """The SVG document of a face-down tile: the style's green with a lattice in a frame."""
    left, top, right, bottom = 26, 26, WIDTH - 26, HEIGHT - 26
    lines = []
    for offset in range(-350, 400, 50):
        # y = x + offset, and its mirror image, cut to the frame.
        x0, x1 = max(left, top - offset), min(right, bottom - offset)
        if x0 < x1:
            lines.append(f"M{x0} {x0 + offset}L{x1} {x1 + offset}")
            lines.append(f"M{WIDTH - x0} {x0 + offset}L{WIDTH - x1} {x1 + offset}")
    return document(
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="26" fill="{style.inks.green}"/>'
        f'<path fill="none" stroke="#ffffff" stroke-opacity="0.25" stroke-width="5" d="{"".join(lines)}"/>'
        f'<rect x="{left - 8}" y="{top - 8}" width="{right - left + 16}" height="{bottom - top + 16}" '
        'rx="16" fill="none" stroke="#ffffff" stroke-opacity="0.5" stroke-width="6"/>'
    )
