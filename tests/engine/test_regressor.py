"""The regressor: answers, units, manners."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import proset
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.no_features import NoActiveFeatureWarning
from proset.engine.regressor import RegressorModel

EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Candidates are drawn by position, whatever the weights (remark 2.2), so a weight of two and a repeated row "
        "lead to other candidates."
    )
}


@parametrize_with_checks([RegressorModel(n_iter=1)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some checks fit pure noise
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        check(estimator)


def bent(n, seed):
    """A curve whose noise grows from left to right, beside a column that says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.7, 1.7, (n, 2))
    spread = 0.1 + 0.3 * (X[:, 0] > 0.0)
    return X, 20.0 + 5.0 * (np.sin(2.0 * X[:, 0]) + spread * rng.normal(size=n)), 5.0 * spread


@pytest.fixture(scope="module")
def data():
    return bent(300, 0)


@pytest.fixture(scope="module")
def model(data):
    X, y, _ = data
    return RegressorModel(lambda_v=1e-2, random_state=0).fit(X, y)


def test_the_answer_is_near_the_truth_and_knows_where_it_is_sure(model, data):
    X, y, spread = bent(2_000, 1)
    assert r2_score(y, model.predict(X)) > 0.75  # the noise leaves 0.86
    truth = np.mean(np.log(spread) + 0.5 * np.log(2.0 * np.pi) + 0.5)  # entropy of the noise
    as_everybody = -RegressorModel(n_iter=0).fit(*data[:2]).score(X, y)
    assert truth < -model.score(X, y) < truth + (as_everybody - truth) / 3.0
    ends = model.predict_interval(X, 0.9)
    assert 0.84 < np.mean((ends[:, 0] < y) & (y < ends[:, 1])) < 0.96
    left = X[:, 0] < -0.2
    assert np.median(np.ptp(ends[left], axis=1)) < 0.75 * np.median(np.ptp(ends[X[:, 0] > 0.2], axis=1))


def test_public_name_is_the_class():
    assert proset.RegressorModel is RegressorModel


def test_all_answers_are_those_of_one_distribution(model, data):
    X, y = data[0][:40], data[1][:40]
    answer = model.predict_distribution(X)
    assert isinstance(answer, PredictedDistribution)
    assert len(answer) == 40
    np.testing.assert_allclose(model.predict(X), answer.mean, rtol=1e-12)
    np.testing.assert_allclose(model.predict_quantiles(X, [0.1, 0.5]), answer.quantile([0.1, 0.5]), rtol=1e-12)
    np.testing.assert_allclose(model.predict_quantiles(X, 0.5), answer.quantile(0.5), rtol=1e-12)
    np.testing.assert_allclose(model.predict_interval(X, 0.5, "shortest"), answer.interval(0.5, "shortest"), rtol=1e-9)
    assert model.score(X, y) == pytest.approx(-answer.log_score(y).mean())
    assert model.score(X, y, np.arange(40.0)) == pytest.approx(-np.average(answer.log_score(y), weights=np.arange(40)))
    np.testing.assert_allclose(np.exp(-answer.log_score(y)), answer.pdf(y), rtol=1e-10)


def test_many_rows_are_answered_in_parts(model, data, monkeypatch):
    expected = model.predict_quantiles(data[0], [0.2, 0.7])
    monkeypatch.setattr("proset.engine.density_answers.MOST_COMPONENTS", 1_000)
    np.testing.assert_allclose(model.predict_quantiles(data[0], [0.2, 0.7]), expected, rtol=1e-12)


def test_far_from_everything_the_answer_is_the_marginal(model, data):
    X, y, _ = data
    everybody = clone(model).set_params(n_iter=0).fit(X, y)
    far = np.array([[1e3, 0.0], [-1e6, 1e6], [1.7e308, -1.7e308]])
    assert model.familiarity(far).tolist() == [0.0] * 3
    assert (model.familiarity(X) > 0.0).all()
    grid = np.tile(np.linspace(0.0, 40.0, 50), (3, 1))
    np.testing.assert_allclose(
        model.predict_distribution(far).cdf(grid), everybody.predict_distribution(far).cdf(grid), rtol=1e-12
    )
    np.testing.assert_allclose(model.predict(far), y.mean(), rtol=1e-9)


def test_the_marginal_has_the_mean_and_about_the_spread_of_the_targets(data):
    X, y, _ = data
    answer = RegressorModel(n_iter=0).fit(X, y).predict_distribution(X[:1])
    assert answer.mean[0] == pytest.approx(y.mean())
    np.testing.assert_allclose(answer.quantile([0.25, 0.5, 0.75])[0], np.quantile(y, [0.25, 0.5, 0.75]), atol=0.6)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(model, data):
    X, y, _ = data
    again = clone(model).fit(X, y)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert other.predict(X).tolist() != model.predict(X).tolist()


