"""Closed forms of mixtures against numeric integration."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.marginal import Marginal, bandwidth, left_out_density
from proset.engine.mixtures.mixture import Mixture
from proset.engine.mixtures.units import TargetUnits


@pytest.fixture
def mixture():
    rng = np.random.default_rng(0)
    weights = rng.random((3, 6))
    weights[0, 2] = 0.0
    return Mixture(
        weights / weights.sum(axis=1, keepdims=True), 3.0 * rng.normal(size=(3, 6)), rng.uniform(0.1, 2.0, 6)
    )


@pytest.fixture
def answer(mixture):
    return PredictedDistribution(mixture, TargetUnits(50.0, 4.0))


def test_density_integrates_to_one_and_is_the_slope_of_the_distribution_function(answer):
    grid = np.tile(np.linspace(-50.0, 150.0, 40_001), (3, 1))
    density = answer.pdf(grid)
    np.testing.assert_allclose(np.trapezoid(density, grid, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.diff(answer.cdf(grid)) / 5e-3, 0.5 * (density[:, 1:] + density[:, :-1]), atol=1e-5)
    np.testing.assert_allclose(answer.cdf(grid) + answer.sf(grid), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.trapezoid(density * grid, grid, axis=1), answer.mean, rtol=1e-6)
    np.testing.assert_allclose(answer.log_score(grid[:, 18_000:22_000]), -np.log(density[:, 18_000:22_000]), rtol=1e-9)


def test_distribution_function_rises_and_quantiles_undo_it_and_never_cross(answer):
    values = np.tile(np.linspace(30.0, 70.0, 400), (3, 1))
    levels = answer.cdf(values)
    assert (np.diff(levels, axis=1) >= 0.0).all()
    inside = (levels > 1e-6) & (levels < 1.0 - 1e-6)
    found = answer.quantile(np.clip(levels, 1e-9, 1.0 - 1e-9))
    np.testing.assert_allclose(answer.cdf(found)[inside], levels[inside], rtol=1e-10, atol=1e-13)
    steep = inside & (answer.pdf(values) > 1e-6)
    np.testing.assert_allclose(found[steep], values[steep], atol=1e-7)
    assert (np.diff(answer.quantile(np.linspace(0.001, 0.999, 999)), axis=1) > 0.0).all()
    assert answer.quantile(0.5).tolist() == answer.quantile([0.5])[:, 0].tolist()


def test_compiled_quantiles_are_those_of_plain_steps(mixture):
    levels = np.tile(np.r_[1e-9, np.linspace(0.01, 0.99, 40), 1.0 - 1e-6], (3, 1))
    np.testing.assert_allclose(mixture.quantile(levels), mixture.quantile_plainly(levels), rtol=1e-9, atol=1e-9)


def test_levels_far_out_are_those_of_plain_steps(mixture):
    """Below 1e-13 a component may count that the table of the distribution function does not reach."""
    levels = np.tile([1e-60, 1e-30, 1e-16, 1e-14, 1e-13, 1e-12, 1e-11], (3, 1))
    found = mixture.quantile(levels)
    np.testing.assert_allclose(found, mixture.quantile_plainly(levels), rtol=1e-9)
    np.testing.assert_allclose(mixture.cdf(found), levels, rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_do_not_depend_on_what_else_is_asked(seed):
    rng = np.random.default_rng(seed)
    n, count = 20, int(rng.integers(1, 60))
    weights = rng.random((n, count)) ** 8 + 1e-300
    mixture = Mixture(
        weights / weights.sum(axis=1, keepdims=True),
        10.0 ** rng.uniform(-1.0, 3.0) * rng.normal(size=(n, count)),
        10.0 ** rng.uniform(-2.0, 1.0, count),
    )
    levels = np.sort(np.r_[rng.random(17), 1e-9, 0.25, 0.25, np.nextafter(0.25, 1.0), 1.0 - 1e-9])
    given = rng.permutation(len(levels))
    found = mixture.quantile(np.tile(levels[given], (n, 1)))
    ordered = np.empty_like(found)
    ordered[:, given] = found
    assert (np.diff(ordered, axis=1) >= 0.0).all()
    plain = mixture.quantile_plainly(np.tile(levels, (n, 1)))
    np.testing.assert_allclose(mixture.cdf(ordered), mixture.cdf(plain), rtol=1e-11, atol=1e-14)
    alone = np.column_stack([mixture.quantile(np.full((n, 1), level)) for level in levels])
    np.testing.assert_allclose(mixture.cdf(alone), mixture.cdf(ordered), rtol=1e-11, atol=1e-14)


def test_quantiles_hold_where_components_lie_far_apart():
    gap = Mixture(np.array([[0.5, 0.5]]), np.array([[-1e6, 1e6]]), np.array([1e-3, 1e-3]))
    levels = np.array([[1e-12, 0.25, 0.499999, 0.500001, 0.75]])
    np.testing.assert_allclose(gap.cdf(gap.quantile(levels)), levels, rtol=1e-6)


@pytest.mark.parametrize("y", [20.0, 49.0, 51.5, 90.0])
def test_crps_equals_numeric_integration(answer, y):
    for row in range(3):
        one = PredictedDistribution(answer.mixture.take(np.array([row])), TargetUnits(50.0, 4.0))
        below = quad(lambda t, one=one: one.cdf(t)[0] ** 2, -60.0, y, limit=400, epsabs=1e-9)[0]
        above = quad(lambda t, one=one: one.sf(t)[0] ** 2, y, 160.0, limit=400, epsabs=1e-9)[0]
        assert one.crps(y)[0] == pytest.approx(below + above, abs=1e-6)


def test_one_component_is_scipys_normal_distribution():
    normal = PredictedDistribution(
        Mixture(np.ones((2, 1)), np.array([[0.0], [1.0]]), np.array([2.0])), TargetUnits(3.0, 0.5)
    )
    expected = stats.norm([3.0, 3.5], 1.0)
    for name in ("pdf", "cdf", "sf"):
        np.testing.assert_allclose(getattr(normal, name)(2.2), getattr(expected, name)(2.2), rtol=1e-12)
    np.testing.assert_allclose(normal.log_score(80.0), -expected.logpdf(80.0), rtol=1e-12)
    np.testing.assert_allclose(normal.quantile(0.9), expected.ppf(0.9), rtol=1e-12)
    np.testing.assert_allclose(normal.interval(0.8), np.stack(expected.interval(0.8), axis=1), rtol=1e-12)
    np.testing.assert_allclose(normal.interval(0.8, "shortest"), normal.interval(0.8), atol=5e-3)


def test_the_shortest_interval_is_shorter_and_holds_as_much(answer):
    central, shortest = answer.interval(0.7), answer.interval(0.7, "shortest")
    np.testing.assert_allclose(np.diff(answer.cdf(shortest), axis=1), 0.7, atol=1e-9)
    assert (np.diff(shortest) <= np.diff(central)).all()
    assert (np.diff(shortest) < 0.99 * np.diff(central)).any()


def test_draws_have_the_distribution(answer):
    draws = answer.sample(4_000, random_state=0)
    assert draws.shape == (3, 4_000)
    for row, own in enumerate(draws):
        one = PredictedDistribution(answer.mixture.take(np.array([row])), TargetUnits(50.0, 4.0))
        assert stats.kstest(one.cdf(own[None, :])[0], "uniform").pvalue > 1e-3
    assert draws.tolist() == answer.sample(4_000, random_state=0).tolist()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda answer: answer.quantile([0.0, 0.5]), r"q is \[0\.0, 0\.5\]; .* between 0 and 1"),
        (lambda answer: answer.interval(1.0), r"coverage is 1\.0; .* between 0 and 1"),
        (lambda answer: answer.interval(0.5, "narrow"), "'central' or 'shortest'"),
        (lambda answer: answer.cdf([1.0, 2.0]), "shape"),
        (lambda answer: answer.pdf([1.0, np.nan, 2.0]), "missing or infinite"),
        (lambda answer: answer.crps(np.zeros((3, 2))), "one value"),
    ],
)
def test_impossible_questions_are_refused(answer, ask, words):
    with pytest.raises(ValueError, match=words):
        ask(answer)


def test_the_marginal_is_the_kernel_estimate():
    rng = np.random.default_rng(1)
    values = np.sort(rng.normal(size=300))
    width = bandwidth(values, np.ones(300))
    assert width == pytest.approx(0.9 * min(values.std(), stats.iqr(values) / 1.34) * 300**-0.2, rel=0.05)
    grid = np.linspace(-2.0, 2.0, 41)
    found = Marginal.of(values, np.ones(300), 0.0).mixture(1).pdf(grid[None, :])[0]
    expected = stats.norm(values[:, None], width).pdf(grid).mean(axis=0)
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=2e-3)


def test_weights_of_the_marginal_are_multiplicities():
    values, weight = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([1.0, 3.0, 1.0, 2.0])
    repeated = np.repeat(values, weight.astype(int))
    grid = np.linspace(-3.0, 3.0, 13)[None, :]
    left = Marginal(*vars_of(Marginal.of(values, weight, 0.3)))
    assert left.mixture(1).mean()[0] == pytest.approx(repeated.mean())
    assert (left.mixture(1).pdf(grid) > 0.0).all()


def vars_of(marginal):
    return marginal.centers, marginal.spreads, marginal.weights


def test_a_row_that_is_left_out_does_not_explain_itself():
    values = np.array([-0.5, -0.2, 0.0, 0.1, 0.4, 9.0])
    density = left_out_density(values, np.ones(6), 0.1)
    assert (density > 0.0).all()
    width = bandwidth(values, np.ones(6))
    assert density[5] < 0.01 < stats.norm(values, width).pdf(9.0).mean()
    others = stats.norm(values[1:], width).pdf(values[0]).mean()
    assert density[0] == pytest.approx(6 / 7 * others, rel=0.2)
