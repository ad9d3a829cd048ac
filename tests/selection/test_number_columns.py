"""Columns that say nothing of unseen rows are left out of a model of a number."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from proset import ProsetRegressorCV
from proset.common.errors import StudyError
from proset.engine.regressor import RegressorModel
from proset.engine.steering import NOT_STEERED, Steering
from proset.selection import Cancelled, NumberPlan, NumberRecord
from proset.selection.folds import Fold
from proset.selection.number_columns import weigh_columns
from proset.selection.number_folds import NumberData, OneFold, steering_without
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


@pytest.mark.slow
def test_noise_is_left_out_and_what_tells_stays(search):
    # Each column of noise may look useful by chance, and last digits decide which does: not half of them will.
    assert len({"2", "3", "4", "5"} & set(search.record_.dropped)) > 2
    assert not {"0", "1"} & set(search.record_.dropped)
    used = set(map(str, search.model_.set_manager_.get_active_features()))
    assert used == {"0", "1", "2", "3", "4", "5"} - set(search.record_.dropped)
    found = search.record_.columns
    assert found.names == ("0", "1", "2", "3", "4", "5")
    assert (found.rises[:2] > 5.0 * found.errors[:2]).all()


@pytest.mark.slow
def test_a_model_of_noise_alone_keeps_its_columns_or_has_none():
    X = np.random.default_rng(1).normal(size=(120, 3))
    y = np.random.default_rng(2).normal(size=120)
    search = ProsetRegressorCV(n_trials=1, n_folds=2, max_batches=1, n_joined=1, random_state=0).fit(X, y)
    assert search.n_batches_ == 0 or search.record_.dropped != ("0", "1", "2")


@pytest.mark.slow
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


def grouped(rng, n_groups=30, size=8):
    """Rows of groups, each with a level of its own, beside a column of noise that is the same within a group."""
    groups = np.repeat(np.arange(n_groups), size)
    noise, level = rng.normal(size=(2, n_groups))[:, groups]
    X = np.column_stack([rng.normal(size=len(groups)), noise])
    return X, X[:, 0] + level + 0.3 * rng.normal(size=len(groups)), groups


@pytest.mark.slow
def test_the_error_of_a_column_is_that_of_fresh_groups():
    spreads, errors, as_rows = [], [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = RegressorModel(n_iter=1, random_state=0).fit(*grouped(rng)[:2])
        found = []
        for _ in range(25):
            X, y, groups = grouped(rng)
            rows = np.arange(len(y))
            fold = OneFold(Fold(rows[:0], rows), X[:0], X, np.array(["told", "noise"]))
            data = NumberData(y, np.ones(len(y)), lambda *_: (), groups)
            found.append(weigh_columns(data, [fold], [model], 1.0, 0, lambda: None))
            alone = weigh_columns(replace(data, groups=rows), [fold], [model], 1.0, 0, lambda: None)
            plain = weigh_columns(replace(data, groups=None), [fold], [model], 1.0, 0, lambda: None)
            # Groups of one row each are rows.
            np.testing.assert_allclose(alone.errors, plain.errors * np.sqrt(len(rows) / (len(rows) - 1)))
            as_rows.append(plain.errors[1])
        spreads.append(np.std([one.rises[1] for one in found], ddof=1))
        errors.extend(one.errors[1] for one in found)
    ratio = [np.sqrt(np.mean(np.square(spreads)) / np.mean(np.square(own))) for own in (errors, as_rows)]
    assert 0.75 < ratio[0] < 1.2
    assert ratio[1] > 1.4


def test_what_is_asked_of_other_columns_stays_as_it_was_asked():
    columns, inf = ["must", "rather", "plain", "dear", "never", "out", "out"], np.inf
    asked = Steering(penalty=np.array([0.0, 0.5, 1.0, 3.0, inf, 1.0, 0.5]))
    assert steering_without(asked, columns, ["out"]).penalty.tolist() == [0.0, 0.5, 1.0, 3.0, inf, inf, inf]
    assert steering_without(NOT_STEERED, columns, ["out"]).penalty.tolist() == [1.0] * 5 + [inf] * 2
    assert steering_without(asked, columns, []) is asked


@pytest.mark.slow
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
