"""The classifier as its users meet it."""

import ast
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

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

import proset
from proset.data.generators import create_continuous_xor
from proset.engine.candidates import smallest_class_size
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch
from proset.engine.growth import marginal_model
from proset.engine.kernels.threads import n_threads
from proset.engine.model import ClassifierModel
from proset.engine.no_features import NoActiveFeatureWarning
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
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
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
    with pytest.warns(NoActiveFeatureWarning, match="features are of about unit scale"):
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


def test_score_needs_a_sample_that_counts(iris, fitted):
    with pytest.raises(ValueError, match="All sample weights are zero"):
        fitted.score(*iris, sample_weight=np.zeros(150))


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


def test_a_refit_forgets_that_the_model_was_shrunk():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, y).shrink().fit(X, y)
    assert not hasattr(model, "active_features_")
    assert model.n_features_in_ == 30
    before, active = model.predict_proba(X), model.set_manager_.get_active_features()
    model.shrink()
    np.testing.assert_array_equal(model.active_features_, active)
    np.testing.assert_array_equal(model.predict_proba(X[:, active]), before)


def test_a_warm_start_of_a_shrunk_model_goes_on_with_its_columns():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, y).shrink()
    active = model.active_features_
    model.fit(X[:, active], y, warm_start=True)
    np.testing.assert_array_equal(model.active_features_, active)
    assert [result.batch for result in model.batch_results_] == [1, 2]


def everything(model):
    """All that a model knows, ready for comparison."""
    state = {name: value for name, value in vars(model).items() if name not in ("set_manager_", "label_encoder_")}
    state["labels"] = model.label_encoder_.classes_.tolist()
    state["batches"] = [
        None if b is None else {k: v.tolist() for k, v in b.items()} for b in model.set_manager_.get_batches()
    ]
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in state.items()}


