"""Columns and classes called like columns of this program, or like markup, formulas and missing values."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from hostile.names import NAMES, OURS_CHANGED, study_of
from variants import main_cases

from proset.bulk.one_file import output_rows
from proset.common.frames import with_index
from proset.engine.evidence.tables import FEATURE_COLUMNS, class_column, feature_headings
from proset.explain.cases.case import explain_case
from proset.explain.maps.map import batch_map
from proset.explain.sheets.workbook import write_workbook

# A study holds the names after its own, too.
MAIN = main_cases(NAMES, every=3)
EVERY = [*MAIN, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in OURS_CHANGED)]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_case_is_explained_whatever_things_are_called(name):
    study = study_of(name)
    case = explain_case(study, 1)
    assert case.total_check < 1e-9
    assert case.report.columns.is_unique
    first = 1 + len(case.classes)
    assert case.report["prototype weight"].iloc[first:].gt(0).all()
    shares = case.report[[class_column(label) for label in case.classes]]
    np.testing.assert_allclose(shares.iloc[0], study.probabilities.loc[1], rtol=1e-6)
    np.testing.assert_allclose(case.neighbour_facts["share"].iloc[1:], shares.iloc[first : first + 5].sum(axis=1))
    assert case.neighbours.columns.isin(study.table.frame.columns).all()
    assert case.neighbours.index.is_unique
    assert case.neighbour_similarity.iloc[0].eq(1.0).all()
    assert case.neighbour_similarity.max().max() <= 1.0
    assert explain_case(study, study.table.frame.iloc[[0]]).predicted == case.predicted
    assert batch_map(study).points.index.equals(study.predictions.index)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_scores_keep_all_their_columns(name):
    study = study_of(name)
    scores = output_rows(study, study.table.frame)
    labels = [f"probability_{label}" for label in study.classes]
    fixed = [
        column
        for column in scores.columns
        if column in {"row", "class", "familiarity", "familiarity_quantile", "note", *labels}
    ]
    assert fixed == ["row", "class", *labels, "familiarity", "familiarity_quantile", "note"]
    assert scores.columns.is_unique
    assert len(scores.columns) == len(fixed) + 1
    assert scores.iloc[:, 1].tolist() == [f"id {i}" for i in range(len(scores))]
    np.testing.assert_allclose(scores[labels].sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAIN)
def test_a_workbook_takes_any_names(name):
    case = explain_case(study_of(name), 1)
    target = io.BytesIO()
    write_workbook(
        {name: case.report, "neighbours": with_index(case.neighbours), "[extras]": case.neighbour_extras}, target
    )
    sheets = pd.read_excel(target, sheet_name=None, keep_default_na=False, engine="openpyxl")
    assert [sheet.shape for sheet in sheets.values()] == [
        case.report.shape, (len(case.neighbours), 1 + case.neighbours.shape[1]), case.neighbour_extras.shape
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("features", "classes", "expected"),
    [
        (["a", "b"], ["u"], ["a", "b"]),
        (["prototype"], ["u"], ["prototype (column)"]),
        (["prototype", "prototype (column)"], ["u"], ["prototype (column 2)", "prototype (column)"]),
        (["p class u"], ["u"], ["p class u"]),
        (["p class u"], ["u", "u similarity"], ["p class u (column)"]),
        (["p class u"], ["u value"], ["p class u (column)"]),
        (["a", "a"], ["u"], ["a", "a (column)"]),
        (["a", "a weight"], ["u"], ["a", "a weight"]),
    ],
)
def test_headings_of_features_leave_the_columns_of_the_report_alone(features, classes, expected):
    headings = feature_headings(features, classes)
    assert headings == expected
    columns = [f"{heading} {last}" for heading in headings for last in FEATURE_COLUMNS]
    assert not {"prototype weight", *map(class_column, classes)} & set(columns)
    assert len(set(columns)) == len(columns)


def test_a_column_called_like_the_marks_of_the_dominant_set_tints_nothing():
    texts = pd.DataFrame({"dominant set": ["yes", "no"], "n": [1, 2]})
    twice = pd.DataFrame([[1, 0], [0, 1]], columns=["dominant set", "dominant set"])
    write_workbook({"texts": texts, "twice": twice}, io.BytesIO())