def test_rows_do_not_know_of_each_other(model, data):
    X, order = data[0], np.random.default_rng(0).permutation(300)
    np.testing.assert_allclose(model.predict(X[order]), model.predict(X)[order], rtol=1e-12)
    np.testing.assert_allclose(model.predict_quantiles(X[:1], 0.3), model.predict_quantiles(X, 0.3)[:1], rtol=1e-12)


def test_units_of_the_target_go_through(model, data):
    """Not a bit of standardised targets changes with a power of two; an offset changes their last digits."""
    X, y, _ = data
    scaled = clone(model).fit(X, 8.0 * y)
    np.testing.assert_allclose(scaled.predict(X), 8.0 * model.predict(X), rtol=1e-12)
    np.testing.assert_allclose(scaled.predict_interval(X), 8.0 * model.predict_interval(X), rtol=1e-12)
    assert scaled.score(X, 8.0 * y) == pytest.approx(model.score(X, y) - np.log(8.0))
    moved = clone(model).set_params(n_iter=1, solver_factr=1e12).fit(X, y - 512.0)
    plain = clone(model).set_params(n_iter=1, solver_factr=1e12).fit(X, y)
    assert np.corrcoef(moved.predict(X), plain.predict(X))[0, 1] > 0.99
    everybody = clone(model).set_params(n_iter=0)
    expected = everybody.fit(X, y).predict_quantiles(X[:1], [0.1, 0.9]) - 512.0
    np.testing.assert_allclose(everybody.fit(X, y - 512.0).predict_quantiles(X[:1], [0.1, 0.9]), expected, atol=0.02)


@pytest.mark.slow
def test_forms_of_the_objective_lead_to_models_alike(model, data):
    X, y, _ = data
    plain = clone(model).set_params(backend="numpy").fit(X, y)
    assert plain.score(*bent(500, 2)[:2]) == pytest.approx(model.score(*bent(500, 2)[:2]), abs=0.2)


@pytest.mark.slow
def test_batches_go_on_and_fits_are_joined(data):
    X, y, _ = data
    once = RegressorModel(n_iter=2, random_state=0).fit(X, y)
    twice = RegressorModel(n_iter=1, random_state=0).fit(X, y).fit(X, y, warm_start=True)
    assert twice.predict(X).tolist() == once.predict(X).tolist()
    joined = RegressorModel(n_iter=2, n_joined=3, random_state=0).fit(X, y)
    assert joined.set_manager_.num_batches == 6
    fresh = bent(1_000, 3)[:2]
    assert joined.score(*fresh) > once.score(*fresh)
    with pytest.raises(ValueError, match="marginal distribution"):
        once.fit(X, 2.0 * y, warm_start=True)


def test_shrink_leaves_the_answers(data):
    X, y, _ = data
    rng = np.random.default_rng(0)
    wide = np.column_stack([rng.normal(size=(300, 3)), X])
    strict = {"lambda_v": 0.3, "lambda_beta": 0.3, "alpha_v": 0.1, "alpha_beta": 0.1}
    model = RegressorModel(n_iter=1, random_state=0, **strict).fit(wide, y)
    assert model.set_manager_.get_active_features().size < 5
    expected = model.predict_quantiles(wide, [0.1, 0.9])
    small = model.shrink()
    np.testing.assert_allclose(small.predict_quantiles(wide[:, small.active_features_], [0.1, 0.9]), expected)


def test_tables_add_up(model, data):
    X, y, _ = data
    table = model.explain(X[:1], y[0], feature_names=["a", "b"], sample_name="mine")
    assert table["sample name"][:2].tolist() == ["mine", "everybody"]
    assert table["mean part"][1:].sum() == pytest.approx(model.predict(X[:1])[0])
    assert table["mean part"][0] == pytest.approx(model.predict(X[:1])[0])
    assert table["share"][1:].sum() == pytest.approx(1.0)
    assert table["impact"][2:].sum() == pytest.approx(model.familiarity(X[:1])[0])
    top = table.iloc[2]
    expected = top["target"] + sum(
        top[f"{name} slope"] * (X[0, d] - top[f"{name} value"])
        for d, name in enumerate("ab")
        if f"{name} slope" in table
    )
    assert top["says"] == pytest.approx(expected)
    known = model.export()
    assert len(known) == model.set_manager_.get_num_prototypes()
    np.testing.assert_allclose(known["target"], y[known["sample"].astype(int)])
    assert (known["spread"] >= 0.1 * model.target_scale_ - 1e-12).all()


def test_weights_count_as_rows(data):
    X, y, _ = data
    weight = np.ones(300)
    weight[:100] = 0.0
    left_out = RegressorModel(random_state=0).fit(X, y, weight)
    without = RegressorModel(random_state=0).fit(X[100:], y[100:])
    assert left_out.predict(X).tolist() == without.predict(X).tolist()
    assert left_out.export()["sample"].min() >= 100


