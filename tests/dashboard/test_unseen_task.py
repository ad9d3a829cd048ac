"""Training rows judged by models that have not seen them, as a job."""

from __future__ import annotations

import json

import numpy as np
import pytest
from number_tables import priced, surprised

from dashboard.work.progress import ProgressWriter, read_progress
from dashboard.work.tasks import TASKS, UNSEEN, UnseenRequest
from dashboard.work.tasks.unseen import FOLDS
from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.study import FitSettings, fit_study
from proset.study.number_unseen import judge_numbers_unseen
from proset.study.unseen import judge_unseen

FEW = FitSettings(num_candidates=20)


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW)


@pytest.fixture(scope="module")
def folder(study, tmp_path_factory):
    """The folder of a job that is done."""
    path = tmp_path_factory.mktemp("job")
    request = UnseenRequest(study, n_folds=3)
    UNSEEN.write(request, path)
    UNSEEN.run(UNSEEN.read(path), ProgressWriter(path / "progress.jsonl"), path)
    return path


def test_the_worker_knows_it():
    assert UNSEEN in TASKS


def test_the_job_brings_what_is_computed_here(study, folder):
    found, expected = UNSEEN.result(UnseenRequest(study, n_folds=3), folder), judge_unseen(study, n_folds=3)
    assert [own.id for own in found.studies] == [own.id for own in expected.studies]
    assert np.array_equal(found.rows, expected.rows)
    assert found.judged().equals(expected.judged())


@pytest.mark.exhaustive
def test_a_number_is_judged_as_well(tmp_path):
    request = UnseenRequest(priced(), n_folds=2)
    UNSEEN.write(request, tmp_path)
    UNSEEN.run(UNSEEN.read(tmp_path), ProgressWriter(tmp_path / "progress.jsonl"), tmp_path)
    found = UNSEEN.result(request, tmp_path)
    assert found.predictions.equals(judge_numbers_unseen(priced(), n_folds=2).predictions)
    with pytest.raises(StorageError, match="another model"):
        UNSEEN.result(UnseenRequest(surprised(), n_folds=2), tmp_path)


def test_its_studies_hold_the_table_of_the_session(study, folder):
    found = UNSEEN.result(UnseenRequest(study, n_folds=3), folder)
    assert all(own.table is study.table for own in found.studies)


def test_it_says_in_which_fold_it_is(folder):
    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["stage"] for line in lines} == {FOLDS}
    assert lines[0]["done"] == 1
    assert all(line["total"] == 3 for line in lines)
    assert UNSEEN.stages[FOLDS].text.format(done=1, total=3) == "Fold 1 of 3"
    assert read_progress(folder, elapsed=1.0).stage == FOLDS


def test_what_is_of_another_model_is_not_taken(study, folder):
    other = fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))
    with pytest.raises(StorageError, match="another model"):
        UNSEEN.result(UnseenRequest(other, n_folds=3), folder)
    with pytest.raises(StorageError, match="number of folds"):
        UNSEEN.result(UnseenRequest(study, n_folds=4), folder)


def test_folds_of_other_settings_are_not_taken(study, folder, tmp_path):
    other = fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))
    request = UnseenRequest(other, n_folds=3)
    (tmp_path / "answer.json").write_text(json.dumps({"study_id": other.id, "n_studies": 3}), encoding="utf-8")
    for number in (1, 2, 3):
        (tmp_path / f"fold-{number}.proset").write_bytes((folder / f"fold-{number}.proset").read_bytes())
    with pytest.raises(StorageError, match="not those of the training rows"):
        UNSEEN.result(request, tmp_path)
