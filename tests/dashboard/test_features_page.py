"""The Features page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dashboard import cache
from dashboard.components.features import importance, weights
from dashboard.services.references import reference
from dashboard.texts.features import OF_LEVELS
from proset import explain
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.attribution.many_rows import global_importance
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
    unused = [line for line in found.dropped_words if "does without" in line]
    assert unused
    folded = {item.label: item for item in at.expander}
    head, names = unused[0].split(": ")
    assert names.split(",")[0].split(" (")[0] in folded[f"{head}\\."].markdown[0].value


@pytest.mark.parametrize(("value", "said"), [(lambda i: "uv"[i % 2], True), (lambda i: 9.5 * (i % 2) + i / 16, False)])
def test_the_words_below_the_weights_speak_of_categories_where_there_are_some(open_app, value, said):
    """A category of two levels is one column of the matrix, and one that is not folded."""
    frame = pd.DataFrame({"kind": map(value, range(80)), "class": ["ab"[(i % 2) ^ (i % 9 == 0)] for i in range(80)]})
    table = read_table(frame.to_csv(index=False).encode())
    at = open_app()
    at.held.open_study(fit_study(table, guess_roles(table, target="class").roles))
    at.go("features")
    assert (OF_LEVELS in at.words()) == said


def test_densities_stand_beside_the_weights_and_the_finding_above(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own")
    assert not at.exception
    bars, curves = at.get("plotly_chart")
    assert "weight per standardised unit" in bars.proto.spec
    assert "setosa" in curves.proto.spec
    found = explain.feature_weights(iris_study)
    first, second = found.total
    said = f"The model looks at 2 of 2 columns: '{found.weights.index[0]}' ({first:.2f}), "
    assert f"{said}'{found.weights.index[1]}' ({second:.2f})." in at.words()
    assert "Densities (CSV)" in [item.label for item in at.get("download_button")]


def test_the_finding_names_the_heaviest_of_many(heart_study):
    found = explain.feature_weights(heart_study)
    every = len(found.weights) + len(found.dropped)
    said = weights.finding_words(found)
    assert said.startswith(f"The model looks at {len(found.weights)} of {every} columns, most closely at '")
    assert said.count("(") == 3 + sum(str(name).count("(") for name in found.weights.index[:3])


def test_weights_that_are_a_picture_have_no_densities_of_pixels(open_app):
    study = fit_study(
        load_sample("digits"),
        sample_roles("digits"),
        settings=FitSettings(n_iter=1, num_candidates=60, max_samples=120),
    )
    at = open_app()
    at.held.open_study(study)
    at.go("features")
    assert not at.exception
    assert [chart.proto.id.count("densities") for chart in at.get("plotly_chart")] == [0, 0]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            {"a": [0.2, 0.1], "b": [0.2, 0.1]},
            "'x' moves the estimates most, by 20.0 percentage points on average, then 'y' (10.0).",
        ),
        (
            {"a": [0.2, 0.0], "b": [0.1, 0.0], "c": [0.1, 0.0]},
            "'x' moves the estimates most, by 40.0 percentage points on average, added up over classes.",
        ),
        ({"a": [0.0, 0.0], "b": [0.0, 0.0]}, "No column moves the estimates."),
    ],
)
def test_what_counts_begins_with_what_moves_most(frame, said):
    assert importance.moved_words(pd.DataFrame(frame, index=["x", "y"])) == said


def test_a_model_without_features_says_so(open_app, iris_study):
    study = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))
    at = open_app("data", data="iris_2f")
    at.held.opened.add(study)
    at.go("features")
    assert not at.exception
    assert "uses no feature" in at.words()
    assert np.all(study.feature_weights.to_numpy() == 0)


@pytest.mark.slow
def test_the_check_of_stability_is_a_job_whose_result_stays_with_its_model(open_app, iris_study, hold):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", row="71", aspect="stability")
    assert not at.exception
    hold(0)
    at.button(key="features.stability.start").click().run()
    assert at.job is not None
    hold.let_go()
    at.wait()
    assert not at.exception
    found = at.held.opened.values[iris_study.id, "stability"]
    assert found.n_refits == 10
    assert found.rows["overlap"].notna()[71], "the selected case is looked at in any case"
    assert "In 10 refits with other seeds and splits" in at.words()
    assert at.dataframe[0].value["feature"].tolist() == found.features.index.tolist()
    pd.testing.assert_frame_equal(found.rows, explain.stability(iris_study, cases=[71]).rows)
    assert not [button for button in at.button if button.key == "features.stability.start"]


def test_pairs_and_importance_show_the_numbers_of_the_engine(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", aspect="pairs", row="71")
    assert not at.exception
    assert "sepal length (cm)" in at.get("plotly_chart")[0].proto.spec
    at.segmented_control(key="features.aspect").set_value("importance").run()
    assert not at.exception
    assert "".join(at.query_params["aspect"]) == "importance"
    found = global_importance(iris_study, reference(iris_study, "class-1"))
    at.selectbox(key="features.reference").set_value("class-1").run()
    assert "".join(at.query_params["reference"]) == "class-1"
    assert found.words in at.words()
    assert importance.moved_words(found.frame) in at.words()
    labels = [item.label for item in at.get("download_button")]
    assert "What counts (CSV)" in labels


def test_a_reference_that_the_model_lacks_is_left(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", aspect="importance", reference="class-9")
    assert not at.exception
    assert at.selectbox(key="features.reference").value == "point"
    assert at.get("plotly_chart")
