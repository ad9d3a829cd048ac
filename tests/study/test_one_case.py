"""One case in one shape: a row of the table, a new row, an edited copy, a row of a model's matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import DesignError, StudyError


@pytest.fixture(scope="module")
def named():
    """A model with named features, and what it was fitted to."""
    X = pd.DataFrame({"size": np.linspace(0.0, 1.0, 20), "age": np.linspace(3.0, 1.0, 20)}, index=range(100, 120))
    y = np.where(X["size"] < 0.5, "low", "high")
    return ClassifierModel().fit(X, y), X, y


def test_a_row_of_the_table(study):
    row = int(study.split.held_out[0])
    for given in (row, np.int64(row)):
        case = study.case(given)
        assert (case.source, case.row, case.known) == (study, row, None)
        assert case.name == study.table.frame.loc[row, "patient"]
        pd.testing.assert_frame_equal(case.frame, study.table.frame.loc[[row]])
        np.testing.assert_array_equal(case.x, study.encode([row]).X[0].astype(np.float64))
        assert case.cells["weight"] == study.table.frame.loc[row, "weight"]
    assert study.case(row, name="the first one").name == "the first one"


def test_a_new_row_needs_the_columns_in_use_only(study):
    row = int(study.split.held_out[0])
    new = study.table.frame.loc[[row], list(study.used_columns)].set_axis([3], axis=0)
    case = study.case(new)
    assert (case.row, case.name) == (None, "row 3")
    used = sorted(study.model.set_manager_.get_active_features())
    np.testing.assert_array_equal(case.x[used], study.case(row).x[used])
    assert study.case(new.assign(patient="P9")).name == "P9"


def test_an_edited_copy_is_a_case_as_well(study):
    row = int(study.split.held_out[0])
    found = explain.what_if(study, study.case(row), {"age": 33})
    assert found.original.row == row
    assert (found.case.source, found.case.row, found.case.name) == (study, None, found.original.name)
    assert found.case.cells["age"] == 33
    again = explain.explain_case(study, found.case)
    assert again.probabilities.equals(found.after.probabilities)
    assert explain.what_if(study, found.case, {"weight": 90.0}).case.cells["age"] == 33


@pytest.mark.parametrize(
    ("given", "words"),
    [(10**6, "no row 1000000"), ("12", "a row id or a DataFrame of one row, not a str"), (None, "not a NoneType")],
)
def test_what_is_no_case_is_refused_in_words(study, given, words):
    with pytest.raises(StudyError, match=words) as caught:
        study.case(given)
    assert caught.value.hint


def test_several_rows_and_missing_columns_are_refused_in_words(study):
    frame = study.table.frame
    for many, count in ((frame.iloc[:2], "2"), (frame.iloc[:0], "0")):
        with pytest.raises(StudyError, match=f"One row can be explained at a time, but {count} were given"):
            study.case(many)
    lacking = study.used_columns[0]
    with pytest.raises(DesignError, match=lacking):
        study.case(frame.iloc[[0]].drop(columns=lacking))


def test_a_row_of_a_models_matrix(named):
    model, X, y = named
    case = explain.as_case(model, X.iloc[[4]], known=X, y=y)
    assert (case.source, case.row, case.name) == (model, None, "row 104")
    assert case.cells == X.loc[104].to_dict()
    np.testing.assert_array_equal(case.known.X, X)
    assert case.known.y.tolist() == y.tolist()
    bare = explain.as_case(model, X.iloc[4].to_numpy())
    np.testing.assert_array_equal(bare.x, case.x)
    assert (bare.name, bare.known) == ("new row", None)
    assert explain.as_case(model, case) is case


def test_what_is_no_row_of_a_model_is_refused_in_words(named, study):
    model, X, y = named
    with pytest.raises(ValueError, match="One row can be explained at a time, but 2 were given"):
        explain.as_case(model, X.iloc[:2])
    for point in ([1.0], [1.0, np.nan], X.to_numpy()[:2]):
        with pytest.raises(ValueError, match="one row of 2 finite numbers"):
            explain.as_case(model, point)
    with pytest.raises(ValueError, match="feature names"):
        explain.as_case(model, X.iloc[[0]].drop(columns="age"))
    with pytest.raises(ValueError, match="20 known rows, but 'y'"):
        explain.as_case(model, X.iloc[[0]], known=X, y=y[:3])
    with pytest.raises(ValueError, match="another model"):
        explain.as_case(model, study.case(1))
    with pytest.raises(ValueError, match="'size' takes finite numbers, not 'large'"):
        explain.what_if(model, X.iloc[[0]], {"size": "large"})
    with pytest.raises(StudyError, match="no column 'weight'") as caught:
        explain.what_if(model, X.iloc[[0]], {"weight": 1.0})
    assert caught.value.hint == "The model uses 'age'."
