"""The search of a regressor on folds."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import proset
from proset.selection import ProsetRegressorCV


def bent(n, seed):
    """A curve beside a column that says nothing, in units of their own."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.7, 1.7, (n, 2))
    return X * [100.0, 0.01] + [5.0, 0.0], 20.0 + 5.0 * np.sin(2.0 * X[:, 0]) + rng.normal(size=n)


QUICK = {"n_trials": 2, "n_folds": 2, "max_batches": 2, "cv_factr": 1e12, "random_state": 0}
EXPECTED_FAILURES = {"check_sample_weight_equivalence_on_dense_data": "Candidates are drawn by position (remark 2.2)."}


SMALLEST = {"n_trials": 1, "n_folds": 2, "max_batches": 1, "n_joined": 1, "cv_factr": 1e12}


@pytest.mark.slow
@parametrize_with_checks(
    [ProsetRegressorCV(transformer="scale", **SMALLEST)], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks([ProsetRegressorCV(**SMALLEST)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners_with_a_choice_of_scale(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def search():
    return ProsetRegressorCV(**QUICK).fit(*bent(160, 0))


def test_what_is_chosen_is_the_best_of_what_was_tried(search):
    assert proset.ProsetRegressorCV is ProsetRegressorCV
    means = [trial.log_scores.mean(axis=0) for trial in search.record_.trials]
    trial, batches, _ = np.unravel_index(int(np.argmin(means)), np.shape(means))
    scores = np.mean([fold.log_scores for fold in search.record_.refined], axis=0)
    own = search.record_.refinement
    assert search.log_score_ == own.log_score == scores[search.record_.plan.refinements().index(own_pair(own))].min()
    assert search.log_score_ - scores.min() <= 0.02 * (means[trial][0, 0] - scores.min())
    assert (search.model_.correction, search.model_.thinning, search.model_.n_joined) == (*own_pair(own), 4)
    factor = own.factor
    assert search.settings_.items() >= dict(search.record_.trials[trial].settings).items()
    assert search.model_.n_iter == search.n_batches_ == batches
    assert search.model_.spread_factor == search.record_.plan.spread_factors[factor]
    assert search.record_.trials[0].settings["min_spread"] == proset.RegressorModel().min_spread
    assert all(np.ptp(means_of) > 0.1 for means_of in means)


def own_pair(own):
    return own.correction, own.thinning


@pytest.mark.slow
def test_the_model_behind_a_search_knows_the_columns_and_takes_rows_without_a_warning():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    frame = pd.DataFrame(X, columns=["area", "age"])
    search = ProsetRegressorCV(n_trials=1, n_folds=2, max_batches=1, n_joined=1, random_state=0).fit(frame, X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = search.model_.predict(search.transformer_.transform(frame))
    np.testing.assert_array_equal(answers, search.predict(frame))
    assert list(search.model_.feature_names_in_) == ["area", "age"]


def test_answers_are_those_of_the_model_behind_the_scale(search):
    X, y = bent(50, 1)
    rows = search.transformer_.transform(X)
    assert search.predict(X).tolist() == search.model_.predict(rows).tolist()
    assert search.predict_quantiles(X, 0.3).tolist() == search.model_.predict_quantiles(rows, 0.3).tolist()
    assert search.predict_interval(X).tolist() == search.model_.predict_interval(rows).tolist()
    assert search.familiarity(X).tolist() == search.model_.familiarity(rows).tolist()
    assert search.score(X, y) == pytest.approx(-search.predict_distribution(X).log_score(y).mean())
    assert search.score(X, y) > -2.6  # as everybody: about -2.8


@pytest.mark.slow
def test_the_same_seed_finds_the_same_model(search):
    again = ProsetRegressorCV(**QUICK).fit(*bent(160, 0))
    assert again.predict(bent(20, 2)[0]).tolist() == search.predict(bent(20, 2)[0]).tolist()


@pytest.mark.slow
def test_groups_and_times_make_the_folds():
    X, y = bent(60, 3)
    quick = ProsetRegressorCV(**(QUICK | {"max_batches": 1, "n_trials": 1}))
    plain = quick.fit(X, y).record_.trials[0].log_scores
    assert quick.fit(X, y, groups=np.arange(60) // 6).record_.trials[0].log_scores.tolist() != plain.tolist()
    assert quick.fit(X, y, times=np.arange(60)).record_.trials[0].log_scores.tolist() != plain.tolist()


def test_prototypes_name_their_rows_among_all_that_were_passed():
    X, weight = bent(80, 4)[0], np.where(np.arange(80) % 4 == 0, 0.0, 1.0)
    search = ProsetRegressorCV(**SMALLEST, random_state=0).fit(X, X[:, 0], weight)
    batch, ready = search.model_.set_manager_.batches[0], search.transformer_.transform(X)
    assert (weight[batch.sample_index] > 0.0).all()
    np.testing.assert_array_equal(batch.prototypes, ready[np.ix_(batch.sample_index, batch.active_features)])


REFUSED = [
    ({"n_folds": 1}, {}, "n_folds"),
    ({"transformer": "log"}, {}, "transformer is 'log'"),
    ({"n_folds": 25}, {}, "25 folds need at least"),
    ({}, {"groups": np.arange(59)}, "inconsistent numbers of samples"),
    ({}, {"groups": np.arange(61)}, "inconsistent numbers of samples"),
    ({}, {"groups": [None, *range(59)]}, "rows without a group"),
    ({}, {"groups": np.zeros(60)}, "different group"),
    ({}, {"times": np.arange(61)}, "inconsistent numbers of samples"),
    ({}, {"times": [np.nan, *range(59)]}, "rows without a time"),
    ({}, {"times": list(map(str, range(60)))}, "times holds no numbers"),
]


@pytest.fixture(scope="module")
def small():
    return ProsetRegressorCV(**SMALLEST, random_state=0).fit(*bent(60, 3))


@pytest.mark.parametrize(("changes", "passed", "words"), REFUSED)
def test_a_refused_fit_leaves_the_model_as_it_was(small, changes, passed, words):
    X, y = bent(60, 3)
    search = copy.copy(small).set_params(**changes)
    before = dict(vars(search))
    with pytest.raises(ValueError, match=words):
        search.fit(X[:, :1], y, **passed)
    assert vars(search) == before


@pytest.mark.slow
def test_a_fit_that_is_stopped_at_the_end_leaves_the_model_as_it_was(small, monkeypatch):
    X, y = bent(60, 3)
    search = copy.copy(small)
    before, fit = dict(vars(search)), proset.RegressorModel.fit

    def stop(self, rows, *args, **kwargs):
        if len(rows) == 60:  # no fold has them all
            raise KeyboardInterrupt
        return fit(self, rows, *args, **kwargs)

    monkeypatch.setattr(proset.RegressorModel, "fit", stop)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X[:, :1], y)
    assert vars(search) == before
    assert search.predict(X).shape == (60,)


def test_impossible_parameters_are_refused():
    with pytest.raises(ValueError, match="n_folds"):
        ProsetRegressorCV(n_folds=1).fit(*bent(30, 0))
