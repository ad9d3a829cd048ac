"""A study that was searched: what the search may see, what it leaves behind, and what a person may change."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from proset.common.errors import StudyError
from proset.data.design import Design
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.selection.plan import SearchPlan
from proset.selection.search_progress import Cancelled, SearchProgress
from proset.study import FitSettings, Study, fit_choice, fit_study, search_study, search_words
from proset.study.search import FoldDesign


def test_the_study_is_the_fit_with_what_was_chosen(searched: Study, patients: Table, patient_roles: Roles) -> None:
    record = searched.search
    assert record is not None
    assert record.complete
    chosen = record.stage_1.loc[record.chosen(1)]
    assert (searched.settings.lambda_v, searched.settings.lambda_w) == (chosen["lambda_v"], chosen["lambda_w"])
    assert searched.settings.n_iter == record.chosen(2) > 0
    again = fit_study(patients, patient_roles, settings=searched.settings)
    assert again.probabilities.equals(searched.probabilities)
    assert again.search is None


def test_held_out_rows_are_not_seen(searched: Study, patients: Table, patient_roles: Roles) -> None:
    frame = patients.frame.copy()
    rows = searched.split.held_out
    frame.loc[rows, "weight"] = frame.loc[rows, "weight"] * 3.0 + 100.0
    frame.loc[rows, "ward"] = "elsewhere"
    assert searched.search is not None
    other = search_study(replace(patients, frame=frame), patient_roles, plan=searched.search.plan, n_jobs=1)
    assert np.array_equal(other.split.held_out, rows)
    assert other.search is not None
    assert other.search.fingerprint == searched.search.fingerprint
    assert other.search.stage_1.equals(searched.search.stage_1)
    assert other.settings == searched.settings
    assert other.metrics.log_loss != searched.metrics.log_loss


def test_each_fold_has_a_design_of_its_own(patients: Table, patient_roles: Roles) -> None:
    features = Roles({name: patient_roles.by_column[name] for name in patient_roles.features})
    prepare = pickle.loads(pickle.dumps(FoldDesign(patients.frame[list(features.features)], features)))
    train, test = np.arange(0, 90), np.arange(90, 180)
    matrices = prepare(train, test)
    design = Design(patient_roles).fit(patients.frame.iloc[train])
    for matrix, positions in zip(matrices, (train, test), strict=True):
        assert np.array_equal(matrix, design.transform(patients.frame.iloc[positions]).X)
    other = prepare(test, train)[1]
    assert not np.array_equal(other, matrices[0])


def test_settings_that_are_not_searched_are_kept(patients: Table, patient_roles: Roles) -> None:
    settings = FitSettings(n_iter=7, lambda_v=0.5, lambda_w=0.5, alpha_v=0.5, num_candidates=20, random_state=4)
    plan = SearchPlan(lambda_v=1e-2, n_folds=2, max_batches=1)
    study = search_study(patients, patient_roles, split=SplitSettings(0.2, 3), settings=settings, plan=plan, n_jobs=1)
    assert study.search is not None
    expected = replace(settings, n_iter=study.search.chosen_batches, lambda_v=1e-2, lambda_w=1e-8)
    assert study.settings == expected
    assert study.split.settings == SplitSettings(0.2, 3)
    assert study.search.stage_1["n_prototypes"].iloc[0] <= 20


def test_what_cannot_be_fitted_is_refused_before_the_search(patients: Table, patient_roles: Roles) -> None:
    def never(_: object) -> None:
        raise AssertionError

    for changes, name in (({"alpha_v": 7.0}, "alpha_v"), ({"num_candidates": 3}, "num_candidates")):
        settings = FitSettings(**changes)
        with pytest.raises(StudyError, match=name):
            search_study(patients, patient_roles, settings=settings, progress=never)
    with pytest.raises(StudyError, match=r"n_folds is 99"):
        search_study(patients, patient_roles, plan=SearchPlan(n_folds=99), progress=never)


class TestProgress:
    """A search can be watched, stopped and taken up again."""

    def test_three_stages_one_share(self, patients: Table, patient_roles: Roles, searched: Study) -> None:
        assert searched.search is not None
        seen: list[SearchProgress] = []
        search_study(patients, patient_roles, plan=searched.search.plan, n_jobs=1, progress=seen.append)
        shares = [step.share for step in seen]
        assert shares == sorted(shares)
        assert sorted({step.stage for step in seen}) == [1, 2, 3]
        assert [step.stage for step in seen] == sorted(step.stage for step in seen)

    @pytest.mark.slow
    @pytest.mark.parametrize("stage", [1, 2, 3])
    def test_stopped_and_taken_up_again_it_is_the_same(
        self, patients: Table, patient_roles: Roles, searched: Study, stage: int
    ) -> None:
        assert searched.search is not None

        def stop(step: SearchProgress) -> None:
            if step.stage == stage and (step.done >= 2 or stage == 3):
                raise Cancelled

        with pytest.raises(Cancelled) as caught:
            search_study(patients, patient_roles, plan=searched.search.plan, n_jobs=1, progress=stop)
        part = caught.value.record
        assert part is not None
        assert part.complete == (stage == 3)
        seen: list[SearchProgress] = []
        whole = search_study(patients, patient_roles, n_jobs=1, record=part, progress=seen.append)
        assert whole.search is not None
        assert whole.search.stage_1.equals(searched.search.stage_1)
        assert whole.search.scores_2 is not None
        assert searched.search.scores_2 is not None
        assert np.array_equal(whole.search.scores_2.log_loss, searched.search.scores_2.log_loss)
        assert whole.probabilities.equals(searched.probabilities)
        assert seen[0].stage == stage

    def test_a_record_of_other_rows_is_refused(self, patients: Table, patient_roles: Roles, searched: Study) -> None:
        with pytest.raises(StudyError, match="other data"):
            search_study(patients, patient_roles, split=SplitSettings(seed=1), record=searched.search)


class TestFitChoice:
    """A person takes another row."""

    def test_another_number_of_batches_needs_no_search(self, searched: Study) -> None:
        assert searched.search is not None
        seen: list[SearchProgress] = []
        study = fit_choice(searched, searched.search.with_batches(2), progress=seen.append)
        assert {step.stage for step in seen} == {3}
        assert study.settings == replace(searched.settings, n_iter=2)
        assert study.search is not None
        assert study.search.chosen_batches == 2
        assert np.array_equal(study.split.held_out, searched.split.held_out)
        again = fit_study(searched.table, searched.roles, settings=study.settings)
        assert again.probabilities.equals(study.probabilities)

    def test_other_penalties_search_the_batches_again(self, searched: Study) -> None:
        assert searched.search is not None
        record = searched.search
        row = next(label for label in record.stage_1.index if label != record.chosen(1))
        pair = record.stage_1.loc[row, ["lambda_v", "lambda_w"]]
        study = fit_choice(searched, record.with_choice(**pair), n_jobs=1)
        assert study.search is not None
        assert study.search.complete
        assert study.search.stage_1.equals(record.stage_1)
        assert study.search.scores_2 is not None
        assert record.scores_2 is not None
        assert not np.array_equal(study.search.scores_2.log_loss, record.scores_2.log_loss)
        assert (study.settings.lambda_v, study.settings.lambda_w) == tuple(pair)
        assert study.settings.n_iter == study.search.chosen(2)

    def test_a_choice_from_another_search_is_refused(self, searched: Study, study: Study) -> None:
        assert searched.search is not None
        foreign = replace(searched.search, fingerprint="of other rows")
        for own, record in ((searched, foreign), (study, searched.search)):
            with pytest.raises(StudyError, match="another search"):
                fit_choice(own, record)


def test_words_say_what_was_chosen_and_by_whom(searched: Study) -> None:
    record = searched.search
    assert record is not None
    words = search_words(record)
    assert words.startswith(f"Chosen by 3-fold search: lambda_v {searched.settings.lambda_v:.2g}, ")
    assert f"threshold {record.threshold(2):.3f}" in words
    assert search_words(record.with_batches(2)).startswith("Chosen by hand after 3-fold search")
    assert "2 batches" in search_words(record.with_batches(2))
    assert words.endswith(".")
    assert "did not converge" not in words
    early = replace(record.scores_1, converged=np.zeros_like(record.scores_1.log_loss))
    assert f"{early.log_loss.size} of the " in search_words(replace(record, scores_1=early))
    assert search_words(replace(record, scores_1=early)).endswith("fits of the search did not converge.")
