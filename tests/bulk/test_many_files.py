"""Scoring the files of a folder: the same bytes on workers and here, and nothing lost on the way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import proset
from proset.bulk import PartResult, many_files, score_partitions
from proset.bulk.one_file import FileOptions
from proset.bulk.parts import find_parts
from proset.cli import main
from proset.common.errors import ProsetError
from proset.storage import to_bytes
from proset.study import Study

COLUMNS = ["sepal length (cm)", "sepal width (cm)"]


def outputs(folder: Path) -> dict[str, bytes]:
    """Every output; a worker that is killed leaves a draft, whose name begins with a dot."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("[!_.]*") if path.is_file()}


def errors(results: tuple[PartResult, ...]) -> dict[str, str]:
    return {result.part.name: result.error for result in results if result.error is not None}


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_workers_write_what_a_local_run_writes(cluster, folder: Path, iris_study: Study, ending: str) -> None:
    here, there = folder.parent / "here", folder.parent / "there"
    counted: list[tuple[int, int]] = []
    local = score_partitions(iris_study, folder, here, ending=ending)
    results = score_partitions(
        iris_study,
        folder,
        there,
        scheduler=cluster.address,
        ending=ending,
        progress=lambda *at: counted.append(at),
    )
    assert outputs(there) == outputs(here)
    assert sorted(outputs(there)) == [f"site={number % 2}/{number}{ending}" for number in (0, 2, 1, 3)]
    assert [result.part.name for result in results] == [result.part.name for result in local]
    assert counted == [(done, 5) for done in range(1, 6)]
    assert errors(results) == errors(local)
    assert set(errors(results)) == {"bad.csv"}
    assert "'sepal length (cm)'" in errors(results)["bad.csv"]


class Done:
    """In place of a future."""

    def __init__(self, value: object) -> None:
        self.value = value

    def result(self) -> object:
        return self.value

    def exception(self) -> None:
        return None

    def release(self) -> None:
        pass


class AtOnce:
    """In place of a client of a scheduler: does what is handed over at once, and remembers what was."""

    loop = None

    def __init__(self) -> None:
        self.sent: list[object] = []

    def submit(self, run: Callable[..., object], *given: object, pure: bool) -> Done:
        assert not pure  # a killed worker's task is done again
        self.sent += [one for one in given if not isinstance(one, Done)]
        return Done(run(*(one.value if isinstance(one, Done) else one for one in given)))


