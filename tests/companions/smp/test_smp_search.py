"""The search for numbers of prototypes and penalties."""

import warnings

import numpy as np
import pytest
from companions.smp.made import made_rows
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.companions.protocol import PrototypeModel
from proset.companions.smp import NoPrototypeWarning, SMPClassifier, SMPClassifierCV, UnscaledFeaturesWarning, grid
from proset.companions.smp.fitting import fit_path, fit_rows, make_ground

SMALL = SMPClassifierCV(n_prototypes=(1, 2), lam=(0.1,), mu=(0.1, 0.01), cv=3)
ROWS = made_rows(90)
EXPECTED_FAILURES = {"check_array_api_input": "The model computes with numpy only."}


@pytest.mark.exhaustive
@parametrize_with_checks([clone(SMALL)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, UnscaledFeaturesWarning, NoPrototypeWarning):
            warnings.simplefilter("ignore", category)
        check(estimator)


@pytest.fixture(scope="module")
def searched():
    return clone(SMALL).fit(ROWS.X, ROWS.target)


def test_the_table_has_a_row_for_every_setting(searched):
    table = searched.cv_table_
    assert table[["n_prototypes", "lam", "mu"]].to_numpy().tolist() == [
        [1, 0.0, 0.1], [1, 0.0, 0.01], [2, 0.1, 0.1], [2, 0.1, 0.01],
    ]  # fmt: skip
    np.testing.assert_allclose(table["log_loss"], table[[f"log_loss_{k}" for k in (1, 2, 3)]].mean(axis=1))
    assert table.loc[1, "nnz"] > table.loc[0, "nnz"]
    chosen = table[["n_prototypes", "lam", "mu"]].iloc[int(table["log_loss"].argmin())]
    assert searched.best_params_ == chosen.to_dict()


def test_a_row_of_the_table_is_what_fits_to_the_folds_give():
    cut = np.arange(90) % 3
    folds = [(np.flatnonzero(cut != k), np.flatnonzero(cut == k)) for k in range(3)]
    table = clone(SMALL).set_params(cv=folds, tol=1e-8).fit(ROWS.X, ROWS.target).cv_table_
    losses, hits = [], []
    for train, test in folds:
        model = SMPClassifier(2, lam=0.1, mu=0.01, tol=1e-8).fit(ROWS.X[train], ROWS.target[train])
        losses.append(log_loss(ROWS.target[test], model.predict_proba(ROWS.X[test])))
        hits.append(model.score(ROWS.X[test], ROWS.target[test]))
    assert table.loc[3, "log_loss"] == pytest.approx(np.mean(losses), rel=1e-3)
    assert table.loc[3, "sd_log_loss"] == pytest.approx(np.std(losses, ddof=1), rel=1e-2)
    assert table.loc[3, "accuracy"] == pytest.approx(np.mean(hits))


def test_the_last_fit_is_that_of_the_chosen_setting(searched):
    model = SMPClassifier(**searched.best_params_, tol=1e-8).fit(ROWS.X, ROWS.target)
    np.testing.assert_allclose(searched.predict_proba(ROWS.X), model.predict_proba(ROWS.X), atol=0.01)


def test_a_path_ends_where_single_fits_do():
    settings = SMPClassifier(tol=1e-7).get_params()
    for fitted in fit_path(ROWS, settings, (0.1, 0.01)):
        alone = fit_rows(ROWS, {**settings, "mu": fitted.problem.mu}, make_ground(ROWS, settings))
        assert fitted.solution.objective[-1] == pytest.approx(alone.solution.objective[-1], rel=1e-6)


def test_a_path_of_sizes_goes_down_with_the_penalty_and_holds_the_models_own(searched):
    for model in (searched, SMPClassifier(mu=0.05).fit(ROWS.X, ROWS.target)):
        points = model.path(ROWS.X, ROWS.target, ROWS.X[:5])
        assert [point.value for point in points] == sorted(point.value for point in points)
        assert points[-1].n_features < points[0].n_features
        own = next(point for point in points if point.own)
        np.testing.assert_allclose(own.probabilities, model.predict_proba(ROWS.X[:5]), atol=1e-5)


def test_it_offers_the_protocol_and_comes_back_from_storage(searched):
    assert isinstance(searched, PrototypeModel)
    again = SMPClassifierCV.from_dict(searched.to_dict())
    np.testing.assert_array_equal(again.predict_proba(ROWS.X), searched.predict_proba(ROWS.X))
    assert again.best_params_ == searched.best_params_
    assert len(searched.prototypes()) == searched.n_distinct_


def test_folds_may_be_drawn_more_than_once(searched):
    table = clone(SMALL).set_params(n_repeats=2).fit(ROWS.X, ROWS.target).cv_table_
    np.testing.assert_array_equal(table["log_loss_3"], searched.cv_table_["log_loss_3"])
    np.testing.assert_allclose(table["log_loss"], table[[f"log_loss_{k}" for k in range(1, 7)]].mean(axis=1))
    assert not np.array_equal(table["log_loss_4"], table["log_loss_1"])


def test_a_fold_is_clustered_once_for_each_number_of_prototypes(monkeypatch):
    made = []
    monkeypatch.setattr(
        grid, "make_ground", lambda rows, settings: made.append(settings) or make_ground(rows, settings)
    )
    clone(SMALL).set_params(lam=(0.0, 0.01, 0.1)).fit(ROWS.X, ROWS.target)
    assert [(settings["n_prototypes"], settings["lam"]) for settings in made] == [(1, 0.0), (2, 0.1)] * 3


def test_accuracy_may_be_compared_instead():
    model = clone(SMALL).set_params(criterion="accuracy").fit(ROWS.X, ROWS.target)
    chosen = model.cv_table_.set_index(["n_prototypes", "lam", "mu"]).loc[tuple(model.best_params_.values())]
    assert chosen["accuracy"] == model.cv_table_["accuracy"].max()


def test_progress_is_told_and_may_end_the_search():
    told = []
    clone(SMALL).fit(ROWS.X, ROWS.target, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 6) for done in range(1, 7)]

    def stop(done, total):
        raise KeyboardInterrupt

    model = clone(SMALL)
    with pytest.raises(KeyboardInterrupt):
        model.fit(ROWS.X, ROWS.target, progress=stop)
    assert not hasattr(model, "coef_")


def test_a_class_of_one_row_is_always_fitted_to():
    target = ROWS.target.copy()
    target[0] = 3
    model = clone(SMALL).fit(ROWS.X, target)
    assert len(model.classes_) == 4
    assert np.isfinite(model.cv_table_["log_loss"]).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mu": ()}, "mu is \\(\\); it has to be a list"),
        ({"lam": 0.1}, "lam is 0.1; it has to be a list"),
        ({"n_prototypes": (0, 1)}, r"n_prototypes is \(0, 1\); .* each a whole number of at least 1"),
        ({"n_repeats": 0}, "n_repeats is 0"),
        ({"criterion": "f1"}, "criterion is 'f1'"),
        ({"cv": [(np.flatnonzero(ROWS.target < 2), np.arange(3))]}, "Fold 1 has no row of class '2'"),
        ({"cv": 91}, "91"),
        ({"cv": 1}, "1"),
    ],
)
def test_impossible_searches_are_refused_in_words(parameters, words):
    with pytest.raises(ValueError, match=words):
        clone(SMALL).set_params(**parameters).fit(ROWS.X, ROWS.target)
