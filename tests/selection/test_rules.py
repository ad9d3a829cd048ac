import numpy as np
import pytest

from proset.selection.rules import Rule, choose

# Five settings over five folds; 2 is best, 3 is inside one standard deviation, 4 is outside.
MEAN = [0.60, 0.50, 0.40, 0.46, 0.55]
SD = [0.10, 0.20, 0.08, 0.01, 0.01]
ASCENDING = [1, 2, 3, 4, 5]


def test_the_sparsest_within_one_standard_deviation_is_chosen():
    choice = choose(MEAN, SD, 5, Rule.SD, ASCENDING)
    assert (choice.optimal, choice.chosen) == (2, 3)
    assert choice.threshold == pytest.approx(0.48)  # of the best row; the larger spread of another does not count


def test_the_standard_error_is_stricter():
    choice = choose(MEAN, SD, 5, Rule.SE, ASCENDING)
    assert (choice.optimal, choice.chosen) == (2, 2)
    assert choice.threshold == pytest.approx(0.40 + 0.08 / np.sqrt(5))


def test_best_means_best():
    choice = choose(MEAN, SD, 5, Rule.BEST, ASCENDING)
    assert (choice.optimal, choice.chosen, choice.threshold) == (2, 2, 0.40)


def test_the_threshold_itself_is_allowed():
    assert choose([0.25, 0.5], [0.25, 0.0], 5, Rule.SD, [0, 1]).chosen == 1


def test_equal_sparseness_leaves_it_to_the_mean():
    assert choose([0.40, 0.45, 0.42], [0.1, 0.1, 0.1], 5, Rule.SD, [0, 1, 1]).chosen == 2


def test_of_equal_means_the_sparsest_is_the_optimum():
    choice = choose([0.4, 0.4, 0.4], [0.0, 0.0, 0.0], 5, Rule.BEST, [1, 3, 2])
    assert (choice.optimal, choice.chosen) == (1, 1)


def test_settings_that_are_not_done_do_not_count():
    choice = choose([np.nan, 0.5, np.nan], [np.nan, 0.1, 0.1], 5, Rule.SD, ASCENDING[:3])
    assert (choice.optimal, choice.chosen) == (1, 1)
    with pytest.raises(ValueError, match="none to choose from"):
        choose([np.nan], [np.nan], 5, Rule.SD, [1])


def test_order_does_not_matter():
    rng = np.random.default_rng(0)
    mean, sd, sparse = rng.uniform(0.4, 0.6, 20), rng.uniform(0.02, 0.1, 20), rng.permutation(20)
    straight = choose(mean, sd, 5, Rule.SD, sparse)
    order = rng.permutation(20)
    mixed = choose(mean[order], sd[order], 5, Rule.SD, sparse[order])
    assert (order[mixed.optimal], order[mixed.chosen]) == (straight.optimal, straight.chosen)


def test_numbers_of_table_2_3():
    # Digits, experiment 3: best mean 0.17, threshold 0.19; selected lambda_v 9.5e-4 at 0.18 instead of 7.8e-6.
    lambda_v, lambda_w = np.array([7.8e-6, 9.5e-4, 1.1e-2]), np.array([1.6e-9, 5.6e-9, 1.8e-5])
    choice = choose([0.17, 0.18, 0.30], [0.02, 0.02, 0.02], 5, Rule.SD, np.sqrt(lambda_v * lambda_w))
    assert (choice.optimal, choice.chosen, round(choice.threshold, 2)) == (0, 1, 0.19)