@pytest.mark.parametrize(
    "y",
    [
        np.full(40, 7.5),
        np.repeat([0.0, 1.0], 20),
        np.repeat([0.0, 1.0], [38, 2]),
        np.r_[np.linspace(0.0, 1.0, 39), 1e12],
        np.random.default_rng(0).standard_cauchy(40),
        np.linspace(1e300, 1.5e300, 40),
        np.linspace(1e-300, 2e-300, 40),
        np.arange(40) % 5 + 1e9,
    ],
    ids=["constant", "two values", "rare value", "one far out", "heavy tails", "huge", "tiny", "offset"],
)
def test_odd_targets_get_an_answer(y):
    X = np.random.default_rng(1).normal(size=(40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        model = RegressorModel(n_iter=2, random_state=0).fit(X, y)
    answer = model.predict_distribution(X)
    assert np.isfinite(answer.mean).all()
    ends = answer.interval(0.9)
    assert (ends[:, 0] < ends[:, 1]).all()
    assert np.isfinite(answer.log_score(y)).all()
    assert (answer.crps(y) >= 0.0).all()


@pytest.mark.parametrize(
    ("parameters", "n", "words"),
    [
        ({}, 1, "n_samples=1"),
        ({}, 2, "at least 3 samples"),
        ({"min_spread": 0.0}, 30, "min_spread"),
        ({"lambda_beta": -1.0}, 30, "lambda_beta"),
        ({"backend": "tensorflow"}, 30, "tensorflow"),
        ({"max_samples": 5}, 30, "at least 9"),
    ],
)
def test_what_cannot_be_fitted_is_refused_and_leaves_the_model(parameters, n, words):
    model = RegressorModel(**parameters)
    X = np.random.default_rng(0).normal(size=(n, 2))
    with pytest.raises(ValueError) as refusal:
        model.fit(X, X[:, 0])
    assert words in f"{refusal.value} {getattr(refusal.value, 'hint', '')}"
    assert not hasattr(model, "set_manager_")


def test_a_bound_on_the_samples_holds(data):
    X, y, _ = data
    result = RegressorModel(n_iter=1, max_samples=60, random_state=0).fit(X, y).batch_results_[0]
    assert result.n_candidates + result.n_reference == 60


def test_a_forbidden_feature_is_not_used_nor_a_forbidden_sample(data):
    X, y, _ = data
    allowed = np.arange(300) < 150
    model = RegressorModel(random_state=0).fit(X, y, feature_penalty=[1.0, np.inf], candidate_mask=allowed)
    assert model.set_manager_.get_active_features().tolist() == [0]
    assert model.export()["sample"].max() < 150


def test_a_factor_on_spreads_is_applied_last_and_taken_back_by_a_warm_start():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=120)
    plain, narrow = (proset.RegressorModel(n_iter=1, random_state=0, spread_factor=f).fit(X, y) for f in (1.0, 0.5))
    for one, other in zip(plain.set_manager_.batches, narrow.set_manager_.batches, strict=True):
        assert other.spreads == pytest.approx(0.5 * one.spreads)
        assert other.weights.tolist() == one.weights.tolist()
    assert np.ptp(narrow.predict_interval(X), axis=1).mean() < np.ptp(plain.predict_interval(X), axis=1).mean()
    for model in (plain, narrow):
        model.fit(X, y, warm_start=True)
    whole = proset.RegressorModel(n_iter=2, random_state=0, spread_factor=0.5).fit(X, y)
    assert narrow.predict_quantiles(X, 0.1) == pytest.approx(whole.predict_quantiles(X, 0.1))


@pytest.mark.parametrize("steep", [3.0, -0.7, 250.0])
@pytest.mark.parametrize("n", [60, 61, 97])
def test_targets_on_a_straight_line_are_fitted_without_a_warning(n, steep):
    # All spreads end at their bound, where rounding of the targets hides what little is left to gain.
    X = np.linspace(-1.0, 1.0, n)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RegressorModel(n_iter=2, random_state=0).fit(X, steep * X[:, 0])
    assert all(result.solver.converged for result in model.batch_results_)


@pytest.mark.parametrize("coverage", [0, 1, -1, np.nan, "a", None, [0.5, 0.9]])
def test_a_coverage_that_is_no_share_is_refused_by_its_name(coverage):
    model = RegressorModel(n_iter=0).fit(np.arange(30.0)[:, None], np.arange(30.0))
    with pytest.raises(ValueError, match=r"^coverage is .*; it has to be a number between 0 and 1\.$"):
        model.predict_interval([[1.0]], coverage=coverage)


@pytest.mark.parametrize("q", [0, 1.5, np.nan, "a", []])
def test_a_level_that_is_none_is_refused_by_its_name(q):
    model = RegressorModel(n_iter=0).fit(np.arange(30.0)[:, None], np.arange(30.0))
    for answers in (
        lambda: model.predict_quantiles([[1.0]], q),
        lambda: model.predict_distribution([[1.0]]).quantile(q),
    ):
        with pytest.raises(ValueError, match=r"^q is "):
            answers()
