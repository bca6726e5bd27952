"""Running an ONNX file on the CPU: the one place that knows the inference runtime (OpenVINO)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

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


class Network:
    """A compiled network of pictures.

    Ours take them as they are, uint8 (n, rows, columns, 3); others', as ultralytics writes them, as float32
    (n, 3, rows, columns) in [0, 1].
    """

    def __init__(self, path: Path, fixed: Mapping[tuple[int, ...], Path] | None = None) -> None:
        """fixed: files with the same network for pictures of one shape (n, rows, columns, 3) alone; each, and
        `path` for all other shapes, is opened when it is first needed.

        Raises ModelError where the file is no network that the runtime can read.
        """
        from .runtime import openvino  # a fifth of a second: not for those who only import the package

        self._runtime, self._core = openvino, openvino.Core()
        # The binding sets itself up at the first look into a tensor, and two threads that do so at
        # once wait for each other for ever: look once, before there are threads.
        openvino.Tensor(np.zeros(1, np.float32)).data.sum()
        self._path, self._fixed = path, dict(fixed or {})
        self._opened: dict[Path, _Compiled] = {}
        self._opening = Lock()
        if not self._fixed:
            self._open(path)

    def __call__(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """The outputs in the order of the file. Safe to call from several threads at once.

        pictures: RGB, shape (n, rows, columns, 3). Raises ModelError as opening does.
        """
        path = self._fixed.get(pictures.shape, self._path)
        compiled = self._opened.get(path) or self._open(path)
        if compiled.takes_bytes:
            given: NDArray[np.uint8] | NDArray[np.float32] = np.ascontiguousarray(pictures)
        else:
            planes = pictures.transpose(0, 3, 1, 2)
            given = np.multiply(planes, np.float32(1 / 255), dtype=np.float32, order="C")
        # Tensors given and taken by hand: sorting out what it was given takes the binding longer. What it was
        # given has a name here: the tensor that shares its memory doesn't keep it.
        request = compiled.network.create_infer_request()
        request.set_input_tensor(self._runtime.Tensor(given, shared_memory=True))
        request.infer()
        return [request.get_output_tensor(port).data.copy() for port in range(compiled.outputs)]

    def _open(self, path: Path) -> _Compiled:
        with self._opening:
            if path not in self._opened:
                cache = _cache_folder()
                config = _CONFIG if cache is None else {**_CONFIG, "CACHE_DIR": str(cache)}
                try:
                    # By path: what was compiled before isn't even read.
                    network = self._core.compile_model(path, "CPU", config)
                except RuntimeError:
                    raise ModelError(f"{path}: the inference runtime can't read this model.") from None
                takes_bytes = network.inputs[0].element_type == self._runtime.Type.u8
                self._opened[path] = _Compiled(network, takes_bytes, len(network.outputs))
            return self._opened[path]


class _Compiled(NamedTuple):
    network: Any
    takes_bytes: bool
    outputs: int


def _cache_folder() -> Path | None:
    """Where the runtime keeps compiled networks: the second start is about a second faster."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fanlens"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None
