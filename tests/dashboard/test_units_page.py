"""Columns that are text because of a unit, on the Data page and in new rows: made numbers by a click, and back."""

import pytest

from dashboard.services.new_data import StrayWordsError, read_rows
from proset.common.errors import ProsetError
from proset.data.issues import Role
from proset.data.missing_words import ColumnUnit, MissingWord
from proset.storage import from_bytes, to_bytes
from tests.dashboard.test_missing_page import press, upload

pytestmark = pytest.mark.usefixtures("worked_here")

ROWS = [
    f"{i * 7 % 60 + 40.5} kg,{i * 13 % 37} %,{'k.A.' if i == 3 else i % 11},{i % 8 / 4},{'xy'[i * 7 % 60 > 30]}"
    for i in range(90)
]
CSV = "\n".join(["weight,share,visits,dose,kind", *ROWS]).encode()


@pytest.fixture
def opened(app):
    upload(app, "mine.csv", CSV)
    app.target().set_value("kind").run()
    return app


def roles(at):
    return at.held.recipe.roles.by_column


def test_nothing_is_applied_on_its_own_and_one_click_applies(opened):
    assert "all 90 cells hold a number with 'kg' (row 1: '40.5 kg')" in opened.words()
    assert roles(opened)["weight"] is not Role.NUMERIC
    press(opened, "Read as numbers", key="units.0")
    assert opened.held.table.dialect.units == (ColumnUnit("kg", "weight"),)
    assert roles(opened)["weight"] is Role.NUMERIC
    assert roles(opened)["share"] is not Role.NUMERIC
    assert opened.held.recipe.roles.target == "kind"
    assert "The number is read beside 'kg' in 'weight'." in opened.words()
    assert "hold a number with 'kg'" not in opened.words()
    assert "hold a number with '%'" in opened.words()


@pytest.mark.slow
def test_units_and_missing_words_are_taken_back_apart_and_the_model_comes_back(opened):
    opened.fit()
    opened.go("data")
    former = opened.held.opened
    assert "the model fitted so far belongs to the table as it is now" in opened.words()
    press(opened, "Read all 2 as numbers")
    assert opened.held.study is None
    press(opened, "Count as missing", key="missing.sure.0")
    assert (len(opened.held.table.dialect.units), len(opened.held.table.dialect.missing)) == (2, 1)
    press(opened, "Take back", key="units.back")
    assert opened.held.table.dialect.units == ()
    assert opened.held.table.dialect.missing == (MissingWord("k.A.", "visits"),)
    press(opened, "Take back", key="missing.back.0")
    assert opened.held.opened is former
    assert opened.held.study is not None


@pytest.mark.slow
def test_reading_again_and_a_saved_study_keep_the_units(opened):
    press(opened, "Read all 2 as numbers")
    opened.selectbox(key="source.decimal").set_value(".")
    press(opened, "Read again")
    assert len(opened.held.table.dialect.units) == 2
    assert roles(opened)["share"] is Role.NUMERIC
    opened.target().set_value("kind").run()
    opened.fit()
    data = to_bytes(opened.held.study)
    opened.go("data")
    opened.file_uploader(key="source.study").set_value(("m.proset", data, "application/zip")).run()
    assert "The number is read beside 'kg' in 'weight', '%' in 'share'." in opened.words()
    assert not [button for button in opened.button if button.key == "units.back"]
    _new_rows(from_bytes(data))


def _new_rows(study):
    """New rows are read in the same unit; another one is refused with its row."""
    text = "\n".join(["weight,share,visits,dose", *(row.rpartition(",")[0] for row in ROWS)]).replace("k.A.", "3")
    assert read_rows(study, text.encode(), "new.csv").table.frame["weight"].dtype == "float64"
    with pytest.raises(ProsetError, match="row 1 of 'weight' holds '92 lb'"):
        read_rows(study, b"weight,share,visits,dose\n92 lb,5 %,1,2\n80 kg,4,2,1\n", "new.csv")


def test_a_strangers_unit_is_shown_as_it_is(app):
    rows = "\n".join(f"{i} a$x$*b*,{'xy'[i % 2]}" for i in range(40))
    upload(app, "mine.csv", f"dose,kind\n{rows}".encode())
    assert "with 'a$x$*b*'" in app.words()
    press(app, "Read as numbers", key="units.0")
    assert app.held.table.frame["dose"].dtype == "int64"


@pytest.mark.slow
def test_a_number_with_the_other_decimal_mark_is_named_with_a_way_out(app):
    rows = "\n".join(f"{i % 40 + 0.5},{'xy'[i % 40 > 20]}" for i in range(80))
    upload(app, "mine.csv", f"dose,kind\n{rows}".encode())
    app.target().set_value("kind").run()
    app.fit()
    with pytest.raises(StrayWordsError, match="row 2 of 'dose' holds '49,5'"):
        read_rows(app.held.study, b"dose;who\n3.5;a\n49,5;b\n7.25;c\n8.75;d\n", "new.csv")
