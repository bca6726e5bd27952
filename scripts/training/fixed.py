"""A network once more for inputs of one shape, in which the runtime computes it faster.

The weights aren't written twice: the file names those in the first one (ONNX external data).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx
from onnx.external_data_helper import set_external_data

_LEAST = 1024
"""Bytes from which weights stay in the first file: smaller ones may be shapes, which readers want at hand."""


def write_fixed(path: Path, shape: Sequence[int], out: Path) -> None:
    """Write the network of the ONNX file `path` for an input of this shape.

    out: in the same folder, and of use only beside `path` as it is now. Raises ValueError where the shape
    has another number of dimensions than the input or contradicts it.
    """
    content = path.read_bytes()
    model = onnx.load_from_string(content)
    for dimension, length in zip(model.graph.input[0].type.tensor_type.shape.dim, shape, strict=True):
        if dimension.HasField("dim_value") and dimension.dim_value != length:
            raise ValueError(f"{path}: the input is of fixed length {dimension.dim_value}, not {length}.")
        dimension.dim_value = length
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) >= _LEAST:
            offset, length = content.index(tensor.raw_data), len(tensor.raw_data)
            set_external_data(tensor, path.name, offset, length)
            tensor.ClearField("raw_data")
    out.write_bytes(model.SerializeToString())
