"""The review queue, and a person's word in the results."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fanlens.datasets.labels.corrections import apply_corrections, merge_corrections
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.results import PictureResult, Results, Tile
from fanlens.datasets.labels.review import harmless, review_queue, script_json
from fanlens.datasets.labels.run import export_results, label_pictures
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.corrections import parse_corrections

from .conftest import MODEL, open_fake


@pytest.fixture
def labelled(photos: Path, tmp_path: Path, settings: Callable) -> Path:
    label_pictures(gather([str(photos)]), tmp_path / "out", MODEL, open_fake, settings("yolo"))
    return tmp_path / "out"


def picture_of(out: Path, path: str = "b/1.jpg") -> PictureResult:
    picture = Results.load(out / "results.json").get(path)
    assert picture is not None
    return picture


def said(*tiles: dict[str, Any], **more: Any) -> Any:
    return parse_corrections({"tiles": list(tiles), **more})


def test_the_queue_is_riskiest_first(labelled: Path) -> None:
    queue = review_queue(Results.load(labelled / "results.json"))
    assert [item.risk for item in queue] == sorted((item.risk for item in queue), reverse=True)
    of_one = [item for item in queue if item.picture.path == "b/1.jpg"]
    # `?` first, then the tile the rules changed (0.69 right, halved), the rest below 0.9 by confidence.
    assert [(item.tile.tile, item.risk) for item in of_one] == [
        ("?", 1.0),
        ("C", 0.655),
        ("plum", 0.46),
        ("back", 0.41),
        ("5p", 0.26),
        ("5p", 0.21),
        ("5p", 0.16),
        ("3m", 0.11),
    ]
    assert of_one[0].reason == "it can't be told"
    assert of_one[1].reason == "the name is uncertain; the rules made it another tile than was seen"


def test_tiles_that_problems_name_are_in_the_queue() -> None:
    tile, right = Tile(0, "1m", 0.9, (0, 0, 9, 9)), Tile(1, "2m", 0.99, (9, 0, 18, 9))
    problem = {"code": "fifth-copy", "message": "There are five 1m.", "tiles": [0]}
    unwon = {"code": "no-winning-shape", "message": "It is no win.", "tiles": [1]}
    results = Results(Path("/"), MODEL)
    results.put(PictureResult("x.jpg", (tile, right), width=9, height=9, problems=(problem, unwon)))
    (item,) = review_queue(results)
    assert (item.tile, item.risk, item.reason) == (tile, 0.37, "There are five 1m")


def test_the_csv_lists_the_whole_queue(labelled: Path) -> None:
    with (labelled / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 8
    assert rows[0]["tile"] == "?"
    assert rows[0]["alternatives"] == "7s:0.050 9s:0.020"
    assert [int(row["rank"]) for row in rows] == list(range(1, 49))


def test_the_page_stands_alone(labelled: Path) -> None:
    page = (labelled / "review.html").read_text(encoding="utf-8")
    assert not re.findall(
        r"(?:src|href)=[\"']?(?!#|data:)[^\"'>\s]+", re.sub(r"(?s)<script.*?</script>", "", page)
    )
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))  # type: ignore[union-attr]
    assert len(data["items"]) == 48
    assert all(item["crop"]["jpeg"].startswith("/9j/") for item in data["items"])
    assert set(re.findall(r'id="face-(\w+)"', page)) == set(TILE_CLASSES)


def test_a_page_without_its_pictures_still_has_the_queue(
    labelled: Path, photos: Path, settings: Callable
) -> None:
    photos.rename(photos.with_name("gone"))
    export_results(labelled / "results.json", labelled, settings("yolo"))
    page = (labelled / "review.html").read_text(encoding="utf-8")
    assert '"crop": null' in page
    assert '"jpeg"' not in page


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    assert harmless(f"{start}1") == f"'{start}1"
    assert harmless("1m=2m") == "1m=2m"


def test_json_in_a_script_can_not_end_it() -> None:
    text = script_json({"name": "</script><!-- & \u2028"})
    assert "<" not in text
    assert json.loads(text) == {"name": "</script><!-- & \u2028"}


def test_corrections_win_and_what_was_seen_is_kept(labelled: Path) -> None:
    before = picture_of(labelled)
    assert before.tiles is not None
    after = apply_corrections(
        before,
        said(
            {"id": 7, "tile": "9s"},
            {"box": [side + 2 for side in before.tiles[6].box], "tile": "P"},
            {"id": 9, "tile": None},
            {"box": [1, 1, 9, 12], "tile": "bamboo", "role": "flower"},
        ).tiles,
    )
    assert after.tiles is not None
    tiles = {tile.id: tile for tile in after.tiles}
    assert (tiles[7].tile, tiles[7].confidence, tiles[7].seen, tiles[7].flag) == ("9s", 1.0, "?", None)
    assert (tiles[6].tile, tiles[6].seen, tiles[6].box) == ("P", "7s", before.tiles[6].box)
    assert 9 not in tiles
    assert [tile.tile for tile in after.removed] == ["plum"]
    assert (tiles[10].tile, tiles[10].role, tiles[10].box) == ("bamboo", "flower", (1, 1, 9, 12))
    assert all("box" in entry for entry in after.corrections)
    again = apply_corrections(after, said({"id": 9, "tile": "orchid"}).tiles)
    assert again.removed == ()
    assert [tile.tile for tile in again.tiles or ()].count("orchid") == 1


def test_a_meld_follows_its_tiles(labelled: Path) -> None:
    after = apply_corrections(
        picture_of(labelled), said({"id": 6, "tile": "5p", "role": "meld", "meld": 1}).tiles
    )
    assert [(meld.kind, meld.ids) for meld in after.melds] == [
        ("chow", (0, 1, 2)),
        ("melded-kong", (3, 4, 5, 6)),
    ]
    assert after.melds[1].box[2] == after.tiles[6].box[2]  # type: ignore[index]
    gone = apply_corrections(after, said(*({"id": number, "role": "concealed"} for number in range(3))).tiles)
    assert [meld.kind for meld in gone.melds] == ["melded-kong"]
    assert {tile.meld for tile in gone.tiles or ()} == {0, None}


def test_corrections_find_their_picture_by_content_path_or_name(labelled: Path) -> None:
    results = Results.load(labelled / "results.json")
    digest = picture_of(labelled, "a/1.png").sha256
    change = {"id": 7, "tile": "9s"}
    assert merge_corrections(
        results,
        [
            said(change, sha256=digest, image="whatever.jpg"),
            said(change, image="b/1.jpg"),
            said(change, image="C:\\phone\\2.JPEG"),
            said(change, image="1.jpg"),
            said({"id": 99, "tile": "9s"}, image="b/2.jpg"),
            said(change, image="empty.png"),
        ],
    ) == [
        "1.jpg: the corrections fit no picture of these results.",
        "b/2.jpg: there is no tile 99 to correct.",
        "empty.png: there is no tile 7 to correct.",
    ]
    changed = [picture.path for picture in results if picture.corrections]
    assert changed == ["a/1.png", "b/1.jpg", "b/2.JPEG"]


def test_merged_corrections_stay_when_another_model_reads_again(
    labelled: Path, photos: Path, settings: Callable
) -> None:
    entry = said({"id": 7, "tile": "9s"}, {"id": 9, "tile": None}, image="b/1.jpg")
    export_results(labelled / "results.json", labelled, settings("yolo"), [entry])
    classes = [int(line.split()[0]) for line in (labelled / "labels/b/1.txt").read_text().splitlines()]
    names = [*TILE_CLASSES, "meld"]
    right = ["1m", "2m", "3m", "5p", "5p", "5p", "C", "9s", "back", "meld", "meld"]
    assert [names[number] for number in classes] == right

    other = {"name": "newer", "sha256": "1" * 64}
    label_pictures(gather([str(photos)]), labelled, other, open_fake, settings("yolo", on_exists="overwrite"))
    classes = [int(line.split()[0]) for line in (labelled / "labels/b/1.txt").read_text().splitlines()]
    assert [names[number] for number in classes] == right
    queue = review_queue(Results.load(labelled / "results.json"))
    assert not [item for item in queue if item.picture.path == "b/1.jpg" and item.tile.id == 7]
