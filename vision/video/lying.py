"""A hand that lies on the table: looks at it, since when it lies there, and which tile came last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...scoring import TILES, Hand, Meld, explain
from ..boxes import Box
from ..reading import ReadHand, Reading, Sighting
from ..resolve import read_hand
from .fusing import Look, best_look, fuse, overlap
from .motion import IDENTITY, Affine, Glance, carried, chained, inverted
from .presence import LYING, TOGETHER, Likeness, came_last, small_alignment, turned_up

MAX_LOOKS = 6
"""Looks at one hand that are kept; the least sharp goes first."""
SURE = 0.95
"""Probability of the least sure tile's name from which no more looks are needed."""
RETRIES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between looks at an unclear hand that doesn't change."""
FULL = 14
"""Tiles of a finished hand, a kong counted as three."""
NEAR = 12
"""Tiles from which a hand is followed: one or two may be covered, blurred or still to come."""
STILL = 0.8
"""Seconds that a finished hand must lie still."""
STILL_NO_WIN = 2.0
"""The same for fourteen tiles that can't be scored: no winning hand, or a kong lying face down."""
REVEALED = 8
"""Tiles of such a hand, or of one beside another, that must have come within `TOGETHER` (all, if it has
fewer), unlike a row of discards."""
FACE_DOWN_KONGS = 1
"""More groups of four backs than this are walls or hands that are still face down."""
BESIDE_BACKS = 5
"""Tiles that must stand in a hand with a face-down kong: two alike may be discards beside a hand that is
still face down."""
ALIKE = 0.8
"""Two readings are of the same hand where this part of the larger one's tiles agrees …"""
ALIKE_AGAIN = 0.9
"""… and this part where the hand was gone meanwhile: the next hand may share all but two tiles with it."""


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LaidHand:
    """A finished hand that lay face up and still.

    start, end: seconds, complete and still from when to when. to_the_last: it still lay there when the
    footage ended. best: the look to show. sighting: of all sharp looks, in pixels of `best`.
    reading: what the tiles alone say. last: index into `sighting.tiles` of the tile that came last.
    looks: how many frames were read for it. faint: indices of its tiles that most of them missed.
    new: indices of the tiles that were turned up when the hand was shown. old: of those that lay there
    before. Tiles of which it isn't clear are in neither.
    """

    start: float
    end: float
    to_the_last: bool
    best: Look
    sighting: Sighting
    reading: Reading
    last: int | None
    looks: int
    faint: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    old: tuple[int, ...] = ()


