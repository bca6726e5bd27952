"""A person's corrections: the format, and what they do to a reading."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES, TileBox
from fanlens.vision.corrections import (
    Correction,
    CorrectionsError,
    load_corrections,
    parse_assignment,
    parse_corrections,
)
from fanlens.vision.reading import ImageInfo, ModelInfo, Reading, Sighting
from fanlens.vision.resolve import correct, read_hand

HAND = ["2m", "3m", "4m", "5m", "6m", "7m", "3p", "4p", "5p", "6s", "7s", "8s", "9s", "9s"]


def photo(names: list[str]) -> Reading:
    boxes = []
    for place, name in enumerate(names):
        x0 = 50.0 + 40 * place
        probabilities = np.full(len(TILE_CLASSES), 1e-4, dtype=np.float32)
        probabilities[TILE_CLASSES.index(name)] = 0.99
        corners = np.array([[x0, 600], [x0 + 40, 600], [x0 + 40, 654], [x0, 654]], dtype=np.float32)
        boxes.append(TileBox((x0, 600.0, x0 + 40, 654.0), probabilities, 0.99, corners))
    return read_hand(Sighting(ImageInfo("photo.jpg", 1280, 960), ModelInfo("test", ""), tuple(boxes)))


def test_a_corrected_tile_is_certain_and_keeps_what_was_seen() -> None:
    before = photo([*HAND[:8], "6p", *HAND[9:]])
    assert before.score is None
    after = correct(before, [Correction(id=8, tile="5p")])
    assert (after.tiles[8].tile, after.tiles[8].seen, after.tiles[8].confidence) == ("5p", "6p", 1.0)
    assert after.tiles[8].flag is None
    assert after.score is not None
    assert before.tiles[8].tile == "6p"


def test_by_box_as_by_id() -> None:
    before = photo([*HAND[:8], "6p", *HAND[9:]])
    x0, y0, x1, y1 = before.tiles[8].box
    after = correct(before, [Correction(box=(x0 + 3, y0 - 2, x1 + 2, y1), tile="5p")])
    assert after.tiles == correct(before, [Correction(id=8, tile="5p")]).tiles


def test_a_missed_tile_is_added_and_one_too_many_removed() -> None:
    missing = photo(HAND[:-1])
    x0, y0, x1, y1 = missing.tiles[-1].box
    added = correct(missing, [Correction(box=(x0 + 40, y0, x1 + 40, y1), tile="9s")])
    assert [tile.id for tile in added.tiles] == list(range(14))
    assert (added.tiles[13].seen, added.score is not None) == ("?", True)
    removed = correct(photo([*HAND, "1p"]), [Correction(id=14, tile="")])
    assert len(removed.tiles) == 14
    assert removed.score is not None


def test_roles_melds_and_the_kind_of_a_kong() -> None:
    reading = photo(HAND)
    changed = correct(
        reading,
        [
            *(Correction(id=number, role="meld", meld=0) for number in (0, 1, 2)),
            Correction(id=13, role="winning"),
        ],
    )
    assert [(meld.kind, meld.ids) for meld in changed.hands[0].melds] == [("chow", (0, 1, 2))]
    assert changed.hand is not None
    assert changed.hand.winning_tile == "9s"
    assert {changed.tiles[i].role_confidence for i in (0, 1, 2, 13)} == {1.0}
    aside = correct(photo([*HAND, "1p"]), [Correction(id=14, role="elsewhere")])
    assert aside.score is not None
    kong = correct(
        photo(["4p", "5p", "6p", "7s", "8s", "9s", "1m", "2m", "3m", "E", "E", "8p", "8p", "8p", "8p"]),
        [Correction(id=11, kind="concealed-kong")],
    )
    assert kong.hand is not None
    assert [meld.kind for meld in kong.hand.melds] == ["concealed-kong"]


def test_a_fourth_tile_may_lie_upon_a_pung() -> None:
    """Nobody can see it but who was there: Melded Kong 1 more than with the pung."""
    reading = photo(["4p", "5p", "6p", "7s", "8s", "9s", "1m", "2m", "3m", "E", "E", "8p", "8p", "8p"])
    laid_out = [Correction(id=number, role="meld", meld=0) for number in (11, 12, 13)]
    pung = correct(reading, laid_out)
    kong = correct(reading, [*laid_out[:2], replace(laid_out[2], kind="melded-kong")])
    assert kong.hand is not None
    (meld,) = kong.hands[0].melds
    assert (meld.kind, meld.tiles, meld.ids) == ("melded-kong", ("8p",) * 4, (11, 12, 13, 13))
    assert pung.score is not None
    assert kong.score is not None
    assert kong.score.score.fan == pung.score.score.fan + 1
    assert [tile.role for tile in kong.tiles].count("meld") == 3


def test_unknown_id() -> None:
    with pytest.raises(CorrectionsError, match="there is no tile 20; the picture has tiles 0 to 13"):
        correct(photo(HAND), [Correction(id=20, tile="5p")])


def test_assignments() -> None:
    assert parse_assignment("3=5m") == Correction(id=3, tile="5m")
    assert parse_assignment("3=7z") == Correction(id=3, tile="P")
    for text in ("3", "x=5m", "3=10m", "=5m", "-1=5m"):
        with pytest.raises(CorrectionsError):
            parse_assignment(text)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"tiles": "1m"},
        {"tiles": [{}]},
        {"tiles": [{"id": -1, "tile": "1m"}]},
        {"tiles": [{"id": True}]},
        {"tiles": [{"id": 1, "tile": "10m"}]},
        {"tiles": [{"box": [0, 0, 1], "tile": "1m"}]},
        {"tiles": [{"box": [5, 0, 1, 2], "tile": "1m"}]},
        {"tiles": [{"id": 1, "role": "pond"}]},
        {"tiles": [{"id": 1, "meld": "a"}]},
        {"tiles": [{"id": 1, "kind": "kong"}]},
        {"tiles": [], "image": 5},
    ],
)
def test_what_is_no_corrections_object_is_refused(value: object) -> None:
    with pytest.raises(CorrectionsError):
        parse_corrections(value)


def test_files_hold_one_object_a_list_or_lines(tmp_path: Path) -> None:
    entry = {"image": "a.jpg", "sha256": "ab", "tiles": [{"id": 1, "tile": "1z", "role": "meld", "meld": 0}]}
    for name, text in (
        ("one.json", json.dumps(entry)),
        ("list.json", json.dumps([entry])),
        ("lines.jsonl", json.dumps(entry) + "\n"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        (corrections,) = load_corrections(path)
        assert corrections.tiles == (Correction(id=1, tile="E", role="meld", meld=0),)
        assert parse_corrections(json.loads(json.dumps(corrections.to_json()))) == corrections
    bad = tmp_path / "bad.json"
    bad.write_text("{", encoding="utf-8")
    with pytest.raises(CorrectionsError, match=r"bad\.json is no JSON"):
        load_corrections(bad)
    with pytest.raises(CorrectionsError, match=r"none\.json can't be read"):
        load_corrections(tmp_path / "none.json")
