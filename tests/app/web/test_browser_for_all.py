"""The page for everybody: no serious finding, targets for a thumb, Chinese throughout."""

from __future__ import annotations

import re
from typing import Any

import pytest

# What may stand on the Chinese page in Latin letters: names, formats and commands.
NAMES = "FanLens|AGPL-3.0-or-later|WMO|CSV|JSON|JPEG|PNG|WebP|HEIC|fanlens serve|Ann|Bo|Cai|Dee|English"
VISIBLE_TEXT = """() => {
    const found = [];
    for (const element of document.body.querySelectorAll('*')) {
        if (!element.checkVisibility() || element.closest('[lang=en], script, noscript')) continue;
        for (const node of element.childNodes) if (node.nodeType === 3) found.push(node.data);
        for (const name of ['aria-label', 'title', 'alt']) found.push(element.getAttribute(name) ?? '');
    }
    return found.filter((text) => text.trim());
}"""


def each_step(page: Any, steps: Any, look: Any) -> None:
    """Show every part of the page in turn, in whichever language, and look at it."""
    look("start")
    steps.take(page)
    look("hand")
    page.click("[data-key=check]")
    look("picker")
    page.keyboard.press("Escape")
    steps.correct(page)
    page.click("[data-tab-button=context]")
    page.locator(".effect").first.wait_for()
    look("context")
    page.click("[data-tab-button=result]")
    page.locator("#total").wait_for()
    look("result")
    page.click("[data-tab-button=match]")
    page.locator("#match .primary").click()
    look("players")
    for number, name in enumerate(["Ann", "Bo", "Cai", "Dee"]):
        page.fill(f"[name=player{number}]", name)
    page.click("#form [type=submit]")
    page.locator(".match-table").wait_for()
    look("match")
    page.click("[data-key=hand-1]")
    look("hand of the match")


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_an_accessibility_checker(
    open_page: Any, steps: Any, scheme: str, locale: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    # The checker is run in the page's own world, past its content security policy.
    page = open_page(**steps.phone, color_scheme=scheme, locale=locale, bypass_csp=True)

    def look(where: str) -> None:
        found = axe.run(page).response["violations"]
        serious = [
            (item["id"], item["nodes"][0]["html"])
            for item in found
            if item["impact"] in ("serious", "critical")
        ]
        assert serious == [], where

    each_step(page, steps, look)


def test_nothing_english_on_the_chinese_page(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone, locale="zh-CN")

    def look(where: str) -> None:
        for text in page.evaluate(VISIBLE_TEXT):
            assert not re.search("[A-Za-z]{2,}", re.sub(NAMES, "", text)), (where, text)

    each_step(page, steps, look)


def test_switched_to_chinese_everything_follows(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone)
    steps.take(page)
    assert page.locator("#version").inner_text().startswith("Version")
    page.click("#language")
    for text in page.evaluate(VISIBLE_TEXT):
        assert not re.search("[A-Za-z]{2,}", re.sub(NAMES, "", text)), text


def test_targets_are_large_enough_for_a_thumb(open_page: Any, steps: Any) -> None:
    page = open_page(**steps.phone)
    steps.take(page)
    small = """() => [...document.querySelectorAll('button, a, label.chip, label.take, select')]
        .filter((element) => element.checkVisibility())
        .map((element) => [element.textContent || element.ariaLabel, element.getBoundingClientRect()])
        .filter(([, box]) => box.width < 44 || box.height < 44)
        .map(([name, box]) => `${name} ${box.width} x ${box.height}`)"""
    wide = "() => document.documentElement.scrollWidth <= innerWidth"
    for name in ("hand", "context", "result", "match"):
        page.click(f"[data-tab-button={name}]")
        assert page.evaluate(small) == [], name
        assert page.evaluate(wide), name
    page.click("[data-tab-button=hand]")
    page.click("[data-key=check]")
    assert page.evaluate(small) == []
