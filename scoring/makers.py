"""Which tiles make which fan, as positions in `Hand.tiles`.

Worked out only when asked for: scoring itself needs no positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .set_fans import TERMINAL_OR_HONOUR
from .shapes import HONOURS
from .tiles import INDEX

if TYPE_CHECKING:
    from .score import Score

Positions = tuple[int, ...]
_OF_WINNING_TILE = frozenset((44, 45, 46, 47, 58, 80))


class Makers:
    """The sets of a scored hand laid back onto its tiles.

    chows, pungs: positions of each set, in the order of the reading's `chows` and `pungs`.
    pair: positions of the pair, () for a shape without. knitted: of the knitted straight, or ().
    """

    def __init__(self, result: Score) -> None:
        self._result = result
        hand, reading = result.hand, result.reading
        self._flowers_at = len(hand.tiles) - len(hand.flowers)
        self._winning = (len(hand.concealed),)
        self._all = tuple(range(self._flowers_at))
        self._free: dict[int, list[int]] = {}
        for position in range(len(hand.concealed) + 1):
            self._free.setdefault(INDEX[hand.tiles[position]], []).append(position)
        self._concealed = set(range(len(hand.concealed) + 1))
        self.chows: list[Positions] = []
        self.pungs: list[Positions] = []
        self.pair: Positions = ()
        self.knitted: Positions = ()
        self.closed_by_winning: Positions = ()
        if reading.form is not None:
            self._lay_sets()

    def _take(self, tiles: Iterable[int]) -> Positions:
        """Positions of concealed tiles not yet used; the winning tile, being last, is taken last."""
        return tuple(self._free[tile].pop(0) for tile in tiles)

    def _lay_sets(self) -> None:
        hand, reading = self._result.hand, self._result.reading
        form = reading.form
        assert form is not None
        by_set: dict[tuple[str, int], list[Positions]] = {}
        start = len(hand.concealed) + 1
        self._kongs: dict[str, list[Positions]] = {"melded-kong": [], "concealed-kong": []}
        for meld in hand.melds:
            at = tuple(range(start, start + len(meld.tiles)))
            start += len(meld.tiles)
            sort = "chow" if meld.kind == "chow" else "pung"
            by_set.setdefault((sort, min(INDEX[name] for name in meld.tiles)), []).append(at)
            if meld.is_kong:
                self._kongs[meld.kind].append(at)
        sets: list[tuple[str, int, Positions]] = [("pung", tile, (tile,) * 3) for tile in form.pungs]
        sets.append(("pair", form.pair, (form.pair,) * 2))
        sets += [("chow", tile, (tile, tile + 1, tile + 2)) for tile in form.chows]
        sets.append(("knitted", -1, form.knitted))
        # The set the winning tile is read into comes last and so gets the last copy of it.
        sets.sort(key=lambda item: self._closing_rank(item[0], item[1], item[2]))
        for sort, tile, tiles in sets:
            by_set.setdefault((sort, tile), []).append(self._take(tiles))
        self.chows = [by_set["chow", tile].pop(0) for tile in reading.chows]
        self.pungs = [by_set["pung", tile].pop(0) for tile in reading.pungs]
        self.pair = by_set["pair", form.pair][0]
        self.knitted = by_set["knitted", -1][0]
        groups = (*self.chows, *self.pungs, self.pair, self.knitted)
        self.closed_by_winning = next(group for group in groups if self._winning[0] in group)

    def _closing_rank(self, sort: str, tile: int, tiles: tuple[int, ...]) -> int:
        """How well a set explains the winning tile: not at all, pung, knitted, chow, pair, its wait."""
        winning = self._result.laid.winning
        if winning not in tiles:
            return 0
        fans = self._result.reading.counted.fans
        named = (
            (sort == "chow" and fans >> 78 & 1 and winning == tile + 1)
            or (sort == "chow" and fans >> 77 & 1 and (winning % 9, winning - tile) in ((2, 2), (6, 0)))
            or (sort == "pair" and fans >> 79 & 1)
        )
        return 5 if named else {"pung": 1, "knitted": 2, "chow": 3, "pair": 4}[sort]

    def tiles(self, number: int) -> Positions:
        """Positions of the tiles that make a fan, lowest first."""
        return tuple(sorted(set(self._tiles(number))))

    def _tiles(self, number: int) -> Iterable[int]:
        hand, reading, laid = self._result.hand, self._result.reading, self._result.laid
        if number == 81:
            return range(self._flowers_at, len(hand.tiles))
        if number in _OF_WINNING_TILE:
            return self._winning
        if number == 64:
            hogs = {i for i in range(34) if laid.everything >> 3 * i & 4 and not laid.kongs >> 3 * i & 1}
            return (at for at in self._all if INDEX[hand.tiles[at]] in hogs)
        if reading.form is None:
            return self._knitted_honours() if number == 35 else self._all
        if number == 35:
            return self.knitted
        if number in (77, 78, 79):
            return self.closed_by_winning
        if number in (5, 17, 48, 57, 67, 74, 82):
            return self._kong_tiles(number)
        if number in (12, 33, 66):
            return self._concealed_pungs()
        return self._set_groups(number) or self._all

    def _knitted_honours(self) -> Iterable[int]:
        return (at for at in self._all if INDEX[self._result.hand.tiles[at]] < HONOURS)

    def _kong_tiles(self, number: int) -> Iterable[int]:
        kinds = {48: ("concealed-kong",), 67: ("concealed-kong",), 74: ("melded-kong",)}
        wanted = kinds.get(number, ("melded-kong", "concealed-kong"))
        return (at for kind in wanted for kong in self._kongs[kind] for at in kong)

    def _concealed_pungs(self) -> Iterable[int]:
        on_discard = not self._result.context.self_draw
        for pung in self.pungs:
            concealed = pung[0] in self._concealed or pung in self._kongs["concealed-kong"]
            if concealed and not (on_discard and self._winning[0] in pung):
                yield from pung

    def _set_groups(self, number: int) -> list[int]:
        """Positions of the sets that make a set fan; [] where the fan is of the whole hand."""
        reading = self._result.reading
        numbered = [at for tile, at in zip(reading.pungs, self.pungs, strict=True) if tile < HONOURS]
        ended = [at for tile, at in zip(reading.pungs, self.pungs, strict=True) if tile in TERMINAL_OR_HONOUR]
        made = []
        for fans, sets in (
            (reading.by_chows, self.chows),
            (reading.by_pungs, numbered),
            (reading.by_honours, ended),
        ):
            made += [at for fan, group in fans.groups if fan == number for i in group for at in sets[i]]
        if number in (9, 10):
            made += self.pair
        if number == 13 or number == 29:
            made += self.pair
        return made
