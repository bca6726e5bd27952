"""The same reading on a Ray cluster (extra `[cluster]`): Ray spreads, retries and restarts.

Pictures go out in small batches as tasks; each worker process opens the reader once. A worker that
dies costs the time of its batch: Ray runs the task again elsewhere. The pictures must lie at the
same paths on every machine (a shared folder). An address in `RAY_ADDRESS` is used; without one Ray
starts on this machine.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from ...vision.network import use_threads
from .engine import OpenReader, Read, read_one
from .inputs import Source
from .results import Entry

BATCH = 8
"""Pictures a task: a fraction of a second's work, little to lose."""
IN_FLIGHT = 2
"""Tasks a core that are handed to Ray at once; the rest waits here, so memory stays flat."""


class NoRayError(RuntimeError):
    """Ray isn't installed or its cluster can't be reached; one plain sentence."""


def read_on_ray(
    sources: Sequence[Source],
    open_reader: OpenReader,
    known: Mapping[str, bytes],
    workers: int | None = None,
) -> Iterator[Entry]:
    """Read pictures on Ray, in the order in which batches get ready.

    known: as for `read_locally`. workers: tasks at a time, by default as many as the cluster has cores.
    Raises NoRayError.
    """
    if not sources:
        return
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise NoRayError('--engine ray needs Ray: pip install "fanlens[cluster]".') from None
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False, include_dashboard=False)
        except (ConnectionError, RuntimeError) as error:
            raise NoRayError(f"the Ray cluster can't be reached ({error}).") from None
    try:
        task = ray.remote(_read_batch).options(max_retries=-1, num_cpus=1)
        payload = ray.put(ray.cloudpickle.dumps(open_reader))
        shared = ray.put(dict(known))
        limit = (workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)) * IN_FLIGHT
        batches = [list(sources[start : start + BATCH]) for start in range(0, len(sources), BATCH)]
        waiting: list[Any] = []
        for batch in batches:
            if len(waiting) >= limit:
                ready, waiting = ray.wait(waiting)
                yield from ray.get(ready[0])
            waiting.append(task.remote(batch, payload, shared))
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield from ray.get(ready[0])
    finally:
        if ours:
            ray.shutdown()


def _read_batch(batch: Sequence[Source], payload: bytes, shared: Mapping[str, bytes]) -> list[Entry]:
    """Runs in a worker process."""
    read = _opened(payload)
    return [read_one(source, read, shared) for source in batch]


@functools.cache
def _opened(payload: bytes) -> Read:
    open_reader: OpenReader = pickle.loads(payload)
    use_threads(1)  # Ray gives each task one core
    return open_reader()
