"""From boxes to a `Reading`: arrangements, names and rules weighed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..boxes import MeldBox, TileBox
from ..corrections import NO_TILE, Correction, apply_corrections
from ..layout import Arrangement, Piece, Row, arrange
from ..layout.pieces import BACK, log_probabilities
from ..reading import Circumstances, Reading, Sighting
from .naming import Naming
from .pins import pinned
from .report import Report
from .verdict import Verdict, judge

ANOTHER = 8
"""Face-up tiles that a second complete hand has at least."""


def read_hand(
    sighting: Sighting,
    circumstances: Circumstances | None = None,
    corrections: Sequence[Correction] = (),
) -> Reading:
    """The reading of what the detector saw.

    circumstances: what is known about the win; None: nothing.
    corrections: a person's, applied in order; what they say is certain and the rest is worked out anew.

    Raises CorrectionsError for a correction that names a tile the picture doesn't have.
    """
    circumstances = circumstances or Circumstances()
    boxes, said = apply_corrections(sighting.tiles, corrections)
    ids = [number for number in range(len(boxes)) if number not in said or said[number].tile != NO_TILE]
    tiles = [boxes[number] for number in ids]
    pins = {place: said[number] for place, number in enumerate(ids) if number in said}
    logs = log_probabilities(tiles)
    rows = None if corrections else sighting.rows
    verdicts = _hands(tiles, sighting.melds, rows, logs, pins)
    return Report(sighting, circumstances, tuple(corrections), tiles, ids, logs, pins, verdicts).reading()


def correct(reading: Reading, corrections: Sequence[Correction]) -> Reading:
    """The reading with more corrections on top of those it already has; what was seen is kept."""
    return read_hand(reading.sighting, reading.circumstances, (*reading.corrections, *corrections))


def _hands(
    tiles: Sequence[TileBox],
    melds: Sequence[MeldBox],
    rows: Sequence[Row] | None,
    logs: NDArray[np.float64],
    pins: Mapping[int, Correction],
) -> list[Verdict]:
    """The hands in the picture: the likeliest one, and every other one that is complete.

    rows: of all tiles, where they are known.
    """
    left = list(range(len(tiles)))
    found: list[Verdict] = []
    naming = Naming(logs)
    shown = logs.argmax(axis=1) != BACK
    # Another complete hand has four sets and a pair, of which a kong or two may lie face down.
    while left if not found else np.count_nonzero(shown[left]) >= ANOTHER:
        own = {place: k for k, place in enumerate(left)}
        here = [tiles[place] for place in left]
        if found:
            # Hardly any table shows another one: finished hands alone are quicker to look through.
            another = judge([_moved(each, left) for each in arrange(here, melds, finished=True)], naming)
            if another is None or not another.best.win:
                break
        moved = [_moved(each, left) for each in arrange(here, melds, None if found else rows)]
        if not found and any(pin.role for pin in pins.values()):
            moved = pinned(moved, pins, own)
        verdict = judge(moved, naming)
        if verdict is None or (found and not verdict.best.win):
            break
        found.append(verdict)
        if not verdict.best.win:
            break
        used = {i for piece in verdict.best.arrangement.pieces for i in piece.all_indices}
        left = [place for place in left if place not in used]
    return found


def _moved(arrangement: Arrangement, places: Sequence[int]) -> Arrangement:
    """An arrangement of some of the tiles, its indices in the list of all."""
    pieces = tuple(
        Piece(
            piece.kind,
            tuple(places[i] for i in piece.indices),
            None if piece.extra is None else places[piece.extra],
        )
        for piece in arrangement.pieces
    )
    return Arrangement(pieces, arrangement.score)
