"""What is derived from a comparison: sizes, features, disagreements, cases, surfaces, maps."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import ProsetError, StudyError
from proset.compare import (
    FeatureMatrix,
    disagreements,
    distance_map,
    explain_row,
    feature_matrix,
    map_keys,
    side_surfaces,
    size_paths,
)
from proset.compare.cases import SystemCase
from proset.compare.ground import ground_of


@pytest.fixture(scope="module")
def other(iris_study):
    """A study that was not compared."""
    return iris_study


def test_own_size_has_the_loss_of_the_table(compared):
    frame = size_paths(compared).frame
    for entry in compared.systems:
        own = frame[(frame["system"] == entry.key) & frame["own"]]
        assert len(own) == 1
        assert own["loss_mean"].iloc[0] == pytest.approx(entry.fold_scores[:, 0].mean(), abs=1e-6)
        assert own["loss_sd"].iloc[0] == pytest.approx(entry.fold_scores[:, 0].std(ddof=1), abs=1e-6)


def test_sizes_of_proset_go_from_the_class_shares_upwards(study, compared):
    frame = size_paths(compared).frame
    own = frame[frame["system"] == "proset"]
    assert own["n_prototypes"].iloc[0] == 0.0
    assert own["value"].is_monotonic_increasing
    ground = ground_of(study, compared.plan)
    naive = []
    for fold in ground.folds:
        shares = np.bincount(ground.target[fold.train]) / len(fold.train)
        naive.append(-np.log(shares[ground.target[fold.test]]).mean())
    assert own["loss_mean"].iloc[0] == pytest.approx(np.mean(naive), abs=1e-5)


def test_systems_without_a_path_stand_as_they_are(fakes):
    frame = size_paths(fakes).frame
    assert frame["system"].tolist() == ["proset", "pvm"]  # the third has no mean
    assert frame["own"].all()
    assert frame["n_prototypes"].tolist()[0] == 3.0


def test_shares_are_those_of_the_tables_columns(study, compared):
    matrix = feature_matrix(compared)
    assert set(matrix.shares.index) == set(study.roles.features)
    np.testing.assert_allclose(matrix.shares.sum(), 1.0)
    weights = explain.feature_weights(study).weights
    used = set(matrix.shares.index[matrix.shares["proset"] > 0])
    assert used == set(weights.index)
    n_columns = len(study.design.columns)
    wards = sum(column.source == "ward" for column in study.design.columns)
    assert matrix.shares.loc["ward", "knn"] == pytest.approx(wards / n_columns)
    assert matrix.used["proset"] == len(used)


def test_systems_without_weights_have_no_share(fakes):
    matrix = feature_matrix(fakes)
    assert matrix.shares["pvm"].isna().all()
    assert matrix.used.isna().tolist() == [False, True, True]
    assert matrix.words == ()  # one system alone has weights


def test_overlap_is_that_of_rows(compared):
    overlap = feature_matrix(compared).overlap
    own, rows = set(compared.system("proset").prototype_rows), set(compared.rows)
    assert overlap.loc["proset", "knn"] == pytest.approx(len(own) / len(rows))
    assert overlap.loc["proset", "proset"] == 1.0
    assert overlap["xgboost"].isna().all()


def test_a_made_prototype_counts_as_the_row_nearest_to_it(study, fakes):
    X = study.encode(fakes.rows).X
    entry = fakes.system("proset")
    nearest = [np.linalg.norm(X - centre, axis=1).argmin() for centre in entry.model.centres_]
    np.testing.assert_array_equal(entry.prototype_rows, fakes.rows[nearest])


def test_disputed_rows_are_those_with_two_answers(study, compared):
    found = disagreements(study, compared)
    keys = ["proset", "knn", "xgboost"]
    said = {key: np.array(study.classes)[compared.system(key).probabilities.argmax(axis=1)] for key in keys}
    several = [len({said[key][i] for key in keys}) for i in range(len(compared.measured))]
    assert set(found.rows.index) == set(compared.measured[np.array(several) > 1])
    assert found.rows["n_answers"].is_monotonic_decreasing
    for row, line in found.rows.iterrows():
        at = compared.measured.tolist().index(row)
        assert line["actual"] == study.labels[row]
        assert [line[f"{key}_says"] for key in keys] == [said[key][at] for key in keys]
        assert line["knn_correct"] == (line["knn_says"] == line["actual"])
        first, second = (compared.system(key).probabilities[at] for key in keys[:2])
        assert line["gap"] >= 0.5 * np.abs(first - second).sum() - 1e-12
    assert found.agreement.loc["proset", "knn"] == pytest.approx((said["proset"] == said["knn"]).mean())
    assert np.diag(found.agreement).tolist() == [1.0] * 3
    wrong = np.all([said[key] != study.labels.loc[compared.measured].to_numpy() for key in keys], axis=0)
    assert found.n_all_wrong == wrong.sum()
    assert "no row that all" in replace(found, n_all_wrong=0).words[1]
    assert replace(found, n_all_wrong=1).words[1] == "All of them are wrong about 1 row."
    assert found.words[0].startswith(f"The 3 systems do not all say the same of {len(found.rows)} of")
    agreed = replace(found, rows=found.rows.iloc[:0]).words[0]
    assert agreed == f"The 3 systems say the same of each of the {found.n_rows} held-out rows."


def test_no_row_is_nothing_to_disagree_about(study, compared):
    found = disagreements(study, compared, [])
    assert found.words == ("There are no picked held-out rows, so there is nothing to disagree about.",)


def test_nobody_disagrees_where_there_is_no_model(study, fakes):
    bare = replace(fakes, systems=tuple(replace(entry, model=None) for entry in fakes.systems))
    found = disagreements(study, bare)
    assert (len(found.rows), found.agreement.size) == (0, 0)
    assert found.words == ("There are not two systems with a model, so there is nobody to disagree.",)
    assert explain_row(study, bare, 1) == ()
    assert map_keys(bare) == ("raw",)


def test_a_row_is_explained_in_the_units_of_the_table(study, compared):
    row = int(compared.measured[0])
    proset, knn, xgboost = explain_row(study, compared, row)
    np.testing.assert_allclose(proset.probabilities, study.probabilities.loc[row], atol=1e-6)
    assert proset.predicted == study.predictions.loc[row, "predicted"]
    assert set(proset.prototypes["row"]) <= set(study.prototypes["row"])
    assert (proset.prototypes["class"] == study.labels.loc[proset.prototypes["row"]].to_numpy()).all()
    assert not knn.prototypes["made"].any()
    for case in (proset, knn):
        for i, other_row in enumerate(case.prototypes["row"], start=1):
            assert case.features.loc["ward", f"p{i}"] == study.table.frame.loc[other_row, "ward"]
            assert float(case.features.loc["weight", f"p{i}"]) == study.table.frame.loc[other_row, "weight"]
        assert float(case.features.loc["weight", "case"]) == study.table.frame.loc[row, "weight"]
        assert 0.0 <= case.quantile <= 1.0
    assert knn.prototypes["contribution"].sum() <= knn.probabilities.max() + 1e-9
    assert xgboost.prototypes.empty
    assert np.isnan(xgboost.quantile)
    assert "It rests on no single cases." in xgboost.notes
    assert knn.to_frame().shape[0] == len(knn.prototypes)


def test_made_prototypes_are_called_so(study, fakes):
    case = explain_row(study, fakes, int(fakes.measured[0]))[0]
    assert case.prototypes["made"].all()
    assert case.prototypes["contribution"].isna().all()
    assert case.notes == ("Its estimate is no sum of contributions.",)


def test_rows_that_are_not_there_are_refused(study, compared):
    with pytest.raises(StudyError, match="no row 9999"):
        explain_row(study, compared, 9999)


def test_surfaces_share_axes_and_say_what_the_models_say(study, compared):
    found = side_surfaces(study, compared, features=("age", "weight"), n_points=8)
    assert [entry.key for entry in found] == ["proset", "knn", "xgboost"]
    for entry in found[1:]:
        np.testing.assert_array_equal(entry.surface.x, found[0].surface.x)
        np.testing.assert_array_equal(entry.surface.y, found[0].surface.y)
        assert entry.surface.at == found[0].surface.at
    own = explain.surface(study, features=("age", "weight"), n_points=8)
    np.testing.assert_allclose(found[0].surface.probabilities, own.probabilities, atol=1e-5)


def test_a_map_of_plain_distance_shows_plain_distance(study, compared):
    shown = distance_map(study, compared, "raw")
    X = study.encode(shown.rows.index).X.astype(float)
    centred = X - X.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    assert shown.kept == pytest.approx(values[:2].sum() / values.sum(), abs=1e-6)
    spots = shown.rows[["x", "y"]].to_numpy()
    np.testing.assert_allclose(np.square(spots).sum(axis=0), values[:2], rtol=1e-5)
    assert shown.prototypes.empty
    assert shown.words[0].startswith("The map shows all ")


def test_a_prototype_lies_where_its_row_lies(study, compared):
    for key in ("proset", "knn"):
        shown = distance_map(study, compared, key)
        at = shown.prototypes.set_index("row")[["x", "y"]]
        own = shown.rows.loc[at.index, ["x", "y"]]
        np.testing.assert_allclose(at.to_numpy(), own.to_numpy(), atol=1e-3 * np.abs(own.to_numpy()).max())


def test_large_maps_are_draws_and_say_so(study, compared):
    shown = distance_map(study, compared, "knn", max_rows=60)
    assert len(shown.rows) < 70
    assert shown.words[0].startswith(f"The map shows {len(shown.rows)} of")
    pd.testing.assert_frame_equal(shown.rows, distance_map(study, compared, "knn", max_rows=60).rows)


def test_no_map_without_a_distance(study, compared):
    assert map_keys(compared) == ("raw", "proset", "knn")
    with pytest.raises(ProsetError, match="XGBoost has no distance"):
        distance_map(study, compared, "xgboost")
    with pytest.raises(StudyError, match="'smp' is not part"):
        distance_map(study, compared, "smp")


def test_another_study_is_refused(other, compared):
    for made in (
        lambda: disagreements(other, compared),
        lambda: explain_row(other, compared, 1),
        lambda: side_surfaces(other, compared),
        lambda: distance_map(other, compared),
    ):
        with pytest.raises(StudyError, match="of another model"):
            made()


def test_steps_whose_values_differ_by_fold_are_told_by_their_order(compared):
    from proset.compare.result import PATH_KINDS

    lines = [
        (fold, step, "radius", 1.0 + 0.1 * fold + step, step == fold, 10.0 - step - fold, 4.0, 0.5 + 0.1 * step)
        for fold in range(3)
        for step in range(3 + (fold == 2))
    ]
    path = pd.DataFrame(lines, columns=list(PATH_KINDS)).astype(PATH_KINDS)
    entry = replace(compared.system("knn"), path=path)
    frame = size_paths(replace(compared, systems=(entry,))).frame
    assert frame["own"].tolist() == [False, False, False, True]
    assert frame["n_prototypes"].tolist() == pytest.approx([9.0, 8.0, 7.0, 8.0])
    assert frame["value"].tolist() == pytest.approx([1.1, 2.1, 3.1, 2.1])
    assert frame["loss_mean"].iloc[-1] == pytest.approx(entry.fold_scores[:, 0].mean())


def test_features_are_counted_among_the_systems_that_have_weights():
    shares = pd.DataFrame({"a": [0.5, 0.5, 0.0], "b": [1.0, 0.0, 0.0], "c": [np.nan] * 3}, index=["x", "y", "z"])
    titles = pd.Series({"a": "A", "b": "B", "c": "C"})
    found = FeatureMatrix(shares, pd.DataFrame(), titles)
    assert found.words == ("Of 3 features, 1 has a weight in all 2 systems with weights, and 1 in none.",)
    assert (
        FeatureMatrix(shares[["a", "b"]], pd.DataFrame(), titles).words[0].endswith("in all 2 systems, and 1 in none.")
    )


def test_columns_of_the_table_may_be_called_as_ours():
    case = SystemCase(
        key="knn",
        title="Nearest neighbours",
        predicted="a",
        probabilities=pd.Series({"a": 1.0}),
        prototypes=pd.DataFrame({"row": [3], "class": ["a"]}),
        features=pd.DataFrame({"case": [1.0, 2.0], "share": [0.1, 0.2], "p1": [3.0, 4.0]}, index=["row", "age"]),
        quantile=0.5,
        notes=(),
    )
    assert case.to_frame().to_dict("list") == {"row": [3], "class": ["a"], "row (column)": [3.0], "age": [4.0]}
