"""Photos over HTTP: what is read, what is refused, and what happens when many come at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fanlens.app.web import Settings, create_app
from fastapi.testclient import TestClient


def send(client: TestClient, content: bytes, name: str = "hand.jpg") -> Any:
    return client.post("/api/read", files={"photo": (name, content, "image/jpeg")})


def test_a_photo_gives_the_json_of_one_photo(client: TestClient, photo: bytes) -> None:
    answer = send(client, photo)
    assert answer.status_code == 200
    body = answer.json()
    assert body["image"] == {"path": None, "width": 1200, "height": 700}
    assert len(body["tiles"]) == 15
    assert body["tiles"][10]["seen"] == "4p"


def test_the_file_name_of_the_client_is_never_used(client: TestClient, photo: bytes) -> None:
    answer = send(client, photo, "../../etc/passwd")
    assert answer.status_code == 200
    assert "passwd" not in answer.text


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"this is no picture at all", 415, "not-a-picture"),
        (b"%PDF-1.7 ...", 415, "not-a-picture"),
        (b"", 422, "empty-file"),
    ],
)
def test_other_files_are_refused_by_their_content(
    client: TestClient, content: bytes, status: int, code: str
) -> None:
    answer = send(client, content)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"].endswith(".")


def test_half_a_photo_is_refused(client: TestClient, photo: bytes) -> None:
    answer = send(client, photo[: len(photo) // 2])
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "truncated"


@pytest.mark.parametrize(
    ("kwargs", "status"),
    [
        ({"files": {"picture": b"x"}}, 422),
        ({"data": {"photo": "text"}}, 422),
        ({"content": b"--x\r\n", "headers": {"content-type": "multipart/form-data"}}, 400),
        ({"content": b"{}", "headers": {"content-type": "application/json"}}, 422),
    ],
)
def test_a_request_without_a_photo_is_one_sentence(
    client: TestClient, kwargs: dict[str, Any], status: int
) -> None:
    answer = client.post("/api/read", **kwargs)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message"}


class TestTooLarge:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(photo_limit=1 << 20, body_limit=1 << 20)

    def test_by_what_it_declares(self, client: TestClient) -> None:
        answer = send(client, b"\xff\xd8" + bytes(3 << 20))
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too-large"

    def test_by_what_arrives(self, client: TestClient) -> None:
        sent = 0

        def endless() -> Iterator[bytes]:
            nonlocal sent
            yield b'--b\r\nContent-Disposition: form-data; name="photo"; filename="p"\r\n\r\n'
            for _ in range(64):
                sent += 1
                yield bytes(1 << 18)

        answer = client.post(
            "/api/read", content=endless(), headers={"content-type": "multipart/form-data; boundary=b"}
        )
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too-large"

    def test_just_the_photo(self, client: TestClient) -> None:
        answer = send(client, b"\xff\xd8" + bytes((1 << 20) + 1000))
        assert answer.status_code == 413

    def test_other_routes_take_less(self, client: TestClient) -> None:
        answer = client.post("/api/score", content=b'"' + b"x" * (1 << 20) + b'"')
        assert answer.status_code == 413


def test_an_error_of_the_reader_shows_nothing_of_the_inside(photo: bytes) -> None:
    def broken(_photo: bytes) -> dict[str, Any]:
        raise RuntimeError("secret path /home/somebody")

    with TestClient(create_app(broken), base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = send(client, photo)
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_full_queue_asks_to_come_back(photo: bytes, reader: Any) -> None:
    go = threading.Event()
    begun = threading.Event()

    def slow(content: bytes) -> dict[str, Any]:
        begun.set()
        go.wait(20)
        return dict(reader(content))

    app = create_app(slow, Settings(queue=1))
    with (
        TestClient(app, base_url="http://localhost") as client,
        ThreadPoolExecutor(4) as phones,
    ):
        first = phones.submit(send, client, photo)
        assert begun.wait(20)
        others = [phones.submit(send, client, photo) for _ in range(3)]
        # One of the three waits, two are sent away at once.
        refused: list[Any] = []
        deadline = time.monotonic() + 20
        while len(refused) < 2 and time.monotonic() < deadline:
            refused = [job.result() for job in others if job.done()]
            time.sleep(0.01)
        go.set()
        answers = [job.result() for job in [first, *others]]
    assert sorted(answer.status_code for answer in answers) == [200, 200, 503, 503]
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert refused[0].json()["error"]["code"] == "busy"


def test_a_reading_that_takes_too_long_is_given_up(photo: bytes, reader: Any) -> None:
    go = threading.Event()

    def stuck(content: bytes) -> dict[str, Any]:
        go.wait(20)
        return dict(reader(content))

    with TestClient(create_app(stuck, Settings(timeout=0.1)), base_url="http://localhost") as client:
        answer = send(client, photo)
        go.set()
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
