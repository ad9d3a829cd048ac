"""All stands on one screen, can be read, and holds words of strangers as words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from contrast import contrast
from patience import expect_equal, read_until
from playwright.sync_api import expect

from dashboard.client import FOLDER
from dashboard.texts.review_words import WORDS

pytestmark = pytest.mark.e2e


COLOURS = """
canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let coloured = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 80) coloured += 1;
  return coloured;
}
"""


@pytest.mark.slow
def test_the_map_is_drawn_with_the_case_and_blind_it_has_no_classes(review):
    one, blind = review(n=9), review(n=10, blind=1)
    small = one.page.locator("section.map canvas")
    expect(small).to_have_attribute("aria-label", re.compile("row 356, row 74; leading prototypes: row 297"))
    assert small.evaluate(COLOURS) > 100
    one.press("m")
    large = one.page.locator("dialog canvas")
    expect(large).to_be_visible()
    assert large.bounding_box()["width"] > 2 * small.bounding_box()["width"]
    veiled = blind.page.locator("section.map canvas")
    expect(veiled).to_be_visible()
    assert veiled.evaluate(COLOURS) == 0
    assert "leading" not in veiled.get_attribute("aria-label")


def test_names_of_strangers_do_not_run(review):
    one = review(n=11, hostile=1, classes=3)
    expect(one.page.locator(".values")).to_contain_text("<script>window.hacked = 1</script>")
    one.press("3", "1", "m", "Escape", "ArrowDown", "f", "Enter", "h", "Escape")
    expect_equal(lambda: len(one.kept()), 1)
    assert one.page.evaluate("() => window.hacked") is None
    assert one.page.locator(".review script, .review img").count() == 0


VERDICTS = ("table", "model", "other", "both", "faulty", "undecidable")


def test_columns_that_are_not_listed_are_counted_and_it_says_where_they_are(review):
    head = review(n=12).page.locator(".values .under")
    said = r"Used, of less weight: 2 more; Not used .*, the oddest first: \d+ of \d+; Case lists the rest"
    expect(head).to_have_text(re.compile(said))


def test_what_moves_the_estimate_by_next_to_nothing_is_not_said_to_move_it_by_nothing(review):
    moved = review(n=13).page.locator(".moves .number")
    expect(moved.nth(2)).to_have_text("< 0.1")
    assert all(re.fullmatch(r"[+−]\d+\.\d", moved.nth(at).inner_text()) for at in (0, 1))


def test_every_word_of_the_screen_is_there():
    folder = Path(FOLDER)
    used = {name for file in folder.glob("*.js") for name in re.findall(r"\bwords\.([a-z_]+)", file.read_text())}
    assert len(used) > 60
    assert used - set(WORDS) == set()
    made = {f"{kind}_{verdict}" for kind in ("verdict", "help") for verdict in VERDICTS}
    assert set(WORDS) >= made | {"sure", "rather", "unsure", "save", "skip", "undo", "keys"}


def test_words_grow_with_the_text_of_the_page():
    """A presenter's text is a quarter larger; only what is drawn in a picture of a given size is measured in pixels."""
    styles = (Path(FOLDER) / "queue.css").read_text()
    fixed = [rule for rule in styles.split("}") if re.search(r"font(-size)?:[^;]*\dpx", rule)]
    assert [rule.partition("{")[0].split("*/")[-1].strip() for rule in fixed] == ["svg.answer"]


# Words of the component with their colour, and that of what is behind them, layer by layer.
LAYERS = """
() => {
  const root = [...document.querySelectorAll("*")].find(one => one.shadowRoot?.querySelector(".review")).shadowRoot;
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const over = layers => { canvas.clearRect(0, 0, 1, 1);
    for (const one of layers) { canvas.fillStyle = one; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const owner = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || owner.closest("style, .aside, :disabled, [aria-disabled=true]") || !owner.checkVisibility()) continue;
    const layers = [];
    for (let one = owner; one; one = one.parentElement ?? one.getRootNode().host)
      layers.unshift(getComputedStyle(one).backgroundColor);
    found.push({text, ink: over([...layers, getComputedStyle(owner).color]), ground: over(layers)});
  }
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_stands_on_one_screen_and_can_be_read(review, scheme):
    one = review(n=12, classes=3)
    one.page.emulate_media(color_scheme=scheme)
    expect(one.page.locator(f".review[data-look={scheme}]")).to_be_visible()
    one.press("ArrowDown", "f")
    high, room = one.page.get_by_test_id("stMain").evaluate("one => [one.scrollHeight, one.clientHeight]")
    assert high <= room
    for part in (".left .values", ".right"):
        inner, outer = one.page.locator(part).evaluate("one => [one.scrollHeight, one.clientHeight]")
        assert inner <= outer, part
    words = one.page.evaluate(LAYERS)
    assert len(words) > 100
    faint = {
        word["text"]: contrast(*("#{:02x}{:02x}{:02x}".format(*word[name]) for name in ("ink", "ground")))
        for word in words
    }
    assert {text: ratio for text, ratio in faint.items() if ratio < 4.5} == {}


def test_a_narrow_window_keeps_the_foot_in_sight(review):
    one = review(n=13)
    one.page.set_viewport_size({"width": 800, "height": 900})
    one.page.mouse.move(400, 400)
    one.page.mouse.wheel(0, 3000)
    box = read_until(one.foot.bounding_box, lambda box: box["y"] + box["height"] >= 899)
    assert box["y"] + box["height"] == pytest.approx(900, abs=1)
    assert one.page.evaluate("() => document.documentElement.scrollWidth") <= 800
    expect(one.page.locator("textarea")).to_be_in_viewport()
    note = one.page.locator("textarea").bounding_box()
    assert note["y"] + note["height"] <= box["y"]
    lines = one.foot.locator("button").evaluate_all("all => all.map(it => Math.round(it.getBoundingClientRect().y))")
    assert len(set(lines)) == 2, "the last key alone has a line of its own"


SIZES = "one => [one.scrollWidth, one.clientWidth]"


@pytest.mark.slow
def test_columns_that_do_not_fit_are_left_out_whole_and_come_back(review):
    one = review(n=14, classes=3)
    values = one.page.locator(".values")
    shown = {}
    for width in (1440, 1050, 640, 1440):
        one.page.set_viewport_size({"width": width, "height": 900})
        one.page.wait_for_function(f"innerWidth === {width}")
        inner, outer = read_until(lambda: values.evaluate(SIZES), lambda found: found[0] <= found[1])
        assert inner <= outer, width
        heads = values.locator("thead th").evaluate_all("all => all.filter(one => one.checkVisibility()).length")
        shown.setdefault(width, heads)
        assert shown[width] == heads
    assert shown[640] < shown[1440]
