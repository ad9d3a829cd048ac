"""Models with matrices and studies with row ids mean the same things to every explanation."""

import importlib
import json
import pkgutil
from types import FunctionType

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from proset import ClassifierModel, RegressorModel, explain
from proset.common.errors import StudyError
from proset.data.samples import load_sample, sample_roles
from proset.explain.subject import matrix_of, point_of, subject_of
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 3))
    return ClassifierModel(lambda_v=1e-2, random_state=1).fit(X, (X[:, 1] > 0).astype(int))


def test_features_of_a_study_are_the_columns_of_its_table(study):
    subject = subject_of(study)
    assert subject.features == study.roles.features
    found = np.sort(np.concatenate(subject.groups))
    assert found.tolist() == list(range(len(study.design.columns)))
    assert {subject.features[i] for i in subject.active} == set(study.used_columns)


def test_columns_are_in_one_order_wherever_the_heaviest_come_first():
    """By the largest weight in any batch, not by that in the first one: both would be called the heaviest."""
    study = fit_study(load_sample("cancer"), sample_roles("cancer"), settings=FitSettings(n_iter=2))
    heaviest = explain.feature_weights(study).total.index.tolist()
    first = study.model.set_manager_.get_feature_weights()[1].tolist()
    assert [study.roles.features[j] for j in first] != heaviest
    assert list(subject_of(study).by_weight) == list(explain.value_ranges(study)) == heaviest


def test_features_of_a_model_are_its_columns(model):
    subject = subject_of(model)
    assert subject.features == subject.columns == ("x0", "x1", "x2")
    assert subject.active.tolist() == model.set_manager_.get_active_features().tolist()


def test_names_and_index_of_a_frame_are_kept():
    frame = pd.DataFrame({"a": [0.0, 0.1, 0.2, 1.0, 1.1, 1.2]}, index=list("uvwxyz"))
    model = ClassifierModel().fit(frame, [0, 0, 0, 1, 1, 1])
    assert subject_of(model).features == ("a",)
    assert matrix_of(model, frame.iloc[2:4]).index.tolist() == ["w", "x"]


def test_rows_of_a_study_are_named_by_their_ids(study):
    rows = [5, 2, 300]
    matrix = matrix_of(study, rows)
    assert matrix.index.tolist() == rows
    assert (matrix.X == study.encode(rows).X).all()
    assert matrix_of(study).index.tolist() == study.split.train.tolist()
    assert (point_of(study, 300) == matrix.X[2]).all()


def test_what_does_not_fit_is_refused_in_words(study, model):
    with pytest.raises(StudyError, match="no row 9999"):
        matrix_of(study, [9999])
    with pytest.raises(ValueError, match="3 features"):
        matrix_of(model, [[1.0]])
    with pytest.raises(ValueError, match="one row of 3"):
        point_of(model, [1.0, np.nan, 2.0])
    with pytest.raises(ValueError, match="matrix"):
        matrix_of(model)
    with pytest.raises(TypeError, match="Study"):
        subject_of("model")
    with pytest.raises(NotFittedError):
        subject_of(ClassifierModel())


def test_a_point_may_be_a_row_of_a_frame_with_a_column_x(model):
    row = pd.Series([1.0, 2.0, 3.0], index=["x", "y", "z"])
    assert point_of(model, row).tolist() == point_of(model, row.to_frame().T).tolist() == [1.0, 2.0, 3.0]


def test_no_module_hides_a_function():
    for module in pkgutil.iter_modules(explain.__path__, "proset.explain."):
        importlib.import_module(module.name)
    assert all(isinstance(getattr(explain, name), FunctionType | type) for name in explain.__all__)


@pytest.mark.parametrize("name", ["shap_values", "quality", "batch_map", "familiarity", "surface"])
def test_cases_that_are_no_row_ids_are_refused_with_a_way_out(study, name):
    for cases in (study.table.frame.iloc[:2], [6.7], ["6"], study.predictions["correct"].to_numpy(), [[1, 2]]):
        with pytest.raises(StudyError, match=r"ids of its rows, whole numbers\. .*study\.case\(frame\)"):
            getattr(explain, name)(study, cases=cases)


def test_a_model_of_a_number_is_sent_to_what_explains_it():
    number = RegressorModel(n_iter=0).fit(np.arange(30.0)[:, None], np.arange(30.0))
    with pytest.raises(TypeError, match=r"not a RegressorModel\. .*explain\.number_answer"):
        explain.shap_values(number, [[1.0]], [0.0])
    with pytest.raises(TypeError, match=r"not a ClassifierModel\. .*explain\.explain_case"):
        explain.number_answer(ClassifierModel(), [1.0])


def test_plain_values_are_json(study):
    row = int(study.split.held_out[0])
    for name in ("value_places", "nearest_cases", "contradictions"):
        json.dumps(getattr(explain, name)(study, row).to_dict(), allow_nan=False)
    halves = explain.familiarity_halves(study, study.split.held_out[:1]).to_dict()
    assert halves["border"] is None
    json.dumps(halves, allow_nan=False)
