"""Every way to read a finished hand, each counted.

What no reading changes (the tiles as such, the circumstances) is counted once for the hand; a
reading then adds what its chows, pungs and honours make, which `set_fans.py` knows, and drops what
is implied. Fans are gathered as bits of one integer, with a short list of those made several times.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .context import Context
from .fans import bits, points
from .principles import Counted, non_repeat
from .problems import Laid
from .rules import RuleSet
from .set_fans import (
    CONCEALED_PUNGS,
    FIVES,
    TERMINAL_OR_HONOUR,
    SetFans,
    chow_fans,
    honour_fans,
    kong_fans,
    pung_fans,
)
from .shapes import (
    EACH,
    HONOURS,
    ONE,
    Form,
    formal_waits,
    is_knitted_honours,
    is_nine_gates,
    is_seven_pairs,
    is_thirteen_orphans,
    knitted_straight_forms,
    present,
    regular_forms,
)
from .tile_fans import SEVEN_PAIRS_DISPUTED, only_even, tile_fans
from .tiles import WINDS

Shape = Literal["regular", "knitted straight", "seven pairs", "thirteen orphans", "knitted honours"]
Repeats = tuple[tuple[int, int], ...]
"""Fans made several times: (fan number, how often beyond the first)."""

_WIND_TILE: dict[str | None, int] = {None: -1, **{name: HONOURS + i for i, name in enumerate(WINDS)}}
_OUTSIDE_CHOWS = frozenset(9 * suit + rank for suit in range(3) for rank in (0, 6))
_CHOWS_WITH_FIVE = frozenset(9 * suit + rank for suit in range(3) for rank in (2, 3, 4))
_NO_FANS = SetFans(0, (), ())


class Reading(NamedTuple):
    """One way to read a hand, counted.

    worth: points without flowers. counted: the fans that count, each once. repeats: how often more.
    shape: which winning shape. form: sets and pair of the concealed tiles, None for a shape without.
    chows, pungs: all of the hand's, melds included, sorted tile numbers. by_chows, by_pungs,
    by_honours: the fans made by chows, by number pungs and by terminal and honour pungs.
    """

    worth: int
    counted: Counted
    repeats: Repeats
    shape: Shape
    form: Form | None = None
    chows: tuple[int, ...] = ()
    pungs: tuple[int, ...] = ()
    by_chows: SetFans = _NO_FANS
    by_pungs: SetFans = _NO_FANS
    by_honours: SetFans = _NO_FANS


def readings(laid: Laid, context: Context, rules: RuleSet) -> list[Reading]:
    """Every reading of a hand, counted; [] where it has no winning shape."""
    key = laid.complete
    fans = tile_fans(laid.everything) | _circumstances(laid, context)
    hogs = ((laid.everything >> 2 & EACH) & ~laid.kongs).bit_count()
    if hogs:
        fans |= 1 << 64
    repeats = ((64, hogs - 1),) if hogs > 1 else ()
    found = [_with_sets(laid, context, rules, form, fans, repeats) for form in regular_forms(key)]
    if laid.melds <= 1 and not found:
        forms = knitted_straight_forms(key)
        found = [_with_sets(laid, context, rules, form, fans, repeats) for form in forms]
    if not laid.melds:
        if is_seven_pairs(key):
            found.append(_seven_pairs(key, fans, repeats, rules))
        elif not found and is_thirteen_orphans(key):
            found.append(_without_sets(fans | 1 << 7, repeats, rules, "thirteen orphans"))
        elif not found and is_knitted_honours(key):
            honours = (key >> 3 * HONOURS).bit_count()
            made = (20,) if honours == 7 else (34, 35) if honours == 5 else (34,)
            found.append(_without_sets(fans | bits(made), repeats, rules, "knitted honours"))
    return found


def _circumstances(laid: Laid, context: Context) -> int:
    """Fans, as bits, of how the hand was won and how much of it was claimed."""
    fans = 0
    if context.self_draw:
        fans |= 1 << 80
        if context.last_tile:
            fans |= 1 << 44
        if context.kong_replacement:
            fans |= 1 << 46
    else:
        if context.last_tile:
            fans |= 1 << 45
        if context.robbing_kong:
            fans |= 1 << 47
        if laid.claimed == 4:
            fans |= 1 << 53
    if not laid.claimed:
        fans |= 1 << (56 if context.self_draw else 62)
    # The other three lie open to all: because that was said, or plainly, in the own melds.
    if context.fourth_tile or (laid.everything - laid.complete) >> 3 * laid.winning & 7 == 3:
        fans |= 1 << 58
    return fans


def _worth(counted: Counted, repeats: Repeats, rules: RuleSet) -> int:
    worth = counted.worth
    for number, more in repeats:
        if counted.fans >> number & 1:
            worth += points(number, rules) * more
    return worth


def _without_sets(fans: int, repeats: Repeats, rules: RuleSet, shape: Shape) -> Reading:
    counted = non_repeat(fans, rules)
    return Reading(_worth(counted, repeats, rules), counted, repeats, shape)


def _seven_pairs(key: int, fans: int, repeats: Repeats, rules: RuleSet) -> Reading:
    if not rules.seven_pairs_tile_fans:
        fans &= ~SEVEN_PAIRS_DISPUTED
    held = present(key)
    lowest = (held & -held).bit_length() - 1
    in_a_row = fans >> 22 & 1 and held >> lowest == 0o1111111
    return _without_sets(fans | 1 << (6 if in_a_row else 19), repeats, rules, "seven pairs")


def _with_sets(
    laid: Laid, context: Context, rules: RuleSet, form: Form, fans: int, repeats: Repeats
) -> Reading:
    """A reading as sets and a pair, a knitted straight among them or not.

    fans, repeats: what no reading changes.
    """
    pair = form.pair
    chows = laid.chows + form.chows
    pungs = laid.pungs + form.pungs
    by_chows = by_pungs = by_honours = _NO_FANS
    if len(chows) > 1:
        chows = tuple(sorted(chows))
        by_chows = chow_fans(chows, pair if pair in FIVES else -1)
        fans |= by_chows.fans
        repeats += by_chows.repeats
    if pungs:
        pungs = tuple(sorted(pungs))
        ended = [pung for pung in pungs if pung in TERMINAL_OR_HONOUR]
        if ended:
            seat, prevalent = _WIND_TILE[context.seat_wind], _WIND_TILE[context.prevalent_wind]
            by_honours = honour_fans(
                tuple(ended),
                pair if pair >= HONOURS else -1,
                seat if seat in ended else -1,
                prevalent if prevalent in ended else -1,
            )
            fans |= by_honours.fans
            repeats += by_honours.repeats
        if len(pungs) > 1:
            by_pungs = pung_fans(tuple([pung for pung in pungs if pung < HONOURS]))
            fans |= by_pungs.fans
            repeats += by_pungs.repeats
        if len(pungs) == 4:
            fans |= 1 << 49
            if only_even(laid.everything):
                fans |= 1 << 21
        fans |= _concealed_pungs(laid, context, form)
        if laid.kongs:
            fans |= kong_fans(laid.melded_kongs, laid.concealed_kongs, rules)
    elif pair < HONOURS:
        fans |= 1 << 63

    if form.knitted:
        fans |= 1 << 35
    elif pair in TERMINAL_OR_HONOUR:
        if _OUTSIDE_CHOWS.issuperset(chows) and TERMINAL_OR_HONOUR.issuperset(pungs):
            fans |= 1 << 55
    elif pair in FIVES and _CHOWS_WITH_FIVE.issuperset(chows) and FIVES.issuperset(pungs):
        fans |= 1 << 31
    if not laid.melds and is_nine_gates(laid.standing):
        # The standing tiles hold two terminal pungs, one of which any winning tile leaves whole.
        fans, repeats = _one_fewer(73, fans | 1 << 4, repeats)
    wait = _wait(laid, rules, form)
    if wait:
        fans |= 1 << wait

    counted = non_repeat(fans, rules)
    shape: Shape = "knitted straight" if form.knitted else "regular"
    worth = _worth(counted, repeats, rules)
    return Reading(worth, counted, repeats, shape, form, chows, pungs, by_chows, by_pungs, by_honours)


def _one_fewer(number: int, fans: int, repeats: Repeats) -> tuple[int, Repeats]:
    """Non-repeat where a fan implies another once and no more: one count of it is taken away."""
    more = dict(repeats)
    if number not in more:
        return fans & ~(1 << number), repeats
    more[number] -= 1
    return fans, tuple((repeated, times) for repeated, times in more.items() if times)


def _concealed_pungs(laid: Laid, context: Context, form: Form) -> int:
    """The fan of concealed pungs, as bits.

    A pung completed by a discard is not concealed, unless the winning tile can be read as part of a
    concealed chow (or the knitted straight) instead.
    """
    concealed = len(form.pungs) + laid.concealed_kongs
    if concealed > 1 and not context.self_draw and laid.winning in form.pungs:
        concealed -= not in_chow(laid.winning, form)
    return CONCEALED_PUNGS[concealed]


def in_chow(tile: int, form: Form) -> bool:
    """Whether the tile can stand in a concealed chow, or in the knitted straight, of the form."""
    return tile in form.knitted or any(chow <= tile <= chow + 2 for chow in form.chows)


def _wait(laid: Laid, rules: RuleSet, form: Form) -> int:
    """The fan of the wait in this form: 77 edge, 78 closed, 79 single, or 0.

    Only a wait for one tile counts. Where the winning tile closes the form in several ways any may
    be named, they are worth the same.
    """
    winning = laid.winning
    rank = winning % 9
    wait = 0
    if rules.knitted_straight_wait or winning not in form.knitted:
        for chow in form.chows:
            if winning == chow + 1:
                wait = 78
            elif (winning == chow and rank == 6) or (winning == chow + 2 and rank == 2):
                wait = 77
                break
    if not wait and winning == form.pair:
        wait = 79
    if not wait:
        return 0
    waits = formal_waits(laid.standing, laid.melds)
    if not rules.formal_waits:
        waits = _real_waits(laid, waits)
    return wait if len(waits) == 1 else 0


def _real_waits(laid: Laid, waits: set[int]) -> set[int]:
    """Without the waits that are formal only: a fifth copy, seven pairs beside a regular wait."""
    held = laid.everything - ONE[laid.winning]
    regular = formal_waits(laid.standing, 1)  # as if something were melded: no seven pairs
    return {tile for tile in (waits & regular or waits) if held >> 3 * tile & 7 < 4}
