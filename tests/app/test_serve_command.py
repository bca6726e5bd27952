"""`fanlens serve` as a command: what it refuses and what it prints."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

import click
import httpx
import pytest
from click.testing import CliRunner
from fanlens.app.serve_command import serve


def test_every_option_is_explained() -> None:
    for parameter in serve.params:
        assert isinstance(parameter, click.Option)
        assert parameter.help, parameter.name


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--lan", "--host", "127.0.0.1"], "--lan"),
        (["--certfile", __file__], "--keyfile"),
        (["--port", "70000"], "70000"),
        (["--keyfile", "no such file"], "no such file"),
    ],
)
def test_wrong_usage(arguments: list[str], word: str) -> None:
    result = CliRunner().invoke(serve, arguments)
    assert result.exit_code == 2
    assert word in result.stderr


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(serve, ["--port", str(port)])
    assert result.exit_code == 1
    assert f"port {port} is already in use" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_on_all_addresses_it_prints_a_qr_code_and_asks_for_its_token(tmp_path: object) -> None:
    start = "from fanlens.app.main import cli; cli()"
    command = [
        sys.executable,
        "-c",
        start,
        "serve",
        "--lan",
        "--port",
        "0",
        "--matches",
        f"{tmp_path}/m.sqlite3",
    ]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        assert server.stderr is not None
        printed = ""
        while (line := server.stderr.readline()) and "FanLens is at" not in line:
            printed += line
        found = re.search(r"FanLens is at http://[^:]+:(\d+)/\?token=(\S+)", line)
        assert found, printed + line
        assert printed.count("█") > 50 or printed.count("▀") > 50
        address, token = f"http://127.0.0.1:{found[1]}", found[2]
        with httpx.Client(base_url=address, timeout=60, transport=httpx.HTTPTransport(retries=20)) as client:
            assert client.get("/healthz").status_code == 200
            assert client.get("/api/about").status_code == 403
            assert client.get("/api/about", headers={"authorization": f"Bearer {token}"}).status_code == 200
            assert client.get(f"/?token={token}", follow_redirects=True).status_code == 200
            assert client.get("/api/about").status_code == 200
    finally:
        server.terminate()
        server.wait(30)
        if server.stderr is not None:
            server.stderr.close()
