"""Every page of the registry in a real browser, for three data sets: its numbers, its figures, its keyboard.

A page that is added is walked by itself; what numbers it must show stands in NUMBERS.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from patience import read_until, text_with
from playwright.sync_api import expect
from variants import main_cases

from dashboard.pages import PAGES
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.maps.surface import SurfaceCut, cut_surface
from dashboard.services.page import Page
from proset import explain
from proset.common.words import count_words, percent
from proset.companions.systems import SYSTEMS
from proset.data.samples import load_sample, sample_roles
from proset.explain.shares import added_percents
from proset.study import Study, fit_study
from proset.study.decision import confusion
from proset.study.settings import suggest_settings
from proset.study.unseen import untouched_rows

pytestmark = pytest.mark.e2e

DATA = ("cancer", "digits", "penguins")
MANY_CONTROLS = "penguins"  # with every kind of column; the keys are pressed for this one
MOST_TABS = 300
COMPARED = load_sample(MANY_CONTROLS).name  # with two systems; all six are in tests of their own

# What can be reached with the Tab key; of a group that the arrow keys walk through, one member must be.
WANTED = """
() => {
  const main = document.querySelector("[data-testid='stMain']");
  const all = "button, a[href], input, select, textarea, summary, [tabindex]";
  window.walked = new Set();
  window.wanted = [...main.querySelectorAll(all)].filter(
    e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0);
  document.addEventListener('focusin', e => window.walked.add(e.target));
  document.querySelector("[data-testid='stSidebar'] a").focus();
  return window.wanted.length;
}
"""
MISSED = """
() => {
  const group = e => e.closest("[role='radiogroup'], [role='toolbar'], [role='group'], [data-testid='stButtonGroup']");
  const walked = new Set([...window.walked].map(group).filter(Boolean));
  return window.wanted.filter(e => e.isConnected && !window.walked.has(e) && !walked.has(group(e)))
    .map(e => e.getAttribute('aria-label') || e.innerText || e.outerHTML.slice(0, 200));
}
"""
LEFT_MAIN = """
() => document.activeElement === document.body ||
  (window.walked.size > window.wanted.length && !document.activeElement.closest("[data-testid='stMain']"))
"""
# Figures, pictures and tables with the name that a screen reader says.
FIGURES = """
() => [...document.querySelectorAll("[data-testid='stMain'] .js-plotly-plot")].map(
  plot => plot.closest("[role='figure'], [role='img']")?.getAttribute('aria-label') ?? '')
"""
PICTURES = (
    "() => [...document.querySelectorAll(\"[data-testid='stMain'] img\")].filter(e => !e.alt).map(e => e.outerHTML)"
)
HEADINGS = """
() => [...document.querySelectorAll("[data-testid='stMain'] :is(h1, h2, h3, h4, h5, h6)")]
  .filter(e => e.checkVisibility()).map(e => Number(e.tagName[1]))