REFUSED = {
    "too few samples of a class": (lambda X, y: (X[:102], y[:102]), {}, ValueError),
    "one class": (lambda X, y: (X[:50], y[:50]), {}, ValueError),
    "missing values": (lambda X, y: (X.mask(X > 2), y), {}, ValueError),
    "weights": (lambda X, y: (X, y), {"sample_weight": np.full(150, -1.0)}, ValueError),
    "another length": (lambda X, y: (X, y[:-1]), {}, ValueError),
    "a callback that has enough": (
        lambda X, y: (X.iloc[:, :2].rename(columns=str.upper), [f"other {label}" for label in y]),
        {"progress": lambda step: 1 / (3 - step.evaluations)},
        ZeroDivisionError,
    ),
    "a warm start that is aborted": (
        lambda X, y: (X, y),
        {"warm_start": True, "progress": lambda step: 1 / (2 - step.batch)},
        ZeroDivisionError,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_a_fit_that_fails_leaves_the_model_as_it_was(iris, case):
    change, options, error = REFUSED[case]
    frame = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    model = ClassifierModel(n_iter=3, random_state=0).fit(frame, iris[1])
    before, estimates = everything(model), model.predict_proba(frame)
    X, y = change(frame, iris[1])
    with pytest.raises(error):
        model.fit(X, y, **options)
    assert everything(model) == before
    np.testing.assert_array_equal(model.predict_proba(frame), estimates)


def test_a_fit_that_fails_fits_nothing(iris):
    model = ClassifierModel(random_state=0)
    with pytest.raises(ValueError, match="Too few"):
        model.fit(iris[0][:102], iris[1][:102])
    assert vars(model) == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(iris[0])


def test_warnings_that_are_errors_leave_the_model_as_it_was(iris):
    model = ClassifierModel(random_state=0).fit(*iris)
    before = everything(model)
    model.set_params(lambda_w=100.0, alpha_w=0.0)
    with pytest.raises(NoActiveFeatureWarning):  # pytest makes them errors here
        model.fit(*iris)
    model.set_params(lambda_w=1e-8, alpha_w=0.95)
    assert everything(model) == before


def test_a_warm_start_with_other_class_shares_is_refused(iris):
    X, y = iris
    model = ClassifierModel(random_state=0).fit(X, y)
    weight = np.where(y == "setosa", 2.0, 1.0)
    with pytest.raises(ValueError, match=r"class 'setosa' has 0\.3333 in the model and 0\.5 here.*warm_start=False"):
        model.fit(X, y, sample_weight=weight, warm_start=True)
    model.fit(X, y, sample_weight=np.full(150, 3.0), warm_start=True)  # the same shares
    assert model.set_manager_.num_batches == 2


def test_a_rare_class_keeps_its_weight_under_max_samples():
    rng = np.random.default_rng(0)
    target = np.repeat([0, 1], [3980, 20])  # 0.5 %
    data = TrainingData(rng.standard_normal((4000, 2)), target, rng.uniform(0.5, 2.0, 4000), np.arange(4000))
    settings = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, 62, 1e7)
    start = marginal_model(data)
    problem = draw_batch(start, data, settings, np.random.default_rng(0)).problem
    assert problem.reference.shape[0] + problem.n_candidates == 62
    share = np.bincount(problem.reference_target, weights=problem.importance)
    np.testing.assert_allclose(share, start.marginals, rtol=1e-12)
    np.testing.assert_allclose(share[1], 0.005, rtol=0.25)


def test_under_max_samples_a_rare_class_is_estimated_as_rare_as_it_is():
    """Without any signal the best estimate is the share of each class among all samples, not among those drawn."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((4000, 1)), np.repeat([0, 1], [3980, 20])
    model = ClassifierModel(max_samples=62, lambda_v=1e-1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        model.fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() < 0.015


def test_max_samples_holds_where_classes_are_many():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 6)
    X = scale(y[:, None] + 0.1 * rng.standard_normal((360, 1)))
    assert smallest_class_size(0.5) == 3
    model = ClassifierModel(max_samples=180, random_state=0).fit(X, y)
    (result,) = model.batch_results_
    assert result.n_candidates + result.n_reference == 180
    with pytest.raises(ValueError, match=r"max_samples=100 is too small for 60 classes.*at least 180"):
        ClassifierModel(max_samples=100).fit(X, y)


def test_unscaled_features_are_named_when_nothing_is_learnt(iris):
    rng = np.random.default_rng(0)
    income = np.exp(rng.normal(10, 1, 300))
    frame = pd.DataFrame({"income": income, "rooms": rng.normal(0, 1, 300), "area": 1e3 * rng.normal(0, 1, 300)})
    y = (income > np.median(income)).astype(int)
    with pytest.warns(
        NoActiveFeatureWarning, match=r"not of unit scale: 'income' \(.*'area' \(.*9.3e\+02.*StandardScaler"
    ) as caught:
        model = ClassifierModel(random_state=0).fit(frame, y)
    assert "rooms" not in str(caught[0].message)
    assert caught[0].filename == __file__  # it points at the line of the caller
    assert model.set_manager_.get_active_features().size == 0
    with pytest.warns(NoActiveFeatureWarning, match=r"X\[:, 0\]"):
        ClassifierModel(random_state=0).fit(frame.to_numpy(), y)
    assert ClassifierModel(random_state=0).fit(scale(frame), y).set_manager_.get_active_features().size


def test_scales_beyond_the_range_of_squares_are_told():
    X = np.outer(np.linspace(-1, 1, 20), [1e300, 1.0])
    with np.errstate(all="raise"):
        from proset.engine.no_features import no_feature_words

        assert "X[:, 0] (standard deviation 6.1e+299)" in no_feature_words(X, None, 1e-3)
        assert "No feature varies" in no_feature_words(np.ones((4, 2)), None, 1e-3)


def test_a_model_without_batches_does_not_warn(iris):
    ClassifierModel(n_iter=0).fit(iris[0] * 1e6, iris[1])


def test_pickles_do_not_grow_with_predictions():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = ClassifierModel(lambda_v=1e-5, random_state=0).fit(X, y)
    model = pickle.loads(pickle.dumps(model))
    size, estimates = len(pickle.dumps(model)), model.predict_proba(X)
    model.explain(X[:1])
    assert len(pickle.dumps(model)) == size
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), estimates)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_results_do_not_depend_on_the_number_of_threads(n_jobs):
    X, y = create_continuous_xor(2, 3, n_samples=4000, random_state=0)
    X = StandardScaler().fit_transform(X)
    seen = []
    model = ClassifierModel(random_state=0, n_jobs=n_jobs)
    model.fit(X, y, progress=lambda _: seen.append(n_threads()))
    plain = ClassifierModel(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert model.batch_results_[0].solver == plain.batch_results_[0].solver
    assert set(seen) == {min(n_jobs, n_threads()) if n_jobs > 0 else n_threads()}


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
        ({"max_samples": 8}, "max_samples=8 is too small for 3 classes"),
        ({"n_iter": 1.5}, "n_iter is 1.5; it has to be a whole number of at least 0"),
        ({"n_iter": True}, "n_iter"),
        ({"lambda_w": np.nan}, "lambda_w is nan; it has to be a number of at least 0"),
        ({"lambda_v": "1"}, "lambda_v is '1'"),
        ({"solver_factr": 0.0}, "solver_factr is 0.0; it has to be a number above 0"),
        ({"random_state": -1}, "random_state is -1; it has to be a whole number from 0 to"),
        ({"n_jobs": 0}, "n_jobs is 0; it has to be a whole number other than 0, or None"),
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


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(150), "All sample weights are zero"),
        (np.arange(150.0) - 3, "weights cannot be below 0"),
        (np.ones(149), "sample_weight has 149 entries, but there are 150 samples"),
        (np.ones((150, 1)), "got 2D array"),
        (np.where(np.arange(150) == 7, np.nan, 1.0), "sample_weight contains NaN"),
    ],
)
def test_bad_weights_are_refused(iris, weight, message):
    with pytest.raises(ValueError, match=message):
        ClassifierModel().fit(*iris, sample_weight=weight)


def test_a_number_weighs_every_sample_alike(iris, fitted):
    twice = ClassifierModel(n_iter=2, random_state=3).fit(*iris, sample_weight=2)
    np.testing.assert_allclose(twice.predict_proba(iris[0]), fitted.predict_proba(iris[0]), atol=1e-6)


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


@pytest.mark.exhaustive
def test_scoring_a_million_rows_stays_far_below_one_gibibyte():
    done = subprocess.run([sys.executable, "-c", MEMORY_SCRIPT], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 200  # MiB above the input; a full similarity matrix would take 8 GB


@pytest.mark.slow
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


@pytest.mark.slow
def test_no_private_name_of_scikit_learn_is_used():
    """They change without notice; a release of scikit-learn must not break this package."""
    found = []
    for path in Path(proset.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                found += [f"{path.name}:{node.lineno} {name}" for name in names if name.startswith("_")]
            if isinstance(node, ast.Attribute) and node.attr in ("_validate_params", "_parameter_constraints"):
                found.append(f"{path.name}:{node.lineno} {node.attr}")
    assert not found
