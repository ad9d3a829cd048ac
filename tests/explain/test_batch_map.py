import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from proset import ClassifierModel
from proset.common.errors import ProsetError
from proset.data.generators import create_continuous_xor
from proset.explain.maps import map_plane
from proset.explain.maps.agreement import map_agreement
from proset.explain.maps.map import batch_map
from proset.plots import plot_batch_map
from proset.study import FitSettings, fit_study


def coordinates_by_loops(study):
    """(4.1) to (4.4) from what the set manager stores, and the same transform for every row of the table."""
    batch = study.model.set_manager_.batches[0]
    v, w = batch.feature_weights.astype(float), batch.weights.astype(float)
    z = np.array([[v[d] * row[d] for d in range(len(v))] for row in batch.prototypes.astype(float)])
    mean = sum(w[j] * z[j] for j in range(len(w))) / sum(w)
    centred = z - mean
    values, vectors = np.linalg.eigh(centred.T @ np.diag(w) @ centred)
    u = vectors[:, np.argsort(-values)[:2]]
    matrix = study.encode().X[:, batch.active_features].astype(float) * v
    rows = study.split.train[batch.sample_index]
    return centred @ u, rows, (matrix - mean) @ u, np.sort(values)[::-1] / values.sum()


def test_coordinates_follow_the_report(mixed_study):
    study = mixed_study
    mapping = batch_map(study)
    prototypes, rows, points, shares = coordinates_by_loops(study)
    # Signs of eigenvectors are free: compare up to one sign per axis.
    signs = np.sign((mapping.points[["x", "y"]].to_numpy() * points).sum(axis=0))
    assert_allclose(mapping.points[["x", "y"]], points * signs, atol=1e-4)
    by_row = mapping.prototypes.set_index("row").loc[rows, ["x", "y"]]
    assert_allclose(by_row, prototypes * signs, atol=1e-4)
    assert_allclose(mapping.axis_shares, shares[:2], rtol=1e-4)
    assert mapping.rank >= 2
    assert mapping.message is None


def test_a_first_batch_that_spans_no_plane_gives_way_to_the_fullest(mixed_study):
    manager = mixed_study.model.set_manager_
    whole = manager.batches[0]
    few, some = whole.taken(np.arange(2)), whole.taken(np.arange(3))

    def drawn(*batches):
        model = copy.copy(mixed_study.model)
        model.set_manager_ = manager.with_batches(batches)
        return batch_map(model).batch

    assert [drawn(whole), drawn(some, whole), drawn(few, some, whole), drawn(None, few, some)] == [1, 1, 3, 3]
    assert [drawn(few, None), drawn(None, None), drawn()] == [1, 1, 1]


def test_a_prototype_lies_on_the_point_of_its_row(mixed_study):
    mapping = batch_map(mixed_study)
    at_row = mapping.points.loc[mapping.prototypes["row"], ["x", "y"]].to_numpy()
    assert_allclose(mapping.prototypes[["x", "y"]], at_row, atol=1e-9)
    assert (mapping.prototypes["batch"] == 1).all()


def test_points_carry_what_the_study_says(mixed_study):
    mapping = batch_map(mixed_study)
    columns = ["part", "actual", "predicted", "correct", "confidence", "quantile"]
    pd.testing.assert_frame_equal(mapping.points[columns], mixed_study.predictions[columns])
    assert mapping.points.index.equals(mixed_study.table.frame.index)
    assert "y" not in mixed_study.predictions.columns


def test_details_are_the_tables_own_values(mixed_study):
    details = batch_map(mixed_study).details
    assert details.columns[0] == "tag"
    assert set(details.columns) <= {"tag", "size (cm)", "island"}
    pd.testing.assert_frame_equal(details, mixed_study.table.frame[details.columns])


