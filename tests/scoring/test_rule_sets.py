"""What the three rule sets count differently, hand by hand, and the switches of one's own."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest
from fanlens.scoring import RULES, Context, HandError, RuleSet, parse_hand, score

SELF_DRAW = Context(self_draw=True)
DISCARD = Context()

# Hand, circumstances, then fans under current, wmo2006 and trial1998, and the three totals.
HANDS = [
    # One concealed and one melded kong: 5, or 4 + 2, or 2 + 1. Beside it 连六 1, 单钓将 1.
    (
        "[2222p,1] [4444s] 345m 678m E + E", DISCARD,
        ({82, 71, 79}, 7), ({57, 67, 71, 79}, 8), ({67, 74, 71, 79}, 5),
    ),
    # Two concealed kongs: 6, 8 in 2006. Beside it 门前清 2, 连六 1, 单钓将 1; never 双暗刻.
    (
        "[2222p] [4444s] 345m 678m E + E", DISCARD,
        ({48, 62, 71, 79}, 10), ({48, 62, 71, 79}, 12), ({48, 62, 71, 79}, 10),
    ),
    # Three kongs, one concealed: 2006 adds it (暗杠加计).
    ("[2222p,1] [4444s,1] [6666m] 345m E + E", DISCARD, ({17, 79}, 33), ({17, 67, 79}, 35), ({17, 79}, 33)),
    # Two concealed: today two concealed pungs 2, in 2006 two concealed kongs 8, in 1998 nothing.
    ("[2222p,1] [4444s] [6666m] 345m E + E", DISCARD, ({17, 66, 79}, 35), ({17, 48, 79}, 41), ({17, 79}, 33)),
    # All three concealed: 三暗刻 16 today and in 2006 (三暗杠加计三暗刻), not in 1998. 门前清 2, 单钓将 1.
    (
        "[2222p] [4444s] [6666m] 345m E + E", DISCARD,
        ({17, 33, 62, 79}, 51), ({17, 33, 62, 79}, 51), ({17, 62, 79}, 35),
    ),
    # Four concealed kongs: with 四暗刻 64 but in 1998, where 门前清 then isn't implied and counts 2.
    ("[2222p] [4444s] [6666m] [8888p] E + E", DISCARD, ({5, 12}, 152), ({5, 12}, 152), ({5, 62}, 90)),
    # Three concealed kongs and a concealed pung: in 1998 the dearer of 三杠 32 and 四暗刻 64 counts alone.
    (
        "[2222p] [4444s] [6666m] 888p E + E", DISCARD,
        ({12, 17, 79}, 97), ({12, 17, 79}, 97), ({12, 79}, 65),
    ),
    # Seven pairs on self-draw: 自摸 1; in 2006 不求人 4 instead.
    ("1133m 5577p 2299s E + E", SELF_DRAW, ({19, 80}, 25), ({19, 56}, 28), ({19, 80}, 25)),
    ("19m 19p 19s ESWNCFP + E", SELF_DRAW, ({7, 80}, 89), ({7, 56}, 92), ({7, 80}, 89)),
    ("1122334455667m + 7m", SELF_DRAW, ({6, 80}, 89), ({6, 56}, 92), ({6, 80}, 89)),
    ("14m 258p 36s ESWNCF + P", SELF_DRAW, ({20, 80}, 25), ({20, 56}, 28), ({20, 80}, 25)),
    ("147m 258p 369s ESWN + C", SELF_DRAW, ({34, 35, 80}, 25), ({34, 35, 56}, 28), ({34, 35, 80}, 25)),
    # Nine gates and four concealed pungs: 1998 says nothing against 不求人 for these two.
    # Nine gates on 5: 双暗刻 2, 幺九刻 1.
    ("1112345678999m + 5m", SELF_DRAW, ({4, 66, 73, 80}, 92), ({4, 66, 73, 56}, 95), ({4, 66, 73, 56}, 95)),
    # 四暗刻 64, 幺九刻 1 for the winds, 单钓将 1.
    (
        "222m 555p 777s EEE 9m + 9m", SELF_DRAW,
        ({12, 73, 79, 80}, 67), ({12, 73, 79, 56}, 70), ({12, 73, 79, 56}, 70),
    ),
    # Seven pairs on a discard are the same everywhere.
    ("1133m 5577p 2299s E + E", DISCARD, ({19}, 24), ({19}, 24), ({19}, 24)),
    # All terminals with two double pungs: 4 more in 2006 only. 单钓将 1.
    ("[111m] [111p] [999m] 999p 1s + 1s", DISCARD, ({8, 79}, 65), ({8, 65, 79}, 69), ({8, 79}, 65)),
    # With a triple pung: 16 more, but not in 1998 (不計同刻).
    ("[111m] [111p] [111s] 999p 9m + 9m", DISCARD, ({8, 32, 79}, 81), ({8, 32, 79}, 81), ({8, 79}, 65)),
    # 3p stands in the knitted straight, and 3p is what closes 2-3-4: 坎张 1 today only.
    # 组合龙 12, 门前清 2, 平和 2.
    (
        "258m 24369p 147s 88s + 3p", DISCARD,
        ({35, 62, 63, 78}, 17), ({35, 62, 63}, 16), ({35, 62, 63}, 16),
    ),
    # 5p stands outside the straight's 3-6-9p: the closed wait of 4-6 counts everywhere.
    (
        "258m 36946p 147s 88s + 5p", DISCARD,
        ({35, 62, 63, 78}, 17), ({35, 62, 63, 78}, 17), ({35, 62, 63, 78}, 17),
    ),
    # All green with the dragon: never beside 混一色. 碰碰和 6, 箭刻 2.
    ("[222s] [444s] [FFF] 66s 88s + 8s", DISCARD, ({3, 49, 59}, 96), ({3, 49, 59}, 96), ({3, 49, 59}, 96)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "context", "current", "wmo2006", "trial1998"), HANDS)
def test_rule_sets_side_by_side(
    text: str,
    context: Context,
    current: tuple[set[int], int],
    wmo2006: tuple[set[int], int],
    trial1998: tuple[set[int], int],
) -> None:
    hand = parse_hand(text)
    for name, (fans, total) in {"current": current, "wmo2006": wmo2006, "trial1998": trial1998}.items():
        result = score(hand, context, rules=name)
        assert set(result.counts) == fans, name
        assert result.total == total, name


def test_a_rule_set_of_ones_own() -> None:
    house = replace(RULES["current"], name="house", two_concealed_kongs=8)
    assert score(parse_hand("[2222p] [4444s] 345m 678m E + E"), rules=house).total == 12


@pytest.mark.parametrize(
    ("switch", "text", "more"),
    [
        # 绿一色 beside 混一色 6.
        ({"all_green_half_flush": True}, "[222s] [444s] [FFF] 66s 88s + 8s", 6),
        # 全大 beside 大于五 12.
        ({"upper_lower_both": True}, "[777m] [888p] [999s] 77p 88s + 8s", 12),
        ({"upper_lower_both": True}, "[111m] [222p] [333s] 11p 22s + 2s", 12),
        # 全不靠 beside 五门齐 6.
        ({"lesser_honours_all_types": True}, "147m 258p 369s ESWN + C", 6),
        # No fifth 4s is left, so 7s is the only wait: 单钓将 1.
        ({"formal_waits": False}, "[123m] [456p] 4444567s + 7s", 1),
        # Seven pairs wait for 8p beside the closed wait for 7p: 坎张 1 where that is formal only.
        ({"formal_waits": False}, "1122334466668p + 7p", 1),
        # Seven pairs of honours: 七对 24 without 字一色 64.
        ({"seven_pairs_tile_fans": False}, "EESSWWNNCCFFP + P", -64),
    ],
)
def test_switches(switch: dict[str, bool], text: str, more: int) -> None:
    hand = parse_hand(text)
    changed = RuleSet("house", **switch)  # type: ignore[arg-type]
    assert score(hand, rules=changed).total - score(hand).total == more


def test_rule_sets_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        RULES["current"].two_concealed_kongs = 8  # type: ignore[misc]
    with pytest.raises(TypeError):
        RULES["house"] = RULES["current"]  # type: ignore[index]


def test_unknown_rules_are_named() -> None:
    message = "'mil' is no rule set; there are current, wmo2006, trial1998"
    with pytest.raises(HandError, match=message) as caught:
        score(parse_hand("1112345678999s + 3s"), rules="mil")
    assert caught.value.code == "unknown-rules"
