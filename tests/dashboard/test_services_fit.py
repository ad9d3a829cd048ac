"""The verdict on a fit, in words that fit the figures."""

from dataclasses import replace

import pytest

from dashboard.services.fit import solver_lines, verdict
from proset.study import FitSettings, fit_study


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
    found, text = verdict(study, study.metrics.confusion)
    assert found == kind
    assert said in text


def test_a_batch_without_prototypes_is_said_to_change_nothing(patients, patient_roles):
    # So large a penalty that a second batch has nothing to add (tests/conftest.py has the smaller one).
    study = fit_study(patients, patient_roles, settings=FitSettings(n_iter=2, lambda_v=3e-2))
    assert [result.n_prototypes > 0 for result in study.model.batch_results_] == [True, False]
    (_, first), (_, second) = solver_lines(study)
    assert "no prototypes" not in first
    assert second.endswith("It kept no prototypes, so the model is the same without it.")
