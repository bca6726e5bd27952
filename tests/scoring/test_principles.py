"""The five counting principles, one by one."""

from __future__ import annotations

from fanlens.scoring import RULES, parse_hand, score
from fanlens.scoring.fans import bits, exclusions
from fanlens.scoring.principles import account_once, biggest_group, non_repeat
from fanlens.scoring.set_fans import CHOW_GROUPS, chow_fans

CURRENT = RULES["current"]


def test_non_repeat_lets_only_fans_that_count_imply_others() -> None:
    # 四暗刻 implies 不求人, which then no longer implies 自摸.
    assert non_repeat(bits((12, 49, 56, 80)), CURRENT).numbers == (12, 80)
    # 杠上开花 implies 自摸 but not 不求人.
    assert non_repeat(bits((46, 56, 80)), CURRENT).numbers == (46, 56)


def test_non_repeat_lists_the_late_comer_by_its_worth() -> None:
    assert non_repeat(bits((49, 56, 82, 76)), CURRENT).numbers == (49, 82, 56, 76)


def test_implied_fans_are_never_dearer() -> None:
    # Counting from the dearest down is right only as long as this holds.
    for rules in RULES.values():
        for number, implied in exclusions(rules).items():
            dearer = [n for n in range(1, 82) if implied >> n & 1 and n < number and number != 82]
            assert dearer in ([], [23]), number  # 24 and 23 imply each other


def test_account_once_counts_at_most_sets_less_groups() -> None:
    # 234p 234s 567p 567s: a ring of four fans joins four sets, so three count.
    ring = [(70, 0, 2), (71, 0, 1), (71, 2, 3), (70, 1, 3)]
    assert len(account_once(ring, 4)) == 3
    # Two pairs of chows that have nothing to do with each other: two.
    assert len(account_once([(69, 0, 1), (69, 2, 3)], 4)) == 2


def test_non_separation_keeps_the_sets_of_a_group_together() -> None:
    # 1-2-3, 4-5-6, 7-8-9 of one suit are 清龙; their own 连六 and 老少副 are gone, the fourth chow
    # joins once.
    pairs = [(69, 0, 3), (71, 0, 1), (71, 1, 2), (72, 0, 2), (71, 1, 3), (72, 2, 3)]
    assert account_once(pairs, 4, (0, 1, 2)) == [(69, (0, 3))]


def test_non_identical_takes_one_group_of_three() -> None:
    # 1-2-3 2-3-4 3-4-5 3-4-5 of one suit: 一色三步高 with either 3-4-5, never twice.
    ways = biggest_group((0, 1, 2, 2), CHOW_GROUPS, [])
    assert [[number for number, _ in way] for way in ways] == [[30], [30], []]


def test_high_versus_low_takes_the_dearest_group() -> None:
    # 2-3-4 of three suits 8 beats 2-3-4p 3-4-5s 4-5-6m 6 over the same chows.
    assert chow_fans((1, 3, 10, 19), -1).groups[0][0] == 41
    # Seven pairs 24 against 一色双龙会 64 of the same tiles.
    assert 13 in score(parse_hand("1223355778899s + 1s")).counts
