"""The same labels from a Ray cluster of several processes on this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.ray_engine import NoRayError, read_on_ray
from fanlens.datasets.labels.run import label_pictures
from fanlens.vision.picture import Picture

from .conftest import MODEL, fake_read, open_fake, save_picture, tree


class RemoteReader:
    """Opens the fake reader in a worker process, where this test package has no name."""

    def __call__(self) -> Callable[[bytes, Picture], Mapping[str, Any]]:
        return fake_read


class OnceKilled:
    """A reader whose process dies at one picture, the first time it is met."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __call__(self) -> Callable[[bytes, Picture], Mapping[str, Any]]:
        def read(data: bytes, picture: Picture) -> Mapping[str, Any]:
            if picture.width == 250 and not self.marker.exists():
                self.marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return fake_read(data, picture)

        return read


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "fanlens[cluster]"')
    cloudpickle = pytest.importorskip("ray.cloudpickle")
    from . import conftest, test_ray

    for module in (conftest, test_ray):
        cloudpickle.register_pickle_by_value(module)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def many(tmp_path: Path) -> Path:
    root = tmp_path / "photos"
    for seed in range(40):
        save_picture(root / f"{seed % 4}" / f"{seed}.png", seed)
    (root / "broken.jpg").write_bytes(b"nothing")
    save_picture(root / "deadly.png", 77, size=(250, 120))
    return root


def test_same_files_as_on_one_machine_also_when_a_worker_is_killed(
    cluster: None, many: Path, tmp_path: Path, settings: Callable
) -> None:
    chosen = settings("yolo", "coco", "cvat")
    label_pictures(gather([str(many)]), tmp_path / "local", MODEL, open_fake, chosen)
    wanted = tree(tmp_path / "local")

    label_pictures(gather([str(many)]), tmp_path / "ray", MODEL, RemoteReader(), chosen, engine=read_on_ray)
    assert tree(tmp_path / "ray") == wanted

    deadly = OnceKilled(tmp_path / "marker")
    label_pictures(gather([str(many)]), tmp_path / "killed", MODEL, deadly, chosen, engine=read_on_ray)
    assert deadly.marker.exists()
    assert tree(tmp_path / "killed") == wanted


def test_without_ray_one_plain_sentence(monkeypatch: pytest.MonkeyPatch, photos: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoRayError, match=r'needs Ray: pip install "fanlens\[cluster\]"'):
        list(read_on_ray(gather([str(photos)]).sources, open_fake, {}))
