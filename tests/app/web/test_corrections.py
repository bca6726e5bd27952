"""Keeping corrected photos."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from fanlens.app.web import Settings
from fanlens.vision.corrections import load_corrections
from fastapi.testclient import TestClient
from PIL import Image

TILES = [
    {"box": [880, 120, 956, 222], "tile": "5p", "role": "winning", "seen": "4p"},
    {"box": [40, 400, 116, 502], "tile": "E", "role": "meld", "meld": 0, "kind": "pung", "seen": "E"},
    {"box": [900, 400, 976, 502], "tile": None, "seen": "1s"},
]


def photo_with_place(photo: bytes) -> bytes:
    """The photo lying on its side, with the place where it was taken."""
    picture = Image.open(io.BytesIO(photo)).transpose(Image.Transpose.ROTATE_90)
    exif = picture.getexif()
    exif[0x0112] = 6  # to be turned by 90 degrees clockwise
    exif[0x010F] = "SECRETPHONE"
    exif.get_ifd(0x8825)[1] = "N"
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=95, exif=exif)
    return out.getvalue()


def send(client: TestClient, photo: bytes, corrections: Any) -> Any:
    text = corrections if isinstance(corrections, str) else json.dumps(corrections)
    return client.post("/api/corrections", files={"photo": photo}, data={"corrections": text})


def test_nothing_is_kept_unless_asked(client: TestClient, photo: bytes) -> None:
    assert client.get("/api/about").json()["keeps"] is False
    answer = send(client, photo, {"tiles": TILES})
    assert answer.status_code == 422
    assert "--keep" in answer.json()["error"]["message"]


class TestKeeping:
    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        return Settings(keep=tmp_path / "kept")

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "kept"

    def test_photo_and_corrections_lie_side_by_side(
        self, client: TestClient, photo: bytes, folder: Path
    ) -> None:
        assert client.get("/api/about").json()["keeps"] is True
        name = send(client, photo_with_place(photo), {"tiles": TILES}).json()["name"]
        content = (folder / f"{name}.jpg").read_bytes()
        kept = Image.open(io.BytesIO(content))
        assert kept.size == (1200, 700)  # upright, as the boxes are
        assert not kept.getexif()
        assert b"SECRETPHONE" not in content
        entry = json.loads((folder / f"{name}.json").read_text())
        assert entry["image"] == f"{name}.jpg"
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
        assert entry["tiles"][0] == {
            "box": [880, 120, 956, 222],
            "tile": "5p",
            "role": "winning",
            "seen": "4p",
        }
        assert entry["tiles"][2]["tile"] is None

    def test_every_command_can_read_them(self, client: TestClient, photo: bytes, folder: Path) -> None:
        name = send(client, photo, {"tiles": TILES}).json()["name"]
        (corrections,) = load_corrections(folder / f"{name}.json")
        assert corrections.image == f"{name}.jpg"
        assert [tile.tile for tile in corrections.tiles] == ["5p", "E", ""]
        assert corrections.tiles[1].kind == "pung"

    def test_correcting_again_replaces(self, client: TestClient, photo: bytes, folder: Path) -> None:
        send(client, photo, {"tiles": TILES})
        name = send(client, photo, {"tiles": TILES[:1]}).json()["name"]
        assert len(list(folder.iterdir())) == 2
        assert len(json.loads((folder / f"{name}.json").read_text())["tiles"]) == 1

    @pytest.mark.parametrize(
        "corrections",
        [
            "{",
            "[" * 100_000,
            [],
            {"tiles": [{"id": 3, "tile": "5p"}]},
            {"tiles": [{"box": [1, 2, 3], "tile": "5p"}]},
            {"tiles": [{"box": [0, 0, 9, 9], "tile": "12q"}]},
        ],
    )
    def test_what_is_no_correction_keeps_nothing(
        self, client: TestClient, photo: bytes, folder: Path, corrections: Any
    ) -> None:
        assert send(client, photo, corrections).status_code == 422
        assert not list(folder.iterdir())

    def test_what_is_no_photo_keeps_nothing(self, client: TestClient, folder: Path) -> None:
        assert send(client, b"text", {"tiles": []}).status_code == 415
        assert not list(folder.iterdir())


class TestSpace:
    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        (tmp_path / "old.jpg").write_bytes(bytes(100_000))
        return Settings(keep=tmp_path, keep_limit=101_000)

    def test_the_cap_counts_what_lies_there(self, client: TestClient, photo: bytes, tmp_path: Path) -> None:
        answer = send(client, photo, {"tiles": TILES})
        assert answer.status_code == 507
        assert answer.json()["error"]["code"] == "full"
        assert [path.name for path in tmp_path.iterdir()] == ["old.jpg"]
