"""Videos and folders of pictures as upright frames with true times.

Times are presentation timestamps counted from the first frame, never frame number over frame rate:
phones record at a variable rate. The frame number is the rank of the timestamp in the whole file, so
it stays true when only a part is watched. Rotation and pixel shape are applied, because neither the
decoder nor anybody after this does so.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..picture import VIEWING_SIDE, PictureError, decode, read_bytes

Pixels = NDArray[np.uint8]

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif", ".bmp", ".tif", ".tiff"})
MAX_PIXELS = 70_000_000
"""Pixels of a frame, above 8K; a header that claims more is damaged or hostile."""
TAIL = 1.0
"""Seconds: a video that ends this much before its header says so is called cut off."""
MAX_BREAKS = 100
"""Breaks that are kept one by one; a broken hour would otherwise fill the report."""
DAMAGE_LASTS = 10.0
"""Seconds at most that damage spreads over the frames built on the damaged one, up to a key frame."""
MAX_FAILURES = 500
"""Packets in a row that can't be decoded before the rest of a video is given up."""


class FootageError(ValueError):
    """A video or folder that can't be used at all.

    code: `not-found`, `empty-file`, `unreadable`, `not-a-video`, `no-pictures`, `no-video-support`.
    message: one plain sentence that names the file.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Break:
    """A place where footage couldn't be read.

    seconds: time of the last frame before it. frame: that frame's number, -1 before the first one.
    message: what is wrong there, one plain sentence.
    """

    seconds: float
    frame: int
    message: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; its pixels are only converted when asked for.

    number: from 0, in the order shown. seconds: from the first frame of the footage.
    width, height: upright size in pixels.
    """

    number: int
    seconds: float
    width: int
    height: int
    _pixels: Callable[[int, int, bool], Pixels] = field(repr=False, compare=False)

    def rgb(self) -> Pixels:
        """The whole upright frame, uint8, shape (height, width, 3)."""
        return self._pixels(self.width, self.height, False)

    def grey(self, long_side: int) -> Pixels:
        """The upright frame in grey, its long side reduced to at most `long_side`, shape (rows, columns)."""
        scale = min(1.0, long_side / max(self.width, self.height))
        return self._pixels(max(1, round(self.width * scale)), max(1, round(self.height * scale)), True)


@dataclass
class Footage(ABC):
    """Frames in the order shown.

    path: as given. sha256: of the file's bytes; for a folder of the files' sha256 in order.
    times: shape (n,), seconds of every frame from the first one, ascending.
    duration: seconds, the last frame's own time included. width, height: upright size in pixels.
    breaks: where it couldn't be read, complete once the frames have been gone through.
    failed: frames that couldn't be read so far.
    """

    path: str
    sha256: str
    times: NDArray[np.float64]
    duration: float
    width: int
    height: int
    breaks: list[Break] = field(default_factory=list)
    failed: int = 0

    @abstractmethod
    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        """The frames from `start` to `end` (seconds, inclusive); what can't be read is in `breaks`."""

    def _broke(self, frame: int, message: str) -> None:
        seconds = float(self.times[frame]) if 0 <= frame < len(self.times) else 0.0
        if len(self.breaks) < MAX_BREAKS and (not self.breaks or self.breaks[-1].frame != frame):
            self.breaks.append(Break(seconds, frame, message))


def open_footage(source: str | PathLike[str], *, fps: float = 25.0) -> Footage:
    """Open a video file, or a folder of pictures as frames in the natural order of their names.

    fps: frames a second of a folder of pictures, which has no times of its own.
    Raises FootageError.
    """
    path = Path(source)
    if not path.exists():
        raise FootageError("not-found", f"{path}: there is no such file.")
    if path.is_dir():
        pictures = sorted(
            (file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES), key=_natural
        )
        if not pictures:
            raise FootageError("no-pictures", f"{path}: there are no pictures in this folder.")
        return _Pictures.open(path, pictures, fps)
    if not path.is_file():
        raise FootageError("unreadable", f"{path}: this is neither a file nor a folder.")
    try:
        if path.stat().st_size == 0:
            raise FootageError("empty-file", f"{path}: the file is empty.")
        sha256 = _sha256(path)
    except OSError as error:
        raise FootageError("unreadable", f"{path}: the file can't be read ({error.strerror}).") from None
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return _Pictures.open(path, [path], fps)
    return _Video.open(path, sha256)


