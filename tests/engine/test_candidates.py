"""Algorithm 2.1, condition (2.14) and stratified subsampling."""

import numpy as np
import pytest

from proset.engine.candidates import (
    bin_allocation,
    check_class_counts,
    check_max_samples,
    correctly_classified,
    smallest_class_size,
    split_candidates,
    subsample,
)


def _keys(target, seed=1):
    return np.random.default_rng(seed).random(len(target))


@pytest.mark.parametrize(
    ("counts", "num_candidates", "max_fraction", "expected"),
    [
        # All bins large: an even share each.
        ([1000, 1000, 1000, 1000], 400, 0.5, [100, 100, 100, 100]),
        # Half of all bins empty, as at the first iteration (remark 2.3): the others take their share.
        ([0, 500, 0, 500], 400, 0.5, [0, 200, 0, 200]),
        # Too few samples altogether: the largest admissible number from each bin.
        ([20, 30, 40, 10], 1000, 0.5, [10, 15, 20, 5]),
        # Small bins are drawn to the limit, what they leave goes to the larger ones, whatever the order.
        ([100, 10, 1000, 0], 120, 0.5, [50, 5, 65, 0]),
        # Halves are rounded up, else a class of three could stay without candidates.
        ([1, 3, 2, 5], 1000, 0.5, [1, 2, 1, 3]),
        ([9, 9, 9], 10, 0.4, [3, 3, 3]),
        ([7, 7], 9, 0.9, [5, 5]),
    ],
)
def test_bin_allocation_follows_the_algorithm(counts, num_candidates, max_fraction, expected):
    assert bin_allocation(counts, num_candidates, max_fraction).tolist() == expected


def _satisfies_2_13(n_k, eta):
    """Condition (2.13) checked case by case."""
    for n in range(n_k + 1):
        other = n_k - n
        candidates = eta * n >= 0.5 or eta * other >= 0.5
        reference = eta * n < n - 0.5 or eta * other < other - 0.5
        if not (candidates and reference):
            return False
    return True


@pytest.mark.parametrize("eta", [0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 0.95])
def test_smallest_class_size_agrees_with_condition_2_13(eta):
    sizes = range(1, 60)
    by_cases = next(n for n in sizes if _satisfies_2_13(n, eta))
    assert smallest_class_size(eta) == by_cases
    assert all(_satisfies_2_13(n, eta) for n in range(by_cases, 60))


@pytest.mark.parametrize("eta", [0.1, 0.5, 0.9])
def test_condition_2_14_leaves_every_class_with_candidates_and_reference_rows(eta):
    size = smallest_class_size(eta)
    for n_correct in range(size + 1):
        target = np.repeat([0, 1], size)
        correct = np.tile(np.arange(size) < n_correct, 2)
        split = split_candidates(
            target, correct, num_candidates=1000, max_fraction=eta, keys=_keys(target, seed=n_correct)
        )
        assert set(target[split.candidates]) == {0, 1}
        assert set(target[split.reference]) == {0, 1}


def test_check_class_counts_names_the_class_and_the_need():
    with pytest.raises(ValueError, match=r"at least 3 samples.*rare \(2\)"):
        check_class_counts([10, 2], 0.5, ["common", "rare"])


def test_candidates_and_reference_rows_are_a_partition_drawn_without_replacement():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 200)
    correct = rng.random(200) < 0.5
    split = split_candidates(target, correct, num_candidates=60, max_fraction=0.5, keys=rng.random(200))
    assert sorted([*split.candidates, *split.reference]) == list(range(200))
    expected = bin_allocation(np.bincount(2 * target + correct, minlength=6), 60, 0.5)
    assert np.bincount((2 * target + correct)[split.candidates], minlength=6).tolist() == expected.tolist()


def test_a_tie_with_another_class_is_not_correct():
    probabilities = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.2, 0.5, 0.3]])
    assert correctly_classified(probabilities, np.array([0, 1, 2])).tolist() == [False, True, False]


