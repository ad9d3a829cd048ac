"""The Features page."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard import cache
from dashboard.services.features import dropped_lines
from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def heart_study():
    """Categories with weights in several levels."""
    return fit_study(load_sample("heart"), sample_roles("heart"), settings=FitSettings(n_iter=1, lambda_v=1e-4))


def test_weights_come_first_and_the_levels_open(open_app, heart_study):
    cache.keep_sample_study("heart", heart_study)
    settings = heart_study.settings
    at = open_app("data", data="heart")
    at.held.opened.add(heart_study)
    at.go("features")
    assert not at.exception
    found = explain.feature_weights(heart_study)
    assert found.grouped
    figure = at.get("plotly_chart")[0]
    assert "chest pain = " not in figure.proto.spec or not settings
    at.toggle(key="features.levels.widget").set_value(True).run()
    assert f"{found.pieces.loc[found.grouped[0]].index[0]}"[:12] in at.get("plotly_chart")[0].proto.spec
    assert "".join(at.query_params["levels"]) == "1"
    unused = [line for line in dropped_lines(found) if "does without" in line]
    assert not unused or unused[0][:30] in at.words()


def test_densities_stand_in_the_address(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="1", aspect="densities")
    assert not at.exception
    assert at.segmented_control(key="features.aspect").value == "densities"
    assert "setosa" in at.get("plotly_chart")[0].proto.spec


def test_a_model_without_features_says_so(open_app, iris_study):
    study = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))
    at = open_app("data", data="iris_2f")
    at.held.opened.add(study)
    at.go("features")
    assert not at.exception
    assert "uses no feature" in at.words()
    assert np.all(study.feature_weights.to_numpy() == 0)
