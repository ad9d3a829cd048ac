"""Algorithm 4.1 against a literal transcription in exact arithmetic and its defining property."""

from fractions import Fraction

import numpy as np
import pytest

from proset.engine.evidence.contributions import contributions
from proset.engine.evidence.dominant_set import dominant_set
from proset.engine.set_manager import Batch, SetManager


def literal(impact, target, marginals):
    """Steps 1 to 4 of algorithm 4.1, word for word, with fractions."""
    exact = [Fraction(x) for x in impact.tolist()]
    total = sum(exact) + sum(Fraction(p) for p in marginals.tolist())
    for rank in sorted(set(exact), reverse=True):
        inside = [x >= rank for x in exact]
        reached = [Fraction(p) / total for p in marginals.tolist()]
        for x, label, member in zip(exact, target.tolist(), inside, strict=True):
            reached[label] += x / total if member else 0
        remainder = 1 - sum(reached)
        first, second = sorted(reached, reverse=True)[:2]
        if first - second > remainder:
            return np.array(inside)
    return np.zeros(len(impact), dtype=bool)


def random_case(seed, *, ties):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(1, 30), rng.integers(2, 5)
    impact = rng.integers(1, 4, n).astype(float) if ties else rng.exponential(1.0, n)
    marginals = np.full(k, 1 / k) if ties else rng.dirichlet(np.ones(k))
    return impact, rng.integers(0, k, n), marginals


@pytest.mark.parametrize("ties", [False, True])
def test_it_equals_the_literal_algorithm(ties):
    for seed in range(300):
        case = random_case(seed, ties=ties)
        np.testing.assert_array_equal(dominant_set(*case), literal(*case), err_msg=f"seed {seed}")


@pytest.mark.parametrize("seed", range(20))
def test_no_other_targets_outside_the_set_can_change_the_winner(seed):
    impact, target, marginals = random_case(seed, ties=False)
    members = dominant_set(impact, target, marginals)
    if not members.any():
        return
    reached = marginals + np.bincount(target[members], impact[members], minlength=len(marginals))
    winner = reached.argmax()
    for rival in range(len(reached)):
        if rival != winner:
            assert reached[winner] > reached[rival] + impact[~members].sum()


def test_equal_impacts_stand_or_fall_together():
    members = dominant_set(np.array([2.0, 2.0, 2.0, 0.1]), np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    assert members.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("impact", "target"),
    [
        ([3.0, 2.0, 1.0], [0, 1, 1]),  # 3 = 2 + 1, but a share of 3 / 7 is not one of 2 / 7 and one of 1 / 7
        ([7.0, 5.0, 2.0], [0, 1, 1]),
        ([1.0, 1.0], [0, 1]),
        ([6.0, 3.0, 2.0, 1.0], [1, 0, 0, 0]),
    ],
)
def test_a_tie_between_classes_has_no_dominant_set(impact, target):
    assert not dominant_set(np.array(impact), np.array(target), np.array([0.5, 0.5])).any()


def test_ties_are_ties_whatever_the_scale():
    """Whole numbers up to the largest there are, divided by powers of two: sums stay exact, shares do not."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        parts = rng.integers(1, 1000, 4).astype(float) / 64
        impact, target = np.append(parts, parts.sum()), np.array([0, 0, 0, 0, 1])
        assert not dominant_set(impact, target, np.array([0.5, 0.5])).any()


def test_the_breakdown_of_an_estimate_decides_by_impacts():
    """One prototype against two that weigh as much together: a tie, whatever rounding does to their shares."""
    for a in range(1, 30):
        for b in range(1, 30):
            weights = np.array([a + b, a, b], dtype=np.float32)
            batch = Batch(
                np.array([0]), np.ones(1, np.float32), np.zeros((3, 1), np.float32), np.array([0, 1, 1]), weights,
                np.arange(3),
            )  # fmt: skip
            parts = contributions(SetManager([0.5, 0.5], 1, (batch,)), np.zeros(1))
            assert not parts.dominant.any(), (a, b)


def test_many_prototypes_without_impact_take_no_time():
    rng = np.random.default_rng(0)
    impact = np.concatenate([[1.0, 1.0], np.full(5000, 2.0**-1060), np.zeros(5000)])
    target = np.concatenate([[0, 1], rng.integers(0, 2, 10000)])
    np.testing.assert_array_equal(
        dominant_set(impact, target, np.array([0.5, 0.5])), literal(impact, target, np.array([0.5, 0.5]))
    )


def test_without_prototypes_it_is_empty():
    assert dominant_set(np.zeros(0), np.zeros(0, dtype=np.int64), np.array([0.7, 0.3])).shape == (0,)
