"""The verdict on a fit, in words that fit the figures."""

from dataclasses import replace

import pytest

from dashboard.services.fit import verdict


@pytest.mark.parametrize(
    ("figures", "kind", "said"),
    [
        ({}, "success", "held-out rows are classified correctly"),
        ({"log_loss": 1.2, "naive_log_loss": 1.1, "roc_auc": 0.69}, "warning", "too sure of themselves"),
        ({"log_loss": 1.2, "naive_log_loss": 1.1, "roc_auc": 0.52}, "warning", "Try another feature penalty"),
        ({"n_rows": 0}, "warning", "No row was held out"),
    ],
)
def test_the_verdict_fits_the_figures(iris_study, figures, kind, said):
    study = replace(iris_study, metrics=replace(iris_study.metrics, **figures))
    found, text = verdict(study)
    assert found == kind
    assert said in text
