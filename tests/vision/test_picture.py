"""Every kind of file that must not break decoding, each made here."""

from __future__ import annotations

import io
import math
import struct
import time
import zlib
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
from fanlens.vision.picture import PictureError, decode, read_bytes
from PIL import Image

RED, BLUE = (220, 20, 30), (20, 40, 230)


def _half_red_half_blue(width: int = 96, height: int = 64) -> Image.Image:
    """Left half red, right half blue: shows both orientation and colour."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def _saved(image: Image.Image, format: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def _near(pixel: np.ndarray, colour: tuple[int, int, int], tolerance: int = 40) -> bool:
    return bool(np.abs(pixel.astype(int) - colour).max() <= tolerance)


def _png(width: int, height: int, depth: int, kind: int, rows: bytes) -> bytes:
    """A PNG file put together chunk by chunk. rows: filtered scan lines."""

    def chunk(name: bytes, content: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + checksum

    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _refused(data: bytes, code: str, name: str = "photo.jpg") -> None:
    with pytest.raises(PictureError) as caught:
        decode(data, name)
    assert caught.value.code == code, caught.value.message
    assert caught.value.message.startswith(f"{name}: ")
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"])
def test_each_format_by_content(format: str) -> None:
    picture = decode(_saved(_half_red_half_blue(), format), "name.txt")
    assert picture.rgb.shape == (64, 96, 3)
    assert picture.rgb.dtype == np.uint8
    assert (picture.width, picture.height) == (96, 64)
    assert picture.notes == ()
    assert _near(picture.rgb[32, 10], RED)
    assert _near(picture.rgb[32, 86], BLUE)


def _heic(image: Image.Image) -> bytes:
    """A HEIC file; the package's own pi-heif only reads."""
    buffer = io.BytesIO()
    pillow_heif.from_pillow(image).save(buffer, quality=90)
    return buffer.getvalue()


def test_heic() -> None:
    picture = decode(_heic(_half_red_half_blue()), "IMG_0001.HEIC")
    assert picture.rgb.shape == (64, 96, 3)
    assert _near(picture.rgb[32, 10], RED)


