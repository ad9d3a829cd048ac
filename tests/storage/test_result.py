"""Results: a study without its table, for a process that has the table."""

from __future__ import annotations

import dataclasses
import zipfile
from pathlib import Path

import pytest

from proset.common.errors import StorageError
from proset.data.table import Table, read_table
from proset.storage import load, load_result, save, save_result
from proset.study import Study


@pytest.mark.parametrize("name", ["study", "searched"])
def test_comes_back_with_the_table_that_is_there(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, patients: Table
) -> None:
    study: Study = request.getfixturevalue(name)
    save_result(study, tmp_path / "a.result")
    loaded = load_result(tmp_path / "a.result", patients)
    assert loaded.table is patients
    assert loaded.id == study.id
    assert loaded.recipe == study.recipe
    assert loaded.predictions.equals(study.predictions)
    assert loaded.probabilities.equals(study.probabilities)
    assert loaded.provenance == study.provenance
    assert loaded.metrics.confusion.equals(study.metrics.confusion)
    assert (loaded.search is None) == (study.search is None)


def test_holds_nothing_of_the_table(study: Study, tmp_path: Path) -> None:
    save_result(study, tmp_path / "a.result")
    with zipfile.ZipFile(tmp_path / "a.result") as archive:
        assert not [name for name in archive.namelist() if name.startswith("table/")]
        assert not [name for name in archive.namelist() if b"came early" in archive.read(name)]


def test_a_table_that_was_read_by_another_process_fits(study: Study, tmp_path: Path, patients_text: str) -> None:
    again = read_table(patients_text.encode(), name="other name.csv")
    save_result(study, tmp_path / "a.result")
    assert load_result(tmp_path / "a.result", again).predictions.equals(study.predictions)


def test_another_table_is_refused(study: Study, tmp_path: Path, patients: Table) -> None:
    save_result(study, tmp_path / "a.result")
    frame = patients.frame
    others = [
        dataclasses.replace(patients, fingerprint="0" * 64),
        dataclasses.replace(patients, frame=frame.iloc[:-1]),
        dataclasses.replace(patients, frame=frame.rename(columns={"age": "years"})),
        dataclasses.replace(patients, frame=frame.astype({"age": "str"})),
        dataclasses.replace(patients, frame=frame[list(frame.columns[::-1])]),
    ]
    for other in others:
        with pytest.raises(StorageError, match=r"another table than 'patients\.csv'.*Open the table"):
            load_result(tmp_path / "a.result", other)


def test_rows_that_the_table_does_not_have_are_refused(study: Study, tmp_path: Path, patients: Table) -> None:
    save_result(study, tmp_path / "a.result")
    other = dataclasses.replace(patients, frame=patients.frame.set_axis(patients.frame.index + 1000, axis=0))
    with pytest.raises(StorageError, match="names a row twice, or one that the table does not have"):
        load_result(tmp_path / "a.result", other)


def test_studies_and_results_are_told_apart(study: Study, tmp_path: Path, patients: Table) -> None:
    save_result(study, tmp_path / "a.result")
    save(study, tmp_path / "a.proset")
    with pytest.raises(StorageError, match=r"study without its table.*save the whole study"):
        load(tmp_path / "a.result")
    with pytest.raises(StorageError, match="not a result"):
        load_result(tmp_path / "a.proset", patients)


def test_a_missing_folder_is_said_plainly(study: Study, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"result cannot be saved.*Choose a folder"):
        save_result(study, tmp_path / "none" / "a.result")
