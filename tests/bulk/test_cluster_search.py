"""A search on the workers of a scheduler: the record of a local one, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from variants import main_cases

import proset
from proset.bulk import connected
from proset.cli import main
from proset.engine.fitting import BatchSettings
from proset.selection import SearchPlan
from proset.selection.matrices import MatrixPreparer
from proset.selection.record import SearchRecord
from proset.selection.run import run_search
from proset.selection.search_progress import Cancelled, SearchProgress
from proset.selection.tasks import SearchData
from proset.selection.workers import count_workers

pytestmark = pytest.mark.slow

PLAN = SearchPlan(n_trials=6, n_folds=3, max_batches=2)
BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 200, 0.5, None, 1e7)


@pytest.fixture(scope="module")
def data() -> SearchData:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 8))
    target = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=600) > 0).astype(np.int64)
    return SearchData(target, np.ones(600), None, MatrixPreparer(X))


@pytest.fixture(scope="module")
def local(data: SearchData) -> SearchRecord:
    return run_search(data, BASE, PLAN, n_jobs=1)


def assert_same(found: SearchRecord, wanted: SearchRecord) -> None:
    """Equal to the last bit."""
    assert found.complete
    for stage in ("scores_1", "scores_2"):
        for name in ("log_loss", "n_features", "n_prototypes"):
            assert_array_equal(getattr(getattr(found, stage), name), getattr(getattr(wanted, stage), name))
    assert found.chosen_penalties == wanted.chosen_penalties
    assert found.chosen_batches == wanted.chosen_batches


def test_the_record_is_that_of_a_local_search(cluster, data: SearchData, local: SearchRecord) -> None:
    seen: list[SearchProgress] = []
    before = cluster.log
    with connected(cluster.address):
        found = run_search(data, BASE, PLAN, progress=seen.append)
    assert_same(found, local)
    assert [p.share for p in seen] == sorted(p.share for p in seen)
    assert max(p.done for p in seen if p.stage == 1) == PLAN.n_pairs * PLAN.n_folds
    assert len({p.done for p in seen if p.stage == 1}) > 3  # it is told while the search goes on, not at its end
    written = cluster.log[len(before) :]
    assert not [line for line in written.splitlines() if "WARNING" in line or "ERROR" in line]


@pytest.mark.exhaustive
def test_a_killed_worker_does_not_lose_the_search(cluster, data: SearchData, local: SearchRecord) -> None:
    waiting: Iterator[int] = iter([1])

    def kill_once(progress: SearchProgress) -> None:
        if progress.done and next(waiting, None):
            cluster.kill_worker()

    with connected(cluster.address):
        found = run_search(data, BASE, PLAN, progress=kill_once)
        assert count_workers(None, 0.0) > 1, "a search with the one worker that is left would run here"
    assert next(waiting, None) is None, "no worker was killed"
    assert_same(found, local)


def test_a_cancelled_search_keeps_what_is_done_and_goes_on(cluster, data: SearchData, local: SearchRecord) -> None:
    def stop(progress: SearchProgress) -> None:
        if progress.done >= 2:
            raise Cancelled

    with connected(cluster.address):
        with pytest.raises(Cancelled) as stopped:
            run_search(data, BASE, PLAN, progress=stop)
        record = stopped.value.record
        assert record is not None
        kept = int(record.scores_1.done.sum())
        assert 2 <= kept < PLAN.n_pairs * PLAN.n_folds
        done: list[int] = []
        found = run_search(data, BASE, PLAN, record=record, progress=lambda progress: done.append(progress.done))
    assert done[0] == kept
    assert_same(found, local)


@pytest.mark.parametrize("options", main_cases([[], ["--method", "report", "--trials", "2"]], every=2))
def test_the_study_of_the_command_is_that_of_a_local_search(
    cluster, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    command = ["fit", str(patients_file), "-t", "outcome", "--search", *options, "--folds", "2", "--max-batches", "1"]
    where = {"here": ["--jobs", "1"], "there": ["--scheduler", cluster.address]}
    for name, place in where.items():
        assert main([*command, *place, "-q", "-o", str(tmp_path / name)]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
    here, there = (proset.load(tmp_path / name) for name in where)
    assert here.search is not None
    assert there.search is not None
    assert there.search.to_state() == here.search.to_state()
    assert there.settings == here.settings
    rows = here.table.frame.head(20)
    assert there.score(rows).equals(here.score(rows))
