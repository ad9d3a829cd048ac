"""The browser's own Back, Forward and Reload: each step of a person is one entry, and comes back as it was."""

from __future__ import annotations

import re

import pytest
from patience import HANG, expect_equal
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def seen(visit) -> tuple[str, str]:
    """What stands in the address and on the page, once it stays so: figures and their words come a little later."""
    visit.settle()
    former, now = None, visit.text()
    while former != now:
        visit.page.wait_for_timeout(500)
        former, now = now, visit.text()
    return visit.address.removeprefix(visit.server), now


@pytest.mark.slow
def test_each_step_is_one_entry_and_comes_back_as_it_was(visit, browser):
    visit.open("/map?data=iris_2f&fit=own")
    expect(visit.page.get_by_text("held-out rows,").first).to_be_visible()
    # A message that the model is fitted goes by itself.
    expect(visit.page.get_by_test_id("stToast")).to_have_count(0)
    steps = [seen(visit)]
    visit.page.get_by_test_id("stMain").get_by_role("button", name="Next: ").click()
    page = visit.page.get_by_role("heading", level=1)
    expect(page).not_to_have_text("Map")
    visit.settle()
    visit.go("Case")
    at_case = visit.page.evaluate("history.length")
    steps.append(seen(visit))
    for _ in range(2):
        visit.page.get_by_role("button", name=re.compile("Next ")).click()
        steps.append(seen(visit))
    visit.go("Map")
    steps.append(seen(visit))
    expect_equal(lambda: visit.page.evaluate("history.length"), at_case + 3)
    visit.page.locator(".st-key-frame-line").get_by_role("link").click()
    expect(visit.heading("Case")).to_be_visible()
    visit.settle()
    visit.page.go_back()
    expect_equal(lambda: seen(visit), steps[-1])
    visit.page.get_by_text("Training rows", exact=True).click()
    steps.append(seen(visit))
    expect_equal(lambda: visit.page.evaluate("history.length"), at_case + 4)
    assert len(set(steps)) == len(steps)

    for former in reversed(steps[1:-1]):
        visit.page.go_back()
        expect_equal(lambda: seen(visit), former)
    for later in steps[2:]:
        visit.page.go_forward()
        expect_equal(lambda: seen(visit), later)
    visit.page.reload()
    expect(visit.page.get_by_text("training rows,").first).to_be_visible()
    expect(visit.page.get_by_test_id("stToast")).to_have_count(0)
    expect_equal(lambda: seen(visit), steps[-1])

    context = browser.new_context()
    context.set_default_timeout(1_000 * HANG)
    other = context.new_page()
    other.goto(visit.server + steps[3][0])
    expect(other.get_by_role("heading", name="Case", exact=True, level=1)).to_be_visible()
    expect(other.locator(".st-key-frame-line")).to_contain_text("Row")
    expect(other).to_have_url(visit.server + steps[3][0])
    context.close()
    expect_equal(lambda: seen(visit), steps[-1])


@pytest.fixture
def herd(tmp_path):
    """A small file."""
    path = tmp_path / "herd.csv"
    path.write_text("size,kind\n" + "".join(f"{i % 7}.5,{'xy'[i % 2]}\n" for i in range(40)))
    return path


def choose_file(visit, path) -> None:
    """Choose a file as people do, who press a button before; without one the browser knows of nobody."""
    with visit.page.expect_file_chooser() as chooser:
        visit.page.get_by_role("button", name="Upload", exact=True).first.click()
    chooser.value.set_files(path)


@pytest.mark.slow
def test_a_file_that_is_chosen_before_all_scripts_are_there_is_a_step(visit, herd):
    held = []
    visit.page.route("**/entries.js*", lambda route: held.append(route))  # Playwright takes no builtin
    with visit.page.expect_request("**/entries.js*"):
        visit.open("/data")
    choose_file(visit, herd)
    held[0].continue_()
    expect(visit.page.get_by_role("heading", name="herd.csv")).to_be_visible()
    expect(visit.page).to_have_url(re.compile(r"[?&]open="))
    visit.page.go_back()
    expect(visit.page).to_have_url(re.compile(re.escape(visit.server) + "/(data)?$"))
    expect(visit.page.get_by_role("heading", name="herd.csv")).to_have_count(0)


@pytest.mark.slow
def test_an_uploaded_table_comes_back_in_its_own_window_and_in_no_other(visit, herd, browser):
    visit.open("/data")
    choose_file(visit, herd)
    expect(visit.page.get_by_role("heading", name="herd.csv")).to_be_visible()
    visit.settle()
    expect(visit.page).to_have_url(re.compile(r"[?&]open="))  # else Back would leave the app
    own = visit.address
    assert "herd" not in own
    visit.page.go_back()
    visit.settle()
    expect(visit.page).to_have_url(re.compile(re.escape(visit.server) + "/(data)?$"))
    expect(visit.page.get_by_role("heading", name="herd.csv")).to_have_count(0)
    visit.page.go_forward()
    expect(visit.page.get_by_role("heading", name="herd.csv")).to_be_visible()
    expect(visit.page).to_have_url(own)

    context = browser.new_context()
    context.set_default_timeout(1_000 * HANG)
    other = context.new_page()
    other.goto(own)
    expect(other.get_by_text("The address names a table that is not held here")).to_be_visible()
    context.close()
