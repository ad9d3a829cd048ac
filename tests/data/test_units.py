"""Units beside the numbers of a column: suggested, declared, known in new rows, taken back."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from proset import load, save
from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.guarded import read_table_guarded
from proset.data.issues import Severity
from proset.data.missing_words import ColumnUnit, MissingWord, column_unit, declare, without_units
from proset.data.reading.declared import without_unit
from proset.data.reading.dialect import Dialect
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.data.table_files import read_outcome, write_table
from proset.data.unit_guess import guess_units, unit_in
from proset.explain.sheets.model_facts import model_facts
from proset.study import fit_study

KG = ColumnUnit("kg", "weight")


def table_of(*cells, name="weight"):
    return read_table("\n".join([f"{name};kind", *(f"{cell};a" for cell in cells)]).encode())


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    weight, share = rng.normal(75, 12, 90).round(1), rng.integers(0, 100, 90)
    frame = pd.DataFrame({"weight": [f"{one} kg" for one in weight], "share": [f"{one} %" for one in share]})
    frame.loc[4, "weight"] = "k.A."
    frame["kind"] = np.where(weight + share / 10 > 80, "big", "small")
    return read_table(frame.to_csv(index=False, sep=";").encode(), name="u.csv")


@pytest.fixture(scope="module")
def study(table):
    told = declare(table, [MissingWord("k.A.", "weight")], units=[KG, ColumnUnit("%", "share")])
    return fit_study(told, guess_roles(told, target="kind").roles)


@pytest.mark.parametrize(
    ("cell", "unit"),
    [
        ("80.3 kg", "kg"), ("80kg", "kg"), ("-5 °C", "°C"), ("1.234,56 €", "€"), ("€ 1,200", "€"), ("US$5", "US$"),
        ("EUR 12", "EUR"), ("80 m²", "m²"), ("80 m2", "m2"), ("12 sq ft", "sq ft"), (".5 %", "%"), ("1e5 Hz", "Hz"),
        ("12", None), ("kg", None), ("<5", None), ("80+", None), ("A1", None), ("#12", None), ("5/10", None),
        ("", None), ("12:30", None), ("2 kg 5", None), ("1-2 days", None), ("12 a long word and no unit at all", None),
    ],
)  # fmt: skip
def test_units_are_told_from_other_texts(cell, unit):
    assert unit_in(cell) == unit


@pytest.mark.parametrize(
    ("unit", "cells", "alone"),
    [
        ("kg", ["80.3 kg", "80kg", "80\u00a0kg", "80 Kg", "kg 80"], ["80.3", "80", "80", "80 Kg", "80"]),
        ("€", ["-€ 5", "€-5", "- 5 €", "1'000,5 €", "5 € 7"], ["-5", "-5", "- 5", "1'000,5", "5 € 7"]),
        ("%", ["5 %", "%", "5 %%", None, ""], ["5", "%", "5 %%", None, ""]),
        ("$", ["$5", "5$", "US$5"], ["5", "5", "US$5"]),
        ("(a+b)", ["5 (a+b)", "5 aab"], ["5", "5 aab"]),
    ],
)
def test_the_number_alone(unit, cells, alone):
    found, hit = without_unit(pd.Series(cells, dtype="str"), unit)
    assert found.fillna("?").tolist() == [one if one is not None else "?" for one in alone]
    assert hit.tolist() == [one != other for one, other in zip(cells, alone, strict=True)]


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["1 kg", "2 kg", "3 kg"], [("kg", 3, 3)]),
        (["1", "2", "3 kg", "4"], [("kg", 1, 4)]),
        (["1 kg", "2 lb", "3 kg", "4 kg"], []),  # their numbers do not compare
        (["1 k", "2", "300", "4"], []),  # 1 k may be 1,000
        (["1 k", "2 k", "300 k", "4k"], [("k", 4, 4)]),
        (["1 room", "2 rooms", "3 rooms"], []),
        (["1 kg", "1 kg", "2 kg", "2 kg"], []),  # two values are two names as well
        (["1 kg", "2 kg", "3 kg", "4 kg", "k.A."], [("kg", 4, 5)]),
        (["1 kg", "2 kg", "3 kg", "a", "b", "c", "d"], []),
        (["A1", "A2", "A3"], []),
        (["", "1 kg", "", "2 kg", "3 kg"], [("kg", 3, 3)]),
        (["x", "y", "z"], []),
        (["<0.5", "1.2", "3", "< 0.5", "0.7"], [("<", 2, 5)]),
        (["<0.5", ">20", ">30", ">40", ">50", "1", "2"], [("<", 1, 7), (">", 4, 7)]),  # limits compare
        (["<0.5 mg", "<0.5", "3 mg", "4 mg"], []),
    ],
)
def test_what_is_suggested(cells, found):
    guesses = guess_units(table_of(*cells))
    assert [(guess.unit.text, guess.count, guess.n_present) for guess in guesses] == found


def test_one_unit_among_many_thousand_numbers_is_seen():
    cells = [*map(str, range(5_000)), "80.3 kg", *map(str, range(5_000))]
    (guess,) = guess_units(table_of(*cells))
    assert guess.message == (
        "Column 'weight': 1 of 10,001 cells holds a number with 'kg' (row 5001: '80.3 kg'), which makes it text."
    )
    assert guess.issue().severity is Severity.WARNING


def test_limits_are_said_to_count_as_themselves():
    table = table_of("<0.5", "1.2", "3", ">20", "<0.5")
    below, above = guess_units(table)
    assert below.message == (
        "Column 'weight': 2 of 5 cells hold a limit with '<' (row 1: '<0.5'), which makes it text. Read as numbers,"
        " they count as the limit itself."
    )
    told = declare(table, units=[below.unit, above.unit])
    assert told.frame["weight"].tolist() == [0.5, 1.2, 3.0, 20.0, 0.5]


@pytest.mark.parametrize("end", ["or more", "oder mehr", "and over"])
def test_an_open_end_is_a_limit_and_no_unit(end):
    (guess,) = guess_units(table_of("1", "2", "3", "4", f"5 {end}", "3", "2", "1"))
    assert guess.message.endswith(
        f"cells holds a limit with '{end}' (row 5: '5 {end}'), which makes it text. Read as numbers, they count as the"
        " limit itself."
    )


def test_declared_units_leave_numbers_and_are_named(table):
    told = declare(table, units=[KG])
    assert told.dialect.units == (KG,)
    assert told.frame["share"].dtype == table.frame["share"].dtype
    assert isinstance(told.frame["weight"].dtype, pd.StringDtype)  # "k.A." is left
    assert told.frame["weight"].tolist()[4] == "k.A."
    assert "89 cells are read as the number beside 'kg'" in " ".join(issue.message for issue in told.issues)
    both = declare(told, [MissingWord("k.A.", "weight")])
    assert both.frame["weight"].dtype == "float64"
    assert both.frame["weight"].isna().sum() == 1
    at_once = declare(table, [MissingWord("k.A.", "weight")], units=[KG])
    assert at_once.frame.equals(both.frame)
    assert at_once.dialect == both.dialect
    assert guess_units(both) == guess_units(table)[1:]


def test_decimal_commas_and_thousands_are_read_as_in_any_column():
    told = declare(table_of("1.234,56 €", "7,5 €", "1.000.000,00 €"), units=[ColumnUnit("€", "weight")])
    assert told.frame["weight"].tolist() == [1234.56, 7.5, 1_000_000.0]


@pytest.mark.parametrize("text", ["", " kg", "5", "-a", "." * 2, "x" * 21])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(ValueError, match="A unit has 1 to 20 characters"):
        ColumnUnit(text, "weight")


def test_columns_that_are_not_there(table):
    with pytest.raises(TableError, match=r"to be a unit in a column 'wieght', which there is not.*'weight'"):
        declare(table, units=[ColumnUnit("kg", "wieght")])
    assert declare(table, known=Dialect(units=(ColumnUnit("kg", "elsewhere"),))) is table
    with pytest.raises(TableError, match="Give COLUMN=UNIT"):
        column_unit("weight", ["weight"])
    unheard = declare(table, units=[ColumnUnit("lb", "weight")])
    assert "No cell of column 'weight' holds a number with 'lb'." in [issue.message for issue in unheard.issues]


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_pieces_are_the_table(table, rows):
    whole = declare(table, [MissingWord("k.A.")], units=[KG]).frame
    text = table.frame.to_csv(index=False, sep=";").encode()
    for options in ({"dialect": Dialect(missing=(MissingWord("k.A."),), units=(KG,))},
                    {"known": Dialect(missing=(MissingWord("k.A."),), units=(KG, ColumnUnit("x", "no")))}):  # fmt: skip
        pieces = list(read_chunks(text, chunk_rows=rows, **options))
        pd.testing.assert_frame_equal(pd.concat(pieces), whole)


def test_new_rows_with_the_unit_and_without(study, table):
    frame = study.table.frame.drop(columns="kind")
    with_units = table.frame.drop(columns="kind")
    pd.testing.assert_frame_equal(study.score(with_units), study.score(frame))
    plain = pd.DataFrame({"weight": ["80.5 kg", "75"], "share": ["3 %", "4%"]}, index=["a", "b"])
    done = without_units(plain, study.table.dialect.units)
    assert done.to_dict("list") == {"weight": [80.5, 75.0], "share": [3, 4]}
    assert list(done.index) == ["a", "b"]
    assert without_units(done, study.table.dialect.units) is done


def test_units_are_kept_with_a_study(study, tmp_path):
    save(study, tmp_path / "u.proset")
    assert load(tmp_path / "u.proset").table.dialect == study.table.dialect
    facts = dict(model_facts(study).data)
    assert facts["units beside numbers"] == "'kg' in weight; '%' in share"


def test_units_cross_to_another_process(study, tmp_path):
    write_table(study.table, tmp_path)
    assert read_outcome(tmp_path).dialect == study.table.dialect
    assert dataclasses.asdict(read_table_guarded(b"a,b\n1,2\n3,4\n", name="x").dialect)["units"] == ()
