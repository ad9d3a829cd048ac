"""The Case page without a browser: picking a case, and numbers that equal those of the API."""

from __future__ import annotations

import pandas as pd
import pytest

from dashboard import cache
from dashboard.services.case import addition
from dashboard.services.cases import CaseSet, Part, listed
from proset.common.words import percent
from proset.explain.case import explain_case


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens the Case page with the bundled iris data, fitted."""

    def start(**params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app(data="iris_2f", fit="1", **params).go("case")

    return start


@pytest.fixture(scope="module")
def order(iris_study):
    """The misclassified held-out rows in the order of the buttons."""
    rows = listed(iris_study, iris_study.judged(), CaseSet(Part.HELD_OUT)).index.tolist()
    assert len(rows) > 2, "this data must leave some errors to walk through"
    return rows


def find(at, text):
    """Write into the box that finds a case."""
    at.text_input(key="case_picker.text").set_value(text).run()
    return at


def shown_row(at):
    """The row that the page explains, or None."""
    names = [item.value for item in at.subheader if item.value.startswith("Row ")]
    return int(names[0].removeprefix("Row ")) if names else None


@pytest.mark.parametrize(
    ("params", "text", "link"),
    [({}, "no data", "Go to Data"), ({"data": "iris_2f"}, "no model", "Choose settings first")],
)
def test_an_empty_page_says_what_is_missing_and_links_to_it(open_app, params, text, link):
    at = open_app(**params).go("case")
    assert not at.exception
    assert f"There is {text} yet." in at.words()
    assert [item.label for item in at.main.get("page_link")] == [link]


def test_without_a_case_the_page_says_how_to_choose_one(fitted):
    at = fitted()
    assert not at.exception
    assert shown_row(at) is None
    assert "Choose a case above, or click one on the map." in at.words()


def test_a_case_is_found_by_its_row(fitted):
    at = find(fitted(), "17")
    assert shown_row(at) == 17
    assert at.text_input(key="case_picker.text").value == ""
    assert "".join(at.query_params["row"]) == "17"


@pytest.mark.parametrize("text", ["0", "151", "-3", "1.5", "nobody", "=1+1", "<b>x</b>", "9" * 150])
def test_what_is_not_found_is_named_and_changes_nothing(fitted, text):
    at = find(fitted(row="17"), text)
    assert not at.exception
    assert len(at.error) == 1
    assert text[:20] in at.error[0].value.replace("\\", "")
    assert shown_row(at) == 17
    at.run()
    assert not at.error, "the message goes with the next step"


def test_blank_text_is_not_a_question(fitted):
    at = find(fitted(row="17"), "   ")
    assert not at.error
    assert shown_row(at) == 17


@pytest.mark.parametrize("row", ["0", "abc", "17;drop", "<script>", "9" * 400])
def test_a_row_in_the_address_that_makes_no_sense_selects_nothing(fitted, row):
    at = fitted(row=row)
    assert not at.exception
    assert shown_row(at) is None


def test_next_goes_through_the_errors_by_confidence_and_starts_again(fitted, order):
    at = fitted()
    seen = []
    for _ in range(len(order) + 1):
        at.button(key="case_picker.1").click().run()
        seen.append(shown_row(at))
    assert seen == [*order, order[0]]
    assert f"1 of {len(order)} misclassified held-out rows, most confident error first" in at.words()


def test_previous_goes_the_other_way(fitted, order):
    at = fitted(row=str(order[1]))
    for expected in (order[0], order[-1], order[-2]):
        at.button(key="case_picker.-1").click().run()
        assert shown_row(at) == expected


def test_the_switch_changes_which_errors_are_walked_through(fitted, iris_study):
    at = fitted()
    at.segmented_control(key="case.part").set_value(Part.TRAIN).run()
    at.button(key="case_picker.1").click().run()
    assert shown_row(at) == listed(iris_study, iris_study.judged(), CaseSet(Part.TRAIN)).index[0]


def test_the_case_survives_a_page_change(fitted):
    at = find(fitted(), "23")
    for page in ("data", "map", "fit", "case"):
        at.go(page)
        assert not at.exception
        assert "".join(at.query_params["row"]) == "23"
    assert shown_row(at) == 23


@pytest.mark.parametrize("place", [0, -1])
def test_the_numbers_on_the_page_are_those_of_the_api(fitted, iris_study, order, place):
    row = order[place]
    at, report = fitted(row=str(row)), explain_case(iris_study, row)
    text = at.words()
    line = iris_study.predictions.loc[row]
    assert f"Estimate **{line['predicted']}** ({percent(line['confidence'])}), actual **{line['actual']}**" in text
    assert at.metric[0].value == percent(line["quantile"])
    for sentence in report.words[1:]:
        assert sentence in text
    assert addition(report.report, report.predicted).words in text
    assert "The contributions add up to the estimate." in text

    bars, beside, table = (item.value for item in at.dataframe)
    expected = report.probabilities.sort_values(ascending=False, kind="stable")
    assert bars["class"].tolist() == expected.index.tolist()
    assert bars["probability"].tolist() == expected.tolist()
    assert beside.columns.tolist() == report.neighbours.index.tolist()
    for name in report.report.columns.intersection(table.columns).drop("dominant set"):
        pd.testing.assert_series_equal(table[name], report.report[name], check_dtype=False, obj=name)
    # The baseline is no prototype, so it has no tick.
    start = 1 + len(report.classes)
    assert table["dominant set"].tolist() == [False] * start + report.prototypes["dominant set"].eq(1).tolist()


def test_the_columns_of_each_feature_can_be_shown(fitted, iris_study):
    at = fitted(row="71")
    at.toggle(key="case.features.widget").set_value(True).run()
    table = at.dataframe[-1].value
    assert set(explain_case(iris_study, 71).report.columns) - {"sample"} <= set(table.columns)


def test_the_report_can_be_taken_away(fitted):
    at = fitted(row="71")
    labels = [item.label for item in at.get("download_button")]
    assert labels == ["Report (.xlsx)", "Report (CSV)", "Contributions (HTML)"]
