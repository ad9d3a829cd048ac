"""What people come for: from a file of their own to an explained case, and a link to share."""

from __future__ import annotations

import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from patience import HANG, expect_equal, text_with
from playwright.sync_api import expect

from dashboard.services.case.ledger import ledger
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.cases.case import explain_case
from proset.selection import JointPlan
from proset.study import search_study

pytestmark = pytest.mark.e2e

N_ROWS = 240
TARGET = "Zustand"


@pytest.fixture(scope="module")
def own_file(tmp_path_factory):
    """A German CSV that is not bundled: semicolons, decimal commas, a category, an identifier, classes that overlap."""
    random = np.random.default_rng(7)
    ill = random.random(N_ROWS) < 0.45
    frame = pd.DataFrame(
        {
            "Patient": [f"P-{number:04d}" for number in random.permutation(N_ROWS)],
            "Gewicht": np.round(62 + 14 * ill + 8 * random.standard_normal(N_ROWS), 2),
            "Puls": np.round(70 + 16 * ill + 9 * random.standard_normal(N_ROWS), 1),
            "Station": random.choice(["Nord", "Süd", "West"], N_ROWS),
            TARGET: np.where(ill, "krank", "gesund"),
        }
    )
    text = StringIO()
    frame.to_csv(text, sep=";", decimal=",", index=False)
    path = tmp_path_factory.mktemp("own") / "aufnahme.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def own_study(own_file):
    """The same file, roles, settings and seed through the API."""
    table = read_table(own_file)
    return search_study(table, guess_roles(table).roles.with_role(TARGET, Role.TARGET), plan=JointPlan.quick())


def upload_and_fit(visit, path):
    """Open a file of one's own, name the target and fit."""
    visit.open()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_role("heading", name=path.name)).to_be_visible()
    visit.settle()
    visit.choose("Target: the column to estimate", TARGET)
    visit.fit()


def test_from_a_file_to_the_report_of_a_misclassified_case(visit, own_file, own_study, tmp_path):
    upload_and_fit(visit, own_file)
    visit.go("Map")
    predictions = own_study.predictions.loc[own_study.split.held_out]
    wrong = predictions.index[predictions["actual"] != predictions["predicted"]].tolist()
    said = f"{len(predictions)} held-out rows, {len(wrong)} of them misclassified"
    assert said in text_with(visit.text, [said])

    row = visit.click_mark(wrong)
    lines = CaseEvidence(own_study, CaseRef.in_table(row)).headline
    expect(visit.page.get_by_text(lines.name).first).to_be_visible()
    expect(visit.page.get_by_text("misclassified", exact=True).first).to_be_visible()
    visit.page.get_by_role("link", name="Open the case").click()
    expect(visit.heading("Case")).to_be_visible()
    visit.settle()

    report = explain_case(own_study, row)
    wanted = [
        lines.name,
        f"{lines.predicted}, {percent(lines.confidence)}",
        f"{int(report.prototypes['dominant set'].eq(1).sum())} of {len(report.prototypes)} prototypes",
        f"at least as familiar as {percent(lines.quantile)} of held-out rows",
    ]
    text = text_with(visit.text, wanted)
    assert [words for words in wanted if words not in text] == []
    visit.page.get_by_role("tab", name="How it adds up").click()
    visit.settle()
    total = f"Estimate for {lines.predicted}: {ledger(report).sum.words}"
    assert total in text_with(visit.text, [total])
    visit.expect_no_traceback()

    visit.press("Downloads")
    with visit.page.expect_download() as waiting:
        visit.page.get_by_role("button", name="Report (.xlsx)").click()
    waiting.value.save_as(tmp_path / "report.xlsx")
    same_numbers(pd.read_excel(tmp_path / "report.xlsx", sheet_name="report", engine="openpyxl"), report.report)


