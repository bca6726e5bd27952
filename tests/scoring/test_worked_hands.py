"""Hands counted by hand under the current rules: the worked examples of the rule texts and others.

Fans are given by number (WMO 2006); the comments say why, points in brackets.
"""

from __future__ import annotations

import pytest
from fanlens.scoring import Context, parse_hand, score


def counts(text: str, **context: object) -> dict[int, int]:
    return score(parse_hand(text), Context(**context)).counts  # type: ignore[arg-type]


# Each: hand text, circumstances, fans with counts, total.
WORKED = [
    # 3-4-5 characters three times and 3-4-5 bamboos beat three concealed pungs: 一色三同顺 24 + 全带五 16
    # + 不求人 4 + 平和 2 + 单钓将 1 + 喜相逢 1 = 48, the other way round 47.
    ("333444555m 345s 5p + 5p", {"self_draw": True}, {23: 1, 31: 1, 56: 1, 63: 1, 79: 1, 70: 1}, 48),
    # Four shifted chows by two: 1-2-3 and 7-8-9 are used up, no 老少副. 32 + 混一色 6 + 门前清 2 + 单钓将 1.
    ("123345567789m E + E", {}, {16: 1, 50: 1, 62: 1, 79: 1}, 41),
    # Four pungs 3m 4p 5s 6m: one 三色三节高, not two. 8 + 碰碰和 6 + 单钓将 1.
    ("[333m] [444p] [555s] 666m N + N", {}, {42: 1, 49: 1, 79: 1}, 15),
    # Two 1-2-3: one 清龙, the fourth chow joins it once as 一般高. 16 + 混一色 6 + 1 + 单钓将 1.
    ("[123m] 123456789m N + N", {}, {28: 1, 50: 1, 69: 1, 79: 1}, 24),
    # 花龙 and a fourth chow that could pair with two of its chows: it may once. 8 + 1.
    ("[123m] 23456p 789s CC + 1p", {}, {39: 1, 70: 1}, 9),
    # 清一色 24 + 碰碰和 6 + 全求人 6 + 双明杠 4 + 幺九刻 1; 无字, 单钓将, 明杠 are implied.
    ("[1111m,1] [3333m,2] [555m] [777m] 8m + 8m", {}, {22: 1, 49: 1, 53: 1, 57: 1, 73: 1}, 41),
    # Seven pairs aren't taken apart into chows: no 平和, no 一般高. 24 + 无字 1.
    ("112233m 112233p 9s + 9s", {}, {19: 1, 76: 1}, 25),
    # 6m 7p 8s or 7p 8s 9m, not both. 8 + 碰碰和 6 + 幺九刻 1; two pairs wait, so no 单钓将.
    ("[666m] [777p] [888s] 99m EE + 9m", {}, {42: 1, 49: 1, 73: 1}, 15),
    # Nothing at all makes 无番和: three suits, an honour pair, a two-sided wait, no related chows.
    ("[123p] [444s] [789m] 34p CC + 2p", {}, {43: 1}, 8),
    # A flower is a point, but no fan: still 无番和.
    ("[123p] [444s] [789m] 34p CC + 2p plum", {}, {43: 1, 81: 1}, 9),
    # One concealed and one melded kong: 明暗杠 5. 连六 1, 单钓将 1.
    ("[2222p,1] [4444s] 345m 678m E + E", {}, {82: 1, 71: 1, 79: 1}, 7),
    # Two concealed kongs 6 imply two concealed pungs. 门前清 2, 连六 1, 单钓将 1.
    ("[2222p] [4444s] 345m 678m E + E", {}, {48: 1, 62: 1, 71: 1, 79: 1}, 10),
    # The wait of 1233 and 3 is an edge wait: 1-2-3 closed on 3, the other 3 in the pair.
    # 箭刻 2, 边张 1.
    ("[789p] [CCC] 1233m 888s + 3m", {}, {59: 1, 77: 1}, 3),
    # 12345 and 3: the wait has three tiles, none counts.
    ("[789p] [CCC] 12345m 88s + 3m", {}, {59: 1}, 2),
    # 4556 and 5 is a closed wait, not a single one.
    ("[789p] [CCC] 4556m 222s + 5m", {}, {59: 1, 78: 1}, 3),
    # 45567 and 6: the wait is for 3, 6 and 9, none counts.
    ("[789p] [CCC] 45567m 22s + 6m", {}, {59: 1}, 2),
    # 4444567s waits for 4 and 7 though no fifth 4 exists: no 单钓将. 四归一 2, 喜相逢 1, 无字 1.
    ("[123m] [456p] 4444567s + 7s", {}, {64: 1, 70: 1, 76: 1}, 4),
    # Three 3p lie in the own melds, so the fourth is the last one without saying: 和绝张 4, 坎张 1,
    # and four 3p that are no kong: 四归一 2.
    ("[333p] 24p 789m 456s EE + 3p", {}, {58: 1, 64: 1, 78: 1}, 7),
    # Robbing the kong 8 implies the last tile, which may be said as well. 边张 1.
    (
        "[789p] [CCC] 12m 444s 99s + 3m",
        {"robbing_kong": True, "fourth_tile": True},
        {47: 1, 59: 1, 77: 1},
        11,
    ),
    # Last tile of the wall drawn as a kong's replacement: 妙手回春 8 + 杠上开花 8, no 自摸.
    # 暗杠 2, 连六 1, 单钓将 1; 不求人 is gone with the melded chow.
    (
        "[4444s] [234m] 678p 567m E + E",
        {"self_draw": True, "last_tile": True, "kong_replacement": True},
        {44: 1, 46: 1, 67: 1, 71: 1, 79: 1},
        20,
    ),
    # Last discard: 海底捞月 8 with the same small fans.
    ("[4444s] [234m] 678p 567m E + E", {"last_tile": True}, {45: 1, 67: 1, 71: 1, 79: 1}, 12),
    # A pung completed by a discard is not concealed: two of three. 双暗刻 2, 碰碰和 6, 幺九刻 1.
    ("[EEE] 222m 555p 88s 33s + 8s", {}, {49: 1, 66: 1, 73: 1}, 9),
    # The winning 4 can stand in the chow 2-3-4, so the pung of fours is concealed: 三暗刻 16.
    # 四归一 2 for the fours, 门前清 2, 断幺 2.
    ("23444m 666p 888s 55p + 4m", {}, {33: 1, 62: 1, 64: 1, 68: 1}, 22),
    # Three winds and a pair of the fourth, with the seat wind among them: 小四喜 64 keeps 门风刻 2, its
    # pungs make no 幺九刻. 混一色 6, 碰碰和 6, 单钓将 1.
    ("[EEE] [SSS] [WWW] 555m N + N", {"seat_wind": "S"}, {9: 1, 49: 1, 50: 1, 61: 1, 79: 1}, 79),
    # 大三元 88 + 字一色 64; 箭刻, 幺九刻 and 碰碰和 are implied.
    ("[CCC] [FFF] [PPP] EE SS + S", {}, {2: 1, 11: 1}, 152),
    # 绿一色 with the green dragon: 混一色 is not counted beside it; 88 + 碰碰和 6 + 箭刻 2.
    ("[222s] [444s] [FFF] 66s 88s + 8s", {}, {3: 1, 49: 1, 59: 1}, 96),
    # Without it: 清一色 24 and 断幺 2 as well.
    ("[222s] [444s] [666s] 33s 88s + 8s", {}, {3: 1, 22: 1, 49: 1, 68: 1}, 120),
    # Knitted straight with a pung and a pair: 12 + 幺九刻 1 + 五门齐 6 + 门前清 2 (wait for E and CC).
    ("147m 258p 369s EE CC + E", {}, {35: 1, 52: 1, 62: 1, 73: 1}, 21),
    # Greater honours: seven honours and seven of a knitted straight. 24; five honours: 全不靠 12 + 组合龙 12.
    ("14m 258p 36s ESWNCF + P", {}, {20: 1}, 24),
    ("147m 258p 369s ESWN + C", {}, {34: 1, 35: 1}, 24),
    # Thirteen orphans on self-draw: 88 + 自摸 1, never 不求人.
    ("19m 19p 19s ESWNCFP + E", {"self_draw": True}, {7: 1, 80: 1}, 89),
    # Terminal chows: 一色双龙会 64 and nothing of its chows, 门前清 2; 三色双龙会 16, 边张 1.
    ("1223355778899s + 1s", {}, {13: 1, 62: 1}, 66),
    ("[123p] [789p] 123m 89m 55s + 7m", {}, {29: 1, 77: 1}, 17),
    # Quadruple chow 48 implies its three tile hogs; 一色三节高 is another reading. 清一色 24, 小于五 12,
    # 平和 2; waits 1 and 4.
    ("[123m] [123m] 1122334m + 4m", {}, {14: 1, 22: 1, 37: 1, 63: 1}, 86),
]


