"""Laws that hold for every finished hand."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fanlens.scoring import (
    FANS,
    FLOWERS,
    TILES,
    Context,
    Hand,
    HandError,
    Meld,
    explain,
    format_hand,
    hand_from_json,
    hand_to_json,
    parse_hand,
    score,
    waits,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

CHOWS = [(low, low + 1, low + 2) for low in range(27) if low % 9 < 7]
PUNGS = [(tile, tile, tile) for tile in range(34)]
SUIT_BOUND = {3, 40}
LOST_BY_SELF_DRAW = {43, 45, 47, 53, 62}
laws = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def names(tiles: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(TILES[tile] for tile in tiles)


@st.composite
def regular_hands(draw: st.DrawFn) -> Hand:
    """Four sets and a pair, any number of them melded, won on any concealed tile."""
    near = draw(st.integers(0, 2))
    chows = [chow for chow in CHOWS if draw(st.booleans()) or chow[0] // 9 == near]
    sets = [draw(st.sampled_from(chows or CHOWS) | st.sampled_from(PUNGS)) for _ in range(4)]
    pair = draw(st.integers(0, 33))
    melds, concealed = [], [pair, pair]
    for one in sets:
        kind = draw(st.sampled_from(["concealed", "concealed", "open", "melded-kong", "concealed-kong"]))
        if kind == "concealed":
            concealed += one
        elif one[0] != one[1]:
            melds.append(Meld("chow", names(one)))
        elif kind == "open":
            melds.append(Meld("pung", names(one)))
        else:
            melds.append(Meld(kind, names((*one, one[0]))))  # type: ignore[arg-type]
    winning = draw(st.sampled_from(concealed))
    concealed.remove(winning)
    hand = Hand(names(tuple(concealed)), TILES[winning], tuple(melds))
    assume(all(hand.tiles.count(name) <= 4 for name in hand.tiles))
    return hand


@st.composite
def paired_hands(draw: st.DrawFn) -> Hand:
    pairs = draw(st.lists(st.integers(0, 33), min_size=7, max_size=7))
    assume(all(pairs.count(tile) <= 2 for tile in pairs))
    tiles = names((*pairs, *pairs))
    return Hand(tiles[1:], tiles[0])


hands = regular_hands() | paired_hands()
winds = st.sampled_from(["E", "S", "W", "N", None])
discards = st.builds(Context, last_tile=st.booleans(), seat_wind=winds, prevalent_wind=winds)


def renamed(name: str, suits: str) -> str:
    return name[0] + suits["mps".index(name[1])] if len(name) == 2 else name


@laws
@given(hands, discards, st.permutations("mps"))
def test_renaming_suits_leaves_the_total_alone(hand: Hand, context: Context, suits: list[str]) -> None:
    word = "".join(suits)
    other = Hand(
        tuple(renamed(name, word) for name in hand.concealed),
        renamed(hand.winning_tile or "", word),
        tuple(Meld(meld.kind, tuple(renamed(name, word) for name in meld.tiles)) for meld in hand.melds),
    )
    one, two = score(hand, context), score(other, context)
    assume(not SUIT_BOUND & (set(one.counts) | set(two.counts)))
    assert one.total == two.total


@laws
@given(hands, discards, st.sets(st.sampled_from(FLOWERS)))
def test_every_flower_adds_one(hand: Hand, context: Context, flowers: set[str]) -> None:
    bare = score(hand, context)
    with_flowers = score(replace(hand, flowers=tuple(flowers)), context)
    assert with_flowers.total == bare.total + len(flowers)
    assert with_flowers.fan == bare.fan


@laws
@given(hands, discards)
def test_self_draw_loses_only_the_fans_of_a_discard(hand: Hand, context: Context) -> None:
    discard = score(hand, context)
    drawn = score(hand, replace(context, self_draw=True))
    kept = sum(made.points * made.count for made in discard.fans if made.fan.id not in LOST_BY_SELF_DRAW)
    assert drawn.total >= kept


@laws
@given(hands, discards, st.booleans(), st.sampled_from(["current", "wmo2006", "trial1998"]))
def test_no_two_fans_exclude_each_other(hand: Hand, context: Context, drawn: bool, rules: str) -> None:
    result = score(hand, replace(context, self_draw=drawn), rules=rules)
    # What a rule set counts beside each other although the current one does not.
    allowed = {(4, 56), (6, 56), (7, 56), (12, 56), (19, 56), (20, 56), (34, 56)}
    allowed |= {(8, 65), (5, 67), (5, 48), (17, 67), (17, 48)}
    if rules == "current":
        allowed = set()
    clashes = {(one, two) for one in result.counts for two in FANS[one].excludes if two in result.counts}
    assert clashes <= allowed


@laws
@given(hands, discards, st.randoms())
def test_a_reordered_hand_scores_the_same(hand: Hand, context: Context, random: object) -> None:
    concealed, melds = list(hand.concealed), list(hand.melds)
    random.shuffle(concealed)  # type: ignore[attr-defined]
    random.shuffle(melds)  # type: ignore[attr-defined]
    assert score(replace(hand, concealed=tuple(concealed), melds=tuple(melds)), context).total == (
        score(hand, context).total
    )


@laws
@given(hands, discards)
def test_total_is_the_sum_of_its_fans(hand: Hand, context: Context) -> None:
    result = score(hand, context)
    assert sum(made.points * made.count for made in result.fans) == result.total
    assert result.total >= 1


@laws
@given(hands, discards, st.booleans())
def test_every_fan_names_tiles_of_the_hand(hand: Hand, context: Context, drawn: bool) -> None:
    result = score(hand, replace(context, self_draw=drawn))
    for made in result.fans:
        assert made.tiles, made.fan.name
        assert list(made.tiles) == sorted(set(made.tiles))
        assert made.tiles[-1] < len(hand.tiles)


@laws
@given(hands)
def test_a_win_waits_for_its_winning_tile(hand: Hand) -> None:
    assert hand.winning_tile in waits(hand)
    assert explain(hand) == []


@laws
@given(regular_hands(), discards)
def test_outside_hand_is_worth_six(hand: Hand, context: Context) -> None:
    # 全带幺 4 never comes alone: seed text, "全带幺必定至少6番".
    result = score(hand, context)
    assert 55 not in result.counts or result.fan >= 6


@laws
@given(hands)
def test_text_and_json_give_the_hand_back(hand: Hand) -> None:
    assert hand_from_json(hand_to_json(hand)) == hand
    again = parse_hand(format_hand(hand))
    assert (again.concealed, again.winning_tile) == (hand.concealed, hand.winning_tile)
    assert [(meld.kind, meld.tiles) for meld in again.melds] == [(m.kind, m.tiles) for m in hand.melds]


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_hand_or_an_error(text: str) -> None:
    with suppress(HandError):
        score(parse_hand(text))


@settings(deadline=None)
@given(st.text(alphabet="123456789mpszESWNCFP?[],+ ", max_size=40))
def test_any_hand_like_text_is_a_hand_or_an_error(text: str) -> None:
    with suppress(HandError):
        hand = parse_hand(text)
        problems = explain(hand)
        with suppress(HandError):
            assert (score(hand).total > 0) == (not problems)
