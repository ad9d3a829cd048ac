"""Training rows with a number, judged by models that have not seen them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from number_tables import houses, priced, priced_unseen, surprised, table_of

from proset.common.errors import StorageError, StudyError
from proset.data.split import SplitSettings
from proset.explain import column_errors, find_error_slices, number_errors, number_quality, number_quality_by
from proset.explain.numbers.row_scores import row_scores
from proset.selection import Cancelled, NumberPlan
from proset.selection.number_scores import NumberColumns
from proset.storage import result_from_bytes, result_to_bytes
from proset.study import fit_number_study, search_number_study
from proset.study.number_unseen import judge_any_unseen, judge_numbers_unseen, unseen_of
from proset.study.several_fits import FitsProgress


@pytest.fixture(scope="module")
def unseen():
    return priced_unseen()


def test_no_row_is_judged_by_a_model_that_has_seen_it(unseen):
    study = priced()
    assert unseen.rows.tolist() == sorted(study.split.train.tolist())
    assert unseen.belongs_to(study)
    assert len({study.id, *(own.id for own in unseen.studies)}) == 4
    for own in unseen.studies:
        assert set(own.split.train) | set(own.split.held_out) == set(study.split.train)
        assert not set(own.prototypes["row"]) & set(own.split.held_out)
        assert own.table is study.table


def test_predictions_are_those_of_the_fold_of_a_row(unseen):
    said = unseen.predictions
    assert said.index.tolist() == unseen.rows.tolist()
    assert said["part"].unique().tolist() == ["train"]
    row = int(said.index[5])
    own = unseen.study_of_row(row).predictions.loc[row]
    assert said.loc[row].drop("part").equals(own.drop("part"))
    # In its own model a prototype votes for itself.
    seen = priced().predictions.loc[said.index]
    assert said["error"].abs().mean() > seen["error"].abs().mean()


@pytest.mark.slow
def test_content_of_a_row_left_out_does_not_change_its_model(unseen):
    study, own = priced(), unseen.studies[1]
    frame = study.table.frame.copy()
    frame.loc[own.split.held_out, "size"] = 1e6
    again = judge_numbers_unseen(replace(study, table=replace(study.table, frame=frame)), n_folds=3).studies[1]
    assert again.prototypes.equals(own.prototypes)


@pytest.mark.exhaustive
def test_groups_stay_whole_and_times_go_forward():
    frame = houses(120)
    frame["owner"] = [f"O{row // 4}" for row in range(len(frame))]
    frame["sold"] = np.random.default_rng(0).permutation(len(frame))
    table, roles = table_of(frame)
    grouped = fit_number_study(table, roles, split=SplitSettings(groups="owner"))
    for own in judge_numbers_unseen(grouped, n_folds=3).studies:
        owner = table.frame["owner"]
        assert not set(owner.loc[own.split.train]) & set(owner.loc[own.split.held_out])
    timed = fit_number_study(table, roles, split=SplitSettings(time="sold"))
    found = judge_numbers_unseen(timed, n_folds=3)
    for own in found.studies:
        sold = table.frame["sold"]
        assert sold.loc[own.split.train].max() < sold.loc[own.split.held_out].min()
    assert 0 < len(found.rows) < len(timed.split.train)


@pytest.mark.slow
def test_columns_that_a_search_left_out_stay_out():
    table, roles = table_of(houses(120))
    plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, scales=())
    study = search_number_study(table, roles, plan=plan)
    assert study.search is not None
    assert study.search.columns is not None
    # Which columns are idle hangs on last digits, so here it is said: only size counts, and no fold misses the others.
    names = study.search.columns.names
    known = NumberColumns(names, np.array([name == "size" for name in names], dtype=float), np.ones(len(names)) / 9, -9)
    study = replace(study, search=replace(study.search, columns=known))
    assert study.search.dropped == ("age", "district")
    for own in judge_numbers_unseen(study, n_folds=2).studies:
        assert own.used_columns == ("size",)


def test_progress_grows_and_work_can_be_cancelled():
    told: list[FitsProgress] = []
    judge_numbers_unseen(priced(), n_folds=2, progress=told.append)
    shares = [now.share for now in told]
    assert shares == sorted(shares)
    assert {now.fit for now in told} == {1, 2}
    with pytest.raises(Cancelled):
        judge_numbers_unseen(priced(), cancel=lambda: True)


def test_folds_are_saved_and_put_together_again(unseen, iris_study):
    packed = [result_to_bytes(own) for own in unseen.studies]
    again = unseen_of([result_from_bytes(one, priced().table) for one in packed])
    assert again.predictions.equals(unseen.predictions)
    assert again.belongs_to(priced())
    assert not again.belongs_to(surprised())
    assert not again.belongs_to(iris_study)
    with pytest.raises(StorageError, match="others of a number"):
        unseen_of([*unseen.studies, iris_study])


def test_a_search_for_parts_counts_them_and_refuses_those_of_others(unseen, iris_study):
    found = find_error_slices(priced(), unseen)
    said = unseen.predictions
    own = priced().predictions.loc[priced().split.held_out]
    assert found.n_rows == len(said) + len(own)
    assert found.n_wrong == int((~said["inside"].astype(bool)).sum() + (~own["inside"].astype(bool)).sum())
    assert "each judged by a model that has not seen it" in found.words
    classes = judge_any_unseen(iris_study, n_folds=2)
    for study, folds in ((surprised(), unseen), (priced(), classes), (iris_study, unseen)):
        with pytest.raises(StudyError, match="another model"):
            find_error_slices(study, folds)


# --- measured ---------------------------------------------------------------------------------------------------------
def test_quality_of_training_rows_is_that_of_models_that_have_not_seen_them(unseen):
    study = priced()
    found = number_quality(study, study.split.train, unseen=unseen)
    said = unseen.predictions
    assert (found.n_learned, found.n_rows) == (0, len(said))
    assert found.measures.loc["MAE", "value"] == pytest.approx(said["error"].abs().mean())
    errors = (said["mean"] - said["actual"]).to_numpy()
    assert found.measures.loc["RMSE", "value"] == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert found.coverage.loc[0.9, "held"] == pytest.approx(said["inside"].astype(bool).mean())
    seen = number_quality(study, study.split.train)
    assert found.measures.loc["CRPS", "value"] > seen.measures.loc["CRPS", "value"]
    assert "has learned" not in found.words


@pytest.mark.slow
def test_scores_of_rows_of_several_folds_stay_with_their_rows(unseen):
    study = priced()
    rows = np.random.default_rng(0).permutation(np.concatenate([unseen.rows[:20], study.split.held_out[:10]]))
    together = row_scores(study, rows, unseen)
    for place, row in enumerate(rows.tolist()):
        judge = unseen.study_of_row(row) if row in unseen.fold_of_row.index else study
        for own, alone in zip(together, row_scores(judge, np.array([row])), strict=True):
            assert own.crps[place] == pytest.approx(alone.crps[0])
            assert own.pinball[place] == pytest.approx(alone.pinball[0])


def test_groups_and_errors_are_measured_so_as_well(unseen):
    study, said = priced(), unseen.predictions
    by = number_quality_by(study, "district", study.split.train, unseen=unseen)
    north = said.loc[study.table.frame["district"].loc[said.index] == "north"]
    assert by.n_learned == 0
    assert by.frame.loc["north", "error"] == pytest.approx(north["error"].abs().mean())
    column = column_errors(study, study.split.train, column="size", unseen=unseen)
    assert column.rows["error"].to_dict() == pytest.approx(said["error"].to_dict())
    errors = number_errors(study, study.split.train, unseen=unseen)
    assert errors.n_learned == 0
    assert set(errors.frame.index) == set(study.roles.features)
    with pytest.raises(StudyError, match="another model"):
        number_quality(surprised(), unseen=unseen)
