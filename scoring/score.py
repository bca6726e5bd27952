"""A finished hand's fans and total: the dearest of all its readings.

`score` lays the hand out in numbers, counts what no reading changes (tiles, circumstances), then
reads it in every way and takes the dearest. The work on each reading is a few look-ups of what its
chows, pungs and honours make; which tiles make which fan is worked out only when asked for
(`makers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from .context import Context
from .errors import NotAWinError
from .fans import BY_WORTH, FANS, Fan, bits, points
from .hand import Hand
from .makers import Makers
from .payments import Payments, payments
from .principles import high_versus_low, non_repeat
from .problems import NO_WINNING_SHAPE, Laid, check_context, lay_out
from .rules import RuleSet, rule_set
from .set_fans import (
    CONCEALED_PUNGS,
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
MINIMUM = 8
"""Points without flowers that a win needs."""

_WIND_TILE = {None: -1, **{name: 27 + i for i, name in enumerate(WINDS)}}
_OUTSIDE_CHOWS = frozenset(9 * suit + rank for suit in range(3) for rank in (0, 6))
_FIVES = frozenset((4, 13, 22))
_CHOWS_WITH_FIVE = frozenset(9 * suit + rank for suit in range(3) for rank in (2, 3, 4))
_KNITTED_STRAIGHT = bits((35,))
_NO_FANS = SetFans(0, (), ())


class Reading(NamedTuple):
    """One way to read a hand, counted.

    worth: points without flowers. fans: those that count, as bits.
    repeats: (fan, how often beyond the first). shape: which winning shape.
    form: sets and pair of the concealed tiles, None for the shapes without sets.
    chows, pungs: all of the hand's, melds included, in the order the groups refer to.
    groups: fans made by sets: from chows (`by_chows`), number pungs and honour pungs.
    """

    worth: int
    fans: int
    repeats: tuple[tuple[int, int], ...]
    shape: Shape
    form: Form | None = None
    chows: tuple[int, ...] = ()
    pungs: tuple[int, ...] = ()
    by_chows: SetFans = _NO_FANS
    by_pungs: SetFans = _NO_FANS
    by_honours: SetFans = _NO_FANS


@dataclass(frozen=True, slots=True)
class FanCount:
    """A fan that a hand makes: which, how often, worth how much each time, from which tiles.

    tiles: positions in `Hand.tiles` of the tiles that make it, in order; for a fan made several
        times those of all times together. For a fan of circumstance it is the winning tile.
    """

    fan: Fan
    count: int
    points: int
    tiles: tuple[int, ...]


@dataclass(frozen=True)
class Score:
    """What a finished hand is worth.

    fan: points without flowers, the ones that must reach eight. flowers: how many, a point each.
    reading: the dearest reading. Where several are equally dear it is one of them.
    """

    hand: Hand
    context: Context
    rules: RuleSet
    fan: int
    flowers: int
    reading: Reading
    laid: Laid

    @property
    def total(self) -> int:
        """Points with flowers."""
        return self.fan + self.flowers

    @property
    def qualifies(self) -> bool:
        """Whether the hand may win: at least eight points without flowers."""
        return self.fan >= MINIMUM

    @property
    def missing(self) -> int:
        """How many points are missing to eight, 0 where the hand qualifies."""
        return max(0, MINIMUM - self.fan)

    @property
    def counts(self) -> dict[int, int]:
        """Fan number to how often it counts, the dearest first, flowers (81) last."""
        fans, more = self.reading.fans, dict(self.reading.repeats)
        counts = {number: 1 + more.get(number, 0) for number in BY_WORTH if fans >> number & 1}
        if self.flowers:
            counts[81] = self.flowers
        return counts

    @cached_property
    def fans(self) -> tuple[FanCount, ...]:
        """Every fan that counts, the dearest first, each with the tiles that make it."""
        makers = Makers(self)
        return tuple(
            FanCount(FANS[number], count, points(number, self.rules), makers.tiles(number))
            for number, count in self.counts.items()
        )

    @property
    def payments(self) -> Payments:
        """Who pays what for this hand."""
        return payments(self.total, self_draw=self.context.self_draw, qualifies=self.qualifies)


DISCARD_WIN = Context()


def score(hand: Hand, context: Context | None = None, *, rules: str | RuleSet = "current") -> Score:
    """The fans and the total of a finished hand.

    context: the circumstances; None is a discard win without any, winds unknown.
    rules: name of a rule set in `RULES`, or one of your own.

    Raises NotAWinError with all problems where the tiles are no finished hand (an unknown winning
    tile among them), ContextError where circumstances contradict each other or the hand, HandError
    for a rule set nobody knows.

    >>> from fanlens.scoring import parse_hand
    >>> result = score(parse_hand("[123m] [456p] 78s 4466z + 9s"))
    Traceback (most recent call last):
    ...
    fanlens.scoring.errors.NotAWinError: these tiles make no winning shape
    >>> result = score(parse_hand("[123m] [456p] 789s 55s C + C"))
    Traceback (most recent call last):
    ...
    fanlens.scoring.errors.NotAWinError: these tiles make no winning shape
    >>> result = score(parse_hand("[123m] [456p] 789s 44z 66z + 6z"))
    >>> result.total, [(fan.fan.name, fan.count) for fan in result.fans]
    (16, [('Mixed Straight', 1), ('All Types', 1), ('Dragon Pung', 1)])
    """
    context = DISCARD_WIN if context is None else context
    switches = rule_set(rules)
    laid = lay_out(hand)
    check_context(context, hand, laid)
    readings = _readings(laid, context, switches)
    if not readings:
        raise NotAWinError("no-winning-shape", NO_WINNING_SHAPE)
    best = high_versus_low(readings, _worth) if len(readings) > 1 else readings[0]
    if not best.worth:
        best = best._replace(worth=points(43, switches), fans=bits((43,)))
    flowers = len(hand.flowers) if context.flowers is None else context.flowers
    return Score(hand, context, switches, best.worth, flowers, best, laid)


def _worth(reading: Reading) -> int:
    return reading.worth


def _readings(laid: Laid, context: Context, rules: RuleSet) -> list[Reading]:
    """Every reading of the hand, counted."""
    key = laid.complete
    fans = tile_fans(laid.everything) | _circumstances(laid, context)
    hogs = ((laid.everything >> 2 & EACH) & ~laid.kongs).bit_count()
    if hogs:
        fans |= 1 << 64
    repeats = ((64, hogs - 1),) if hogs > 1 else ()
    readings = [_regular(laid, context, rules, form, fans, repeats) for form in regular_forms(key)]
    if laid.melds <= 1:
        for form in knitted_straight_forms(key):
            readings.append(_regular(laid, context, rules, form, fans, repeats))
    if not laid.melds:
        if is_seven_pairs(key):
            readings.append(_seven_pairs(key, fans, repeats, rules))
        elif is_thirteen_orphans(key):
            readings.append(_whole(fans, (7,), repeats, rules, "thirteen orphans"))
        elif is_knitted_honours(key):
            honours = (key >> 3 * HONOURS).bit_count()
            numbers = (20,) if honours == 7 else (34, 35) if honours == 5 else (34,)
            readings.append(_whole(fans, numbers, repeats, rules, "knitted honours"))
    return readings


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
    # The other three lie open to all: said so, or plain from the own melds.
    elif context.fourth_tile or (laid.everything - laid.complete) >> 3 * laid.winning & 7 == 3:
        fans |= 1 << 58
    if context.fourth_tile:
        fans |= 1 << 58
    return fans


def _whole(
    fans: int, numbers: tuple[int, ...], repeats: tuple[tuple[int, int], ...], rules: RuleSet, shape: Shape
) -> Reading:
    return _reading(fans | bits(numbers), repeats, rules, shape)


def _reading(fans: int, repeats: tuple[tuple[int, int], ...], rules: RuleSet, shape: Shape) -> Reading:
    counted, worth = non_repeat(fans, rules)
    kept = tuple(repeat for repeat in repeats if counted >> repeat[0] & 1)
    for number, more in kept:
        worth += points(number, rules) * more
    return Reading(worth, counted, kept, shape)


def _seven_pairs(key: int, fans: int, repeats: tuple[tuple[int, int], ...], rules: RuleSet) -> Reading:
    if not rules.seven_pairs_tile_fans:
        fans &= ~SEVEN_PAIRS_DISPUTED
    held = present(key)
    lowest = (held & -held).bit_length() - 1
    in_a_row = fans >> 22 & 1 and held >> lowest == 0o1111111
    return _whole(fans, (6,) if in_a_row else (19,), repeats, rules, "seven pairs")


def _regular(
    laid: Laid,
    context: Context,
    rules: RuleSet,
    form: Form,
    fans: int,
    repeats: tuple[tuple[int, int], ...],
) -> Reading:
    """A reading as sets and a pair, a knitted straight among them or not.

    fans, repeats: what no reading changes.
    """
    form_chows, form_pungs, pair, knitted = form
    winning = laid.winning
    chows = laid.chows + form_chows
    pungs = laid.pungs + form_pungs
    if len(chows) > 1:
        chows = tuple(sorted(chows))
    by_chows = by_pungs = by_honours = _NO_FANS

    if len(chows) > 1:
        by_chows = chow_fans(chows, pair if pair in _FIVES else -1)
        fans |= by_chows.fans
        repeats += by_chows.repeats
    if pungs:
        pungs = tuple(sorted(pungs))
        ended = [pung for pung in pungs if pung in TERMINAL_OR_HONOUR]
        if ended:
            by_honours = honour_fans(
                tuple(ended), pair, _WIND_TILE[context.seat_wind], _WIND_TILE[context.prevalent_wind]
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
        concealed = len(form_pungs) + laid.concealed_kongs
        if concealed > 1:
            if winning in form_pungs and not context.self_draw and not _in_chow(winning, form):
                concealed -= 1
            fans |= CONCEALED_PUNGS[concealed]
        if laid.kongs:
            fans |= kong_fans(laid.melded_kongs, laid.concealed_kongs, rules)
    elif pair < HONOURS:
        fans |= 1 << 63

    if knitted:
        fans |= _KNITTED_STRAIGHT
    elif pair in TERMINAL_OR_HONOUR:
        if _OUTSIDE_CHOWS.issuperset(chows) and TERMINAL_OR_HONOUR.issuperset(pungs):
            fans |= 1 << 55
    elif pair in _FIVES and _CHOWS_WITH_FIVE.issuperset(chows) and _FIVES.issuperset(pungs):
        fans |= 1 << 31
    if not laid.melds and is_nine_gates(laid.standing):
        fans |= 1 << 4
        repeats, fans = _one_fewer(73, repeats, fans)

    wait = _wait(laid, rules, form)
    if wait:
        fans |= 1 << wait
    worth_once = _reading(fans, repeats, rules, "knitted straight" if knitted else "regular")
    return worth_once._replace(
        form=form, chows=chows, pungs=pungs, by_chows=by_chows, by_pungs=by_pungs, by_honours=by_honours
    )


def _one_fewer(
    number: int, repeats: tuple[tuple[int, int], ...], fans: int
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Take one of a fan's counts away: non-repeat where a fan implies another once, not always."""
    for i, (repeated, more) in enumerate(repeats):
        if repeated == number:
            rest = ((number, more - 1),) if more > 1 else ()
            return repeats[:i] + rest + repeats[i + 1 :], fans
    return repeats, fans & ~(1 << number)


