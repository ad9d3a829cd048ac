"""``proset compare``: the metric table of several systems."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from number_tables import houses
from variants import main_cases

from proset.cli import main
from proset.cli.compare import _shorter
from proset.compare import ComparePlan

QUICK = ["--systems", "proset,knn", "--folds", "3", "-q"]


@pytest.mark.slow
def test_the_table_is_printed(patients_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(patients_file), "-t", "outcome", "--id", "patient", *QUICK]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Over 3 folds of 123 training rows, mean ± sd (* equivalent)\n")
    assert "On 53 held-out rows" in out
    assert "Nearest neighbours" in out
    assert "has the lowest mean log-loss over 3 folds" in out
    assert "chosen on folds of the same training rows" in out
    lines = [line for line in out.splitlines() if line.startswith(("  proset", "  Nearest"))]
    assert len(lines) == 4
    assert sum("*" in line for line in lines[:2]) >= 1
    assert all("*" not in line for line in lines[2:])
    assert out.count("class shares alone") == 2
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.slow
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
        (["--groups", "ward"], "proset chooses its settings by 3 folds, but there are only 2 different groups"),
        (["-o", "found.txt"], "'found.txt' has no known ending. Use .csv, .xlsx or .json"),
        (["-o", "no folder/found.csv"], "The folder 'no folder' does not exist."),
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


def comparing(file: Path, *options: str) -> list[str]:
    return ["compare", str(file), "-t", "outcome", "--id", "patient", *QUICK, *options]


@pytest.mark.slow
@pytest.mark.parametrize("ending", main_cases(["csv", "xlsx", "json"], every=3))
def test_it_goes_to_a_file_as_well(
    patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    target = tmp_path / f"found.{ending}"
    assert main(comparing(patients_file, "-o", str(target))) == 0
    printed = re.search(r"proset \*? +(\d\.\d{3}) ±", capsys.readouterr().out)
    assert printed is not None
    if ending == "json":
        held = json.loads(target.read_text("utf-8"))["measures"][0]
    else:
        read = pd.read_csv if ending == "csv" else partial(pd.read_excel, engine="openpyxl")
        held = read(target).set_index("key").loc["proset"]
    assert f"{held['log_loss_mean']:.3f}" == printed.group(1)


def test_the_table_itself_is_not_written_over(patients_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = patients_file.read_bytes()
    assert main(comparing(patients_file, "-o", str(patients_file))) == 1
    assert patients_file.read_bytes() == before
    assert "Traceback" not in (said := capsys.readouterr().err)
    assert str(patients_file.name) in said


@pytest.mark.slow
def test_columns_never_touch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nearly perfect systems have the widest cells: "> 0.999 ± < 0.001"."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 240)
    frame = pd.DataFrame({"x": y * 3.0 + rng.normal(size=240), "z": rng.normal(size=240), "y": np.array(["a", "b"])[y]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert main(["compare", str(tmp_path / "t.csv"), "-t", "y", "--systems", "knn,smp", "-q"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if " ± " in line and "%" in line]
    assert len(lines) == 3
    for line in lines:
        assert len(re.split(r" {2,}", line.strip())) == 5, line


@pytest.mark.slow
def test_what_was_stated_is_not_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of a patient are kept together already; rows that are set aside do have a value."""
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"])[rng.integers(0, 2, 120)]
    y[:3] = "c"
    times = pd.date_range("2020-01-01", periods=120).strftime("%Y-%m-%d")
    frame = pd.DataFrame(
        {"x": rng.normal(size=120), "patient": [f"P{i // 3}" for i in range(120)], "at": times, "y": y}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--groups", "patient", "--time", "at", "--set-aside", "c", "--systems", "knn", "--folds", "2"]
    assert main(["compare", str(tmp_path / "t.csv"), "-t", "y", *options]) == 0
    shown = capsys.readouterr()
    assert "Keep its rows together?" not in shown.err
    assert "without a value" not in shown.err
    assert "3 rows of classes of 'y' that are set aside" in " ".join(shown.err.split())
    said = " ".join(shown.out.split())
    assert "Each fold learns from the rows before it by 'at'" in said
    assert "Rows with the same 'patient' are never on both sides of a fold." in said


@pytest.mark.slow
def test_more_folds_than_groups_are_refused_by_their_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=80), "of": np.arange(80) % 8, "y": np.array(["a", "b"])[np.arange(80) // 40]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["-t", "y", "--groups", "of", "--systems", "knn", "--folds", "12", "-q"]
    assert main(["compare", str(tmp_path / "t.csv"), *options]) == 1
    assert "--folds is 12, but there are only" in capsys.readouterr().err


def test_the_smaller_version_is_said_in_options() -> None:
    plan = ComparePlan(tuned=True)
    assert _shorter(plan, ComparePlan(max_rows=2_000)).endswith("start with --max-rows 2000 and without --tuned.")
    assert _shorter(plan, ComparePlan()).endswith("start without --tuned.")
    assert _shorter(plan, None) == ""


@pytest.mark.slow
def test_a_file_is_enough_where_nobody_reads_the_output(
    patients_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `>&-`: what is printed goes nowhere, but an output has been named."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        monkeypatch.setattr(sys, "__stdout__", None)
        monkeypatch.setattr(sys, "stdout", nowhere)
        assert main(comparing(patients_file)) == 1
        assert main(comparing(patients_file, "-o", str(tmp_path / "found.csv"))) == 0
    assert (tmp_path / "found.csv").stat().st_size


@pytest.fixture
def houses_file(tmp_path: Path) -> Path:
    path = tmp_path / "houses.csv"
    houses(120).to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_a_number_is_compared_as_a_number(houses_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = houses_file.with_name("found.csv")
    options = ["--systems", "proset,knn", "--folds", "2", "-q", "-o", str(output)]
    assert main(["compare", str(houses_file), "-t", "price", "--id", "house", *options]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Over 2 folds of 84 training rows, mean ± sd (* equivalent)\n")
    assert "has the lowest mean CRPS over 2 folds" in out
    assert "the other system" in out
    assert "in units of 'price'" in out
    assert "class" not in out
    assert out.count("as everybody") == 2
    assert max(map(len, out.splitlines())) <= 110
    written = pd.read_csv(output)
    assert written["key"].tolist() == ["proset", "knn", "line", "everybody"]
    assert written["n_prototypes"][0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["json", "xlsx"])
def test_a_comparison_of_a_number_is_written(houses_file: Path, ending: str) -> None:
    output = houses_file.with_name(f"found.{ending}")
    options = ["--systems", "knn", "--folds", "2", "-q", "-o", str(output)]
    assert main(["compare", str(houses_file), "-t", "price", "--tuned", *options]) == 0
    if ending == "json":
        assert json.loads(output.read_text(encoding="utf-8"))["target"] == "price"
    else:
        assert list(pd.read_excel(output, sheet_name=None, engine="openpyxl")) == [
            "Measures",
            "Folds",
            "Answers",
            "Disagreements",
        ]


@pytest.mark.exhaustive
def test_systems_that_know_classes_only_are_named(houses_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(houses_file), "-t", "price", "--systems", "pvm,knn", "-q"]) == 1
    assert "knows classes only, and the target is a number" in capsys.readouterr().err
    assert main(["compare", str(houses_file), "-t", "price", "--cuts", "median", "--systems", "knn", "-q"]) == 0
    assert "log-loss" in capsys.readouterr().out
