"""Intervals of a model of a number, calibrated by rows that models have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from number_tables import houses, priced, priced_unseen, surprised, table_of

from proset.common.errors import StorageError, StudyError
from proset.engine.mixtures.distribution import central_levels
from proset.explain import number_answer, number_quality
from proset.explain.numbers.number_facts import calibration_words, number_limits, worth_words
from proset.storage import result_from_bytes, result_to_bytes
from proset.storage.codec import from_record, to_record
from proset.study import NumberSettings, fit_number_study
from proset.study.calibration import calibrate_intervals, calibrated_folds
from proset.study.conformal import FEWEST_ROWS, IntervalCalibration, IntervalLevels, calibration_of
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.number_metrics import INTERVAL_LEVELS
from proset.study.number_unseen import judge_numbers_unseen
from proset.study.settings import suggest_number_settings


@pytest.fixture(scope="module")
def unseen():
    return priced_unseen()


@pytest.fixture(scope="module")
def calibrated():
    """Return the same model with other intervals, whatever a library makes of it."""
    return priced().with_calibration(IntervalCalibration(112, (IntervalLevels(0.9, 0.01, 0.97),)))


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2.0, 2.0), (1.0, 2.0)], ids=["too narrow", "too wide", "leaning"])
def test_places_of_any_shape_are_held_as_promised(a, b):
    rng = np.random.default_rng(3)
    found = calibration_of(rng.beta(a, b, 20_000))
    fresh = rng.beta(a, b, 200_000)
    for level in INTERVAL_LEVELS:
        low, high = found.ends(level)
        assert np.mean((fresh >= low) & (fresh <= high)) == pytest.approx(level, abs=0.015)
        for outside in (np.mean(fresh < low), np.mean(fresh > high)):
            assert outside == pytest.approx(0.5 * (1.0 - level), abs=0.015)


def test_both_ends_leave_as_many_places_outside():
    for n in (20, 21, 39, 59, 79, 99, 112, 199, 1_999):
        for one in calibration_of(np.arange(1, n + 1) / (n + 1)).levels:
            low, high = round(one.lower * (n + 1)), round(one.upper * (n + 1))
            assert low == n + 1 - high, (n, one)
            # Of n + 1 places between and beside them, so many are inside as it promises, and not one more than needed.
            assert high - low >= one.coverage * (n + 1) - 1e-6
            assert high - low < one.coverage * (n + 1) + 2.0 - 1e-6


def test_ends_are_those_of_a_library_but_for_its_rounding():
    crepes = pytest.importorskip("crepes")
    for n in (20, 39, 99, 112, 500):
        places = np.random.default_rng(n).uniform(size=n)
        system, ordered = crepes.ConformalPredictiveSystem(), np.sort(places)
        system.fit(residuals=places)
        for one in calibration_of(places).levels:
            ends = system.predict_int(np.zeros(1), confidence=one.coverage)[0]
            ranks = np.searchsorted(ordered, ends), np.searchsorted(ordered, [one.lower, one.upper])
            assert np.abs(ranks[0] - ranks[1]).max() <= 1


@pytest.mark.parametrize("places", [(0.5, 0.5), (2.0, 2.0), (8.0, 1.0)], ids=["too narrow", "too wide", "leaning"])
def test_an_interval_that_promises_more_holds_all_that_promise_less(places):
    for n in (20, 60, 400):
        found = calibration_of(np.random.default_rng(n).beta(*places, n))
        coverages = np.unique(np.round([*np.linspace(0.02, 0.98, 49), *INTERVAL_LEVELS, 0.995], 6))
        lower, upper = np.array([found.ends(float(one)) for one in coverages]).T
        assert (np.diff(lower) <= 0.0).all()
        assert (np.diff(upper) >= 0.0).all()
        assert (lower <= upper).all()


def test_ends_are_places_that_leave_no_more_outside_than_promised():
    for n in (20, 21, 39, 40, 99, 112):
        places = np.random.default_rng(n).uniform(size=n)
        for one in calibration_of(places).levels:
            assert {one.lower, one.upper} <= set(places)
            outside = 0.5 * (1.0 - one.coverage) * n
            assert np.sum(places < one.lower) <= outside
            assert np.sum(places > one.upper) <= outside
            assert np.sum(places < one.lower) >= outside - 2.0
            assert np.sum(places > one.upper) >= outside - 2.0


def test_levels_that_few_rows_cannot_tell_stay_those_of_the_model():
    found = calibration_of(np.linspace(0.01, 0.99, FEWEST_ROWS))
    assert [one.coverage for one in found.levels] == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert found.ends(0.95) == found.ends(0.9) == (0.01, 0.99), "narrower than what promises less"
    assert found.ends(0.99) == central_levels(0.99)
    with pytest.raises(StudyError, match="at least 20 rows; there are 19"):
        calibration_of(np.linspace(0.01, 0.99, FEWEST_ROWS - 1))


def test_numbers_outside_of_everything_give_ends_that_are_quantiles_still():
    found = calibration_of(np.repeat([0.0, 0.5, 1.0], [20, 60, 20]))
    low, high = found.ends(0.9)
    assert 0.0 < low < 1e-5
    assert 1.0 - 1e-5 < high < 1.0


@pytest.mark.slow
def test_intervals_that_are_too_narrow_become_wide_enough():
    table, roles = table_of(houses(400, seed=2))
    study = fit_number_study(table, roles, settings=replace(suggest_number_settings(400), spread_factor=0.3))
    assert study.metrics.covered < 0.8
    folds = judge_numbers_unseen(study)
    found = calibrate_intervals(study, folds)
    assert 0.84 < found.metrics.covered < 0.96
    assert found.metrics.width > 1.2 * study.metrics.width
    said = calibrated_folds(folds, found.calibration).predictions
    assert said["inside"].astype(float).mean() == pytest.approx(0.9, abs=0.01)


@pytest.mark.slow
def test_a_relabelled_row_counts_with_the_number_that_was_learned():
    table, roles = table_of(houses())
    settings = NumberSettings(n_iter=1)
    train = fit_number_study(table, roles, settings=settings).split.train
    new = table.frame["price"].loc[train[:24]] + np.tile([400.0, -400.0], 12)
    items = [GuidanceItem(GuidanceKind.RELABEL, row=int(row), label=str(value)) for row, value in new.items()]
    guided = fit_number_study(table, roles, settings=settings, guidance=Guidance(tuple(items)))
    frame = table.frame.copy()
    frame.loc[new.index, "price"] = new
    # The same as of a table that states what was said.
    stated = fit_number_study(replace(table, frame=frame), roles, settings=settings, split=guided.split)
    folds, others = (judge_numbers_unseen(one, n_folds=2) for one in (guided, stated))
    found = calibrate_intervals(guided, folds)
    assert found.calibration == calibrate_intervals(stated, others).calibration
    assert found.calibration != calibration_of(folds.predictions["place"].to_numpy())
    plain = calibration_of(others.predictions["place"].to_numpy())
    assert calibrate_intervals(stated, others).calibration == plain


def test_folds_of_another_study_calibrate_nothing(unseen):
    with pytest.raises(StudyError, match="another model"):
        calibrate_intervals(surprised(), unseen)


# --- what a calibration changes ---------------------------------------------------------------------------------------
def test_only_intervals_change(calibrated):
    own, other = priced().predictions, calibrated.predictions
    unchanged = ["part", "actual", "median", "mean", "error", "place", "familiarity", "quantile"]
    assert other[unchanged].equals(own[unchanged])
    said = calibrated.distribution(own.index)
    assert other["lower"].to_numpy() == pytest.approx(said.quantile(0.01))
    assert other["upper"].to_numpy() == pytest.approx(said.quantile(0.97))
    within = (own["actual"] >= other["lower"]) & (own["actual"] <= other["upper"])
    assert (other["inside"].astype(bool) == within).all()
    held = calibrated.split.held_out
    assert calibrated.metrics.covered == pytest.approx(within.loc[held].mean())
    assert replace(calibrated.metrics, covered=0.0, width=0.0) == replace(priced().metrics, covered=0.0, width=0.0)
    assert calibrated.score(priced().table.frame.loc[held])["lower"].tolist() == other.loc[held, "lower"].tolist()


def test_it_is_another_study_and_stays_so_when_it_is_saved(calibrated):
    assert calibrated.id != priced().id
    assert calibrated.with_calibration(None).id == priced().id
    again = result_from_bytes(result_to_bytes(calibrated), calibrated.table)
    assert (again.id, again.calibration) == (calibrated.id, calibrated.calibration)
    assert again.predictions.equals(calibrated.predictions)
    assert result_from_bytes(result_to_bytes(priced()), priced().table).calibration is None


@pytest.mark.parametrize(
    "levels", [(0.9, 0.97, 0.01), (0.9, 0.0, 0.97), (1.0, 0.1, 0.9), (0.9, 0.1, 1.0), (0.9, float("nan"), 0.9)]
)
def test_levels_that_cannot_be_are_refused_in_a_file(levels, calibrated):
    record = to_record(calibrated.calibration)
    record["levels"][0] = dict(zip(("coverage", "lower", "upper"), levels, strict=True))
    with pytest.raises(StorageError, match=r"levels have to be|not a finite number"):
        from_record(IntervalCalibration, record, "calibration")


@pytest.mark.slow
def test_refits_keep_the_levels(calibrated, unseen):
    folds = judge_numbers_unseen(calibrated, n_folds=3)
    assert folds.belongs_to(calibrated)
    assert not folds.belongs_to(priced())
    assert not unseen.belongs_to(calibrated)
    same = calibrated_folds(unseen, calibrated.calibration)
    assert same.belongs_to(calibrated)
    assert same.predictions.equals(folds.predictions)


def test_it_is_said_where_it_was_done(calibrated):
    answer, row = number_answer(calibrated, 3), calibrated.predictions.loc[3]
    assert (answer.lower, answer.upper) == pytest.approx((row["lower"], row["upper"]))
    assert "90 % (calibrated) between" in answer.words
    assert "calibrated" not in number_answer(calibrated, 3, coverage=0.5).words
    assert "calibrated" not in number_answer(priced(), 3).words
    quality = number_quality(calibrated)
    assert "the calibrated 90 % intervals hold" in quality.words
    assert quality.coverage.loc[0.9, "held"] == calibrated.metrics.covered
    assert "quantiles of 1.0 % and 97.0 %" in calibration_words(calibrated)
    assert calibration_words(calibrated) in number_limits(calibrated)
    assert any("The calibrated 90 % intervals" in told for told in worth_words(calibrated))
    assert not any("calibrat" in told for told in (*number_limits(priced()), *worth_words(priced())))
