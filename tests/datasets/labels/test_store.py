"""Resuming: what the journal and the results file keep."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fanlens.datasets.labels.export import ExistsError
from fanlens.datasets.labels.files import BusyError, locked
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.results import Entry, PictureResult, Results, ResultsError
from fanlens.datasets.labels.run import AlreadyLabelledError, Summary, export_results, label_pictures
from fanlens.datasets.labels.store import Store
from fanlens.vision.picture import Picture

from .conftest import MODEL, fake_read, open_fake, save_picture, tree


class Counting:
    """A reader that counts, and stops the run at a picture if told to."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.count = 0
        self.stop_at = stop_at

    def __call__(self) -> Callable[[bytes, Picture], Mapping[str, Any]]:
        def read(data: bytes, picture: Picture) -> Mapping[str, Any]:
            self.count += 1
            if self.count == self.stop_at:
                raise KeyboardInterrupt
            return fake_read(data, picture)

        return read


@pytest.fixture
def label(photos: Path, tmp_path: Path, settings: Callable) -> Callable[..., Summary]:
    def run(reader: Any = open_fake, out: str = "out", model: Any = MODEL, **more: Any) -> Summary:
        known = {name: more.pop(name) for name in ("previous", "corrections") if name in more}
        chosen = settings(*more.pop("formats", ("yolo",)), **more)
        return label_pictures(
            gather([str(photos)]), tmp_path / out, model, reader, chosen, workers=1, **known
        )

    return run


def test_an_interrupted_run_goes_on_and_reads_nothing_twice(label: Callable, tmp_path: Path) -> None:
    first = Counting(stop_at=4)
    with pytest.raises(KeyboardInterrupt):
        label(first)
    assert (tmp_path / "out" / "journal.jsonl").exists()
    second = Counting()
    summary = label(second)
    assert second.count == 4
    assert (summary.read, summary.kept, summary.pictures) == (4, 3, 7)
    label(out="once")
    assert tree(tmp_path / "out") == tree(tmp_path / "once")


def test_a_torn_last_line_is_read_again(label: Callable, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        label(Counting(stop_at=6))
    journal = tmp_path / "out" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-30])
    again = Counting()
    label(again)
    assert again.count == 3
    label(out="once")
    assert tree(tmp_path / "out") == tree(tmp_path / "once")


def test_skip_reads_only_new_changed_and_failed_pictures(label: Callable, photos: Path) -> None:
    (photos / "bad.jpg").write_bytes(b"nothing")
    assert label().failures == [
        ("bad.jpg", "bad.jpg: by its content this isn't a JPEG, PNG, WebP, HEIC, BMP, TIFF or GIF file.")
    ]
    save_picture(photos / "new.png", 20)
    save_picture(photos / "a" / "1.png", 21, size=(300, 200))
    save_picture(photos / "bad.jpg", 22)
    again = Counting()
    summary = label(again)
    assert again.count == 3
    assert (summary.kept, summary.pictures, summary.failures) == (6, 9, [])


def test_overwrite_reads_everything_again(label: Callable) -> None:
    label()
    again = Counting()
    label(again, on_exists="overwrite")
    assert again.count == 7


def test_error_stops_before_anything_is_done(label: Callable, tmp_path: Path) -> None:
    label()
    before = tree(tmp_path / "out")
    with pytest.raises(AlreadyLabelledError, match=r"^7 pictures have results .* a/1\.jpg first"):
        label(on_exists="error")
    assert tree(tmp_path / "out") == before


def test_previous_results_are_taken_over_by_content(label: Callable, photos: Path, tmp_path: Path) -> None:
    label(out="old")
    (photos / "a" / "1.png").rename(photos / "moved.png")
    save_picture(photos / "new.png", 30)
    newer = {"name": "newer", "sha256": "1" * 64}
    counting = Counting()
    summary = label(counting, model=newer, previous=Results.load(tmp_path / "old" / "results.json"))
    assert counting.count == 1
    assert (summary.read, summary.taken) == (1, 7)
    results = Results.load(tmp_path / "out" / "results.json")
    assert results.model["name"] == "newer"
    models = {picture.path: picture.model and picture.model["name"] for picture in results}
    assert models["new.png"] is None
    assert models["moved.png"] == "fake"


def test_failures_are_null_and_empty_pictures_an_empty_list(
    label: Callable, photos: Path, tmp_path: Path
) -> None:
    (photos / "cut.jpg").write_bytes((photos / "a" / "1.jpg").read_bytes()[:-200])
    label()
    content = json.loads((tmp_path / "out" / "results.json").read_text())
    assert (content["format"], content["version"], content["root"]) == ("fanlens results", 1, "../photos")
    assert content["model"] == {"name": "fake", "sha256": "0" * 64}
    assert content["settings"] == {"input": 640}
    entries = {entry["path"]: entry for entry in content["pictures"]}
    assert entries["empty.png"]["tiles"] == []
    assert "failure" not in entries["empty.png"]
    assert entries["cut.jpg"]["tiles"] is None
    assert entries["cut.jpg"]["failure"] == "cut.jpg: the JPEG is truncated, its last part is missing."
    assert entries["cut.jpg"]["failure_code"] == "truncated"


def test_another_format_and_threshold_without_the_pictures(
    label: Callable, photos: Path, tmp_path: Path, settings: Callable
) -> None:
    label()
    results = tmp_path / "out" / "results.json"
    before = results.read_bytes()
    photos.rename(tmp_path / "gone")
    export_results(results, tmp_path / "out", settings("coco", threshold=0.8))
    assert results.read_bytes() == before
    coco = json.loads((tmp_path / "out" / "annotations.json").read_text())
    assert len(coco["images"]) == 7
    assert len(coco["annotations"]) == 6 * 4
    assert (tmp_path / "out" / "labels" / "b" / "1.txt").exists()


