"""A finished hand's fans and total: the dearest of all its readings.

`score` lays the hand out in numbers, counts what no reading changes (tiles, circumstances), then
reads it in every way and takes the dearest. Which tiles make which fan is worked out only when asked for
(`makers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from .context import Context
from .errors import NotAWinError
from .fans import FANS, Fan, points
from .hand import Hand
from .makers import Makers
from .payments import Payments, payments
from .principles import high_versus_low, non_repeat
from .problems import NO_WINNING_SHAPE, Laid, check_context, lay_out
from .readings import Reading, readings
from .rules import RuleSet, rule_set

MINIMUM = 8
"""Points without flowers that a win needs."""
_CHICKEN_HAND = 1 << 43


@dataclass(frozen=True, slots=True)
class FanCount:
    """A fan that a hand makes: which, how often, and worth how much each time."""

    fan: Fan
    count: int
    points: int
    _score: Score = field(repr=False, compare=False)

    @property
    def tiles(self) -> tuple[int, ...]:
        """Positions in `Hand.tiles` of the tiles that make the fan, lowest first.

        For a fan made several times those of all times together, for a fan of circumstance the
        winning tile.
        """
        return self._score.makers.tiles(self.fan.id)


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
        counts = dict.fromkeys(self.reading.counted.numbers, 1)
        for number, more in self.reading.repeats:
            if number in counts:
                counts[number] += more
        if self.flowers:
            counts[81] = self.flowers
        return counts

    @cached_property
    def fans(self) -> tuple[FanCount, ...]:
        """Every fan that counts, the dearest first."""
        return tuple(
            [
                FanCount(FANS[number], count, points(number, self.rules), self)
                for number, count in self.counts.items()
            ]
        )

    @cached_property
    def makers(self) -> Makers:
        """The sets of the chosen reading laid back onto the hand's tiles."""
        return Makers(self)

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
    >>> result = score(parse_hand("[123m] [456p] 789s 44z 66z + 6z"))
    >>> result.total, [(made.fan.name, made.count) for made in result.fans]
    (16, [('Mixed Straight', 1), ('All Types', 1), ('Dragon Pung', 1)])
    >>> score(parse_hand("[123m] [456p] 789s 555s C + F"))
    Traceback (most recent call last):
    ...
    fanlens.scoring.errors.NotAWinError: these tiles make no winning shape
    """
    context = DISCARD_WIN if context is None else context
    switches = rule_set(rules)
    laid = lay_out(hand)
    check_context(context, hand, laid)
    found = readings(laid, context, switches)
    if not found:
        raise NotAWinError("no-winning-shape", NO_WINNING_SHAPE)
    best = high_versus_low(found, _worth) if len(found) > 1 else found[0]
    if not best.worth:
        chicken = non_repeat(_CHICKEN_HAND, switches)
        best = best._replace(worth=chicken.worth, counted=chicken)
    flowers = len(hand.flowers) if context.flowers is None else context.flowers
    return Score(hand, context, switches, best.worth, flowers, best, laid)


def _worth(reading: Reading) -> int:
    return reading.worth