class _Pictures(Footage):
    """A folder of pictures (or one picture), `fps` of them a second."""

    files: list[Path]

    @classmethod
    def open(cls, path: Path, files: list[Path], fps: float) -> _Pictures:
        if not fps > 0:
            raise FootageError("unreadable", f"{path}: the frame rate must be above 0, not {fps:g}.")
        digest = hashlib.sha256()
        width = height = 0
        for file in files:
            try:
                digest.update(bytes.fromhex(_sha256(file)))
                if not width:
                    picture = decode(read_bytes(file)[0], str(file), side=VIEWING_SIDE)
                    height, width = picture.rgb.shape[:2]
            except (OSError, PictureError):
                continue
        if not width:
            raise FootageError("unreadable", f"{path}: none of its {len(files)} pictures can be read.")
        times = np.arange(len(files)) / fps
        footage = cls(str(path), digest.hexdigest(), times, len(files) / fps, width, height)
        footage.files = files
        return footage

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        for number, (file, seconds) in enumerate(zip(self.files, self.times.tolist(), strict=True)):
            if seconds < start:
                continue
            if end is not None and seconds > end:
                return
            try:
                rgb = decode(read_bytes(file)[0], str(file), side=VIEWING_SIDE).rgb
            except PictureError as error:
                self.failed += 1
                self._broke(number, error.message)
                continue
            yield Frame(number, seconds, rgb.shape[1], rgb.shape[0], _resizer(rgb))


class _Video(Footage):
    """A file that PyAV opens."""

    stamps: NDArray[np.int64]
    base: Fraction

    @classmethod
    def open(cls, path: Path, sha256: str) -> _Video:
        """Reads all packet headers once: the timestamps of all frames, and whether the file is whole."""
        av = _pyav()
        try:
            with av.open(str(path)) as container:
                if not container.streams.video:
                    raise FootageError("not-a-video", f"{path}: there is no picture track in this file.")
                stream = container.streams.video[0]
                base = stream.time_base or Fraction(1, 90000)
                step = float(1 / (stream.average_rate or stream.guessed_rate or 25) / base)
                stamps, message, last = _stamps(container, stream, step)
                if not len(stamps):
                    raise FootageError("not-a-video", f"{path}: there is not a single frame in this file.")
                claimed = _claimed(container, stream)
            with av.open(str(path)) as container:
                stream = container.streams.video[0]
                frame = next(frame for frame, _ in _surviving(container, stream) if frame is not None)
                width, height = _upright_size(frame, stream)
        except FootageError:
            raise
        except StopIteration:
            raise FootageError("unreadable", f"{path}: not a single frame can be decoded.") from None
        except (av.FFmpegError, OSError, ValueError, MemoryError) as error:
            message = f"{path}: this can't be opened as a video ({_reason(error)})."
            raise FootageError("not-a-video", message) from None
        if width * height > MAX_PIXELS:
            raise FootageError("unreadable", f"{path}: {width} x {height} pixels are too many for a video.")
        times = (stamps - stamps[0]).astype(np.float64) * float(base)
        duration = float(times[-1]) + last * float(base)
        footage = cls(str(path), sha256, times, duration, width, height)
        footage.stamps, footage.base = stamps, base
        if message is None and claimed > duration + TAIL:
            message = f"the file ends here, though its header says that it lasts {claimed:.1f} s"
        if message is not None:
            footage._broke(len(times) - 1, message)
        return footage

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        av = _pyav()
        with av.open(self.path) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            number, damaged_until = -1, -1.0
            if start > 0:
                first = min(int(np.searchsorted(self.times, start)), len(self.stamps) - 1)
                # What can't be sought in is read from its beginning.
                with suppress(av.FFmpegError):
                    container.seek(int(self.stamps[first]), stream=stream)
                    number = first - 1
            for frame, error in _surviving(container, stream):
                if frame is not None:
                    number = self._number(frame, number)
                    if self.times[number] < start:
                        continue
                    if end is not None and self.times[number] > end:
                        return
                seconds = float(self.times[max(number, 0)])
                if frame is None or frame.is_corrupt:
                    self._broke(number, f"the video is damaged here ({error or 'incomplete frame'})")
                    damaged_until = seconds + DAMAGE_LASTS
                elif frame.key_frame:
                    damaged_until = -1.0
                if seconds <= damaged_until:
                    self.failed += 1
                    continue
                width, height = _upright_size(frame, stream)
                yield Frame(number, seconds, width, height, _converter(frame))

    def _number(self, frame: Any, before: int) -> int:
        """The frame's rank in the file by its timestamp; without one it follows the one before."""
        stamp = frame.pts if frame.pts is not None else frame.dts
        at = before + 1 if stamp is None else int(np.searchsorted(self.stamps, stamp))
        return min(at, len(self.stamps) - 1)


