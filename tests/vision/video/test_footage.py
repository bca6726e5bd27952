"""Opening footage: true times, upright frames, and what is broken."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from fanlens.vision.video import FootageError, open_footage

from .painted import write_video

TIMES = [0.0, 0.033, 0.1, 0.166, 0.2, 0.5, 0.533, 1.2, 1.233, 1.3]


def marked(number: int, width: int = 96, height: int = 64) -> np.ndarray:
    """A grey frame as bright as its number, with a white patch at the upper left."""
    picture = np.full((height, width, 3), 10 * number, dtype=np.uint8)
    picture[:16, :24] = 255
    return picture


@pytest.fixture(scope="module")
def variable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("footage") / "variable.mp4"
    return write_video(path, ((t, marked(n)) for n, t in enumerate(TIMES)))


def test_times_are_presentation_timestamps_from_the_first_frame(variable: Path) -> None:
    footage = open_footage(variable)
    frames = list(footage.frames())
    assert [frame.number for frame in frames] == list(range(10))
    assert [frame.seconds for frame in frames] == pytest.approx(TIMES, abs=0.001)
    assert [round(float(frame.rgb()[40:, 40:].mean()) / 10) for frame in frames] == list(range(10))
    assert footage.sha256 == hashlib.sha256(variable.read_bytes()).hexdigest()
    assert footage.duration == pytest.approx(1.3, abs=0.5)
    assert (footage.width, footage.height, footage.breaks, footage.failed) == (96, 64, [], 0)


def test_a_later_first_timestamp_changes_nothing(tmp_path: Path) -> None:
    path = write_video(tmp_path / "late.mkv", ((t, marked(n)) for n, t in enumerate(TIMES)), origin=5.0)
    assert [frame.seconds for frame in open_footage(path).frames()] == pytest.approx(TIMES, abs=0.001)


def test_a_part_keeps_numbers_and_times(variable: Path) -> None:
    frames = list(open_footage(variable).frames(0.18, 1.22))
    assert [(frame.number, round(frame.seconds, 3)) for frame in frames] == [
        (4, 0.2), (5, 0.5), (6, 0.533), (7, 1.2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rotation", "size", "corner"),
    [(90, (64, 96), "bottom left"), (-90, (64, 96), "top right"), (180, (96, 64), "bottom right")],
)
def test_rotation_is_applied(tmp_path: Path, rotation: int, size: tuple[int, int], corner: str) -> None:
    path = write_video(tmp_path / "turned.mp4", [(0.0, marked(3)), (0.04, marked(3))], rotation=rotation)
    footage = open_footage(path)
    rgb = next(iter(footage.frames())).rgb()
    assert (footage.width, footage.height) == size
    assert rgb.shape == (size[1], size[0], 3)
    row = slice(-10, None) if "bottom" in corner else slice(0, 10)
    column = slice(-10, None) if "right" in corner else slice(0, 10)
    assert rgb[row, column].mean() > 200
    assert rgb.mean() < 100


def test_a_folder_of_pictures_in_natural_order(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        cv2.imwrite(str(tmp_path / f"frame{number}.png"), marked(number))
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "frame3.png").write_bytes(b"")
    footage = open_footage(tmp_path, fps=2)
    frames = list(footage.frames())
    assert [(frame.number, frame.seconds) for frame in frames] == [(0, 0.0), (1, 0.5), (3, 1.5)]
    assert [round(float(frame.grey(96)[40:, 40:].mean()) / 10) for frame in frames] == [1, 2, 10]
    assert footage.failed == 1
    assert [(broken.frame, "empty" in broken.message) for broken in footage.breaks] == [(2, True)]


def test_a_video_cut_off_says_where(tmp_path: Path) -> None:
    times = [n / 10 for n in range(60)]
    noise = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    whole = write_video(tmp_path / "whole.mkv", ((t, np.roll(noise, n, 1)) for n, t in enumerate(times)))
    data = whole.read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(data[: len(data) // 2])
    footage = open_footage(cut)
    read = list(footage.frames())
    assert 20 <= len(read) <= 40
    assert len(footage.breaks) == 1
    assert footage.breaks[0].seconds == pytest.approx(read[-1].seconds, abs=0.11)
    assert "5.9 s" in footage.breaks[0].message


def test_damage_in_the_middle_is_passed_over(tmp_path: Path) -> None:
    """The damaged frame and those built on it don't count as seen; there is one key frame, the first."""
    noise = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    frames = ((n / 10, np.roll(noise, 3 * n, 1)) for n in range(60))
    path = write_video(tmp_path / "whole.mp4", frames)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 400] = bytes(400)
    path.write_bytes(data)
    footage = open_footage(path)
    read = list(footage.frames())
    assert len(read) + footage.failed == 60
    assert 20 <= len(read) <= 40
    assert footage.breaks[0].seconds == pytest.approx(3.0, abs=0.5)
    assert "damaged" in footage.breaks[0].message


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.mp4", b"", "empty-file"),
        ("text.mp4", b"this is no video at all\n" * 50, "not-a-video"),
        ("missing.mp4", None, "not-found"),
    ],
)
def test_what_is_no_video_gets_one_sentence(
    tmp_path: Path, name: str, content: bytes | None, code: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FootageError) as caught:
        open_footage(path)
    assert caught.value.code == code
    assert caught.value.message.startswith(f"{path}: ")
    assert caught.value.message.endswith(".")
    assert caught.value.message.count("\n") == 0


def test_a_folder_without_pictures(tmp_path: Path) -> None:
    with pytest.raises(FootageError) as caught:
        open_footage(tmp_path)
    assert caught.value.code == "no-pictures"
