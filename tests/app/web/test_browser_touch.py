"""The page under a finger: lifting a tile, scrolling, tapping."""

from __future__ import annotations

from typing import Any

import pytest

HOLD = 350  # ms, longer than the page waits before it lifts a tile


@pytest.fixture
def page(open_page: Any, steps: Any) -> Any:
    page = open_page(**steps.phone)
    steps.take(page)
    return page


class Finger:
    """Real touch events, as the browser gets them from a screen."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def drag(self, start: tuple[float, float], end: tuple[float, float], hold: int) -> None:
        self.send("touchStart", start)
        self.page.wait_for_timeout(hold)
        for part in range(1, 9):
            share = part / 8
            self.send(
                "touchMove",
                (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share),
            )
            self.page.wait_for_timeout(16)
        self.send("touchEnd")


def test_a_tile_that_is_held_is_dragged_to_the_meld(page: Any, steps: Any) -> None:
    page.locator("[data-drop='meld:0']").scroll_into_view_if_needed()
    start = steps.middle_of(page, "[data-tile='13']")
    end = steps.middle_of(page, "[data-drop='meld:0']")
    before = page.evaluate("scrollY")
    Finger(page).drag(start, end, HOLD)
    page.wait_for_function(
        "() => document.querySelectorAll(\"[data-drop='meld:0'] [data-tile]\").length === 3"
    )
    assert steps.tray(page, "meld:0") == ["E", "E", "E"]
    assert page.evaluate("scrollY") == before
    assert page.locator(".ghost").count() == 0
    assert not page.locator("#picker").is_visible()


def test_dropped_beside_everything_it_goes_back(page: Any, steps: Any) -> None:
    start = steps.middle_of(page, "[data-tile='0']")
    before = steps.tray(page, "concealed")
    Finger(page).drag(start, (start[0], 60), HOLD)
    assert page.locator(".ghost").count() == 0
    assert steps.tray(page, "concealed") == before
    assert page.locator("#undo").is_disabled()


def test_a_held_tile_becomes_the_winning_tile(page: Any, steps: Any) -> None:
    page.locator("[data-drop='winning']").scroll_into_view_if_needed()
    start, end = steps.middle_of(page, "[data-tile='8']"), steps.middle_of(page, "[data-drop='winning']")
    Finger(page).drag(start, end, HOLD)
    page.wait_for_function(
        "() => document.querySelectorAll(\"[data-drop='winning'] [data-tile]\").length === 1"
    )
    assert steps.tray(page, "winning") == ["9m"]


def test_a_swipe_over_the_tiles_scrolls_the_page(page: Any, steps: Any) -> None:
    start = steps.middle_of(page, "[data-tile='13']")
    before = steps.tray(page, "concealed")
    Finger(page).drag(start, (start[0], start[1] - 200), 0)
    page.wait_for_function("() => scrollY > 50")
    assert steps.tray(page, "concealed") == before
    assert not page.locator("#picker").is_visible()


def test_a_tap_opens_the_picker(page: Any) -> None:
    page.tap("[data-tile='13']")
    page.locator("#picker").wait_for()
    assert page.locator("#picker .tile.current").first.get_attribute("data-pick") == "E"
