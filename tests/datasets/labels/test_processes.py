"""Many pictures are read in processes: the same results, and none of them outlives the run."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fanlens.datasets.labels.engine import MANY, ModelReader, WorkerDiedError, read_locally
from fanlens.datasets.labels.inputs import gather

from .conftest import save_picture

PROGRAM = """
import sys
from fanlens.datasets.labels.engine import ModelReader, read_locally
from fanlens.datasets.labels.inputs import gather

if __name__ == "__main__":
    for number, _ in enumerate(read_locally(gather([sys.argv[1]]).sources, ModelReader(), {}, 2)):
        if number == 0:
            print("reading", flush=True)
"""


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for seed in range(MANY):
        save_picture(tmp_path / f"{seed:03}.png", seed)
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    return tmp_path


def test_same_results_as_in_one_thread(photos: Path) -> None:
    sources = gather([str(photos)]).sources
    alone = [entry.line for entry in read_locally(sources, ModelReader(), {}, 1)]
    assert len(alone) == MANY + 1
    assert [entry.line for entry in read_locally(sources, ModelReader(), {}, 2)] == alone


def test_a_process_that_dies_ends_the_run_with_a_sentence(photos: Path) -> None:
    dying = functools.partial(os._exit, 3)
    with pytest.raises(WorkerDiedError, match="has died"):
        list(read_locally(gather([str(photos)]).sources, dying, {}, 2))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes by their parents in /proc")
def test_killing_the_run_ends_its_processes(photos: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", PROGRAM, str(photos)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "reading\n"
    readers = _descendants(run.pid)
    assert len(readers) >= 2
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=30)
    deadline = time.monotonic() + 30
    while any(_parent(reader) is not None for reader in readers):
        assert time.monotonic() < deadline, "the processes outlive the run"
        time.sleep(0.05)


def test_nothing_is_left_in_the_folder_for_temporary_files(photos: Path) -> None:
    scratch = photos / "scratch"
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch)}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(photos)], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    assert list(scratch.iterdir()) == []


def _descendants(pid: int) -> list[int]:
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    children = [number for number in numbers if _parent(number) == pid]
    return [*children, *(later for child in children for later in _descendants(child))]


def _parent(pid: int) -> int | None:
    """The parent's number; None for a process that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[1])
