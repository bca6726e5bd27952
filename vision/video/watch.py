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
    STILL,
    LaidHand,
    Lying,
    add_look,
    begin,
    centre,
    is_complete,
    may_be_hand,
    same_hand,
    same_place,
    size,
)
from .motion import CELL, IDENTITY, Affine, Glance, Motion, align, chained, moving_cells, sharpness

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
RETRIES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between looks at an unclear hand that doesn't change."""

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
        self._lying: Lying | None = None
        self._pending: LaidHand | None = None
        self._ready: list[LaidHand] = []
        self._history: deque[tuple[float, Counts]] = deque()
        self._waiting: list[tuple[Frame, Glance]] = []
        self._last_look = -np.inf
        self._retries = 0
        self._looked: Glance | None = None
        self._to_looked: Affine | None = None
        self._moved_at = np.zeros((0, 0))
        end = footage.duration if self.settings.end is None else min(self.settings.end, footage.duration)
        self._brief = end - self.settings.start <= STILL

    @property
    def safe(self) -> float:
        """Seconds from which watching again finds every hand that `hands` hasn't given yet."""
        since = [self.at]
        if self._lying is not None:
            since.append(self._lying.since)
        if self._pending is not None:
            since.append(self._pending.start)
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
        self._close(to_the_last=True)
        found = [*self._ready, *([] if self._pending is None else [self._pending])]
        self._ready, self._pending = [], None
        return found

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

    def _settled(self, now: float) -> list[LaidHand]:
        """The hands that can't come again."""
        pending, lying = self._pending, self._lying
        again = pending is not None and lying is not None and same_hand(lying.reading, pending.reading)
        if pending is not None and now - pending.end > SAME_AGAIN and not again:
            self._ready.append(pending)
            self._pending = None
        found, self._ready = self._ready, []
        return found

    def _glance(self, frame: Frame, glance: Glance) -> None:
        if glance.moving.shape != self._moved_at.shape:
            self._moved_at = np.full(glance.moving.shape, -np.inf)
            self._looked = None
        self._moved_at[glance.moving] = glance.seconds
        if self._to_looked is not None:
            before = glance.to_previous
            self._to_looked = None if before is None else chained(before, self._to_looked)
        lying = self._lying
        if lying is not None:
            lying.follow(glance)
            if glance.seconds - lying.last_seen > LOST:
                self._close(to_the_last=False)
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
        lying = self._lying
        if not np.isfinite(self._last_look) or waited >= IDLE:
            return True
        if waited < CLOSE and lying is None:
            return False
        differs = self._differs(glance)
        if lying is not None:
            if not lying.sure and self._retries < len(RETRIES) and waited >= RETRIES[self._retries]:
                return True
            if lying.complete and now - lying.last_seen < LOST:
                about = self._about(lying)
                return bool((differs & about).any()) and waited >= CLOSE
            if differs.any() and waited >= CLOSE:
                return True
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
        reading = self._within(self._see(rgb), frame)
        lying = self._lying
        if not may_be_hand(reading):
            self._retries += 1
            return
        sharp = _hand_sharpness(rgb, reading)
        look = Look(frame.number, frame.seconds, reading.sighting, IDENTITY, sharp, _jpeg(rgb))
        if lying is None:
            self._follow(look, reading, glance)
            return
        unchanged = same_hand(lying.reading, reading) and size(reading) <= size(lying.reading)
        if unchanged and same_place(lying, reading, glance) >= IN_PLACE:
            add_look(lying, look, glance)
            self._retries += 1
        elif is_complete(reading) or (not lying.complete and size(reading) >= size(lying.reading)):
            self._take_over(lying, look, reading, glance)
        else:
            self._retries += 1

    def _follow(self, look: Look, reading: Reading, glance: Glance) -> Lying:
        past = [each for each in self._motion.past if each.seconds <= glance.seconds]
        self._lying = begin(look, reading, glance, past)
        self._retries = 0
        for each in self._motion.past:
            if each.seconds > glance.seconds:
                self._lying.follow(each)
        return self._lying

    def _take_over(self, before: Lying, look: Look, reading: Reading, glance: Glance) -> None:
        """Something about the hand changed: follow it anew, or follow the other hand instead."""
        if before.complete and same_hand(before.reading, reading):
            self._lying = None
            after = self._follow(look, reading, glance)
            if sorted(after.hand.hand.tiles) == sorted(before.hand.hand.tiles):
                after.since = min(after.since, before.since)
            after.revealed = max(after.revealed, before.revealed)
            after.taken += before.taken
            return
        if before.complete:
            if before.reading.score is not None and reading.score is None:
                # A winning hand isn't given up for something that merely has as many tiles.
                self._retries += 1
                return
            self._close(to_the_last=False)
        self._follow(look, reading, glance)

    def _close(self, *, to_the_last: bool) -> None:
        lying, self._lying = self._lying, None
        self._retries = 0
        if lying is None or not lying.qualifies(self._brief):
            return
        hand = lying.laid(to_the_last)
        before, self._pending = self._pending, hand
        if before is None:
            return
        if hand.start - before.end <= SAME_AGAIN and same_hand(before.reading, hand.reading):
            better = hand if hand.reading.confidence >= before.reading.confidence else before
            self._pending = replace(
                better,
                start=before.start,
                end=hand.end,
                to_the_last=to_the_last,
                looks=before.looks + hand.looks,
                last=better.last if better.last is not None or better is before else _same_tile(before, hand),
            )
        else:
            self._ready.append(before)

    def _about(self, lying: Lying) -> NDArray[np.bool_]:
        """Cells on and around the hand."""
        about = np.zeros(self._moved_at.shape, dtype=np.bool_)
        x0, y0, x1, y1 = lying.bounds()
        about[max(y0 // CELL, 0) : y1 // CELL + 1, max(x0 // CELL, 0) : x1 // CELL + 1] = True
        return about

    def _within(self, reading: Reading, frame: Frame) -> Reading:
        """The reading of only those tiles whose middle lies in a region."""
        regions, picture = self.settings.regions, (frame.width, frame.height)
        if not regions:
            return reading
        seen = reading.sighting
        kept = tuple(tile for tile in seen.tiles if region_at(tile.box, picture, regions) is not None)
        return read_hand(replace(seen, tiles=kept)) if len(kept) < len(seen.tiles) else reading


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
