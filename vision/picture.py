"""The one place where files become pictures: strictly, upright, 8-bit RGB, once.

From here the picture goes to `detector`. What can't be decoded whole is refused with one sentence:
a half picture scored as if it were whole is worse than none.
"""

from __future__ import annotations

import io
import re
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

Source = str | PathLike[str] | bytes

MAX_BYTES = 400_000_000
MAX_JPEG_PIXELS = 300_000_000
"""A JPEG can be decoded at reduced size, so a 200-megapixel phone frame is fine."""
MAX_PIXELS = 120_000_000
"""The other formats are decoded whole before anything can be reduced."""
WORKING_SIDE = 1000
"""Pixels: a JPEG is reduced as far as its long side stays at least this long, half as much again as the
detector looks at; the reader decodes again where the tiles turn out to be small."""
VIEWING_SIDE = 2000
"""The same for people to look at, and where it is decoded only once."""
FULL_PIXELS = 50_000_000
"""A JPEG above this is reduced whatever was asked for, to bound memory (3 bytes a pixel)."""

FORMATS = ("JPEG", "PNG", "WEBP", "HEIF", "BMP", "TIFF", "GIF")
"""Allowed formats, told by content, never by the file's name."""

_ORIENTATION_TAG = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"})
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"II*\0", b"MM\0*", b"RIFF")
_NAMES = "JPEG, PNG, WebP, HEIC, BMP, TIFF or GIF"
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")

_pillow_limit = threading.Lock()


