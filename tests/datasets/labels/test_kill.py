"""A run that is killed, wherever it is, ends with the same files as one run."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import save_picture, tree

KILLS = 20

PROGRAM = """
import os, sys, time
sys.path.insert(0, {tests!r})
from conftest import MODEL, fake_read
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.run import ExportSettings, label_pictures

def read(data, picture):
    time.sleep(0.003)
    return fake_read(data, picture)

def run(photos, out):
    chosen = ExportSettings(("yolo", "coco", "labelme"), shares={{"train": 0.8, "val": 0.2}})
    label_pictures(gather([photos]), out, MODEL, lambda: read, chosen, workers=2)

if __name__ == "__main__":
    from pathlib import Path
    for line in sys.stdin:  # forked for each try, so that none pays for the imports again
        photos, out = line.split()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            run(photos, Path(out))
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_twenty_kills_leave_no_trace(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    for seed in range(1, 41):
        save_picture(
            photos / f"day {seed % 3}".replace(" ", "") / f"{seed // 2}.{'jpg' if seed % 2 else 'png'}", seed
        )
    (photos / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    program = PROGRAM.format(tests=str(Path(__file__).parent))
    runner = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert runner.stdin is not None
    assert runner.stdout is not None

    def run(out: Path, seconds: float | None) -> bool:
        """Run to the end, or kill after some seconds; whether it was killed."""
        assert runner.stdin is not None
        assert runner.stdout is not None
        print(photos, out, file=runner.stdin, flush=True)
        child = int(runner.stdout.readline())
        if seconds is not None:
            time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        ended = runner.stdout.readline().strip()
        assert ended in ("killed", "0")
        return ended == "killed"

    try:
        started = time.monotonic()
        run(tmp_path / "once", None)
        whole = time.monotonic() - started
        wanted = tree(tmp_path / "once")
        assert len(wanted) > 3 * 40
        draw = random.Random(1)
        out, kills, partly = tmp_path / "killed", 0, 0
        # Short lives early on, so that reading isn't over after the first few kills.
        for _ in range(8 * KILLS):
            if kills == KILLS:
                break
            if run(out, draw.uniform(0.0, 0.35) * whole):
                kills += 1
                partly += not (out / "review.html").exists()
            else:  # it got to the end: begin again in another folder
                assert tree(out) == wanted
                out = tmp_path / f"killed{kills}"
        assert kills == KILLS
        assert partly > 0
        run(out, None)
        assert tree(out) == wanted
    finally:
        runner.stdin.close()
        runner.wait(timeout=30)
