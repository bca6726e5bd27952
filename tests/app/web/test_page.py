"""What the page is made of: everything it needs comes from the server, in both languages."""

from __future__ import annotations

import io
import re
import zipfile
from importlib import resources
from pathlib import Path

import pytest
from fanlens.vision.boxes import TILE_CLASSES
from fastapi.testclient import TestClient

STATIC = Path(str(resources.files("fanlens.app.web").joinpath("static")))
SCRIPTS = "".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js")))
SCRIPTS_WITHOUT_WORDS = "".join(
    path.read_text(encoding="utf-8")
    for path in sorted(STATIC.iterdir())
    if path.suffix in (".js", ".html") and path.name != "words.js"
)
WORDS = {
    key: (english, chinese)
    for key, english, chinese in re.findall(
        r'^\s*"?([\w-]+)"?: \["(.*?)", "(.*?)"\],?',
        re.sub(r"\], (?=\w+: \[)", "],\n", (STATIC / "words.js").read_text(encoding="utf-8")),
        re.M,
    )
}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/main.js", "text/javascript"),
        ("/style.css", "text/css"),
        ("/icon.svg", "image/svg+xml"),
        ("/icon-192.png", "image/png"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/sw.js", "text/javascript"),
    ],
)
def test_the_page_comes_from_the_package(client: TestClient, path: str, kind: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].split(";")[0] in (
        kind,
        kind.replace("text/javascript", "application/javascript"),
    )


def test_nothing_is_loaded_from_elsewhere() -> None:
    for path in STATIC.iterdir():
        if path.suffix in (".js", ".css", ".html", ".svg", ".webmanifest"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            assert not re.search(r"https?://", text), path.name
            # The content security policy allows neither inline scripts nor inline styles.
            assert not re.search(r"<script>|\sstyle=|\son\w+=\"", text), path.name


@pytest.mark.parametrize("tile", TILE_CLASSES)
def test_every_tile_has_a_face(client: TestClient, tile: str) -> None:
    answer = client.get(f"/faces/{tile}.svg")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.lstrip().startswith("<svg") or "<svg" in answer.text[:400]


def test_a_face_of_no_tile(client: TestClient) -> None:
    assert client.get("/faces/10m.svg").status_code == 404


def test_every_sentence_is_there_in_both_languages() -> None:
    assert len(WORDS) > 150
    for key, (english, chinese) in WORDS.items():
        assert english or key.startswith(("problem-", "error-")), key
        assert chinese, key
        assert set(re.findall(r"{(\w+)}", english)) <= set(re.findall(r"{(\w+)}", chinese)) or not english, (
            key
        )


def test_no_sentence_is_missing() -> None:
    used = set(re.findall(r'\bt\("([\w-]+)"', SCRIPTS)) | set(re.findall(r'\["(count\w+)"', SCRIPTS))
    used |= set(
        re.findall(r'data-t(?:-label)?="([\w-]+)"', (STATIC / "index.html").read_text(encoding="utf-8"))
    )
    assert len(used) > 80
    assert used <= set(WORDS)


def codes_in(package: str, *patterns: str) -> set[str]:
    """What the source of a package or module gives as codes."""
    at = resources.files(package.rpartition(".")[0]).joinpath(package.rpartition(".")[2])
    files = list(Path(str(at)).glob("*.py")) or [Path(f"{at}.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return {code for pattern in patterns for code in re.findall(pattern, text)}


def test_every_refusal_and_problem_is_told_in_chinese() -> None:
    refusals = codes_in(
        "fanlens.app.web",
        r'error_body\("([\w-]+)"',
        r'return "([\w-]+)", "',
        r'(?:message|\."), "([\w-]+)"\)',
        r'code: str = "([\w-]+)"',
    )
    refusals |= codes_in("fanlens.vision.picture", r'PictureError\(\s*"([\w-]+)"') | {"truncated", "damaged"}
    # Not met by the page: they are of files by name, or of requests that it does not make.
    refusals -= {"not-a-file", "unreadable", "malformed", "wrong-origin", "refused"}
    assert {"busy", "full", "no-token", "own-discard", "bad-sheet", "not-a-picture"} <= refusals
    assert {f"error-{code}" for code in refusals} <= set(WORDS)

    problems = codes_in("fanlens.scoring.problems", r'Problem\("([\w-]+)"', r'ContextError\("([\w-]+)"')
    assert {"fifth-copy", "contradiction"} <= problems
    assert {f"problem-{code}" for code in problems | {"no-winning-shape"}} <= set(WORDS)

    clashes = codes_in("fanlens.scoring.problems", r', "(\w+", "\w+)"\)')
    assert len(clashes) == 7
    names = {clash.replace('", "', "-") for clash in clashes}
    # More flowers than there are is not an option of the page.
    assert {f"clash-{name}" for name in names - {"flowers-named"}} <= set(WORDS)


def test_no_word_is_left_over() -> None:
    made = ("error-", "problem-", "clash-", "flag-", "rules-", "wind")
    unused = {
        key
        for key in WORDS
        if not key.startswith(made) and not re.search(rf"\b{key}\b", SCRIPTS_WITHOUT_WORDS)
    }
    assert unused <= {"winning_tile", "chow", "pung", "melded-kong", "concealed-kong"}


def test_the_offline_shell_holds_every_file_of_the_page() -> None:
    listed = set(
        re.findall(
            r'"([\w./-]+)"', (STATIC / "sw.js").read_text(encoding="utf-8").split("SHELL = ")[1].split("]")[0]
        )
    )
    assert listed == {"./", *(path.name for path in STATIC.iterdir())} - {"sw.js", "index.html"}


def test_the_source_is_given_to_whoever_asks(client: TestClient) -> None:
    address = client.get("/api/about").json()["source"]
    answer = client.get(f"/{address}")
    assert answer.headers["content-type"] == "application/zip"
    names = set(zipfile.ZipFile(io.BytesIO(answer.content)).namelist())
    assert {
        "fanlens/app/web/server.py",
        "fanlens/app/web/static/main.js",
        "fanlens/scoring/score.py",
    } <= names
    assert not any(name.endswith((".pt", ".onnx", ".pyc", ".sqlite3")) for name in names)


def test_the_api_describes_itself(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    assert {"/api/read", "/api/score", "/healthz", "/api/matches"} <= set(description["paths"])
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary") or operation.get("description"), (path, method)
            if path.startswith("/api/"):
                assert "403" in operation["responses"], (path, method)
    assert client.get("/healthz").json() == {"status": "ok"}
