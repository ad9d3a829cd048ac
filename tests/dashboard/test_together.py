"""Columns that work together: on the Features page over many rows, on the Case page for one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dashboard import cache
from dashboard.components.case.tabs import TAB
from dashboard.services.cases import CaseRef
from dashboard.services.references import reference
from dashboard.views.features import ASPECT
from proset import explain
from proset.data.issues import Role
from proset.data.samples import load_sample, sample_roles
from proset.explain.attribution import many_rows
from proset.explain.attribution.many_rows import MOST_PAIRED, quick_paired_rows
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def penguins():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


def spec(at, place=0):
    return json.loads(at.get("plotly_chart")[place].proto.spec)


def test_features_says_which_columns_work_together(open_app, penguins):
    study = penguins
    cache.keep_sample_study("penguins", study)
    at = open_app("features", data="penguins", fit="own", aspect="together")
    assert not at.exception
    found = explain.shapley_interactions(study, np.sort(study.split.held_out), reference(study, "point"))
    assert found.words in at.words().replace("\\", "")
    strength = found.strength()
    first = strength.iloc[0] / strength.to_numpy().sum()
    drawn = spec(at)["data"]
    assert [trace["name"] for trace in drawn[:3]] == list(study.classes)
    for trace, label in zip(drawn, study.classes, strict=False):
        assert trace["x"][0] == pytest.approx(100 * first[label])
    assert "Mean over all 103 held-out rows, compared with the reference point" in at.words()
    at.selectbox(key="features.reference").set_value("class-1").run()
    other = explain.shapley_interactions(study, np.sort(study.split.held_out), reference(study, "class-1"))
    assert other.words in at.words().replace("\\", "")


@pytest.mark.slow
def test_without_two_columns_the_page_says_why_there_is_no_pair(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    roles = iris_study.roles
    one = roles.with_role(roles.features[0], Role.EXTRA)
    for study, said in (
        (fit_study(iris_study.table, one), "fewer than two columns"),
        (fit_study(iris_study.table, roles, settings=FitSettings(n_iter=0)), "uses no feature"),
    ):
        at = open_app("data", data="iris_2f", aspect="together", tab="shap", row="71")
        at.held.opened.add(study)
        at.held.put(ASPECT, ASPECT.read("together"))
        at.held.put(TAB, "shap")
        at.held.select(CaseRef.in_table(71))
        assert said in at.go("features").words()
        assert not at.exception
        assert "Two columns" not in at.go("case").words()
        assert not at.exception


def test_too_many_columns_are_not_gone_through(open_app, iris_study, monkeypatch):
    monkeypatch.setattr(many_rows, "MOST_PAIRED", 1)
    assert quick_paired_rows(iris_study) == 0
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", aspect="together")
    assert not at.exception
    assert "uses 2 columns, which are 1 pairs: too many" in at.words()


def test_rows_are_as_many_as_can_be_gone_through_at_once(iris_study, monkeypatch):
    assert MOST_PAIRED > 2
    assert quick_paired_rows(iris_study) == 5_000
    monkeypatch.setattr(many_rows, "QUICK_WORK", 1)
    assert quick_paired_rows(iris_study) == 20