@dataclass
class Lying:
    """A hand being followed.

    likeness: how the first look's frame shows it. looks: aligned to that frame.
    reading: of all looks fused, in pixels of the best of them.
    since: complete and still since. last_seen: seconds of the last glance that showed it.
    last: where the tile that came last lies, in pixels of the first look's frame.
    revealed: how many of its tiles came together. new, old: where the tiles lie that were turned up with
    it and those that lay there before, like `last`. taken: how many looks there were.
    alignment: from the likeness's glance to the last one, in small pixels.
    retries: looks since it was begun that said nothing new. beside: another hand lay there already.
    stale: where single tiles lie that were there before, like `last`: discards, where the hand wins without
    them. counted: whether they are part of the reading all the same.
    faint: ids of the tiles of the hand that most looks missed.
    """

    likeness: Likeness
    looks: list[Look]
    reading: Reading
    since: float
    last_seen: float
    last: Point | None
    revealed: int
    new: tuple[Point, ...] = ()
    old: tuple[Point, ...] = ()
    taken: int = 1
    alignment: Affine = field(default_factory=lambda: IDENTITY)
    retries: int = 0
    beside: bool = False
    stale: tuple[Point, ...] = ()
    counted: bool = False
    faint: tuple[int, ...] = ()

    @property
    def hand(self) -> ReadHand:
        return self.reading.hands[0]

    @property
    def complete(self) -> bool:
        """Whether all tiles of a finished hand lie there."""
        return is_complete(self.reading)

    @property
    def sure(self) -> bool:
        """Whether more looks would add nothing."""
        if self.faint:
            return False
        names = [self.reading_tile(number) for number in self.hand.ids]
        return len(self.looks) >= 2 and self.complete and min(names, default=0.0) >= SURE

    def due(self, waited: float) -> bool:
        """Whether to look again though nothing changed. waited: seconds since the last look."""
        return not self.sure and self.retries < len(RETRIES) and waited >= RETRIES[self.retries]

    def reading_tile(self, number: int) -> float:
        """The probability that tile `number` is named right."""
        return next((tile.confidence for tile in self.reading.tiles if tile.id == number), 0.0)

    def follow(self, glance: Glance) -> bool:
        """Whether the hand is seen lying in the next glance; a covered hand isn't, for the moment."""
        guesses = [self.alignment]
        if glance.to_previous is not None:
            guesses.append(chained(self.alignment, inverted(glance.to_previous)))
        self.alignment, seen = self.likeness.follow(glance, guesses)
        lying = bool(seen.mean() >= LYING)
        if lying:
            self.last_seen = glance.seconds
        return lying

    def bounds(self) -> tuple[int, int, int, int]:
        """The hand's box in small pixels of the last glance, two tiles wider on each side."""
        x0, y0, x1, y1, tile = self.likeness.bounds
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        ends = carried(corners, self.alignment)
        low, high = ends.min(axis=0) - 2 * tile, ends.max(axis=0) + 2 * tile
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def stale_at(self, glance: Glance) -> tuple[Point, ...]:
        """Where the stale tiles lie in the frame of a glance, in its pixels."""
        to_look = small_alignment(self.likeness.reference, glance, self.alignment)
        return tuple(
            (float(x), float(y)) for x, y in (carried(np.array(point), to_look) for point in self.stale)
        )

    def qualifies(self, brief: bool) -> bool:
        """Whether this was a finished hand that lay still for long enough.

        brief: the whole footage is shorter than that, a single picture for instance.
        """
        if not self.complete or not may_be_hand(self.reading):
            return False
        lay = self.last_seen - self.since
        wins = self.reading.score is not None
        if wins and not self.beside:
            return brief or lay >= STILL
        hand = self.hand.hand
        standing = len(hand.concealed) + (hand.winning_tile is not None)
        if not wins and _hidden(hand) and (standing < BESIDE_BACKS or not _wins_with_any_kong(hand)):
            # Backs of a wall or of a hand beside some discards.
            return False
        together = self.revealed >= min(REVEALED, standing)
        still = lay >= STILL if wins else self.taken >= 2 and lay >= STILL_NO_WIN
        return together and (brief or still)

    def laid(self, to_the_last: bool) -> LaidHand:
        """The result as it stands."""
        best = best_look(self.looks)
        return LaidHand(
            self.since,
            self.last_seen,
            to_the_last,
            best,
            self.reading.sighting,
            self.reading,
            None if self.last is None else self._tile_at(self.last, best),
            self.taken,
            self.faint,
            self._tiles_at(self.new, best),
            self._tiles_at(self.old, best),
        )

    def _tiles_at(self, points: Sequence[Point], best: Look) -> tuple[int, ...]:
        found = {self._tile_at(point, best) for point in points}
        return tuple(sorted(number for number in found if number is not None))

    def _tile_at(self, point: Point, best: Look) -> int | None:
        """The tile of the best look that covers a point of the first look's frame."""
        x, y = carried(np.array(point), inverted(best.to_reference))
        for tile in self.reading.tiles:
            x0, y0, x1, y1 = tile.box
            if x0 <= x <= x1 and y0 <= y <= y1 and tile.hand == 0:
                return tile.id
        return None


def begin(look: Look, reading: Reading, glance: Glance, past: Sequence[Glance]) -> Lying:
    """Follow the first hand of a reading from the glance at the same frame."""
    number = {tile.id: tile for tile in reading.tiles}
    ids = reading.hands[0].ids
    likeness = Likeness(glance, [number[i].box for i in ids])
    history = likeness.history(past)
    arrivals, (new, old) = history.since, turned_up(history)
    oldest = past[0].seconds if past else glance.seconds
    since = float(max(arrivals.max(), oldest))
    standing = [k for k, i in enumerate(ids) if number[i].role in ("concealed", "winning")]
    # What looks like a meld and was turned up with the rest stood in the hand.
    like_melds = [k for k, i in enumerate(ids) if number[i].role == "meld" and new[k]]
    last = came_last(arrivals, [*standing, *like_melds], [number[i].tile for i in ids])
    # What lay there before the footage began may have come together too.
    came = np.where(np.isfinite(arrivals), arrivals, oldest) if oldest <= TOGETHER else arrivals
    revealed = int((came[standing] >= since - TOGETHER).sum()) if standing else 0
    middles = [centre(number[i].box) for i in ids]
    lay_there = [k for k in standing if old[k]]
    # By threes they may be melds.
    stale = lay_there if len(lay_there) % 3 else []
    return Lying(
        likeness,
        [look],
        reading,
        since,
        glance.seconds,
        None if last is None else middles[last],
        revealed,
        tuple(middles[k] for k in np.flatnonzero(new)),
        tuple(middles[k] for k in np.flatnonzero(old)),
        stale=tuple(middles[k] for k in stale),
        counted=bool(stale),
    )


def standing_at(reading: Reading, points: Sequence[Point]) -> set[int]:
    """Ids of the first hand's tiles, melds and flowers left out, that lie at some points."""
    return {
        tile.id
        for tile in reading.tiles
        if tile.hand == 0
        and tile.role in ("concealed", "winning")
        and any(tile.box[0] <= x <= tile.box[2] and tile.box[1] <= y <= tile.box[3] for x, y in points)
    }


