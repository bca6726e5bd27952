"""From names to numbers: a hand checked tile by tile, and why it can't be one.

`lay_out` is the one gate into scoring. It never repairs: what it can't take it names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from .context import Context
from .errors import ContextError, HandError, NotAWinError, Problem
from .hand import MELD_KINDS, Hand, Meld
from .shapes import EACH, ONE, size
from .tiles import FLOWERS, INDEX, TILES, UNSEEN

_ONE_OF = {name: ONE[tile] for name, tile in INDEX.items()}
NO_WINNING_SHAPE = "these tiles make no winning shape"


@dataclass(frozen=True, slots=True)
class Laid:
    """A hand in numbers; packed counts as in `shapes.py`.

    standing: concealed tiles before the winning one. complete: with it. everything: melds too.
    winning: number of the winning tile. melds: how many, kongs among them.
    chows, pungs: those of the melds, kongs among the pungs.
    kongs: packed mask (lowest bit of each tile) of the kongs.
    melded_kongs, concealed_kongs: how many. claimed: melds taken from others.
    """

    standing: int
    complete: int
    everything: int
    winning: int
    melds: int
    chows: tuple[int, ...]
    pungs: tuple[int, ...]
    kongs: int
    melded_kongs: int
    concealed_kongs: int
    claimed: int


@lru_cache(maxsize=4096)
def _meld_tiles(kind: str, tiles: tuple[str, ...]) -> tuple[int, int] | None:
    """A proper meld as (lowest tile, packed counts); None where it is no such meld."""
    numbers = sorted(INDEX[name] for name in tiles if name in INDEX)
    if len(numbers) != len(tiles) or kind not in MELD_KINDS or len(tiles) != (4 if "kong" in kind else 3):
        return None
    first = numbers[0]
    if kind == "chow":
        if numbers != [first, first + 1, first + 2] or first >= 27 or first % 9 > 6:
            return None
        return first, ONE[first] + ONE[first + 1] + ONE[first + 2]
    if numbers[-1] != first:
        return None
    return first, len(tiles) * ONE[first]


def lay_out(hand: Hand) -> Laid:
    """The hand in numbers. NotAWinError with every problem where its tiles can't be a finished hand."""
    try:
        winning = INDEX[hand.winning_tile]  # type: ignore[index]
        standing = sum(map(_ONE_OF.__getitem__, hand.concealed))
    except KeyError:
        raise _refusal(hand) from None
    everything = complete = standing + ONE[winning]
    chows: list[int] = []
    pungs: list[int] = []
    kongs = melded_kongs = concealed_kongs = 0
    tiles = len(hand.concealed) + 1
    for meld in hand.melds:
        known = _meld_tiles(meld.kind, meld.tiles)
        if known is None:
            raise _refusal(hand)
        tile, counts = known
        everything += counts
        tiles += len(meld.tiles)
        if meld.kind == "chow":
            chows.append(tile)
        else:
            pungs.append(tile)
            if meld.kind != "pung":
                kongs |= ONE[tile]
                if meld.kind == "melded-kong":
                    melded_kongs += 1
                else:
                    concealed_kongs += 1
    melds = len(hand.melds)
    fifth = everything >> 2 & (everything >> 1 | everything) & EACH
    # Three bits hold a count of up to 7; more would spill over, which the size shows.
    if (
        fifth
        or len(hand.concealed) != 13 - 3 * melds
        or size(everything) != tiles
        or (hand.flowers and _flower_problems(hand))
    ):
        raise _refusal(hand)
    return Laid(
        standing, complete, everything, winning, melds, tuple(chows), tuple(pungs),
        kongs, melded_kongs, concealed_kongs, melds - concealed_kongs,
    )  # fmt: skip


def _refusal(hand: Hand) -> HandError:
    problems = hand_problems(hand) or [Problem("unknown-winning-tile", "it is not known which tile won")]
    return NotAWinError(problems[0].code, problems[0].message, problems=problems)


def hand_problems(hand: Hand) -> list[Problem]:
    """Why these tiles can't be a finished hand, whatever their shape; [] where nothing speaks against it.

    A winning tile that is not known (None) is no problem here.
    """
    return [
        *_tile_problems(hand),
        *_meld_problems(hand),
        *_count_problems(hand),
        *_copy_problems(hand),
        *_flower_problems(hand),
    ]


def _tile_problems(hand: Hand) -> list[Problem]:
    problems = []
    for position, name in enumerate(hand.concealed):
        if name in UNSEEN:
            problems.append(Problem("unknown-tile", "a concealed tile can't be told", (position,)))
        elif name not in INDEX:
            what = "a flower and can't stand among the concealed tiles" if name in FLOWERS else "no tile"
            problems.append(Problem("unknown-tile", f"{name!r} is {what}", (position,)))
    name = hand.winning_tile or ""
    if name and name not in INDEX:
        what = "can't be told" if name in UNSEEN else "is a flower" if name in FLOWERS else "is no tile"
        at = (len(hand.concealed),)
        problems.append(Problem("unknown-winning-tile", f"the winning tile {name!r} {what}", at))
    return problems


