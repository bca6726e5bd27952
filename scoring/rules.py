"""The rule sets: what the texts in use disagree about, as named switches.

Chinese Official mahjong (MCR) has been written down three times: the trial book of 1998
(《中国麻将竞赛规则（试行）》), the World Mahjong Organization's "green book" of 2006, and the
interpretation in use today (the Mahjong International League's supplement to the rules, as mobile
and server programs apply it). A rule set is the twelve switches below and nothing else; where a
text is silent the current value holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .errors import HandError

KongRule = Literal["one of each", "concealed kongs added", "never with three kongs"]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One reading of the rules; the defaults are the current one. Fans are WMO 2006 numbers.

    name: what it is called in reports.
    concealed_and_melded_kong: the fans one concealed and one melded kong make: (82,) worth 5 today;
        2006 (57, 67), "一明杠与一暗杠，加计暗杠，共6番"; 1998 (67, 74), "只能計明槓、暗槓共3分".
    two_concealed_kongs: points of fan 48: 6; 2006 lists it among the 8-point fans.
    kongs_and_concealed_pungs: kong fans beside fans of concealed pungs. "one of each": at most one
        kong fan and one concealed-pung fan. "concealed kongs added" (2006, "暗杠加计，三暗杠加计三暗刻"):
        three or four kongs also count fan 67 or 48 for one or two concealed ones. "never with three
        kongs" (1998, "四槓、三槓不可與暗刻系列番種複合"): the better of the two series counts.
    fully_concealed: fans of hands that can only be concealed which on self-draw count fan 56 (4 points)
        and not fan 80 (1 point). 2006: "自摸加计不求人".
    all_terminals_double_pung, all_terminals_triple_pung: fan 8 beside fan 65 / 32.
        1998: "不計同刻".
    all_green_half_flush: fan 3 beside fan 50.
    upper_lower_both: fan 25 beside 36 and 27 beside 37.
    knitted_straight_wait: an edge or closed wait on a tile that also stands in the knitted straight
        counts.
    formal_waits: waits no tile is left for (the own fifth) and seven pairs beside a regular wait
        count as waits, so they keep another from being the only one.
    lesser_honours_all_types: fan 34 beside fan 52.
    seven_pairs_tile_fans: seven pairs beside fans 3, 8, 11, 18, 25-27, 36, 37.
    """

    name: str
    concealed_and_melded_kong: tuple[int, ...] = (82,)
    two_concealed_kongs: int = 6
    kongs_and_concealed_pungs: KongRule = "one of each"
    fully_concealed: frozenset[int] = frozenset()
    all_terminals_double_pung: bool = False
    all_terminals_triple_pung: bool = True
    all_green_half_flush: bool = False
    upper_lower_both: bool = False
    knitted_straight_wait: bool = True
    formal_waits: bool = True
    lesser_honours_all_types: bool = False
    seven_pairs_tile_fans: bool = True

    def __hash__(self) -> int:
        # Every reading looks its rule set up several times; equal sets have equal names.
        return hash(self.name)


ALWAYS_CONCEALED = frozenset((4, 6, 7, 12, 19, 20, 34))
"""Fans of hands that can't be but concealed."""

RULES: Mapping[str, RuleSet] = MappingProxyType(
    {
        "current": RuleSet("current"),
        "wmo2006": RuleSet(
            "wmo2006",
            concealed_and_melded_kong=(57, 67),
            two_concealed_kongs=8,
            kongs_and_concealed_pungs="concealed kongs added",
            fully_concealed=ALWAYS_CONCEALED,
            all_terminals_double_pung=True,
            all_terminals_triple_pung=True,
            knitted_straight_wait=False,
        ),
        "trial1998": RuleSet(
            "trial1998",
            concealed_and_melded_kong=(67, 74),
            kongs_and_concealed_pungs="never with three kongs",
            fully_concealed=frozenset((4, 12)),
            all_terminals_triple_pung=False,
            knitted_straight_wait=False,
        ),
    }
)
"""The three rule sets by name."""


def rule_set(rules: str | RuleSet) -> RuleSet:
    """The rule set of that name, or the one given. HandError `unknown-rules` for a name nobody knows."""
    if isinstance(rules, RuleSet):
        return rules
    if rules not in RULES:
        raise HandError("unknown-rules", f"{rules!r} is no rule set; there are {', '.join(RULES)}")
    return RULES[rules]
