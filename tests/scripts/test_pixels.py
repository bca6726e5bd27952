"""Networks that take bytes give what they gave for numbers from 0 to 1."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")
pytest.importorskip("ultralytics", reason="training needs the extra [train]")

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from training.pixels import FromPixels, evenly_rounded  # noqa: E402


def test_a_picture_of_bytes_gives_what_its_shares_of_255_do() -> None:
    torch.manual_seed(1)
    convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
    pixels = torch.randint(0, 256, (2, 6, 5, 3), dtype=torch.uint8)
    with torch.no_grad():
        expected = convolution(pixels.permute(0, 3, 1, 2) / 255)
        found = FromPixels(convolution, convolution)(pixels)
    torch.testing.assert_close(found, expected, rtol=0, atol=0.01)


def test_rounded_weights_are_bfloat16_and_answer_even_light_as_before() -> None:
    torch.manual_seed(2)
    weights = torch.randn(16, 3, 3, 3)
    rounded = evenly_rounded(weights)
    assert torch.equal(rounded, rounded.bfloat16().float())
    # A weight is off by its own rounding and what was passed on: less than 1/128 of the largest.
    assert float((rounded - weights).abs().max()) < float(weights.abs().max()) / 128
    lost = (rounded - weights).sum((2, 3)).abs().mean()
    nearest = (weights.bfloat16().float() - weights).sum((2, 3)).abs().mean()
    assert float(lost) < float(nearest) / 5