def _meld_problems(hand: Hand) -> list[Problem]:
    problems = []
    start = len(hand.concealed) + (hand.winning_tile is not None)
    for meld in hand.melds:
        at = tuple(range(start, start + len(meld.tiles)))
        start += len(meld.tiles)
        if _meld_tiles(meld.kind, meld.tiles) is None:
            problems.append(_meld_problem(meld, at))
    return problems


def _meld_problem(meld: Meld, at: tuple[int, ...]) -> Problem:
    shown = " ".join(meld.tiles)
    if meld.kind == "concealed-kong" and len(meld.tiles) == 4 and set(meld.tiles) <= UNSEEN:
        return Problem("face-down-kong", "a concealed kong lies face down: say which tile it is", at)
    for name, position in zip(meld.tiles, at, strict=True):
        if name not in INDEX:
            unseen = name in UNSEEN
            what = "a tile of a meld can't be told" if unseen else f"{name!r} in a meld is no tile of a set"
            return Problem("unknown-tile", what, (position,))
    return Problem("not-a-meld", f"{shown} is no {meld.kind.replace('-', ' ')}", at)


def _count_problems(hand: Hand) -> list[Problem]:
    # A kong stands for three tiles here; melds of a wrong size are named elsewhere.
    tiles = len(hand.concealed) + (hand.winning_tile is not None) + 3 * len(hand.melds)
    kongs = ", a kong counted as three" if any(meld.is_kong for meld in hand.melds) else ""
    if not hand.tiles:
        return [Problem("no-tiles", "there are no tiles")]
    if tiles < 14:
        missing = "one is" if tiles == 13 else f"{14 - tiles} are"
        return [Problem("too-few", f"{tiles} tiles{kongs}: {missing} missing")]
    if tiles > 14:
        over = "one is" if tiles == 15 else f"{tiles - 14} are"
        return [Problem("too-many", f"{tiles} tiles{kongs}: {over} too many")]
    return []


def _copy_problems(hand: Hand) -> list[Problem]:
    row = hand.tiles[: len(hand.tiles) - len(hand.flowers)]
    problems = []
    for name, copies in Counter(row).items():
        if name in INDEX and copies > 4:
            at = tuple(i for i, other in enumerate(row) if other == name)
            message = f"{name} is there {copies} times, but there are only four"
            problems.append(Problem("fifth-copy", message, at))
    return problems


def _flower_problems(hand: Hand) -> list[Problem]:
    start = len(hand.tiles) - len(hand.flowers)
    problems = []
    for name, copies in Counter(hand.flowers).items():
        at = tuple(start + i for i, other in enumerate(hand.flowers) if other == name)
        if name not in FLOWERS:
            problems.append(Problem("unknown-tile", f"{name!r} is no flower", at))
        elif copies > 1:
            message = f"{name} is there {copies} times, but there is only one"
            problems.append(Problem("twice-a-flower", message, at))
    return problems


# --- circumstances -------------------------------------------------------------------------------


def check_context(context: Context, hand: Hand, laid: Laid) -> None:
    """ContextError that names the two facts which can't both be."""
    if context.flowers is not None and context.flowers < len(hand.flowers):
        named = f"{len(hand.flowers)} flowers named in the hand"
        raise _contradiction(f"{context.flowers} flowers", named, "flowers", "named")
    if context.kong_replacement:
        if not context.self_draw:
            undrawn = "a win that is not self-drawn"
            raise _contradiction("a kong replacement", undrawn, "kong_replacement", "self_draw")
        if not laid.kongs:
            raise _contradiction("a kong replacement", "a hand without a kong", "kong_replacement", "kong")
    tile = TILES[laid.winning]
    if context.robbing_kong:
        if context.self_draw:
            raise _contradiction("robbing a kong", "a self-drawn win", "robbing_kong", "self_draw")
        if context.last_tile:
            # No kong without a replacement tile left to draw.
            raise _contradiction("robbing a kong", "the last tile of the wall", "robbing_kong", "last_tile")
        if laid.everything >> 3 * laid.winning & 7 > 1:
            held = f"another {tile} in the hand or its melds"
            raise _contradiction(f"robbing a kong of {tile}", held, "robbing_kong", "held")
    if context.fourth_tile and laid.standing >> 3 * laid.winning & 7:
        hidden = f"another {tile} concealed in the hand"
        raise _contradiction(f"the last {tile}, its other three in sight,", hidden, "fourth_tile", "held")


def _contradiction(one: str, other: str, *clash: str) -> ContextError:
    return ContextError("contradiction", f"{one} contradicts {other}", clash=clash)
