"""Cases and sets of cases: which, in which order, and how they are explained."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard import cache
from dashboard.components import error_list
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case_list import listed
from dashboard.services.cases import CaseOrder, CaseRef, CaseSet, CaseSource, Filter, Part, Picker, part_rows, step
from dashboard.services.maps.map import part_words
from dashboard.services.quality.rules import rule_words
from proset.common.errors import StudyError
from proset.common.words import measure, percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.explain.cases.case import explain_case
from proset.explain.maps.map import batch_map
from proset.explain.sheets.model_sheets import model_sheets
from proset.report.model_parts import ReportedModel, model_part
from proset.study import DecisionRule, fit_study
from proset.study.decision import confusion

CAREFUL = DecisionRule(leave_below=0.3)


@pytest.mark.parametrize(
    "text", ["", "-", "x", "1.5", "1e3", "-1", "--1", "new-", "new-x", "moon-1", "9" * 30, "١", "new--1"]
)
def test_what_is_no_case_is_not_read(text):
    assert CaseRef.read(text) is None


@pytest.mark.parametrize("case", [CaseRef.in_table(7), CaseRef(CaseSource.NEW, 0), CaseRef(CaseSource.EDITED, 12)])
def test_a_case_is_read_as_it_is_written(case):
    assert CaseRef.read(case.text) == case


def test_wrong_cases_come_most_confident_first_and_all_in_table_order(iris_study):
    judged = iris_study.judged()
    wrong = CaseSet(Part.HELD_OUT).cases(judged)
    confidence = [judged.loc[case.row, "confidence"] for case in wrong]
    assert confidence == sorted(confidence, reverse=True)
    assert {case.row for case in wrong} == set(judged.index[judged["wrong"] & (judged["part"] == "held_out")])
    everything = CaseSet(Part.ALL, Filter.ALL, CaseOrder.TABLE).cases(judged)
    assert [case.row for case in everything] == judged.index.tolist()


def test_who_is_left_to_a_person_is_a_set_of_its_own_and_not_wrong(iris_study):
    judged = iris_study.judged(CAREFUL)
    left = CaseSet(Part.ALL, Filter.LEFT, CaseOrder.TABLE).cases(judged)
    wrong = CaseSet(Part.ALL).cases(judged)
    assert left
    assert not set(left) & set(wrong)
    assert {case.row for case in left} == set(judged.index[judged["quantile"] < 0.3])
    assert f"; {len(left)} are left to a person" in part_words(judged, Part.ALL)


def test_picked_cases_stay_in_the_order_in_which_they_were_picked(iris_study):
    picked = tuple(map(CaseRef.in_table, (30, 10, 20)))
    cases = CaseSet(picked=picked)
    judged = iris_study.judged()
    assert cases.cases(judged) == picked
    assert listed(iris_study, judged, cases).index.tolist() == [30, 10, 20]
    assert step(picked, picked[0], 1) == picked[1]


def test_the_cells_of_the_confusion_matrix_are_the_lists_behind_their_counts(iris_study):
    judged = iris_study.judged(CAREFUL)
    counts = confusion(part_rows(judged, Part.ALL), iris_study.classes)
    for actual, line in counts.iterrows():
        for predicted, count in line.items():
            cell = CaseSet(Part.ALL, Filter.ALL, actual=actual, predicted=predicted)
            rows = cell.rows(judged)
            assert len(rows) == count
            assert not rows["left"].any()
            assert cell.only_wrong == (actual != predicted)


def test_lists_are_ordered_by_doubt_and_by_familiarity(iris_study):
    judged = iris_study.judged()
    assert CaseSet(Part.ALL, Filter.ALL, CaseOrder.DOUBT).rows(judged)["confidence"].is_monotonic_increasing
    assert CaseSet(Part.ALL, Filter.ALL, CaseOrder.UNFAMILIAR).rows(judged)["familiarity"].is_monotonic_increasing


def test_a_list_says_what_it_is_for_one_and_for_many():
    cell = CaseSet(Part.TRAIN, Filter.ALL, actual="cat", predicted="dog")
    assert cell.counted(1) == "1 training row of 'cat', said to be 'dog'"
    assert cell.counted(2) == "2 training rows of 'cat', said to be 'dog'"
    assert CaseSet(which=Filter.LEFT).counted(1) == "1 held-out row left to a person"
    assert CaseSet(picked=(), by=Picker.MAP).counted(0) == "0 cases picked on the map"
    assert (CaseSet().order_words, cell.order_words) == ("most confident error first",) * 2
    assert CaseSet(which=Filter.ALL).order_words == "most confident first"
    assert cell.key != CaseSet().key


def test_the_map_rings_what_the_rule_gets_wrong(iris_study):
    mapping = batch_map(iris_study)
    assert mapping.judged(iris_study.judged()).points.equals(mapping.points)
    careful = iris_study.judged(CAREFUL)
    points = mapping.judged(careful).points
    assert points.loc[careful["left"], "correct"].isna().all()
    assert points.columns.tolist() == mapping.points.columns.tolist()


def test_the_headline_says_who_decides(iris_study):
    careful = iris_study.judged(CAREFUL)
    row = int(careful.index[careful["left"]][0])
    lines = CaseEvidence(iris_study, CaseRef.in_table(row), rule=CAREFUL).headline
    assert (lines.left, lines.correct) == (True, None)


def test_a_case_is_explained_wherever_it_comes_from(iris_study):
    assert CaseEvidence(iris_study, CaseRef.in_table(17)).report.report.equals(explain_case(iris_study, 17).report)
    rows = iris_study.table.frame.iloc[[4, 8]]
    new = CaseEvidence(iris_study, CaseRef(CaseSource.NEW, int(rows.index[1])), {CaseSource.NEW: rows}).report
    assert new.part == "new"
    assert new.name == "new row 9"
    assert new.report.equals(explain_case(iris_study, iris_study.case(rows.iloc[[1]], name="new row 9")).report)


@pytest.mark.parametrize("case", [CaseRef.in_table(0), CaseRef(CaseSource.NEW, 1), CaseRef(CaseSource.EDITED, 99)])
def test_a_case_that_there_is_not_is_refused_in_words(iris_study, case):
    with pytest.raises(StudyError):
        case.open(iris_study, {CaseSource.EDITED: iris_study.table.frame.iloc[:2]})
    with pytest.raises(StudyError):
        CaseEvidence(iris_study, case)


@pytest.fixture
def careful(open_app, iris_study):
    """Return a function that opens a page on which what is unfamiliar is left to a person."""

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", **params)
        at.held.decide_by(CAREFUL)
        at.run()
        assert not at.exception
        return at

    return start


def test_every_page_says_what_the_rule_says(careful, iris_study):
    judged = iris_study.judged(CAREFUL)
    held_out = judged[judged["part"] == "held_out"]
    wrong = held_out.index[held_out["wrong"]]
    usual = iris_study.judged()
    assert len(wrong) < usual.loc[held_out.index, "wrong"].sum()

    at = careful("map", row=str(judged.index[judged["left"]][0]))
    assert part_words(judged, Part.HELD_OUT) in at.words()
    assert sorted(at.dataframe[0].value.index) == sorted(wrong)
    assert "left to a person" in at.words()

    at = careful("case")
    assert f"{len(wrong)} misclassified held-out rows" in at.words()

    at = careful("fit")
    decided = held_out["correct"].dropna()
    said = f"Right for {int(decided.sum())} of {len(decided)} unseen that it decides, out of {len(held_out)}"
    assert said in at.words()
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["Accuracy"] == f"{100 * decided.astype(float).mean():.1f} %"
    assert rule_words(CAREFUL, iris_study.classes) in at.words()


@pytest.fixture(scope="module")
def visits():
    """Patients with several visits, kept together by a column that is no identifier."""
    rng = np.random.default_rng(0)
    who = np.repeat([f"P{number:02d}" for number in range(30)], 5)
    x = rng.normal(size=150)
    kind = np.where(x + rng.normal(size=150) > 0, "ill", "well")
    frame = pd.DataFrame({"patient": who, "visit": np.arange(1001, 1151), "x": x, "kind": kind})
    table = read_table(frame.to_csv(index=False).encode(), name="visits.csv")
    roles = guess_roles(table, target="kind").roles
    roles = roles.with_role("patient", Role.EXTRA).with_role("visit", Role.IDENTIFIER)
    return fit_study(table, roles, split=SplitSettings(groups="patient"))


def test_what_keeps_rows_together_stands_in_lists_reports_and_workbooks(visits):
    frame = listed(visits, visits.judged(), CaseSet(Part.HELD_OUT))
    assert frame.columns[:2].tolist() == ["visit", "patient"]
    assert len(frame)
    assert frame["patient"].tolist() == visits.table.frame.loc[frame.index, "patient"].tolist()
    sheets = model_sheets(visits)
    for name in ("prototypes", "held-out rows"):
        assert {"visit", "patient"} <= set(sheets[name].columns)
    errors = model_part("quality", ReportedModel(visits, DecisionRule())).blocks[2]
    assert {"visit", "patient"} <= set(errors.frame.columns)


def test_measures_of_a_report_are_spelled_as_on_pages(visits):
    table = model_part("summary", ReportedModel(visits, DecisionRule())).blocks[2].frame.set_index("measure")
    metrics = visits.metrics
    assert table.loc["accuracy", "model"] == percent(metrics.accuracy)
    assert table.loc["balanced accuracy", "naive"] == percent(metrics.naive_balanced_accuracy)
    assert table.loc["log-loss", "model"] == measure(metrics.log_loss)
    assert table.loc["ROC-AUC", "model"] == measure(metrics.roc_auc)


@pytest.mark.parametrize("classes", [("a", "b"), ("bleibt", "wechselt Tarif"), ("a very long name " * 4, "b")])
@pytest.mark.parametrize("names", [0, 1, 2])
def test_the_list_of_errors_fits_its_place_and_keeps_the_words_for_a_wide_one(iris_study, visits, names, classes):
    study = {0: iris_study, 1: replace(visits, roles=visits.roles.with_role("visit", Role.EXTRA)), 2: visits}[names]
    assert len(study.naming_columns) == names
    frame = listed(study, study.judged(), CaseSet(Part.HELD_OUT))
    named = SimpleNamespace(classes=classes, naming_columns=study.naming_columns, prototypes=study.prototypes)
    columns = error_list._columns(named, words_shown=False)
    seen = [name for name in ("row", *frame.columns) if name not in columns or columns[name] is not None]
    assert {"actual", "predicted", "confidence", *study.naming_columns} <= set(seen)
    assert _TICK + sum(columns[name]["width"] for name in seen) <= 440
    assert "in words" not in seen
    if names < 2:  # each letter is seven pixels wide, and there is some room beside the words
        assert columns["predicted"]["width"] >= min(7 * max(map(len, classes)) + 16, 108)
    assert error_list._columns(study, words_shown=True)["in words"] is not None


_TICK = 34
