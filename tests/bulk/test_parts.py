"""Which files a table is made of, and where their scores go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proset.bulk import is_partitioned, score_partitions
from proset.bulk.parts import find_parts
from proset.common.errors import ProsetError
from proset.study import Study


def test_parts_keep_their_folders_and_names(folder: Path, tmp_path: Path) -> None:
    parts = find_parts(folder, tmp_path / "out", ending=".csv")
    assert [part.name for part in parts] == [
        "bad.csv", "site=0/0.parquet", "site=0/2.csv", "site=1/1.parquet", "site=1/3.csv",
    ]  # fmt: skip
    assert parts[1].output == tmp_path / "out" / "site=0" / "0.csv"
    assert [part.name for part in find_parts(folder / "*" / "*.csv", tmp_path / "out")] == [
        "site=0/2.csv",
        "site=1/3.csv",
    ]


def test_no_file_is_said_and_nothing_is_made(iris_study: Study, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(ProsetError, match="No file matches"):
        score_partitions(iris_study, tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("way", [".", "site=0/..", "../in", "link"])
def test_outputs_among_the_inputs(folder: Path, way: str) -> None:
    os.symlink(folder, folder.parent / "link")
    output = folder.parent / way if way == "link" else folder / way
    with pytest.raises(ProsetError, match="lies in the output folder"):
        find_parts(folder, output)


def test_two_files_with_one_output(folder: Path, tmp_path: Path) -> None:
    (folder / "bad.tsv").write_text("x\n1\n")
    with pytest.raises(ProsetError, match=r"'bad\.csv' and 'bad\.tsv' would both be scored to 'bad\.parquet'"):
        find_parts(folder, tmp_path / "out")


@pytest.mark.parametrize("name", ["out.csv", "file"])
def test_an_output_that_is_a_file(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProsetError, match=r"names a file\. The scores of parts go to a folder"):
        find_parts(folder, tmp_path / name)


def test_a_name_with_brackets_is_a_name_first(folder: Path, tmp_path: Path) -> None:
    odd = folder.parent / "in [2025]"
    folder.rename(odd)
    assert not is_partitioned(odd / "bad.csv")
    assert len(find_parts(odd, tmp_path / "out")) == 5


def test_an_ending_that_cannot_be_written_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ProsetError, match=r"'\.xlsx'\. Use one of \.parquet, \.csv, \.csv\.gz"):
        find_parts(folder, tmp_path / "out", ending=".xlsx")