def _pyav() -> Any:
    try:
        import av
    except ImportError:
        raise FootageError(
            "no-video-support", 'Reading videos needs PyAV; install it with: pip install "fanlens[video]".'
        ) from None
    av.logging.set_level(None)
    return av


def _surviving(container: Any, stream: Any) -> Iterator[tuple[Any, str]]:
    """Every frame that decodes, and (None, reason) for every packet that doesn't."""
    av = _pyav()
    failures = 0
    while failures < MAX_FAILURES:
        try:
            for packet in container.demux(stream):
                try:
                    yield from ((frame, "") for frame in packet.decode())
                    failures = 0
                except av.FFmpegError as error:
                    failures += 1
                    # The empty packet at the end only asks for what is still in the decoder.
                    if packet.size:
                        yield None, _reason(error)
                if failures >= MAX_FAILURES:
                    break
            else:
                return
        except (av.FFmpegError, OSError) as error:
            failures += 1
            yield None, _reason(error)


def _stamps(container: Any, stream: Any, step: float) -> tuple[NDArray[np.int64], str | None, float]:
    """Timestamps of all frames in order, why reading them stopped early, and the last one's duration."""
    av = _pyav()
    stamps: list[int] = []
    lengths: dict[int, int] = {}
    count, message = 0, None
    try:
        for packet in container.demux(stream):
            if packet.size == 0 or packet.is_discard:
                continue
            count += 1
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is not None:
                stamps.append(stamp)
                lengths = {stamp: packet.duration or 0} if stamp >= max(lengths, default=stamp) else lengths
    except (av.FFmpegError, OSError) as error:
        message = f"the rest of the file can't be read ({_reason(error)})"
    if len(stamps) < count:
        return np.round(np.arange(count) * step).astype(np.int64), message, step
    found = np.unique(np.array(stamps, dtype=np.int64))
    last = next(iter(lengths.values()), 0) or (float(np.median(np.diff(found))) if len(found) > 1 else step)
    return found, message, float(last)


def _claimed(container: Any, stream: Any) -> float:
    """Seconds that the header says the pictures last, 0 where it doesn't say."""
    if stream.duration:
        return float(stream.duration * stream.time_base)
    match = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", stream.metadata.get("DURATION", ""))
    if match:
        hours, minutes, seconds = match.groups()
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    # The container's own duration may be that of a longer sound track.
    return float(container.duration or 0) / 1e6 if len(container.streams) == 1 else 0.0


def _turns(frame: Any) -> int:
    """Quarter turns anticlockwise that make the frame upright."""
    return int(round(float(frame.rotation) / 90) % 4)


def _upright_size(frame: Any, stream: Any) -> tuple[int, int]:
    """Columns and rows of the frame as it is to be shown: square pixels, turned upright."""
    width, height = frame.width, frame.height
    ratio = stream.sample_aspect_ratio
    if ratio and 0.2 < ratio < 5:
        width = max(1, round(width * float(ratio)))
    return (height, width) if _turns(frame) % 2 else (width, height)


def _converter(frame: Any) -> Callable[[int, int, bool], Pixels]:
    turns = _turns(frame)

    def pixels(width: int, height: int, grey: bool) -> Pixels:
        size = (height, width) if turns % 2 else (width, height)
        same = size == (frame.width, frame.height)
        converted = frame.reformat(
            width=size[0],
            height=size[1],
            format="gray" if grey else "rgb24",
            interpolation="POINT" if same else "AREA",
        ).to_ndarray()
        return np.ascontiguousarray(np.rot90(converted, turns), dtype=np.uint8)

    return pixels


def _resizer(rgb: Pixels) -> Callable[[int, int, bool], Pixels]:
    def pixels(width: int, height: int, grey: bool) -> Pixels:
        shown = rgb
        if (width, height) != (rgb.shape[1], rgb.shape[0]):
            shown = np.asarray(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return np.asarray(cv2.cvtColor(shown, cv2.COLOR_RGB2GRAY), dtype=np.uint8) if grey else shown

    return pixels


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _natural(path: Path) -> tuple[tuple[int, int | str], ...]:
    """A sort key by which frame2 comes before frame10."""
    parts = re.split(r"(\d+)", path.name.casefold())
    return tuple((1, int(part)) if part.isdecimal() else (2, part) for part in parts)


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return " ".join(str(text).split()).rstrip(".")[:120] or type(error).__name__
