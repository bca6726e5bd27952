"""From a picture to its tiles and exposed groups: both networks, one or two passes.

From here `TileBox`es and `MeldBox`es go to `layout` (which role has each tile).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..models import Manifest
from .blanks import told_by_colour, without_surplus_blanks
from .boxes import TILE_CLASSES, MeldBox, TileBox
from .classifier import FACELESS, Classifier, Faces, combine
from .closer_look import View, box_corners, corner_bounds, first_of_each, groups, plan_views
from .detector import Detections, Detector, any_tile
from .halves import whole_tiles
from .layout import Row
from .layout.exposed import GroupJudge, read_judge
from .layout.plane import Plane
from .layout.rows import rows_in
from .sides import without_sides

Floats = NDArray[np.float32]

CLEARLY_A_TILE = 0.5
"""Score from which a tile is reported even where its name can't be told."""
ONE_PLACE = 0.3
"""Share of a tile's side up to which two centres are the same tile's."""
TOUCHING = 1.5
"""Tile widths between the centres of tiles that touch, at most."""
TOO_LARGE = 1.25
"""How much larger than the upright pass's box the upright box of a turned one may be."""
_BUDGET = 2.0
"""Pixels of the second pass, as a multiple of the first pass's square."""


@dataclass(frozen=True, slots=True)
class Found:
    """What lies in a picture, in pixels of the array given; tiles by confidence, best first.

    rows: the tiles in rows, by index.
    timing_ms: milliseconds by stage (`detect`, `second_pass`, `classify`, `groups`).
    views: the cut-outs of the second pass, empty where there was none.
    """

    tiles: list[TileBox]
    melds: list[MeldBox]
    rows: list[Row]
    timing_ms: dict[str, float] = field(default_factory=dict)
    views: tuple[View, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pass:
    """Tiles in the picture's frame: corners (n, 4, 2), scores (n, 43), angle of up (n,), pass number."""

    corners: Floats
    scores: Floats
    angles: Floats
    sources: NDArray[np.int64]

    def take(self, index: NDArray[np.int64]) -> _Pass:
        return _Pass(self.corners[index], self.scores[index], self.angles[index], self.sources[index])


class Finder:
    """The detector and, where the model has one, the classifier."""

    def __init__(self, manifest: Manifest) -> None:
        """Raises ModelError."""
        self.manifest = manifest
        self.detector = Detector(manifest.detector)
        self.classifier = Classifier(manifest.classifier) if manifest.classifier else None
        self._judge: GroupJudge | None = read_judge(manifest.groups) if manifest.groups else None

    def find(
        self, rgb: NDArray[np.uint8], *, first: Detections | None = None, second_pass: bool = True
    ) -> Found:
        """All tiles and groups.

        rgb: uint8, shape (rows, columns, 3). first: what `detector.detect` found in the picture, where
        that is known. second_pass: False for the pass over the whole picture alone.
        """
        clock = _Clock()
        if first is None:
            first = self.detector.detect(rgb)
        clock.stop("detect")
        views = self._plan(rgb, first) if second_pass else []
        seconds = [self.detector.detect_unscaled(view.render(rgb)) for view in views]
        least = self.detector.spec.confidence
        tiles, melds = _merge(
            whole_tiles(first.above(least)),
            views,
            [whole_tiles(second.above(least)) for second in seconds],
            whole_seen=max(rgb.shape[:2]) <= self.detector.spec.input,
        )
        clock.stop("second_pass")
        faces = self._faces(rgb, tiles.corners)
        boxes, places = self._tile_boxes(tiles, faces, rgb.shape[1], rgb.shape[0])
        boxes = without_surplus_blanks(boxes)
        if faces is not None:
            colours = faces.colours[places]
            boxes = without_sides(told_by_colour(boxes, colours), colours)
        clock.stop("classify")
        plane = Plane.of(boxes)
        rows = rows_in(plane, boxes)
        if self._judge is not None:
            melds = self._judge.groups(boxes, rows, melds, plane)
        clock.stop("groups")
        return Found(boxes, melds, rows, clock.milliseconds, tuple(views))

    def _plan(self, rgb: NDArray[np.uint8], first: Detections) -> list[View]:
        side = self.detector.spec.input
        size = (rgb.shape[1], rgb.shape[0])
        return plan_views(first.boxes, size, side, _BUDGET * side * side)

    def _faces(self, rgb: NDArray[np.uint8], corners: Floats) -> Faces | None:
        return None if self.classifier is None else self.classifier.classify(rgb, corners)

    def _tile_boxes(
        self, tiles: _Pass, faces: Faces | None, width: int, height: int
    ) -> tuple[list[TileBox], list[int]]:
        """The tiles, best first, and which of those found each is."""
        spec = self.manifest.classifier
        probabilities, confidence = combine(tiles.scores, faces, spec)
        found_by = any_tile(tiles.scores) * (1 if faces is None else faces.tile)
        bounds = np.clip(corner_bounds(tiles.corners), 0, [width, height, width, height])
        least = 0.0 if spec is None else spec.least
        found, places = [], []
        for i in np.argsort(-confidence, kind="stable").tolist():
            # A faint find counts where its name is clear; one that is faint and could be anything is
            # a wind marker, a letter or a die far more often than a tile.
            name = probabilities[i].max() / max(confidence[i], 1e-9)
            if found_by[i] < CLEARLY_A_TILE and found_by[i] * name < least:
                continue
            x0, y0, x1, y1 = (float(value) for value in bounds[i])
            if min(x1 - x0, y1 - y0) < 1:
                continue  # the network drew it round nothing, or beyond the picture's edge
            up, sure, axis = None, 0.0, 0.0
            if faces is not None and TILE_CLASSES[int(probabilities[i].argmax())] not in FACELESS:
                turn, sure, axis = faces.top(i)
                up = float((tiles.angles[i] + 90 * turn) % 360)
            tile = float(confidence[i])
            found.append(TileBox((x0, y0, x1, y1), probabilities[i], tile, tiles.corners[i], up, sure, axis))
            places.append(i)
        return found, places


def _merge(
    first: Detections, views: list[View], seconds: list[Detections], *, whole_seen: bool
) -> tuple[_Pass, list[MeldBox]]:
    """Tiles and groups of both passes, nothing twice; where a view looked, its word comes first.

    whole_seen: whether the first pass saw the picture at its full size: its edges are the sharper ones.
    """
    corners, scores, angles, sources = [], [], [], []
    melds: list[MeldBox] = []
    for number, (view, second) in enumerate(zip(views, seconds, strict=True), 1):
        outlines = view.to_picture(second.boxes)
        same = _same_tile(outlines, first.boxes)
        there = same >= 0
        angle = np.full(len(second), view.angle, np.float32)
        upright = there.copy()
        if not whole_seen:
            upright[there] = _askew(outlines[there], first.boxes[same[there]])
        outlines[upright], angle[upright] = box_corners(first.boxes[same[upright]]), 0
        whole = view.holds(outlines.mean(axis=1))
        corners.append(outlines[whole])
        scores.append(second.scores[whole])
        angles.append(angle[whole])
        sources.append(np.full(int(whole.sum()), number))
        outlines = view.to_picture(second.meld_boxes)
        whole = view.holds(outlines.mean(axis=1))
        melds += _meld_boxes(corner_bounds(outlines[whole]), second.meld_scores[whole])
    corners.append(box_corners(first.boxes))
    scores.append(first.scores)
    angles.append(np.zeros(len(first), np.float32))
    sources.append(np.zeros(len(first), np.int64))
    centres = (first.meld_boxes[:, :2] + first.meld_boxes[:, 2:]) / 2
    unseen = np.ones(len(centres), bool)
    for view in views:
        unseen &= ~view.holds(centres)
    melds += _meld_boxes(first.meld_boxes[unseen], first.meld_scores[unseen])

    everything = _Pass(*(np.concatenate(part) for part in (corners, scores, angles, sources)))
    return everything.take(first_of_each(everything.corners, everything.sources.tolist())), melds


def _same_tile(outlines: Floats, boxes: Floats) -> NDArray[np.int64]:
    """(n,) which of the boxes (m, 4) lies where an outline (n, 4, 2) does; -1 where none does."""
    if not len(boxes):
        return np.full(len(outlines), -1)
    bounds = corner_bounds(outlines)
    middles = [(part[:, :2] + part[:, 2:]) / 2 for part in (bounds, boxes)]
    apart = np.linalg.norm(middles[0][:, None] - middles[1][None], axis=2)
    nearest = apart.argmin(axis=1)
    sides = (boxes[nearest, 2:] - boxes[nearest, :2]).min(axis=1)
    return np.where(apart.min(axis=1) < ONE_PLACE * sides, nearest, -1)


def _askew(outlines: Floats, boxes: Floats) -> NDArray[np.bool_]:
    """(n,) which tiles of a turned view lie in it at an angle of their own, by rows.

    outlines: (n, 4, 2), turned rectangles. boxes: (n, 4), the same tiles in the upright pass. What is level
    in the view fills the upright box of its outline; round anything else that box is far too large.
    Tiles that touch are judged together: in a row of both kinds of outline some would seem turned.
    """
    bounds = corner_bounds(outlines)
    areas = [(part[:, 2:] - part[:, :2]).prod(axis=1) for part in (bounds, boxes)]
    larger = areas[0] / np.maximum(areas[1], 1e-9)
    askew = np.zeros(len(boxes), bool)
    for touching in groups(boxes, TOUCHING):
        askew[touching] = np.median(larger[touching]) > TOO_LARGE
    return askew


def _meld_boxes(boxes: Floats, scores: Floats) -> list[MeldBox]:
    return [
        MeldBox((float(x0), float(y0), float(x1), float(y1)), float(score))
        for (x0, y0, x1, y1), score in zip(boxes, scores, strict=True)
    ]


class _Clock:
    """Milliseconds between stops."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self.milliseconds: dict[str, float] = {}

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.milliseconds[stage] = (now - self._last) * 1000
        self._last = now
