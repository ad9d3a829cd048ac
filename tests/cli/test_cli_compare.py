"""``proset compare``: the metric table of several systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from proset.cli import main

QUICK = ["--systems", "proset,knn", "--folds", "3", "-q"]


def test_the_table_is_printed(patients_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(patients_file), "-t", "outcome", "--id", "patient", *QUICK]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Over 3 folds of 123 training rows, mean ± sd (* equivalent)\n")
    assert "On 53 held-out rows" in out
    assert "Nearest neighbours" in out
    assert "has the lowest mean log-loss over 3 folds" in out
    assert "a search over the same training rows" in out
    lines = [line for line in out.splitlines() if line.startswith(("  proset", "  Nearest"))]
    assert len(lines) == 4
    assert sum("*" in line for line in lines[:2]) >= 1
    assert all("*" not in line for line in lines[2:])
    assert out.count("class shares alone") == 2
    assert max(map(len, out.splitlines())) <= 100


def test_groups_and_rows_are_stated_as_for_a_fit(patients_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--groups", "admitted", "--max-rows", "60", "--systems", "knn", "--folds", "2", "-q"]
    assert main(["compare", str(patients_file), "-t", "outcome", *options]) == 0
    assert "Over 2 folds of 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--systems", "svm"], "There is no system 'svm'. Choose among proset, pvm, smp, gbmap, knn, xgboost."),
        (["--systems", ","], "at least one system"),
        (["--folds", "1"], "--folds is 1. Give a whole number from 2 to 20."),
        (["--max-rows", "2"], "--max-rows is 2."),
        (["--seed", "-1"], "--seed is -1."),
        (["--groups", "wards"], "Did you mean 'ward'?"),
    ],
)
def test_what_is_wrong_is_said(
    patients_file: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert main(["compare", str(patients_file), "-t", "outcome", "-q", *options]) == 1
    shown = capsys.readouterr()
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""