def test_results_elsewhere_are_not_lost_to_an_export(
    label: Callable, tmp_path: Path, photos: Path, settings: Callable
) -> None:
    label(out="old")
    save_picture(photos / "new.png", 40)
    label(out="new")
    with pytest.raises(ExistsError, match="holds other results"):
        export_results(tmp_path / "old" / "results.json", tmp_path / "new", settings("coco"))


def test_somebodys_label_file_is_left_alone(label: Callable, tmp_path: Path) -> None:
    mine = tmp_path / "out" / "labels" / "b" / "1.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("0 0.5 0.5 0.1 0.1\n")
    with pytest.raises(ExistsError, match=r"1 files are there already"):
        label(on_exists="error")
    assert label().exported.kept == ["labels/b/1.txt"]
    assert mine.read_text() == "0 0.5 0.5 0.1 0.1\n"
    label(on_exists="overwrite")
    assert mine.read_text().count("\n") == 11


def test_copies_of_pictures_follow_them(label: Callable, photos: Path, tmp_path: Path) -> None:
    picture, copy = photos / "b" / "2.jpg", tmp_path / "out" / "images" / "b" / "2.jpg.jpg"
    # seven copies, seven label files, data.yaml
    assert label(pictures="copy").exported.written == 15
    assert not copy.is_symlink()
    assert copy.read_bytes() == picture.read_bytes()
    again = label(pictures="copy").exported
    assert (again.written, again.unchanged) == (0, 15)
    save_picture(picture, 60)
    assert label(pictures="copy").exported.written == 2
    assert copy.read_bytes() == picture.read_bytes()


def test_copies_outlive_their_pictures(
    label: Callable, photos: Path, tmp_path: Path, settings: Callable
) -> None:
    label(pictures="copy")
    before = tree(tmp_path / "out")
    photos.rename(tmp_path / "gone")
    results = tmp_path / "out" / "results.json"
    for _ in range(2):
        exported = export_results(results, tmp_path / "out", settings(pictures="copy")).exported
        assert (exported.written, exported.unchanged, exported.removed, exported.kept) == (0, 15, 0, [])
    assert {name for name in before if name.startswith("images")} <= set(tree(tmp_path / "out"))
    elsewhere = export_results(results, tmp_path / "new", settings(pictures="copy")).exported
    # label files and data.yaml
    assert elsewhere.written == 8
    assert not (tmp_path / "new" / "images").exists()
    mine = tmp_path / "new" / "images" / "b" / "2.jpg.jpg"
    save_picture(mine, 70)
    before = tree(tmp_path / "new")
    for choice in ("skip", "overwrite", "error"):
        export_results(results, tmp_path / "new", settings(pictures="copy", on_exists=choice))
    assert tree(tmp_path / "new") == before


def test_a_label_file_follows_its_picture(label: Callable, photos: Path, tmp_path: Path) -> None:
    """A second picture of the same stem moves the first one's labels; nothing stale stays."""
    label()
    assert (tmp_path / "out" / "labels" / "b" / "deep" / "1.txt").exists()
    save_picture(photos / "b" / "deep" / "1.png", 50)
    label()
    assert sorted(path.name for path in (tmp_path / "out" / "labels" / "b" / "deep").iterdir()) == [
        "1.jpg.txt",
        "1.png.txt",
    ]


def test_a_link_left_by_a_kill_never_leads_into_a_picture(
    label: Callable, photos: Path, tmp_path: Path
) -> None:
    picture = photos / "a" / "1.jpg"
    before = picture.read_bytes()
    for folder in ("out", "out/labels/a", "out/labels/b", "out/images/a"):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / ".fanlens-partial").symlink_to(picture)
    label()
    assert picture.read_bytes() == before
    assert not list((tmp_path / "out").rglob(".fanlens-partial"))


def test_two_runs_never_write_into_one_folder(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from fanlens.datasets.labels.files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    lock = tmp_path / "lock"
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with pytest.raises(BusyError, match="another fanlens label"), locked(lock):
        pass
    other.kill()
    other.wait()
    with locked(lock):
        pass


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is no JSON"),
        ("[]", "is no results file of fanlens label"),
        ('{"format": "fanlens results", "version": 7}', "has version 7; this fanlens reads version 1"),
        (
            '{"format": "fanlens results", "version": 1, "root": ".", "model": {}, "pictures": [{}]}',
            "damaged",
        ),
    ],
)
def test_what_is_no_results_file_is_said_plainly(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(ResultsError, match=message):
        Results.load(tmp_path / "results.json")


def test_a_store_keeps_every_picture_it_was_given(tmp_path: Path) -> None:
    def pictures() -> Iterator[PictureResult]:
        for number in range(50):
            yield PictureResult(f"{number % 7}/{number}.jpg", (), sha256=f"{number:064x}", width=1, height=1)

    store = Store(tmp_path, MODEL, tmp_path, "rest")
    for picture in pictures():
        store.add(Entry.of(picture))
    store.close()
    again = Store(tmp_path, MODEL, tmp_path, "rest")
    assert len(again.fresh) == 50
    assert sorted(again.finish(), key=lambda picture: picture.path) == sorted(
        pictures(), key=lambda picture: picture.path
    )
