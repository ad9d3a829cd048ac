"""Algorithm 4.1 against a literal transcription and its defining property."""

import numpy as np
import pytest

from proset.engine.evidence.dominant_set import dominant_set


def literal(impact, shares, marginal_shares):
    """Steps 1 to 4 of algorithm 4.1, word for word."""
    ranks = {value: r for r, value in enumerate(sorted(set(impact.tolist()), reverse=True))}
    rank = np.array([ranks[value] for value in impact.tolist()])
    for r in range(len(ranks)):
        reached = marginal_shares + shares[rank <= r].sum(axis=0)
        remainder = shares[rank > r].sum()
        first, second = sorted(reached, reverse=True)[:2]
        if first - second > remainder:
            return rank <= r
    return np.zeros(len(impact), dtype=bool)


def random_case(seed, *, ties):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(1, 30), rng.integers(2, 5)
    impact = rng.integers(1, 4, n).astype(float) if ties else rng.exponential(1.0, n)
    marginals = rng.dirichlet(np.ones(k))
    total = 1.0 + impact.sum()
    shares = np.zeros((n, k))
    shares[np.arange(n), rng.integers(0, k, n)] = impact / total
    return impact, shares, marginals / total


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("ties", [False, True])
def test_it_equals_the_literal_algorithm(seed, ties):
    case = random_case(seed, ties=ties)
    np.testing.assert_array_equal(dominant_set(*case), literal(*case))


@pytest.mark.parametrize("seed", range(20))
def test_no_other_targets_outside_the_set_can_change_the_winner(seed):
    impact, shares, marginal_shares = random_case(seed, ties=False)
    members = dominant_set(impact, shares, marginal_shares)
    if not members.any():
        return
    reached = marginal_shares + shares[members].sum(axis=0)
    winner = reached.argmax()
    for rival in range(len(reached)):
        if rival != winner:
            assert reached[winner] > reached[rival] + shares[~members].sum()


def test_equal_impacts_stand_or_fall_together():
    impact = np.array([2.0, 2.0, 2.0, 0.1])
    shares = np.array([[0.3, 0.0], [0.3, 0.0], [0.3, 0.0], [0.0, 0.015]])
    assert dominant_set(impact, shares, np.array([0.04, 0.04])).tolist() == [True, True, True, False]


def test_a_tie_between_classes_has_no_dominant_set():
    shares = np.array([[0.25, 0.0], [0.0, 0.25]])
    assert dominant_set(np.array([1.0, 1.0]), shares, np.array([0.25, 0.25])).tolist() == [False, False]


def test_without_prototypes_it_is_empty():
    assert dominant_set(np.zeros(0), np.zeros((0, 2)), np.array([0.7, 0.3])).shape == (0,)
