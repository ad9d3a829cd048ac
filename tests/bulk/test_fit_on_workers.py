"""``proset fit --search --scheduler``: a table's study from workers is that of a local search."""

from __future__ import annotations

from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

import proset
from proset.cli import main


def test_the_study_is_that_of_a_local_search(
    cluster, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "fit",
        str(patients_file),
        "-t",
        "outcome",
        "--search",
        "--trials",
        "2",
        "--folds",
        "2",
        "--max-batches",
        "1",
    ]
    where = {"here": ["--jobs", "1"], "there": ["--scheduler", cluster.address]}
    for name, options in where.items():
        assert main([*command, *options, "-q", "-o", str(tmp_path / name)]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
    here, there = (proset.load(tmp_path / name) for name in where)
    assert here.search is not None
    assert there.search is not None
    assert_array_equal(there.search.scores_1.log_loss, here.search.scores_1.log_loss)
    assert_array_equal(there.search.scores_2.log_loss, here.search.scores_2.log_loss)
    assert there.settings == here.settings
    rows = here.table.frame.head(20)
    assert there.score(rows).equals(here.score(rows))
