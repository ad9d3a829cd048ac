"""All systems beside each other, from the fit to everything that is derived."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from proset.companions.smp import SMPClassifier
from proset.compare import (
    SYSTEMS,
    ComparePlan,
    compare,
    cost_table,
    disagreements,
    distance_map,
    estimate,
    explain_row,
    feature_matrix,
    load_comparison,
    map_keys,
    metric_table,
    save_comparison,
    side_surfaces,
    size_paths,
)
from proset.compare.contenders import Contender
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import FitSettings, fit_study

HOSTILE = ("<b>yes</b>\n=1+1", "no,\t'maybe'")


@pytest.fixture(scope="module")
def every(study):
    """All six systems on the patients: a few seconds, for it is the one place where they meet a table."""
    return compare(study, ComparePlan(n_folds=2))


def test_nothing_fails(every):
    assert [entry.key for entry in every.systems] == list(SYSTEMS)
    assert [entry.failed for entry in every.systems] == [""] * 6
    assert all(entry.settings for entry in every.systems)
    frame = metric_table(every).frame
    assert frame.drop(columns=["title", "equivalent", "failed"]).notna().all(axis=None)
    assert (frame["log_loss_mean"] < 2.0).all()
    assert frame["equivalent"].any()
    assert (cost_table(every)["size_bytes"] > 0).all()


def test_fused_prototypes_count_once_for_cost_as_they_do_for_size(study):
    made = partial(SMPClassifier, 3, lam=10.0, mu=0.001, fit_intercept=True)
    fused = Contender("smp", "SMP", "", made, settings_words=lambda _: "fused")
    found = compare(study, ComparePlan(("smp",), n_folds=2, drift=False), contenders=[fused])
    sizes = size_paths(found).frame
    assert sizes.loc[sizes["own"], "n_prototypes"].tolist() == [len(study.classes)]
    assert cost_table(found)["n_prototypes"].tolist() == [len(study.classes)]


@pytest.mark.parametrize("key", ["proset", "gbmap", "knn"])
def test_distances_that_a_map_shows_too_long_are_not_kept(study, every, key):
    shown = distance_map(study, every, key, max_rows=80)
    X = study.encode(shown.rows.index).X
    apart = np.square(np.asarray(every.system(key).model.distance(X), dtype=np.float64))
    drawn = np.square(pairwise_distances(shown.rows[["x", "y"]]))
    assert shown.kept == pytest.approx(1.0 - np.abs(apart - drawn).sum() / apart.sum(), abs=1e-5)


def test_every_system_can_be_looked_at(study, every):
    row = int(every.measured[0])
    for case in explain_row(study, every, row):
        assert case.probabilities.sum() == pytest.approx(1.0, abs=1e-5)
        assert case.predicted == case.probabilities.idxmax()
        at = every.measured.tolist().index(row)
        np.testing.assert_allclose(case.probabilities, every.system(case.key).probabilities[at], atol=1e-5)
        assert case.features.shape[0] == len(study.roles.features)
    for key in map_keys(every):
        shown = distance_map(study, every, key, max_rows=80)
        assert np.isfinite(shown.rows[["x", "y"]]).all(axis=None)
        assert 0.0 < shown.kept <= 1.0
    for side in side_surfaces(study, every, features=("age", "weight"), n_points=5):
        np.testing.assert_allclose(side.surface.probabilities.sum(axis=2), 1.0, atol=1e-5)
    shares = feature_matrix(every).shares
    np.testing.assert_allclose(shares.sum(), 1.0)
    found = disagreements(study, every)
    assert found.agreement.shape == (6, 6)
    frame = size_paths(every).frame
    assert frame.groupby("system")["own"].sum().tolist() == [1] * 6
    assert every.drift.frame["failed"].tolist() == [""] * 6
    indicated = every.drift.frame["indicator"] != ""
    assert indicated.sum() == 5
    assert every.drift.frame.loc[indicated, "auc_shifted"].between(0.0, 1.0).all()


def test_every_system_comes_back_from_a_folder(study, every, tmp_path):
    save_comparison(every, tmp_path)
    back = load_comparison(tmp_path, study)
    X = study.encode(every.measured).X
    for entry, former in zip(back.systems, every.systems, strict=True):
        np.testing.assert_allclose(
            entry.model.predict_proba(X), former.probabilities[:, order_of(former, study)], atol=1e-6
        )


def order_of(entry, study):
    """Return where the classes of a model stand among those of the study."""
    return [study.classes.index(str(name)) for name in entry.model.classes_]


def test_names_of_strangers_do_no_harm(tmp_path):
    rng = np.random.default_rng(0)
    column, other = "<i>size</i>", "=cmd|' /C calc'!A0"
    lines = [f'"{column}","{other}","""kind"""']
    for _ in range(60):
        size, width = rng.normal(size=2)
        said = HOSTILE[int(size + width > 0)].replace('"', '""')
        lines.append(f'{size:.3f},{width:.3f},"{said}"')
    table = read_table("\n".join(lines).encode(), name="odd.csv")
    target = table.frame.columns[-1]
    study = fit_study(table, guess_roles(table, target=target).roles, settings=FitSettings(lambda_v=1e-3))
    found = compare(study, ComparePlan(("proset", "knn", "xgboost"), n_folds=2))
    assert [entry.failed for entry in found.systems] == [""] * 3
    save_comparison(found, tmp_path)
    back = load_comparison(tmp_path, study)
    assert back.classes == study.classes
    assert back.features == found.features
    assert len(explain_row(study, back, int(back.measured[0]))) == 3
    assert back.drift.words == found.drift.words


@pytest.mark.slow
def test_two_columns_and_few_rows_are_enough():
    lines = ["size,kind", *(f"{i},{'a' if i % 8 < 4 else 'b'}" for i in range(16))]
    table = read_table("\n".join(lines).encode(), name="small.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles, settings=FitSettings(lambda_v=1e-3))
    found = compare(study, ComparePlan(n_folds=2))
    assert [entry.failed for entry in found.systems] == [""] * 6
    assert found.drift.reason
    assert not estimate(study, found.plan).too_long
