"""Bent targets: the way there and back, and answers in units of the target."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad

from proset import RegressorModel
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.mixture import Mixture
from proset.engine.mixtures.units import BentUnits, TargetUnits, gain_of_bend
from proset.engine.saved_number import read_number, write_number

RNG = np.random.default_rng(0)
SKEWED = np.exp(1.0 + RNG.normal(size=400))
TARGETS = {
    "logarithmic": SKEWED,
    "both tails": RNG.standard_t(2.5, size=400),
    "many zeros": np.where(RNG.random(400) < 0.6, 0.0, np.round(20.0 * SKEWED)),
    "nearly all equal": np.r_[np.zeros(390), np.arange(10.0)],
    "far from zero": 1e6 - SKEWED,
    "one far out": np.r_[RNG.normal(size=399), 1e9],
    "tiny": 1e-200 * SKEWED,
    "huge": 1e300 * SKEWED / SKEWED.max(),
}


def units_of(y):
    return BentUnits.of(y, np.ones(len(y)))


def answer():
    """Return two distributions: one of three humps, one with a hump far beyond all targets and a broad one."""
    weights = np.array([[0.5, 0.3, 0.2, 0.0], [0.2, 0.0, 0.5, 0.3]])
    means = np.array([[-1.0, 0.2, 1.5, 0.0], [0.3, 0.0, 4.5, 0.0]])
    return PredictedDistribution(Mixture(weights, means, np.array([0.1, 0.5, 0.3, 8.0])), units_of(SKEWED))


@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
def test_the_way_there_and_back(y):
    with np.errstate(all="raise", under="ignore"):
        units = units_of(y)
        inward = units.inward(y)
        again = units.outward(inward)
    np.testing.assert_allclose(again, y, rtol=1e-9, atol=1e-12 * np.abs(y).max())
    order = np.argsort(y, kind="stable")
    assert (np.diff(inward[order]) >= 0.0).all()
    assert inward.mean() == pytest.approx(0.0, abs=1e-9)
    assert inward.std() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("y", [TARGETS[name] for name in ("logarithmic", "both tails", "many zeros", "far from zero")])
def test_slopes_are_derivatives_and_secants_mean_slopes(y):
    units, z = units_of(y), np.linspace(-6.0, 6.0, 41)
    near = 1e-4
    np.testing.assert_allclose(units.slopes(z), (units.outward(z + near) - units.outward(z - near)) / (2 * near), 1e-5)
    for way in (-2.0, -1e-7, 0.0, 1e-5, 0.7):
        mean = np.mean([units.slopes(z + share * way) for share in (np.arange(2_000) + 0.5) / 2_000], axis=0)
        np.testing.assert_allclose(units.secants(z, np.full(41, way)), mean, rtol=1e-6)


@pytest.mark.parametrize(("factor", "shift"), [(1e-3, 0.0), (1e4, 7.0), (1.0, -1e3), (-2.5, 40.0)])
def test_it_is_the_same_bend_in_other_units(factor, shift):
    own, other = units_of(SKEWED), units_of(factor * SKEWED + shift)
    there = np.sign(factor) * other.inward(factor * SKEWED + shift)
    np.testing.assert_allclose(there, own.inward(SKEWED), atol=1e-2)


def test_a_weight_is_so_many_rows():
    few, times = np.round(SKEWED[:60], 2), RNG.integers(1, 4, 60).astype(np.float64)
    one, other = BentUnits.of(few, times), units_of(np.repeat(few, times.astype(int)))
    np.testing.assert_allclose(one.inward(few), other.inward(few), atol=1e-9)


def test_long_tails_gain_and_short_ones_do_not():
    gains = {name: gain_of_bend(y, np.ones(len(y))) for name, y in TARGETS.items()}
    assert min(gains["logarithmic"], gains["both tails"], gains["far from zero"]) > 0.1
    assert gain_of_bend(np.linspace(0.0, 1.0, 200), np.ones(200)) < 0.01
    assert gain_of_bend(np.full(20, 3.0), np.ones(20)) == 0.0


# --- answers ----------------------------------------------------------------------------------------------------------
def test_density_distribution_function_and_mean_belong_together():
    said = answer()
    for row in (0, 1):
        one = PredictedDistribution(said.mixture.take(np.array([row])), said.units)
        low, high = one.units.outward(np.array([-4.0, 8.0]))
        marks = one.units.outward(np.linspace(-3.9, 7.0, 30))

        def parts(function, marks=marks, low=low, high=high):
            edges = [low, *marks, high]
            return sum(quad(function, a, b, epsabs=1e-12)[0] for a, b in itertools.pairwise(edges))

        inside = float(np.diff(one.cdf(np.array([[low, high]]))[0])[0])
        assert parts(lambda y, one=one: one.pdf(y)[0]) == pytest.approx(inside, abs=1e-6)
        drawn = one.sample(400_000, 0)
        assert one.mean[0] == pytest.approx(drawn.mean(), abs=4.0 * drawn.std() / np.sqrt(drawn.size))
        mean = np.average(said.part_means[row], weights=said.mixture.weights[row])
        assert one.mean[0] == pytest.approx(mean)
        levels = np.array([0.01, 0.3, 0.5, 0.99])
        np.testing.assert_allclose(one.cdf(one.quantile(levels))[0], levels, atol=1e-12)


@pytest.mark.parametrize("at", [-1.4, 0.2, 1.6, 3.0])
def test_the_ranked_probability_score_is_its_integral(at):
    said = answer()
    y = said.units.outward(np.full(2, at))
    found = said.crps(y)
    for row in (0, 1):
        one = Mixture(said.mixture.weights[[row]], said.mixture.means[[row]], said.mixture.spreads)

        def loss(z, one=one):
            return float(((one.cdf(np.array([[z]]))[0, 0] - (z > at)) ** 2 * said.units.slopes(np.array([z])))[0])

        edges = sorted({at, *said.units.corners, *np.linspace(-3.0, 6.0, 60), -70.0, 70.0, -15.0, 15.0})
        whole = sum(quad(loss, a, b, epsabs=1e-12)[0] for a, b in itertools.pairwise(edges))
        assert found[row] == pytest.approx(whole, rel=1e-7)


def test_far_beyond_all_targets_it_goes_on_straight():
    units = units_of(SKEWED)
    z = units.corners[1] + np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.diff(units.outward(z), n=2), 0.0, atol=1e-9)
    far = units.means(np.array([0.0]), np.array([1e5]))
    assert np.isfinite(far).all()
    assert units.means(np.array([0.3]), np.array([1e-9])) == pytest.approx(units.outward(np.array([0.3])))


# --- the model --------------------------------------------------------------------------------------------------------
def skewed_problem(n=700):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, np.exp(1.0 + X[:, 0] + 0.4 * rng.normal(size=n))


@pytest.fixture(scope="module")
def models():
    X, y = skewed_problem()
    return tuple(
        RegressorModel(random_state=0, n_iter=2, bend_target=bent).fit(X[:500], y[:500]) for bent in (False, True)
    )


def test_errors_in_proportion_are_said_better(models):
    X, y = skewed_problem()
    straight, bent = (model.score(X[500:], y[500:]) for model in models)
    assert bent > straight + 0.05


def test_without_batches_it_says_what_everybody_says():
    X, y = skewed_problem()
    said = RegressorModel(n_iter=0, bend_target=True).fit(X, y).predict_distribution(X[:1])
    assert said.cdf(np.median(y))[0] == pytest.approx(0.5, abs=0.02)
    assert said.mean[0] == pytest.approx(y.mean(), rel=0.1)


def test_the_table_of_a_sample_adds_up(models):
    X, _ = skewed_problem()
    table = models[1].explain(X[600:601])
    assert table["mean part"][1:].sum() == pytest.approx(table["mean part"][0])
    assert table["says"][0] == pytest.approx(models[1].predict(X[600:601])[0])
    rest = table.iloc[2:]
    np.testing.assert_allclose(rest["target"] + rest["adjustment"], rest["says"])


def test_it_is_saved_and_read(models):
    X, _ = skewed_problem()
    meta, arrays = write_number(models[1])
    again = read_number(meta, arrays)
    np.testing.assert_array_equal(again.predict_quantiles(X, 0.3), models[1].predict_quantiles(X, 0.3))
    assert again.units_ == models[1].units_
    assert not {"bend"} & set(write_number(models[0])[0])
    assert "bend_target" not in write_number(models[0])[0]["parameters"]


def test_equal_targets_have_no_bend():
    X, _ = skewed_problem(30)
    model = RegressorModel(n_iter=0, bend_target=True).fit(X, np.full(30, 7.0))
    assert model.units_ == TargetUnits(7.0, 1.0)
    assert read_number(*write_number(model)).units_ == model.units_


@pytest.mark.slow
def test_a_warm_start_keeps_the_bend(models):
    X, y = skewed_problem()
    model = RegressorModel(random_state=0, n_iter=1, bend_target=True).fit(X[:500], y[:500])
    model.fit(X[:500], y[:500], warm_start=True)
    assert model.units_ == models[1].units_
    np.testing.assert_allclose(model.predict(X), models[1].predict(X))
