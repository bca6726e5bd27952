"""Twenty simulated seconds of a whole table, followed with a detector that sees what lies there.

Walls, face-down hands, discards, arms, washing and sorting are there to mislead.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fanlens.datasets.scenes import Designs
from fanlens.datasets.scenes.footage import Recording, hand_of, simulate
from fanlens.vision.reading import ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import read_hand
from fanlens.vision.video import Footage, Frame, LaidHand, Watch, open_footage

from .painted import Pixels


class Told(Footage):
    """Footage that tells which frame was asked for in full, so that the detector can know the truth."""

    real: Footage
    asked = 0.0

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        for frame in self.real.frames(start, end):

            def pixels(width: int, height: int, grey: bool, frame: Frame = frame) -> Pixels:
                if not grey:
                    self.asked = frame.seconds
                return frame._pixels(width, height, grey)

            yield Frame(frame.number, frame.seconds, frame.width, frame.height, pixels)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return simulate(
        9,
        Designs(),
        seconds=20,
        split="train",
        design="own",
        size=(640, 360),
        fps=10,
        variable=True,
        rotation=90,
    )


@pytest.fixture(scope="module")
def footage(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Footage:
    return open_footage(recording.write(tmp_path_factory.mktemp("simulated") / "table.mp4"))


def followed(recording: Recording, footage: Footage) -> tuple[list[LaidHand], Watch]:
    told = Told(footage.path, footage.sha256, footage.times, footage.duration, footage.width, footage.height)
    told.real = footage

    def see(rgb: Pixels) -> Reading:
        image = ImageInfo(None, rgb.shape[1], rgb.shape[0])
        return read_hand(Sighting(image, ModelInfo("truth", "0" * 64), recording.seen(told.asked)))

    watch = Watch(told, see)
    return list(watch.hands()), watch


def test_frames_come_upright_at_their_true_times(recording: Recording, footage: Footage) -> None:
    assert (footage.width, footage.height) == (640, 360)
    assert len(footage.times) == len(recording.times)
    assert footage.times == pytest.approx(recording.times, abs=0.001)
    _, painted = next(recording.frames())
    shown = next(footage.frames()).rgb()
    assert abs(shown.astype(float) - painted).mean() < 8


def test_the_hand_is_found_once_with_its_winning_tile(recording: Recording, footage: Footage) -> None:
    (truth,) = recording.events
    hands, watch = followed(recording, footage)
    assert len(hands) == 1
    hand = hands[0]
    assert hand.start == pytest.approx(truth.start, abs=1.0)
    assert hand.end == pytest.approx(truth.end, abs=1.0)
    assert hand.reading.hand is not None
    assert sorted(hand.reading.hand.tiles) == sorted(hand_of(truth.hand).tiles)
    won = hand.reading.hand.winning_tile or hand.reading.tiles[hand.last or 0].tile
    assert won == truth.hand.winning
    assert watch.counts.looked_at <= 20
