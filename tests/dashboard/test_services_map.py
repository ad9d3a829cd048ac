"""Services of the Map page: which rows, which are wrong, in which order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.services.case_list import listed
from dashboard.services.cases import CaseRef, CaseSet, Part, part_rows, step
from dashboard.services.maps.map import axis_words, map_frame, part_words
from proset.explain.maps.map import batch_map


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch):
    """The studies here have no model that could say how familiar a case is."""
    monkeypatch.setattr("dashboard.services.case_list.short_words", lambda _, rows: [""] * len(rows))


def fake_study(actual, predicted, confidence, *, part=None, quantile=None, names=None):
    """A study of which only the predictions matter here."""
    index = pd.Index(range(1, len(actual) + 1), name="row")
    actual = pd.Series(list(actual), index=index, dtype="str")
    predicted = pd.Series(list(predicted), index=index, dtype="str")
    correct = (actual == predicted).astype("boolean").mask(actual.isna())
    judged = pd.DataFrame(
        {
            "part": part or ["held_out"] * len(actual),
            "actual": actual,
            "predicted": predicted,
            "correct": correct,
            "wrong": correct.eq(False).fillna(False).astype(bool),
            "left": False,
            "confidence": confidence,
            "familiarity": 1.0,
            "quantile": quantile or [0.5] * len(actual),
        },
        index=index,
    )
    frame = pd.DataFrame({"name": names or [f"n{i}" for i in index]}, index=index)
    own = ("name",) if names else ()
    table = SimpleNamespace(frame=frame)
    return SimpleNamespace(judged=lambda: judged, table=table, identifier=next(iter(own), None), naming_columns=own)


def test_most_confident_error_comes_first_and_equal_confidence_goes_by_row():
    study = fake_study("aabba", "bbaaa", [0.6, 0.9, 0.6, 0.7, 0.99])
    assert listed(study, study.judged(), CaseSet(Part.ALL)).index.tolist() == [2, 4, 1, 3]


def test_where_none_is_wrong_it_says_none():
    study = fake_study("ab", "ab", [0.9, 0.8])
    assert part_words(study.judged(), Part.ALL) == "2 rows, none of them misclassified."
    assert part_words(study.judged().head(1), Part.ALL) == "1 row, not misclassified."


def test_rows_without_a_target_cannot_be_wrong():
    study = fake_study(["a", None, "b"], ["b", "b", "b"], [0.9, 0.8, 0.7], part=["train", "unlabelled", "train"])
    assert listed(study, study.judged(), CaseSet(Part.ALL)).index.tolist() == [1]
    assert (
        part_words(study.judged(), Part.ALL) == "3 rows, 1 of them misclassified; 1 without a target cannot be judged."
    )


def test_parts_divide_the_rows():
    study = fake_study("aab", "abb", [0.9, 0.8, 0.7], part=["train", "held_out", "train"])
    assert part_rows(study.judged(), Part.TRAIN).index.tolist() == [1, 3]
    assert part_rows(study.judged(), Part.HELD_OUT).index.tolist() == [2]
    assert listed(study, study.judged(), CaseSet(Part.TRAIN)).empty
    assert listed(study, study.judged(), CaseSet(Part.HELD_OUT)).index.tolist() == [2]


def test_the_identifier_leads_the_list():
    study = fake_study("ab", "ba", [0.9, 0.8], names=["P-7", "P-8"])
    assert listed(study, study.judged(), CaseSet(Part.ALL)).iloc[:, 0].tolist() == ["P-7", "P-8"]


def test_no_errors_give_an_empty_list_with_the_same_columns():
    full, empty = fake_study("ab", "ba", [0.9, 0.8]), fake_study("ab", "ab", [0.9, 0.8])
    assert listed(empty, empty.judged(), CaseSet(Part.ALL)).empty
    assert (
        listed(empty, empty.judged(), CaseSet(Part.ALL)).columns.tolist()
        == listed(full, full.judged(), CaseSet(Part.ALL)).columns.tolist()
    )


@pytest.mark.parametrize(
    ("row", "by", "expected"),
    [(30, 1, 10), (10, 1, 20), (20, 1, 30), (30, -1, 20), (99, 1, 30), (99, -1, 20), (None, 1, 30), (None, -1, 20)],
)
def test_step_goes_round(row, by, expected):
    order = tuple(map(CaseRef.in_table, (30, 10, 20)))
    assert step(order, None if row is None else CaseRef.in_table(row), by) == CaseRef.in_table(expected)


def test_step_in_an_empty_list_leads_nowhere():
    assert step((), CaseRef.in_table(3), 1) is None


@pytest.mark.parametrize(
    ("rank", "shares", "words"),
    [
        (0, (0.0, 0.0), ""),
        (1, (1.0, 0.0), "The map shows all of the spread of the prototypes."),
        (2, (0.9, 0.1), "The map shows all of the spread of the prototypes."),
        (3, (0.5, 0.3), "80.0 % of the spread of the prototypes; the rest lies in 1 direction it leaves out."),
        (9, (0.5, 0.3), "the rest lies in 7 directions it leaves out."),
    ],
)
def test_axis_shares_in_words(rank, shares, words):
    text = axis_words(SimpleNamespace(rank=rank, axis_shares=shares))
    assert words in text if words else text == ""


def test_real_study_lists_exactly_the_rows_the_model_gets_wrong(iris_study):
    wrong = listed(iris_study, iris_study.judged(), CaseSet(Part.HELD_OUT))
    held_out = iris_study.predictions.loc[iris_study.split.held_out]
    assert sorted(wrong.index) == sorted(held_out.index[held_out["actual"] != held_out["predicted"]])
    assert (np.diff(wrong["confidence"]) <= 0).all()
    assert wrong["familiarity"].between(0, 1).all()


def test_the_table_of_the_map_holds_coordinates_and_original_values(iris_study):
    mapping = batch_map(iris_study)
    frame = map_frame(iris_study, mapping, Part.HELD_OUT)
    assert frame.index.tolist() == sorted(iris_study.split.held_out.tolist())
    assert frame[["x", "y"]].equals(mapping.points.loc[frame.index, ["x", "y"]])
    for name in iris_study.table.frame.columns:
        assert frame[name].equals(iris_study.table.frame.loc[frame.index, name])


def test_a_column_called_like_a_coordinate_is_kept_under_another_name(iris_study):
    table = SimpleNamespace(frame=pd.DataFrame({"x": [1.5], "part": ["left"]}, index=pd.Index([1], name="row")))
    predictions = pd.DataFrame({"part": ["train"], "actual": ["a"], "predicted": ["a"]}, index=table.frame.index)
    points = pd.DataFrame({"x": [0.0], "y": [0.0], "part": ["train"]}, index=table.frame.index)
    study = SimpleNamespace(table=table, predictions=predictions)
    frame = map_frame(study, SimpleNamespace(points=points), Part.ALL)
    assert frame.columns.tolist() == ["x", "y", "part", "x (table)", "part (table)"]
    assert frame.loc[1, "x (table)"] == 1.5