"""
DRAWN_WORDS = "() => [...document.querySelectorAll('.js-plotly-plot text')].map(e => e.textContent.trim())"
LENGTHS = "() => document.querySelector('.js-plotly-plot').calcdata.flatMap(points => points.map(point => point.s))"
# A table is drawn; what it says to those who cannot see it stands within the drawing.
CELLS = """
() => [...document.querySelectorAll("[data-testid='stMain'] canvas td")].map(e => e.textContent).join(' ')
"""
NAMED_ROLES = {"button", "link", "textbox", "combobox", "radio", "checkbox", "switch", "slider", "figure", "img", "tab"}


@cache
def study_of(data: str) -> Study:
    """What a link to the fitted model of a sample fits, by the engine alone."""
    table, roles = load_sample(data), sample_roles(data)
    usual = suggest_settings(len(table.frame), len(roles.features))
    return fit_study(table, roles, settings=replace(usual, random_state=2))  # a model that is wrong here and there


def held_out(study: Study):
    """Predictions of the held-out rows, and how many of them are wrong."""
    found = study.predictions.loc[study.split.held_out]
    return found, int((found["actual"] != found["predicted"]).sum())


# --- what a page must say of a study ----------------------------------------------------------------------------------
def data_numbers(visit, study: Study) -> list[str]:
    rows, columns = study.table.frame.shape
    return [
        f"{count_words(rows, 'row')}, {count_words(columns, 'column')}",
        f"{len(study.split.train):,} training rows",
    ]


def fit_numbers(visit, study: Study) -> list[str]:
    found = study.metrics
    right = len(held_out(study)[0]) - held_out(study)[1]
    return [
        f"Log-loss {found.log_loss:.3f}",
        f"naive {found.naive_log_loss:.3f}",
        percent(found.balanced_accuracy),
        f"Right for {right:,} of {len(study.split.held_out):,} unseen",
    ]


def quality_numbers(visit, study: Study) -> list[str]:
    found, _ = held_out(study)
    judged = study.judged()
    counts = confusion(judged[judged["part"] == "held_out"], study.classes).to_numpy()
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    whole = zip(counts[counts > 0], shares[counts > 0], strict=True)
    cells = Counter(f"{count:,}{share:.0f} %" for count, share in whole)
    drawn = read_until(lambda: Counter(visit.page.evaluate(DRAWN_WORDS)), lambda words: cells <= words)
    assert cells <= drawn, f"{cells - drawn} of the confusion matrix is not drawn"
    assert {f"{name} ({count})" for name, count in zip(study.classes, counts.sum(axis=1), strict=True)} <= set(drawn)
    return [f"Measured on {count_words(len(found), 'held-out row')}"]


def map_numbers(visit, study: Study) -> list[str]:
    found, wrong = held_out(study)
    shares, _ = added_percents(explain.batch_map(study).axis_shares)
    drawn = text_with(lambda: " ".join(visit.page.evaluate(DRAWN_WORDS)), shares)
    assert all(share in drawn for share in shares)
    rows = {mark["row"] for mark in visit.marks()}
    assert set(found.index) <= rows
    return [f"{len(found)} held-out rows, {wrong} of them misclassified"]


def surface_numbers(visit, study: Study) -> list[str]:
    # Without a selected case two features are cut at the reference point, and pictures over the map through its middle.
    features = SurfaceCut("", "", None, int(explain.choose_reference_point(study).index))
    found = cut_surface(study, features if study.table.grid is None else SurfaceCut("", "", 1, None))
    counts = np.bincount(found.likeliest.ravel(), minlength=len(study.classes))
    share = "all" if counts.max() == counts.sum() else percent(counts.max() / counts.sum())
    return [f"{study.classes[counts.argmax()]} is the most probable class on {share} of the area shown"]


def features_numbers(visit, study: Study) -> list[str]:
    weights = explain.feature_weights(study)
    if weights.grid is None:
        visit.page.wait_for_selector(".js-plotly-plot .nsewdrag")
        bars = visit.page.evaluate(LENGTHS)
        np.testing.assert_allclose(sorted(bars), sorted(weights.total), rtol=1e-6)
    return [words.split(":")[0] for words in weights.dropped_words]


def prototypes_numbers(visit, study: Study) -> list[str]:
    found, wrong = held_out(study)
    table = explain.prototypes(study)
    marks = table.frame[table.frame["dominant"] > 0]
    line = f"wrong as often as all cases ({percent(wrong / len(found))})" if wrong else ""
    idle = len(table.frame) - len(marks)
    said = f"{count_words(idle, 'helps', 'help')} to settle no case at all"
    return [f"Measured on all {len(found)} held-out rows", line, *([said] if idle else [])]


def start_numbers(visit, study: Study) -> list[str]:
    return [f"{study.roles.target} · {count_words(len(study.prototypes), 'prototype')}"]


def case_numbers(visit, study: Study) -> list[str]:
    former = visit.address
    visit.press("Next misclassified")
    expect(visit.page).not_to_have_url(former)
    row = int(re.search(r"[?&]row=(\d+)", visit.address)[1])
    lines = CaseEvidence(study, CaseRef.in_table(row)).headline
    assert lines.correct is False
    return [lines.name, lines.predicted, percent(lines.confidence), str(lines.actual)]


def new_numbers(visit, study: Study) -> list[str]:
    frame = study.table.frame.drop(columns=study.roles.target).head(40)
    text = frame.to_csv(index=False).encode()
    visit.page.get_by_test_id("stMain").locator("input[type=file]").first.set_input_files(
        {"name": "later.csv", "mimeType": "text/csv", "buffer": text}
    )
    expect(visit.page.get_by_text("40 rows: ")).to_be_visible()
    visit.settle()
    said = study.predictions.loc[frame.index, "predicted"].value_counts()
    return [f"{count} '{name}'" for name, count in said.items()]


def compare_numbers(visit, study: Study) -> list[str]:
    if study.table.name != COMPARED:  # before anything is compared: what there is to compare
        return [system.title for system in SYSTEMS.values()]
    visit.open(f"/compare?data={MANY_CONTROLS}&fit=own&random_state=2&systems=proset,knn")
    start = visit.page.get_by_test_id("stMain").get_by_role("button", name="Compare", exact=True)
    expect(start).to_be_visible()
    visit.settle()
    start.click()
    expect(visit.page.get_by_text("Compare again")).to_be_visible()
    visit.settle()
    found = study.metrics
    rows = f"{len(study.split.train)} training rows"
    # What a table says to those who cannot see it has all digits.
    return [f"{value:.16g}"[:10] for value in (found.log_loss, found.balanced_accuracy)] + [rows]


def review_numbers(visit, study: Study) -> list[str]:
    box = visit.page.get_by_role("textbox", name="Your name")
    box.fill("Ann")
    box.press("Enter")
    expect(visit.page.get_by_role("button", name="table is right")).to_be_visible()
    visit.settle()
    # The queue has taken the focus, and the Tab key goes on from there; back to the top.
    visit.page.get_by_role("link", name="Skip to main content").focus()
    return [f"{len(untouched_rows(study)):,} rows held out and never put up for judgement"]


def report_numbers(visit, study: Study) -> list[str]:
    found, wrong = held_out(study)
    return [
        f"right for {len(found) - wrong:,} of {len(found):,} held-out rows",
        f"keeps {count_words(len(study.prototypes), 'prototype')}",
    ]


NUMBERS = {
    "data": data_numbers,
    "fit": fit_numbers,
    "quality": quality_numbers,
    "map": map_numbers,
    "surface": surface_numbers,
    "start": start_numbers,
    "features": features_numbers,
    "prototypes": prototypes_numbers,
    "compare": compare_numbers,
    "case": case_numbers,
    "new": new_numbers,
    "report": report_numbers,
    "review": review_numbers,
}
"""By page: looks at what is drawn, and returns what must stand in the text of the page."""


def test_the_numbers_of_every_page_are_compared():
    assert [page.name for page in PAGES if page.name not in NUMBERS] == [], "say here what numbers the page must show"


# --- the walk ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("data", main_cases(DATA, only=[MANY_CONTROLS]))
def test_every_page_shows_the_numbers_of_the_engine_and_can_be_read_and_walked_without_a_mouse(visit, data):
    study = study_of(data)
    visit.open(f"/fit?data={data}&fit=own&random_state=2")
    expect(visit.page.get_by_text("model fitted").first).to_be_visible()
    for page in PAGES:
        visit.go(page.text.menu)
        visit.expect_no_traceback()
        wanted = NUMBERS[page.name](visit, study)
        text = text_with(lambda: read_all(visit), wanted)
        assert not re.search(r"\bnan\b", text, flags=re.IGNORECASE), page.name
        assert [words for words in wanted if words not in text] == [], f"{page.name} of {data} says: {text}"
        check_names(visit, page)
        if data == MANY_CONTROLS:
            check_keyboard(visit, page)


def read_all(visit) -> str:
    """All text of the page, its tables included: what they say to those who cannot see them."""
    return visit.text().replace("\u2060", "") + " " + visit.page.evaluate(CELLS)


def check_names(visit, page: Page) -> None:
    """Figures, pictures and controls have names; headings begin with the title and skip no level."""
    assert all(visit.page.evaluate(FIGURES)), f"a figure on {page.name} has no name"
    assert visit.page.evaluate(PICTURES) == [], f"a picture on {page.name} has no name"
    levels = visit.page.evaluate(HEADINGS)
    assert levels[:1] == [1], page.name
    assert levels.count(1) == 1, page.name
    assert all(later <= former + 1 for former, later in pairwise(levels)), f"headings of {page.name}: {levels}"
    session = visit.page.context.new_cdp_session(visit.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    unnamed = [
        node["role"]["value"]
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in NAMED_ROLES and not node["name"]["value"].strip()
    ]
    assert unnamed == [], f"controls without a name on {page.name}"


def check_keyboard(visit, page: Page) -> None:
    """The Tab key reaches everything that can be used."""
    visit.page.evaluate(WANTED)
    for _ in range(MOST_TABS // 10):
        for _ in range(10):
            visit.page.keyboard.press("Tab")
        if visit.page.evaluate(LEFT_MAIN):
            break
    assert visit.page.evaluate(MISSED) == [], f"out of reach of the Tab key on {page.name}"
