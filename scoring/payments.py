"""Who pays what for a win."""

from __future__ import annotations

from dataclasses import dataclass

BASE = 8
"""What every loser pays whatever the hand (底分)."""


@dataclass(frozen=True, slots=True)
class Payments:
    """Points changing hands, all counted as positive numbers.

    winner: what the winner receives. discarder: what the player who discarded the winning tile (or
    whose kong was robbed) pays, None on self-draw. others: what each other loser pays.
    """

    winner: int
    discarder: int | None
    others: int


def payments(total: int, *, self_draw: bool, qualifies: bool = True) -> Payments:
    """Payments for a hand of so many points, flowers included.

    On a discard the discarder pays 8 + total and the two others 8 each; on self-draw each of the
    three pays 8 + total (1998 rules: 自摸 (8+番数)×3, 点炮 8×3+番数). A hand below eight points
    does not win and moves nothing.

    >>> payments(10, self_draw=False)
    Payments(winner=34, discarder=18, others=8)
    >>> payments(10, self_draw=True)
    Payments(winner=54, discarder=None, others=18)
    """
    if not qualifies:
        return Payments(0, None if self_draw else 0, 0)
    if self_draw:
        return Payments(3 * (BASE + total), None, BASE + total)
    return Payments(3 * BASE + total, BASE + total, BASE)
