"""How the command line reads files: words that mean missing, and messages that name the option that helps."""

import pandas as pd
import pytest

from proset import load
from proset.cli import main
from proset.data.missing_words import ColumnUnit, MissingWord

ROWS = "".join(
    f"{'k.A.' if i % 9 == 4 else i / 4};{-999 if i % 7 == 3 else i % 13};{'xy'[i % 2]}\n".replace(".", ",", 1)
    if i % 9 != 4
    else f"k.A.;{i % 13};{'xy'[i % 2]}\n"
    for i in range(80)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("dose;a=b;kind\n" + ROWS)
    return path


def fit(table, *options):
    return main(["fit", str(table), "-t", "kind", "-o", str(table.with_suffix(".proset")), *options])


def test_what_stands_out_is_said_with_the_option_and_not_applied(table, capsys):
    assert fit(table) == 0
    said = capsys.readouterr().err
    assert "'k.A.' (9 cells) may mean missing" in said
    assert "--missing=dose=k.A.\n" in said
    assert "--missing=a=b=-999\n" in said
    assert load(table.with_suffix(".proset")).table.dialect.missing == ()


def test_declared_words_are_missing_in_the_fit_and_in_new_rows(table, tmp_path, capsys):
    assert fit(table, "--missing", "k.A.", "--missing", "a=b=-999", "--batches", "1") == 0
    study = load(table.with_suffix(".proset"))
    assert study.table.dialect.missing == (MissingWord("k.A."), MissingWord("-999", "a=b"))
    assert study.table.frame["dose"].dtype.kind == "f"
    assert study.table.frame["a=b"].min() >= 0
    assert "may mean missing" not in capsys.readouterr().err
    new = tmp_path / "new.csv"
    new.write_text("dose;a=b\nk.A.;-999\n2,5;?!\n")
    out = tmp_path / "scores.csv"
    model = str(table.with_suffix(".proset"))
    assert main(["score", model, str(new), "-o", str(out), "-q", "--missing", "a=b=?!"]) == 0
    assert pd.read_csv(out)["class"].notna().all()
    assert main(["explain", model, str(new), "--row", "1"]) == 0


@pytest.mark.slow
def test_units_are_said_with_the_option_and_hold_in_new_rows(tmp_path, capsys):
    path, new, out = tmp_path / "table.csv", tmp_path / "new.csv", tmp_path / "scores.csv"
    path.write_text("dose;kind\n" + "".join(f"{i % 13},5 mg;{'xy'[i % 13 > 6]}\n" for i in range(60)))
    assert fit(path, "--unit", "dose=mg") == 0
    study = load(path.with_suffix(".proset"))
    assert study.table.dialect.units == (ColumnUnit("mg", "dose"),)
    assert study.table.frame["dose"].max() == 12.5
    capsys.readouterr()
    assert fit(path) != 0  # a text that differs from row to row is no feature
    assert "--unit=dose=mg\n" in capsys.readouterr().err
    new.write_text("dose;who\n1,5 mg;a\n12;b\n")
    assert main(["score", str(path.with_suffix(".proset")), str(new), "-o", str(out), "-q"]) == 0
    assert pd.read_csv(out)["class"].tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--unit", "dosis=mg"], "'dosis', which there is not. Did you mean 'dose'?"),
        (["--unit", "dose"], "names no unit"),
        (["--missing", "dosis=1"], "'dosis', which there is not. Did you mean 'dose'?"),
        (["--missing", "dose="], "names no word"),
        (["--encoding", "utf-16-be"], "Choose another encoding."),
        (["--encoding", "nix"], "gb18030"),
    ],
)
def test_bad_options_are_refused_in_one_line(table, capsys, options, says):
    assert fit(table, *options) == 1
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


def test_a_message_names_the_option_that_was_not_given(tmp_path, capsys):
    path = tmp_path / "colons.csv"
    path.write_text("a:kind\n1:x\n2:y\n")
    assert fit(path) == 1
    assert "Use --delimiter." in capsys.readouterr().err
    assert fit(path, "--delimiter", ";") == 1
    assert "Use --delimiter." not in capsys.readouterr().err
