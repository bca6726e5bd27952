"""Networks that ship take pictures as they are decoded: bytes, the channels of a pixel side by side.

Reading them as such takes a quarter of the memory that numbers from 0 to 1 would, and no copy in between.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FromPixels(nn.Module):
    """A trained network of (n, 3, rows, columns) in [0, 1], for uint8 RGB (n, rows, columns, 3)."""

    def __init__(self, network: nn.Module, first: nn.Conv2d) -> None:
        """first: the convolution that the picture enters; its weights are changed."""
        super().__init__()
        self._network = network
        # Bytes are exact in bfloat16; shares of 255 would be rounded on their way in.
        first.weight.data = first.weight.data / 255

    def forward(self, pixels: Tensor) -> tuple[Tensor, ...] | Tensor:
        """See the class."""
        found: tuple[Tensor, ...] | Tensor = self._network(pixels.permute(0, 3, 1, 2).to(torch.float32))
        return found
