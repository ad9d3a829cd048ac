"""What can be said of a case, taken back, and set aside."""

from __future__ import annotations

import pytest
from patience import expect_equal, read_until
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


# In the page: whether the frame that follows a key has what was asked for.
DRAWN = """
() => {
  window.drawn = {verdict: 0, next: 0, frames: 0};
  const root = [...document.querySelectorAll("*")].find(one => one.shadowRoot?.querySelector(".review")).shadowRoot;
  document.addEventListener("keydown", event => {
    const kind = event.key === "Enter" ? "next" : "verdict";
    const before = root.querySelector(".about").textContent;
    requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => {
      const other = root.querySelector(".about").textContent !== before && !root.querySelector(".grid").hidden;
      const seen = kind === "next" ? other : root.querySelector(".verdict[aria-pressed=true]") !== null;
      window.drawn[kind] += seen;
      window.drawn.frames += 1;
    }; channel.port2.postMessage(0); });
  }, {capture: true});
}
"""


def test_a_verdict_is_drawn_at_once_and_so_is_the_next_case(review):
    one = review(spare=24)
    one.page.evaluate(DRAWN)
    for frames in range(1, 41):  # a key that came before the frame of the one before would change what that one shows
        one.press("1" if frames % 2 else "Enter")
        expect_equal(lambda: one.page.evaluate("() => window.drawn.frames"), frames)
    assert one.page.evaluate("() => window.drawn") == {"verdict": 20, "next": 20, "frames": 40}


def test_undo_takes_back_a_choice_then_a_verdict_then_the_one_before(review):
    one = review()
    first, second, third = one.rows[:3]
    one.press("1", "Enter", "4", "Enter", "6")
    one.expect_row(third)
    one.press("u")
    assert one.chosen() == []
    one.press("u")
    one.expect_row(second)
    one.expect_counts("1 of 40 judged")
    one.press("u")
    one.expect_row(first)
    one.press("u")
    expect(one.page.locator(".message")).to_contain_text("nothing to take back")
    one.press("2", "Enter")
    wanted = [(first, "table"), (second, "both"), (second, "undone"), (first, "undone"), (first, "model")]
    expect_equal(one.pairs, wanted)
    kept = one.kept()
    assert [kept[2]["takes_back"], kept[3]["takes_back"]] == [kept[1]["id"], kept[0]["id"]]
    one.open()
    one.press("k", "k", "k")
    one.expect_row(first)
    expect(one.page.locator(".state")).to_contain_text("model is right")
    one.press("u")
    expect_equal(one.pairs, [*wanted, (first, "undone")])
    assert one.kept()[-1]["takes_back"] == kept[4]["id"]


def test_skipped_cases_come_back_and_are_passed_over_meanwhile(review):
    one = review(n=4)
    first, second, third, fourth = one.rows
    one.press("s")
    one.expect_row(second)
    one.expect_counts("1 set aside")
    one.press("1", "Enter", "1", "Enter", "1", "Enter")
    one.expect_counts("3 of 4 judged, 1 left")
    message = one.page.locator(".message")
    expect(message).to_contain_text("All that is left was set aside (1): K leads back to it")
    foot, said = one.foot.bounding_box(), message.bounding_box()
    assert said["y"] >= foot["y"], "it lies over what stands above the keys"
    grid = read_until(one.page.locator(".grid").bounding_box, lambda box: box["y"] + box["height"] <= said["y"])
    assert grid["y"] + grid["height"] <= said["y"]
    one.press("k", "k", "k")
    one.expect_row(first)
    one.press("s")
    expect(one.page.locator(".state")).to_be_hidden()
    one.press("1", "Enter")
    one.expect_counts("4 of 4 judged, 0 left")
    wanted = [
        (first, "skipped"),
        *((row, "table") for row in (second, third, fourth)),
        (first, "undone"),
        (first, "table"),
    ]
    expect_equal(one.pairs, wanted)


@pytest.mark.slow
def test_another_class_is_asked_for_where_there_is_one(review):
    two = review(n=5)
    two.press("3")
    expect(two.page.locator(".message")).to_contain_text("only two classes")
    assert two.chosen() == []
    three = review(n=6, classes=3)
    case = three.queue["cases"][str(three.rows[0])]
    (other,) = {"Adelie", "Chinstrap", "Gentoo"} - {case["said"], case["actual"]}
    three.press("3")
    expect(three.page.locator("dialog button.class")).to_have_text([f"1{other}"])
    three.press("1")
    expect(three.foot.locator("[data-verdict=other]")).to_contain_text(f"another class: {other}")
    three.press("Enter")
    expect_equal(lambda: [(entry["verdict"], entry["new_label"]) for entry in three.kept()], [("other", other)])


def test_blind_only_a_class_can_be_said(review):
    one = review(n=7, blind=1)
    expect(one.page.get_by_text("wrong", exact=True)).to_have_count(0)
    one.press("1")
    expect(one.page.locator(".message")).to_contain_text("hidden")
    one.press("3", "2", "Enter")
    expect_equal(lambda: [(entry["verdict"], entry["new_label"]) for entry in one.kept()], [("other", "malignant")])


def test_a_faulty_cell_is_flagged_with_reasons_and_certainty(review):
    one = review(n=8)
    one.press("f")
    expect(one.page.locator(".message")).to_contain_text("Choose a cell")
    one.press("ArrowDown", "ArrowDown", "f")
    assert one.chosen() == ["faulty"]
    one.page.get_by_role("button", name="measurement").click()
    one.page.get_by_role("button", name="rather").click()
    one.press("Enter")
    expect_equal(lambda: len(one.kept()), 1)
    (entry,) = one.kept()
    cell = one.queue["cases"][str(one.rows[0])]["columns"]["lines"][1]["name"]
    assert (entry["verdict"], entry["cell"], entry["reasons"], entry["certainty"]) == (
        "faulty", cell, ["measurement"], "rather",
    )  # fmt: skip
    assert 0 < entry["seconds"] < 600
