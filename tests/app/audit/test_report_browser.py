"""The report in a browser: nothing is blocked, cut off or lost, and the filters work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fanlens.app.audit.found import Part, State
from fanlens.app.audit.run import Wanted, finish
from fanlens.app.context_options import Given
from fanlens.app.score_sheet import SheetRow
from fanlens.vision.reading import ModelInfo
from fanlens.vision.video import Settings

from .conftest import Finds

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api")


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_report_on_a_phone_and_on_paper(find: Finds, tmp_path: Path) -> None:
    texts = ["123456789m 234p 5s + 5s", "[EEE] [345p] 99p 789s 22s + 2s plum"]
    found = [find(text, 60.0 * n, number=n) for n, text in enumerate(texts, 1)]
    part = Part("game.mp4", "ab" * 32, 900.0, 27000, 800, 600, reached=900.0, done=True)
    rows = tuple(
        SheetRow(hand=n, round_wind="E", winner="S", win_type="discard", fan=fan, start=start)
        for n, (fan, start) in enumerate([(21, 0.0), (99, 90.0), (8, 600.0)], 1)
    )
    state = State({}, ModelInfo("test", "0" * 64), [part], found)
    finish(state, (), Wanted(tmp_path, Settings(), Given(), rows))
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((tmp_path / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.locator(".overview tbody tr").count() == 3
        assert page.locator(".overview tbody tr").last.inner_text().endswith("not found")
        page.click("button.disagree")
        assert page.locator(".event:visible h3").all_inner_texts() == ["Hand 2 of the sheet, S"]
        page.click("button.disagree")
        assert page.locator(".event:visible").count() == 2
        page.emulate_media(media="print")
        assert not page.locator(".filters").is_visible()
        assert page.locator(".overview").is_visible()
        assert said == []
        browser.close()
