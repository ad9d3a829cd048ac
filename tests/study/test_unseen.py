"""Training rows judged by models that have not seen them, and the held-out rows that nobody reviews."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import StudyError
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import Table, read_table
from proset.explain import explain_case
from proset.selection import Cancelled
from proset.storage import result_from_bytes, result_to_bytes
from proset.study import DecisionRule, FitSettings, Study, fit_study
from proset.study.several_fits import FitsProgress
from proset.study.unseen import Unseen, judge_unseen, untouched_rows

FEW = FitSettings(lambda_v=1e-2, num_candidates=20)


def visits(n: int = 160, *, classes: tuple[str, ...] = ("no", "yes")) -> Table:
    """Visits of customers, four each, one a day, with classes that follow the size."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=n)
    cuts = np.quantile(size, np.linspace(0.0, 1.0, len(classes) + 1)[1:-1])
    frame = pd.DataFrame(
        {
            "customer": [f"C{row // 4:03d}" for row in range(n)],
            "day": rng.permutation(n),
            "size": size.round(3),
            "colour": rng.choice(["red", "blue"], n),
            "bought": np.array(classes)[np.searchsorted(cuts, size + 0.4 * rng.normal(size=n))],
        }
    )
    return read_table(frame.to_csv(index=False).encode(), name="visits.csv")


def fitted(table: Table, split: SplitSettings | None = None) -> Study:
    roles = guess_roles(table, target="bought").roles.with_role("customer", Role.EXTRA)
    return fit_study(table, roles, split=split, settings=FEW)


@pytest.fixture(scope="module")
def study() -> Study:
    return fitted(visits())


@pytest.fixture(scope="module")
def unseen(study: Study) -> Unseen:
    return judge_unseen(study)


def test_no_row_is_judged_by_a_model_that_has_seen_it(study: Study, unseen: Unseen) -> None:
    assert unseen.rows.tolist() == study.split.train.tolist()
    for row in unseen.rows.tolist():
        own = unseen.study_of_row(row)
        assert row in own.split.held_out
        assert row not in own.split.train
        assert row not in set(own.prototypes["row"])


def test_the_rows_that_the_study_holds_out_are_seen_by_no_model(study: Study, unseen: Unseen) -> None:
    for own in unseen.studies:
        assert set(own.split.train) | set(own.split.held_out) == set(study.split.train)
        assert set(own.split.unlabelled) == set(study.split.held_out) | set(study.split.unlabelled)


def test_content_of_a_row_left_out_does_not_change_its_model(study: Study, unseen: Unseen) -> None:
    own = unseen.studies[1]
    frame = study.table.frame.copy()
    frame.loc[own.split.held_out, "size"] = 1e6
    frame.loc[own.split.held_out, "colour"] = "green"
    again = judge_unseen(replace(study, table=replace(study.table, frame=frame))).studies[1]
    assert again.prototypes.equals(own.prototypes)
    assert again.feature_weights.equals(own.feature_weights)
    rows = own.split.train
    assert np.array_equal(again.encode(rows).X, own.encode(rows).X)


def test_what_is_kept_of_the_study(study: Study, unseen: Unseen) -> None:
    for own in unseen.studies:
        assert own.table is study.table
        assert own.roles == study.roles
        assert own.classes == study.classes
        assert replace(own.settings, random_state=0) == study.settings
        assert own.split.settings == study.split.settings


def test_each_study_has_an_id_of_its_own() -> None:
    """Even where nothing can be learned, so that all models are the same."""
    table = visits()
    roles = guess_roles(table, target="bought").roles
    study = fit_study(table, roles, settings=FitSettings(n_iter=0))
    ids = [own.id for own in judge_unseen(study, n_folds=4).studies]
    assert len({study.id, *ids}) == 5


def test_classes_keep_the_order_of_the_study() -> None:
    study = fitted(visits(200, classes=("low", "middle", "high")))
    unseen = judge_unseen(study, n_folds=3)
    assert {own.classes for own in unseen.studies} == {study.classes}
    assert tuple(unseen.probabilities.columns) == study.classes
    judged = unseen.judged()
    best = unseen.probabilities.idxmax(axis=1)
    assert (best == judged["predicted"]).all()
    assert np.allclose(unseen.probabilities.max(axis=1), judged["confidence"])


def test_judged_is_what_a_study_says(study: Study, unseen: Unseen) -> None:
    rule = DecisionRule(leave_below=0.2)
    judged, own = unseen.judged(rule), study.judged(rule)
    assert judged.dtypes.equals(own.dtypes)
    assert judged.index.name == own.index.name
    assert judged["actual"].equals(own.loc[unseen.rows, "actual"])
    assert judged["part"].unique().tolist() == ["train"]
    row = int(unseen.rows[7])
    said = unseen.study_of_row(row).judged(rule).loc[row].drop("part")
    assert judged.loc[row].drop("part").equals(said)
    assert judged["left"].any()


def test_a_row_is_explained_by_the_model_that_has_not_seen_it(unseen: Unseen) -> None:
    row = int(unseen.rows[3])
    explained = explain_case(unseen.study_of_row(row), row)
    assert explained.part == "held_out"


