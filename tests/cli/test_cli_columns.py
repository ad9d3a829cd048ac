"""``proset fit --groups --time --days-between`` and what comes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

from proset.cli import main
from proset.storage import load


@pytest.fixture
def stays_file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ['patient,"in, first",out,ill']
    for row in range(120):
        first = pd.Timestamp("2023-01-01") + pd.Timedelta(days=int(rng.integers(0, 700)))
        days = int(rng.integers(1, 15))
        ill = "yes" if days + rng.normal() > 7 else "no"
        lines.append(f"P{row // 3:02d},{first:%Y-%m-%d},{first + pd.Timedelta(days=days):%Y-%m-%d},{ill}")
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_groups_time_and_days(stays_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "stays.proset"
    options = ["--groups", "patient", "--time", "out", "--days-between", "in, first,out"]
    assert main(["fit", str(stays_file), "-t", "ill", "-o", str(output), *options]) == 0
    shown = capsys.readouterr()
    assert "Held out: the latest 30 % by 'out', rows with the same 'patient' together: " in shown.out
    study = load(output)
    assert (study.split.settings.groups, study.split.settings.time) == ("patient", "out")
    assert study.table.derived[0].name == "days from in, first to out"
    assert main(["score", str(output), str(stays_file), "-o", str(tmp_path / "scores.csv"), "-q"]) == 0
    assert len(pd.read_csv(tmp_path / "scores.csv")) == 120


@pytest.mark.slow
def test_hours_of_times_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["seen,ill", *(f"{row % 24}:{row % 60:02d},{'yes' if row % 24 < 8 else 'no'}" for row in range(240))]
    path, output = tmp_path / "visits.csv", tmp_path / "visits.proset"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert main(["fit", str(path), "-t", "ill", "-o", str(output), "--hour-of", "seen", "--role", "seen=extra"]) == 0
    assert load(output).used_columns == ("hour of seen",)
    (tmp_path / "new.csv").write_text("seen\n3:15\n18:00\n", encoding="utf-8")
    assert main(["score", str(output), str(tmp_path / "new.csv"), "-o", str(tmp_path / "scores.csv"), "-q"]) == 0
    assert pd.read_csv(tmp_path / "scores.csv")["class"].tolist() == ["yes", "no"]
    capsys.readouterr()
    assert main(["fit", str(path), "-t", "ill", "-o", str(output), "--hour-of", "ill"]) == 1
    assert "'ill' holds no times" in capsys.readouterr().err


@pytest.mark.slow
def test_a_repeated_identifier_is_pointed_out(
    stays_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(stays_file), "-t", "ill", "-o", str(tmp_path / "x.proset")]) == 0
    assert "'patient' repeats: 40 values in 120 rows. Keep its rows together?" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("command", main_cases(["fit", "compare"], every=2))
def test_what_the_options_have_answered_is_not_asked(
    stays_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    where = ["-o", str(tmp_path / "x.proset"), "--batches", "1"] if command == "fit" else ["--systems", "knn"]
    options = ["-t", "ill", "--groups", "patient", *where]
    assert main([command, str(stays_file), *options]) == 0
    assert "repeats" not in capsys.readouterr().err
    assert main([command, str(stays_file), *options, "--order", "yes,no"]) == 0  # stated classes are looked at anew
    assert "repeats" not in capsys.readouterr().err


@pytest.mark.slow
def test_findings_are_about_the_roles_that_were_stated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},{rng.integers(1, 5)},{'ab'[row % 2]}" for row in range(80)]
    (path := tmp_path / "wards.csv").write_text("\n".join(["x,ward,y", *lines, ""]), encoding="utf-8")
    options = ["fit", str(path), "-t", "y", "-o", str(tmp_path / "x.proset"), "--batches", "1"]
    assert main(options) == 0
    assert "'ward' holds only the whole numbers 1, 2, 3, 4" in capsys.readouterr().err
    assert main([*options, "--role", "ward=categorical"]) == 0
    assert "If they are codes" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--groups", "pateint"], "Did you mean 'patient'?"),
        (["--time", "patient"], "neither dates nor numbers"),
        (["--groups", "ill"], "which is the target"),
        (["--days-between", "out"], "is not A,B"),
        (["--days-between", "out,patient"], "does not hold dates"),
        (["--groups", "out", "--time", "out"], "Choose it for one of the two"),
    ],
)
def test_what_cannot_be_done_is_said(
    stays_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert main(["fit", str(stays_file), "-t", "ill", "-o", str(tmp_path / "x.proset"), *options]) != 0
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


@pytest.mark.slow
def test_a_column_that_carries_everything_is_named_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    sick = rng.integers(0, 2, 200)
    code = np.where(sick, rng.choice([31, 32, 33], 200), 0)
    rows = [f"{c},{x:.2f},{'yes' if s else 'no'}" for c, x, s in zip(code, rng.normal(size=200), sick, strict=True)]
    path = tmp_path / "codes.csv"
    path.write_text("\n".join(["code,noise,sick", *rows]), encoding="utf-8")
    assert main(["fit", str(path), "-t", "sick", "-o", str(tmp_path / "x.proset")]) == 0
    shown = capsys.readouterr()
    assert "'code' alone says the class of 'sick' in all of 200 rows it was not learned from" in shown.err
    assert "A column that gives the answer away looks like this" in shown.out