def test_no_study_that_is_at_work_goes_from_worker_to_worker(
    folder: Path, iris_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that computes at the moment cannot always be packed, and whoever waited for it waited for ever."""
    client = AtOnce()
    monkeypatch.setattr("distributed.as_completed", lambda futures, loop: iter(futures))
    parts = find_parts(folder, tmp_path / "out")
    job = tmp_path / "out" / "job"
    many_files._claim(job, "these", parts)
    results = list(many_files._on_workers(client, to_bytes(iris_study), parts, FileOptions(), job))
    assert [result.part for result in results] == list(parts)
    assert sum(result.rows for result in results) == 400
    assert not any(isinstance(one, Study) for one in client.sent)
    assert many_files._opened.cache_info().currsize == 1


def test_each_file_is_scored_as_proset_score_does(folder: Path, iris_study: Study, tmp_path: Path) -> None:
    score_partitions(iris_study, folder / "site=0" / "*.csv", tmp_path / "out", ending=".csv")
    proset.save(iris_study, tmp_path / "m.proset")
    assert (
        main(["score", str(tmp_path / "m.proset"), str(folder / "site=0" / "2.csv"), "-o", str(tmp_path / "2.csv")])
        == 0
    )
    assert (tmp_path / "out" / "2.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


@pytest.mark.slow
def test_a_killed_worker_does_not_lose_a_file(cluster, folder: Path, iris_study: Study, tmp_path: Path) -> None:
    (folder / "bad.csv").unlink()
    for number in range(30):
        shutil.copy(folder / "site=0" / "2.csv", folder / f"more-{number}.csv")

    def kill_once(done: int, _total: int) -> None:
        if done == 2:
            cluster.kill_worker()

    results = score_partitions(iris_study, folder, tmp_path / "out", scheduler=cluster.address, progress=kill_once)
    assert not errors(results)
    assert sum(result.rows for result in results) == 34 * 100
    score_partitions(iris_study, folder, tmp_path / "here")
    assert outputs(tmp_path / "out") == outputs(tmp_path / "here")


class TestGoingOn:
    """A run that was stopped, repeated."""

    def test_finished_files_are_kept_and_the_rest_is_done(
        self, folder: Path, iris_study: Study, tmp_path: Path
    ) -> None:
        def stop(done: int, _total: int) -> None:
            if done == 3:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            score_partitions(iris_study, folder, tmp_path / "out", progress=stop)
        (folder / "bad.csv").write_text(f"{','.join(COLUMNS)}\n5.1,3.6\n")
        results = score_partitions(iris_study, folder, tmp_path / "out")
        assert not errors(results)
        assert [result.part.name for result in results if result.kept] == ["site=0/0.parquet", "site=0/2.csv"]
        assert len(outputs(tmp_path / "out")) == 5

    def test_a_file_that_has_changed_is_scored_again(self, folder: Path, iris_study: Study, tmp_path: Path) -> None:
        score_partitions(iris_study, folder, tmp_path / "out")
        changed = folder / "site=0" / "2.csv"
        time = (tmp_path / "out" / "site=0" / "2.parquet").stat().st_mtime_ns + 1_000_000
        os.utime(changed, ns=(time, time))
        results = score_partitions(iris_study, folder, tmp_path / "out")
        assert {result.part.name for result in results if not result.kept} == {"bad.csv", "site=0/2.csv"}

    @pytest.mark.slow
    def test_another_model_or_other_options_are_refused(
        self, folder: Path, iris_study: Study, study: Study, tmp_path: Path
    ) -> None:
        score_partitions(iris_study, folder, tmp_path / "out")
        with pytest.raises(ProsetError, match="holds scores of another model or with other options"):
            score_partitions(study, folder, tmp_path / "out")
        with pytest.raises(ProsetError, match="holds scores of another model or with other options"):
            score_partitions(iris_study, folder, tmp_path / "out", ending=".csv")

    def test_files_of_somebody_else_are_not_written_over(self, folder: Path, iris_study: Study, tmp_path: Path) -> None:
        precious = tmp_path / "out" / "bad.parquet"
        precious.parent.mkdir()
        precious.write_text("precious")
        with pytest.raises(ProsetError, match="exists and is not of a run like this"):
            score_partitions(iris_study, folder, tmp_path / "out")
        assert precious.read_text() == "precious"


class TestCommand:
    """``proset score`` with a folder."""

    @pytest.fixture
    def model(self, iris_study: Study, tmp_path: Path) -> str:
        proset.save(iris_study, tmp_path / "m.proset")
        return str(tmp_path / "m.proset")

    @pytest.mark.slow
    def test_a_folder_on_a_scheduler(
        self, cluster, folder: Path, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        command = ["score", model, str(folder), "-o", str(tmp_path / "out"), "--scheduler", cluster.address]
        assert main(command) == 1
        shown = capsys.readouterr().err
        assert "proset: bad.csv: The data lacks 2 of the 2 columns" in shown
        assert "4 of 5 files scored, 400 rows" in shown
        assert "1 of 5 files has no scores. Mend them and run the same command again." in shown
        (folder / "bad.csv").unlink()
        assert main(command) == 0
        assert "0 of 4 files scored, 0 rows" in (shown := capsys.readouterr().err)
        assert "4 finished before were kept" in shown

    def test_options_reach_every_file(self, folder: Path, model: str, tmp_path: Path) -> None:
        for path in (folder / "a.csv", folder / "b.csv"):
            path.write_text(f"{';'.join(COLUMNS)}\n5,1;3,6\n")
        pattern, output = str(folder / "[ab].csv"), tmp_path / "out"
        command = [
            "score",
            model,
            pattern,
            "-o",
            str(output),
            "--format",
            "csv.gz",
            "--delimiter",
            ";",
            "--decimal",
            ",",
        ]
        assert main([*command, "--quiet"]) == 0
        assert sorted(outputs(output)) == ["a.csv.gz", "b.csv.gz"]
        assert pd.read_csv(output / "a.csv.gz")["class"].tolist() == ["setosa"]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["{folder}"], "The scores of several files need a folder. Name one with --output."),
            (["{folder}/bad.csv", "--scheduler", "tcp://h:1"], "--scheduler is for a folder of files or a pattern"),
            (["{folder}/bad.csv", "--format", "csv"], "--format is for a folder of files or a pattern"),
        ],
    )
    def test_what_does_not_fit_together(
        self, folder: Path, model: str, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
    ) -> None:
        assert main(["score", model, *(argument.format(folder=folder) for argument in arguments)]) == 1
        assert words in capsys.readouterr().err
