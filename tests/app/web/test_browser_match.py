"""The match sheet on the page: sixteen hands entered, exported and imported into another match."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def begin(page: Any, *names: str) -> None:
    page.locator("#match button", has_text="New match").click()
    for number, name in enumerate(names):
        page.fill(f"[name=player{number}]", name)
    page.click("#form [type=submit]")
    page.locator("#form").wait_for(state="hidden")


def totals(page: Any, row: int) -> list[str]:
    """Row 0 of the foot is the running score, row 1 the table points."""
    cells: list[str] = page.locator(".sum").nth(row).locator("td").all_inner_texts()
    return cells[:4]


def test_sixteen_hands_of_one_table(open_page: Any, steps: Any, tmp_path: Path) -> None:
    page = open_page(**steps.phone)
    page.click("[data-tab-button=match]")
    begin(page, "Ann", "Bo", "Cai", "Dee")
    # East wins every hand with 8 fan on a draw: 48 from 16 each. East is everybody four times.
    for number in range(1, 16):
        page.get_by_role("button", name="Enter the result").click()
        page.select_option("[name=winner]", "E")
        page.select_option("[name=payer]", "self")
        page.fill("[name=fan]", "8")
        page.click("#form [type=submit]")
        page.get_by_text(f"Next: hand {number + 1}").wait_for()
    last = page.locator(".match-table tbody tr").nth(15).locator(".seat")
    assert last.all_inner_texts() == ["West", "South", "East", "North"]
    # The last: Bo discards to Cai, 12 fan and 2 flowers, so he pays 22; Ann gets a penalty of 10.
    page.get_by_role("button", name="Enter the result").click()
    page.select_option("[name=winner]", "E")
    page.select_option("[name=payer]", "S")
    page.fill("[name=fan]", "12")
    page.fill("[name=flowers]", "2")
    page.fill("[name=penalty0]", "-10")
    page.click("#form [type=submit]")
    page.get_by_text("All sixteen hands are entered.").wait_for()
    # Before it Cai, East three times, had 3 x 48 - 12 x 16 = -48, the others 4 x 48 - 11 x 16 = 16.
    assert totals(page, 0) == ["−2", "−6", "−10", "8"]
    assert totals(page, 1) == ["2", "1", "0", "4"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    download.value.save_as(tmp_path / "sheet.csv")

    begin(page, "1", "2", "3", "4")
    page.get_by_text("Next: hand 1,").wait_for()
    page.set_input_files("#match input[type=file]", tmp_path / "sheet.csv")
    page.get_by_text("All sixteen hands are entered.").wait_for()
    assert page.locator(".match-table thead .player").all_inner_texts() == ["Ann", "Bo", "Cai", "Dee"]
    assert totals(page, 0) == ["−2", "−6", "−10", "8"]
    # What is no sheet changes nothing; a wrong cell is named by its place.
    page.click("#language")
    for text, told in (
        ("no sheet", "这份文件不是记分表，没有导入。"),
        ("hand,fan\n1,many\n", "记分表第 2 行“fan”一栏有误，没有导入。"),
        ("hand,fan\n1,7\n", "不计花牌至少要 8 番才能和牌。"),
    ):
        (tmp_path / "wrong.csv").write_text(text)
        page.set_input_files("#match input[type=file]", tmp_path / "wrong.csv")
        page.locator("#toast", has_text=told).wait_for()
    assert totals(page, 0) == ["−2", "−6", "−10", "8"]
    # Clearing a hand and taking that back.
    page.click("[data-key='hand-16']")
    page.get_by_role("button", name="清除").click()
    page.locator(".sum td").nth(3).get_by_text("16").wait_for()
    assert totals(page, 0) == ["16", "16", "−48", "16"]
    page.locator("#match").get_by_role("button", name="撤销").click()
    page.get_by_text("十六局已全部记完。").wait_for()
    assert totals(page, 0) == ["−2", "−6", "−10", "8"]
