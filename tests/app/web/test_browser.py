"""The page in headless Chromium, on a phone and on a desktop: from the photo to the total."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_from_the_photo_to_the_total(open_page: Any, steps: Any, device: str, tmp_path: Path) -> None:
    page = open_page(**getattr(steps, device))
    phone = device == "phone"

    def tab(name: str) -> None:
        if phone:
            page.click(f"[data-tab-button={name}]")

    steps.take(page)
    assert page.locator("#photo rect.box").count() == 15

    # The one doubtful tile: the likeliest alternatives come first, the first is right.
    assert page.locator(".doubts").inner_text().startswith("One tile to check")
    page.click("[data-key=check]")
    likely = page.locator(".likely [data-pick]").evaluate_all("all => all.map(t => t.dataset.pick)")
    assert likely == ["5p", "6p", "3p"]
    assert page.locator(".likely .percent").all_inner_texts() == ["41%", "3%", "<1%"]
    assert "Read as 4 of dots" in page.locator("#picker").inner_text()
    page.click(".likely [data-pick='5p']")
    assert steps.tray(page, "concealed").count("5p") == 2
    assert page.locator(".doubts").count() == 0
    assert "corrected" in page.locator("[data-tile='10']").get_attribute("aria-label")

    # The third east wind belongs to the meld: by dragging with the mouse, by buttons on the phone.
    assert "Meld 1 has 2 tiles" in page.locator("#hand .count").inner_text()
    if phone:
        page.click("[data-tile='13']")
        page.locator("#picker").get_by_role("button", name="Meld 1").click()
    else:
        page.locator("[data-tile='13']").drag_to(page.locator("[data-drop='meld:0']"))
    assert steps.tray(page, "meld:0") == ["E", "E", "E"]
    assert page.locator(".meld .kind").inner_text() == "pung"
    page.get_by_text("14 tiles: the count is right.").wait_for()

    # The winning tile, chosen on the photo itself.
    page.mouse.click(*steps.middle_of(page, "#photo rect[data-id='8']"))
    page.locator("#picker").get_by_role("button", name="Winning tile").click()
    assert steps.tray(page, "winning") == ["9m"]
    steps.total(page, 19)

    # Pure Straight 16, Pung of Terminals or Honours 1, One Voided Suit 1, one flower; in an east
    # round Prevalent Wind 2 takes the place of the second.
    tab("context")
    east = page.locator("[data-key='prevalent_wind-E']")
    assert "total would be 20" in east.get_attribute("aria-label")
    assert page.locator("[data-key='kong_replacement-true']").is_disabled()
    east.click()
    page.click("[data-key='seat_wind-S']")
    page.click("[data-key='payer-N']")
    steps.total(page, 20)

    tab("result")
    assert "Enough" in page.locator("#result").inner_text()
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    assert page.locator(".payments tr").evaluate_all(cells) == [
        ["East", "", "−8"],
        ["South", "winner", "+44"],
        ["West", "", "−8"],
        ["North", "discarder", "−28"],
    ]
    page.get_by_role("button", name="Prevalent Wind").click()
    lit = page.locator("#photo rect.lit").evaluate_all("all => all.map(r => r.dataset.id)")
    assert lit == ["11", "12", "13"]
    names = page.locator(".fan-name").all_inner_texts()
    assert names == ["Pure Straight", "Prevalent Wind", "One Voided Suit", "Flower Tiles"]

    # Saved: what the detector saw stays beside what was corrected.
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save JSON").click()
    target = tmp_path / "hand.json"
    saved.value.save_as(target)
    reading = json.loads(target.read_text())
    assert reading["tiles"][10]["tile"] == "5p"
    assert reading["tiles"][10]["seen"] == "4p"
    assert reading["tiles"][10]["confidence"] == 1
    assert reading["hand"]["winning_tile"] == "9m"
    assert reading["score"]["total"] == 20
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save picture").click()
    target = tmp_path / "hand.png"
    picture.value.save_as(target)
    assert target.read_bytes().startswith(b"\x89PNG")

    # Undo goes back step by step, through context and tiles.
    for _ in range(4):
        page.click("#undo")
    tab("hand")
    assert steps.tray(page, "winning") == []
    page.click("#undo")
    assert steps.tray(page, "meld:0") == ["E", "E"]


def test_a_missed_tile_is_added_by_tapping_the_photo(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone)
    steps.take(page)
    spot = page.evaluate(
        """() => { const svg = document.querySelector('#photo svg');
        const p = new DOMPoint(938, 451).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }"""
    )
    page.mouse.click(*spot)
    page.click("[data-pick='1s']")
    assert "1s" in steps.tray(page, "concealed")
    added = page.locator("#photo rect[data-id='15']")
    assert abs(float(added.get_attribute("x")) - 900) <= 3
    assert abs(float(added.get_attribute("width")) - 76) <= 1
    # Taken away again, it is gone from tray and photo.
    page.click("[data-tile='15']")
    page.get_by_role("button", name="Remove: no tile here").click()
    assert page.locator("[data-id='15']").count() == 0


def test_melds_are_made_split_and_joined(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.desktop)
    page.click("#by-hand")
    page.click("#picker [data-pick='2s']")
    for tile in ("3s", "4s", "4s", "4s", "4s"):
        page.click("[data-key=add]")
        page.click(f"#picker [data-pick='{tile}']")
    assert page.locator("#hand .count").inner_text() == "6 tiles: 8 are missing."
    page.locator("[data-code='2s']").click()
    page.get_by_role("button", name="meld: 2 of bamboos, 3 of bamboos, 4 of bamboos").click()
    assert page.locator(".meld .kind").all_inner_texts() == ["chow"]
    page.locator("[data-drop=concealed] [data-code='4s']").first.click()
    page.get_by_role("button", name="meld: 4 of bamboos, 4 of bamboos, 4 of bamboos").click()
    assert page.locator(".meld .kind").all_inner_texts() == ["chow", "pung"]
    page.click("[data-key='split-0']")
    assert sorted(steps.tray(page, "concealed")) == ["2s", "3s", "4s"]
    page.locator("[data-drop=concealed] [data-code='4s']").drag_to(page.locator(".meld"))
    assert page.locator(".meld .kind").all_inner_texts() == ["melded kong"]
    page.click("[data-key^=kong-]")
    assert page.locator(".meld .kind").all_inner_texts() == ["concealed kong"]
    # Two pairs of a kong that was taken for two groups.
    page.click("[data-key^=split-]")
    for _ in range(2):
        tiles = page.locator("[data-drop=concealed] [data-code='4s']")
        tiles.first.click()
        page.get_by_role("button", name="New meld").click()
    assert "Meld 1 has one tile" in page.locator("#hand .count").inner_text()
    page.click("[data-key^=join-]")
    assert [
        len(steps.tray(page, drop))
        for drop in page.locator(".meld").evaluate_all("all => all.map(m => m.dataset.drop)")
    ] == [2]


def test_in_chinese_by_hand_with_another_rule_set(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone, locale="zh-CN")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.locator("#start h2").inner_text() == "给和牌拍张照"
    page.click("#by-hand")
    # Seven pairs: 24, and being of winds, dragons and terminals only, more.
    tiles = ["1m", "1m", "9m", "9m", "1p", "1p", "E", "E", "S", "S", "C", "C", "P", "P"]
    page.click(f"#picker [data-pick='{tiles[0]}']")
    for tile in tiles[1:]:
        page.click("[data-key=add]")
        page.click(f"#picker [data-pick='{tile}']")
    page.click("[data-tile='13']")
    page.locator("#picker").get_by_role("button", name="和张").click()
    page.click("[data-tab-button=result]")
    page.locator(".fan-name").first.wait_for()
    assert "七对" in page.locator(".fan-name").all_inner_texts()
    page.click("[data-tab-button=context]")
    page.select_option("[data-key=rules]", "wmo2006")
    page.click("[data-key='prevalent_wind-W']")
    page.click("#language")
    assert page.locator("html").get_attribute("lang") == "en"
    # The next hand of the same table keeps rules and prevalent wind, not the win.
    page.click("#new")
    page.click("#by-hand")
    page.keyboard.press("Escape")
    remembered = page.evaluate("localStorage.getItem('fanlens.table')")
    assert json.loads(remembered) == {"rules": "wmo2006", "seat_wind": None, "prevalent_wind": "W"}


def test_a_match_from_the_first_hand_to_the_sheet(open_page: Any, steps: Any, tmp_path: Path) -> None:
    page = open_page(**steps.phone)
    page.click("[data-tab-button=match]")
    page.get_by_role("button", name="New match").click()
    for number, name in enumerate(["Ann", "Bo", "Cai", "Dee"]):
        page.fill(f"[name=player{number}]", name)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Next: hand 1, East round").wait_for()
    page.get_by_role("button", name="Photograph this hand").click()
    steps.take(page)
    page.click("[data-tile='10']")
    page.click("#picker [data-pick='5p'] >> nth=0")
    page.click("[data-tile='13']")
    page.locator("#picker").get_by_role("button", name="Meld 1").click()
    page.click("[data-tile='8']")
    page.locator("#picker").get_by_role("button", name="Winning tile").click()
    # The prevalent wind follows from the hand's number.
    steps.total(page, 20)
    page.click("[data-tab-button=context]")
    page.get_by_role("button", name="South · Bo").first.click()
    page.locator("[data-key='payer-N']").click()
    page.click("[data-tab-button=result]")
    page.get_by_role("button", name="Enter in the match sheet").click()
    page.get_by_text("Next: hand 2, East round").wait_for()
    first = page.locator(".match-table tbody tr").first
    assert first.locator(".points").all_inner_texts() == ["−8", "+44", "−8", "−28"]
    # A penalty by hand, then taken back.
    page.click("[data-key='hand-1']")
    page.fill("[name=penalty0]", "-10")
    page.get_by_role("button", name="Save").click()
    page.locator(".sum td").first.get_by_text("−18").wait_for()
    page.locator("#match").get_by_role("button", name="Undo").click()
    page.locator(".sum td").first.get_by_text("−8").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    download.value.save_as(tmp_path / "sheet.csv")
    text = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
    assert text.splitlines()[1].startswith("1,E,S,N,discard,9m,0,0,0,0,1,19,28;60;75,,")


def test_a_server_that_cannot_read_says_so(open_page: Any, steps: Any, tmp_path: Path) -> None:
    page = open_page(**steps.phone)
    (tmp_path / "no.jpg").write_text("no picture")
    page.set_input_files("#gallery", tmp_path / "no.jpg")
    page.locator("#toast.shown").wait_for()
    assert "isn't a" in page.locator("#toast").inner_text()
    assert page.locator("#start").is_visible()
