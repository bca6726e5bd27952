"""A photo in, a `Reading` out: the whole way in one object that is loaded once."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ..models import Manifest, load_manifest
from .boxes import Box, MeldBox, TileBox
from .closer_look import TARGET_WIDTH
from .corrections import Correction
from .detector import Detections
from .finder import Finder, Found
from .picture import Picture, Source, decode, read_bytes
from .reading import Circumstances, ImageInfo, ModelInfo, Reading, Sighting
from .resolve import read_hand

NARROW = TARGET_WIDTH
"""Pixels: where tiles are narrower in the reduced picture, it is decoded again so that they aren't: a
second pass and the classifier see them at this width."""


class Reader:
    """Reads photos of finished hands.

    >>> reading = Reader().read("hand.jpg")  # doctest: +SKIP
    >>> reading.hand, reading.score.score.total, reading.problems  # doctest: +SKIP
    """

    def __init__(self, model: str | PathLike[str] | Manifest | None = None) -> None:
        """Load the networks.

        model: see `load_manifest`; None for the shipped one. Raises ModelError.
        """
        self.manifest = model if isinstance(model, Manifest) else load_manifest(model)
        self._finder = Finder(self.manifest)
        self._model = ModelInfo(self.manifest.name, self.manifest.sha256)
        points = self.manifest.calibration.get("total", ((0.0, 0.0), (1.0, 1.0)))
        self._calibration = tuple((float(raw), float(true)) for raw, true in points)

    def read(
        self,
        source: Source,
        *,
        name: str | None = None,
        picture: Picture | None = None,
        circumstances: Circumstances | None = None,
        corrections: Sequence[Correction] = (),
    ) -> Reading:
        """Read one photo.

        source: a path, or the content of a file. name: how messages call it, the path if None.
        picture: what `decode` made of the same content, where the caller needs it too.
        circumstances: what is known about the win. corrections: a person's, by tile id or box.
        Raises PictureError for a file that can't be decoded whole, CorrectionsError for a correction
        of a tile that isn't there.
        """
        started = time.perf_counter()
        data, own_name = read_bytes(source)
        name = name or own_name
        if picture is None:
            picture = decode(data, name)
        decoded = time.perf_counter()
        first = self._finder.detector.detect(picture.rgb)
        detected = time.perf_counter()
        width = _typical_width(first.above(self.manifest.detector.confidence))
        if picture.is_reduced and width < NARROW:
            coarse = picture.scale
            picture = decode(data, name, side=max(picture.rgb.shape) * NARROW / width)
            first = first.scaled(picture.scale / coarse)
        again = time.perf_counter()
        found = self._finder.find(picture.rgb, first=first)
        looked = time.perf_counter()
        path = None if isinstance(source, bytes) else str(source)
        reading = read_hand(self._sighting(picture, found, path), circumstances, corrections)
        ended = time.perf_counter()
        return reading.timed(
            decode=(decoded - started + again - detected) * 1000,
            **found.timing_ms | {"detect": (detected - decoded) * 1000},
            resolve=(ended - looked) * 1000,
            total=(ended - started) * 1000,
        )

    def read_array(
        self,
        rgb: NDArray[np.uint8],
        *,
        circumstances: Circumstances | None = None,
        corrections: Sequence[Correction] = (),
    ) -> Reading:
        """The same for a picture that is decoded already (a video frame): uint8 RGB, upright."""
        picture = Picture(rgb, rgb.shape[1], rgb.shape[0])
        found = self._finder.find(rgb)
        reading = read_hand(self._sighting(picture, found, None), circumstances, corrections)
        return reading.timed(**found.timing_ms)

    def _sighting(self, picture: Picture, found: Found, path: str | None) -> Sighting:
        """What was seen, in pixels of the original; tiles numbered row by row, as people read them."""
        zoom = 1 / picture.scale
        rows = sorted(found.rows, key=lambda row: float(row.start[1] + row.end[1]))
        order = [index for row in rows for index in row.indices]
        places = {index: place for place, index in enumerate(order)}
        return Sighting(
            ImageInfo(path, picture.width, picture.height, picture.notes),
            self._model,
            tuple(_zoomed(found.tiles[index], zoom) for index in order),
            tuple(MeldBox(_scaled(meld.box, zoom), meld.confidence) for meld in found.melds),
            self._calibration,
            tuple(row.elsewhere(places, zoom) for row in found.rows),
        )


def _typical_width(found: Detections) -> float:
    """Pixels; infinite where no tile was found."""
    sides = found.boxes[:, 2:] - found.boxes[:, :2]
    return float(np.median(sides.min(axis=1))) if len(sides) else math.inf


def _zoomed(tile: TileBox, zoom: float) -> TileBox:
    if zoom == 1:
        return tile
    return replace(tile, box=_scaled(tile.box, zoom), corners=tile.corners * np.float32(zoom))


def _scaled(box: Box, zoom: float) -> Box:
    return (box[0] * zoom, box[1] * zoom, box[2] * zoom, box[3] * zoom)
