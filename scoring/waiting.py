"""Questions about hands that are not finished: what would complete them, and what is wrong."""

from __future__ import annotations

from dataclasses import replace

from .errors import NotAWinError, Problem
from .hand import Hand
from .problems import NO_WINNING_SHAPE, hand_problems, lay_out
from .shapes import ONE, is_win
from .tiles import INDEX, TILES


def waits(hand: Hand) -> tuple[str, ...]:
    """The tiles that complete a hand of 13 (less three for each meld) concealed tiles.

    Of a hand with a tile more the winning one (the last, where it is unknown) is set aside: it is
    asked what the others wait for. A tile of which the hand itself holds all four can't come and is
    left out. () where nothing completes it.

    Raises NotAWinError where the tiles can't be a hand.

    >>> from fanlens.scoring import parse_hand
    >>> waits(parse_hand("[123m] [456p] [789s] 23m 55p + 1m"))
    ('1m', '4m')
    >>> len(waits(parse_hand("1112345678999m")))
    9
    """
    standing = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    needed = 13 - 3 * len(hand.melds)
    if len(standing) == needed + 1:
        standing = standing[:-1]
    if standing and len(standing) != needed:
        code = "too-few" if len(standing) < needed else "too-many"
        raise NotAWinError(code, f"{len(standing)} concealed tiles can't wait for one: it takes {needed}")
    # Any tile that is no fifth copy will do in the winning tile's place to have the others checked.
    held = {*standing, *(name for meld in hand.melds for name in meld.tiles)}
    stand_in = next(name for name in TILES if name not in held)
    laid = lay_out(replace(hand, concealed=standing, winning_tile=stand_in))
    others = laid.everything - ONE[INDEX[stand_in]]
    return tuple(
        name
        for tile, name in enumerate(TILES)
        if others >> 3 * tile & 7 < 4 and is_win(laid.standing + ONE[tile], laid.melds)
    )


def explain(hand: Hand) -> list[Problem]:
    """Why a hand is no win: tiles missing or too many, a fifth copy, no winning shape; [] for a win.

    The eight-point minimum is no matter of this: see `Score.qualifies`. Where the winning tile is
    unknown any of the concealed tiles may be it.

    >>> from fanlens.scoring import parse_hand
    >>> [problem.message for problem in explain(parse_hand("[123m] [456p] 789s 11p 55m + 6m"))]
    ['these tiles make no winning shape']
    """
    problems = hand_problems(hand)
    if problems:
        return problems
    whole = hand
    if hand.winning_tile is None:
        whole = replace(hand, concealed=hand.concealed[:-1], winning_tile=hand.concealed[-1])
    laid = lay_out(whole)
    if not is_win(laid.complete, laid.melds):
        return [Problem("no-winning-shape", NO_WINNING_SHAPE)]
    return []
