"""What follows the last batch of a model of a number: all weights at once, fewer prototypes."""

from dataclasses import replace

import numpy as np
import pytest
from differences import slope_at
from numpy.random import default_rng

from proset import RegressorModel
from proset.engine import refining, saved_number
from proset.engine.density_part import Density
from proset.engine.density_sets import DensityManager
from proset.engine.density_votes import N_PLACES, DensityVotes
from proset.engine.fitting import TrainingData
from proset.engine.growth import marginal_model
from proset.engine.refining import refine, refinements
from proset.engine.votes import MOST_ENTRIES

RNG = default_rng(0)
X = RNG.normal(size=(240, 3))
Y = 5.0 + 3.0 * np.where(X[:, 0] > 0.0, X[:, 1], -X[:, 1]) + 0.5 * RNG.normal(size=240)


def fitted(**more):
    return RegressorModel(**({"n_iter": 2, "random_state": 0} | more)).fit(X, Y)


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def grown(model):
    return model.set_manager_


@pytest.fixture(scope="module")
def data(model):
    part = Density((Y - model.target_mean_) / model.target_scale_, np.ones(240), np.arange(240))
    return TrainingData(X, part.parts(3), np.ones(240), np.arange(240), part=part)


@pytest.fixture(scope="module")
def votes(grown, data):
    return DensityVotes.of(grown, data, default_rng(0), MOST_ENTRIES)


def whole(votes, correction):
    return refining._Selection(votes, votes.aim(correction), np.arange(votes.weights.shape[0]), votes.weights)


class TestVotes:
    def test_they_add_up_to_what_the_model_says_but_for_a_row_that_meets_itself(self, grown, data, votes):
        expected, _ = data.part.before(grown, X, data.target, np.arange(240))
        sums = whole(votes, 1.0).sums
        np.testing.assert_allclose(sums, np.concatenate([expected[:, 1], expected[:, 0]]), rtol=1e-5)

    def test_the_aim_is_the_distribution_of_the_model(self, grown, votes):
        places = votes._places()
        assert places.shape == (240, N_PLACES)
        assert (np.diff(places, axis=1) > 0.0).all()
        # None of these rows is a prototype: what is said of them is what the model says of anybody.
        others = np.setdiff1d(np.arange(240), np.concatenate([b.sample_index for b in grown.density_batches]))
        levels = grown.mixture(X[others]).cdf(places[others])
        np.testing.assert_allclose(levels, votes.levels[others], atol=1e-9)

    @pytest.mark.parametrize("correction", [0.0, 0.5, 1.0])
    def test_the_gradient_meets_finite_differences(self, votes, correction):
        aim = votes.aim(correction)
        weights = votes.weights * default_rng(1).uniform(0.5, 2.0, votes.weights.shape)

        def value(at):  # in double precision
            return aim.disagreement(aim.offsets + aim.votes.astype(np.float64) @ at)

        ballot = votes.ballot(np.arange(weights.shape[0]), aim)
        found, gradient = ballot.agreement()(weights)
        assert found == pytest.approx(value(weights), rel=1e-5)
        for j in range(0, weights.shape[0], 5):
            assert gradient[j] == pytest.approx(slope_at(value, weights, j), rel=1e-3, abs=1e-8)

    @pytest.mark.parametrize("correction", [0.0, 1.0])
    def test_a_loss_is_what_taking_one_out_costs(self, votes, correction):
        every = whole(votes, correction)
        for j in range(0, len(every.kept), 7):
            left = np.delete(every.kept, j)
            without = refining._Selection(votes, every.aim, left, votes.weights[left])
            assert every.losses[j] == pytest.approx(without.disagreement - every.disagreement, rel=1e-3, abs=1e-6)

    def test_of_many_rows_no_more_are_held_than_memory_is_for(self, grown, data, monkeypatch):
        monkeypatch.setattr("proset.engine.density_votes.FEWEST_ROWS", 60)
        few = DensityVotes.of(grown, data, default_rng(0), 1)
        assert few.similarity.shape == (60, grown.get_num_prototypes())
        assert few.importance.sum() == pytest.approx(1.0)
        assert few.aim(0.5).votes.shape == ((2 + N_PLACES) * 60, grown.get_num_prototypes())