def test_heic_truncated() -> None:
    data = _heic(_half_red_half_blue(640, 480))
    with pytest.raises(PictureError):
        decode(data[: len(data) // 2])


def test_heif_header_without_content() -> None:
    _refused(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "damaged", "IMG_0001.HEIC")


@pytest.mark.parametrize(
    ("orientation", "shape", "red_at"),
    [
        (1, (64, 96), (32, 5)),
        (2, (64, 96), (32, 90)),
        (3, (64, 96), (32, 90)),
        (4, (64, 96), (32, 5)),
        (5, (96, 64), (5, 32)),
        (6, (96, 64), (5, 32)),
        (7, (96, 64), (90, 32)),
        (8, (96, 64), (90, 32)),
    ],
)
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_exif_rotation(
    format: str, orientation: int, shape: tuple[int, int], red_at: tuple[int, int]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = decode(_saved(_half_red_half_blue(), format, exif=exif))
    assert picture.rgb.shape[:2] == shape
    assert (picture.height, picture.width) == shape
    assert _near(picture.rgb[red_at], RED)
    row, column = red_at
    other = (shape[0] - 1 - row, column) if shape[0] > shape[1] else (row, shape[1] - 1 - column)
    assert _near(picture.rgb[other], BLUE)


def test_rotation_of_a_reduced_jpeg() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = decode(_saved(_half_red_half_blue(4800, 3000), "JPEG", exif=exif))
    assert (picture.width, picture.height) == (3000, 4800)
    assert picture.rgb.shape == (1200, 750, 3)
    assert picture.is_reduced
    assert picture.scale == pytest.approx(0.25)
    assert _near(picture.rgb[50, 350], RED)
    whole = decode(_saved(_half_red_half_blue(4800, 3000), "JPEG", exif=exif), side=math.inf)
    assert whole.rgb.shape == (4800, 3000, 3)
    assert not whole.is_reduced


@pytest.mark.parametrize(("side", "columns"), [(600, 600), (601, 1200), (1500, 2400), (2401, 4800)])
def test_jpeg_is_reduced_as_far_as_its_long_side_stays_long_enough(side: float, columns: int) -> None:
    assert decode(_saved(_half_red_half_blue(4800, 300), "JPEG"), side=side).rgb.shape[1] == columns


def test_broken_exif_is_no_obstacle() -> None:
    data = _saved(_half_red_half_blue(), "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\xff\xff")
    assert decode(data).rgb.shape == (64, 96, 3)


def test_cmyk_jpeg() -> None:
    picture = decode(_saved(_half_red_half_blue().convert("CMYK"), "JPEG", quality=95))
    assert _near(picture.rgb[32, 10], RED)
    assert _near(picture.rgb[32, 86], BLUE)


def test_grey() -> None:
    picture = decode(_saved(Image.new("L", (40, 30), 90), "JPEG"))
    assert _near(picture.rgb[5, 5], (90, 90, 90), 3)


def test_one_bit() -> None:
    assert decode(_saved(Image.new("1", (40, 30), 1), "PNG")).rgb.min() == 255


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparent_parts_are_white(mode: str) -> None:
    image = Image.new(mode, (40, 30), (0,) * len(mode))
    assert decode(_saved(image, "PNG")).rgb.min() == 255


def test_transparent_palette() -> None:
    image = Image.new("P", (40, 30), 0)
    image.putpalette([10, 20, 30, 200, 0, 0])
    image.paste(1, (20, 0, 40, 30))
    picture = decode(_saved(image, "PNG", transparency=0))
    assert picture.rgb[5, 5].tolist() == [255, 255, 255]
    assert picture.rgb[5, 35].tolist() == [200, 0, 0]


def test_sixteen_bit_grey_png_is_scaled() -> None:
    values = np.array([[0, 0x4000, 0x8000, 0xFFFF]] * 2, dtype=">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in values)
    picture = decode(_png(4, 2, 16, 0, rows))
    assert picture.rgb[0, :, 0].tolist() == [0, 64, 128, 255]


def test_dark_sixteen_bit_picture_stays_dark() -> None:
    values = np.full((2, 4), 200, dtype=">u2")
    picture = decode(_png(4, 2, 16, 0, b"".join(b"\0" + row.tobytes() for row in values)))
    assert picture.rgb.max() <= 1


def test_float_tiff() -> None:
    image = Image.fromarray(np.array([[0.0, 0.5, 1.0]], dtype=np.float32))
    assert decode(_saved(image, "TIFF")).rgb[0, :, 0].tolist() == [0, 128, 255]


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG"])
def test_animation_gives_its_first_frame_and_says_so(format: str) -> None:
    frames = [Image.new("RGB", (40, 30), colour) for colour in (RED, BLUE, (0, 200, 0))]
    data = _saved(frames[0], format, save_all=True, append_images=frames[1:])
    picture = decode(data)
    assert _near(picture.rgb[5, 5], RED)
    assert picture.notes == ("3 frames; the first was read",)


@pytest.mark.parametrize("name", ["手牌 照片.jpg", "é ü.jpg", "with'quote.jpg"])
def test_any_path(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(_saved(_half_red_half_blue(), "JPEG"))
    data, called = read_bytes(tmp_path / name)
    assert called == str(tmp_path / name)
    assert decode(data, called).width == 96


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(PictureError) as missing:
        read_bytes(tmp_path / "no.jpg")
    assert missing.value.code == "not-found"
    assert "no.jpg" in missing.value.message
    with pytest.raises(PictureError) as folder:
        read_bytes(str(tmp_path))
    assert folder.value.code == "not-a-file"
    with pytest.raises(PictureError) as odd:
        read_bytes("a\0b.jpg")
    assert odd.value.code == "unreadable"


def test_empty_file() -> None:
    _refused(b"", "empty-file")


@pytest.mark.parametrize(
    "data",
    [b"This is a text file.\n", b"\0" * 5000, b"%PDF-1.7\n%", b"<svg xmlns='http://www.w3.org'/>", b"\xff"],
)
def test_no_picture_at_all(data: bytes) -> None:
    _refused(data, "not-a-picture")


def test_format_not_allowed() -> None:
    _refused(_saved(_half_red_half_blue(), "PPM"), "not-a-picture")
    _refused(b"\0\0\0\x18ftypisom\0\0\2\0isomiso2mp41", "unsupported-format", "clip.mp4")


def _noise(width: int = 320, height: int = 240) -> Image.Image:
    rng = np.random.default_rng(1)
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("progressive", [False, True])
def test_truncated_jpeg(share: float, progressive: bool) -> None:
    data = _saved(_noise(), "JPEG", progressive=progressive)
    _refused(data[: int(len(data) * share)], "truncated")


def test_truncated_large_jpeg_that_would_be_reduced() -> None:
    data = _saved(_noise(4200, 600), "JPEG")
    _refused(data[: len(data) // 2], "truncated")


def test_jpeg_with_a_tail_of_zeros() -> None:
    """A download that broke off in a file of the final size: decoders take it without complaint."""
    data = _saved(_noise(), "JPEG")
    _refused(data[: len(data) // 2] + bytes(len(data) // 2), "truncated")


def test_jpeg_cut_in_its_header() -> None:
    data = _saved(_noise(), "JPEG")
    for length in (3, 20, 200):
        with pytest.raises(PictureError):
            decode(data[:length])


def test_what_follows_the_end_of_a_jpeg_does_not_matter() -> None:
    data = _saved(_half_red_half_blue(), "JPEG")
    assert decode(data + b"\0\0\0\x18ftypmp42" + b"\xff\xda" * 100).width == 96


def test_thumbnail_inside_exif_is_not_the_end() -> None:
    thumbnail = _saved(_noise(32, 24), "JPEG")
    data = _saved(_noise(), "JPEG")
    segment = b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2 + 6) + b"Thumb\0" + thumbnail
    whole = data[:2] + segment + data[2:]
    assert decode(whole).width == 320
    _refused(whole[: len(whole) - len(data) // 2], "truncated")


@pytest.mark.parametrize("format", ["PNG", "WEBP", "BMP", "TIFF", "GIF"])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_truncated_other_formats(format: str, share: float) -> None:
    data = _saved(_noise(), format)
    with pytest.raises(PictureError) as caught:
        decode(data[: int(len(data) * share)], "a.png")
    assert caught.value.code in ("truncated", "damaged")


def test_png_with_a_wrong_checksum() -> None:
    data = bytearray(_saved(_noise(), "PNG"))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(PictureError):
        decode(bytes(data))


def test_decompression_bomb_is_refused_at_once() -> None:
    side = 32_000
    data = _png(side, side, 1, 0, bytes(side // 8 + 1) * side)
    assert len(data) < 200_000
    started = time.perf_counter()
    _refused(data, "too-large", "bomb.png")
    assert time.perf_counter() - started < 1


def test_jpeg_of_200_megapixels_is_decoded_at_reduced_size() -> None:
    data = _saved(Image.new("L", (16_320, 12_240), 77), "JPEG")
    picture = decode(data, "S24.jpg")
    assert (picture.width, picture.height) == (16_320, 12_240)
    assert picture.rgb.shape == (1530, 2040, 3)
    assert _near(picture.rgb[700, 1000], (77, 77, 77), 3)


def test_jpeg_beyond_any_camera_is_refused() -> None:
    data = bytearray(_saved(Image.new("L", (64, 64)), "JPEG"))
    place = data.index(b"\xff\xc0") + 5
    data[place : place + 4] = struct.pack(">HH", 60_000, 60_000)
    _refused(bytes(data), "too-large")


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (7, 5)])
def test_odd_sizes(size: tuple[int, int]) -> None:
    picture = decode(_saved(Image.new("RGB", size, RED), "PNG"))
    assert (picture.width, picture.height) == size


def test_pillow_limit_is_left_as_it_was() -> None:
    before = Image.MAX_IMAGE_PIXELS
    decode(_saved(_half_red_half_blue(), "PNG"))
    assert before == Image.MAX_IMAGE_PIXELS