@pytest.mark.parametrize(("text", "context", "fans", "total"), WORKED)
def test_worked_hand(text: str, context: dict[str, object], fans: dict[int, int], total: int) -> None:
    assert counts(text, **context) == fans
    assert score(parse_hand(text), Context(**context)).total == total  # type: ignore[arg-type]


# 一色三同顺 24 + 门前清 2 + 平和 2 + 喜相逢 1 + 缺一门 1, or as pungs 24 + 2 + 双暗刻 2 + 缺一门 1 + 无字 1:
# equally dear, so any of the two is right.
def test_equal_readings() -> None:
    assert score(parse_hand("22233344m 234p 99m + 4m")).total == 30


# Double 老少副 and double 喜相逢 of 123789m 123789p: four chows joined into one, three of the four fans.
def test_four_chows_in_a_ring_make_three() -> None:
    found = counts("[123m] [789m] 123789p E + E")
    assert sum(found.get(number, 0) for number in (70, 72)) == 3


# Nine gates by winning tile: 1 and 9 add 清龙 16 and 四归一 2; 2 and 8 add 双暗刻 2, 幺九刻 1, 连六 1;
# 5 adds 双暗刻 2 and 幺九刻 1; the others 连六 1.
@pytest.mark.parametrize(
    ("rank", "total"), [(1, 106), (2, 92), (3, 89), (4, 89), (5, 91), (6, 89), (7, 89), (8, 92), (9, 106)]
)
def test_nine_gates(rank: int, total: int) -> None:
    result = score(parse_hand(f"1112345678999s + {rank}s"))
    assert result.total == total
    assert 4 in result.counts
    assert not {22, 62, 76} & set(result.counts)


