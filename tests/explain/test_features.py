"""Weights by table column, what was dropped, and densities in the table's units."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import ProsetError
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.table import read_table
from proset.plots.densities import plot_densities
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def ward_study():
    """Three wards decide the class; one column never changes, one is noise."""
    random = np.random.default_rng(1)
    n = 150
    ward = random.choice(["north", "south", "east"], n)
    frame = pd.DataFrame(
        {
            "ward": ward,
            "age": random.normal(50, 10, n).round(1),
            "site": "main",
            "noise": random.normal(0, 1, n).round(2),
            "kind": np.where(ward == "north", "a", np.where(ward == "south", "b", "c")),
        }
    )
    table = read_table(frame.to_csv(index=False).encode(), name="wards.csv")
    roles = Roles(
        {
            "ward": Role.CATEGORICAL,
            "age": Role.NUMERIC,
            "site": Role.CATEGORICAL,
            "noise": Role.NUMERIC,
            "kind": Role.TARGET,
        }
    )
    return fit_study(table, roles, settings=FitSettings(n_iter=2, lambda_v=1e-2))


def test_the_pieces_of_a_category_stand_together_and_count_once(ward_study):
    found = explain.feature_weights(ward_study)
    assert "ward" in found.weights.index
    assert not any("=" in name for name in found.weights.index), "features are columns of the table"
    pieces = found.pieces.loc["ward"]
    assert set(pieces.index) <= {f"ward = {name}" for name in ("north", "south", "east")}
    heaviest = np.sort(pieces[1].to_numpy())[-2:]
    assert found.weights.loc["ward", 1] == pytest.approx(np.sqrt((heaviest**2).sum()))
    assert found.grouped == ("ward",)


def test_a_category_of_which_one_level_is_in_use_names_it(ward_study):
    found = explain.feature_weights(ward_study)
    one = replace(found, pieces=found.pieces.loc[["ward"]].head(1))
    assert one.grouped == ("ward",)
    assert one.to_frame().loc[lambda frame: frame["piece"] != "", "feature"].tolist() == ["ward"]


def test_it_is_said_why_a_feature_has_no_weight(ward_study):
    found = explain.feature_weights(ward_study)
    assert found.dropped.loc["site", "why"] == "single value"
    assert found.dropped.loc["site", "words"] == "'site' holds 'main' in every training row."
    unused = found.dropped.index[found.dropped["why"] == "not used"]
    assert sorted([*found.weights.index, *unused]) == ["age", "noise", "ward"]


def test_weights_can_be_taken_away_as_a_table_and_as_json(ward_study):
    found = explain.feature_weights(ward_study)
    frame = found.to_frame()
    assert list(frame.columns) == ["feature", "piece", "weight in batch 1", "weight in batch 2", "why"]
    assert frame["feature"].nunique() == len(ward_study.roles.features)
    said = json.loads(json.dumps(found.to_dict()))
    assert said["weights"]["ward"] == found.weights.loc["ward"].tolist()


def test_a_model_alone_has_its_matrix_columns():
    X = pd.DataFrame({"left": [0.0, 0.1, 0.2, 1.0, 1.1, 1.2], "flat": 1.0})
    model = ClassifierModel(lambda_v=1e-3).fit(X, list("aaabbb"))
    found = explain.feature_weights(model)
    assert found.weights.index.tolist() == ["left"]
    assert found.dropped.index.tolist() == ["flat"]


def test_a_model_without_batches_has_no_weights(iris_study):
    study = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))
    found = explain.feature_weights(study)
    assert found.weights.empty
    assert len(found.dropped) == 2
    assert explain.feature_densities(study).features == ()


def test_densities_are_in_the_units_of_the_table_and_have_the_area_one(iris_study):
    found = explain.feature_densities(iris_study, features=["sepal length (cm)"])
    one = found.features[0]
    places = np.array(one.places)
    values = iris_study.table.frame["sepal length (cm)"]
    assert places.min() < values.min() < values.max() < places.max()
    area = one.samples.sum() * (places[1] - places[0])
    assert np.allclose(area, 1.0, atol=0.01)
    assert np.allclose(one.prototypes["place"], values.loc[one.prototypes["row"]], atol=1e-5)
    # Setosa has the shortest leaves.
    peaks = {name: places[one.samples[name].argmax()] for name in one.samples}
    assert peaks["setosa"] < peaks["versicolor"] < peaks["virginica"]


def test_what_is_never_negative_has_no_density_below_0():
    drawn = np.random.default_rng(0).exponential(size=(200, 1))
    model = ClassifierModel(random_state=0, n_iter=1).fit(drawn, np.where(drawn[:, 0] > 1.0, "b", "a"))
    (one,) = explain.feature_densities(model, drawn, np.where(drawn[:, 0] > 1.0, "b", "a")).features
    assert one.places[0] == 0.0
    area = one.samples.sum() * (one.places[1] - one.places[0])
    assert np.allclose(area, 1.0, atol=0.02)


def test_categories_have_shares_of_each_class(ward_study):
    one = explain.feature_densities(ward_study, features=["ward"]).features[0]
    assert one.kind == "values"
    assert set(one.places) == {"north", "south", "east"}
    assert np.allclose(one.samples.sum(), 1.0)
    assert one.samples["a"].tolist()[one.places.index("north")] == 1.0
    assert set(one.prototypes["place"]) <= set(one.places)
    json.dumps(explain.feature_densities(ward_study).to_dict())


def test_missing_values_are_counted_and_not_drawn(mixed_study):
    one = explain.feature_densities(mixed_study, features=["size (cm)"]).features[0]
    assert one.missing == 2
    assert explain.feature_densities(mixed_study).to_frame()["density"].notna().all()


def test_a_far_value_does_not_flatten_the_curves():
    random = np.random.default_rng(0)
    sizes = [*random.normal(0, 1, 299).round(3), 1e6]
    lines = [f"{value},{'a' if value > 0 else 'b'}" for value in sizes]
    table = read_table(("size,kind\n" + "\n".join(lines)).encode(), name="far.csv")
    # Beside a value of a million all others are the same to the model; penalties as small as these find the rest.
    study = fit_study(table, guess_roles(table, target="kind").roles, settings=FitSettings(lambda_v=1e-9))
    one = explain.feature_densities(study, features=["size"]).features[0]
    assert 1 <= one.beyond <= 3
    assert one.places[-1] < 100


def test_what_is_no_feature_is_refused_in_words(iris_study):
    with pytest.raises(ProsetError, match="There is no feature 'species'"):
        explain.feature_densities(iris_study, features=["species"])


def test_of_very_many_rows_some_are_taken_and_it_is_said(iris_study, monkeypatch):
    monkeypatch.setattr("proset.explain.structure.densities.MOST_ROWS", 60)
    found = explain.feature_densities(iris_study)
    assert (found.n_rows, found.n_all) == (60, 150)
    assert set(found.features[0].samples.columns) == set(iris_study.classes)
    assert plot_densities(found).layout.meta == "Not drawn: 90 rows between those taken at equal distances."
