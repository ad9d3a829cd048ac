"""A number as target in a real browser: from a file of one's own to an explained case, back, and a new row."""

from __future__ import annotations

import re

import pytest
from number_tables import houses
from playwright.sync_api import expect

from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.selection import NumberPlan
from proset.study import search_number_study

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture(scope="module")
def own_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "houses.csv"
    houses().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def own_study(own_file):
    """The same file, target and seed through the API."""
    table = read_table(own_file)
    return search_number_study(table, guess_roles(table, target="price").roles, plan=NumberPlan.quick())


def test_from_a_file_to_a_case_and_what_it_is_made_of(visit, own_file, own_study):
    visit.open()
    visit.page.locator("input[type=file]").first.set_input_files(own_file)
    expect(visit.page.get_by_role("heading", name=own_file.name)).to_be_visible()
    visit.settle()
    visit.choose("Target: the column to estimate", "price")
    expect(visit.page.get_by_text("price is a number: the model will state a distribution")).to_be_visible()
    visit.page.get_by_role("link", name="Fit", exact=True).first.click()
    visit.settle()
    visit.page.get_by_role("button", name="Fit", exact=True).click()
    expect(visit.page.get_by_text("Off by").first).to_be_visible()
    visit.settle()
    for page in ("Quality", "Map", "Surface", "Features", "Prototypes", "Report"):
        visit.go(page)
        visit.settle()
        visit.expect_no_traceback()
    visit.go("Case")
    visit.settle()
    row = int(own_study.split.held_out[0])
    name = own_study.names_of(own_study.table.frame.loc[[row]])[0]
    said = own_study.predictions.loc[row]
    box = visit.page.get_by_placeholder(re.compile("Find"))
    box.fill(f"row {row}")
    box.press("Enter")
    heading = visit.page.get_by_role("heading", name=re.compile(re.escape(name)))
    expect(heading.first).to_contain_text("about")
    stated = re.search(r"about ([\d.,]+\d)", heading.first.inner_text()).group(1)
    assert float(stated.replace(",", "")) == pytest.approx(said["median"], rel=0.01)
    visit.settle()
    leading = visit.page.get_by_text(re.compile(r"so it says .*, give or take"))
    expect(leading.first).to_be_visible()
    visit.page.go_back()
    visit.settle()
    visit.expect_no_traceback()