def test_melded_or_narrow_waits_are_no_nine_gates() -> None:
    assert 4 not in counts("[111s] 2345678999s + 5s")
    # The same fourteen tiles, but the thirteen before wait for less.
    assert 4 not in counts("1112345567899s + 9s")


def test_unknown_winds_make_no_fan() -> None:
    text = "[EEE] 234m 567p 78s 44p + 9s"
    assert 60 not in counts(text)
    assert counts(text, prevalent_wind="E")[60] == 1
    assert counts(text, prevalent_wind="E", seat_wind="E") == {60: 1, 61: 1}


def test_flowers_never_count_toward_eight() -> None:
    hand = parse_hand("[2222p,1] [4444s] 345m 678m E + E plum orchid spring")
    result = score(hand)
    assert (result.fan, result.flowers, result.total) == (7, 3, 10)
    assert not result.qualifies
    assert result.missing == 1


def test_flowers_can_be_a_count() -> None:
    assert score(parse_hand("[123p] [444s] [789m] 34p CC + 2p"), Context(flowers=5)).total == 13


def test_payments_of_a_discard_and_of_a_self_draw() -> None:
    paid = score(parse_hand("1112345678999s + 3s")).payments
    assert (paid.winner, paid.discarder, paid.others) == (113, 97, 8)
    paid = score(parse_hand("1112345678999s + 3s"), Context(self_draw=True)).payments
    assert (paid.winner, paid.discarder, paid.others) == (3 * 98, None, 98)


def test_a_hand_below_eight_moves_no_points() -> None:
    paid = score(parse_hand("[123m] [456p] 4444567s + 7s")).payments
    assert (paid.winner, paid.discarder, paid.others) == (0, 0, 0)
