"""The Compare page of a number: what it offers, what it shows, and what becomes of a comparison."""

from __future__ import annotations

import pytest
from number_tables import priced

from dashboard.components.compare import start as compare_start
from dashboard.services.cases import CaseRef
from dashboard.services.compare.choices import CHOSEN
from dashboard.services.compare.number_found import measure_lines
from dashboard.work.tasks import COMPARE, CompareRequest
from proset.compare import ComparePlan, compare_numbers, number_disputes, number_table

FEW = ComparePlan(("proset", "gbmap", "knn"), n_folds=2, sizes=False, drift=False)


@pytest.fixture(scope="module")
def found():
    return compare_numbers(priced(), FEW)


@pytest.fixture
def shown(app, found):
    study = priced()
    app.held.open_study(study)
    app.held.opened.keep_result(study, "comparison", found)
    app.go("compare")
    assert not app.exception
    return app


def test_only_systems_that_answer_with_a_number_are_offered(app) -> None:
    app.held.open_study(priced())
    app.go("compare")
    assert not app.exception
    pills = app.get("pills") or app.get("button_group")
    assert list(pills[0].options) == ["proset", "gbmap", "Neighbours", "XGBoost"]
    assert "class" not in app.words().lower()
    assert app.held.get(CHOSEN) == CHOSEN.usual  # what is chosen for tables of classes stays


def test_it_says_what_the_engine_says(shown, found) -> None:
    said, table = shown.words(), number_table(found)
    for sentence in table.words:
        assert sentence in said
    assert number_disputes(found).words in said
    assert "class" not in said.lower()
    frames = [frame.value for frame in shown.dataframe]
    assert frames[0]["crps"].tolist() == measure_lines(table)["crps"].tolist()
    assert len(shown.get("plotly_chart")) == 1 + len(found.systems) + 1
    assert f"Row {number_disputes(found).frame.index[0]}" in said


def test_the_selected_case_is_the_row_that_is_drawn(shown, found) -> None:
    row = int(found.measured[3])
    shown.held.select(CaseRef.in_table(row))
    shown.go("compare")
    assert f"Row {row}" in shown.words()
    assert any(f"Look at row {row}" in link.label for link in shown.get("page_link"))
    other = int(found.rows[0])  # one that was learned from
    shown.held.select(CaseRef.in_table(other))
    shown.go("compare")
    assert not shown.exception
    assert f"Row {other} is none of those" in shown.words()


@pytest.mark.slow
def test_the_job_runs_and_its_result_stays_with_the_model(app, tmp_path) -> None:
    app.held.open_study(priced())
    app.held.put(CHOSEN, ("proset", "knn"))
    app.go("compare")
    app.button(key="compare.start").click().run()
    app.wait()
    assert not app.exception
    kept = compare_start.result(app.held, priced())
    assert [entry.key for entry in kept.systems] == ["proset", "knn"]
    assert kept.system("proset").quantiles.shape == (len(priced().split.held_out), 19)
    assert "has the lowest mean CRPS" in app.words()
    assert any("the other system" in heading.value for heading in app.header)


def test_a_request_is_read_as_it_was_written(tmp_path) -> None:
    COMPARE.write(CompareRequest(priced(), FEW), tmp_path)
    again = COMPARE.read(tmp_path)
    assert again.plan == FEW
    assert again.study.id == priced().id
