"""What follows the last batch: all weights at once, fewer prototypes."""

from dataclasses import replace

import numpy as np
import pytest
from differences import slope_at
from numpy.random import default_rng

from proset import ClassifierModel
from proset.engine import refining, saved_form
from proset.engine.fitting import TrainingData
from proset.engine.refining import Refinement, refine, refinements
from proset.engine.set_manager import SetManager
from proset.engine.votes import Votes, agreement, agreement_by_sums, by_class, class_sums, losses_by_logs

RNG = default_rng(0)
X = RNG.normal(size=(240, 4))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=240) > 0.2, 2, (X[:, 2] > 0.4).astype(int))
DATA = TrainingData(X, Y, np.ones(240), np.arange(240))


def fitted(**more):
    return ClassifierModel(**({"n_iter": 2, "lambda_v": 1e-3, "random_state": 0} | more)).fit(X, Y)


@pytest.fixture(scope="module")
def grown():
    return fitted().set_manager_


@pytest.fixture(scope="module")
def votes(grown):
    return Votes.of(grown, DATA, default_rng(0))


def whole(votes, correction):
    return refining._Selection(votes, votes.aim(correction), np.arange(votes.target.shape[0]), votes.weights)


def unchanged(one, other):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in zip(one.batches, other.batches, strict=True)
        for name in ("weights", "sample_index", "prototypes", "feature_weights")
    )


class TestVotes:
    def test_they_add_up_to_what_the_model_says_but_for_a_row_that_meets_itself(self, grown, votes):
        expected = grown.unnormalized(X)
        for batch in grown.batches:  # nobody votes for himself
            np.subtract.at(expected, (batch.sample_index, batch.target), batch.weights)
        sums = class_sums(votes.similarity, votes.target, votes.weights, votes.marginals)
        np.testing.assert_allclose(sums.T, expected, rtol=1e-9)

    @pytest.mark.parametrize("correction", [0.0, 0.5, 1.0])
    def test_the_gradient_meets_finite_differences(self, votes, correction):
        aim, weights = votes.aim(correction), votes.weights * default_rng(1).uniform(0.5, 2.0, votes.weights.shape)

        def value(at):
            return aim.disagreement(class_sums(votes.similarity, votes.target, at, votes.marginals))

        pull = aim.pull(class_sums(votes.similarity, votes.target, weights, votes.marginals))
        gradient = by_class(votes.similarity, votes.target, pull)
        for j in range(0, weights.shape[0], 7):
            assert gradient[j] == pytest.approx(slope_at(value, weights, j), rel=1e-4, abs=1e-9)

    @pytest.mark.parametrize("correction", [0.0, 1.0])
    def test_a_loss_is_exactly_what_taking_one_out_costs(self, votes, correction):
        every = whole(votes, correction)
        for j in range(0, len(every.kept), 11):
            left = np.delete(every.kept, j)
            without = refining._Selection(votes, every.aim, left, votes.weights[left])
            assert every.losses[j] == pytest.approx(without.disagreement - every.disagreement, rel=1e-8, abs=1e-12)

    @pytest.mark.parametrize("correction", [0.0, 0.5, 1.0])
    @pytest.mark.parametrize("n_rows", [237, 238, 239, 240])
    def test_compiled_code_meets_the_reference(self, votes, correction, n_rows):
        pytest.importorskip("numba")
        few = replace(
            votes,
            similarity=votes.similarity[:n_rows],
            importance=votes.importance[:n_rows],
            classes=votes.classes[:n_rows],
        )
        weights = few.weights * default_rng(2).uniform(0.0, 3.0, few.weights.shape)
        given = few.similarity, few.target, few.marginals, few.aim(correction)
        value, slope = agreement(*given)(weights)
        expected, slopes = agreement_by_sums(*given, weights)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(slope, slopes, rtol=1e-9, atol=1e-15)
        every = replace(whole(few, correction), weights=weights)
        reference = losses_by_logs(every.ballot.similarity, every.ballot.target, weights, every.sums, every.aim)
        np.testing.assert_allclose(every.losses, reference, rtol=1e-9, atol=1e-15)

    def test_shares_of_any_size_are_taken_out_exactly(self):
        pytest.importorskip("numba")
        n, n_prototypes = 50, 150
        random = default_rng(3)
        weights = np.exp(random.uniform(-25.0, 8.0, n_prototypes))  # from next to nothing to all of a sum
        few = Votes(
            np.exp(-random.exponential(3.0, (n, n_prototypes))), np.repeat([0, 1, 2], 50), weights,
            np.arange(n_prototypes), np.full(n, 1.0 / n), np.arange(n) % 3, np.array([0.5, 0.3, 0.2]),
        )  # fmt: skip
        every = whole(few, 0.5)
        reference = losses_by_logs(every.ballot.similarity, every.ballot.target, weights, every.sums, every.aim)
        np.testing.assert_allclose(every.losses, reference, rtol=1e-9, atol=1e-13)

    def test_of_many_rows_no_more_are_held_than_memory_is_for(self, grown, monkeypatch):
        monkeypatch.setattr("proset.engine.votes.FEWEST_ROWS", 50)
        few = Votes.of(grown, DATA, default_rng(0), 1)
        assert few.similarity.shape == (50, grown.get_num_prototypes())
        assert few.importance.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(np.bincount(few.classes, weights=few.importance), grown.marginals, rtol=1e-12)


