"""``proset score`` asks for the columns that the model uses, says which, and for no others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import proset
from proset.cli import main
from proset.study import FitSettings, Study, fit_study


@pytest.fixture
def two_of_many(patients, patient_roles) -> Study:
    """A study of the patients whose model leaves columns out."""
    study = fit_study(patients, patient_roles, settings=FitSettings(lambda_v=3e-2))
    assert 0 < len(study.used_columns) < len(study.design.sources)
    return study


def test_unused_columns_may_be_missing_or_hold_anything(two_of_many, tmp_path: Path) -> None:
    model, frame = tmp_path / "m.proset", two_of_many.table.frame
    proset.save(two_of_many, model)
    unused = [name for name in two_of_many.design.sources if name not in two_of_many.used_columns]
    (tmp_path / "full.csv").write_text(frame.to_csv(index=False), encoding="utf-8")
    (tmp_path / "bare.csv").write_text(frame[list(two_of_many.used_columns)].to_csv(index=False), encoding="utf-8")
    odd = frame.assign(**dict.fromkeys(unused, "odd"))
    (tmp_path / "odd.csv").write_text(odd.to_csv(index=False), encoding="utf-8")
    results = {}
    for name in ("full", "bare", "odd"):
        output = tmp_path / f"{name}.scores.csv"
        assert main(["score", str(model), str(tmp_path / f"{name}.csv"), "-o", str(output), "-q"]) == 0
        results[name] = pd.read_csv(output).drop(columns="patient", errors="ignore")
    pd.testing.assert_frame_equal(results["bare"], results["full"], check_exact=True)
    pd.testing.assert_frame_equal(results["odd"], results["full"], check_exact=True)


def test_the_columns_are_listed_and_a_missing_one_is_named(two_of_many, tmp_path: Path, capsys) -> None:
    model = tmp_path / "m.proset"
    proset.save(two_of_many, model)
    assert main(["score", str(model), "--columns"]) == 0
    assert capsys.readouterr().out.splitlines() == list(two_of_many.used_columns)
    gone, *rest = two_of_many.used_columns
    two_of_many.table.frame[[*rest, "patient"]].to_csv(tmp_path / "new.csv", index=False)
    assert main(["score", str(model), str(tmp_path / "new.csv")]) == 1
    said = capsys.readouterr().err
    assert f"'{gone}'" in said
    assert "that the model needs" in said


def test_without_data_the_usage_is_wrong(two_of_many, tmp_path: Path, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["score", str(tmp_path / "m.proset")])
    assert stop.value.code == 2
    assert "DATA" in capsys.readouterr().err
