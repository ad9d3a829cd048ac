"""XGBoost in two stages: losses as in plain fits, the sparsest settings within the threshold, odd input."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.datasets import load_breast_cancer, load_iris

from proset.common.errors import ProsetError
from proset.data.generators import create_continuous_xor
from proset.reference_models import XgbPlan, boosting, fit_xgb_classifier
from proset.reference_models.boosting import Trees, iteration_losses
from proset.reference_models.training import check_training_rows
from proset.selection import SearchPlan, make_folds

SMALL = XgbPlan(n_trials=12, iterations=20, max_iterations=120, random_state=1)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return fit_xgb_classifier(*iris, plan=SMALL)


def plain_loss(X, y, fold, trees, n_rounds):
    """Log-loss of scikit-learn's face of XGBoost on the rows left out."""
    model = xgboost.XGBClassifier(
        n_estimators=n_rounds,
        learning_rate=trees.learning_rate,
        max_depth=trees.max_depth,
        colsample_bynode=trees.colsample,
        subsample=trees.subsample,
        random_state=trees.seed,
        n_jobs=1,
    ).fit(X[fold.train], y[fold.train])
    estimates = model.predict_proba(X[fold.test])[np.arange(len(fold.test)), y[fold.test]]
    return -np.log(estimates.astype(np.float64)).mean()


