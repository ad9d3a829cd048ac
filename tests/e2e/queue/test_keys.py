"""Whose the keys are, and that they do nothing while somebody types."""

from __future__ import annotations

import pytest
from patience import expect_equal, read_until
from playwright.sync_api import expect
from queue_page import IDLE, Review, expect_kept

pytestmark = pytest.mark.e2e


# A window as Streamlit opens one when it has lost the server: it takes the focus.
ALARM = """
() => {
  const alarm = document.createElement("div");
  alarm.dataset.testid = "stDialog";
  alarm.innerHTML = "<div role='dialog'><button>Close</button></div>";
  document.body.append(alarm);
  alarm.querySelector("button").focus();
}
"""


NO_ALARM = "() => document.querySelector('[data-testid=stDialog]').remove()"


@pytest.mark.slow
def test_a_window_about_a_lost_server_takes_no_letter_of_a_note(review):
    one = review()
    one.press("n")
    one.page.keyboard.type("half")
    one.page.evaluate(ALARM)
    one.page.keyboard.type(" a no")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == []
    one.page.evaluate(NO_ALARM)
    one.page.evaluate(ALARM)
    one.page.evaluate(NO_ALARM)
    one.headline.click()  # whoever clicks elsewhere types there
    one.press("4")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == ["both"]
    one.press("u")
    one.page.evaluate(ALARM)  # nobody types now, and the window has the keys
    one.page.keyboard.type("1n")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == []


def test_keys_do_nothing_while_somebody_types_or_a_window_is_open(review):
    one = review(input=1)
    one.press("n")
    one.page.keyboard.type("1 junk for usf 2")
    expect(one.page.locator("textarea")).to_have_value("1 junk for usf 2")
    assert one.chosen() == []
    one.press("Escape", "1")
    assert one.chosen() == ["table"]
    words = one.page.get_by_label("Words of the page")
    words.click()
    one.page.keyboard.type("246jks")
    expect(words).to_have_value("246jks")
    one.page.wait_for_timeout(IDLE)
    assert one.chosen() == ["table"]
    one.expect_row(one.rows[0])
    one.headline.click()
    one.press("h")
    expect(one.page.locator("dialog")).to_be_visible()
    one.press("2", "j", "Enter")
    expect(one.page.locator("dialog dl kbd")).to_have_count(12)  # there is no picture to veil
    expect(one.page.locator("dialog dl")).to_contain_text("J / →")
    expect(one.page.locator("dialog dl")).not_to_contain_text("object")
    one.press("Escape")
    expect(one.page.locator("dialog")).to_be_hidden()
    one.press("Control+j", "Alt+4", "Meta+2")
    one.expect_row(one.rows[0])
    assert one.chosen() == ["table"]
    assert one.kept() == []


@pytest.mark.slow
def test_what_is_typed_stays_when_the_page_runs_again(review):
    one = review(input=1)
    one.press("1", "Enter", "6", "n")
    one.page.keyboard.type("still wri")
    read_until(one.pairs, lambda pairs: pairs == [(one.rows[0], "table")])
    expect(one.page.locator(".unsent")).to_be_hidden()
    one.page.keyboard.type("ting")
    expect(one.page.locator("textarea")).to_have_value("still writing")
    one.expect_row(one.rows[1])
    assert one.chosen() == ["undecidable"]


@pytest.mark.slow
def test_keys_end_with_the_queue_and_what_was_chosen_comes_back_with_it(review):
    one = review(switch=1, at=0)
    one.press("1", "Enter", "4")
    box = one.page.get_by_text("The queue is here")
    box.click()
    expect(one.headline).to_have_count(0)
    one.page.get_by_text("Nothing else").click()
    one.press("6", "Enter", "s", "j")
    box.click()
    one.expect_counts("1 of 40 judged, 39 left")
    one.expect_row(one.rows[1])
    assert one.chosen() == ["both"]
    one.press("Enter", "Enter")
    expect(one.page.locator(".message")).to_contain_text("Choose")
    box.click()
    expect(one.headline).to_have_count(0)
    box.click()
    expect(one.page.locator(".message")).to_contain_text("Choose")  # what was said stands there, too
    expect_kept(one, [(one.rows[0], "table"), (one.rows[1], "both")])


# Calls the queue as Streamlit does, in an element of the test's own.
MOUNT = """async data => {
    const address = performance.getEntriesByType("resource").map(one => one.name).find(one => one.includes("queue.js"));
    const queue = await import(address);
    const host = document.body.appendChild(document.createElement("div"));
    const parentElement = host.attachShadow({ mode: "open" });
    window.sent = [];
    window.host = host;
    window.call = changes => {
        const setStateValue = (name, value) => name === "log" && window.sent.push(...value.map(one => one.verdict));
        return queue.default({ parentElement, data: { ...data, ...changes }, setStateValue });
    };
}"""


def without_a_queue(review) -> Review:
    """Open a page whose queue has been taken away, so that a test can mount one by hand."""
    one = review(n=8, switch=1)
    one.page.get_by_text("The queue is here").click()
    expect(one.headline).to_have_count(0)
    return one


@pytest.mark.slow
def test_a_call_that_newer_data_overtook_takes_no_keys_with_it(review):
    one = without_a_queue(review)
    one.page.evaluate(MOUNT, one.queue)
    one.page.evaluate("call()()")  # overtaken: ended before it is called again
    one.press("1", "Enter", "4", "Enter")
    one.expect_row(one.rows[2])
    one.press("k")
    one.expect_row(one.rows[1])
    one.page.evaluate("call({ order: 'other' })()")  # the same queue, which hears that the order is another
    one.expect_row(one.rows[2])
    one.expect_counts("2 of 8 judged")
    expect_equal(lambda: one.page.evaluate("[...new Set(sent)]"), ["table", "both"])
    one.page.evaluate("host.remove()")  # taken away, and nobody ends anything: keys are no longer the queue's
    one.page.wait_for_function("() => !document.documentElement.style.getPropertyValue('--queue-foot')")
    one.page.evaluate("sent.length = 0")
    one.press("6", "Enter")
    one.page.wait_for_timeout(IDLE)
    assert one.page.evaluate("sent") == []


@pytest.mark.slow
def test_the_queue_takes_the_focus_from_a_name_that_was_typed_and_from_nobody_who_has_gone_on(review):
    one = without_a_queue(review)
    box = one.page.get_by_role("checkbox").element_handle()
    for goes_on, focused in ((True, "box"), (False, "host")):
        one.page.evaluate(MOUNT, one.queue)
        one.page.evaluate(
            """([box, goes_on]) => {
                window.box = box;
                document.body.appendChild(document.createElement("input")).focus();
                window.call({});
                if (goes_on) box.focus();
            }""",
            [box, goes_on],
        )
        expect(one.headline).to_be_visible()
        one.page.wait_for_timeout(IDLE)
        assert one.page.evaluate(f"document.activeElement === {focused}")
        one.page.evaluate("host.remove()")
