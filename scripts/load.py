#!/usr/bin/env python3
"""Many phones at once: send one photo over and over from many clients to `fanlens serve` on loopback.

`load.py PHOTO [--clients 32] [--seconds 60]` starts a server of its own, and prints photos read a
second, the 95th percentile of the answer time, answers by status, and the server's memory before
and after. A 503 is by design (the queue is full) and is tried again after a moment.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

PATIENCE = 120.0
"""Seconds a client waits for one answer, and for the server to start."""


def main() -> None:
    """Parse the command line, start the server, load it, print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("photo", type=Path)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    photo = options.photo.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        start = "from fanlens.app.main import cli; cli()"
        options_of_server = ["serve", "--port", "0", "--matches", f"{folder}/matches.sqlite3"]
        command = [sys.executable, "-c", start, *options_of_server]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            address = _address(server)
            asyncio.run(_load(address, photo, 1, 1.0))  # warm up
            before = _memory(server.pid)
            statuses, seconds, elapsed = asyncio.run(_load(address, photo, options.clients, options.seconds))
            after = _memory(server.pid)
        finally:
            server.terminate()
            server.wait(30)
    read = sorted(seconds)
    print(f"{options.clients} clients for {elapsed:.1f} s: {len(read)} photos read")
    print(f"throughput: {len(read) / elapsed:.1f} a second")
    if read:
        print(
            f"answer time: median {read[len(read) // 2]:.2f} s, p95 {read[int(0.95 * (len(read) - 1))]:.2f} s"
        )
    print("answers: " + ", ".join(f"{status} x {count}" for status, count in sorted(statuses.items())))
    print(f"server memory: {before} MB before, {after} MB after")
    if set(statuses) - {"200", "503"}:
        sys.exit("Some answers were neither 200 nor 503.")


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stderr is not None
    for line in server.stderr:
        if found := re.search(r"FanLens is at (http\S+)", line):
            return found.group(1)
    sys.exit("The server did not start.")


async def _load(
    address: str, photo: bytes, clients: int, seconds: float
) -> tuple[Counter[str], list[float], float]:
    """Answers by status, seconds each successful answer took, and the seconds all took."""
    statuses: Counter[str] = Counter()
    took: list[float] = []
    started = time.monotonic()

    async def phone(client: httpx.AsyncClient) -> None:
        while time.monotonic() - started < seconds:
            asked = time.monotonic()
            try:
                answer = await client.post("/api/read", files={"photo": ("photo", photo)})
            except httpx.HTTPError as error:
                statuses[type(error).__name__] += 1
                continue
            refused_badly = answer.status_code == 503 and "retry-after" not in answer.headers
            statuses["503 without Retry-After" if refused_badly else str(answer.status_code)] += 1
            if answer.status_code == 200:
                took.append(time.monotonic() - asked)
            else:
                await asyncio.sleep(0.5)

    limits = httpx.Limits(max_connections=clients)
    transport = httpx.AsyncHTTPTransport(retries=20, limits=limits)
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE, transport=transport) as client:
        await asyncio.gather(*(phone(client) for _ in range(clients)))
    return statuses, took, time.monotonic() - started


def _memory(process: int) -> int:
    """Resident megabytes of a process (Linux)."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found.group(1)) // 1024 if found else 0


if __name__ == "__main__":
    main()
