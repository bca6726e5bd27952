"""What a hypothesis is worth: its hand, its total in the context used, and the range over the unknown.

Unknown may be which concealed tile won, whether it was drawn, the winds, and whether a kong lying
face up was concealed. The likeliest total is given; everything else is in the range.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ...scoring import Context, ContextError, Hand, HandError, Meld, Score, score
from ..boxes import TILE_CLASSES
from ..layout.groups import BACK, KONG
from ..reading import Circumstances
from .hypotheses import Hypothesis

MELDED = 0.8
"""Probability that a kong lying with four faces up was claimed or added to: concealed ones are
usually laid with backs showing."""

EVALUATED = 240
"""Most combinations of unknown facts that are scored for the range."""

WINDS = ("E", "S", "W", "N")
KONG_KIND = "kong"
_KONGS = ("melded-kong", "concealed-kong")


@dataclass(frozen=True, slots=True)
class Laid:
    """A hypothesis as a hand: `indices` are the tiles in the order of `hand.tiles`.

    open_kongs: which melds are kongs whose kind the picture doesn't show.
    """

    hand: Hand
    indices: tuple[int, ...]
    open_kongs: tuple[int, ...]

    def meld_indices(self, number: int) -> tuple[int, ...]:
        """The tiles of one of the hand's melds."""
        melds = self.hand.melds
        start = len(self.hand.concealed) + (self.hand.winning_tile is not None)
        start += sum(len(meld.tiles) for meld in melds[:number])
        return self.indices[start : start + len(melds[number].tiles)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The worth of a hypothesis.

    totals: probability of every total over the winning tile and the kongs, in the context used.
    score, laid: of the likeliest total; the winning tile is the one assumed.
    low, high, depends_on: least and greatest total over all that isn't known, and what matters.
    """

    score: Score
    laid: Laid
    totals: Mapping[int, float]
    low: int
    high: int
    depends_on: tuple[str, ...]


def lay(
    hypothesis: Hypothesis, names: Mapping[int, str], circumstances: Circumstances, kinds: Mapping[int, str]
) -> Laid:
    """The hand of a hypothesis with the given names.

    kinds: what a person said about the kind of a meld, by tile index. Where that makes a kong of a pung,
    the fourth tile lies upon the one it was said of, whose index stands twice.
    """
    concealed = list(hypothesis.concealed)
    winning = hypothesis.winning
    stated = circumstances.winning_tile
    if stated is not None and (winning is None or names[winning] != stated):
        if winning is not None:
            concealed.append(winning)
            winning = None
        last = next((i for i in reversed(concealed) if names[i] == stated), None)
        if last is not None:
            concealed.remove(last)
            winning = last
    melds: list[Meld] = []
    melded: list[int] = []
    open_kongs: list[int] = []
    for number, (group, indices) in enumerate(hypothesis.melds):
        said = next((i for i in indices if kinds.get(i) in _KONGS), None)
        kind = group.kind if group.kind is not None else ("pung" if len(indices) == 3 else KONG)
        if kind == "pung" and said is not None:
            indices, kind = (*indices, said), KONG
        elif kind == KONG and len(indices) == 3:
            indices = (*indices, indices[-1])
        if kind == KONG:
            kind = "concealed-kong" if group.backs else "melded-kong"
            if said is not None:
                kind = kinds[said]
            elif not group.backs and group.kind is not None:
                open_kongs.append(number)
        melds.append(Meld(kind, _shown([names[i] for i in indices], group.backs)))  # type: ignore[arg-type]
        melded.extend(indices)
    flowers = hypothesis.flowers
    if circumstances.context.flowers is not None and circumstances.context.flowers < len(flowers):
        flowers = ()
    hand = Hand(
        concealed=tuple(names[i] for i in concealed),
        winning_tile=None if winning is None else names[winning],
        melds=tuple(melds),
        flowers=tuple(names[i] for i in flowers),
    )
    apart = () if winning is None else (winning,)
    return Laid(hand, (*concealed, *apart, *melded, *flowers), tuple(open_kongs))


def _shown(names: Sequence[str], backs: int) -> tuple[str, ...]:
    """A meld's names; what lies face down in a kong is what its other tiles show, or `?`."""
    if not backs:
        return tuple(names)
    faces = [name for name in names if name != TILE_CLASSES[BACK]]
    return tuple(faces[0] if faces else "?" for _ in names)


def evaluate(laid: Laid, circumstances: Circumstances) -> Outcome:
    """The totals of a hand. Raises HandError (from `scoring`) where it has none."""
    context, rules = circumstances.context, circumstances.rules
    variants = [(laid, 1.0)] if laid.hand.winning_tile is not None else list(_winners(laid))
    if not variants:
        raise HandError("unknown-winning-tile", "it is not known which tile won")
    kong_kinds = list(_kong_kinds(laid))
    scored: dict[tuple[int, int], Score] = {}
    totals: dict[int, float] = defaultdict(float)
    failure: HandError | None = None
    for (v, (variant, likely)), (k, (kinds, kong_likely)) in product(
        enumerate(variants), enumerate(kong_kinds)
    ):
        try:
            result = score(_with_kinds(variant.hand, laid.open_kongs, kinds), context, rules=rules)
        except HandError as error:
            failure = error
            continue
        scored[v, k] = result
        totals[result.total] += likely * kong_likely
    if not scored:
        assert failure is not None
        raise failure
    # Kongs stay melded in what is shown: the likeliest total is sought among those.
    shown: dict[int, float] = defaultdict(float)
    for (v, k), result in scored.items():
        if k == 0:
            shown[result.total] += variants[v][1]
    if not shown:
        raise failure or HandError("unknown-context", "the circumstances fit no tile of this hand")
    likeliest = max(shown, key=lambda total: (shown[total], total))
    best = max(
        (v for (v, k), result in scored.items() if k == 0 and result.total == likeliest),
        key=lambda v: (variants[v][1], v),
    )
    low, high, depends_on = _range(laid, variants, kong_kinds, scored, best, circumstances)
    mass = sum(totals.values())
    return Outcome(
        scored[best, 0],
        variants[best][0],
        {total: share / mass for total, share in totals.items()},
        low,
        high,
        depends_on,
    )


def _winners(laid: Laid) -> Iterator[tuple[Laid, float]]:
    """Each different concealed tile taken as the winning one, and how likely that is."""
    count = len(laid.hand.concealed)
    for position, hand in laid.hand.winning_candidates():
        copies = [i for i, name in enumerate(laid.hand.concealed) if name == hand.winning_tile]
        # Of equal tiles the last one is shown as the winning one.
        out = copies[-1]
        standing = laid.indices[:count]
        order = (*standing[:out], *standing[out + 1 :], standing[out], *laid.indices[count:])
        rest = laid.hand.concealed[:out] + laid.hand.concealed[out + 1 :]
        assert position in copies
        yield Laid(replace(hand, concealed=rest), order, laid.open_kongs), len(copies) / count


def _kong_kinds(laid: Laid) -> Iterator[tuple[tuple[str, ...], float]]:
    """Kinds of the kongs lying face up, all melded first, with their probability."""
    for kinds in product(_KONGS, repeat=len(laid.open_kongs)):
        yield kinds, math.prod(MELDED if kind == "melded-kong" else 1 - MELDED for kind in kinds)


def _with_kinds(hand: Hand, open_kongs: Sequence[int], kinds: Sequence[str]) -> Hand:
    if not open_kongs:
        return hand
    melds = list(hand.melds)
    for number, kind in zip(open_kongs, kinds, strict=True):
        melds[number] = Meld(kind, melds[number].tiles)  # type: ignore[arg-type]
    return replace(hand, melds=tuple(melds))


def _range(
    laid: Laid,
    variants: Sequence[tuple[Laid, float]],
    kong_kinds: Sequence[tuple[tuple[str, ...], float]],
    scored: Mapping[tuple[int, int], Score],
    best: int,
    circumstances: Circumstances,
) -> tuple[int, int, tuple[str, ...]]:
    """Least and greatest total over everything not known, and the names of what changes it."""
    contexts = _contexts(laid, circumstances)
    tried = list(product(range(len(variants)), range(len(kong_kinds)), range(len(contexts))))
    if len(tried) > EVALUATED:
        # Too many to try together: one thing at a time, and each context with each winning tile.
        tried = [(v, k, c) for v, k, c in tried if k == 0 or (v == best and c == 0)][: 2 * EVALUATED]
    totals: dict[tuple[int, int, int], int] = {}
    for v, k, c in tried:
        if c == 0 and (v, k) in scored:
            totals[v, k, c] = scored[v, k].total
            continue
        hand = _with_kinds(variants[v][0].hand, laid.open_kongs, kong_kinds[k][0])
        try:
            totals[v, k, c] = score(hand, contexts[c][0], rules=circumstances.rules).total
        except (ContextError, HandError):
            continue
    depends: list[str] = []
    if _varies(totals, 0):
        depends.append("winning_tile")
    for name in ("self_draw", "seat_wind", "prevalent_wind"):
        if _context_matters(totals, contexts, name):
            depends.append(name)
    if _varies(totals, 1):
        depends.append(KONG_KIND)
    return min(totals.values()), max(totals.values()), tuple(depends)


def _contexts(laid: Laid, circumstances: Circumstances) -> list[tuple[Context, dict[str, Any]]]:
    """The context used, then every other one that what isn't stated allows and that can matter."""
    context, stated = circumstances.context, circumstances.stated
    options: dict[str, list[Any]] = {}
    if "self_draw" not in stated:
        options["self_draw"] = [context.self_draw, not context.self_draw]
    held = [meld.tiles[0] for meld in laid.hand.melds if meld.kind != "chow"]
    standing = [*laid.hand.concealed, laid.hand.winning_tile]
    sets = [wind for wind in WINDS if wind in held or standing.count(wind) >= 3]
    for name in ("seat_wind", "prevalent_wind"):
        if name not in stated and getattr(context, name) is None and sets:
            options[name] = [None, *sets]
    names = list(options)
    return [
        (replace(context, **dict(zip(names, values, strict=True))), dict(zip(names, values, strict=True)))
        for values in product(*options.values())
    ]


def _varies(totals: Mapping[tuple[int, int, int], int], place: int) -> bool:
    """Whether the total changes with one of the three unknowns while the others stay."""
    seen: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for key, total in totals.items():
        seen[key[:place] + key[place + 1 :]].add(total)
    return any(len(values) > 1 for values in seen.values())


def _context_matters(
    totals: Mapping[tuple[int, int, int], int],
    contexts: Sequence[tuple[Context, dict[str, Any]]],
    name: str,
) -> bool:
    """Whether the total changes with one fact of the context while everything else stays."""
    seen: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for (v, k, c), total in totals.items():
        others = tuple(sorted((key, str(value)) for key, value in contexts[c][1].items() if key != name))
        seen[v, k, others].add(total)
    return any(len(values) > 1 for values in seen.values())
