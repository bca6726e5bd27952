"""ultralytics' own `.pt` weights as a model, where the `[train]` extras are installed.

A `.pt` file is a pickle: opening one runs whatever its author put in. Only commands on which a person
names the file themselves come here, the server never does.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

from ..models import DetectorSpec, Manifest, ModelError
from ..models.manifest import file_sha256


def manifest_of_weights(path: Path) -> Manifest:
    """Export YOLO weights to ONNX (kept until the process ends) and describe them.

    Raises ModelError where the file is missing, ultralytics isn't installed, or it can't read the file.
    """
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file.")
    os.environ.setdefault("YOLO_OFFLINE", "1")
    os.environ.setdefault("YOLO_VERBOSE", "False")  # it prints to standard output, where our JSON goes
    try:
        from ultralytics.models import YOLO
    except ImportError:
        raise ModelError(f'{path}: .pt weights need ultralytics: pip install "fanlens[train]".') from None
    try:
        network = YOLO(shutil.copy(path, _scratch()))
        size = int(network.overrides.get("imgsz", 640))
        exported = network.export(format="onnx", imgsz=size, dynamic=True, verbose=False)
        names = tuple(network.names[number] for number in sorted(network.names))
    except Exception as error:  # ultralytics raises whatever the pickle raises
        raise ModelError(f"{path}: ultralytics can't use these weights ({error}).") from None
    return Manifest(
        name=path.stem,
        version="",
        detector=DetectorSpec(Path(exported), file_sha256(path), size, names),
    )


@cache
def _scratch() -> str:
    """A folder that is gone when this process has ended."""
    folder = tempfile.mkdtemp(prefix="fanlens-")
    # Processes of a pool end without what `atexit` knows.
    Finalize(None, shutil.rmtree, [folder], {"ignore_errors": True}, exitpriority=0)
    return folder
