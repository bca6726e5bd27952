"""Tiles in lines: which tile goes on a row.

Chains are grown from pairs of neighbours in both directions and the most regular, longest ones are taken
first; nothing assumes that a row is level. What doesn't chain is a row of one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .plane import Plane, Vector

MAX_GAP = 1.6
"""Widest gap inside one row, in tile widths; beyond it, tiles are rows of their own."""

MEANT = 0.12
"""How much tighter a tile must lie in another row, in tile widths, to be of that one."""


@dataclass(frozen=True, slots=True)
class _Places:
    """What growing asks of the tiles one by one, as lists: far quicker so than out of arrays.

    near: per tile those that may follow it. gaps, touching: as `Plane.gap` and `Plane.touching`.
    """

    near: list[list[int]]
    centres: list[list[float]]
    gaps: list[list[float]]
    touching: list[list[float]]


def chains_of(plane: Plane) -> list[list[int]]:
    """All tiles in chains, as indices in order; every tile is in exactly one."""
    count = len(plane.centres)
    ratio = plane.sizes[:, None] / plane.sizes[None]
    gaps = plane.distances / plane.touching - 1
    near = (gaps < MAX_GAP) & (gaps > -0.6) & (ratio < 1.7) & (ratio > 1 / 1.7)
    np.fill_diagonal(near, False)
    candidates = [np.flatnonzero(near[i]).tolist() for i in range(count)]
    places = _Places(candidates, plane.centres.tolist(), gaps.tolist(), plane.touching.tolist())
    free = set(range(count))
    grown: list[list[int]] = []
    joined: set[tuple[int, int]] = set()
    for i in range(count):
        for j in candidates[i]:
            if j < i or places.gaps[i][j] > 0.5 or (i, j) in joined:
                continue
            chain = _grow(places, [i, j], free)
            joined.update((min(pair), max(pair)) for pair in pairwise(chain))
            grown.append(chain)
    held = [part for chain in grown for part in _trimmed(chain, places.gaps, grown)]
    chains: list[list[int]] = []
    pool = sorted(((_regularity(plane, chain), chain) for chain in held), key=lambda item: -item[0])
    while pool:
        _, chain = pool.pop(0)
        chains.append(chain)
        free -= set(chain)
        rest: list[tuple[float, list[int]]] = []
        for value, other in pool:
            if free.issuperset(other):
                rest.append((value, other))
                continue
            # What a longer row took away splits this chain.
            rest += [
                (_regularity(plane, stretch), stretch)
                for stretch in _stretches(other, free)
                if len(stretch) >= 2
            ]
        pool = sorted(rest, key=lambda item: -item[0])
    chains.extend([index] for index in sorted(free))
    return chains


def _trimmed(chain: list[int], gaps: list[list[float]], chains: list[list[int]]) -> list[list[int]]:
    """The chain without the tiles at its ends that lie tighter in a row across it, and those ends."""
    first, last = 0, len(chain)
    while last - first > 2 and _tighter(chain[first], chain[first + 1], gaps, chains):
        first += 1
    while last - first > 2 and _tighter(chain[last - 1], chain[last - 2], gaps, chains):
        last -= 1
    return [part for part in (chain[first:last], chain[:first], chain[last:]) if len(part) > 1]


def _tighter(end: int, neighbour: int, gaps: list[list[float]], chains: list[list[int]]) -> bool:
    """Whether a tile lies tighter in another chain than at its neighbour's side."""
    gap = gaps[end][neighbour] - MEANT
    return gap > 0 and any(
        len(other) > 2
        and end in other
        and neighbour not in other
        and gap > max(abs(gaps[i][j]) for i, j in pairwise(other) if end in (i, j))
        for other in chains
    )


def _stretches(chain: list[int], free: set[int]) -> list[list[int]]:
    stretches: list[list[int]] = [[]]
    for index in chain:
        if index in free:
            stretches[-1].append(index)
        else:
            stretches.append([])
    return [stretch for stretch in stretches if stretch]


def _grow(places: _Places, chain: list[int], free: set[int]) -> list[int]:
    """The chain extended at both ends for as long as a next tile lies in line."""
    for _ in range(2):
        while True:
            follower = _next(places, chain, free)
            if follower is None:
                break
            chain = [*chain, follower]
        chain = chain[::-1]
    return chain


def _next(places: _Places, chain: list[int], free: set[int]) -> int | None:
    centres = places.centres
    tail, last = chain[-5:], chain[-1]
    (first_x, first_y), (last_x, last_y) = centres[tail[0]], centres[last]
    heading_x, heading_y = last_x - first_x, last_y - first_y
    length = max(math.hypot(heading_x, heading_y), 1e-9)
    heading_x, heading_y = heading_x / length, heading_y / length
    # A long chain knows its direction better than a pair does.
    allowed = 0.42 if len(tail) == 2 else 0.34
    best: tuple[float, int] | None = None
    for j in places.near[last]:
        if j in chain or j not in free:
            continue
        step_x, step_y = centres[j][0] - last_x, centres[j][1] - last_y
        forward = step_x * heading_x + step_y * heading_y
        aside = abs(step_x * heading_y - step_y * heading_x)
        if len(tail) > 3:
            # Past a tile pushed out of the row its line goes on from the one before.
            aside = min(aside, _off_line(centres[tail[0]], centres[tail[-2]], centres[j]))
        if forward <= 0 or aside > 0.5 * forward:
            continue
        gap, touching = places.gaps[last][j], places.touching[last][j]
        if aside > allowed * touching * (1 + 0.3 * max(gap, 0.0)):
            continue
        # The nearest one, though boxes of slanted tiles overlap.
        cost = gap + 2 * aside / touching
        if best is None or cost < best[0]:
            best = (cost, j)
    return None if best is None else best[1]


def _off_line(first: list[float], last: list[float], other: list[float]) -> float:
    """Distance in pixels of a point from the line through two others."""
    x, y = last[0] - first[0], last[1] - first[1]
    return abs(x * (other[1] - first[1]) - y * (other[0] - first[0])) / max(math.hypot(x, y), 1e-9)


def _regularity(plane: Plane, chain: list[int]) -> float:
    """How much a chain looks like one row: about one point a tightly following tile."""
    total = 0.0
    for i, j in pairwise(chain):
        total += 1.0 - min(abs(plane.gap(i, j)), 0.9)
    points = plane.centres[chain]
    if len(chain) > 2:
        x, y = _line_frame(points)
        bend = y - np.polyval(np.polyfit(x, y, 2 if len(chain) > 4 else 1), x)
        total -= 2.0 * float(np.sqrt(np.mean(bend**2)) / plane.sizes[chain].mean())
    return total


def _line_frame(points: Vector) -> tuple[Vector, Vector]:
    heading = points[-1] - points[0]
    heading = heading / max(float(np.hypot(*heading)), 1e-9)
    centred = points - points.mean(axis=0)
    return centred @ heading, centred @ np.array([-heading[1], heading[0]])
