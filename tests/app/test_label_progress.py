"""What a terminal shows while pictures are read."""

from __future__ import annotations

import io

import pytest
from fanlens.app.label_progress import progress
from fanlens.datasets.labels.results import Entry, PictureResult

ENTRIES = [
    Entry.of(PictureResult("1.jpg", (), sha256="1" * 64)),
    Entry.of(PictureResult("2.jpg", None, failure="2.jpg: the file is empty.", failure_code="empty-file")),
]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_many_are_done_and_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    assert list(progress(quiet=False)(iter(ENTRIES), 2)) == ENTRIES
    assert "2/2" in terminal.getvalue()
    assert "1 failed" in terminal.getvalue()


@pytest.mark.parametrize(("quiet", "file"), [(True, _Terminal()), (False, io.StringIO())])
def test_nothing_is_shown_otherwise(monkeypatch: pytest.MonkeyPatch, quiet: bool, file: io.StringIO) -> None:
    monkeypatch.setattr("sys.stderr", file)
    assert list(progress(quiet)(iter(ENTRIES), 2)) == ENTRIES
    assert file.getvalue() == ""
