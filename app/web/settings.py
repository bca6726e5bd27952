"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Settings:
    """token: asked of every API call where given. host_names: names that a browser may know this
    server by, beside `localhost` and bare addresses. matches: the SQLite file of the match sheets,
    None to keep them in memory. keep: the folder for corrected photos, None to keep none.
    Sizes are bytes, times seconds; `queue` photos wait while one is read.
    """

    token: str | None = None
    host_names: frozenset[str] = frozenset()
    matches: Path | None = None
    keep: Path | None = None
    keep_limit: int = 1024 * MEBIBYTE
    photo_limit: int = 40 * MEBIBYTE
    body_limit: int = 1 * MEBIBYTE
    queue: int = 16
    timeout: float = 30.0
