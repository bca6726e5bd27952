"""Who may call the server, and what every answer carries."""

from __future__ import annotations

from typing import Any

import pytest
from fanlens.app.web import Settings, create_app
from fastapi.testclient import TestClient

SCORE = {"hand": "123456789m EEE 5p + 5p"}


@pytest.mark.parametrize(
    "path", ["/", "/main.js", "/api/about", "/api/matches", "/healthz", "/nothing", "/faces/1m.svg"]
)
def test_every_answer_carries_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8777", 200),
        ("127.0.0.1:8777", 200),
        ("192.168.1.7:8777", 200),
        ("[fe80::1]:8777", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("[broken", 403),
        ("", 403),
    ],
)
def test_a_rebound_name_is_refused(client: TestClient, host: str, status: int) -> None:
    assert client.post("/api/score", json=SCORE, headers={"host": host}).status_code == status
    assert client.get("/api/about", headers={"host": host}).status_code == status


def test_the_name_given_on_the_command_line_is_known(reader: Any) -> None:
    app = create_app(reader, Settings(host_names=frozenset({"Table.local"})))
    with TestClient(app, base_url="http://table.local:8777") as client:
        assert client.get("/api/about").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://localhost"}, 200),
        ({"origin": "http://localhost:9999"}, 403),
        ({"origin": "https://localhost"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_only_the_own_page_may_write(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/api/score", json=SCORE, headers=headers).status_code == status


class TestToken:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(token="s3cret-token")

    @pytest.mark.parametrize("path", ["/api/about", "/api/matches"])
    def test_the_api_asks_for_it(self, client: TestClient, path: str) -> None:
        answer = client.get(path)
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "no-token"
        assert client.get(path, headers={"authorization": "Bearer wrong"}).status_code == 403
        assert client.get(path, headers={"authorization": "Bearer s3cret-token"}).status_code == 200

    def test_photos_and_scores_ask_for_it(self, client: TestClient, photo: bytes) -> None:
        assert client.post("/api/read", files={"photo": photo}).status_code == 403
        assert client.post("/api/score", json=SCORE).status_code == 403

    def test_the_printed_address_gives_it_to_the_browser(self, client: TestClient) -> None:
        assert client.get("/").status_code == 200
        answer = client.get("/?token=s3cret-token", follow_redirects=False)
        assert answer.status_code == 303
        assert "token" not in answer.headers["location"]
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/api/about").status_code == 200

    def test_a_wrong_token_in_the_address_opens_nothing(self, client: TestClient) -> None:
        client.get("/?token=wrong")
        assert client.get("/api/about").status_code == 403

    @pytest.mark.parametrize("cookie", [b"fanlens=\xe9", b'fanlens="', b"fanlens=a; fanlens=b", b"=;;="])
    def test_a_broken_cookie_is_no_token(self, client: TestClient, cookie: bytes) -> None:
        assert client.get("/api/about", headers={b"cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/server.py",
        "/faces/..%2f..%2fserver.svg",
        "/server.py",
        "/docs",
        "/redoc",
    ],
)
def test_nothing_but_the_page_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_an_unknown_method_is_refused_in_json(client: TestClient) -> None:
    answer = client.delete("/api/about")
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "not-allowed"
