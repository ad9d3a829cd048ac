"""Nearest neighbours: losses as in a plain loop, the largest k within the threshold, odd input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset.common.errors import ProsetError
from proset.reference_models import fit_knn_classifier
from proset.selection import Rule, SearchPlan, make_folds


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(wine):
    return fit_knn_classifier(*wine, random_state=3)


def test_losses_are_those_of_a_plain_loop(wine, fitted):
    X, y = wine
    for number, fold in enumerate(make_folds(y, SearchPlan(random_state=3)), start=1):
        for k in (1, 6, 40):
            model = make_pipeline(StandardScaler(), KNeighborsClassifier(k)).fit(X[fold.train], y[fold.train])
            estimates = np.clip(model.predict_proba(X[fold.test]), 1e-10, 1.0)
            expected = -np.log(estimates[np.arange(len(fold.test)), y[fold.test]]).mean()
            row = fitted.table.set_index("k").loc[k]
            assert row[f"fold_{number}"] == pytest.approx(expected, rel=1e-12)


def test_largest_k_within_the_threshold_is_chosen(fitted):
    table = fitted.table
    best = table["mean"].idxmin()
    threshold = table.loc[best, "mean"] + table.loc[best, "sd"]
    assert fitted.choice.threshold == pytest.approx(threshold)
    assert fitted.k == table.loc[table["mean"] <= threshold, "k"].max()
    assert fitted.k > table.loc[best, "k"]


def test_final_model_is_fitted_to_all_rows(wine, fitted):
    X, y = wine
    plain = make_pipeline(StandardScaler(), KNeighborsClassifier(fitted.k)).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), plain.predict_proba(X))
    assert log_loss(y, fitted.predict_proba(X)) < 0.2


def test_labels_come_back_as_they_were(wine):
    X, y = wine
    names = np.array(["red", "white", "rosé"])[y]
    result = fit_knn_classifier(pd.DataFrame(X), pd.Series(names), neighbours=[5])
    assert result.classes.tolist() == ["red", "rosé", "white"]
    assert (result.predict(X) == names).mean() > 0.9


def test_rows_of_weight_zero_do_not_exist(wine):
    X, y = wine
    spoilt, labels = np.vstack([X, X[:30] + 100.0]), np.concatenate([y, (y[:30] + 1) % 3])
    weight = np.concatenate([np.ones(len(X)), np.zeros(30)])
    with_zeros = fit_knn_classifier(spoilt, labels, sample_weight=weight)
    pd.testing.assert_frame_equal(with_zeros.table, fit_knn_classifier(X, y).table)


def test_without_scaling_a_wide_feature_decides(wine):
    X, y = wine
    noise = 1e6 * np.random.default_rng(0).standard_normal((len(X), 1))
    spoilt = np.hstack([X, noise])
    scaled = fit_knn_classifier(spoilt, y)
    unscaled = fit_knn_classifier(spoilt, y, scale=False)
    assert scaled.table["mean"].min() < 0.2 < 0.8 < unscaled.table["mean"].min()


def test_rule_best_takes_the_optimum(wine):
    result = fit_knn_classifier(*wine, rule=Rule.BEST)
    assert result.choice.chosen == result.choice.optimal == result.table["mean"].idxmin()


def test_small_data_try_no_k_beyond_a_fold():
    X, y = load_iris(return_X_y=True)
    result = fit_knn_classifier(X[::5], y[::5], n_folds=3)
    assert result.table["k"].tolist() == list(range(1, 21))


def test_progress_goes_from_fold_to_fold(wine):
    seen = []
    fit_knn_classifier(*wine, neighbours=[3], n_folds=4, progress=seen.append)
    folds = [(1, done, 4) for done in (1, 2, 3, 4)]
    assert [(step.stage, step.done, step.total) for step in seen] == [*folds, (3, 1, 1)]
    assert [step.share for step in seen] == sorted(step.share for step in seen)
    assert seen[-1].share == 1.0
    assert seen[-1].seconds_left == 0.0


def test_raising_from_progress_stops(wine):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_knn_classifier(*wine, progress=stop)


def test_report_names_both_points(fitted):
    text = fitted.report()
    assert f"{fitted.choice.threshold:.4f}" in text
    assert [line.split()[1] for line in text.splitlines() if line.startswith("chosen")] == [str(fitted.k)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.zeros(178)}, "All rows have the class"),
        ({"y": np.r_[np.zeros(175), 1, 1, 1]}, "has 3 rows"),
        ({"X": np.full((178, 2), np.nan)}, "NaN"),
        ({"neighbours": [0, 3]}, "whole numbers from 1 to 142"),
        ({"neighbours": [143]}, "whole numbers from 1 to 142"),
        ({"neighbours": []}, "whole numbers from 1 to 142"),
        ({"neighbours": [2.5]}, "whole numbers from 1 to 142"),
        ({"sample_weight": np.zeros(178)}, "All sample weights are zero|at least one non-zero"),
        ({"sample_weight": np.full(178, -1.0)}, "[Nn]egative"),
        ({"y": np.linspace(0.1, 1.0, 178)}, "Unknown label type"),
        ({"n_folds": 1}, "n_folds"),
    ],
)
def test_odd_input_is_refused_in_words(wine, changes, message):
    arguments = dict(zip(("X", "y"), wine, strict=True)) | changes
    X, y = arguments.pop("X"), arguments.pop("y")
    with pytest.raises(ValueError, match=message):
        fit_knn_classifier(X, y, **arguments)


def test_errors_are_those_of_the_project(wine):
    with pytest.raises(ProsetError):
        fit_knn_classifier(wine[0], np.zeros(178))


def test_folds_may_be_given(wine, fitted):
    X, y = wine
    folds = make_folds(y, SearchPlan(random_state=3))
    same = fit_knn_classifier(X, y, folds=folds)
    assert same.table.equals(fitted.table)
    assert same.k == fitted.k
    two = fit_knn_classifier(X, y, folds=folds[1:3], neighbours=[1, 6])
    expected = fitted.table.set_index("k").loc[[1, 6], ["fold_2", "fold_3"]].to_numpy()
    np.testing.assert_array_equal(two.table[["fold_1", "fold_2"]].to_numpy(), expected)
