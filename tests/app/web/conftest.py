"""A drawn photo of a hand, a reader that reads it with mistakes, and a server that uses both."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fanlens.app.web import Settings, create_app
from fanlens.vision.picture import decode
from fastapi.testclient import TestClient
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 1200, 700
TILE_WIDTH, TILE_HEIGHT = 76, 102

# What lies there (name), what the reader takes it for, and its role. It mistakes the 5p for a 4p,
# takes the third east wind for a concealed tile, and cannot know that the 9m won. A 1s was missed.
PLACES = (
    [
        (tile, tile, "concealed", 40 + 80 * n, 120)
        for n, tile in enumerate(["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m"])
    ]
    + [("5p", "5p", "concealed", 800, 120), ("5p", "4p", "concealed", 880, 120)]
    + [("E", "E", "meld", 40, 400), ("E", "E", "meld", 120, 400), ("E", "E", "concealed", 200, 400)]
    + [("plum", "plum", "flower", 700, 400)]
)
MISSED = ("1s", 900, 400)


@pytest.fixture(scope="session")
def photo() -> bytes:
    """A JPEG of the hand: a name on a white card for every tile."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), (20, 90, 66))
    pen = ImageDraw.Draw(picture)
    for tile, x, y in [(tile, x, y) for tile, _, _, x, y in PLACES] + [MISSED]:
        pen.rounded_rectangle([x, y, x + TILE_WIDTH, y + TILE_HEIGHT], 8, fill="white", outline="black")
        pen.text((x + 12, y + 30), tile, fill="black", font_size=22)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


def read(photo: bytes) -> dict[str, Any]:
    """The JSON of one photo, as `vision.Reader` gives it."""
    picture = decode(photo)
    tiles = []
    for number, (_, seen, role, x, y) in enumerate(PLACES):
        doubtful = seen == "4p"
        likely = [("4p", 0.52), ("5p", 0.41), ("6p", 0.03)] if doubtful else [(seen, 0.998)]
        tiles.append(
            {
                "id": number,
                "tile": seen,
                "confidence": likely[0][1],
                "box": [x, y, x + TILE_WIDTH, y + TILE_HEIGHT],
                "role": role,
                "role_confidence": 0.97,
                "meld": 0 if role == "meld" else None,
                "alternatives": [{"tile": tile, "probability": share} for tile, share in likely],
                "role_alternatives": [],
                "seen": seen,
                "flag": "low-confidence" if doubtful else None,
                "hand": 0,
            }
        )
    hand = {
        "concealed": [tile["tile"] for tile in tiles if tile["role"] == "concealed"],
        "winning_tile": None,
        "flowers": ["plum"],
        "melds": [],
    }
    return {
        "image": {"path": None, "width": picture.width, "height": picture.height},
        "model": {"name": "drawn", "sha256": "0" * 64},
        "tiles": tiles,
        "hand": hand,
        "hands": [hand],
        "context": {},
        "score": None,
        "problems": [
            {"code": "no-winning-shape", "message": "these tiles make no winning shape", "tiles": []}
        ],
        "confidence": 0.0,
        "timing_ms": {"total": 1.0},
    }


@pytest.fixture
def reader() -> Any:
    return read


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def client(reader: Any, settings: Settings) -> Iterator[TestClient]:
    """A client of a private server, as a browser on this computer would be."""
    with TestClient(
        create_app(reader, settings), base_url="http://localhost", raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server on loopback that keeps corrections."""
    folder: Path = tmp_path_factory.mktemp("server")
    app = create_app(read, Settings(keep=folder / "kept", matches=folder / "matches.sqlite3"))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    running.should_exit = True
    thread.join(20)
