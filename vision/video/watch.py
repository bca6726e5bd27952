"""Going through footage: glance at it often and cheaply, look at it in full rarely and well.

Nothing changes: a look every quarter of a minute. Something changed and came to rest, or a hand is
being laid down: looks close together. The sharpest of a few frames is the one looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ..boxes import Box
from ..reading import Reading
from ..resolve import read_hand
from .footage import Footage, Frame, Pixels
from .fusing import Look
from .lying import (
    ALIKE_AGAIN,
    RETRIES,
    STILL,
    LaidHand,
    Lying,
    Point,
    add_look,
    begin,
    centre,
    is_complete,
    may_be_hand,
    one_by_one,
    same_hand,
    same_place,
    size,
    standing_at,
    without,
)
from .motion import CELL, IDENTITY, Affine, Glance, Motion, align, chained, moving_cells, sharpness
from .walls import without_walls

GLANCES = 8.0
"""Glances a second: fine enough for boundaries and for the order in which tiles are laid."""
KEPT = 20.0
"""Seconds of glances kept, to find out since when a hand has been lying there."""
IDLE = 15.0
"""Seconds between looks while nothing changes."""
RESTLESS = 3.0
"""Seconds between looks while most of the picture moves: a camera that can't be followed …"""
MOST = 0.3
"""… in at least this part of the cells."""
AT_REST = 0.4
"""Seconds without change after which a cell has come to rest."""
CLOSE, APART, FAR = 0.7, 1.5, 3.5
"""Least seconds between looks: at a hand being laid down, at much that changed, at a little."""
MUCH = 5
"""Cells that make much change: several tiles."""
CANDIDATES = 3
"""Glances among which the sharpest frame is looked at."""
LOST = 1.5
"""Seconds that a hand may be covered before it has to be looked at again to count as lying there."""
SAME_AGAIN = 30.0
"""Seconds within which the same tiles are the same hand, moved or covered meanwhile."""
IN_PLACE = 0.9
"""Part of a hand's tiles that a look must find where they were, to be one more look at it."""
SOME_IN_PLACE = 0.3
"""The same for a hand to be the followed one at all, perhaps with other tiles by now."""

