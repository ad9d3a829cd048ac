"""The dominant set of a median: against every choice of what could be taken away, on small answers."""

from itertools import chain, combinations

import numpy as np
import pytest
from scipy.stats import norm
from variants import main_cases

from proset.engine.evidence.dominant_median import dominant_of_median


def subsets(places):
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))


def median_of(impact, means, spreads):
    """Median of the mixture with a marginal of impact 1 that is standard normal."""
    weights, centers, widths = np.append(impact, 1.0), np.append(means, 0.0), np.append(spreads, 1.0)
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        less = (weights * norm.cdf((middle - centers) / widths)).sum() < 0.5 * weights.sum()
        low, high = (middle, high) if less else (low, middle)
    return 0.5 * (low + high)


def members_of(impact, means, spreads, moved):
    middle = median_of(impact, means, spreads)
    ends = middle - moved, middle + moved
    below = tuple(norm.cdf((end - means) / spreads) for end in ends)
    return dominant_of_median(impact, below, tuple(norm.cdf(end) for end in ends)), ends


@pytest.mark.parametrize("seed", main_cases(range(30), every=3))
def test_it_is_the_smallest_that_no_choice_of_the_others_can_move(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    impact, means, spreads = rng.exponential(2.0, n), rng.normal(0.0, 1.5, n), rng.uniform(0.1, 0.8, n)
    members, ends = members_of(impact, means, spreads, 0.4)
    order = np.argsort(-impact)

    def holds(size):
        rest = order[size:]
        for away in subsets(rest.tolist()):
            kept = np.setdiff1d(np.arange(n), away)
            if not ends[0] - 1e-9 <= median_of(impact[kept], means[kept], spreads[kept]) <= ends[1] + 1e-9:
                return False
        return True

    assert members[order].tolist() == sorted(members.tolist(), reverse=True)  # the most influential ones
    size = int(members.sum())
    assert holds(size)
    assert size == 0 or not holds(size - 1)


def test_where_nobody_can_move_it_the_set_is_empty():
    members, _ = members_of(np.array([0.1, 0.1]), np.array([0.1, -0.1]), np.ones(2), 1.0)
    assert not members.any()
    assert dominant_of_median(np.zeros(0), (np.zeros(0), np.zeros(0)), (0.4, 0.6)).shape == (0,)


def test_equal_impacts_are_in_or_out_together():
    members, _ = members_of(np.full(4, 2.0), np.array([2.0, 2.0, 2.0, 2.0]), np.full(4, 0.2), 0.3)
    assert members.all() or not members.any()
