"""No press is lost or goes to a wrong row, and nothing written is gone, whatever becomes of the server."""

from __future__ import annotations

import threading

import pytest
from patience import expect_equal
from playwright.sync_api import expect
from queue_page import GONE, expect_kept, judge_all, reviews

pytestmark = pytest.mark.e2e


def test_ten_verdicts_pressed_in_a_row_all_arrive_on_their_rows(review):
    one = review()
    wanted = judge_all(one, 10, 80)
    one.expect_counts("10 of 40 judged, 30 left")
    one.expect_row(one.rows[10])
    expect_kept(one, wanted)


@pytest.mark.exhaustive
def test_a_server_that_is_killed_and_started_again_loses_nothing(browser, frail_queue_server):
    _survives(browser, frail_queue_server, 40)


@pytest.mark.exhaustive
def test_two_hundred_verdicts_survive_a_killed_server(browser, frail_queue_server):
    _survives(browser, frail_queue_server, 200)


def _survives(browser, server, n):
    with reviews(browser, server, f"survives{n}", GONE) as make:
        one = make(n=n + 10)
        first = one.rows[0]
        one.expect_row(first)
        back = threading.Thread(target=server.start)

        def kill():
            server.kill()

        wanted = judge_all(one, n, 200, {n // 4: kill, n // 2: back.start})
        one.expect_counts(f"{n} of {n + 10} judged")
        back.join()
        expect_kept(one, wanted)


def test_what_was_not_sent_survives_a_reload(browser, frail_queue_server):
    with reviews(browser, frail_queue_server, "reload", GONE) as make:
        one = make()
        frail_queue_server.kill()
        wanted = judge_all(one, 5, 100)
        one.press("n")
        one.page.keyboard.type("half a no")
        one.press("Escape")
        assert one.kept() == []
        frail_queue_server.start()
        one.open()
        one.expect_counts("5 of 40 judged")
        expect_kept(one, wanted)
        one.expect_row(one.rows[5])
        expect(one.page.locator("textarea")).to_have_value("half a no")


@pytest.mark.slow
def test_a_refused_verdict_is_shown_and_the_case_is_open_again(review):
    one = review(n=9, refuse="no")
    one.press("1", "n")
    one.page.keyboard.type("no")
    one.press("Escape", "Enter")
    expect(one.page.locator(".refused")).to_contain_text("The row has changed since. Open it again.")
    one.expect_counts("0 of 9 judged")
    one.page.get_by_role("button", name="show the case").click()
    one.expect_row(one.rows[0])
    one.open()
    expect(one.page.locator(".refused")).to_contain_text("The row has changed since")
    one.page.get_by_role("button", name="dismiss").click()
    expect(one.page.locator(".refused")).to_be_hidden()
    assert one.kept() == []


@pytest.mark.slow
def test_no_verdict_is_taken_for_a_case_that_is_not_there_yet(review, queue_server):
    one = review(late=1)
    one.press("1", "Enter", "1", "Enter")
    expect(one.page.locator(".waiting")).to_be_visible()
    one.expect_row(one.rows[1])
    first = (one.rows[0], "table")
    expect_equal(one.pairs, [first])
    (queue_server.folder / "evidence").touch()
    expect(one.page.locator(".grid")).to_be_visible()
    one.press("4", "Enter")
    expect_equal(one.pairs, [first, (one.rows[1], "both")])
