"""Where cases and a prototype are alike: by the factors of their similarity, and by how usual it is to agree."""

import json

import numpy as np
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import StudyError
from proset.engine.set_manager import Batch


@pytest.fixture(scope="module")
def made():
    """A model with one prototype at zero: a heavy column, one of nearly no weight, one that the batch does not use."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[7] = 0.0
    model = ClassifierModel(n_iter=0).fit(X, np.arange(60) % 2)
    batch = Batch(
        np.array([0, 1]), np.array([2.0, 0.1], np.float32), X[[7], :2], np.array([1]), np.ones(1), np.array([7])
    )
    model.set_manager_ = model.set_manager_.add_batch(batch)
    return model, X


def test_only_a_column_of_weight_in_which_both_agree_counts(made):
    model, X = made
    cases = np.array([[0.1, 0.1, 9.0], [1.0, 0.1, 0.0], [0.0, 9.0, 0.0]])
    found = explain.where_alike(model, 1, 7, cases, known=X)
    assert found.features == ("x0", "x1")
    np.testing.assert_allclose(found.factors, np.exp(-0.5 * np.square(cases[:, :2] * [2.0, np.float32(0.1)])))
    np.testing.assert_allclose(found.usual, np.exp(-0.5 * np.square(X[:, :2] * [2.0, np.float32(0.1)])).mean(axis=0))
    assert found.alike.tolist() == [[True, False], [False, False], [True, False]]
    assert found.columns() == [("x0",), (), ("x0",)]
    assert found.to_frame().shape == (6, 4)
    json.dumps(found.to_dict())


def test_the_product_of_the_factors_is_the_similarity(mixed_study):
    """A category with several levels is one column."""
    line = mixed_study.prototypes.iloc[0]
    batch, row = int(line["batch"]), int(line["row"])
    rows = mixed_study.split.held_out
    found = explain.where_alike(mixed_study, batch, row, rows)
    view = explain.prototype_view(mixed_study, batch, row, rows)
    assert len(view.decides)
    similarity = dict(zip(found.index, found.factors.prod(axis=1), strict=True))
    for case, expected in view.decides["similarity"].items():
        assert similarity[case] == pytest.approx(expected, rel=1e-5)
    assert set(found.features) <= set(mixed_study.roles.features)
    alone = explain.where_alike(mixed_study, batch, row, mixed_study.case(int(rows[0])))
    assert (alone.factors[0] == found.factors[0]).all()


def test_what_is_not_there_is_refused(made, mixed_study):
    model, X = made
    for batch, row in ((1, 8), (2, 7), (0, 7)):
        with pytest.raises(StudyError, match=f"Batch {batch} has no prototype from row {row}"):
            explain.where_alike(model, batch, row, X[:1], known=X)
    with pytest.raises(ValueError, match="pass the training matrix as 'known'"):
        explain.where_alike(model, 1, 7, X[:1])
    case = explain.as_case(model, X[0], known=X)
    assert explain.where_alike(model, 1, 7, case).factors.shape == (1, 2)
    with pytest.raises(StudyError, match="no prototype"):
        explain.where_alike(mixed_study, 99, 1)
