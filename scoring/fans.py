"""The 82 fans as data: numbers, names, points, and what each implies.

Numbers and English names are those of the WMO 2006 rules; 82 is the fan the current rules add for
one concealed and one melded kong. Points and implied fans are those of the current rules; what a
rule set changes is worked out in `exclusions`. Sources: the fan table of the 1998 trial rules
(《中国麻将竞赛规则（试行）》), the WMO 2006 rules, and the current interpretation (国际麻将联盟).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from .rules import ALWAYS_CONCEALED, RuleSet


@dataclass(frozen=True, slots=True)
class Fan:
    """One fan.

    id: WMO 2006 number, or 82.
    name, zh: English and Chinese name.
    points: what it is worth once under the current rules.
    excludes: fans it implies, so that they are never counted beside it (non-repeat).
    excludes_own: fans never counted again on the very sets that make this one.
    """

    id: int
    name: str
    zh: str
    points: int
    excludes: tuple[int, ...] = ()
    excludes_own: tuple[int, ...] = ()


# Nine Gates (4) also takes away one Pung of Terminals or Honors (73); see `readings.py`.
# fmt: off
_TABLE = (
    Fan(1, "Big Four Winds", "大四喜", 88, (38, 49, 60, 61), (73,)),
    Fan(2, "Big Three Dragons", "大三元", 88, (54,), (59, 73)),
    Fan(3, "All Green", "绿一色", 88, (50, 75)),
    Fan(4, "Nine Gates", "九莲宝灯", 88, (22, 75, 76, 62, 56)),
    Fan(5, "Four Kongs", "四杠", 88, (17, 57, 48, 82, 67, 74, 49, 79)),
    Fan(6, "Seven Shifted Pairs", "连七对", 88, (19, 22, 75, 76, 62, 56, 79)),
    Fan(7, "Thirteen Orphans", "十三幺", 88, (18, 52, 62, 56, 79, 55)),
    Fan(8, "All Terminals", "清幺九", 64, (18, 49, 55, 65, 73, 76)),
    Fan(9, "Little Four Winds", "小四喜", 64, (38,), (73,)),
    Fan(10, "Little Three Dragons", "小三元", 64, (54,), (59, 73)),
    Fan(11, "All Honors", "字一色", 64, (18, 49, 55, 73, 75, 76)),
    Fan(12, "Four Concealed Pungs", "四暗刻", 64, (33, 66, 49, 62, 56)),
    Fan(13, "Pure Terminal Chows", "一色双龙会", 64, (19, 22, 63, 69, 72, 76, 75)),
    Fan(14, "Quadruple Chow", "一色四同顺", 48, (23, 24, 69, 64, 19)),
    Fan(15, "Four Pure Shifted Pungs", "一色四节高", 48, (24, 23, 49)),
    Fan(16, "Four Pure Shifted Chows", "一色四步高", 32, (30, 71, 72)),
    Fan(17, "Three Kongs", "三杠", 32, (57, 48, 82, 67, 74)),
    Fan(18, "All Terminals and Honors", "混幺九", 32, (49, 55, 73)),
    Fan(19, "Seven Pairs", "七对", 24, (62, 56, 79)),
    Fan(20, "Greater Honors and Knitted Tiles", "七星不靠", 24, (34, 52, 62, 56, 79)),
    Fan(21, "All Even Pungs", "全双刻", 24, (49, 68, 76)),
    Fan(22, "Full Flush", "清一色", 24, (75, 76)),
    Fan(23, "Pure Triple Chow", "一色三同顺", 24, (24,), (69,)),
    Fan(24, "Pure Shifted Pungs", "一色三节高", 24, (23,)),
    Fan(25, "Upper Tiles", "全大", 24, (36, 76)),
    Fan(26, "Middle Tiles", "全中", 24, (68, 76)),
    Fan(27, "Lower Tiles", "全小", 24, (37, 76)),
    Fan(28, "Pure Straight", "清龙", 16, (), (71, 72)),
    Fan(29, "Three-Suited Terminal Chows", "三色双龙会", 16, (63, 76, 70, 72)),
    Fan(30, "Pure Shifted Chows", "一色三步高", 16, (), (71,)),
    Fan(31, "All Fives", "全带五", 16, (68, 76)),
    Fan(32, "Triple Pung", "三同刻", 16, (), (65,)),
    Fan(33, "Three Concealed Pungs", "三暗刻", 16, (66,)),
    Fan(34, "Lesser Honors and Knitted Tiles", "全不靠", 12, (52, 62, 56, 79)),
    Fan(35, "Knitted Straight", "组合龙", 12),
    Fan(36, "Upper Four", "大于五", 12, (76,)),
    Fan(37, "Lower Four", "小于五", 12, (76,)),
    Fan(38, "Big Three Winds", "三风刻", 12, (), (73,)),
    Fan(39, "Mixed Straight", "花龙", 8),
    Fan(40, "Reversible Tiles", "推不倒", 8, (75,)),
    Fan(41, "Mixed Triple Chow", "三色三同顺", 8, (), (70,)),
    Fan(42, "Mixed Shifted Pungs", "三色三节高", 8),
    Fan(43, "Chicken Hand", "无番和", 8),
    Fan(44, "Last Tile Draw", "妙手回春", 8, (80,)),
    Fan(45, "Last Tile Claim", "海底捞月", 8),
    Fan(46, "Out with Replacement Tile", "杠上开花", 8, (80,)),
    Fan(47, "Robbing the Kong", "抢杠和", 8, (58,)),
    Fan(48, "Two Concealed Kongs", "双暗杠", 6, (67, 66)),
    Fan(49, "All Pungs", "碰碰和", 6),
    Fan(50, "Half Flush", "混一色", 6),
    Fan(51, "Mixed Shifted Chows", "三色三步高", 6),
    Fan(52, "All Types", "五门齐", 6),
    Fan(53, "Melded Hand", "全求人", 6, (79,)),
    Fan(54, "Two Dragon Pungs", "双箭刻", 6, (), (59, 73)),
    Fan(55, "Outside Hand", "全带幺", 4),
    Fan(56, "Fully Concealed Hand", "不求人", 4, (80, 62)),
    Fan(57, "Two Melded Kongs", "双明杠", 4, (74,)),
    Fan(58, "Last Tile", "和绝张", 4),
    Fan(59, "Dragon Pung", "箭刻", 2, (), (73,)),
    Fan(60, "Prevalent Wind", "圈风刻", 2, (), (73,)),
    Fan(61, "Seat Wind", "门风刻", 2, (), (73,)),
    Fan(62, "Concealed Hand", "门前清", 2),
    Fan(63, "All Chows", "平和", 2, (76,)),
    Fan(64, "Tile Hog", "四归一", 2),
    Fan(65, "Double Pung", "双同刻", 2),
    Fan(66, "Two Concealed Pungs", "双暗刻", 2),
    Fan(67, "Concealed Kong", "暗杠", 2),
    Fan(68, "All Simples", "断幺", 2, (76,)),
    Fan(69, "Pure Double Chow", "一般高", 1),
    Fan(70, "Mixed Double Chow", "喜相逢", 1),
    Fan(71, "Short Straight", "连六", 1),
    Fan(72, "Two Terminal Chows", "老少副", 1),
    Fan(73, "Pung of Terminals or Honors", "幺九刻", 1),
    Fan(74, "Melded Kong", "明杠", 1),
    Fan(75, "One Voided Suit", "缺一门", 1),
    Fan(76, "No Honors", "无字", 1),
    Fan(77, "Edge Wait", "边张", 1),
    Fan(78, "Closed Wait", "坎张", 1),
    Fan(79, "Single Wait", "单钓将", 1),
    Fan(80, "Self-Drawn", "自摸", 1),
    Fan(81, "Flower Tiles", "花牌", 1),
    Fan(82, "Concealed and Melded Kong", "明暗杠", 5, (67, 74)),
)
# fmt: on

FANS: Mapping[int, Fan] = MappingProxyType({fan.id: fan for fan in _TABLE})
"""Fan number to fan."""

def bits(numbers: Iterable[int]) -> int:
    """A set of fans as one integer, fan `n` at bit `n`."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def dearest_first(fans: int) -> list[int]:
    """The numbers of fans given as bits, the dearest first: the order in which fans are counted."""
    numbers = []
    while fans:
        lowest = fans & -fans
        numbers.append(lowest.bit_length() - 1)
        fans ^= lowest
    if numbers and numbers[-1] == 82:
        # Numbers fall with worth but for the late-comer, which belongs before the 4-point fans.
        numbers.insert(sum(number < 55 for number in numbers), numbers.pop())
    return numbers


@cache
def points(number: int, rules: RuleSet) -> int:
    """What a fan is worth once under a rule set."""
    return rules.two_concealed_kongs if number == 48 else FANS[number].points


@cache
def exclusions(rules: RuleSet) -> Mapping[int, int]:
    """Fan number to the fans (as `bits`) never counted beside it under a rule set."""
    table = {number: set(fan.excludes) for number, fan in FANS.items()}
    for number in ALWAYS_CONCEALED & rules.fully_concealed:
        table[number].discard(56)
    if rules.all_terminals_double_pung:
        table[8].discard(65)
    if not rules.all_terminals_triple_pung:
        table[8].add(32)
    if rules.all_green_half_flush:
        table[3].discard(50)
    if rules.upper_lower_both:
        table[25].discard(36)
        table[27].discard(37)
    if rules.lesser_honours_all_types:
        table[34].discard(52)
    if rules.kongs_and_concealed_pungs == "concealed kongs added":
        for number in (5, 17):
            table[number] -= {48, 67}
    elif rules.kongs_and_concealed_pungs == "never with three kongs":
        table[5] |= {12, 33, 66}
        table[12].add(17)
        table[17] |= {33, 66}
    return MappingProxyType({number: bits(implied) for number, implied in table.items()})