def test_groups_stay_whole() -> None:
    table = visits()
    unseen = judge_unseen(fitted(table, SplitSettings(groups="customer")), n_folds=4)
    owner = table.frame["customer"]
    for own in unseen.studies:
        assert not set(owner.loc[own.split.train]) & set(owner.loc[own.split.held_out])


def test_models_learn_from_earlier_rows_only() -> None:
    table = visits()
    study = fitted(table, SplitSettings(time="day"))
    unseen = judge_unseen(study, n_folds=3)
    day = table.frame["day"]
    for own in unseen.studies:
        assert day.loc[own.split.train].max() < day.loc[own.split.held_out].min()
    assert 0 < len(unseen.rows) < len(study.split.train)
    assert day.loc[unseen.rows].min() > day.loc[study.split.train].min()
    first = int(day.loc[study.split.train].idxmin())
    with pytest.raises(StudyError, match=f"Row {first} was not left out"):
        unseen.study_of_row(first)


def test_a_rare_class_is_learned_but_not_left_out() -> None:
    table = visits()
    frame = table.frame.copy()
    frame.loc[frame.index[:6], "bought"] = "maybe"
    study = fitted(read_table(frame.to_csv(index=False).encode(), name="rare.csv"), SplitSettings(test_fraction=0.5))
    rare = study.split.train[study.labels.loc[study.split.train] == "maybe"]
    assert len(rare) == 3
    unseen = judge_unseen(study)
    assert {own.classes for own in unseen.studies} == {study.classes}
    assert set(study.split.train) - set(unseen.rows) == set(rare)
    assert all(set(rare) <= set(own.split.train) for own in unseen.studies)


def test_too_few_groups_are_refused_in_words() -> None:
    table = visits(160)
    frame = table.frame.assign(customer=[f"C{row % 4}" for row in range(160)])
    study = fitted(read_table(frame.to_csv(index=False).encode(), name="few.csv"), SplitSettings(groups="customer"))
    with pytest.raises(StudyError, match="different groups to share out") as refused:
        judge_unseen(study)
    assert refused.value.hint


def test_the_number_of_folds_is_checked(study: Study) -> None:
    with pytest.raises(StudyError, match="n_folds"):
        judge_unseen(study, n_folds=1)


def test_progress_grows_and_work_can_be_cancelled(study: Study) -> None:
    told: list[FitsProgress] = []
    judge_unseen(study, n_folds=3, progress=told.append)
    shares = [now.share for now in told]
    assert shares == sorted(shares)
    assert {now.fit for now in told} == {1, 2, 3}
    assert shares[-1] <= 1.0
    with pytest.raises(Cancelled):
        judge_unseen(study, cancel=lambda: True)


@pytest.mark.slow
def test_the_same_again(study: Study, unseen: Unseen) -> None:
    assert [own.id for own in judge_unseen(study).studies] == [own.id for own in unseen.studies]
    assert (
        judge_unseen(study, random_state=1).studies[0].split.held_out.tolist()
        != unseen.studies[0].split.held_out.tolist()
    )


def test_a_fold_is_saved_and_read_with_the_table_of_the_session(study: Study, unseen: Unseen) -> None:
    own = unseen.studies[2]
    again = result_from_bytes(result_to_bytes(own), study.table)
    assert again.table is study.table
    assert again.id == own.id
    assert again.probabilities.equals(own.probabilities)
    assert again.split.held_out.tolist() == own.split.held_out.tolist()


def test_untouched_rows_are_half_of_each_class_held_out() -> None:
    study = fit_study(load_sample("penguins"), sample_roles("penguins"), settings=FitSettings(n_iter=0))
    rows = untouched_rows(study)
    assert set(rows) <= set(study.split.held_out)
    assert rows.tolist() == sorted(set(rows.tolist()))
    every, half = (study.labels.loc[part].value_counts() for part in (study.split.held_out, rows))
    assert ((2 * half - every).abs() <= 1).all()


def test_untouched_rows_are_those_of_the_split_whatever_the_model(study: Study) -> None:
    other = fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))
    assert untouched_rows(other).tolist() == untouched_rows(study).tolist()
    seeds = {tuple(untouched_rows(fitted(study.table, SplitSettings(seed=seed))).tolist()) for seed in range(3)}
    assert len(seeds) == 3


def test_untouched_groups_stay_whole() -> None:
    table = visits(240)
    study = fitted(table, SplitSettings(groups="customer"))
    rows = untouched_rows(study)
    owner, rest = table.frame["customer"], np.setdiff1d(study.split.held_out, rows)
    assert not set(owner.loc[rows]) & set(owner.loc[rest])
    assert 0.35 < len(rows) / len(study.split.held_out) < 0.65


def test_it_is_known_whose_folds_they_are(study: Study, unseen: Unseen) -> None:
    assert unseen.belongs_to(study)
    assert not unseen.belongs_to(fitted(study.table, SplitSettings(seed=1)))
    assert not unseen.belongs_to(replace(study, settings=replace(FEW, lambda_v=1e-3)))
    assert not Unseen(()).belongs_to(study)