def test_subsample_is_stratified_and_without_duplicates():
    target = np.repeat([0, 1, 2], [700, 250, 50])
    rows = subsample(target, 200, 3, _keys(target))
    assert len(set(rows.tolist())) == len(rows) == 200
    assert np.bincount(target[rows]).tolist() == [140, 50, 10]


def test_subsample_keeps_enough_of_a_rare_class():
    target = np.repeat([0, 1], [1000, 4])
    rows = subsample(target, 50, 3, _keys(target))
    assert np.bincount(target[rows]).tolist() == [47, 3]


@pytest.mark.parametrize("max_samples", [30, 31, 47, 100, 333, 1000])
def test_subsample_takes_exactly_as_many_rows_as_it_may(max_samples):
    counts = np.array([3, 3, 4, 5, 8, 40, 41, 300, 700, 2000])
    target = np.repeat(np.arange(10), counts)
    rows = subsample(target, max_samples, 3, _keys(target))
    assert len(set(rows.tolist())) == len(rows) == max_samples
    drawn = np.bincount(target[rows])
    assert (drawn >= 3).all()
    assert (drawn <= counts).all()
    assert (np.diff(drawn) >= 0).all()
    large = drawn > 3  # what is left is shared out in proportion, up to rounding
    left = max_samples - 3 * (~large).sum()
    assert (np.abs(drawn[large] - left * counts[large] / max(1, counts[large].sum())) <= 1.0).all()


def test_many_classes_stay_below_the_bound():
    target = np.repeat(np.arange(400), 5)
    for max_samples in (1200, 1201, 1500, 1999):
        rows = subsample(target, max_samples, 3, _keys(target))
        assert len(rows) == max_samples
        assert set(np.bincount(target[rows])) <= {3, 4, 5}


def test_a_bound_that_cannot_hold_every_class_says_what_it_needs():
    check_max_samples(2000, 400, 1200, 3)
    check_max_samples(100, 400, 100, 3)  # all samples fit
    with pytest.raises(ValueError, match=r"max_samples=1199 is too small for 400 classes.*at least 1200"):
        subsample(np.repeat(np.arange(400), 5), 1199, 3, np.arange(2000.0))
    with pytest.raises(ValueError, match=r"needs 19 samples of each\. Use at least 38"):
        check_max_samples(2000, 2, 37, smallest_class_size(0.05))


@pytest.mark.parametrize("max_samples", [None, 1004, 5000])
def test_subsample_keeps_everything_that_fits(max_samples):
    target = np.repeat([0, 1], [1000, 4])
    assert subsample(target, max_samples, 3, _keys(target)).tolist() == list(range(1004))


def test_a_row_that_changes_its_bin_changes_the_draw_by_a_few_rows_only():
    """Drawn by position within the bin, about half of each bin would be others."""
    rng = np.random.default_rng(0)
    target = np.repeat([0, 1], 300)
    correct = rng.random(600) < 0.7
    keys = rng.random(600)
    draw = {"num_candidates": 120, "max_fraction": 0.5, "keys": keys}
    before = set(split_candidates(target, correct, **draw).candidates.tolist())
    target[[5, 400]], correct[17] = [1, 0], not correct[17]
    after = set(split_candidates(target, correct, **draw).candidates.tolist())
    assert len(before ^ after) <= 2 * 3


@pytest.mark.parametrize("bins", [1, 4])
def test_every_row_of_a_bin_is_drawn_as_often(bins):
    target = np.repeat(np.arange(bins), 12)
    correct = np.ones(12 * bins, dtype=bool)
    counts = np.zeros(12 * bins)
    for seed in range(2000):
        keys = _keys(target, seed)
        rows = subsample(target, 8 * bins, 3, keys)
        split = split_candidates(
            target[rows], correct[rows], num_candidates=3 * bins, max_fraction=0.5, keys=keys[rows]
        )
        counts[rows[split.candidates]] += 1
    # A quarter of 2,000 draws, with a standard deviation of 19: the same keys serve both draws.
    assert np.abs(counts - 500).max() < 5 * 19
