"""What only a narrow window shows."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from variants import main_cases

from dashboard.pages import PAGES

pytestmark = pytest.mark.e2e

# Numbers in the table of values that lose their last digits.
NUMBERS_CUT = """
() => [...document.querySelectorAll('.case-values td')]
  .filter(cell => cell.offsetParent && cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)
  .filter(text => /^[-\\d.,]+$/.test(text))
"""

# Columns whose cell is narrower than the name in it with the word beside it.
WORDS_CUT = """
marks => marks.map(mark => mark.parentElement).filter(cell => cell.scrollWidth > cell.clientWidth + 1)
  .map(cell => cell.title)
"""

READABLE = 400  # pixels; beside its table the surface was under 200 wide
BEGINS = 150  # pixels above what a page is about
TITLED_BY_WHAT_THEY_SHOW = {"start", "case"}
INK = "rgb(22, 32, 42)"  # of figures, on a light page
ONE_LINE = 60  # pixels; with tools below the title the head has more than 70


def readable(visit):
    """Fail unless the first figure is drawn wide enough to read."""
    expect(visit.page.locator(".js-plotly-plot .nsewdrag").first).to_be_attached()
    visit.settle()
    assert visit.at_rest(visit.page.locator(".js-plotly-plot").first.bounding_box)["width"] > READABLE


@pytest.mark.exhaustive
def test_a_surface_stays_wide_enough_to_read(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/surface?data=iris_2f&fit=own")
    readable(visit)


@pytest.mark.slow
def test_a_matrix_stands_above_its_measures_where_beside_them_it_would_be_too_narrow(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/quality?data=wine&fit=1")
    readable(visit)
    visit.go("Surface")
    readable(visit)


@pytest.mark.slow
def test_answers_of_a_number_stand_above_their_measures_where_beside_them_it_would_be_too_narrow(visit):
    visit.page.set_viewport_size({"width": 1000, "height": 900})
    visit.open("/quality?data=cars&fit=own&n_iter=1")
    readable(visit)


@pytest.mark.exhaustive
def test_every_page_begins_at_once(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/fit?data=iris_2f&fit=1")
    expect(visit.page.get_by_text("model fitted").first).to_be_visible()
    for page in (page for page in PAGES if page.name not in TITLED_BY_WHAT_THEY_SHOW):
        visit.go(page.text.menu)
        head = visit.at_rest(visit.page.locator(".st-key-frame-head").bounding_box)
        assert head["y"] + head["height"] < BEGINS, page.name


@pytest.mark.slow
@pytest.mark.parametrize("width", main_cases([1000, 1280], only=[1000]))
def test_title_and_tools_stand_in_one_line_on_a_small_screen(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.open("/quality?data=iris_2f&fit=1")
    expect(visit.page.get_by_text("model fitted").first).to_be_visible()
    for name in ("Quality", "Surface", "Prototypes", "Compare"):
        visit.go(name)
        assert visit.at_rest(visit.page.locator(".st-key-frame-head").bounding_box)["height"] < ONE_LINE, name
    visit.go("Start")
    assert visit.at_rest(visit.page.locator(".st-key-start-words").bounding_box)["width"] > 0.8 * READABLE


@pytest.mark.slow
@pytest.mark.parametrize("width", main_cases([1000, 1280], only=[1000]))
def test_numbers_of_a_case_are_read_whole(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.open("/case?data=cancer&fit=1&row=298")
    expect(visit.page.locator(".case-values").first).to_be_visible()
    visit.settle()
    assert visit.at_rest(lambda: visit.page.evaluate(NUMBERS_CUT)) == []


@pytest.mark.slow
def test_a_column_that_contradicts_says_so_in_a_whole_word(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/case?data=cancer&fit=1&row=298")
    marks = visit.page.locator(".case-values .against")
    expect(marks.first).to_be_visible()
    visit.settle()
    assert visit.at_rest(lambda: marks.evaluate_all(WORDS_CUT)) == []


@pytest.mark.slow
def test_a_long_fact_about_a_case_takes_two_lines_and_nothing_scrolls_sideways(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/case?data=penguins&fit=1&row=7")
    expect(visit.page.locator(".case-chip.doubt")).to_be_visible()
    visit.settle()
    main = visit.page.get_by_test_id("stMain")
    assert visit.at_rest(lambda: main.evaluate("it => it.scrollWidth - it.clientWidth")) <= 1


@pytest.mark.slow
def test_a_list_of_cases_has_the_title_of_its_page_and_a_case_its_verdict(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/case?data=iris_2f&fit=1")
    title = visit.page.locator(".st-key-frame-head h1")
    expect(visit.page.get_by_role("heading", name="Misclassified cases")).to_be_visible()
    assert title.evaluate("it => getComputedStyle(it).clipPath") == "none"
    head, tools = (visit.at_rest(visit.page.locator(f".st-key-frame-{it}").bounding_box) for it in ("head", "tools"))
    assert head["height"] < ONE_LINE
    assert tools["x"] < head["x"] + 0.5 * head["width"]  # beside the title, as on any page
    visit.page.get_by_role("button", name="Next misclassified").click()
    expect(visit.page.locator("h2.case-head")).to_be_visible()  # "what if" has one of the third level
    assert title.evaluate("it => getComputedStyle(it).clipPath") != "none"
    # What is dragged is the case: it has the colour of text, as its diamond has.
    knob = visit.page.locator(".st-key-case-whatif input[type=range]").first.locator("xpath=../..")
    assert knob.evaluate("it => getComputedStyle(it).backgroundColor") == INK


@pytest.mark.slow
def test_cards_beside_one_another_are_equally_high(visit):
    visit.page.set_viewport_size({"width": 1280, "height": 900})
    visit.open("/")
    cards = visit.page.locator("[data-testid=stGridCell] > * > * > [data-testid=stLayoutWrapper]")
    expect(cards.nth(9)).to_be_attached()
    visit.settle()
    boxes = visit.at_rest(lambda: [card.bounding_box() for card in cards.all()])
    lines = {
        round(box["y"]): {round(one["height"]) for one in boxes if round(one["y"]) == round(box["y"])} for box in boxes
    }
    assert len(lines) > 1
    assert all(len(heights) == 1 for heights in lines.values()), lines
