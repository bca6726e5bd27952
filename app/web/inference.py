"""One worker reads the photos of everybody, in turn.

A reading takes all cores as it is, so a second worker would only make both slower; a bounded queue
and an honest "come back in n seconds" keep memory flat however many phones there are.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class BusyError(RuntimeError):
    """The queue is full or the time ran out; `retry_after` is in whole seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class InferenceQueue:
    """Does one job at a time, with at most `waiting` behind it, each within `timeout` seconds."""

    def __init__(self, *, waiting: int, timeout: float) -> None:
        self._most = waiting + 1
        self._timeout = timeout
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")
        self._lock = threading.Lock()
        self._pending = 0
        self._seconds = 1.0

    async def run(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """What `work` returns or raises; raises BusyError."""
        with self._lock:
            if self._pending >= self._most:
                raise BusyError("Too many photos are waiting; please try again.", self._wait())
            self._pending += 1

        def timed() -> Result:
            started = time.monotonic()
            try:
                return work(*args, **kwargs)
            finally:
                self._seconds = 0.8 * self._seconds + 0.2 * (time.monotonic() - started)

        job = self._pool.submit(timed)
        job.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), self._timeout)
        except TimeoutError:
            # A reading that runs can't be stopped; one that still waits is taken out.
            job.cancel()
            raise BusyError("Reading the photo took too long; please try again.", self._wait()) from None

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _done(self, _job: Future[Result]) -> None:
        with self._lock:
            self._pending -= 1

    def _wait(self) -> int:
        return max(1, math.ceil(self._pending * self._seconds))