class PictureError(ValueError):
    """A file that can't be used as a picture.

    code: `not-found`, `not-a-file`, `unreadable`, `empty-file`, `not-a-picture`, `unsupported-format`,
    `truncated`, `damaged` or `too-large`. message: one plain sentence that names the file.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Picture:
    """An upright picture.

    rgb: uint8, shape (rows, columns, 3); perhaps smaller than the original.
    width, height: the upright original's size in pixels. notes: what was done that a person may want
    to know (the first frame of an animation was taken, …).
    """

    rgb: NDArray[np.uint8]
    width: int
    height: int
    notes: tuple[str, ...] = ()

    @property
    def scale(self) -> float:
        """Pixels of `rgb` per pixel of the original, at most 1."""
        return float(max(self.rgb.shape[1] / self.width, self.rgb.shape[0] / self.height))

    @property
    def is_reduced(self) -> bool:
        return bool(self.rgb.shape[1] < self.width)


def read_bytes(source: Source) -> tuple[bytes, str]:
    """The content of a source and the name by which messages call it. Raises PictureError."""
    if isinstance(source, bytes):
        return source, "the picture"
    path = Path(source)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise PictureError("not-a-file", f"{path}: this is a folder, not a picture.")
        if status.st_size > MAX_BYTES:
            raise PictureError("too-large", f"{path}: the file is larger than {MAX_BYTES // 10**6} MB.")
        return path.read_bytes(), str(path)
    except PictureError:
        raise
    except FileNotFoundError:
        raise PictureError("not-found", f"{path}: there is no such file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PictureError("unreadable", f"{path}: the file can't be read ({reason}).") from None


def decode(data: bytes, name: str = "the picture", *, side: float = WORKING_SIDE) -> Picture:
    """Decode one picture whole, or refuse it.

    data: the file's content. name: how messages call it.
    side: a JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that leaves its long side at least
    this many pixels; math.inf for the full resolution (up to FULL_PIXELS).
    Raises PictureError.
    """
    if not data:
        raise PictureError("empty-file", f"{name}: the file is empty.")
    if len(data) > MAX_BYTES:
        raise PictureError("too-large", f"{name}: the file is larger than {MAX_BYTES // 10**6} MB.")
    return _load(_open(data, name), data, name, side)


def _open(data: bytes, name: str) -> Image.Image:
    formats = list(FORMATS)
    if data[4:8] == b"ftyp":
        if data[8:12] not in _HEIF_BRANDS:
            raise PictureError("unsupported-format", f"{name}: this format isn't supported; use {_NAMES}.")
        import pi_heif

        pi_heif.register_heif_opener()
    else:
        formats.remove("HEIF")
    try:
        with _unbounded():
            return Image.open(io.BytesIO(data), formats=formats)
    except UnidentifiedImageError:
        if data.startswith(_SIGNATURES) or data[4:8] == b"ftyp":
            raise PictureError("damaged", f"{name}: the picture's header is cut off or damaged.") from None
        raise PictureError("not-a-picture", f"{name}: by its content this isn't a {_NAMES} file.") from None
    except Exception as error:  # a plug-in may raise anything on a hostile header
        raise PictureError("damaged", f"{name}: the picture is damaged ({_reason(error)}).") from None


def _load(image: Image.Image, data: bytes, name: str, side: float) -> Picture:
    width, height = image.size
    notes: list[str] = []
    jpeg = image.format in ("JPEG", "MPO")
    limit = MAX_JPEG_PIXELS if jpeg else MAX_PIXELS
    if width * height > limit:
        raise PictureError(
            "too-large",
            f"{name}: {width} x {height} pixels are more than the {limit // 10**6} megapixels allowed "
            f"for {'a JPEG' if jpeg else 'this format'}.",
        )
    if jpeg:
        if not _ends_properly(data):
            raise PictureError("truncated", f"{name}: the JPEG is truncated, its last part is missing.")
        _draft(image, side)
    elif getattr(image, "n_frames", 1) > 1:
        what = "pages" if image.format == "TIFF" else "frames"
        notes.append(f"{image.n_frames} {what}; the first was read")  # type: ignore[attr-defined]
    try:
        image.load()
        orientation = _orientation(image)
        if orientation in _UPRIGHT:
            image = image.transpose(_UPRIGHT[orientation])
        rgb = _rgb(image)
    except MemoryError:
        raise PictureError("too-large", f"{name}: the picture doesn't fit into memory.") from None
    except Exception as error:
        code = "truncated" if "truncated" in str(error) or "incomplete" in str(error) else "damaged"
        raise PictureError(code, f"{name}: the picture is {code} ({_reason(error)}).") from None
    if not jpeg:
        height, width = rgb.shape[:2]
    elif orientation >= 5:
        width, height = height, width
    return Picture(rgb, width, height, tuple(notes))


def _draft(image: Image.Image, side: float) -> None:
    """Ask the JPEG decoder for the smallest picture that is still large enough."""
    width, height = image.size
    for factor in (8, 4, 2):
        small = (width // factor) * (height // factor)
        if max(width, height) // factor >= side or (
            width * height > FULL_PIXELS and small >= FULL_PIXELS // 4
        ):
            image.draft(None, (width // factor, height // factor))
            return


def _ends_properly(data: bytes) -> bool:
    """Whether a JPEG has its end-of-image marker, looked for marker by marker.

    Decoders fill what is missing with grey; a zero-filled tail (a broken download) even decodes
    without complaint. What follows the end (a phone's second picture or clip) doesn't matter.
    """
    if data.endswith(b"\xff\xd9"):  # never found inside coded pixels, nor where a download breaks off
        return True
    position, size = 2, len(data)
    while position + 1 < size:
        if data[position] != 0xFF:
            found = _MARKER.search(data, position)
            if found is None:
                return False
            position = found.start()
        marker = data[position + 1]
        if marker == 0xD9:
            return True
        if marker == 0xFF:
            position += 1
        elif marker == 0 or marker == 1 or 0xD0 <= marker <= 0xD8:
            position += 2
        else:
            position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
            if marker == 0xDA:
                found = _MARKER.search(data, position)
                if found is None:
                    return False
                position = found.start()
    return False


def _orientation(image: Image.Image) -> int:
    """EXIF orientation 1-8. Read after `load`: Pillow and pi-heif turn TIFF and HEIC themselves."""
    try:
        orientation = image.getexif().get(_ORIENTATION_TAG, 1)
    except Exception:  # broken EXIF says nothing; the pixels are fine
        return 1
    return orientation if orientation in _UPRIGHT else 1


def _rgb(image: Image.Image) -> NDArray[np.uint8]:
    """8-bit RGB, shape (rows, columns, 3): deep grey scaled, transparent parts on white."""
    if image.mode == "F" or image.mode.startswith("I"):
        # Pillow saturates deep grey to white on conversion, hence by hand.
        grey = np.asarray(image).astype(np.float32)
        if image.mode.startswith("I;16") or (image.mode == "I" and 255 < grey.max() <= 65535):
            full = 65535.0
        else:
            full = max(float(grey.max(initial=0.0)), 1.0)
        eight = np.clip(grey * (255.0 / full) + 0.5, 0, 255).astype(np.uint8)
        return np.repeat(eight[:, :, None], 3, axis=2)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layers = image.convert("RGBA")
        ground = Image.new("RGBA", layers.size, "white")
        image = Image.alpha_composite(ground, layers)
    # Pillow's `convert` copies even where there is nothing to convert, as `np.array` would.
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:120] or type(error).__name__


@contextmanager
def _unbounded() -> Iterator[None]:
    """Lift Pillow's own limit on pixels, which is below a phone's 200 megapixels; ours replaces it."""
    with _pillow_limit:
        before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = before
