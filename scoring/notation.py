"""Hand text: `[123m] [2222p,1] [4444s] 67p 88s + 8p plum`.

Brackets are melds. A kong without `,n` is concealed, with it melded; `n` says from whom it came.
`+` marks the winning tile; without it the last concealed tile won. Flowers stand by name.
"""

from __future__ import annotations

import re

from .errors import NotationError
from .hand import Hand, Meld, MeldKind, is_flower
from .tiles import UNSEEN, format_tiles, parse_tiles

_TOKEN = re.compile(r"\s*(?:\[([^\[\]]*)\]|(\+)|([^\s\[\]+]+))")


def parse_hand(text: str) -> Hand:
    """The hand that a line of hand text describes.

    Raises NotationError for what can't be read: an unknown tile, an open bracket, two winning
    tiles. Whether the tiles are a hand at all is for `explain` and `score` to say.

    >>> hand = parse_hand("[123m] [2222p,1] [4444s] 67p 88s + 8p plum")
    >>> hand.concealed, hand.winning_tile, hand.flowers
    (('6p', '7p', '8s', '8s'), '8p', ('plum',))
    >>> [(meld.kind, meld.source) for meld in hand.melds]
    [('chow', None), ('melded-kong', 1), ('concealed-kong', None)]
    """
    concealed: list[str] = []
    winning: list[str] = []
    melds: list[Meld] = []
    flowers: list[str] = []
    after_plus = marked = False
    for bracket, plus, run in _tokens(text):
        if plus:
            if marked:
                raise NotationError("malformed", "the hand text marks two winning tiles")
            after_plus = marked = True
            continue
        if not run:
            melds.append(parse_meld(bracket))
            continue
        for name in parse_tiles(run):
            if is_flower(name) and not (after_plus and not winning):
                flowers.append(name)
            elif after_plus:
                winning.append(name)
            else:
                concealed.append(name)
    if marked and len(winning) != 1:
        found = " ".join(winning) or "nothing"
        raise NotationError("unknown-winning-tile", f"one tile must follow the +, not {found}")
    if not marked and concealed:
        winning = [concealed.pop()]
    return Hand(tuple(concealed), winning[0] if winning else None, tuple(melds), tuple(flowers))


def _tokens(text: str) -> list[tuple[str, str, str]]:
    text = text.rstrip()
    tokens = []
    start = 0
    while start < len(text):
        token = _TOKEN.match(text, start)
        if token is None:
            raise NotationError("malformed", f"the hand text can't be read from {text[start:].strip()!r} on")
        tokens.append((token[1] or "", token[2] or "", token[3] or ""))
        if token[1] is not None and not token[1].strip():
            raise NotationError("malformed", "the hand text has an empty meld []")
        start = token.end()
    return tokens


def parse_meld(text: str) -> Meld:
    """A meld from the inside of its brackets: `123m`, `555p,2`, `2222p,1`.

    Raises NotationError `not-a-meld` for tiles that are none.

    >>> parse_meld("2222p,1")
    Meld(kind='melded-kong', tiles=('2p', '2p', '2p', '2p'), source=1)
    """
    tiles_text, comma, source_text = text.partition(",")
    source_text = source_text.strip()
    if comma and source_text not in ("1", "2", "3"):
        raise NotationError("malformed", f"a meld comes from 1, 2 or 3, not from {source_text!r}")
    source = int(source_text) if comma else None
    tiles = parse_tiles(tiles_text)
    kind = meld_kind(tiles, melded_kong=source is not None)
    if kind is None:
        raise NotationError("not-a-meld", f"[{text.strip()}] is no chow, pung or kong")
    return Meld(kind, known_side(tiles), source)


def meld_kind(tiles: tuple[str, ...], *, melded_kong: bool = True) -> MeldKind | None:
    """What kind of meld tiles of any order are; None where they are none.

    A kong with unseen tiles (`back` or `?`) is concealed.
    """
    seen = [name for name in tiles if name not in UNSEEN]
    if len(tiles) == 4 and len(set(seen)) <= 1:
        if len(seen) < 4:
            return "concealed-kong" if len(seen) in (0, 1, 2) else None
        return "melded-kong" if melded_kong else "concealed-kong"
    if len(tiles) == 3 and len(seen) == 3:
        if len(set(seen)) == 1:
            return "pung"
        ranks, suits = sorted(name[0] for name in seen), {name[1:] for name in seen}
        if len(suits) == 1 and suits <= set("mps") and "".join(ranks) in "123456789":
            return "chow"
    return None


def known_side(tiles: tuple[str, ...]) -> tuple[str, ...]:
    """The tiles of a kong partly face down as what its open tiles show; wholly face down as four `?`."""
    if len(tiles) != 4 or not set(tiles) & UNSEEN:
        return tiles
    seen = set(tiles) - UNSEEN
    return (seen.pop() if len(seen) == 1 else "?",) * 4


def format_hand(hand: Hand) -> str:
    """Hand text for a hand; `parse_hand` reads it back.

    >>> format_hand(parse_hand("[123m] [2222p,1] 67p888s+8p plum"))
    '[123m] [2222p,1] 67p 888s + 8p plum'
    """
    words = []
    for meld in hand.melds:
        # A melded kong must name a source to be told from a concealed one.
        source = meld.source or (1 if meld.kind == "melded-kong" else None)
        words.append(f"[{format_tiles(meld.tiles)}{f',{source}' if source else ''}]")
    if hand.concealed:
        words.append(format_tiles(hand.concealed))
    if hand.winning_tile is not None:
        words += ["+", hand.winning_tile]
    words += hand.flowers
    return " ".join(words)