See = Callable[[Pixels], Reading]
"""Reads one upright RGB frame, `Reader.read_array` for instance."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the picture where hands are laid down.

    name: whose place it is. box: x0, y0, x1, y1 as parts of width and height, each from 0 to 1.
    """

    name: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is watched.

    start, end: seconds. every: seconds between looks, None adaptive. regions: none means everywhere.
    """

    start: float = 0.0
    end: float | None = None
    every: float | None = None
    regions: tuple[Region, ...] = ()


@dataclass
class Counts:
    """Frames read in full, not read in full, and not readable at all."""

    looked_at: int = 0
    skipped: int = 0
    failed: int = 0

    def plus(self, more: Counts) -> Counts:
        """Both together."""
        return Counts(self.looked_at + more.looked_at, self.skipped + more.skipped, self.failed + more.failed)


class Watch:
    """One pass over footage.

    counts: frames so far. at: seconds reached. `hands` does the work; when it is interrupted, `left`
    gives the hands that were still being followed, and a new Watch may start at `safe`.
    """

    def __init__(self, footage: Footage, see: See, settings: Settings | None = None) -> None:
        self.footage = footage
        self.counts = Counts()
        self.settings = settings or Settings()
        self.at = self.settings.start
        self._see = see
        self._motion = Motion(KEPT)
        self._lying: list[Lying] = []
        self._pending: list[LaidHand] = []
        self._history: deque[tuple[float, Counts]] = deque()
        self._waiting: list[tuple[Frame, Glance]] = []
        self._last_look = -np.inf
        self._looked: Glance | None = None
        self._to_looked: Affine | None = None
        self._moved_at = np.zeros((0, 0))
        end = footage.duration if self.settings.end is None else min(self.settings.end, footage.duration)
        self._brief = end - self.settings.start <= STILL

    @property
    def safe(self) -> float:
        """Seconds from which watching again finds every hand that `hands` hasn't given yet."""
        since = [self.at, *(each.since for each in self._lying), *(each.start for each in self._pending)]
        return self._remembered(min(since) - KEPT / 2)[0]

    def counts_at(self, seconds: float) -> Counts:
        """The counts of the frames before `seconds`, a safe point."""
        return self._remembered(seconds)[1]

    def hands(self, tick: Callable[[float], None] = lambda seconds: None) -> Iterator[LaidHand]:
        """Every finished hand, in order, once it is certain that it isn't the next one too.

        tick: called with the seconds reached after every frame.
        """
        due = -np.inf
        last: tuple[Frame, Glance] | None = None
        for frame in self.footage.frames(self.settings.start, self.settings.end):
            self.at = frame.seconds
            self._remember()
            self.counts.skipped += 1
            self.counts.failed = self.footage.failed
            if frame.seconds >= due:
                due = max(due + 1 / GLANCES, frame.seconds + 0.5 / GLANCES)
                last = frame, self._motion.feed(frame)
                self._glance(*last)
                yield from self._settled(frame.seconds)
            tick(frame.seconds)
        self.counts.failed = self.footage.failed
        if last is not None and (self._waiting or self._differs(last[1]).any()):
            self._look(*max(self._waiting or [last], key=lambda pair: pair[1].sharpness))
        yield from self.left()

    def left(self) -> list[LaidHand]:
        """What is still being followed, as it stands; nothing is followed afterwards."""
        for lying in list(self._lying):
            self._close(lying, to_the_last=True)
        found, self._pending = self._pending, []
        return sorted(found, key=lambda hand: hand.start)

    def _remembered(self, seconds: float) -> tuple[float, Counts]:
        """The last moment up to `seconds` whose counts were kept, and these."""
        earlier = [each for each in self._history if each[0] <= seconds]
        return earlier[-1] if earlier else (self.settings.start, Counts())

    def _remember(self) -> None:
        """Keep the counts of every second from the safe point on, before the frame of now is counted."""
        if not self._history or self.at - self._history[-1][0] >= 1:
            self._history.append((self.at, replace(self.counts)))
            while len(self._history) > 1 and self._history[1][0] <= self.safe:
                self._history.popleft()

    def _settled(self, now: float) -> Iterator[LaidHand]:
        """The hands that can't come again, in order."""
        self._pending.sort(key=lambda hand: hand.start)
        while self._pending:
            hand = self._pending[0]
            open_ = (each for each in self._lying if each.complete)
            if now - hand.end <= SAME_AGAIN or any(
                each.since < hand.start or same_hand(each.reading, hand.reading, ALIKE_AGAIN)
                for each in open_
            ):
                return
            yield self._pending.pop(0)

    def _glance(self, frame: Frame, glance: Glance) -> None:
        if glance.moving.shape != self._moved_at.shape:
            self._moved_at = np.full(glance.moving.shape, -np.inf)
            self._looked = None
        self._moved_at[glance.moving] = glance.seconds
        if self._to_looked is not None:
            before = glance.to_previous
            self._to_looked = None if before is None else chained(before, self._to_looked)
        for lying in list(self._lying):
            lying.follow(glance)
            if glance.seconds - lying.last_seen > LOST:
                self._close(lying, to_the_last=False)
        if self._waiting or self._wants_look(glance):
            self._waiting.append((frame, glance))
            first = self._waiting[0][1].seconds
            if len(self._waiting) >= CANDIDATES or glance.seconds - first >= CANDIDATES / GLANCES:
                self._look(*max(self._waiting, key=lambda pair: pair[1].sharpness))

    def _differs(self, glance: Glance) -> NDArray[np.bool_]:
        """Cells that are at rest and show something else than at the last look."""
        at_rest = glance.seconds - self._moved_at >= AT_REST
        if self._looked is None or self._to_looked is None or not at_rest.any():
            return np.asarray(at_rest, dtype=np.bool_)
        differs = at_rest & moving_cells(glance.grey, self._looked.grey, self._to_looked)
        if differs.any():
            # Small errors add up over many glances.
            fresh = align(glance.grey, self._looked.grey, self._to_looked)
            if fresh is not None:
                again = at_rest & moving_cells(glance.grey, self._looked.grey, fresh)
                if again.sum() < differs.sum():
                    self._to_looked, differs = fresh, again
        return np.asarray(differs, dtype=np.bool_)

    def _wants_look(self, glance: Glance) -> bool:
        now = glance.seconds
        waited = now - self._last_look
        if self.settings.every is not None:
            return waited >= self.settings.every
        if not np.isfinite(self._last_look) or waited >= IDLE:
            return True
        if waited < CLOSE and not self._lying:
            return False
        differs = self._differs(glance)
        if any(lying.due(waited) for lying in self._lying):
            return True
        unfinished = [lying for lying in self._lying if not lying.complete]
        if waited >= CLOSE and (differs & self._about(unfinished)).any():
            return True
        if any(lying.complete and now - lying.last_seen < LOST for lying in self._lying):
            if (differs & self._about(self._lying)).any():
                return waited >= CLOSE
            # Elsewhere another hand may be laid open; single tiles there don't matter now.
            return int(differs.sum()) >= MUCH and waited >= FAR
        count = int(differs.sum())
        restless = float((now - self._moved_at < AT_REST).mean()) >= MOST
        return (
            (count >= MUCH and waited >= APART)
            or (count > 0 and waited >= FAR)
            or (restless and waited >= RESTLESS)
        )

    def _look(self, frame: Frame, glance: Glance) -> None:
        """Read one frame in full and take up what it shows."""
        self._waiting.clear()
        self._last_look = glance.seconds
        self._looked, self._to_looked = glance, IDENTITY
        for later in self._motion.past:
            if later.seconds > glance.seconds and self._to_looked is not None:
                before = later.to_previous
                self._to_looked = None if before is None else chained(before, self._to_looked)
        self.counts.looked_at += 1
        self.counts.skipped -= 1
        rgb = frame.rgb()
        readings = [each for each in self._readings(self._see(rgb), frame) if may_be_hand(each)]
        paired = self._paired(readings, glance)
        for lying in list(self._lying):
            if all(lying is not each for each in paired.values()):
                lying.retries += 1
                if not lying.complete and lying.retries >= len(RETRIES):
                    self._forget(lying)
        for place, reading in enumerate(readings):
            sharp = _hand_sharpness(rgb, reading)
            look = Look(frame.number, frame.seconds, reading.sighting, IDENTITY, sharp, _jpeg(rgb))
            if place in paired:
                self._compare(paired[place], look, reading, glance)
            elif reading.score is not None or not any(each.reading.score for each in self._lying):
                # Beside a winning hand, tiles that win nothing are another player's.
                self._follow(look, reading, glance)

    def _readings(self, reading: Reading, frame: Frame) -> list[Reading]:
        """The hands of a picture, each by itself; with regions those within each."""
        seen, picture = without_walls(reading.sighting), (frame.width, frame.height)
        if not self.settings.regions:
            walls = len(seen.tiles) < len(reading.sighting.tiles)
            return one_by_one(read_hand(seen) if walls else reading)
        found = []
        for region in self.settings.regions:
            inside = [
                tile for tile in seen.tiles if region_at(tile.box, picture, self.settings.regions) is region
            ]
            found += one_by_one(read_hand(seen.of(inside)))
        return found

    def _paired(self, readings: Sequence[Reading], glance: Glance) -> dict[int, Lying]:
        """By the number of a reading the followed hand that it is of, if any; each is one's at most."""
        worths = sorted(
            (
                (same_place(lying, reading, glance)[0] + same_hand(lying.reading, reading), place, number)
                for place, reading in enumerate(readings)
                for number, lying in enumerate(self._lying)
            ),
            reverse=True,
        )
        paired: dict[int, Lying] = {}
        for worth, place, number in worths:
            lying = self._lying[number]
            if (
                worth >= SOME_IN_PLACE
                and place not in paired
                and all(lying is not o for o in paired.values())
            ):
                paired[place] = lying
        return paired

    def _compare(self, lying: Lying, look: Look, reading: Reading, glance: Glance) -> None:
        """One more look at a followed hand; a discard that was taken for a part of it is one no longer."""
        stale = lying.stale_at(glance)
        less = without(reading, stale)
        look = replace(look, sighting=less.sighting)
        if lying.counted and less.score is not None and not standing_at(less, stale):
            self._take_over(lying, look, less, glance, stale)
        else:
            self._take_up(lying, look, less, glance, () if less is reading else stale)

    def _take_up(
        self, lying: Lying, look: Look, reading: Reading, glance: Glance, stale: tuple[Point, ...]
    ) -> None:
        """One more look at a followed hand, or what has become of it. stale: tiles left out of the look."""
        unchanged = same_hand(lying.reading, reading) and size(reading) <= size(lying.reading)
        found, known = same_place(lying, reading, glance)
        # Where nothing new lies, what isn't found is covered by an arm.
        if unchanged and (found >= IN_PLACE or known == 1):
            add_look(lying, look, glance)
            lying.retries += 1
        elif is_complete(reading) or (not lying.complete and size(reading) >= size(lying.reading)):
            self._take_over(lying, look, reading, glance, stale)
        else:
            lying.retries += 1

    def _follow(self, look: Look, reading: Reading, glance: Glance, stale: tuple[Point, ...] = ()) -> Lying:
        """Follow a hand from now on. stale: tiles left out of the look, in its pixels."""
        past = [each for each in self._motion.past if each.seconds <= glance.seconds]
        lying = begin(look, reading, glance, past)
        less = without(reading, lying.stale)
        if less is not reading:
            stale += lying.stale
            lying = begin(replace(look, sighting=less.sighting), less, glance, past)
        lying.stale += stale
        lying.beside = any(each.complete for each in self._lying)
        for each in self._motion.past:
            if each.seconds > glance.seconds:
                lying.follow(each)
        self._lying.append(lying)
        return lying

    def _take_over(
        self, before: Lying, look: Look, reading: Reading, glance: Glance, stale: tuple[Point, ...]
    ) -> None:
        """Something about the hand changed: follow it anew, or follow the other hand instead."""
        if before.complete and same_hand(before.reading, reading):
            self._forget(before)
            after = self._follow(look, reading, glance, stale)
            if sorted(after.hand.hand.tiles) == sorted(before.hand.hand.tiles):
                _, known = same_place(before, reading, glance)
                # A single tile that lies elsewhere now was another one: a discard, before all were there.
                if known == 1 or known < IN_PLACE:
                    after.since = min(after.since, before.since)
            after.revealed = max(after.revealed, before.revealed)
            after.taken += before.taken
            return
        if before.complete and before.reading.score is not None and reading.score is None:
            # A winning hand isn't given up for something that merely has as many tiles.
            before.retries += 1
            return
        self._close(before, to_the_last=False)
        self._follow(look, reading, glance, stale)

    def _forget(self, lying: Lying) -> None:
        self._lying = [each for each in self._lying if each is not lying]

    def _close(self, lying: Lying, *, to_the_last: bool) -> None:
        self._forget(lying)
        if not lying.qualifies(self._brief):
            return
        hand = lying.laid(to_the_last)
        for place, before in enumerate(self._pending):
            again = same_hand(before.reading, hand.reading, ALIKE_AGAIN)
            if again and hand.start - before.end <= SAME_AGAIN:
                better = hand if hand.reading.confidence >= before.reading.confidence else before
                self._pending[place] = replace(
                    better,
                    start=min(before.start, hand.start),
                    end=max(before.end, hand.end),
                    to_the_last=to_the_last,
                    looks=before.looks + hand.looks,
                    last=better.last
                    if better.last is not None or better is before
                    else _same_tile(before, hand),
                )
                return
        self._pending.append(hand)

    def _about(self, hands: Sequence[Lying]) -> NDArray[np.bool_]:
        """Cells on and around hands."""
        about = np.zeros(self._moved_at.shape, dtype=np.bool_)
        for lying in hands:
            x0, y0, x1, y1 = lying.bounds()
            about[max(y0 // CELL, 0) : y1 // CELL + 1, max(x0 // CELL, 0) : x1 // CELL + 1] = True
        return about


def region_at(box: Box, picture: tuple[int, int], regions: Sequence[Region]) -> Region | None:
    """The first region that holds the middle of a box; picture: width and height in pixels."""
    x, y = centre(box)
    x, y = x / picture[0], y / picture[1]
    for region in regions:
        x0, y0, x1, y1 = region.box
        if x0 <= x <= x1 and y0 <= y <= y1:
            return region
    return None


def _hand_sharpness(rgb: Pixels, reading: Reading) -> float:
    """Sharpness of the part of the picture that the first hand lies in."""
    boxes = np.array([tile.box for tile in reading.tiles if tile.hand == 0])
    x0, y0 = np.maximum(boxes[:, :2].min(axis=0), 0).astype(int)
    x1, y1 = np.ceil(boxes[:, 2:].max(axis=0)).astype(int)
    return sharpness(np.asarray(cv2.cvtColor(rgb[y0:y1, x0:x1], cv2.COLOR_RGB2GRAY), dtype=np.uint8))


def _jpeg(rgb: Pixels) -> bytes:
    done, data = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 92])
    assert done
    return data.tobytes()


def _same_tile(before: LaidHand, after: LaidHand) -> int | None:
    """The tile that came last in `before`, by its name in `after`, if that one is told apart there."""
    name = next((tile.tile for tile in before.reading.tiles if tile.id == before.last), None)
    same = [tile.id for tile in after.reading.tiles if tile.tile == name and tile.hand == 0]
    return same[0] if same else None
