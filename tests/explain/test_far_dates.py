"""Dates that stand for "no end", such as 31 December 9999, in everything that bins, draws and reports dates."""

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain, plots
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.report.make import model_report, number_report
from proset.study import FitSettings


def table(*far):
    rng = np.random.default_rng(0)
    days = [f"{pd.Timestamp('2012-01-01') + pd.Timedelta(days=int(n)):%Y-%m-%d}" for n in rng.integers(0, 3_000, 120)]
    days[: len(far)] = far
    late = np.array([day > "2016" for day in days])
    frame = {"until": days, "x": rng.normal(size=120), "size": late * 2.0 + rng.normal(size=120).round(3)}
    frame = pd.DataFrame({**frame, "late": np.where(late, "y", "n")})
    return proset.read_table(frame.to_csv(index=False).encode())


FAR = [("9999-12-31",) * 7, ("1066-10-14", "9999-12-31"), ("1066-10-14",) * 3]


@pytest.mark.slow
@pytest.mark.parametrize("far", FAR)
def test_classes(far):
    read = table(*far)
    roles = guess_roles(read, target="late").roles.with_role("size", Role.EXTRA)
    study = proset.fit_study(read, roles, settings=FitSettings(lambda_v=1e-4))
    explain.quality_by(study, "until")
    explain.find_error_slices(study)
    for figure in (
        plots.plot_densities(explain.feature_densities(study)),
        plots.plot_value_evidence(explain.value_evidence(study)),
    ):
        assert figure.data
    evidence = explain.Evidence(study.case(1))
    assert evidence.flip.words
    assert evidence.places is not None
    assert model_report(study).parts


@pytest.mark.slow
@pytest.mark.parametrize("far", FAR)
def test_a_number(far):
    read = table(*far)
    study = proset.fit_number_study(read, guess_roles(read, target="size").roles)
    found = explain.number_errors(study)
    assert found.words
    by_day = explain.column_errors(study, column="until")
    assert plots.plot_column_errors(by_day).figure().data
    explain.number_quality_by(study, "until")
    explain.number_course(study, feature="until")
    assert number_report(study).parts
