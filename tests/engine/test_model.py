"""The classifier as its users meet it."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.data.generators import create_continuous_xor
from proset.engine.model import ClassifierModel
from proset.engine.solver import minimize_nonnegative

EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Candidates are drawn by position, whatever the weights (remark 2.2), so a weight of two and a repeated row "
        "lead to other candidates. In the objective they are equal: tests/engine/test_objective.py."
    ),
    "check_array_api_input": "The model computes with numpy only.",
}


@parametrize_with_checks([ClassifierModel()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some checks fit pure noise
        check(estimator)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def fitted(iris):
    return ClassifierModel(n_iter=2, random_state=3).fit(*iris)


def test_the_same_seed_gives_the_same_model(iris, fitted):
    again = ClassifierModel(n_iter=2, random_state=3).fit(*iris)
    other = ClassifierModel(n_iter=2, random_state=2).fit(*iris)
    np.testing.assert_array_equal(again.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    assert not np.array_equal(other.predict_proba(iris[0]), fitted.predict_proba(iris[0]))


def test_a_warm_start_continues_as_if_it_had_never_stopped(iris, fitted):
    model = ClassifierModel(n_iter=1, random_state=3).fit(*iris)
    model.fit(*iris, warm_start=True)
    np.testing.assert_array_equal(model.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    assert [r.batch for r in model.batch_results_] == [1, 2]


def test_batches_do_not_repeat_their_random_stream(fitted):
    first, second = (set(b.sample_index.tolist()) for b in fitted.set_manager_.batches)
    assert first != second


def test_a_warm_start_refuses_a_class_it_does_not_know(iris):
    X, y = iris
    model = ClassifierModel(random_state=0).fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="virginica"):
        model.fit(X, y, warm_start=True)


def test_no_batches_means_marginals(iris):
    X, y = iris
    model = ClassifierModel(n_iter=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)
    assert model.familiarity(X).tolist() == [0.0] * 150
    assert model.set_manager_.num_batches == 0
    assert model.export().shape[0] == 3
    assert model.explain(X[:1]).shape[0] == 4


def test_a_crushing_penalty_gives_batches_without_prototypes(iris):
    X, y = iris
    model = ClassifierModel(n_iter=2, lambda_w=100.0, alpha_w=0.0, random_state=0).fit(X, y)
    assert model.set_manager_.get_batches() == [None, None]
    assert model.set_manager_.num_batches == 2
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)


def test_sample_weights_shape_the_marginals(iris):
    X, y = iris
    weight = np.where(y == "setosa", 2.0, 1.0)
    model = ClassifierModel(n_iter=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.25, 0.25]])


def test_samples_of_weight_zero_are_as_good_as_absent(iris):
    X, y = iris
    weight = np.ones(150)
    weight[::5] = 0.0
    weighted = ClassifierModel(random_state=0).fit(X, y, sample_weight=weight)
    absent = ClassifierModel(random_state=0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(weighted.predict_proba(X), absent.predict_proba(X))


def test_prototypes_point_to_their_training_rows(iris, fitted):
    X, y = iris
    for batch in fitted.set_manager_.batches:
        np.testing.assert_allclose(batch.prototypes, X[np.ix_(batch.sample_index, batch.active_features)], rtol=1e-6)
        np.testing.assert_array_equal(fitted.classes_[batch.target], y[batch.sample_index])


def test_prototypes_point_to_their_training_rows_when_some_are_left_out():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    weight = np.ones(len(y))
    weight[:50] = 0.0
    model = ClassifierModel(max_samples=200, random_state=0).fit(X, y, sample_weight=weight)
    (batch,) = model.set_manager_.batches
    assert model.batch_results_[0].n_candidates + model.batch_results_[0].n_reference == 200
    assert batch.sample_index.min() >= 50
    np.testing.assert_allclose(batch.prototypes, X[np.ix_(batch.sample_index, batch.active_features)], rtol=1e-6)


def test_staged_estimates_end_at_the_model(iris, fitted):
    X, _ = iris
    stages = list(fitted.staged_predict_proba(X))
    one_batch = ClassifierModel(n_iter=1, random_state=3).fit(*iris)
    np.testing.assert_allclose(stages[0], 1 / 3)
    np.testing.assert_array_equal(stages[1], one_batch.predict_proba(X))
    np.testing.assert_array_equal(stages[2], fitted.predict_proba(X))


def test_score_is_the_mean_log_likelihood(iris, fitted):
    X, y = iris
    assert fitted.score(X, y) == pytest.approx(-log_loss(y, fitted.predict_proba(X)))
    weight = np.arange(1.0, 151.0)
    expected = -log_loss(y, fitted.predict_proba(X), sample_weight=weight)
    assert fitted.score(X, y, sample_weight=weight) == pytest.approx(expected)


def test_score_names_an_unknown_class(iris, fitted):
    X, _ = iris
    with pytest.raises(ValueError, match="tulip"):
        fitted.score(X[:1], ["tulip"])


def test_shrinking_keeps_every_estimate():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    small = model.shrink()
    assert small is model
    assert model.n_features_in_ == len(model.active_features_) < 30
    np.testing.assert_array_equal(model.predict_proba(X[:, model.active_features_]), before)
    np.testing.assert_array_equal(model.shrink().active_features_, model.active_features_)


def test_shrinking_keeps_feature_names(iris):
    frame = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    model = ClassifierModel(lambda_v=3e-2, random_state=0).fit(frame, iris[1]).shrink()
    assert model.feature_names_in_.tolist() == [frame.columns[i] for i in model.active_features_]
    assert model.predict(frame[model.feature_names_in_]).shape == (150,)


def test_only_relevant_features_survive():
    X, y = create_continuous_xor(2, 3, n_samples=800, random_state=0)
    model = ClassifierModel(lambda_v=3e-3, random_state=0).fit(StandardScaler().fit_transform(X), y)
    assert model.set_manager_.get_active_features().tolist() == [0, 1]


def test_progress_is_reported_and_can_end_the_fit(iris):
    steps = []
    ClassifierModel(n_iter=2, random_state=0).fit(*iris, progress=steps.append)
    shares = [step.share for step in steps]
    assert {step.batch for step in steps} == {1, 2}
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < shares[-1] < 1.0

    class EnoughError(Exception):
        pass

    def stop(step):
        if step.evaluations == 3:
            raise EnoughError

    model = ClassifierModel(random_state=0)
    with pytest.raises(EnoughError):
        model.fit(*iris, progress=stop)
    with pytest.raises(NotFittedError):
        model.predict(iris[0])


def test_a_solver_that_does_not_converge_says_why(iris, monkeypatch):
    def impatient(function, start, **options):
        return minimize_nonnegative(function, start, **options | {"max_iterations": 2})

    monkeypatch.setattr("proset.engine.fitting.minimize_nonnegative", impatient)
    with pytest.warns(ConvergenceWarning, match="limit on iterations was reached"):
        ClassifierModel(random_state=0).fit(*iris)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_iter": -1}, "n_iter"),
        ({"lambda_v": -0.1}, "lambda_v"),
        ({"alpha_w": 1.5}, "alpha_w"),
        ({"max_fraction": 1.0}, "max_fraction"),
        ({"num_candidates": 5}, "num_candidates=5 is too small for 3 classes: use at least 6"),
        ({"max_samples": 0}, "max_samples"),
        ({"backend": "abacus"}, "backend"),
        ({"max_fraction": 0.005}, "at least 199 samples"),
    ],
)
def test_bad_parameters_are_named(iris, change, message):
    with pytest.raises(ValueError, match=message):
        ClassifierModel(**change).fit(*iris)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0], [2.0]], ["a", "a", "a"], "only one class"),
        ([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"], r"b \(1\)"),
        ([[0.0], [np.nan], [2.0]], ["a", "a", "b"], "NaN"),
        ([[0.0], [np.inf], [2.0]], ["a", "a", "b"], "infinity"),
        ([[0.0], [1.0]], [0.1, 0.7], "continuous"),
    ],
)
def test_bad_data_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        ClassifierModel().fit(X, y)


def test_all_weights_zero_is_refused(iris):
    with pytest.raises(ValueError, match="zero"):
        ClassifierModel().fit(*iris, sample_weight=np.zeros(150))


def test_it_clones_pickles_and_cross_validates(iris, fitted):
    assert clone(fitted).get_params() == fitted.get_params()
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    scores = cross_val_score(
        make_pipeline(StandardScaler(), ClassifierModel(lambda_v=1e-2, random_state=0)), *iris, cv=3
    )
    assert (scores > -0.35).all()


def test_float32_and_float64_input_agree(iris, fitted):
    X, _ = iris
    np.testing.assert_allclose(fitted.predict_proba(X.astype(np.float32)), fitted.predict_proba(X), atol=1e-5)


MEMORY_SCRIPT = """
import resource
import numpy as np
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import Batch, SetManager

rng = np.random.default_rng(0)
X = rng.standard_normal((1_000_000, 30), dtype=np.float32)
batch = Batch(np.arange(30), np.full(30, 0.3, np.float32), X[:1000].copy(), rng.integers(0, 2, 1000),
              np.ones(1000, np.float32), np.arange(1000))
model = ClassifierModel()
model.set_manager_ = SetManager([0.5, 0.5], 30, (batch,))
model.n_features_in_, model.classes_ = 30, np.array([0, 1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.predict_proba(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_scoring_a_million_rows_stays_far_below_one_gibibyte():
    done = subprocess.run([sys.executable, "-c", MEMORY_SCRIPT], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 200  # MiB above the input; a full similarity matrix would take 8 GB


def test_fitting_does_not_hold_the_similarity_matrix():
    """120,000 reference rows by 1,000 candidates would be 480 MB in single precision."""
    script = """
import resource, warnings
import numpy as np
from proset.engine.model import ClassifierModel

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.standard_normal((120_000, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
ClassifierModel(n_iter=0).fit(X, y)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ClassifierModel(solver_factr=1e14, random_state=0).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 120