class TestRefine:
    def test_nothing_asked_is_nothing_done(self, grown, data):
        found, result = refine(grown, data, default_rng(0))
        assert found is grown
        assert result.message == "Refining the model changed nothing."

    def test_a_correction_lowers_what_it_minimises(self, grown, data, votes):
        found, _ = refine(grown, data, default_rng(0), correction=1.0)
        after = DensityVotes.of(found, data, default_rng(0), MOST_ENTRIES)
        aim = votes.aim(1.0)
        before = whole(votes, 1.0).disagreement + aim.penalty.value(votes.weights)
        assert whole(after, 1.0).disagreement + aim.penalty.value(after.weights) < before

    def test_without_a_correction_weights_have_nowhere_better_to_go(self, votes):
        every = whole(votes, 0.0)
        solved = every.solved(every.kept, every.weights, 60, lambda _: None)
        known = every.aim.of_marginals() - every.disagreement
        assert 0.0 <= every.disagreement - solved.disagreement < 0.01 * known

    @pytest.mark.slow
    @pytest.mark.parametrize("correction", [0.0, 0.5])
    def test_thinning_gives_up_no_more_than_it_may_and_more_for_fewer(self, grown, data, correction):
        shares = (0.0, 0.003, 0.01, 0.05, 0.2)
        each = [one for _, one in refinements(grown, data, default_rng(0), corrections=[correction], thinnings=shares)]
        for share, one in zip(shares, each, strict=True):
            assert one.given_up <= share * one.known * (1.0 + 1e-9)
        sizes = [one.n_after for one in each]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] < 0.5 * sizes[0]

    @pytest.mark.parametrize("most", [1, 12])
    def test_a_budget_holds_whatever_it_costs(self, grown, data, most):
        found, result = refine(grown, data, default_rng(0), most=most)
        assert isinstance(found, DensityManager)
        assert most // 2 <= result.n_after == found.get_num_prototypes() <= most
        assert "in log score on training rows" in result.message

    def test_what_is_left_stays_the_same_prototype(self, grown, data):
        found, _ = refine(grown, data, default_rng(0), thinning=0.05)
        for before, after in zip(grown.density_batches, found.density_batches, strict=True):
            kept = np.isin(before.sample_index, after.sample_index)
            for name in ("prototypes", "target", "values", "spreads"):
                np.testing.assert_array_equal(getattr(after, name), getattr(before, name)[kept])
            np.testing.assert_array_equal(after.slopes, before.slopes)

    def test_a_model_without_prototypes_is_left_as_it_is(self, data):
        empty = marginal_model(data)
        found, result = refine(empty, data, default_rng(0), correction=1.0, thinning=0.1, most=3)
        assert found is empty
        assert (result.n_after, result.of_number) == (0, True)


class TestModel:
    def test_half_of_the_prototypes_say_nearly_the_same(self, model):
        thin = fitted(thinning=0.01)
        assert thin.set_manager_.get_num_prototypes() < 0.7 * model.set_manager_.get_num_prototypes()
        unseen = default_rng(5).normal(size=(400, 3))
        before, after = model.predict_distribution(unseen), thin.predict_distribution(unseen)
        assert np.abs(after.quantile(0.5) - before.quantile(0.5)).mean() < 0.1 * Y.std()
        levels = before.cdf(after.quantile([0.05, 0.95]))
        np.testing.assert_allclose(levels.mean(axis=0), [0.05, 0.95], atol=0.02)

    @pytest.mark.slow
    def test_defaults_change_no_bit_and_threads_change_none(self, model):
        assert not hasattr(model, "refinement_")
        asked = {"correction": 0.5, "thinning": 0.01}
        one, two = fitted(**asked, n_jobs=1), fitted(**asked, n_jobs=2)
        assert one.predict(X).tolist() == two.predict(X).tolist()

    @pytest.mark.slow
    def test_stages_are_what_a_fit_comes_to(self, model):
        stages = list(model.staged_refine(X, Y, corrections=(0.0, 1.0), thinnings=(0.0, 0.01)))
        assert [(one.correction, one.thinning) for one in stages] == [(0, 0), (0, 0.01), (1, 0), (1, 0.01)]
        for one in stages[1:]:
            again = fitted(correction=one.correction, thinning=one.thinning)
            assert one.predict(X).tolist() == again.predict(X).tolist()
            assert one.refinement_ == again.refinement_
        assert stages[0].predict(X).tolist() == model.predict(X).tolist()
        assert model.get_params()["correction"] == 0.0

    @pytest.mark.exhaustive
    def test_factors_come_after_it_and_a_warm_start_thins_a_model_that_is_there(self):
        one = fitted(correction=1.0, thinning=0.01)
        both = fitted(correction=1.0, thinning=0.01, weight_factor=0.5, spread_factor=0.8)
        for plain, scaled in zip(one.set_manager_.density_batches, both.set_manager_.density_batches, strict=True):
            np.testing.assert_array_equal(scaled.weights, plain.weights * np.float32(0.5))
            np.testing.assert_array_equal(scaled.spreads, plain.spreads * 0.8)
        later = fitted().set_params(n_iter=0, max_prototypes=9).fit(X, Y, warm_start=True)
        assert later.predict(X).tolist() == fitted(max_prototypes=9).predict(X).tolist()
        assert later.set_manager_.get_num_prototypes() <= 9

    def test_what_was_done_is_saved_and_read(self):
        small = fitted(correction=0.5, max_prototypes=9)
        loaded = saved_number.read_number(*saved_number.write_number(small))
        assert loaded.refinement_ == small.refinement_
        assert loaded.predict(X).tolist() == small.predict(X).tolist()

    def test_those_are_kept_that_say_something_of_rows_that_weigh(self, grown, data):
        heavy = X[:, 0] > 0.0
        found, _ = refine(grown, replace(data, weight=np.where(heavy, 1.0, 1e-6)), default_rng(0), most=8)
        of_all, of_kept = (
            heavy[np.concatenate([batch.sample_index for batch in one.density_batches])].mean()
            for one in (grown, found)
        )
        assert of_kept > of_all + 0.2

    @pytest.mark.slow
    def test_without_compiled_code_the_same_is_done(self, monkeypatch, votes):
        monkeypatch.setattr("proset.engine.mixtures.mixture._kernel", lambda: None)
        plainly = replace(votes)
        np.testing.assert_allclose(plainly._places(), votes._places(), rtol=1e-7, atol=1e-9)
