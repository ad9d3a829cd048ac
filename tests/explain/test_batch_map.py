from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from proset.explain import batch_map as module
from proset.explain.map import batch_map
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


@pytest.mark.parametrize("name", ["iris_study", "mixed_study"])
def test_coordinates_follow_the_report(name, request):
    study = request.getfixturevalue(name)
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


def test_loadings_move_a_row_as_far_as_they_say(iris_study):
    mapping = batch_map(iris_study)
    first = mapping.loadings.index[0]
    j = [column.name for column in iris_study.design.columns].index(first)
    encoded = iris_study.encode().X[:2].astype(float)
    other = np.delete(np.arange(encoded.shape[1]), j)
    step = encoded[1] - encoded[0]
    names = [iris_study.design.columns[d].name for d in [j, *other]]
    expected = step[[j, *other]] @ mapping.loadings.reindex(names).fillna(0.0).to_numpy()
    assert_allclose(mapping.points[["x", "y"]].iloc[1] - mapping.points[["x", "y"]].iloc[0], expected, atol=1e-5)


def test_blocks_do_not_change_the_result(iris_study, monkeypatch):
    whole = batch_map(iris_study).points
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
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


def test_prototypes_that_coincide_have_no_map(iris_study):
    same = iris_study.prototypes.head(1)
    lone = replace(iris_study)
    lone.__dict__["prototypes"] = same
    mapping = batch_map(lone)
    assert mapping.rank == 0
    assert mapping.points.empty
    assert "alike" in mapping.message