@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_stage_1_has_the_losses_of_plain_fits(data, request):
    X, y = request.getfixturevalue(data)
    plan = XgbPlan(n_trials=4, iterations=10, max_iterations=5, n_folds=3, random_state=2)
    result = fit_xgb_classifier(X, y, plan=plan)
    assert {trees.max_depth for trees in plan.trials()} - {0}, "a constant model alone would prove nothing"
    for number, fold in enumerate(make_folds(y, SearchPlan(n_folds=3, random_state=2)), start=1):
        for row, trees in enumerate(plan.trials()):
            if trees.max_depth > 0:
                expected = plain_loss(X, y, fold, trees, 10)
                assert result.stage_1.loc[row, f"fold_{number}"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_boosting_in_chunks_is_boosting_at_once(data, request, monkeypatch):
    X, y = request.getfixturevalue(data)
    fold = make_folds(y, SearchPlan(n_folds=3))[0]
    rows = check_training_rows(X, y, None, 3)
    trees = Trees(max_depth=3, colsample=1.0, subsample=1.0, learning_rate=0.1, seed=0)  # nothing is left to chance
    monkeypatch.setattr(boosting, "ROUNDS_PER_CHUNK", 7)
    chunks = list(iteration_losses(rows, [(fold.train, fold.test)], trees, max_rounds=25, n_jobs=None))
    assert [len(chunk) for chunk in chunks] == [7, 7, 7, 4]
    losses = np.concatenate(chunks)[:, 0]
    for iterations in (1, 7, 8, 25):
        assert losses[iterations - 1] == pytest.approx(plain_loss(X, y, fold, trees, iterations), rel=1e-4)


@pytest.mark.slow
def test_result_does_not_depend_on_threads(iris, fitted):
    parallel = fit_xgb_classifier(*iris, plan=SMALL, n_jobs=2)
    pd.testing.assert_frame_equal(parallel.stage_1, fitted.stage_1)
    pd.testing.assert_frame_equal(parallel.stage_2, fitted.stage_2)
    np.testing.assert_array_equal(parallel.predict_proba(iris[0]), fitted.predict_proba(iris[0]))


def test_sparsest_settings_within_the_threshold_are_chosen(fitted):
    table, choice = fitted.stage_1, fitted.choice_1
    eligible = table[table["mean"] <= choice.threshold]
    first = eligible.sort_values(["max_depth", "colsample", "subsample"]).index[0]
    assert choice.chosen == first
    assert choice.threshold == pytest.approx(table["mean"].min() + table.loc[table["mean"].idxmin(), "sd"])
    iterations = fitted.stage_2
    assert fitted.choice_2.chosen == iterations[iterations["mean"] <= fitted.choice_2.threshold].index[0]


def test_final_model_has_the_chosen_settings(iris, fitted):
    settings = fitted.model.get_params()
    chosen = fitted.stage_1.loc[fitted.choice_1.chosen]
    assert settings["max_depth"] == chosen["max_depth"]
    assert settings["colsample_bynode"] == chosen["colsample"]
    assert settings["subsample"] == chosen["subsample"]
    assert settings["learning_rate"] == 0.01
    assert settings["n_estimators"] == fitted.stage_2.loc[fitted.choice_2.chosen, "iterations"]
    assert (fitted.predict(iris[0]) == iris[1]).mean() > 0.9


def test_depth_zero_states_the_class_shares():
    X, y = load_iris(return_X_y=True)
    X, y = X[:120], y[:120]  # 50, 50 and 20 rows
    result = fit_xgb_classifier(X, y, plan=XgbPlan(n_trials=2, max_depth=0, iterations=5, max_iterations=50))
    np.testing.assert_allclose(result.predict_proba(X[:1]), [[5 / 12, 5 / 12, 2 / 12]])
    assert len(result.stage_2) == 1
    assert result.active_features.size == 0


def test_trees_find_the_features_that_matter():
    X, y = create_continuous_xor(2, 2, n_samples=400, random_state=0)
    result = fit_xgb_classifier(X, y, plan=XgbPlan(n_trials=15, iterations=50, max_iterations=200))
    importances = result.model.feature_importances_
    assert importances[:2].min() > importances[2:].max()
    assert set(result.active_features) >= {0, 1}


@pytest.mark.slow
def test_patience_ends_stage_2(iris, monkeypatch):
    monkeypatch.setattr(boosting, "ROUNDS_PER_CHUNK", 50)
    plan = XgbPlan(n_trials=3, iterations=20, max_iterations=5_000, patience=100)
    table = fit_xgb_classifier(*iris, plan=plan).stage_2
    best = table["mean"].idxmin()
    assert 100 <= len(table) - 1 - best < 150
    assert len(table) < 5_000


def test_labels_come_back_as_they_were(iris):
    names = np.array(["setosa", "versicolor", "virginica"])[iris[1]]
    result = fit_xgb_classifier(iris[0], names, plan=SMALL)
    assert result.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert (result.predict(iris[0]) == names).mean() > 0.9


def test_rows_of_weight_zero_do_not_exist(iris, fitted):
    X, y = iris
    spoilt, labels = np.vstack([X, X[:30]]), np.concatenate([y, y[60:90]])
    result = fit_xgb_classifier(spoilt, labels, sample_weight=np.r_[np.ones(150), np.zeros(30)], plan=SMALL)
    pd.testing.assert_frame_equal(result.stage_1, fitted.stage_1)


def test_weights_count(iris):
    X, y = iris
    heavy = np.where(y == 2, 20.0, 1.0)
    plan = XgbPlan(n_trials=2, max_depth=0, iterations=5, max_iterations=5)
    result = fit_xgb_classifier(X, y, sample_weight=heavy, plan=plan)
    np.testing.assert_allclose(result.predict_proba(X[:1]), [[1 / 22, 1 / 22, 20 / 22]])


def test_progress_never_falls(iris):
    seen = []
    fit_xgb_classifier(*iris, plan=SMALL, progress=seen.append)
    shares = [step.share for step in seen]
    assert shares == sorted(shares)
    assert [seen[0].stage, seen[-1].stage] == [1, 3]
    assert shares[-1] == 1.0
    assert max(step.done for step in seen if step.stage == 1) == 12 * 5


def test_raising_from_progress_stops(iris):
    def stop(step):
        if step.stage == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_xgb_classifier(*iris, plan=SMALL, progress=stop)


def test_report_says_when_deeper_trees_may_help(iris):
    plan = XgbPlan(n_trials=6, max_depth=1, iterations=20, max_iterations=30)
    result = fit_xgb_classifier(*iris, plan=plan)
    assert result.at_limit
    assert "consider a larger max_depth" in result.report()
    assert f"{result.choice_2.threshold:.4f}" in result.report()


def test_without_xgboost_the_extra_is_named(iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ProsetError, match=r'pip install "proset-dashboard\[reference\]"'):
        fit_xgb_classifier(*iris, plan=SMALL)


@pytest.mark.slow
def test_import_does_not_load_xgboost():
    code = "import sys, proset.reference_models; print('xgboost' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_trials": 0}, "n_trials is 0"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"iterations": 0}, "iterations is 0"),
        ({"max_iterations": 0}, "max_iterations is 0"),
        ({"patience": 0}, "patience is 0"),
        ({"n_folds": 1}, "n_folds is 1"),
        ({"colsample": (0.0, 0.5)}, "colsample is"),
        ({"subsample": (0.9, 0.1)}, "subsample is"),
        ({"learning_rates": (0.1, 1.5)}, "learning_rates is"),
    ],
)
def test_plan_refuses_what_cannot_be_tried(changes, message):
    with pytest.raises(ProsetError, match=message):
        XgbPlan(**changes)


def test_plan_draws_from_its_ranges():
    trials = XgbPlan(n_trials=500).trials()
    assert {trees.max_depth for trees in trials} == set(range(10))
    assert all(0.1 <= trees.colsample <= 0.9 and 0.1 <= trees.subsample <= 0.9 for trees in trials)
    assert trials == XgbPlan(n_trials=500).trials()
    assert trials != XgbPlan(n_trials=500, random_state=1).trials()


def test_folds_may_be_given():
    X, y = load_iris(return_X_y=True)
    plan = XgbPlan(n_trials=3, iterations=8, max_iterations=8, n_folds=3, random_state=2)
    folds = make_folds(y, SearchPlan(n_folds=3, random_state=2))
    usual, same = fit_xgb_classifier(X, y, plan=plan), fit_xgb_classifier(X, y, plan=plan, folds=folds)
    assert same.stage_1.equals(usual.stage_1)
    assert same.stage_2.equals(usual.stage_2)
    assert fit_xgb_classifier(X, y, plan=plan, folds=folds[:2]).plan.n_folds == 2