class TestRefine:
    def test_nothing_asked_is_nothing_done(self, grown):
        found, result = refine(grown, DATA, default_rng(0))
        assert found is grown
        assert (result.n_after, result.given_up) == (result.n_before, 0.0)
        assert result.message == "Refining the model changed nothing."

    def test_a_correction_lowers_what_it_minimises(self, grown, votes):
        for correction in (0.25, 0.5, 1.0):
            found, _ = refine(grown, DATA, default_rng(0), correction=correction)
            aim, after = votes.aim(correction), Votes.of(found, DATA, default_rng(0))
            sums = class_sums(after.similarity, after.target, after.weights, after.marginals)
            before = whole(votes, correction).disagreement + aim.penalty.value(votes.weights)
            assert aim.disagreement(sums) + aim.penalty.value(after.weights) < before

    def test_weights_do_not_grow_for_ever_where_classes_are_apart(self):
        features = np.concatenate([default_rng(0).normal(size=(60, 2)), default_rng(1).normal(size=(60, 2)) + 6.0])
        target = np.repeat([0, 1], 60)
        plain = ClassifierModel(lambda_v=1e-2, random_state=0).fit(features, target)
        asked = {"lambda_v": 1e-2, "random_state": 0, "correction": 1.0}
        refined = ClassifierModel(**asked, thinning=0.003).fit(features, target)
        assert np.median(refined.familiarity(features)) < 30.0 * np.median(plain.familiarity(features))
        far = np.full((1, 2), 60.0)
        np.testing.assert_allclose(refined.predict_proba(far), [[0.5, 0.5]], atol=1e-6)

    @pytest.mark.parametrize("correction", [0.0, 0.5])
    def test_thinning_gives_up_no_more_than_it_may_and_more_for_fewer(self, grown, correction):
        shares = (0.0, 0.002, 0.01, 0.05, 0.2)
        each = [one for _, one in refinements(grown, DATA, default_rng(0), corrections=[correction], thinnings=shares)]
        for share, one in zip(shares, each, strict=True):
            assert one.given_up <= share * one.known * (1.0 + 1e-9)
        sizes = [one.n_after for one in each]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] < 0.5 * sizes[0]

    @pytest.mark.parametrize("most", [1, 7, 30])
    def test_a_budget_holds_whatever_it_costs(self, grown, most):
        found, result = refine(grown, DATA, default_rng(0), most=most)
        assert result.n_after == found.get_num_prototypes() <= most
        assert result.n_after >= most // 2
        assert result.given_up > 0.0
        assert f"{result.n_after} of {result.n_before} prototypes" in result.message

    def test_a_large_budget_does_not_bind(self, grown):
        assert refine(grown, DATA, default_rng(0), most=10_000)[0] is grown

    def test_what_is_left_stays_a_prototype_of_the_same_batch_with_the_same_features(self, grown):
        found, _ = refine(grown, DATA, default_rng(0), correction=0.5, thinning=0.02)
        for before, after in zip(grown.batches, found.batches, strict=True):
            assert np.isin(after.sample_index, before.sample_index).all()
            np.testing.assert_array_equal(after.prototypes, X[np.ix_(after.sample_index, after.active_features)])
            np.testing.assert_array_equal(after.feature_weights, before.feature_weights)
            np.testing.assert_array_equal(after.target, Y[after.sample_index])

    def test_a_model_without_prototypes_is_left_as_it_is(self):
        empty = SetManager([0.5, 0.5], 4, (None,))
        found, result = refine(empty, DATA, default_rng(0), correction=1.0, thinning=0.1, most=3)
        assert found is empty
        assert result == Refinement(1.0, 0.1, 0, 0, 0.0, 0.0)

    def test_estimates_of_a_thinned_model_are_near_and_those_of_a_budget_fall_back_to_the_shares(self, grown):
        near, _ = refine(grown, DATA, default_rng(0), thinning=0.01)
        far, _ = refine(grown, DATA, default_rng(0), most=1)
        unseen = default_rng(5).normal(size=(300, 4))
        wanted = grown.probabilities(unseen)
        assert np.abs(near.probabilities(unseen) - wanted).mean() < 0.05
        assert np.abs(far.probabilities(unseen) - wanted).mean() > np.abs(near.probabilities(unseen) - wanted).mean()