def test_a_map_of_few_cases_has_the_values_of_its_prototypes_as_well(mixed_study):
    mapping = batch_map(mixed_study, cases=mixed_study.split.held_out[:1])
    assert len(mapping.points) == 1
    assert set(mapping.prototypes["row"]) <= set(mapping.details.index)
    assert plot_batch_map(mapping).data


@pytest.mark.parametrize("name", ["iris_study", "mixed_study"])
def test_loadings_move_a_row_as_far_as_they_say(name, request):
    study = request.getfixturevalue(name)
    mapping = batch_map(study)
    encoded = study.encode().X[:2].astype(float)
    names = [column.name for column in study.design.columns]
    expected = (encoded[1] - encoded[0]) @ mapping.loadings.reindex(names).fillna(0.0).to_numpy()
    assert_allclose(mapping.points[["x", "y"]].iloc[1] - mapping.points[["x", "y"]].iloc[0], expected, atol=1e-5)


def test_blocks_do_not_change_the_result(iris_study, monkeypatch):
    whole = batch_map(iris_study).points
    monkeypatch.setattr(map_plane, "BLOCK_ROWS", 7)
    pd.testing.assert_frame_equal(batch_map(iris_study).points, whole)


def test_one_feature_gives_a_line_and_says_so(iris_study):
    first = iris_study.feature_weights.index[0]
    roles = iris_study.roles
    for name in roles.features:
        if name != first:
            roles = roles.with_role(name, type(roles.by_column[name]).EXTRA)
    mapping = batch_map(fit_study(iris_study.table, roles))
    assert mapping.rank == 1
    assert (mapping.points["y"] == 0).all()
    assert np.ptp(mapping.points["x"]) > 0
    assert mapping.axis_shares == (1.0, 0.0)
    assert mapping.message == f"The first batch uses one feature only, '{first}', so all points lie on a line."


@pytest.mark.filterwarnings("ignore:The model has no active feature")
@pytest.mark.parametrize("settings", [FitSettings(lambda_w=1e3), FitSettings(n_iter=0)])
def test_no_prototypes_no_map(iris_study, settings):
    mapping = batch_map(fit_study(iris_study.table, iris_study.roles, settings=settings))
    assert mapping.rank == 0
    assert mapping.points.empty
    assert mapping.prototypes.empty
    assert {"x", "y", "part"} <= set(mapping.points.columns)
    assert {"x", "y", "row"} <= set(mapping.prototypes.columns)
    assert "no prototypes" in mapping.message


def test_prototypes_that_coincide_have_no_map():
    X = np.array([[0.0, 0.0, 0.0]] * 6 + [[5.0, 5.0, 5.0]] * 4)
    model = ClassifierModel().fit(X, list("aaaaaabbbb"))
    manager = model.set_manager_
    batch = manager.batches[0]
    wide = {"active_features": np.arange(3), "feature_weights": np.ones(3, dtype=np.float32)}

    def of_first(times):
        kept = {name: getattr(batch, name)[[0] * times] for name in ("target", "weights", "sample_index")}
        alike = replace(batch, **kept | wide, prototypes=np.zeros((times, 3)))
        return type(manager)(manager.marginals, 3, (alike,))

    model.set_manager_ = of_first(2)
    mapping = batch_map(model, cases=X)
    assert mapping.rank == 0
    assert mapping.points.empty
    assert "alike" in mapping.message
    with pytest.raises(ProsetError, match="alike"):
        mapping.transform(X)
    model.set_manager_ = of_first(1)
    assert batch_map(model, cases=X).message == "The first batch has one prototype only, so a map has no axes."


