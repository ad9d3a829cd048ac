"""A search for a model of a number compares scales of numbers before all else."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from proset import ProsetRegressorCV
from proset.common.errors import StorageError, StudyError
from proset.data.scales import Scale
from proset.selection import Cancelled, ColumnScaler, NumberPlan, NumberRecord
from proset.selection.number_scale import chosen_scale
from proset.selection.number_words import number_search_report, number_search_words
from proset.storage import from_bytes, to_bytes
from proset.study import fit_number_study, number_fit, search_number_study

PLAN = NumberPlan(
    n_trials=1, n_folds=3, max_batches=2, n_joined=1, corrections=(0.0,), thinnings=(0.003,), drop_columns=False
)
ESTIMATOR = {"n_trials": 1, "n_folds": 3, "max_batches": 2, "n_joined": 1, "random_state": 0}


def lands(n: int = 240, seed: int = 0) -> pd.DataFrame:
    """Pieces of land of very different sizes, whose price follows from the logarithm of the size."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.normal(0.0, 2.0, n))
    price = 40.0 * np.sin(np.log(size)) + rng.normal(0.0, 3.0, n)
    return pd.DataFrame({"house": [f"L{i}" for i in range(n)], "size": size.round(4), "price": price.round(2)})


@pytest.fixture(scope="module")
def study():
    return search_number_study(*table_of(lands()), plan=PLAN)


@pytest.mark.slow
def test_where_sizes_differ_by_orders_another_scale_is_taken_and_said(study):
    record = study.search
    assert len(record.scaled) == 3
    assert record.scale.scale is study.settings.scale
    assert study.settings.scale in (Scale.SQUASHED, Scale.QUANTILE)
    assert record.scale.lower > 1.5 * record.scale.error > 0.0
    said = f"Numbers are taken on a {study.settings.scale} scale: with a quick fit it gave"
    assert said in number_search_words(record)
    assert "lower log score over the folds" in number_search_words(record)
    assert said in " ".join(number_search_report(record).split())
    plain = search_number_study(*table_of(lands()), plan=replace(PLAN, scales=()))
    assert plain.settings.scale is Scale.STANDARD
    assert study.metrics.log_score < plain.metrics.log_score - 0.1


@pytest.mark.slow
def test_the_choice_is_that_of_plain_fits_on_the_same_folds(study):
    """Each scale alone, by a search that has nothing else to do, has the same order."""
    record = study.search
    table = np.array(record.scaled)
    assert (table[:, 0] > table[:, 1:].min(axis=1)).all(), "prototypes are better than none"
    best = PLAN.scales[int(table[:, 1:].mean(axis=0).argmin())]
    assert record.scale.best is best
    alone = {
        scale: search_number_study(
            *table_of(lands()),
            settings=replace(number_fit.suggest_number_settings(240), scale=scale),
            plan=replace(PLAN, scales=()),
        ).search.log_score
        for scale in PLAN.scales
    }
    assert min(alone, key=alone.get) is best


@pytest.mark.slow
def test_where_it_does_not_matter_the_standard_scale_stays():
    study = search_number_study(*table_of(houses()), plan=PLAN)
    assert study.settings.scale is Scale.STANDARD
    assert "Numbers are taken on their standard scale: " in number_search_words(study.search)


def test_another_scale_has_to_be_clearly_better():
    plan = replace(PLAN, n_folds=2)
    clearly = ((4.0, 3.0, 2.9, 2.8), (4.0, 3.0, 2.9, 2.8))
    hardly = ((4.0, 3.0, 2.99, 3.0), (4.0, 3.0, 2.99, 3.0))
    by_chance = ((4.0, 3.0, 3.0, 2.6), (4.0, 3.0, 3.0, 3.1))
    found = [chosen_scale(plan, scores) for scores in (clearly, hardly, by_chance)]
    assert [one.scale for one in found] == [Scale.QUANTILE, Scale.STANDARD, Scale.STANDARD]
    assert [one.best for one in found] == [Scale.QUANTILE, Scale.SQUASHED, Scale.QUANTILE]
    shifted = tuple(tuple(value - 10.0 for value in fold) for fold in clearly)  # another unit of the target
    assert chosen_scale(plan, shifted).scale is Scale.QUANTILE