def same_numbers(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Every column of the file holds what the API says."""
    assert found.columns.tolist() == expected.columns.tolist()
    for name in expected.columns:
        if pd.api.types.is_numeric_dtype(expected[name]):
            # Excel keeps 15 to 17 digits.
            left, right = found[name].to_numpy(dtype=float), expected[name].astype("float64").to_numpy(dtype=float)
            np.testing.assert_allclose(left, right, rtol=1e-12, err_msg=name)
        else:
            assert found[name].fillna("").astype(str).tolist() == expected[name].fillna("").astype(str).tolist(), name


@pytest.mark.slow
def test_clicks_keep_the_zoom_and_the_case_follows_from_page_to_page(visit):
    visit.open("/map?data=iris_2f&fit=own&lines=0")
    expect(visit.page.get_by_text("held-out rows,").first).to_be_visible()
    visit.settle()
    marks = visit.marks()
    middle = marks[len(marks) // 2]
    visit.page.mouse.move(middle["x"], middle["y"])
    visit.page.mouse.wheel(0, -300)
    visit.page.wait_for_timeout(600)  # that a zoom goes no further cannot be seen
    zoomed = visit.axis_range()
    box = visit.page.locator(".nsewdrag").first.bounding_box()
    inside = [
        mark["row"]
        for mark in visit.marks()
        if box["x"] + 20 < mark["x"] < box["x"] + box["width"] - 20
        and box["y"] + 20 < mark["y"] < box["y"] + box["height"] - 20
    ]
    row = visit.click_mark(inside)
    assert visit.axis_range() == zoomed
    expect_equal(lambda: {mark["row"] for mark in visit.marks() if mark["shown"]}, {row})
    expect(visit.page.get_by_text(f"Row {row}", exact=True).first).to_be_visible()

    visit.page.mouse.dblclick(*visit.empty_spot())
    visit.settle()
    expect(visit.page.get_by_text("Click a mark on the map")).to_have_count(0)
    expect_equal(lambda: {mark["row"] for mark in visit.marks() if mark["shown"]}, {row})

    visit.go("Case")
    assert f"Row {row}" in text_with(visit.text, [f"Row {row}"])
    former = visit.address
    visit.press("Next misclassified")
    expect(visit.page).not_to_have_url(former)
    shown = int(visit.address.split("row=")[1].split("&")[0])
    assert shown != row
    visit.go("Map")
    expect_equal(lambda: {mark["row"] for mark in visit.marks() if mark["shown"]}, {shown})


@pytest.mark.slow
def test_a_shared_address_reopens_the_same_page_and_case(visit, browser):
    visit.open("/map?data=iris_2f&fit=own")
    expect(visit.page.get_by_text("held-out rows,").first).to_be_visible()
    visit.go("Case")
    visit.press("Next misclassified")
    expect(visit.page).to_have_url(re.compile("row="))
    address, sentence = visit.address, visit.page.locator(".st-key-case-banner").inner_text()

    context = browser.new_context()
    context.set_default_timeout(1_000 * HANG)
    other = context.new_page()
    other.goto(address)
    expect(other.get_by_role("heading", name="Case", exact=True, level=1)).to_be_visible()
    expect(other.locator(".st-key-case-banner")).to_be_visible()
    type(visit)(other, visit.server).settle()
    expect_equal(lambda: other.locator(".st-key-case-banner").inner_text(), sentence)
    expect(other).to_have_url(address)
    context.close()


@pytest.mark.slow
def test_a_fit_can_be_cancelled(visit):
    visit.open("/fit?data=iris_2f&num_candidates=37")  # fitted by no other test: what another visitor has opens at once
    with visit.held_work(later=True):
        visit.page.get_by_role("button", name="Fit", exact=True).click()
        stop = visit.page.get_by_role("button", name="Cancel").first
        stop.wait_for()
        visit.page.get_by_text("so far").first.wait_for()
        stop.click()
        expect(visit.page.get_by_text("The fit was cancelled.")).to_be_visible()
    visit.settle()
    expect(visit.page.get_by_role("button", name="Fit", exact=True)).to_be_enabled()
    visit.expect_no_traceback()
