"""What can be wrong with a hand, as problems that are told and errors that are raised.

    HandError               what was given has no score; `.problems` says why
    ├── NotationError       text or JSON that can't be read as a hand
    ├── NotAWinError        tiles that are no finished hand
    └── ContextError        circumstances that contradict each other or the hand

Every error has a `.code` for machines and one plain sentence for people. The codes are
no-tiles, too-few, too-many, fifth-copy, twice-a-flower, too-many-flowers, no-winning-shape,
unknown-tile, unknown-winning-tile, face-down-kong, not-a-meld, unknown-context, contradiction,
unknown-rules and malformed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a hand from being scored.

    code: for machines, see the module's list.
    message: one plain sentence.
    tiles: positions in `Hand.tiles` of the tiles concerned; empty where none stands out.
    """

    code: str
    message: str
    tiles: tuple[int, ...] = ()


class HandError(ValueError):
    """What was given can't be scored. `code` is that of the first of `problems`."""

    def __init__(self, code: str, message: str, *, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.problems: tuple[Problem, ...] = tuple(problems) or (Problem(code, message),)


class NotationError(HandError):
    """Text or JSON that can't be read as a hand."""


class NotAWinError(HandError):
    """Tiles that are no finished hand."""


class ContextError(HandError):
    """Circumstances that contradict each other or the hand, or that are unknown words.

    clash: names of the two that contradict each other, fields of `Context` or `kong` (there is none in
    the hand), `held` (another of the winning tile is in it), `named` (flowers); empty otherwise.
    """

    def __init__(self, code: str, message: str, *, clash: tuple[str, ...] = ()) -> None:
        super().__init__(code, message)
        self.clash = clash
