"""Every page of the registry for three data sets: the engine's numbers, names of figures, keys for each control."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from dashboard.pages import PAGES
from dashboard.services.cases import CaseRef, CaseSet
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.study import Study, fit_study

pytestmark = pytest.mark.e2e

SETS = ("cancer", "digits", "penguins")
MOST_TABS = 150

HEADINGS = """() => [...document.querySelectorAll('[data-testid=stMain] :is(h1,h2,h3,h4,h5,h6)')]
  .filter(e => e.checkVisibility()).map(e => [Number(e.tagName[1]), e.innerText])"""
NAMELESS = """() => [...document.querySelectorAll('[data-testid=stMain] :is([data-testid=stPlotlyChart],img)')]
  .filter(e => !(e.getAttribute('aria-label') || e.getAttribute('alt') || '').trim())
  .map(e => e.outerHTML.slice(0, 200))"""
# A table is drawn; what it says to those who cannot see it stands within the drawing.
CELLS = "() => [...document.querySelectorAll('[data-testid=stMain] canvas td')].map(e => e.textContent).join(' ')"
# Buttons of tables and of Plotly's tool bar come out only when pointed at; options of one choice are one stop.
CONTROLS = """() => {
  const found = [...document.querySelectorAll(
    '[data-testid=stMain] :is(button,a,input,textarea,summary):not([disabled]):not([tabindex="-1"]):not([type=file])')];
  const own = found.filter(e => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && !e.closest('[data-testid=stDataFrame],[data-testid=stElementToolbar],[data-testid=stButtonGroup],.modebar,[role=radiogroup],[role=dialog]'));
  own.forEach((e, i) => e.dataset.control = i);
  return own.map(e => e.getAttribute('aria-label') || e.innerText || e.outerHTML.slice(0, 120));
}"""
FOCUSED = "() => document.activeElement?.dataset.control"


@pytest.fixture(scope="module")
def studies() -> dict[str, Study]:
    """What the app fits for an address that says nothing of settings."""
    return {name: fit_study(load_sample(name), sample_roles(name)) for name in SETS}


def first_wrong(study: Study) -> CaseRef:
    """The error that is looked at first."""
    return CaseSet().cases(study.judged())[0]


def accuracy(study: Study) -> str:
    """Share of the held-out rows that are right, as pages write it."""
    judged = study.judged()
    held_out = judged[judged["part"] == "held_out"]
    return percent(float(held_out["correct"].astype(float).mean()))


def counts(study: Study) -> str:
    """How many rows are held out and how many of them are wrong."""
    judged = study.judged()
    held_out = judged[judged["part"] == "held_out"]
    return f"{len(held_out)} held-out rows, {int(held_out['wrong'].sum())} of them misclassified"


def estimate(study: Study) -> tuple[str, str]:
    """What the model says of the error that is looked at first."""
    line = study.judged().loc[first_wrong(study).row]
    return str(line["predicted"]), percent(float(line["confidence"]))


# What must stand on a page; a page that is not named here is held to everything else.
SAYS: dict[str, Callable[[Study], tuple[str, ...]]] = {
    "data": lambda study: (f"{len(study.table.frame):,} rows",),
    "fit": lambda study: (accuracy(study),),
    "quality": lambda study: (accuracy(study), f"Measured on {len(study.split.held_out)} held-out rows"),
    "map": lambda study: (counts(study),),
    "case": lambda study: (f"Row {first_wrong(study).row}", *estimate(study)),
}


def text_with(visit, said: tuple[str, ...]) -> str:
    """Return what a page says, tables included, once it says all of this; tables are drawn a little later."""
    text = ""
    for _ in range(40):
        text = f"{visit.text()} {visit.page.evaluate(CELLS)}"
        if all(part in text for part in said):
            break
        visit.page.wait_for_timeout(100)
    missing = [part for part in said if part not in text]
    assert not missing, f"{missing} is not said: {text[:1500]}"
    return text


def reach_with_tab(page: Page) -> list[str]:
    """Press Tab through a page; return the controls that were not reached."""
    page.evaluate("document.activeElement?.blur()")
    labels = page.evaluate(CONTROLS)
    missing = set(range(len(labels)))
    for _ in range(MOST_TABS):
        if not missing:
            break
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUSED)
        missing -= {int(here)} if here is not None else set()
    return [labels[i] for i in sorted(missing)]


def check_headings(page: Page, name: str) -> None:
    """One title, and no level left out below it."""
    headings = page.evaluate(HEADINGS)
    levels = [level for level, _ in headings]
    assert levels[:1] == [1], (name, headings)
    assert levels.count(1) == 1, (name, headings)
    assert all(b <= a + 1 for a, b in pairwise(levels)), (name, headings)


@pytest.mark.parametrize("name", SETS)
def test_every_page_shows_what_the_engine_says_and_can_be_read_out(visit, studies, name):
    study = studies[name]
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    visit.open(f"/fit?data={name}&fit=1&row={first_wrong(study).row}")
    expect(visit.page.get_by_text("On rows the model has not seen")).to_be_visible(timeout=90_000)
    for page in PAGES:
        visit.go(page.text.menu)
        text = text_with(visit, SAYS.get(page.name, lambda _: ())(study))
        assert not re.search(r"\bnan\b", text, flags=re.IGNORECASE), page.name
        check_headings(visit.page, page.name)
        assert visit.page.evaluate(NAMELESS) == [], page.name
        if name == "penguins":
            assert reach_with_tab(visit.page) == [], page.name
        visit.expect_no_traceback()