def without(reading: Reading, points: Sequence[Point]) -> Reading:
    """The same without what stands at some points, if that is a finished hand; else the reading as it is."""
    out = standing_at(reading, points)
    if not out:
        return reading
    seen = reading.sighting
    less = read_hand(seen.of(tile for i, tile in enumerate(seen.tiles) if i not in out))
    return reading if less.score is None else less


def add_look(lying: Lying, look: Look, glance: Glance) -> None:
    """One more look at a hand that hasn't changed."""
    alignment, _ = lying.likeness.follow(glance, [lying.alignment])
    to_reference = inverted(small_alignment(lying.likeness.reference, glance, alignment))
    moved = Look(look.number, look.seconds, look.sighting, to_reference, look.sharpness, look.picture)
    kept = sorted([*lying.looks, moved], key=lambda each: -each.sharpness)[:MAX_LOOKS]
    lying.looks = sorted(kept, key=lambda each: each.number)
    lying.taken += 1
    agreed = fuse(lying.looks)
    lying.reading, lying.faint = read_hand(agreed), ()
    if lying.reading.score is None:
        # A blank or glaring tile may be missed by most looks; where it makes a win, it may lie there.
        more = read_hand(fuse(lying.looks, seldom=True))
        if more.score is not None:
            seen = {tile.box for tile in agreed.tiles}
            lying.reading = more
            lying.faint = tuple(i for i in more.hands[0].ids if more.sighting.tiles[i].box not in seen)


def one_by_one(reading: Reading) -> list[Reading]:
    """The hands of a reading, each in a reading of its own; several are read without what lies around."""
    if len(reading.hands) < 2:
        return [reading]
    seen = reading.sighting
    own = ({*hand.ids} for hand in reading.hands)
    return [read_hand(seen.of(tile for i, tile in enumerate(seen.tiles) if i in ids)) for ids in own]


def is_complete(reading: Reading) -> bool:
    """Whether the first hand has all its tiles, win or no win."""
    return bool(reading.hands) and size(reading) == FULL


def may_be_hand(reading: Reading) -> bool:
    """Whether the first hand is worth following: finished, or nearly so, and lying face up."""
    if reading.score is not None:
        return True
    if not NEAR <= size(reading) <= FULL:
        return False
    hand = reading.hands[0].hand
    return _hidden(hand) <= FACE_DOWN_KONGS and not {"back", "?"} & {*hand.concealed, hand.winning_tile}


def _hidden(hand: Hand) -> int:
    """Kongs that lie face down on all four."""
    return sum("?" in meld.tiles for meld in hand.melds)


def _wins_with_any_kong(hand: Hand) -> bool:
    """Whether the hand is finished, whatever its face-down kong is."""
    other = next(name for name in TILES if name not in hand.tiles)
    melds = tuple(Meld(meld.kind, (other,) * 4) if "?" in meld.tiles else meld for meld in hand.melds)
    return not explain(replace(hand, melds=melds))


def size(reading: Reading) -> int:
    """Tiles of the first hand, a kong counted as three."""
    if not reading.hands:
        return 0
    hand = reading.hands[0].hand
    return len(hand.concealed) + (hand.winning_tile is not None) + 3 * len(hand.melds)


def same_hand(first: Reading, second: Reading, alike: float = ALIKE) -> bool:
    """Whether two readings are of one hand, perhaps moved or with a tile misread."""
    if not first.hands or not second.hands:
        return False
    one, other = Counter(first.hands[0].hand.tiles), Counter(second.hands[0].hand.tiles)
    return (one & other).total() >= alike * max(one.total(), other.total())


def same_place(lying: Lying, reading: Reading, glance: Glance) -> tuple[float, float]:
    """Part of the followed hand's tiles that a new reading has at the same place, and of the new one's
    tiles that lie where the followed hand has some."""
    to_look = small_alignment(lying.likeness.reference, glance, lying.alignment)
    base = best_look(lying.looks)
    move = chained(base.to_reference, to_look)
    new = [tile.box for tile in reading.tiles if tile.hand == 0]
    old = []
    for x0, y0, x1, y1 in (tile.box for tile in lying.reading.tiles if tile.hand == 0):
        ends = carried(np.array([[x0, y0], [x1, y1]]), move)
        old.append((float(ends[0, 0]), float(ends[0, 1]), float(ends[1, 0]), float(ends[1, 1])))
    if not old or not new:
        return 0.0, 0.0
    same = np.array([[overlap(first, second) >= 0.4 for second in new] for first in old])
    return float(same.any(axis=1).mean()), float(same.any(axis=0).mean())


def centre(box: Box) -> Point:
    """The middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