def test_two_features_are_the_axes_in_the_units_of_the_table(iris_study):
    mapping = batch_map(iris_study)
    names = [axis.name for axis in mapping.axes]
    weights = iris_study.feature_weights[1]
    assert names == weights.index.tolist()
    for coordinate, name in zip("xy", names, strict=True):
        assert mapping.points[coordinate].tolist() == iris_study.table.frame[name].tolist()
        assert_allclose(mapping.prototypes[coordinate], iris_study.table.frame.loc[mapping.prototypes["row"], name])
    assert sum(mapping.axis_shares) == pytest.approx(1.0)
    # A step that the model finds as long as another one has the same length on a picture with this ratio.
    scale = {column.name: column.scale for column in iris_study.design.columns}
    near = weights[names].to_numpy() / [scale[name] for name in names]
    assert mapping.plane.ratio == pytest.approx(near[1] / near[0])


@pytest.mark.parametrize("batch", [1, 2])
def test_any_batch_of_a_model_with_matrices(batch):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 4))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=300) > 0, "p", "q")
    model = ClassifierModel(n_iter=2, lambda_v=1e-3, lambda_w=1e-6, random_state=0).fit(X, y)
    part = model.set_manager_.batches[batch - 1]
    mapping = batch_map(model, batch)
    assert mapping.points.empty
    assert (mapping.prototypes["batch"] == batch).all()
    z = part.prototypes * part.feature_weights
    centred = z - np.average(z, axis=0, weights=part.weights)
    values = np.linalg.eigvalsh(centred.T @ (part.weights[:, None] * centred))[::-1]
    assert_allclose(mapping.axis_shares, values[:2] / values.sum(), rtol=1e-6)
    # What the axes leave out can only be lost, and prototypes lie where transform puts their rows.
    rows = mapping.prototypes["row"].to_numpy()
    assert_allclose(mapping.transform(X[rows]), mapping.coordinates, atol=1e-6)
    both = batch_map(model, batch, cases=X[:9], y=y[:9])
    assert_allclose(both.points[["x", "y"]], mapping.transform(X[:9]))
    assert both.points["predicted"].tolist() == model.predict(X[:9]).tolist()
    assert both.points["correct"].tolist() == (model.predict(X[:9]) == y[:9]).tolist()
    assert len(both.to_frame()) == 9 + len(rows)
    assert both.to_dict()["points"][0]["x"] == both.points["x"].iloc[0]


@pytest.mark.parametrize("batch", [0, 3, -1])
def test_a_batch_that_is_not_there_is_named(mixed_study, batch):
    with pytest.raises(ProsetError, match=f"There is no batch {batch}. The model has 2 batches"):
        batch_map(mixed_study, batch)


def test_the_way_back_from_the_map_changes_nothing_beside_it(mixed_study):
    mapping = batch_map(mixed_study)
    X = mixed_study.encode().X.astype(float)
    spots = mapping.plane.transform(X)
    assert_allclose(mapping.plane.inverse(spots[3:4], X[3])[0], X[3], atol=1e-9)
    moved = mapping.plane.inverse(spots[3:4] + np.array([0.5, -0.25]), X[3])
    assert_allclose(mapping.plane.transform(moved), spots[3:4] + np.array([0.5, -0.25]), atol=1e-9)


def test_a_map_of_noise_is_told_from_one_that_shows_something(iris_study):
    good = map_agreement(batch_map(iris_study))
    assert not good.fails
    X, y = create_continuous_xor(6, n_samples=1500, random_state=3)
    model = ClassifierModel(n_iter=1, lambda_v=1e-3, lambda_w=1e-6).fit(X, y)
    bad = map_agreement(batch_map(model, cases=X, y=y))
    assert bad.fails
    assert bad.beyond_chance < 0.2 < good.beyond_chance
    assert map_agreement(batch_map(model)) is None


def test_agreement_counts_neighbours_as_loops_do():
    points = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "y": 0.0, "predicted": ["a", "a", "b", "a"]})
    mapping = batch_map(ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb")))
    found = map_agreement(replace(mapping, points=points))
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    same = [points["predicted"][i] == points["predicted"][j] for i, j in pairs]
    assert found.share == found.chance == pytest.approx(np.mean(same))
    assert found.beyond_chance == pytest.approx(0.0)
    assert found.fails
