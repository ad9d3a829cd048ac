"""Refits of a model of a number under other seeds and splits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from number_tables import houses, priced, table_of

from proset.common.errors import StudyError
from proset.data.split import SplitSettings
from proset.explain import number_stability
from proset.explain.numbers.number_stability import NUMBER_REFIT_COLUMNS, NUMBER_ROW_COLUMNS
from proset.selection import Cancelled, NumberPlan
from proset.study import fit_number_study, search_number_study


@pytest.fixture(scope="module")
def found():
    return number_stability(priced(), n_repeats=3)


@pytest.mark.slow
def test_each_refit_is_the_fit_with_that_seed(found):
    study = priced()
    assert tuple(found.rows.columns) == NUMBER_ROW_COLUMNS
    assert tuple(found.refits.columns) == NUMBER_REFIT_COLUMNS
    medians, held_out, held = [], [], []
    for line in found.refits.itertuples():
        settings = replace(study.settings, random_state=line.seed)
        split = replace(study.split.settings, seed=line.seed)
        again = fit_number_study(study.table, study.roles, split=split, settings=settings)
        assert line.mae == pytest.approx(again.metrics.mae)
        assert line.covered == pytest.approx(again.metrics.covered)
        assert line.prototypes == len(again.prototypes)
        medians.append(again.predictions["median"].to_numpy())
        out = (again.predictions["part"] == "held_out").to_numpy()
        held_out.append(out)
        held.append(again.predictions["inside"].fillna(False).to_numpy(dtype=bool) & out)
    assert found.rows["low"].to_numpy() == pytest.approx(np.min(medians, axis=0))
    assert found.rows["high"].to_numpy() == pytest.approx(np.max(medians, axis=0))
    assert found.rows["sd"].to_numpy() == pytest.approx(np.std(medians, axis=0, ddof=1))
    assert found.rows["median"].to_dict() == study.predictions["median"].to_dict()
    times = np.sum(held_out, axis=0)
    assert found.rows["held_out"].tolist() == times.tolist()
    share = np.divide(np.sum(held, axis=0), times, out=np.full(len(times), np.nan), where=times > 0)
    np.testing.assert_allclose(found.rows["held"], share)
    assert len({line.seed for line in found.refits.itertuples()} | {study.settings.random_state}) == 4


def test_it_is_said_of_the_model_and_of_a_row(found):
    first, second, third = found.words
    assert first.startswith("In 3 refits with other seeds and splits, the median of a typical row")
    assert second.startswith("The mean absolute error on the rows held out went from ")
    assert "had a weight in every refit" in third
    partly = found.rows.index[(found.rows["held_out"] > 0) & (found.rows["held_out"] < 3)][0]
    assert "that had not learned from this row" in found.case_words(int(partly))
    never = found.rows.index[found.rows["held_out"] == 0][0]
    assert found.case_words(int(never)).endswith(" wide. All of them had learned from this row.")
    assert found.case_words(10**6) == ""
    assert found.to_dict()["refits"][0]["seed"] == int(found.refits["seed"].iloc[0])
    assert found.to_frame()["row"].tolist() == found.rows.index.tolist()


def test_what_cannot_be_asked_is_refused(iris_study):
    with pytest.raises(TypeError, match="number_stability needs a NumberStudy"):
        number_stability(iris_study)
    with pytest.raises(StudyError, match="from 2 to 100"):
        number_stability(priced(), n_repeats=1)
    with pytest.raises(StudyError, match="no row 999"):
        number_stability(priced(), n_repeats=2, cases=[999])


@pytest.mark.slow
def test_cancelled_early_it_is_over_and_later_it_is_summed_up():
    with pytest.raises(Cancelled):
        number_stability(priced(), cancel=lambda: True)
    done: list[int] = []

    def cancel() -> bool:
        return bool(done) and max(done) > 2

    found = number_stability(priced(), n_repeats=5, progress=lambda now: done.append(now.fit), cancel=cancel)
    assert found.n_refits == 2


@pytest.mark.slow
def test_a_split_by_time_has_no_other():
    frame = houses(120).assign(sold=np.random.default_rng(0).permutation(120))
    table, roles = table_of(frame)
    timed = number_stability(fit_number_study(table, roles, split=SplitSettings(time="sold")), n_repeats=2)
    assert not timed.new_splits
    assert timed.words[0].startswith("In 2 refits with other seeds, ")


@pytest.mark.slow
def test_columns_that_a_search_left_out_stay_out():
    noise = np.random.default_rng(1).normal(size=(4, 120))  # of one column a search may think otherwise
    table, roles = table_of(houses(120).assign(**{f"noise {at}": values for at, values in enumerate(noise)}))
    plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, scales=())
    study = search_number_study(table, roles, plan=plan)
    found = number_stability(study, n_repeats=2)
    assert study.search.dropped
    assert (found.features.loc[list(study.search.dropped), "share"] == 0.0).all()
