"""Metrics against scikit-learn, and where a class has no held-out row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix, log_loss, roc_auc_score

from proset.engine.metrics import NAIVE_RULE, evaluate, pairwise_auc


def _problem(n_classes: int, n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, n_classes, n)
    raw = rng.random((n, n_classes)) + 0.8 * np.eye(n_classes)[actual] * (rng.random((n, 1)) < 0.6)
    return actual, raw / raw.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_metrics_agree_with_scikit_learn(n_classes: int) -> None:
    actual, probabilities = _problem(n_classes)
    metrics = evaluate(
        actual, probabilities, classes=[f"c{k}" for k in range(n_classes)], marginals=np.full(n_classes, 1 / n_classes)
    )
    predicted = probabilities.argmax(axis=1)
    assert metrics.log_loss == pytest.approx(log_loss(actual, probabilities))
    assert metrics.roc_auc == pytest.approx(roc_auc_score(actual, probabilities, multi_class="ovo", average="macro"))
    assert metrics.balanced_accuracy == pytest.approx(balanced_accuracy_score(actual, predicted))
    assert metrics.accuracy == pytest.approx(accuracy_score(actual, predicted))
    assert metrics.confusion.to_numpy().tolist() == confusion_matrix(actual, predicted).tolist()
    assert metrics.rule == NAIVE_RULE
    assert metrics.absent_classes == ()


def test_two_classes_with_ties_agree_with_scikit_learn() -> None:
    actual, probabilities = _problem(2)
    coarse = np.round(probabilities, 1)
    assert pairwise_auc(actual, coarse) == pytest.approx(
        (roc_auc_score(actual, coarse[:, 1]) + roc_auc_score(1 - actual, coarse[:, 0])) / 2
    )


def test_naive_model_states_the_marginals() -> None:
    actual = np.array([0, 0, 0, 1])
    metrics = evaluate(actual, np.full((4, 2), 0.5), classes=["a", "b"], marginals=np.array([0.6, 0.4]))
    assert metrics.naive_log_loss == pytest.approx(-(3 * np.log(0.6) + np.log(0.4)) / 4)
    assert metrics.naive_accuracy == 0.75
    assert metrics.naive_balanced_accuracy == 0.5
    assert metrics.roc_auc == 0.5


def test_a_class_without_held_out_rows_is_named_and_left_out() -> None:
    actual, probabilities = _problem(3)
    seen = actual < 2
    metrics = evaluate(actual[seen], probabilities[seen], classes=["a", "b", "c"], marginals=np.full(3, 1 / 3))
    assert metrics.absent_classes == ("c",)
    assert metrics.confusion.loc["c"].sum() == 0
    assert metrics.roc_auc == pytest.approx(pairwise_auc(actual[seen], probabilities[seen][:, :2]))
    assert 0.0 < metrics.balanced_accuracy < 1.0


def test_no_held_out_rows_give_nan_not_a_crash() -> None:
    metrics = evaluate(np.array([], dtype=int), np.empty((0, 2)), classes=["a", "b"], marginals=np.array([0.5, 0.5]))
    assert metrics.n_rows == 0
    assert np.isnan([metrics.log_loss, metrics.roc_auc, metrics.accuracy, metrics.balanced_accuracy]).all()


def test_a_certain_and_wrong_estimate_is_finite() -> None:
    metrics = evaluate(np.array([0]), np.array([[0.0, 1.0]]), classes=["a", "b"], marginals=np.array([0.5, 0.5]))
    assert metrics.log_loss == pytest.approx(-np.log(1e-10))
