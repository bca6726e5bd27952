"""A drawn photo of a hand, a reader that reads it with mistakes, and a server that uses both."""

from __future__ import annotations

import io
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import uvicorn
from fanlens.app.web import Settings, create_app
from fanlens.vision.picture import decode
from fastapi import FastAPI
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
        others = [("5p", 0.41), ("6p", 0.03), ("3p", 0.002)] if doubtful else []
        tiles.append(
            {
                "id": number,
                "tile": seen,
                "confidence": 0.52 if doubtful else 0.998,
                "box": [x, y, x + TILE_WIDTH, y + TILE_HEIGHT],
                "role": role,
                "role_confidence": 0.97,
                "meld": 0 if role == "meld" else None,
                "alternatives": [{"tile": tile, "probability": share} for tile, share in others],
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


@contextmanager
def serving(app: FastAPI, host: str = "127.0.0.1") -> Iterator[str]:
    """The address of a real server that runs in another thread."""
    listener = socket.socket()
    listener.bind((host, 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.05)
    yield f"http://{host}:{listener.getsockname()[1]}"
    running.should_exit = True
    thread.join(20)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on loopback that keeps corrections."""
    folder: Path = tmp_path_factory.mktemp("server")
    app = create_app(read, Settings(keep=folder / "kept", matches=folder / "matches.sqlite3"))
    with serving(app) as address:
        yield address


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Starts further servers, `serve(app, host=...)`, that stop with the test."""
    with ExitStack() as stack:
        yield lambda app, **options: stack.enter_context(serving(app, **options))


CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 20_000  # ms; a busy machine is slow, a wrong page stays wrong


@pytest.fixture(scope="module")
def chromium() -> Iterator[Callable[..., Any]]:
    """Playwright's `launch` and `launch_persistent_context` for Debian's browser."""
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Debian's chromium is not installed")
    with driver.sync_playwright() as running:

        def start(profile: Path | None = None, flags: tuple[str, ...] = (), **options: Any) -> Any:
            options |= {"executable_path": CHROMIUM, "args": [*FLAGS, *flags]}
            if profile is None:
                return running.chromium.launch(**options)
            return running.chromium.launch_persistent_context(profile, **options)

        yield start


@pytest.fixture(scope="module")
def browser(chromium: Callable[..., Any]) -> Iterator[Any]:
    browser = chromium()
    yield browser
    browser.close()


@pytest.fixture
def open_page(browser: Any, server: str) -> Iterator[Any]:
    """Opens the page in a fresh context; at the end nothing may have gone wrong in its scripts."""
    contexts = []
    errors: list[str] = []

    def open_page(address: str = server, init: str = "", **options: Any) -> Any:
        # A request that passes by the offline shell could not be answered by a test.
        context = browser.new_context(**{"locale": "en-GB", "service_workers": "block", **options})
        context.set_default_timeout(PATIENCE)
        context.add_init_script(init)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security" in line.text else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


class Steps:
    """What a player does and sees, told once for all browser tests."""

    phone: Final[dict[str, Any]] = {
        "viewport": {"width": 360, "height": 740},
        "has_touch": True,
        "is_mobile": True,
    }
    desktop: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}

    def __init__(self, photo_file: Path) -> None:
        self.photo_file = photo_file

    def take(self, page: Any) -> None:
        """Choose the photo and wait for its tiles."""
        page.set_input_files("#gallery", self.photo_file)
        page.wait_for_selector("[data-tile]")

    def correct(self, page: Any) -> None:
        """All that is wrong with the reading of the photo, put right: 19 with an unknown wind."""
        for tile, choice in (
            ("10", "[data-pick='5p']"),
            ("13", "[data-key='to-meld:0']"),
            ("8", "[data-key='to-winning']"),
        ):
            page.click(f"[data-tile='{tile}']")
            page.locator(f"#picker {choice}").first.click()

    def tray(self, page: Any, zone: str) -> list[str]:
        """The tiles that lie in a part of the tray."""
        codes: list[str] = page.locator(f"[data-drop='{zone}'] [data-code]").evaluate_all(
            "all => all.map(t => t.dataset.code)"
        )
        return codes

    def total(self, page: Any, expected: int) -> None:
        """Wait for a total."""
        page.wait_for_function(
            "n => document.querySelector('#total')?.textContent === String(n)", arg=expected
        )

    def middle_of(self, page: Any, selector: str) -> tuple[float, float]:
        """The middle of an element in the window; waits out the moment in which it is drawn anew."""
        for _ in range(100):
            page.locator(selector).first.wait_for()
            box = page.locator(selector).first.bounding_box()
            if box is not None:
                return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.wait_for_timeout(50)
        raise AssertionError(f"{selector} never stays in place")


@pytest.fixture(scope="session")
def steps(photo: bytes, tmp_path_factory: pytest.TempPathFactory) -> Steps:
    path: Path = tmp_path_factory.mktemp("photo") / "IMG 001.jpg"
    path.write_bytes(photo)
    return Steps(path)
