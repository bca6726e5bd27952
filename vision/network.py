"""Running an ONNX file on the CPU: the one place that knows the inference runtime (OpenVINO)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import ModelError

_CONFIG: dict[str, Any] = {
    # No precision hint: CPUs with bfloat16 compute in it, in little more than half the time; on 200 scenes
    # and 105 photos that lost or renamed no more tiles than it found and named better.
    "PERFORMANCE_HINT": "LATENCY",
    # Pinned, the threads of processes that read side by side would all sit on the first cores.
    "ENABLE_CPU_PINNING": False,
    # Every input size leaves prepared layers behind, by default until there are 5,000: a gigabyte over
    # an hour of footage. The price: a pass of another size than the last takes a fifth longer, not a tenth.
    "CPU_RUNTIME_CACHE_CAPACITY": "64",
}


def use_threads(count: int) -> None:
    """Let the networks that this process opens from now on compute with `count` threads each, 0 for all
    cores: where several processes read pictures side by side, more would stand in each other's way."""
    _CONFIG["INFERENCE_NUM_THREADS"] = count


_ANY = 0
"""Key of a network compiled for any number of pictures."""


class Network:
    """A compiled network of pictures.

    Ours take them as they are, uint8 (n, rows, columns, 3); others', as ultralytics writes them, as float32
    (n, 3, rows, columns) in [0, 1].
    """

    def __init__(self, path: Path, numbers: Sequence[int] = ()) -> None:
        """numbers: how many pictures it may be given at a time, any where none is said; compiled for the
        number, a call takes less.

        Raises ModelError where the file is no network that the runtime can read.
        """
        from .runtime import openvino  # a fifth of a second: not for those who only import the package

        self._tensor = openvino.Tensor
        # The binding sets itself up at the first look into a tensor, and two threads that do so at
        # once wait for each other for ever: look once, before there are threads.
        openvino.Tensor(np.zeros(1, np.float32)).data.sum()
        cache = _cache_folder()
        config = _CONFIG if cache is None else {**_CONFIG, "CACHE_DIR": str(cache)}
        core = openvino.Core()
        try:
            # By the number of pictures; a file that is compiled for any isn't even read where it was before.
            self._compiled = (
                dict(_compiled_for(numbers, core, path, config))
                if numbers
                else {_ANY: core.compile_model(path, "CPU", config)}
            )
        except RuntimeError:
            raise ModelError(f"{path}: the inference runtime can't read this model.") from None
        one = next(iter(self._compiled.values()))
        self._takes_bytes = one.inputs[0].element_type == openvino.Type.u8
        self._outputs = len(one.outputs)

    def __call__(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """The outputs in the order of the file. Safe to call from several threads at once.

        pictures: RGB, shape (n, rows, columns, 3); n one of the numbers it was opened for.
        """
        if self._takes_bytes:
            given: NDArray[np.uint8] | NDArray[np.float32] = np.ascontiguousarray(pictures)
        else:
            planes = pictures.transpose(0, 3, 1, 2)
            given = np.multiply(planes, np.float32(1 / 255), dtype=np.float32, order="C")
        compiled = self._compiled.get(_ANY) or self._compiled[len(given)]
        # Tensors given and taken by hand: sorting out what it was given takes the binding longer. What it was
        # given has a name here: the tensor that shares its memory doesn't keep it.
        request = compiled.create_infer_request()
        request.set_input_tensor(self._tensor(given, shared_memory=True))
        request.infer()
        return [request.get_output_tensor(port).data.copy() for port in range(self._outputs)]


def _compiled_for(
    numbers: Sequence[int], core: Any, path: Path, config: Mapping[str, Any]
) -> Iterator[tuple[int, Any]]:
    """The file's network for each number of pictures."""
    network = core.read_model(path)
    shape = network.inputs[0].partial_shape
    for number in numbers:
        shape[0] = number
        network.reshape(shape)
        yield number, core.compile_model(network, "CPU", config)


def _cache_folder() -> Path | None:
    """Where the runtime keeps compiled networks: the second start is about a second faster."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fanlens"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None
