"""The winning shapes: how tiles fall into sets and a pair, and the shapes that don't.

Counts of the 34 tiles are packed into one integer, three bits a tile (tile `t` at bit `3 * t`), so
a suit is a slice of 27 bits and the honours one of 21. What a slice can be is worked out once and
remembered **per suit**; a hand is put together from its four slices.

For callers outside this room (the photo reader asks whether tiles can be a hand):
`is_winning`, `standard_forms`, `winning_forms` and `waiting_tiles`, all on plain counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from typing import NamedTuple

TILE_KINDS = 34
SUIT_BITS = 27
SUIT_MASK = (1 << SUIT_BITS) - 1
HONOURS = 27
"""Number of the first honour tile."""

ONE: tuple[int, ...] = tuple(1 << 3 * tile for tile in range(TILE_KINDS))
"""The packed count of one of each tile."""
EACH = sum(ONE)
"""One of every tile: the lowest bit of every count."""


class Form(NamedTuple):
    """One way in which concealed tiles fall into sets.

    chows: tile number of the lowest tile of each.
    pungs: tile number of each.
    pair: tile number of the pair, -1 without one.
    knitted: the nine tiles of a knitted straight (1-4-7, 2-5-8, 3-6-9 in three suits), or ().
    """

    chows: tuple[int, ...]
    pungs: tuple[int, ...]
    pair: int
    knitted: tuple[int, ...] = ()


def pack(tiles: Iterable[int]) -> int:
    """Tile numbers as packed counts."""
    key = 0
    for tile in tiles:
        key += ONE[tile]
    return key


def pack_counts(counts: Sequence[int]) -> int:
    """34 counts (each 0 to 4) as packed counts. ValueError where there are not 34 or one is out of range."""
    if len(counts) != TILE_KINDS or not all(0 <= count <= 4 for count in counts):
        raise ValueError("counts must be 34 numbers from 0 to 4")
    return sum(count << 3 * tile for tile, count in enumerate(counts))


def present(key: int) -> int:
    """The packed counts with every count that is not zero set to one."""
    return (key | key >> 1 | key >> 2) & EACH


def size(key: int) -> int:
    """How many tiles the packed counts hold."""
    return (key & EACH).bit_count() + 2 * (key >> 1 & EACH).bit_count() + 4 * (key >> 2 & EACH).bit_count()


# --- one suit ------------------------------------------------------------------------------------


@cache
def _sets(key: int, chows_allowed: bool) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Every way to split one suit into sets, as (chows, pungs) of ranks 0-8; () where there is none."""
    if not key:
        return (((), ()),)
    rank = ((key & -key).bit_length() - 1) // 3
    count = key >> 3 * rank & 7
    ways = []
    # At the lowest rank: at most one pung (two would need six tiles), all others start chows.
    for pungs in range(count // 3 + 1):
        chows = count - 3 * pungs
        rest = key - (count << 3 * rank)
        if chows:
            second, third = key >> 3 * (rank + 1) & 7, key >> 3 * (rank + 2) & 7
            if not chows_allowed or rank > 6 or second < chows or third < chows:
                continue
            rest -= chows * (0o11 << 3 * (rank + 1))
        for later_chows, later_pungs in _sets(rest, chows_allowed):
            ways.append(((rank,) * chows + later_chows, (rank,) * pungs + later_pungs))
    return tuple(ways)


@cache
def suit_forms(suit: int, key: int) -> tuple[Form, ...]:
    """Every way one suit (0-2: m p s, 3: honours) falls into sets, and a pair if so many tiles need one."""
    first, chows_allowed = 9 * suit, suit < 3
    tiles = size(key) % 3
    if tiles == 0:
        return tuple([_form(first, ways, -1) for ways in _sets(key, chows_allowed)])
    if tiles == 1:
        return ()
    forms = []
    for rank in range(9):
        if key >> 3 * rank & 0o6:  # two or more of it
            for ways in _sets(key - (2 << 3 * rank), chows_allowed):
                forms.append(_form(first, ways, first + rank))
    return tuple(forms)


def _form(first: int, ways: tuple[tuple[int, ...], tuple[int, ...]], pair: int) -> Form:
    chows, pungs = ways
    return Form(tuple([first + rank for rank in chows]), tuple([first + rank for rank in pungs]), pair)


@cache
def suit_waits(suit: int, key: int) -> tuple[int, ...]:
    """The tiles of one suit that would leave it all sets, or sets and a pair. A fifth copy is not barred."""
    ranks = 7 if suit == 3 else 9
    return tuple(9 * suit + rank for rank in range(ranks) if suit_forms(suit, key + (1 << 3 * rank)))


@cache
def _knitted_ranks(key: int) -> tuple[int, ...]:
    """Which of 1-4-7 (0), 2-5-8 (1), 3-6-9 (2) one suit holds in full."""
    held = (key | key >> 1 | key >> 2) & 0o111111111
    return tuple(third for third in range(3) if held >> 3 * third & 0o1001001 == 0o1001001)


# --- the whole hand ------------------------------------------------------------------------------


def suits_of(key: int) -> tuple[int, int, int, int]:
    """Packed counts cut into m, p, s and honours."""
    return key & SUIT_MASK, key >> 27 & SUIT_MASK, key >> 54 & SUIT_MASK, key >> 81


def regular_forms(key: int) -> list[Form]:
    """Every split of packed counts into sets and exactly one pair."""
    forms_m = suit_forms(0, key & SUIT_MASK)
    forms_p = suit_forms(1, key >> 27 & SUIT_MASK)
    forms_s = suit_forms(2, key >> 54 & SUIT_MASK)
    forms_z = suit_forms(3, key >> 81)
    if not (forms_m and forms_p and forms_s and forms_z):
        return []
    # All forms of a suit agree on whether it holds the pair, which must be so in just one.
    pairs = (forms_m[0].pair, forms_p[0].pair, forms_s[0].pair, forms_z[0].pair)
    if pairs.count(-1) != 3:
        return []
    return [
        Form(m[0] + p[0] + s[0], m[1] + p[1] + s[1] + z[1], m[2] + p[2] + s[2] + z[2] + 3)
        for m in forms_m
        for p in forms_p
        for s in forms_s
        for z in forms_z
    ]


KNITTED_BODIES: tuple[tuple[int, ...], ...] = tuple(
    tuple(9 * suit + third + step for suit, third in enumerate(thirds) for step in (0, 3, 6))
    for thirds in permutations(range(3))
)
"""The six knitted straights, nine tiles each."""
_PACKED_BODIES = tuple(pack(body) for body in KNITTED_BODIES)
_BODY_OF_THIRDS = dict(zip(permutations(range(3)), KNITTED_BODIES, strict=True))


def knitted_straight_forms(key: int) -> list[Form]:
    """Every split into a knitted straight, sets and one pair."""
    m, p, s, _ = suits_of(key)
    forms: list[Form] = []
    for third_m in _knitted_ranks(m):
        for third_p in _knitted_ranks(p):
            if third_p != third_m:
                for third_s in _knitted_ranks(s):
                    if third_s not in (third_m, third_p):
                        body = _BODY_OF_THIRDS[third_m, third_p, third_s]
                        for form in regular_forms(key - pack(body)):
                            forms.append(form._replace(knitted=body))
    return forms


ORPHANS = pack((0, 8, 9, 17, 18, 26, *range(HONOURS, TILE_KINDS)))
"""The thirteen terminals and honours, one of each."""


def is_seven_pairs(key: int) -> bool:
    """Fourteen concealed tiles that are seven pairs; four of a kind are two pairs."""
    return not key & EACH and size(key) == 14


def is_thirteen_orphans(key: int) -> bool:
    """One of each terminal and honour and a second of one of them."""
    return present(key) == ORPHANS and size(key) == 14


_LOOSE = tuple(pack((*body, *range(HONOURS, TILE_KINDS))) for body in KNITTED_BODIES)


def is_knitted_honours(key: int) -> bool:
    """Fourteen different tiles out of seven honours and one knitted straight."""
    return size(key) == 14 and key == key & EACH and any(not key & ~loose for loose in _LOOSE)


_NINE_GATES = tuple(0o311111113 << SUIT_BITS * suit for suit in range(3))


def is_nine_gates(standing: int) -> bool:
    """Thirteen concealed tiles, before the winning one, that are 1112345678999 of one suit."""
    return standing in _NINE_GATES


def formal_waits(standing: int, melds: int = 0) -> set[int]:
    """Tiles that complete 13 - 3 × melds concealed tiles into sets and a pair or seven pairs.

    Formal: a tile of which the player holds all four counts too. Thirteen orphans
    and knitted honours, which know no wait fan, are left out.
    """
    waits = _regular_waits(standing)
    if not melds:
        odd = standing & EACH
        if odd.bit_count() == 1:
            waits.add((odd.bit_length() - 1) // 3)
    if melds <= 1:
        waits |= _knitted_straight_waits(standing)
    return waits


@cache
def _suit_size(key: int) -> int:
    return size(key) % 3


def _regular_waits(standing: int) -> set[int]:
    keys = suits_of(standing)
    sizes = [_suit_size(key) for key in keys]
    uneven = [suit for suit in range(4) if sizes[suit]]
    for suit in range(4):
        if not sizes[suit] and not suit_forms(suit, keys[suit]):
            return set()
    # Either one suit waits for a tile to make sets and a pair, or of two suits that hold a tile
    # less than sets each, one has the pair already and the other waits.
    if len(uneven) == 1 and sizes[uneven[0]] == 1:
        return set(suit_waits(uneven[0], keys[uneven[0]]))
    waits: set[int] = set()
    if len(uneven) == 2 and sizes[uneven[0]] == sizes[uneven[1]] == 2:
        for one, other in (uneven, reversed(uneven)):
            if suit_forms(one, keys[one]):
                waits.update(suit_waits(other, keys[other]))
    return waits


def _knitted_straight_waits(standing: int) -> set[int]:
    held = present(standing)
    waits: set[int] = set()
    for body in _PACKED_BODIES:
        missing = body & ~held
        if not missing:
            waits |= _regular_waits(standing - body)
        elif not missing & (missing - 1) and regular_forms(standing - (body - missing)):
            waits.add((missing.bit_length() - 1) // 3)
    return waits


# --- for callers outside -------------------------------------------------------------------------


def standard_forms(counts: Sequence[int]) -> tuple[Form, ...]:
    """Every split of 34 counts (concealed tiles, winning tile included) into sets and exactly one pair.

    The number of sets follows from the number of tiles. () where there is none.

    >>> counts = [0] * 34
    >>> counts[0] = counts[1] = counts[2] = 3; counts[27] = 2     # 111222333m EE
    >>> [(form.chows, form.pungs, form.pair) for form in standard_forms(counts)]
    [((0, 0, 0), (), 27), ((), (0, 1, 2), 27)]
    """
    return tuple(regular_forms(pack_counts(counts)))


def winning_forms(counts: Sequence[int], melds: int = 0) -> tuple[Form, ...]:
    """Every split of 34 counts into sets and a pair, knitted straights among them, for a number of melds."""
    key = pack_counts(counts)
    if melds < 0 or size(key) != 14 - 3 * melds:
        return ()
    forms = regular_forms(key)
    if melds <= 1:
        forms += knitted_straight_forms(key)
    return tuple(forms)


def is_winning(counts: Sequence[int], melds: int = 0) -> bool:
    """Whether 34 counts of concealed tiles, winning tile included, with so many melds are a finished hand.

    A kong counts as one meld; melds are taken to be proper.

    >>> counts = [0] * 34
    >>> counts[4] = 2
    >>> is_winning(counts, melds=4)
    True
    """
    key = pack_counts(counts)
    return melds >= 0 and size(key) == 14 - 3 * melds and is_win(key, melds)


def is_win(key: int, melds: int) -> bool:
    """`is_winning` on packed counts of the right size."""
    if regular_forms(key):
        return True
    if melds == 0 and (is_seven_pairs(key) or is_knitted_honours(key) or is_thirteen_orphans(key)):
        return True
    return melds <= 1 and bool(knitted_straight_forms(key))


def waiting_tiles(counts: Sequence[int], melds: int = 0) -> Iterator[int]:
    """Tile numbers that complete 34 counts of concealed tiles (13 - 3 × melds of them), lowest first.

    A tile of which these counts already hold four can't come and is left out.
    """
    key = pack_counts(counts)
    if melds < 0 or size(key) != 13 - 3 * melds:
        return
    for tile in range(TILE_KINDS):
        if counts[tile] < 4 and is_win(key + ONE[tile], melds):
            yield tile