def _in_chow(tile: int, form: Form) -> bool:
    """Whether the tile can stand in a concealed chow, or in the knitted straight, of the form."""
    return tile in form.knitted or (
        tile < HONOURS and any(chow <= tile <= chow + 2 for chow in form.chows)
    )


def _wait(laid: Laid, rules: RuleSet, form: Form) -> int:
    """The fan of the wait in this form: 77 edge, 78 closed, 79 single, or 0.

    Only a wait for one tile counts; where the winning tile closes the form in several ways any of
    the three may be named, each is worth the same.
    """
    winning = laid.winning
    wait = 0
    if rules.knitted_straight_wait or winning not in form.knitted:
        rank = winning % 9
        for chow in form.chows:
            if winning == chow + 1:
                wait = 78
            elif (rank == 2 and winning == chow + 2) or (rank == 6 and winning == chow):
                wait = 77
                break
    if not wait and winning == form.pair:
        wait = 79
    if not wait:
        return 0
    waits = formal_waits(laid.standing, laid.melds)
    if not rules.formal_waits:
        waits = _real_waits(laid, waits)
    return wait if waits == {winning} else 0


def _real_waits(laid: Laid, waits: set[int]) -> set[int]:
    """Without the waits that are formal only: a fifth copy, seven pairs beside a regular wait."""
    held = laid.everything - ONE[laid.winning]
    regular = formal_waits(laid.standing, 1)  # as if something were melded: no seven pairs
    return {tile for tile in (waits & regular or waits) if held >> 3 * tile & 7 < 4}
