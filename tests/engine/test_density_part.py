"""The part of a number as target: what earlier batches say of training rows, strata, least spreads."""

import numpy as np
import pytest
from scipy.stats import norm

from proset.engine.density_part import Density
from proset.engine.density_sets import DensityBatch


@pytest.fixture
def part():
    return Density(np.array([-1.5, -0.5, -0.4, 0.0, 0.7, 1.7]), np.ones(6), np.arange(6) + 10)


def test_votes_are_the_sums_of_the_model_without_that_of_the_row_itself(part):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 2))
    manager = part.marginal_model(np.zeros(6, np.int64), part.weight, 2)
    batch = DensityBatch(
        np.array([0, 1]), np.array([0.5, 1.5], np.float32), X[[1, 4]], np.zeros(2, np.int64),
        np.array([2.0, 3.0], np.float32), np.array([11, 14]),
        values=part.values[[1, 4]], slopes=np.array([0.3, -0.2]), spreads=np.array([0.4, 0.9]),
        own_slopes=np.array([[0.1, 0.0], [0.0, -0.5]]),
    )  # fmt: skip
    prior, explained = part.before(manager.add_batch(batch), X, np.zeros(6, np.int64), np.arange(6))
    alone = part.before(manager, X, np.zeros(6, np.int64), np.arange(6))[0]
    assert alone[:, 1].tolist() == [1.0] * 6
    for n in range(6):
        numerator, denominator = alone[n]
        for j, row in enumerate((1, 4)):
            if row != n:
                step = X[n] - X[row]
                impact = batch.weights[j] * np.exp(-0.5 * np.sum((step * [0.5, 1.5]) ** 2))
                center = part.values[row] + step @ (batch.slopes + batch.own_slopes[j])
                numerator += impact * norm.pdf(part.values[n], center, batch.spreads[j])
                denominator += impact
        assert prior[n] == pytest.approx([numerator, denominator], rel=1e-9)
        assert explained[n] == (numerator / denominator > np.median(alone[:, 0]))


@pytest.mark.parametrize(
    ("values", "smallest", "expected"),
    [
        (np.arange(9.0), 3, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        (np.arange(8.0), 3, [0, 0, 0, 0, 1, 1, 1, 1]),
        (np.arange(5.0), 3, [0] * 5),
        (np.zeros(9), 3, [0] * 9),
        (np.repeat([0.0, 1.0], [6, 3]), 3, [0] * 6 + [1] * 3),
    ],
)
def test_parts_of_the_range_have_enough_rows_each(values, smallest, expected):
    assert Density(values, np.ones(len(values)), np.arange(len(values))).parts(smallest).tolist() == expected


def test_no_spread_is_less_than_half_the_gap_of_rounded_targets():
    weight, index = np.ones(6), np.arange(6)
    assert Density(np.arange(6.0), weight, index).least_spread == 0.5
    assert Density(np.linspace(0.0, 0.01, 6), weight, index, 0.3).least_spread == 0.3
