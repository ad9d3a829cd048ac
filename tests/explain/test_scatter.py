"""Pairs of features and their distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import gaussian_kde

from proset import ClassifierModel
from proset.common.errors import ProsetError
from proset.explain.maps.kernel_density import density
from proset.explain.maps.scatter import feature_scatter


def test_the_heaviest_features_come_first_in_the_units_of_the_table(mixed_study):
    scatter = feature_scatter(mixed_study)
    names = [axis.name for axis in scatter.axes]
    assert set(names) == {"size (cm)", "island"}
    source = {column.name: column.source for column in mixed_study.design.columns}
    assert names[0] == source[mixed_study.feature_weights.index[0]]
    assert scatter.n_active == 2
    held_out = mixed_study.table.frame.loc[scatter.samples.index]
    assert set(scatter.samples.index) == set(mixed_study.split.held_out)
    known = held_out["size (cm)"].notna()
    assert_allclose(scatter.samples.loc[known, "size (cm)"], held_out.loc[known, "size (cm)"], atol=1e-4)
    island = scatter.axes[names.index("island")]
    assert [island.text(place) for place in scatter.samples["island"]] == held_out["island"].tolist()
    assert scatter.discrete[names.index("island")]
    assert not scatter.discrete[names.index("size (cm)")]


def test_prototypes_lie_where_their_rows_do(mixed_study):
    scatter = feature_scatter(mixed_study, mixed_study.table.frame.index)
    for name in scatter.columns:
        rows = scatter.samples.loc[scatter.prototypes["row"], name]
        assert scatter.prototypes[name].tolist() == rows.tolist()
    assert len(scatter.prototypes) == len(mixed_study.prototypes)


def test_densities_are_those_of_each_class(mixed_study):
    scatter = feature_scatter(mixed_study, features=["size (cm)"])
    curves = scatter.densities
    assert set(curves["kind"]) == {"prototypes", "samples"}
    for (_, _), curve in curves.groupby(["kind", "class"]):
        assert np.trapezoid(curve["density"], curve["value"]) == pytest.approx(1.0, abs=0.1)
    own = scatter.samples.loc[scatter.samples["actual"] == "big", "size (cm)"].to_numpy()
    curve = curves[(curves["kind"] == "samples") & (curves["class"] == "big")]
    width = 0.9 * min(own.std(ddof=1), np.subtract(*np.percentile(own, [75, 25])) / 1.349) * len(own) ** -0.2
    expected = gaussian_kde(own, bw_method=width / own.std(ddof=1))(curve["value"])
    assert_allclose(curve["density"], expected, rtol=1e-9)


def test_a_discrete_feature_has_shares(mixed_study):
    curves = feature_scatter(mixed_study, features=["island"]).densities
    shares = curves[(curves["kind"] == "samples") & (curves["class"] == "big")]
    assert shares["density"].sum() == pytest.approx(1.0)
    assert shares["value"].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [3.0, 3.0, 3.0, 3.0]])
def test_no_curve_is_made_up(values):
    assert density(np.array(values)).empty


def test_a_model_has_prototypes_only_as_far_as_their_batch_uses_a_feature():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    model = ClassifierModel(n_iter=1, lambda_v=1e-2, lambda_w=1e-5).fit(X, np.where(X[:, 0] > 0, "p", "q"))
    scatter = feature_scatter(model, X, y=np.where(X[:, 0] > 0, "p", "q"), features=[0, 2])
    used = model.set_manager_.batches[0].active_features
    assert scatter.prototypes["x0"].notna().all()
    assert scatter.prototypes["x2"].notna().all() == (2 in used)
    assert scatter.samples["x2"].tolist() == X[:, 2].tolist()
    assert len(scatter.to_frame()) == 200 + len(scatter.prototypes)
    assert scatter.to_dict()["features"] == ["x0", "x2"]


def test_more_features_than_a_figure_holds_are_refused(iris_study):
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 8))
    model = ClassifierModel().fit(X, np.where(X[:, 0] > 0, "p", "q"))
    with pytest.raises(ProsetError, match="Take from 1 to 6"):
        feature_scatter(model, X, features=range(8))
    with pytest.raises(ProsetError, match="no feature 'nothing'"):
        feature_scatter(iris_study, features=["nothing"])
    assert len(feature_scatter(model, X, n_features=99).axes) <= 6


def test_a_model_without_prototypes_still_shows_its_cases(empty_study):
    scatter = feature_scatter(empty_study)
    assert scatter.prototypes.empty
    assert len(scatter.samples)
    assert len(scatter.axes) >= 1
