"""Readings that are not plain: several hands, doubts about places, refusals, answers that come late."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from fanlens.app.web import Settings, create_app

# Thirteen Orphans, below the first hand of the photo.
ORPHANS = ["1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "C", "F", "P", "P"]


def tile(number: int, name: str, role: str, x: int, y: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "tile": name,
        "confidence": 0.99,
        "box": [x, y, x + 76, y + 102],
        "role": role,
        "role_confidence": 0.97,
        "meld": None,
        "alternatives": [],
        "role_alternatives": [],
        "seen": name,
        "flag": None,
        "hand": 0,
        **more,
    }


class TestSeveralHands:
    @pytest.fixture
    def kept(self, tmp_path: Path) -> Path:
        return tmp_path / "kept"

    @pytest.fixture
    def page(self, open_page: Any, serve: Any, steps: Any, reader: Any, kept: Path) -> Any:
        def two(photo: bytes) -> dict[str, Any]:
            reading: dict[str, Any] = reader(photo)
            orphans = [
                tile(20 + n, name, "concealed", 40 + 80 * n, 560, hand=1) for n, name in enumerate(ORPHANS)
            ]
            hand = {"concealed": ORPHANS, "winning_tile": None, "flowers": [], "melds": []}
            return {
                **reading,
                "tiles": [*reading["tiles"], *orphans],
                "hands": [*reading["hands"], hand],
            }

        page = open_page(serve(create_app(two, Settings(keep=kept))), **steps.phone)
        steps.take(page)
        return page

    def test_each_is_chosen_and_scored(self, page: Any, steps: Any) -> None:
        assert "several hands" in page.locator("#hand").inner_text()
        assert len(steps.tray(page, "concealed")) == 12
        assert page.locator("[data-drop=elsewhere] [data-tile]").count() == 14
        page.click("[data-key=choose-1]")
        assert steps.tray(page, "concealed") == ORPHANS
        assert page.locator("[data-drop=elsewhere] [data-tile]").count() == 15
        steps.total(page, 88)

    def test_corrections_of_the_first_wait_for_its_return(self, page: Any, steps: Any) -> None:
        page.click("[data-tile='10']")
        page.click("#picker [data-pick='5p'] >> nth=0")
        page.click("[data-key=choose-1]")
        page.click("[data-key=choose-0]")
        assert steps.tray(page, "concealed").count("5p") == 2
        assert page.locator(".doubts").count() == 0
        page.click("#undo")
        assert steps.tray(page, "concealed") == ORPHANS

    def test_what_is_kept_says_nothing_of_the_other_hand(self, page: Any, steps: Any, kept: Path) -> None:
        page.click("[data-key=choose-1]")
        page.click("[data-tile='33']")
        page.click("#picker [data-key=to-winning]")
        page.click("[data-tab-button=result]")
        page.get_by_role("button", name="Keep photo and corrections").click()
        page.locator("#toast.shown").wait_for()
        (entry,) = kept.glob("*.json")
        tiles = json.loads(entry.read_text())["tiles"]
        assert [t["role"] for t in tiles if t["box"][1] == 560] == ["concealed"] * 13 + ["winning"]
        assert all("role" not in t for t in tiles if t["box"][1] < 560)


def test_tiles_whose_place_is_doubted_together_are_confirmed_together(
    open_page: Any, serve: Any, steps: Any
) -> None:
    pung = [tile(n, "4s", "meld", 40 + 80 * n, 400, meld=0, flag="role") for n in range(3)]
    lone = tile(3, "9p", "concealed", 40, 120, flag="role")
    meld = {"kind": "pung", "tiles": ["4s"] * 3, "ids": [0, 1, 2]}
    hand = {"concealed": ["9p"], "winning_tile": None, "flowers": [], "melds": [meld]}
    reading = {
        "image": {"path": None, "width": 1200, "height": 700},
        "model": {"name": "drawn", "sha256": "0" * 64},
        "tiles": [*pung, lone], "hand": hand, "hands": [hand],
        "context": {}, "score": None, "problems": [], "confidence": 0.0, "timing_ms": {},
    }  # fmt: skip
    page = open_page(serve(create_app(lambda _: reading, Settings())), **steps.phone)
    steps.take(page)
    assert page.locator(".doubts").inner_text().startswith("4 tiles to check")
    page.click("[data-key=check]")
    picker = page.locator("#picker")
    assert "Not sure where these 3 tiles belong." in picker.inner_text()
    page.click("#picker [data-key=right]")
    # The next doubt opens by itself.
    picker.get_by_text("Not sure where this tile belongs.").wait_for()
    assert page.locator(".doubts").inner_text().startswith("One tile to check")
    page.click("#picker [data-key=to-elsewhere]")
    assert page.locator(".doubts").count() == 0
    assert not picker.is_visible()


def test_a_total_with_doubtful_tiles_is_marked(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone)
    steps.take(page)
    # With 4p 5p in hand there is no total; a second 4p makes the pair of a finished hand.
    page.click("[data-tile='13']")
    page.click("#picker [data-key='to-meld:0']")
    page.click("[data-tile='9']")
    page.click("#picker [data-pick='4p'] >> nth=0")
    page.click("[data-tab-button=result]")
    page.locator("#total").wait_for()
    assert page.locator("#badge").inner_text().endswith("?")
    assert page.locator("#result .doubts").inner_text().startswith("One tile to check")
    page.click("[data-key=check-result]")
    page.click("#picker [data-key=right]")
    page.wait_for_function("() => !document.querySelector('#badge').textContent.includes('?')")


def test_an_impossible_option_says_why(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone)
    steps.take(page)
    steps.correct(page)
    steps.total(page, 19)
    page.click("[data-tab-button=context]")
    page.locator("[data-key='self_draw-true']").click()
    page.wait_for_function("() => document.querySelector('#badge').textContent === '20'")
    option = page.locator("[data-key='kong_replacement-true'][aria-disabled=true]")
    option.wait_for()
    option.click(force=True)
    page.locator("#toast.shown").wait_for()
    assert page.locator("#toast").inner_text() == "There is no kong in this hand."
    assert page.locator("[data-key='kong_replacement-true']").get_attribute("aria-pressed") == "false"


def test_a_photo_is_tried_again_when_the_server_was_busy(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone, locale="zh-CN")
    busy = {"error": {"code": "busy", "message": "Too many photos are waiting; please try again."}}
    page.route("**/api/read", lambda route: route.fulfill(status=500, json=busy))
    page.set_input_files("#gallery", steps.photo_file)
    page.locator("#toast.shown").wait_for()
    assert page.locator("#toast").inner_text() == "排队等待识别的照片太多，请稍后再试。"
    assert page.locator("#preview").is_visible()
    page.unroute("**/api/read")
    page.click("#again")
    page.wait_for_selector("[data-tile]")


def test_a_cancelled_photo_does_not_come_back(open_page: Any, serve: Any, steps: Any, reader: Any) -> None:
    def slow(photo: bytes) -> dict[str, Any]:
        time.sleep(1)
        reading: dict[str, Any] = reader(photo)
        return reading

    page = open_page(serve(create_app(slow, Settings())), **steps.phone)
    page.set_input_files("#gallery", steps.photo_file)
    page.locator("#preview").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator("#camera").wait_for(state="attached")
    page.wait_for_timeout(1500)
    assert page.locator("[data-tile]").count() == 0
    assert page.get_by_text("Take a photo").is_visible()


def test_only_the_answer_to_the_last_question_counts(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.desktop)
    steps.take(page)
    steps.correct(page)
    steps.total(page, 19)
    asked: list[dict[str, Any]] = []

    def late(route: Any) -> None:
        asked.append(route.request.post_data_json["context"])
        if len(asked) == 1:
            page.wait_for_timeout(400)
        route.continue_()

    page.route("**/api/score", late)
    page.click("[data-key='last_tile-true']")  # Last Tile Claim: 8 more
    page.wait_for_timeout(200)
    page.evaluate(
        """() => { document.querySelector("[data-key='last_tile-false']").click();
        document.querySelector("[data-key='prevalent_wind-E']").click(); }"""
    )
    steps.total(page, 20)
    page.wait_for_timeout(600)
    assert page.locator("#total").inner_text() == "20"
    # Two quick taps are one question.
    assert [context["last_tile"] for context in asked] == [True, False]


def test_a_picture_is_dropped_on_a_desktop(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.desktop)
    content = list(steps.photo_file.read_bytes())
    page.evaluate(
        """(bytes) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'hand.jpg', {type: 'image/jpeg'}));
            const how = {dataTransfer: data, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new DragEvent('drop', how));
        }""",
        content,
    )
    page.wait_for_selector("[data-tile]")
    assert page.locator("#photo rect.box").count() == 15


class TestKeeping:
    @pytest.fixture
    def kept(self, tmp_path: Path) -> Path:
        return tmp_path / "kept"

    def test_photo_and_corrections_are_kept_on_request(
        self, open_page: Any, serve: Any, steps: Any, reader: Any, kept: Path
    ) -> None:
        page = open_page(serve(create_app(reader, Settings(keep=kept))), **steps.phone)
        steps.take(page)
        steps.correct(page)
        steps.total(page, 19)
        assert not list(kept.iterdir())
        page.click("[data-tab-button=result]")
        page.get_by_role("button", name="Keep photo and corrections").click()
        page.locator("#toast.shown").wait_for()
        assert page.locator("#toast").inner_text() == "Kept, without the photo's location."
        (entry,) = kept.glob("*.json")
        tiles = json.loads(entry.read_text())["tiles"]
        assert len(tiles) == 15
        corrected = next(t for t in tiles if t["seen"] == "4p")
        assert corrected == {"box": [880, 120, 956, 222], "tile": "5p", "role": "concealed", "seen": "4p"}
        assert [t["kind"] for t in tiles if t["role"] == "meld"] == ["pung"] * 3

    def test_a_full_folder_keeps_no_more(
        self, open_page: Any, serve: Any, steps: Any, reader: Any, kept: Path
    ) -> None:
        app = create_app(reader, Settings(keep=kept, keep_limit=1000))
        page = open_page(serve(app), **steps.phone, locale="zh-CN")
        steps.take(page)
        steps.correct(page)
        steps.total(page, 19)
        page.click("[data-tab-button=result]")
        page.get_by_role("button", name="保留照片").click()
        page.locator("#toast.shown").wait_for()
        assert page.locator("#toast").inner_text() == "保留照片的空间已用完，这张没有保留。"
        assert not list(kept.iterdir())

    def test_without_a_folder_the_page_does_not_offer_it(
        self, open_page: Any, serve: Any, steps: Any, reader: Any
    ) -> None:
        page = open_page(serve(create_app(reader, Settings())), **steps.phone)
        steps.take(page)
        steps.correct(page)
        page.click("[data-tab-button=result]")
        page.get_by_role("button", name="Save JSON").wait_for()
        assert page.get_by_role("button", name="Keep").count() == 0
