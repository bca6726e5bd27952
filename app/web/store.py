"""Matches kept in one SQLite file.

Every change appends the whole sheet as a new revision (a sheet is a few kilobytes), so undo is
dropping the newest one, and a phone that changes an outdated sheet is told instead of winning.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from .match import Match, from_csv, to_csv

_KEPT_REVISIONS: Final = 100
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS revision (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    match TEXT NOT NULL,
    saved TEXT NOT NULL,
    players TEXT NOT NULL,
    sheet TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS revision_of_match ON revision (match, number);
"""


class UnknownMatchError(LookupError):
    """There is no match of that name."""


class OutdatedError(RuntimeError):
    """Somebody else changed the match in the meantime."""


@dataclass(frozen=True)
class Saved:
    """A match as stored. `saved` is the UTC time of the last change in ISO 8601.

    revision: grows with every change and is never used twice, also after an undo.
    """

    id: str
    revision: int
    saved: str
    match: Match


class MatchStore:
    """All matches of one server; safe to use from several threads. `:memory:` keeps nothing."""

    def __init__(self, path: Path | str) -> None:
        if str(path) != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._lock = threading.Lock()
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        self._connection.close()

    def create(self, match: Match) -> Saved:
        with self._transaction() as connection:
            return self._append(connection, secrets.token_hex(8), match)

    def get(self, match_id: str) -> Saved:
        """The newest revision; raises UnknownMatchError."""
        with self._transaction() as connection:
            return self._newest(connection, match_id)

    def recent(self, limit: int = 50) -> list[Saved]:
        """The matches changed last, newest first."""
        with self._transaction() as connection:
            ids = connection.execute(
                "SELECT match, max(number) AS newest FROM revision GROUP BY match "
                "ORDER BY newest DESC LIMIT ?",
                (limit,),
            ).fetchall()
            return [self._newest(connection, row[0]) for row in ids]

    def change(self, match_id: str, revision: int, match: Match) -> Saved:
        """Append a revision after `revision`; raises UnknownMatchError, OutdatedError."""
        with self._transaction() as connection:
            newest = self._newest(connection, match_id)
            if newest.revision != revision:
                raise OutdatedError
            connection.execute(
                "DELETE FROM revision WHERE match = ? AND number NOT IN "
                "(SELECT number FROM revision WHERE match = ? ORDER BY number DESC LIMIT ?)",
                (match_id, match_id, _KEPT_REVISIONS),
            )
            return self._append(connection, match_id, match)

    def undo(self, match_id: str, revision: int) -> Saved:
        """Drop the newest revision unless it is the only one; raises as `change` does."""
        with self._transaction() as connection:
            newest = self._newest(connection, match_id)
            if newest.revision != revision:
                raise OutdatedError
            older = connection.execute(
                "SELECT count(*) FROM revision WHERE match = ? AND number < ?", (match_id, revision)
            ).fetchone()[0]
            if older:
                connection.execute(
                    "DELETE FROM revision WHERE match = ? AND number = ?", (match_id, revision)
                )
            return self._newest(connection, match_id)

    def _append(self, connection: sqlite3.Connection, match_id: str, match: Match) -> Saved:
        saved = datetime.now(UTC).isoformat(timespec="milliseconds")
        number = connection.execute(
            "INSERT INTO revision (match, saved, players, sheet) VALUES (?, ?, ?, ?) RETURNING number",
            (match_id, saved, "\n".join(match.players), to_csv(match)),
        ).fetchone()[0]
        return Saved(match_id, number, saved, match)

    def _newest(self, connection: sqlite3.Connection, match_id: str) -> Saved:
        row = connection.execute(
            "SELECT number, saved, players, sheet FROM revision WHERE match = ? ORDER BY number DESC LIMIT 1",
            (match_id,),
        ).fetchone()
        if row is None:
            raise UnknownMatchError(match_id)
        first, second, third, fourth = row[2].split("\n")
        return Saved(match_id, row[0], row[1], from_csv(row[3], (first, second, third, fourth)))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
