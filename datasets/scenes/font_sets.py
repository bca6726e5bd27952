"""Tile sets drawn with the system's fonts: which font, which style, which split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..faces.drawing import Inks, Style

Split = Literal["train", "development", "held-out"]
"""`train`: for training; `development`: for choosing what to ship, with designs that training never
sees; `held-out`: for measuring, with designs that neither of them sees."""

INDIGO = Inks("#232a57", "#a3192b", "#0d5c3c", "#27348b")
VIVID = Inks("#15151a", "#d8202c", "#128a3e", "#1747c8")
DARK = Inks("#0e0f14", "#7c1420", "#123c2c", "#14234f")
MONO = Inks("#15171c", "#a32028", "#15171c", "#15171c")
TEAL = Inks("#1d2b33", "#c23a2b", "#0f7f6d", "#17608f")


@dataclass(frozen=True, slots=True)
class FontSet:
    """A set drawn by `faces.drawing`: font file below the fonts' folder, index within a .ttc, style."""

    name: str
    split: Split
    font: str
    style: Style
    index: int = 0


def _font_sets() -> tuple[FontSet, ...]:
    wenkai = "truetype/lxgw-wenkai/LXGWWenKai-Bold.ttf"
    serif, sans = "opentype/noto/NotoSerifCJK-{}.ttc", "opentype/noto/NotoSansCJK-{}.ttc"
    return (
        FontSet("wenkai", "train", wenkai, Style(bold=6, flower_seed=1)),
        FontSet(
            "wenkai-corner",
            "train",
            wenkai,
            Style(
                INDIGO,
                bold=9,
                five="伍",
                corner="both",
                dots="flower",
                white="double",
                size=0.86,
                numerals="blue",
                bird="sparrow",
                flower_seed=2,
            ),
        ),
        FontSet(
            "wenkai-mono",
            "train",
            wenkai,
            Style(MONO, bold=4, dots="wheel", sticks="bone", white="blank", five="伍", flower_seed=3),
        ),
        FontSet(
            "serif-black",
            "train",
            serif.format("Black"),
            Style(VIVID, dots="flower", sticks="segments", white="segments", flower_seed=4),
            3,
        ),
        FontSet(
            "serif-corner",
            "train",
            serif.format("Bold"),
            Style(
                DARK, corner="first", white="letter", sticks="bone", dots="solid", size=0.88, flower_seed=5
            ),
            3,
        ),
        FontSet(
            "serif-simplified",
            "train",
            serif.format("SemiBold"),
            Style(
                TEAL,
                simplified=True,
                bold=3,
                dots="wheel",
                sticks="plain",
                white="白",
                bird="sparrow",
                flower_seed=6,
            ),
            2,
        ),
        FontSet(
            "sans-black",
            "train",
            sans.format("Black"),
            Style(VIVID, corner="red", dots="solid", sticks="plain", white="frame", size=0.86, flower_seed=7),
            3,
        ),
        FontSet(
            "sans-medium",
            "train",
            sans.format("Medium"),
            Style(
                INDIGO, bold=4, numerals="blue", sticks="segments", white="double", five="伍", flower_seed=8
            ),
            3,
        ),
        FontSet(
            "ukai",
            "train",
            "truetype/arphic/ukai.ttc",
            Style(VIVID, bold=8, dots="wheel", white="segments", five="伍", numerals="blue", flower_seed=9),
        ),
        FontSet(
            "ukai-dark",
            "train",
            "truetype/arphic/ukai.ttc",
            Style(DARK, bold=11, dots="rings", sticks="bone", white="blank", bird="sparrow", flower_seed=10),
        ),
        FontSet(
            "uming",
            "train",
            "truetype/arphic/uming.ttc",
            Style(
                TEAL,
                bold=9,
                dots="flower",
                sticks="capsule",
                white="frame",
                corner="both",
                size=0.87,
                flower_seed=11,
            ),
        ),
        FontSet(
            "zenhei",
            "train",
            "truetype/wqy/wqy-zenhei.ttc",
            Style(
                MONO, bold=3, simplified=True, sticks="segments", dots="rings", white="frame", flower_seed=12
            ),
        ),
        FontSet(
            "tw-kai",
            "train",
            "truetype/cns11643/TW-Kai-98_1.ttf",
            Style(
                INDIGO,
                bold=10,
                dots="wheel",
                sticks="capsule",
                white="double",
                five="伍",
                numerals="blue",
                flower_seed=13,
            ),
        ),
        FontSet(
            "tw-sung",
            "train",
            "truetype/cns11643/TW-Sung-98_1.ttf",
            Style(
                VIVID,
                bold=6,
                dots="rings",
                sticks="bone",
                white="letter",
                corner="first",
                size=0.86,
                flower_seed=14,
            ),
        ),
        FontSet(
            "brush",
            "train",
            "truetype/kouzan-mouhitsu/kouzan-mouhitsu.ttf",
            Style(VIVID, bold=5, dots="flower", sticks="capsule", white="blank", five="伍", flower_seed=15),
        ),
        FontSet(
            "brush-dark",
            "train",
            "truetype/aoyagi-kouzan-t/AoyagiKouzanT.ttf",
            Style(DARK, bold=4, dots="rings", sticks="segments", white="segments", flower_seed=16),
        ),
        FontSet(
            "reggae",
            "train",
            "truetype/reggae/ReggaeOne-Regular.ttf",
            Style(TEAL, dots="solid", sticks="plain", white="frame", corner="red", size=0.85, flower_seed=17),
        ),
        FontSet(
            "kai-thin",
            "train",
            "truetype/arphic-bkai00mp/bkai00mp.ttf",
            Style(
                INDIGO, bold=5, dots="rings", sticks="capsule", white="frame", numerals="blue", flower_seed=18
            ),
        ),
        FontSet(
            "held-kai",
            "held-out",
            "truetype/cwtex/cwkai.ttf",
            Style(
                Inks("#2a1d17", "#c4201e", "#0b6b4f", "#243a9c"),
                bold=9,
                dots="wheel",
                sticks="segments",
                white="double",
                five="伍",
                bird="sparrow",
                flower_seed=21,
            ),
        ),
        FontSet(
            "held-sans",
            "held-out",
            "truetype/wqy/wqy-microhei.ttc",
            Style(
                Inks("#101820", "#b5123f", "#2b7a1f", "#0a4a8a"),
                bold=5,
                corner="both",
                dots="rings",
                sticks="bone",
                white="frame",
                size=0.85,
                numerals="blue",
                flower_seed=22,
            ),
        ),
        FontSet(
            "held-mincho",
            "held-out",
            "opentype/ipaexfont-mincho/ipaexm.ttf",
            Style(
                Inks("#1b1b1b", "#aa2211", "#1f5d2e", "#3b3b9b"),
                bold=10,
                dots="flower",
                sticks="capsule",
                white="blank",
                flower_seed=23,
            ),
        ),
        FontSet(
            "development-mincho",
            "development",
            "truetype/dejima-mincho/dejima-mincho-r227.ttf",
            Style(
                Inks("#14181f", "#b81e3a", "#1c6a38", "#2a2f7a"),
                bold=7,
                dots="rings",
                sticks="segments",
                white="double",
                corner="first",
                size=0.9,
                flower_seed=31,
            ),
        ),
        FontSet(
            "development-round",
            "development",
            "truetype/motoya-l-maruberi/MTLmr3m.ttf",
            Style(
                Inks("#22201e", "#cf3a24", "#0c7d55", "#1d5aa8"),
                bold=6,
                dots="flower",
                sticks="bone",
                white="frame",
                five="伍",
                numerals="blue",
                bird="sparrow",
                flower_seed=32,
            ),
        ),
        FontSet(
            "development-brush",
            "development",
            "truetype/aoyagi-soseki/aoyagi-soseki.ttf",
            Style(
                Inks("#101014", "#9c1a1a", "#255c22", "#30307c"),
                bold=5,
                dots="wheel",
                sticks="capsule",
                white="blank",
                flower_seed=34,
            ),
        ),
    )


FONT_SETS: tuple[FontSet, ...] = _font_sets()