@pytest.mark.slow
def test_a_study_is_saved_and_read_with_its_scale(study):
    again = from_bytes(to_bytes(study))
    assert again.settings == study.settings
    assert again.search.scaled == study.search.scaled
    assert again.search.scale == study.search.scale
    rows = study.table.frame.loc[study.split.held_out]
    pd.testing.assert_frame_equal(again.score(rows), study.score(rows))
    chosen = number_fit.fit_number_choice(study, study.search.with_choice(0, 1))
    assert chosen.settings.scale is study.settings.scale, "another choice stays on the scale on which it was tried"


@pytest.mark.slow
def test_a_search_stopped_among_the_scales_goes_on_to_the_same_model(study, monkeypatch):
    monkeypatch.setattr("proset.selection.number_run.SECONDS_BETWEEN_TICKS", 0.0)
    kept = []

    def stop(now):
        kept.append(now.finished())
        if len(kept[-1].scaled) == 2:
            raise Cancelled

    with pytest.raises(Cancelled) as caught:
        search_number_study(*table_of(lands()), plan=PLAN, progress=stop)
    begun = NumberRecord.from_state(json.loads(json.dumps(caught.value.record.to_state())))
    assert (len(begun.scaled), begun.trials, begun.scale, begun.complete) == (2, (), None, False)
    again = search_number_study(*table_of(lands()), plan=PLAN, record=begun)
    assert again.search.to_state() == study.search.to_state()
    assert again.metrics == study.metrics


@pytest.mark.slow
def test_records_and_plans_of_before_are_read(study):
    state = study.search.to_state()
    del state["scaled"], state["plan"]["scales"]
    before = NumberRecord.from_state(state)
    assert (before.plan.scales, before.scale, "scale" in before.found) == ((), None, False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("scaled", [[1.0, 2.0]], "scaled"),
        ("scaled", [[1.0, 1.0, 1.0, float("nan")]] * 3, "scaled"),
        ("scaled", [[1.0, 1.0, 1.0, 1.0]] * 4, "at most 3 folds"),
        ("scaled", [[1.0, 1.0, 1.0, 1.0]], "once there are trials"),
        ("scaled", "x", "scaled"),
    ],
)
def test_damaged_scores_of_scales_are_refused(study, field, value, said):
    with pytest.raises(StorageError, match=said):
        NumberRecord.from_state(study.search.to_state() | {field: value})


@pytest.mark.parametrize("scales", [("standard",), ("quantile", "standard"), ("standard", "evidence"), 3, ("x", "y")])
def test_impossible_scales_are_refused(scales):
    with pytest.raises(StudyError, match="scales"):
        NumberPlan(scales=scales)


@pytest.mark.slow
def test_the_quick_fit_stays_on_the_scale_that_is_stated():
    assert NumberPlan.quick().scales == ()
    settings = replace(number_fit.suggest_number_settings(240), scale=Scale.QUANTILE)
    quick = search_number_study(*table_of(lands()), settings=settings, plan=NumberPlan.quick())
    assert quick.settings.scale is Scale.QUANTILE
    assert quick.metrics.log_score < fit_number_study(*table_of(lands())).metrics.log_score


@pytest.mark.exhaustive
def test_the_estimator_chooses_or_takes_what_is_stated():
    frame = lands()
    X, y = frame[["size"]].to_numpy(), frame["price"].to_numpy()
    search = ProsetRegressorCV(**ESTIMATOR).fit(X, y)
    scale = search.record_.scale.scale
    assert isinstance(search.transformer_, ColumnScaler)
    assert search.transformer_.scale == scale
    assert "scale" not in search.settings_
    stated = ProsetRegressorCV(**ESTIMATOR, transformer=str(scale)).fit(X, y)
    np.testing.assert_array_equal(stated.predict(X), search.predict(X))
    assert stated.record_.scaled == ()
    plain = ProsetRegressorCV(**ESTIMATOR, transformer="scale").fit(X, y)
    assert plain.log_score_ > search.log_score_
    with pytest.raises(ValueError, match="transformer is 'log'; it has to be one of 'choose', 'scale'"):
        ProsetRegressorCV(transformer="log").fit(X, y)


def test_quick_fits_of_before_are_quick():
    """Their folds were solved as exactly as those of a search, and they refined and tried less."""
    plan = NumberPlan.quick(3)
    assert plan.is_quick
    assert replace(plan, cv_factr=1e10, thinnings=(0.0,), drop_columns=False).is_quick
    assert not replace(plan, max_batches=5).is_quick
