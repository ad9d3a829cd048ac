"""Votes of several fits as one model."""

import copy
from functools import cache

import numpy as np
import pytest
from numpy.random import default_rng
from variants import main_cases

from proset import ClassifierModel
from proset.engine import saved_form
from proset.engine.growth import Streams
from proset.engine.joining import join_votes, part_votes, streams_of
from proset.engine.set_manager import SetManager

RNG = default_rng(0)
X = RNG.normal(size=(160, 4))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=160) > 0.2, "c", np.where(X[:, 2] > 0.4, "b", "a"))
UNSEEN = RNG.normal(size=(50, 4))


@cache
def once(n_joined, more):
    settings = {"n_iter": 2, "lambda_v": 1e-3, "random_state": 0} | dict(more)
    return ClassifierModel(n_joined=n_joined, **settings).fit(X, Y)


def fitted(n_joined, **more):
    """Return a model of its own; what is immutable in it is fitted once."""
    return copy.copy(once(n_joined, tuple(more.items())))


def arrays(manager):
    names = ("active_features", "feature_weights", "prototypes", "target", "weights", "sample_index")
    return [None if batch is None else {name: getattr(batch, name) for name in names} for batch in manager.batches]


def same(one, other):
    np.testing.assert_equal(arrays(one), arrays(other))


def alone(model, fit):
    """Return one of the fits of a joined model, with votes of its own size."""
    return part_votes(model.set_manager_, model.n_joined)[fit]


class TestJoined:
    @pytest.mark.parametrize("n", [2, 3])
    def test_estimates_are_shares_of_mean_votes(self, n):
        model = fitted(n)
        marginals = model.set_manager_.marginals
        fits = [alone(model, fit) for fit in range(n)]
        votes = np.mean([fit.unnormalized(UNSEEN) - marginals for fit in fits], axis=0)
        expected = (marginals + votes) / (1.0 + votes.sum(axis=1, keepdims=True))
        np.testing.assert_allclose(model.predict_proba(UNSEEN), expected, rtol=1e-6)
        familiarity = np.mean([fit.familiarity(UNSEEN) for fit in fits], axis=0)
        np.testing.assert_allclose(model.familiarity(UNSEEN), familiarity, rtol=1e-6)

    def test_one_is_what_a_fit_alone_is(self):
        same(fitted(1).set_manager_, ClassifierModel(n_iter=2, lambda_v=1e-3, random_state=0).fit(X, Y).set_manager_)

    def test_the_first_fit_is_what_it_is_alone_and_others_have_other_candidates(self):
        joined, single = fitted(4), fitted(1)
        same(alone(joined, 0), single.set_manager_)
        rows = [frozenset(alone(joined, fit).batches[0].sample_index.tolist()) for fit in range(4)]
        assert len(set(rows)) == 4

    def test_fewer_fits_are_the_first_of_more(self):
        for fit in range(2):
            same(alone(fitted(2), fit), alone(fitted(4), fit))

    def test_threads_change_no_bit(self):
        same(fitted(2, n_jobs=1).set_manager_, fitted(2, n_jobs=2).set_manager_)

    def test_results_of_batches_are_numbered_as_the_batches_are(self):
        model = fitted(3)
        assert [result.batch for result in model.batch_results_] == [1, 2, 3, 4, 5, 6]
        sizes = [0 if batch is None else len(batch) for batch in model.set_manager_.batches]
        assert [result.n_prototypes for result in model.batch_results_] == sizes

    def test_progress_counts_the_batches_of_all_fits(self):
        seen = []
        ClassifierModel(n_iter=2, n_joined=2, random_state=0).fit(X, Y, progress=seen.append)
        assert {step.n_batches for step in seen} == {4}
        assert [step.batch for step in seen] == sorted(step.batch for step in seen)
        assert {step.batch for step in seen} == {1, 2, 3, 4}

    def test_without_batches_it_is_the_marginal_model(self):
        assert fitted(3, n_iter=0).set_manager_.num_batches == 0

    @pytest.mark.parametrize("more", [{}, {"max_prototypes": 9}, {"correction": 0.5, "thinning": 0.01}])
    def test_explanations_add_up(self, more):
        model = fitted(2, **more)
        table = model.explain(UNSEEN[:1])
        impacts = table.filter(like="p class ").iloc[1:].sum().to_numpy()  # the first row is the case itself
        np.testing.assert_allclose(impacts, model.predict_proba(UNSEEN[:1])[0], rtol=1e-9)
        assert len(model.export()) == 3 + model.set_manager_.get_num_prototypes()

    @pytest.mark.slow
    def test_refining_looks_at_all_batches(self):
        model = fitted(4, correction=1.0, thinning=0.01)
        assert model.refinement_.n_before == fitted(4).set_manager_.get_num_prototypes()
        assert model.set_manager_.get_num_prototypes() < model.refinement_.n_before
        assert fitted(4, max_prototypes=7).set_manager_.get_num_prototypes() <= 7

    @pytest.mark.slow
    def test_it_is_written_read_and_shrunk(self):
        model = fitted(2)
        loaded = saved_form.read(*saved_form.write(model))
        same(loaded.set_manager_, model.set_manager_)
        same(loaded.fit(X, Y, warm_start=True).set_manager_, fitted(2, n_iter=4).set_manager_)
        wide = ClassifierModel(n_joined=2, lambda_v=3e-2, random_state=0).fit(X, Y)
        before = wide.predict_proba(UNSEEN)
        np.testing.assert_array_equal(wide.shrink().predict_proba(UNSEEN[:, wide.active_features_]), before)

    def test_models_saved_before_there_was_a_number_are_of_one_fit(self):
        meta, saved = saved_form.write(fitted(1))
        del meta["parameters"]["n_joined"]
        assert saved_form.read(meta, saved).n_joined_ == 1


