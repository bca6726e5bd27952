"""What needs HTTPS (share sheet, offline shell), and the page without it."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fanlens.app.web import Settings, create_app

SHARING = """
    navigator.canShare = () => true;
    navigator.share = async ({files, text}) => {
        window.shared = [files[0].name, files[0].type, files[0].size > 1000, text];
        if (window.refuse) throw new DOMException('', window.refuse);
    };
"""


@pytest.fixture
def scored(open_page: Any, steps: Any) -> Any:
    """A page that could share, with the total of the photo."""
    page = open_page(init=SHARING, **steps.phone)
    steps.take(page)
    steps.correct(page)
    steps.total(page, 19)
    page.click("[data-tab-button=result]")
    return page


def test_the_share_sheet_gets_the_picture_and_the_total(scored: Any) -> None:
    scored.get_by_role("button", name="Share").click()
    scored.wait_for_function("() => window.shared")
    assert scored.evaluate("window.shared") == ["fanlens.png", "image/png", True, "FanLens: 19 fan"]


def test_a_share_that_fails_saves_the_picture(scored: Any) -> None:
    scored.evaluate("window.refuse = 'NotAllowedError'")
    with scored.expect_download() as saved:
        scored.get_by_role("button", name="Share").click()
    assert saved.value.suggested_filename == "fanlens.png"


def test_a_share_that_is_dismissed_saves_nothing(scored: Any) -> None:
    downloads: list[Any] = []
    scored.on("download", lambda download: downloads.append(download))
    scored.evaluate("window.refuse = 'AbortError'")
    scored.get_by_role("button", name="Share").click()
    scored.wait_for_function("() => window.shared")
    scored.wait_for_timeout(500)
    assert downloads == []


class TestPlainHttpInTheNetwork:
    @pytest.fixture
    def address(self, serve: Any, reader: Any) -> str:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                host = probe.getsockname()[0]
            except OSError:
                host = "127.0.0.1"
        if host.startswith("127."):
            pytest.skip("this machine has no address but loopback")
        address: str = serve(create_app(reader, Settings(token="secret")), host=host)
        return address

    def test_everything_but_sharing_and_the_shell_works(
        self, open_page: Any, steps: Any, address: str
    ) -> None:
        page = open_page(f"{address}/?token=secret", **steps.phone)
        assert page.evaluate("isSecureContext") is False
        assert "secret" not in page.url
        steps.take(page)
        steps.correct(page)
        steps.total(page, 19)
        page.click("[data-tab-button=result]")
        page.get_by_role("button", name="Save picture").wait_for()
        assert page.get_by_role("button", name="Share").count() == 0
        assert page.evaluate("navigator.serviceWorker === undefined")
        assert not page.locator("#toast.shown").is_visible()

    def test_without_the_token_the_page_says_how_to_open_it(
        self, open_page: Any, steps: Any, address: str
    ) -> None:
        page = open_page(address, **steps.phone)
        page.locator("#toast.shown").wait_for()
        assert "QR code" in page.locator("#toast").inner_text()


class TestHttps:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        """A certificate for this very machine that nobody but itself vouches for, and its key."""
        openssl = shutil.which("openssl")
        if openssl is None:
            pytest.skip("openssl is not installed")
        cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        command = [openssl, "req", "-x509", *kind, "-keyout", key, "-out", cert, *names]
        subprocess.run(command, check=True, capture_output=True)
        return cert, key

    @pytest.fixture
    def running(
        self, certificate: tuple[Path, Path], tmp_path: Path
    ) -> Iterator[tuple[str, subprocess.Popen[str]]]:
        """The address of `fanlens serve` over HTTPS, and its process."""
        cert, key = certificate
        start = "from fanlens.app.main import cli; cli()"
        options = ["--port", "0", "--matches", f"{tmp_path}/m.sqlite3", "--certfile", cert, "--keyfile", key]
        command = [sys.executable, "-c", start, "serve", *options]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r"FanLens is at (https://127.0.0.1:\d+/)", line)
        assert found, line
        yield found[1], server
        server.kill()
        server.wait(30)
        server.stderr.close()

    def test_the_shell_opens_without_the_server(
        self,
        chromium: Any,
        steps: Any,
        certificate: tuple[Path, Path],
        running: tuple[str, subprocess.Popen[str]],
        tmp_path: Path,
    ) -> None:
        address, server = running
        context = ssl.create_default_context(cafile=str(certificate[0]))
        # the address is printed a moment before the server listens
        patient = httpx.HTTPTransport(verify=context, retries=6)
        with httpx.Client(transport=patient, timeout=60) as client:
            assert client.get(f"{address}healthz").json() == {"status": "ok"}
        window = chromium(
            tmp_path / "profile",
            (f"--ignore-certificate-errors-spki-list={_key_digest(certificate[0])}",),
            locale="en-GB",
            **steps.phone,
        )
        try:
            page = window.pages[0]
            page.goto(address)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            # Writes name their origin, which has to be that of the address.
            (tmp_path / "no.jpg").write_text("no picture")
            page.set_input_files("#gallery", tmp_path / "no.jpg")
            page.locator("#toast.shown").wait_for()
            assert "isn't a" in page.locator("#toast").inner_text()
            server.kill()
            server.wait(30)
            page.reload()
            page.get_by_text("Photograph a finished hand").wait_for()
            page.locator("#toast.shown").wait_for()
            assert "could not reach the server" in page.locator("#toast").inner_text()
            page.set_input_files("#gallery", steps.photo_file)
            page.locator("#again").wait_for()
        finally:
            window.close()


def _key_digest(certificate: Path) -> str:
    """By which the browser is told to trust this one key."""
    shown = subprocess.run(
        ["openssl", "x509", "-in", certificate, "-pubkey", "-noout"], check=True, capture_output=True
    )
    body = b"".join(line for line in shown.stdout.splitlines() if not line.startswith(b"-"))
    return base64.b64encode(hashlib.sha256(base64.b64decode(body)).digest()).decode()
