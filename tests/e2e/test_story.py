"""The guided story in a browser: eight steps by the keys, each one entry; a read-only link keeps nothing."""

from __future__ import annotations

import re

import pytest
from patience import expect_equal
from playwright.sync_api import expect

from dashboard.services.story.place import StoryPlace
from dashboard.services.story.steps import step_of
from dashboard.texts import story as text
from proset.workspace import Workspace, workspace_address

pytestmark = pytest.mark.e2e


def expect_step(visit, step):
    """Wait until a step is shown, on its page and in the address."""
    place = StoryPlace("cancer", step)
    expect(visit.page.locator(".st-key-story")).to_contain_text(f"{step} of 8")
    visit.settle()
    page = re.escape(visit.server) + f"/{step_of(place).page}[?].*"
    expect(visit.page).to_have_url(re.compile(rf"{page}story={re.escape(place.text)}\b"))


@pytest.mark.slow
def test_eight_steps_by_the_keys_are_eight_entries_and_back_is_one_press(visit):
    visit.open("/")
    before = visit.page.evaluate("history.length")
    visit.page.get_by_role("button", name="Show me in three minutes").click()
    expect_step(visit, 1)
    for step in range(2, 9):
        visit.page.keyboard.press("g")
        expect_step(visit, step)
    expect_equal(lambda: visit.page.evaluate("history.length"), before + 8)
    visit.page.keyboard.press("b")
    expect_step(visit, 7)
    for step in (8, 7, 6):
        visit.page.go_back()
        expect_step(visit, step)
    visit.page.go_forward()
    expect_step(visit, 7)
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".st-key-story")).to_have_count(0)
    visit.settle()
    assert visit.asked("story") == []
    visit.expect_no_traceback()


@pytest.mark.slow
def test_an_audience_sees_what_a_step_speaks_of_and_keys_scroll_at_once(visit):
    """On a projector: the step's figure is right below the bar, and a reload keeps it so."""
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    visit.open("/?story=cancer.3&presenter=1")
    expect_step(visit, 3)
    for step, shown in (
        (3, "[class*=st-key-map-chart]"),
        (4, ".st-key-prototypes-all"),
        (5, ".case-values"),
    ):
        if step > 3:
            visit.page.keyboard.press("PageDown")
            expect_step(visit, step)
        top = "Math.abs(document.querySelector('{}').getBoundingClientRect().top - document.querySelector('{}')"
        gap = top.format(shown, ".st-key-story") + ".getBoundingClientRect().bottom - 8) < 2"
        expect_equal(lambda gap=gap: visit.page.evaluate(gap), True)
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = visit.page.evaluate(scrolled)
    visit.page.keyboard.press("ArrowUp")
    expect_equal(lambda: visit.page.evaluate(scrolled) < before, True)
    visit.page.reload()
    expect_step(visit, 5)
    expect(visit.page.get_by_role("button", name=text.USUAL)).to_be_visible()


@pytest.mark.exhaustive
def test_what_is_done_behind_a_read_only_link_leaves_no_trace(kept_visit, keeping):
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(keeping.folder)}))
    kept_visit.open("/?story=cancer.5&read=1")
    expect_step(kept_visit, 5)
    kept_visit.page.reload()
    expect_step(kept_visit, 5)
    expect(kept_visit.page.get_by_text(text.READ_ONLY)).to_be_visible()
    kept_visit.page.get_by_role("button", name="area error").click()  # let the next model use it
    expect(kept_visit.page.get_by_role("button", name="Take it back: area error")).to_be_visible()
    kept_visit.settle()
    kept_visit.page.keyboard.press("g")
    expect_step(kept_visit, 6)
    assert workspace.cards() == []
    kept_visit.page.get_by_role("button", name=text.MINE).click()
    expect(kept_visit.page.get_by_text(text.READ_ONLY)).to_have_count(0)
    expect_equal(lambda: len(workspace.cards()), 1)