class TestSteered:
    @pytest.mark.slow
    def test_no_fit_takes_a_forbidden_row_or_column(self):
        mask = np.arange(len(X)) % 3 > 0
        model = ClassifierModel(n_iter=2, n_joined=3, random_state=0).fit(
            X, Y, candidate_mask=mask, feature_penalty=[1.0, np.inf, 1.0, 1.0]
        )
        for batch in filter(None, model.set_manager_.batches):
            assert mask[batch.sample_index].all()
            assert 1 not in batch.active_features

    def test_weights_of_samples_are_multiplicities_in_each_fit(self):
        weight = np.where(np.arange(len(X)) % 2 == 0, 0.0, 2.0)
        kept = np.flatnonzero(weight)
        some = ClassifierModel(n_joined=2, random_state=0).fit(X, Y, sample_weight=weight)
        only = ClassifierModel(n_joined=2, random_state=0).fit(X[kept], Y[kept], sample_weight=weight[kept])
        np.testing.assert_array_equal(some.predict_proba(UNSEEN), only.predict_proba(UNSEEN))


class TestGoingOn:
    @pytest.mark.parametrize("n", main_cases([1, 2, 4], only=[2]))
    def test_a_warm_start_goes_on_with_each_fit(self, n):
        twice = fitted(n, n_iter=1).fit(X, Y, warm_start=True)
        same(twice.set_manager_, fitted(n, n_iter=2).set_manager_)

    def test_another_number_of_fits_is_refused(self):
        model = fitted(2)
        before = model.set_manager_
        with pytest.raises(ValueError, match=r"n_joined is 3, but the model .* joins 2 fits\. Set n_joined=2"):
            model.set_params(n_joined=3).fit(X, Y, warm_start=True)
        assert model.set_manager_ is before

    def test_a_model_without_batches_may_go_on_with_any(self):
        started = fitted(1, n_iter=0).set_params(n_iter=2, n_joined=2).fit(X, Y, warm_start=True)
        same(started.set_manager_, fitted(2).set_manager_)

    @pytest.mark.parametrize("value", [0, 2.5, 101, None, True])
    def test_impossible_numbers_are_refused_by_name(self, value):
        with pytest.raises(ValueError, match="n_joined is"):
            ClassifierModel(n_joined=value).fit(X, Y)


class TestParts:
    def test_they_are_what_was_joined(self):
        fits = [alone(fitted(2), fit) for fit in range(2)]
        for part, fit in zip(part_votes(join_votes(fits), 2), fits, strict=True):
            same(part, fit)

    def test_a_fit_that_has_a_batch_less_is_the_last(self):
        first, second = (alone(fitted(2), fit) for fit in range(2))
        shorter = SetManager(second.marginals, second.num_features, second.batches[:1])
        joined = join_votes([first, shorter])
        assert joined.num_batches == 3
        for part, fit in zip(part_votes(joined, 2), [first, shorter], strict=True):
            same(part, fit)

    def test_streams_are_apart(self):
        streams = Streams(7, (1, 0))
        drawn = {streams_of(streams, fit).of_batch(number).random() for fit in range(3) for number in range(3)}
        assert len(drawn) == 9
        assert streams_of(streams, 0) == streams
