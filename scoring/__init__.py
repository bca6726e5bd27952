"""The rules of Chinese Official mahjong (MCR): what a finished hand is worth and why.

Pure Python without dependencies; knows nothing of pictures. A hand comes in as text, JSON or
`Hand`, with its circumstances as `Context`; out comes a `Score` with every fan, the tiles that make
it, the total and who pays what. The photo reader (`fanlens.vision`) asks `shapes` whether tiles can
be a hand; the commands and the page show what is found here.

>>> from fanlens.scoring import Context, parse_hand, score
>>> hand = parse_hand("[123m] [456m] 789m 234p 5s + 5s")
>>> result = score(hand, Context(self_draw=True))
>>> result.total, result.qualifies
(20, True)
>>> [made.fan.zh for made in result.fans]
['清龙', '平和', '单钓将', '自摸']
"""

from __future__ import annotations

from .context import Context
from .errors import ContextError, HandError, NotationError, NotAWinError, Problem
from .fans import FANS, Fan
from .hand import Hand, Meld
from .json_form import (
    context_from_json,
    context_to_json,
    fans_to_json,
    hand_from_json,
    hand_to_json,
    problem_to_json,
    score_to_json,
)
from .notation import format_hand, parse_hand
from .payments import Payments, payments
from .rules import RULES, RuleSet
from .score import FanCount, Score, score
from .tiles import FLOWERS, TILES, format_tiles, parse_tiles
from .waiting import explain, waits

__all__ = [
    "FANS",
    "FLOWERS",
    "RULES",
    "TILES",
    "Context",
    "ContextError",
    "Fan",
    "FanCount",
    "Hand",
    "HandError",
    "Meld",
    "NotAWinError",
    "NotationError",
    "Payments",
    "Problem",
    "RuleSet",
    "Score",
    "context_from_json",
    "context_to_json",
    "explain",
    "fans_to_json",
    "format_hand",
    "format_tiles",
    "hand_from_json",
    "hand_to_json",
    "parse_hand",
    "parse_tiles",
    "payments",
    "problem_to_json",
    "score",
    "score_to_json",
    "waits",
]
