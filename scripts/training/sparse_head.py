"""The locator for reading pictures: boxes are worked out only at the few places where something was seen.

The head of a YOLO11 draws a box at each of 8,400 places, a sixth of all its computing, and nearly all
are thrown away for their scores. Here the scores come first, and only the places that have any go on.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .pixels import FromPixels

LEAST = 0.01
"""Score that the likeliest class of a place has at least where anything is: below every threshold of a
manifest."""

_AROUND = torch.tensor([(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)])


class SparseLocator(nn.Module):
    """A trained YOLO11 of one picture: from (1, 3, rows, columns) to (1, 4 + classes, n).

    As what ultralytics exports (centre, size, scores), but with the n places alone that have scores, and
    with the first place of each level in any case: n is never 0.
    """

    def __init__(self, model: Any, least: float = LEAST) -> None:
        """model: an ultralytics DetectionModel with the head of YOLO11; it is fused. least: see `LEAST`."""
        super().__init__()
        self._least = math.log(least / (1 - least))
        model = model.float().eval().fuse()
        *layers, head = model.model
        self._layers = nn.ModuleList(layers)
        self._kept = model.save
        self._from = head.f
        self._scores = head.cv3
        strides = [int(stride) for stride in head.stride.tolist()]
        self._boxes = nn.ModuleList(
            _Boxes(branch, stride) for branch, stride in zip(head.cv2, strides, strict=True)
        )

    @property
    def first(self) -> nn.Conv2d:
        """The convolution that the picture enters."""
        convolution = self._layers[0].conv
        assert isinstance(convolution, nn.Conv2d)
        return convolution

    def forward(self, picture: Tensor) -> Tensor:
        """See the class."""
        seen: list[Tensor | None] = []
        last = picture
        for layer in self._layers:
            if layer.f != -1:
                places = [layer.f] if isinstance(layer.f, int) else layer.f
                inputs = [last if place == -1 else seen[place] for place in places]
                last = layer(inputs[0] if isinstance(layer.f, int) else inputs)
            else:
                last = layer(last)
            seen.append(last if layer.i in self._kept else None)
        found = []
        for place, branch, boxes in zip(self._from, self._scores, self._boxes, strict=True):
            level = seen[place]
            assert level is not None
            logits = branch(level)[0].flatten(1)
            # Sizes by those of the picture: asked for its shape, the level's last convolution would be kept
            # apart from its bias.
            rows, columns = (side // boxes.stride for side in picture.shape[2:])
            wanted = (logits.amax(0) >= self._least).float().reshape(1, 1, rows, columns)
            wanted[:, :, 0, 0] = 1.0
            places = wanted.flatten().nonzero()[:, 0]
            # The sigmoid comes last: as the convolution's own last step it would be rounded to bfloat16, in
            # which all scores from 0.99 on are one.
            scores = logits[:, places].sigmoid()
            found.append(torch.cat([boxes(level, wanted, places, rows, columns), scores]))
        return torch.cat(found, 1)[None]


class _Boxes(nn.Module):
    """One level's branch of boxes, convolutions as products of matrices over the places wanted."""

    def __init__(self, branch: Any, stride: int) -> None:
        super().__init__()
        first, second, third = branch[0].conv, branch[1].conv, branch[2]
        self.stride = stride
        self._channels = first.in_channels
        self._first, self._second = _as_matrix(first), _as_matrix(second)
        self._third = nn.Linear(third.in_channels, third.out_channels)
        self._third.weight.data, self._third.bias.data = third.weight.data[:, :, 0, 0], third.bias.data
        self._bins = third.out_channels // 4

    def forward(self, level: Tensor, wanted: Tensor, places: Tensor, rows: int, columns: int) -> Tensor:
        """(4, n) centre and size in pixels.

        level: (1, channels, rows, columns). wanted: (1, 1, rows, columns), 1 where a box is; places: (n,)
        the same as indices.
        """
        # The second convolution looks at the first one's values right around, those beyond the edge being 0.
        near = functional.max_pool2d(wanted, 3, 1, 1).flatten().nonzero()[:, 0]
        row, column = _around(near, columns)
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        values = torch.cat([level[0].flatten(1).T, torch.zeros(1, self._channels)])
        seen = values[torch.where(inside, row * columns + column, rows * columns)]
        first = functional.silu(self._first(seen.flatten(1)))
        wide = columns + 2
        at = (near // columns + 1) * wide + near % columns + 1
        count = near.shape[0]
        numbers = torch.zeros((rows + 2) * wide, dtype=torch.int64).scatter(0, at, torch.arange(count) + 1)
        row, column = _around(places, columns)
        seen = torch.cat([torch.zeros(1, first.shape[1]), first])[numbers[(row + 1) * wide + column + 1]]
        second = functional.silu(self._second(seen.flatten(1)))
        shares = self._third(second).unflatten(1, (4, self._bins)).softmax(2)
        sides = (shares * torch.arange(self._bins, dtype=torch.float32)).sum(2)
        middle = torch.stack([places % columns, places // columns], 1) + 0.5
        start, end = middle - sides[:, :2], middle + sides[:, 2:]
        return torch.cat([(start + end) / 2, end - start], 1).T * self.stride


def _around(places: Tensor, columns: int) -> tuple[Tensor, Tensor]:
    """(n, 9) rows and columns of the nine places around each of n."""
    down, right = _AROUND.T
    return (places // columns)[:, None] + down, (places % columns)[:, None] + right


def _as_matrix(convolution: nn.Conv2d) -> nn.Linear:
    """From the values of 3 x 3 places, place by place, to those of the one in their midst."""
    assert convolution.bias is not None
    matrix = nn.Linear(9 * convolution.in_channels, convolution.out_channels)
    matrix.weight.data = convolution.weight.data.permute(0, 2, 3, 1).flatten(1)
    matrix.bias.data = convolution.bias.data
    return matrix


def write_onnx(model: Any, path: Path, size: int) -> None:
    """Write a trained model as ONNX that takes pictures of any size in multiples of 32."""
    locator = SparseLocator(model)
    torch.onnx.export(
        FromPixels(locator, locator.first),
        (torch.zeros(1, size, size, 3, dtype=torch.uint8),),
        str(path),
        input_names=["images"],
        output_names=["output0"],
        dynamic_axes={"images": {1: "height", 2: "width"}, "output0": {2: "places"}},
        opset_version=17,
        dynamo=False,
    )