class TestModel:
    def test_a_threshold_in_one_column_takes_a_handful_of_prototypes(self):
        features = default_rng(3).normal(size=(962, 6))
        target = features[:, 0] > 0.3
        plain = ClassifierModel(lambda_v=1e-3, random_state=0).fit(features, target)
        thin = ClassifierModel(lambda_v=1e-3, random_state=0, thinning=0.01).fit(features, target)
        assert thin.set_manager_.get_num_prototypes() < 30 < plain.set_manager_.get_num_prototypes()
        unseen = default_rng(4).normal(size=(2_000, 6))
        assert thin.score(unseen, unseen[:, 0] > 0.3) > plain.score(unseen, unseen[:, 0] > 0.3) - 0.01

    def test_defaults_change_no_bit_and_say_nothing(self):
        plain = fitted()
        assert unchanged(plain.set_manager_, fitted(correction=0.0, thinning=0.0, max_prototypes=None).set_manager_)
        assert not hasattr(plain, "refinement_")

    def test_threads_change_no_bit(self):
        asked = {"correction": 0.5, "thinning": 0.01}
        assert unchanged(fitted(**asked, n_jobs=1).set_manager_, fitted(**asked, n_jobs=2).set_manager_)

    def test_the_factor_comes_after_it(self):
        one = fitted(correction=1.0, thinning=0.01)
        half = fitted(correction=1.0, thinning=0.01, weight_factor=0.5)
        assert unchanged(one.set_manager_.scaled(0.5), half.set_manager_)

    def test_a_fitted_model_is_thinned_by_a_warm_start_without_batches(self):
        model = fitted().set_params(n_iter=0, max_prototypes=12).fit(X, Y, warm_start=True)
        assert unchanged(model.set_manager_, fitted(max_prototypes=12).set_manager_)
        assert model.refinement_.n_after == model.set_manager_.get_num_prototypes() <= 12
        assert not hasattr(model.set_params(max_prototypes=None).fit(X, Y), "refinement_")

    @pytest.mark.slow
    def test_a_fit_that_is_stopped_while_it_refines_leaves_the_model_as_it_was(self):
        seen = []
        fitted(correction=1.0).set_params(correction=1.0).fit(X, Y, progress=seen.append)
        shares = [step.share for step in seen]
        assert shares == sorted(shares)
        assert {step.batch for step in seen} == {1, 2}
        last = len(seen)

        count = iter(range(1, last + 1))

        def stop(_step):
            if next(count) == last - 1:
                raise InterruptedError

        model = fitted()
        before = model.set_manager_
        with pytest.raises(InterruptedError):
            model.set_params(correction=1.0).fit(X, Y, progress=stop)
        assert model.set_manager_ is before

    def test_what_was_done_is_saved_and_read(self):
        labels = np.array(["a", "b", "c"])[Y]
        model = ClassifierModel(random_state=0, correction=0.5, max_prototypes=9).fit(X, labels)
        loaded = saved_form.read(*saved_form.write(model))
        assert loaded.refinement_ == model.refinement_
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

    @pytest.mark.parametrize(
        ("name", "value"),
        [("correction", -0.1), ("correction", 1.1), ("thinning", 0.95), ("max_prototypes", 0), ("max_prototypes", 2.5)],
    )
    def test_impossible_values_are_refused_by_name(self, name, value):
        with pytest.raises(ValueError, match=f"{name} is"):
            fitted(**{name: value})
