"""Shapley values against their definition: the average over all coalitions, evaluated by the model itself."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from proset import ClassifierModel, explain
from proset.engine.evidence.factors import games, kernel_factors
from proset.engine.evidence.product_shapley import product_values, vote_interactions
from proset.engine.evidence.shapley import MOST_EXACT, _best_form, exact_values, plain_pairs, sampled_values
from proset.engine.set_manager import Batch, SetManager


def made_up(n_features=7, n_classes=3, seed=0):
    """Two batches over different features, one of which no batch uses."""
    random = np.random.default_rng(seed)

    def batch(features, n):
        return Batch(
            np.asarray(features),
            random.uniform(0.2, 1.5, len(features)).astype(np.float32),
            random.normal(size=(n, len(features))) + 3.0,
            random.integers(n_classes, size=n),
            random.uniform(0.5, 5.0, n).astype(np.float32),
            np.arange(n),
        )

    batches = batch(range(0, n_features, 2), 9), None, batch(range(n_features - 2), 6)
    return SetManager(np.full(n_classes, 1 / n_classes), n_features, batches)


def by_definition(value, groups, x, reference):
    """Average what each player adds over all coalitions, shape (A, ...)."""
    m = len(groups)

    def at(members):
        point = reference.copy()
        for player in members:
            point[groups[player]] = x[groups[player]]
        return value(point)

    found = []
    for player in range(m):
        others = [other for other in range(m) if other != player]
        total = 0.0
        for size in range(m):
            share = factorial(size) * factorial(m - size - 1) / factorial(m)
            for members in combinations(others, size):
                total = total + share * (at((*members, player)) - at(members))
        found.append(total)
    return np.array(found)


def against(factors, points):
    """The game of one row against a reference."""
    at_row, at_reference = factors.at(np.array(points))
    return next(games(factors.weights, at_row[None], at_reference))


@pytest.fixture(scope="module")
def manager():
    return made_up()


@pytest.fixture(scope="module")
def points():
    random = np.random.default_rng(1)
    return random.normal(size=7) + 3.0, random.normal(size=7) + 3.0


GROUPS = [np.array([0]), np.array([2, 1]), np.array([3]), np.array([4]), np.array([6])]  # 5 is not used


@pytest.fixture(scope="module")
def own_game(manager, points):
    factors = kernel_factors(manager, GROUPS)
    return factors, against(factors, points)


def test_factors_multiply_to_similarities(manager, points):
    factors = kernel_factors(manager, GROUPS)
    whole = factors.at(np.array(points)).prod(axis=1)
    expected = np.concatenate([b.similarity(np.array(points)) for b in manager.batches if b is not None], axis=1)
    np.testing.assert_allclose(whole, expected, rtol=1e-9)
    assert factors.batch.tolist() == [1] * 9 + [3] * 6


def test_factors_stay_right_far_from_the_origin(manager, points):
    row = np.array([points[0], points[1] + 1e9, np.full(7, 1e300)])
    assert (kernel_factors(manager, GROUPS).at(row).prod(axis=1)[1:] == 0.0).all()


def test_every_active_feature_needs_a_player(manager):
    with pytest.raises(ValueError, match="has to belong"):
        kernel_factors(manager, GROUPS[:-1])


def test_exact_values_are_those_of_the_definition(manager, points, own_game):
    factors, own = own_game
    found = exact_values(own, factors.target, factors.marginals)
    expected = by_definition(lambda point: manager.probabilities(point[None])[0], GROUPS, *points)
    np.testing.assert_allclose(found.values[0], expected, atol=1e-12)
    assert found.evaluations == 2 ** len(GROUPS)
    assert not found.standard_error.any()


def test_product_values_are_those_of_the_definition(manager, points, own_game):
    _, own = own_game

    def impacts(point):
        batches = [b for b in manager.batches if b is not None]
        return np.concatenate([b.weights.astype(np.float64) * b.similarity(point[None])[0] for b in batches])

    expected = by_definition(impacts, GROUPS, *points)
    np.testing.assert_allclose(product_values(own)[0], expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("m", range(1, 12))
def test_the_quadrature_has_enough_nodes_for_any_number_of_players(m):
    random = np.random.default_rng(m)
    a, b = random.uniform(size=(2, m, 4))
    own = next(games(np.ones(4), a[None], b))
    expected = by_definition(lambda point: point.prod(axis=0), [np.array([i]) for i in range(m)], a, b)
    np.testing.assert_allclose(product_values(own)[0], expected, atol=1e-14)


def test_factors_of_zero_divide_nothing():
    own = next(games(np.ones(1), np.array([[[1.0], [0.0], [1.0]]]), np.array([[0.0], [1.0], [0.0]])))
    found = product_values(own)[0]
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(0.0, abs=1e-15)
    assert found[0, 0] == pytest.approx(1 / 6)  # it comes after the third and before the second in one of six orders


def test_permutations_come_to_the_exact_values(own_game):
    factors, own = own_game
    exact = exact_values(own, factors.target, factors.marginals).values
    drawn = sampled_values(own, factors.target, factors.marginals, max_evaluations=40_000, seed=3)
    assert drawn.evaluations == 40_000
    assert (np.abs(drawn.values - exact) <= 5 * drawn.standard_error + 1e-12).all()
    assert drawn.standard_error.max() < 1e-3


def test_permutations_add_up_whatever_their_number(manager, points, own_game):
    factors, own = own_game
    drawn = sampled_values(own, factors.target, factors.marginals, max_evaluations=1, seed=0)
    ends = manager.probabilities(np.array(points))
    np.testing.assert_allclose(drawn.values[0].sum(axis=0), ends[0] - ends[1], atol=1e-12)
    assert np.isnan(drawn.standard_error).all()  # one pair says nothing about its error
    assert drawn.evaluations == 10


def test_players_that_agree_are_left_out(own_game, manager, points):
    x, reference = points[0].copy(), points[1]
    x[[0, 4]] = reference[[0, 4]]
    factors = kernel_factors(manager, GROUPS)
    own = against(factors, (x, reference))
    assert own.players.tolist() == [1, 2, 4]
    found = exact_values(own, factors.target, factors.marginals)
    expected = by_definition(lambda point: manager.probabilities(point[None])[0], GROUPS, x, reference)
    np.testing.assert_allclose(found.values[0], expected[[1, 2, 4]], atol=1e-12)


def test_a_row_against_itself_has_nothing_to_attribute(manager, points):
    factors = kernel_factors(manager, GROUPS)
    own = against(factors, (points[0], points[0]))
    assert exact_values(own, factors.target, factors.marginals).values.shape == (1, 0, 3)
    assert product_values(own).shape == (1, 0, 15)


def test_too_many_players_are_refused():
    m = MOST_EXACT + 1
    own = next(games(np.ones(1), np.zeros((1, m, 1)), np.ones((m, 1))))
    with pytest.raises(ValueError, match="too many coalitions"):
        exact_values(own, np.array([0]), np.ones(1))


@pytest.mark.slow
def test_values_agree_with_the_shap_package():
    shap = pytest.importorskip("shap")
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    model = ClassifierModel(lambda_v=1e-4, random_state=0).fit(X, (X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0).astype(int))
    masker = shap.maskers.Independent(X[:1], max_samples=1)
    theirs = shap.explainers.Exact(model.predict_proba, masker)(X[1:4]).values
    ours = explain.shap_values(model, X[1:4], X[0])
    np.testing.assert_allclose(ours.values, theirs, atol=1e-8)
    handed_over = ours.to_shap()
    assert handed_over.shape == (3, 5, 2)
    assert handed_over.output_names == list(ours.classes)
    np.testing.assert_allclose(handed_over.values.sum(axis=1) + handed_over.base_values, ours.estimates, atol=1e-12)


def test_rows_that_differ_in_the_same_players_stay_together(manager, points):
    x, reference = points
    one = x.copy()
    one[0] = reference[0]
    factors = kernel_factors(manager, GROUPS)
    at_rows = factors.at(np.array([x, one, x + 0.5, reference]))
    found = {tuple(own.players): own.rows.tolist() for own in games(factors.weights, at_rows, at_rows[3])}
    assert found == {(0, 1, 2, 3, 4): [0, 2], (1, 2, 3, 4): [1], (): [3]}


def test_compiled_permutations_equal_the_plain_ones(own_game):
    pytest.importorskip("numba")
    factors, own = own_game
    order = np.random.default_rng(0).permuted(np.tile(np.arange(5), (7, 1)), axis=1)
    plain, compiled = (form(own, 0, order, factors.target, factors.marginals) for form in (plain_pairs, _best_form()))
    np.testing.assert_allclose(compiled, plain, atol=1e-14)


class TestVoteInteractions:
    """The interaction index of pairs against its definition, a recursion, and the exact computer of shapiq."""

    @staticmethod
    def votes(manager, point):
        return manager.unnormalized(point[None])[0]

    @staticmethod
    def defined(value, groups, x, reference):
        """Average over all coalitions of the others what two players add beyond what each adds, shape (pairs, ...)."""
        m, found = len(groups), []

        def at(members):
            point = reference.copy()
            for player in members:
                point[groups[player]] = x[groups[player]]
            return value(point)

        for one, two in combinations(range(m), 2):
            others, total = [player for player in range(m) if player not in (one, two)], 0.0
            for size in range(m - 1):
                share = factorial(size) * factorial(m - size - 2) / factorial(m - 1)
                for members in combinations(others, size):
                    each = at((*members, one, two)), at((*members, one)), at((*members, two)), at(members)
                    total = total + share * (each[0] - each[1] - each[2] + each[3])
            found.append(total)
        return np.array(found)

    def test_pairs_are_those_of_the_definition(self, manager, points, own_game):
        factors, own = own_game
        found = vote_interactions(own, factors.target, 3)
        expected = self.defined(lambda point: self.votes(manager, point), GROUPS, *points)
        assert found.shape == (1, 10, 3)
        np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-14)

    @pytest.mark.slow
    @pytest.mark.parametrize("m", range(2, 11))
    def test_the_quadrature_has_enough_nodes_for_any_number_of_players(self, m):
        a, b = np.random.default_rng(m).uniform(size=(2, m, 4))
        own = next(games(np.ones(4), a[None], b))
        expected = self.defined(lambda point: point.prod(axis=0), [np.array([i]) for i in range(m)], a, b)
        np.testing.assert_allclose(vote_interactions(own, np.arange(4), 4)[0], expected, rtol=1e-10, atol=1e-14)

    def test_factors_of_zero_or_nearly_so_are_right(self):
        a = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1e-300], [1.0, 0.5, 1e-200], [0.5, 1.0, 1.0]])
        b = np.array([[0.0, 1.0, 5e-324], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.25, 1.0]])
        own = next(games(np.ones(3), a[None], b))
        expected = self.defined(lambda point: point.prod(axis=0), [np.array([i]) for i in range(4)], a, b)
        np.testing.assert_allclose(vote_interactions(own, np.arange(3), 3)[0], expected, atol=1e-16)

    def test_a_pair_is_the_difference_of_two_shapley_values(self):
        """Also where all coalitions of 40 players are too many."""
        random = np.random.default_rng(0)
        a, b = random.uniform(0.3, 1.0, size=(2, 40, 5))
        weights = random.uniform(size=5)
        found = vote_interactions(next(games(weights, a[None], b)), np.zeros(5, dtype=int), 1)[0, :, 0]
        there, absent = (
            product_values(next(games(weights * side[0], a[None, 1:], b[1:])))[0].sum(axis=1) for side in (a, b)
        )
        np.testing.assert_allclose(found[:39], there - absent, rtol=1e-9)

    def test_a_row_alone_and_among_others_has_the_same_bits(self, manager, points):
        factors = kernel_factors(manager, GROUPS)
        at_rows = factors.at(np.array([points[0] + shift for shift in np.linspace(0.1, 2.0, 900)]))
        whole, alone = (
            next(games(factors.weights, rows, factors.at(points[1][None])[0])) for rows in (at_rows, at_rows[700:701])
        )
        found = vote_interactions(whole, factors.target, 3)
        assert (found[700] == vote_interactions(alone, factors.target, 3)[0]).all()

    def test_without_two_players_there_is_no_pair(self, manager, points):
        x = points[1].copy()
        x[3] += 1.0
        factors = kernel_factors(manager, GROUPS)
        for point in (points[1], x):
            assert vote_interactions(against(factors, (point, points[1])), factors.target, 3).shape == (1, 0, 3)

    def test_pairs_agree_with_the_exact_computer_of_shapiq(self, manager, points, own_game):
        shapiq = pytest.importorskip("shapiq", reason="shapiq is not installed; it is needed for this comparison only")
        factors, own = own_game
        found = vote_interactions(own, factors.target, 3)[0]

        def game(label):
            def values(coalitions):
                mixed = np.tile(points[1], (len(coalitions), 1))
                for player, group in enumerate(GROUPS):
                    mixed[:, group] = np.where(coalitions[:, [player]], points[0][group], points[1][group])
                return manager.unnormalized(mixed)[:, label]

            return values

        for label in range(3):
            theirs = shapiq.ExactComputer(game(label), n_players=5)("SII", order=2)
            expected = [theirs[pair] for pair in combinations(range(5), 2)]
            np.testing.assert_allclose(found[:, label], expected, rtol=0, atol=1e-9)
