"""Columns that say nothing of unseen rows are left out of a model of a number."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from proset import ProsetRegressorCV
from proset.common.errors import StudyError
from proset.selection import Cancelled, NumberPlan, NumberRecord
from proset.selection.number_words import number_search_report, number_search_words
from proset.study import search_number_study

PLAN = NumberPlan(n_trials=1, n_folds=3, max_batches=2, n_joined=1, corrections=(0.0,), thinnings=(0.003,))


def noisy(n=240, n_noise=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + n_noise))
    return X, 10.0 * X[:, 0] + 6.0 * np.abs(X[:, 1]) + rng.normal(size=n)


@pytest.fixture(scope="module")
def search():
    return ProsetRegressorCV(n_trials=1, n_folds=3, max_batches=2, n_joined=1, random_state=0).fit(*noisy())


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    frame = houses().assign(dice=rng.normal(size=160), coin=rng.choice(["heads", "tails", "edge"], 160))
    return search_number_study(*table_of(frame), plan=PLAN)


def test_noise_is_left_out_and_what_tells_stays(search):
    # Each column of noise may look useful by chance, and last digits decide which does: not half of them will.
    assert len({"2", "3", "4", "5"} & set(search.record_.dropped)) > 2
    assert not {"0", "1"} & set(search.record_.dropped)
    used = set(map(str, search.model_.set_manager_.get_active_features()))
    assert used == {"0", "1", "2", "3", "4", "5"} - set(search.record_.dropped)
    found = search.record_.columns
    assert found.names == ("0", "1", "2", "3", "4", "5")
    assert (found.rises[:2] > 5.0 * found.errors[:2]).all()


def test_a_model_of_noise_alone_keeps_its_columns_or_has_none():
    X = np.random.default_rng(1).normal(size=(120, 3))
    y = np.random.default_rng(2).normal(size=120)
    search = ProsetRegressorCV(n_trials=1, n_folds=2, max_batches=1, n_joined=1, random_state=0).fit(X, y)
    assert search.n_batches_ == 0 or search.record_.dropped != ("0", "1", "2")


def test_a_category_is_left_out_as_a_whole_by_the_name_of_its_column(study):
    assert "dice" in study.search.dropped
    assert "coin" in study.search.dropped
    assert "size" not in study.search.dropped
    assert not {"dice", "coin"} & set(study.used_columns)
    said = number_search_words(study.search)
    assert "Left out, because shuffling them on unseen rows changed nothing beyond chance: " in said
    assert "dice" in said
    assert "dice" in number_search_report(study.search)


@pytest.mark.exhaustive
def test_without_being_asked_nothing_is_left_out():
    rng = np.random.default_rng(0)
    table, roles = table_of(houses().assign(dice=rng.normal(size=160)))
    study = search_number_study(table, roles, plan=replace(PLAN, drop_columns=False))
    assert study.search.columns is None
    assert study.search.dropped == ()
    with pytest.raises(StudyError, match="drop_columns"):
        replace(PLAN, drop_columns=1)


def test_what_folds_miss_is_not_left_out(study):
    worse = replace(study.search, columns=replace(study.search.columns, without=study.search.log_score + 0.5))
    assert worse.dropped == ()
    assert study.search.with_choice(0, 1).dropped == ()


@pytest.mark.exhaustive
def test_a_record_comes_back_and_a_search_goes_on_from_before_its_columns(study):
    again = NumberRecord.from_state(study.search.to_state())
    assert again.dropped == study.search.dropped
    assert again.complete
    records = []

    def stop(now):
        if now.finished().to_weigh_columns:
            records.append(now.finished())
            raise Cancelled

    with pytest.raises(Cancelled):
        search_number_study(study.table, study.roles, plan=PLAN, progress=stop)
    (record,) = records
    assert not record.complete
    went_on = search_number_study(study.table, study.roles, record=NumberRecord.from_state(record.to_state()))
    assert went_on.id == study.id


@pytest.mark.exhaustive
def test_the_same_rows_in_the_same_order_find_the_same(study):
    assert search_number_study(study.table, study.roles, plan=PLAN).search.dropped == study.search.dropped


@pytest.mark.exhaustive
def test_a_category_that_a_fold_lacks_is_no_obstacle():
    frame = houses()
    frame["kind"] = ["odd" if row == 3 else "flat" if row % 2 else "house" for row in range(len(frame))]
    frame["noise"] = pd.Series(np.random.default_rng(3).normal(size=len(frame)), index=frame.index)
    study = search_number_study(*table_of(frame), plan=PLAN)
    assert set(study.search.columns.names) == set(study.roles.features)
