"""Whether, since when and until when the tiles of a hand lie where a full look found them.

Each tile's patch of the small grey picture is compared with later and earlier glances. That gives the
moments a hand was complete and was taken away to the next glance, however rarely it was read in full,
and the order in which its tiles came: the one that came last is the winning tile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..boxes import Box
from .motion import Affine, Glance, align, chained

LYING = 0.85
"""Part of the tiles that must be seen for the hand to lie there; a hand passing over covers more."""
COVERED = 1.2
"""Seconds: a tile that vanishes for longer than this has come anew."""
LAST_APART = 0.3
"""Seconds by which the last tile must come after the others to be called the last."""
PAUSE = 2.0
"""Seconds without a new tile that part what was turned up at the end from what lay there before …"""
TOGETHER = 10.0
"""… and within which all tiles of a hand are turned up."""
_BEFORE = 2.5
"""Seconds before a hand was turned up in which its melds are looked for …"""
_GLANCES_BEFORE = 4
"""… in at least so many glances …"""
_APPEARS = 0.3
"""… that end this many seconds before: a tile appears by degrees."""
_ALIKE = 14.0
"""Grey levels: the greatest mean difference of a patch that shows the same tile …"""
_FIGURE = 0.5
"""… and the least correlation with it: a bare table may be as light as a tile, but has not its figure …"""
_EQUAL = 5.0
"""… unless the difference is no greater than this: on a blank tile there is no figure to compare."""
_LIGHT = 12.0
"""Grey levels by which the light may change between two glances."""
_REACH = 1
"""Small pixels by which a patch may be off."""


@dataclass(frozen=True, slots=True)
class History:
    """When the tiles of a hand came.

    since: (tiles,) seconds since when each tile has been lying there without a break, -inf for one that
    lay there all along. seconds: (glances,) of the earlier glances that were compared, newest first.
    seen: (glances, tiles) which tiles these showed.
    """

    since: NDArray[np.float64]
    seconds: NDArray[np.float64]
    seen: NDArray[np.bool_]


class Likeness:
    """How a hand looks in the small grey picture of one glance."""

    def __init__(self, reference: Glance, boxes: Sequence[Box]) -> None:
        """boxes: of the hand's tiles, in pixels of the reference's full frame."""
        self.reference = reference
        rows, columns = reference.grey.shape
        small = np.array(boxes, dtype=np.float64).reshape(-1, 4) * reference.scale
        # The rim of a tile belongs to its neighbours.
        inset = 0.1 * (small[:, 2:] - small[:, :2])
        low = np.floor(small[:, :2] + inset).astype(int)
        high = np.maximum(np.ceil(small[:, 2:] - inset).astype(int), low + 2)
        limit = np.array([columns, rows])
        self._low, self._high = np.clip(low, 0, limit - 2), np.clip(high, 2, limit)
        margin = 2 + _REACH
        self._x0, self._y0 = np.maximum(self._low.min(axis=0) - margin, 0).tolist()
        self._x1, self._y1 = np.minimum(self._high.max(axis=0) + margin, limit).tolist()
        own = reference.grey[self._y0 : self._y1, self._x0 : self._x1]
        self._own = cv2.blur(own, (3, 3)).astype(np.float32)
        self._mean = self._patch_means(self._own)
        self._variance = self._patch_means(self._own**2) - self._mean**2

    @property
    def bounds(self) -> tuple[float, float, float, float, float]:
        """x0, y0, x1, y1 around all tiles and a tile's shorter side, in small pixels of the reference."""
        side = float(np.median((self._high - self._low).min(axis=1)))
        return (*map(float, self._low.min(axis=0)), *map(float, self._high.max(axis=0)), side)  # type: ignore[return-value]

    def seen(self, glance: Glance, to_glance: Affine) -> NDArray[np.bool_]:
        """(tiles,) which of them lie there in another glance.

        to_glance: from small pixels of the reference to those of the glance.
        """
        shift = np.hstack([to_glance[:, :2], to_glance @ np.array([[self._x0], [self._y0], [1.0]])])
        rows, columns = self._own.shape
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        other = cv2.warpAffine(glance.grey, shift, (columns, rows), flags=flags)
        other_soft = cv2.blur(other, (3, 3)).astype(np.float32)
        light = float(np.clip(np.median(other_soft - self._own), -_LIGHT, _LIGHT))
        same = np.zeros(len(self._low), dtype=np.bool_)
        for dy in range(-_REACH, _REACH + 1):
            for dx in range(-_REACH, _REACH + 1):
                moved = np.roll(other_soft, (dy, dx), axis=(0, 1)) - light
                difference = self._patch_means(np.abs(moved - self._own))
                same |= difference <= _EQUAL
                unclear = ~same & (difference <= _ALIKE)
                if unclear.any():
                    same |= unclear & (self._correlations(moved) >= _FIGURE)
        return same

    def follow(self, glance: Glance, guesses: Sequence[Affine]) -> tuple[Affine, NDArray[np.bool_]]:
        """The glance's alignment and the tiles seen in it.

        guesses: likely alignments, tried first; where none shows the hand, the pictures are aligned anew.
        """
        best: tuple[Affine, NDArray[np.bool_]] | None = None
        for guess in guesses:
            found = self.seen(glance, guess)
            if best is None or found.sum() > best[1].sum():
                best = guess, found
            if found.mean() >= LYING:
                return best
        assert best is not None
        fresh = align(self.reference.grey, glance.grey, best[0])
        if fresh is not None:
            found = self.seen(glance, fresh)
            if found.sum() > best[1].sum():
                return fresh, found
        return best

    def history(self, past: Sequence[Glance]) -> History:
        """When the tiles came. past: glances up to the reference, oldest first."""
        count = len(self._low)
        since = np.full(count, self.reference.seconds)
        open_ = np.ones(count, dtype=np.bool_)
        to_glance: Affine = np.eye(2, 3)
        later = self.reference
        seconds, seen = list[float](), list[NDArray[np.bool_]]()
        for glance in reversed(past):
            if glance.number >= self.reference.number:
                continue
            if later.to_previous is None:
                break
            to_glance, found = self.follow(glance, [chained(to_glance, later.to_previous)])
            seconds.append(glance.seconds)
            seen.append(found)
            since = np.where(open_ & found, glance.seconds, since)
            open_ &= since - glance.seconds <= COVERED
            if not open_.any():
                break
            later = glance
        else:
            oldest = past[0].seconds if past else self.reference.seconds
            since = np.where(open_ & (since <= oldest), -math.inf, since)
        return History(since, np.array(seconds), np.array(seen, dtype=np.bool_).reshape(-1, count))

    def _correlations(self, other: NDArray[np.float32]) -> NDArray[np.float64]:
        """(tiles,) Pearson's correlation of each tile's patch with another picture's; 0 for a flat one."""
        mean = self._patch_means(other)
        shared = self._patch_means(self._own * other) - self._mean * mean
        spread = self._variance * (self._patch_means(other**2) - mean**2)
        return shared / np.sqrt(np.maximum(spread, 1.0))

    def _patch_means(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        sums = cv2.integral(values)
        x0, y0 = (self._low - (self._x0, self._y0)).T
        x1, y1 = (self._high - (self._x0, self._y0)).T
        total = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
        return np.asarray(total / ((x1 - x0) * (y1 - y0)), dtype=np.float64)


def came_last(arrivals: NDArray[np.float64], among: Sequence[int], names: Sequence[str]) -> int | None:
    """Which tile of `among` (indices) came clearly after all those of other names; None where none did.

    names: of all tiles. Of two alike it doesn't matter which came last: an arm may have covered both.
    """
    if not among:
        return None
    last = max(among, key=lambda i: float(arrivals[i]))
    before = [float(arrivals[i]) for i in among if names[i] != names[last]]
    if not before or not math.isfinite(arrivals[last]):
        return None
    return last if arrivals[last] - max(before) >= LAST_APART else None


def turned_up(history: History) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(tiles,) which tiles were turned up when the hand was shown, and which lay there before.

    A player's melds and flowers lie open long before the rest of the hand is shown. Neither is said of a
    tile of which it isn't clear, nor of any where the footage doesn't go back far enough.
    """
    nothing = np.zeros(len(history.since), dtype=np.bool_)
    moments = np.sort(history.since[np.isfinite(history.since)])[::-1]
    if not len(moments):
        return nothing, nothing
    pauses = np.flatnonzero(-np.diff(moments) > PAUSE)
    begin = float(moments[pauses[0] if len(pauses) else -1])
    before = history.seen[
        (history.seconds < begin - _APPEARS) & (history.seconds >= begin - _APPEARS - _BEFORE)
    ]
    if moments[0] - begin > TOGETHER or len(before) < _GLANCES_BEFORE:
        return nothing, nothing
    shown = before.mean(axis=0)
    return (history.since >= begin) & (shown <= 0.1), shown >= 0.5


def small_alignment(first: Glance, second: Glance, to_second: Affine) -> Affine:
    """An alignment of small pictures as one of the full frames."""
    scaled = chained(np.array([[first.scale, 0.0, 0.0], [0.0, first.scale, 0.0]]), to_second)
    return chained(scaled, np.array([[1 / second.scale, 0.0, 0.0], [0.0, 1 / second.scale, 0.0]]))
