"""The model workbook: what it holds, and how it looks."""

import json
from io import BytesIO

import openpyxl
import pytest
from hostile.names import NAMES, study_of
from variants import main_cases

from proset import explain
from proset.data.missing_words import MissingWord, declare
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.sheets.model_facts import limits, model_facts, quality_frame
from proset.explain.sheets.model_sheets import model_sheets
from proset.explain.sheets.workbook import write_workbook
from proset.explain.slices.conditions import Condition
from proset.explain.slices.slice import Slice
from proset.report import model_report
from proset.report.document import ReportTable
from proset.study import FitSettings, fit_study
from proset.study.decision import DecisionRule
from proset.study.repeats import with_repeats


@pytest.fixture(scope="module")
def book(mixed_study):
    buffer = BytesIO()
    found = explain.stability(mixed_study, n_repeats=2)
    write_workbook(model_sheets(mixed_study, stability=found), buffer)
    return openpyxl.load_workbook(buffer)


def test_every_sheet_is_there_with_its_lines(book, mixed_study):
    assert book.sheetnames == [
        "model", "columns", "quality", "classes", "confusion", "features", "prototypes", "held-out rows", "stability",
    ]  # fmt: skip
    assert book["prototypes"].max_row == 1 + len(mixed_study.prototypes)
    assert book["held-out rows"].max_row == 1 + len(mixed_study.split.held_out)
    assert mixed_study.table.fingerprint in [cell.value for cell in book["model"]["C"]]


def test_headers_stay_in_view_and_shares_are_per_cent(book):
    assert all(sheet.freeze_panes.endswith("2") for sheet in book.worksheets)
    rows = book["held-out rows"]
    assert rows.freeze_panes == "B2", "the row id stays where the sheet is moved sideways"
    assert rows.print_title_rows == "$1:$1"
    assert rows.page_setup.orientation == "landscape"
    headings = [cell.value for cell in rows[1]]
    assert rows.cell(2, 1 + headings.index("confidence")).number_format.endswith("%")
    assert rows.cell(2, 1 + headings.index("p big")).number_format.endswith("%")


def test_names_that_are_formulas_stay_text():
    lines = [f"{i % 9},{i % 5},{'=1+1' if i % 9 < 4 else '@b'}" for i in range(60)]
    table = read_table(("=cmd(),row,kind\n" + "\n".join(lines)).encode(), name="=evil.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles, settings=FitSettings(lambda_v=1e-3))
    buffer = BytesIO()
    write_workbook(model_sheets(study), buffer)
    book = openpyxl.load_workbook(buffer)
    cells = [cell for sheet in book.worksheets for line in sheet.iter_rows() for cell in line]
    assert {cell.data_type for cell in cells if str(cell.value).startswith(("=", "@"))} == {"s"}
    assert any(cell.value == "=1+1" for cell in cells)


def test_a_slice_counts_the_rows_that_the_other_sheets_and_the_report_count(mixed_study):
    checked, column = with_repeats(mixed_study), mixed_study.used_columns[0]
    sheet = model_sheets(checked, chosen=Slice((Condition.between(column, low=0.0),)))["slice"]
    assert sheet["rows"].iloc[-1] == len(checked.split.held_out)
    assert sheet["wrong"].iloc[-1] == checked.judged().loc[checked.split.held_out, "wrong"].sum()
    assert set(sheet["counted"]) == {"held-out rows"}


def test_the_rule_of_the_session_counts(mixed_study):
    rule = DecisionRule(cutoff=0.9)
    strict = model_sheets(mixed_study, rule=rule)
    predicted = strict["held-out rows"]["predicted"]
    assert predicted.tolist() == mixed_study.judged(rule).loc[mixed_study.split.held_out, "predicted"].tolist()
    assert strict["quality"].equals(quality_frame(mixed_study, rule))
    assert not strict["quality"].equals(quality_frame(mixed_study))


def test_the_facts_name_what_the_model_was_made_of(mixed_study):
    facts = model_facts(mixed_study)
    said = dict(facts.data)
    assert said["SHA-256 of the file"] == mixed_study.table.fingerprint
    assert facts.columns.loc["tag"].tolist() == ["identifier", "names the rows"]
    assert facts.classes["training rows"].sum() == len(mixed_study.split.train)
    assert dict(facts.settings)["n_iter"] == 2
    json.dumps(facts.to_dict())
    assert set(facts.to_frame()["about"]) == {"data", "settings", "made"}


def test_words_that_mean_missing_are_named_with_their_columns():
    text = "size,dose,kind\n" + "".join(f"{i % 7},{'k.A.' if i % 9 == 0 else i % 5},{'ab'[i % 2]}\n" for i in range(60))
    words = [MissingWord("k.A.", "dose"), MissingWord("k.A.", "size"), MissingWord("-999")]
    table = declare(read_table(text.encode()), words)
    study = fit_study(table, guess_roles(table, target="kind").roles, settings=FitSettings(num_candidates=20))
    assert dict(model_facts(study).data)["words that mean missing"] == "'k.A.' in dose, size; '-999' in all columns"


def test_limits_are_true_of_the_model(mixed_study, empty_study):
    said = " ".join(limits(mixed_study))
    assert f"{mixed_study.metrics.n_rows} held-out rows" in said
    unused = len(mixed_study.roles.features) - len(mixed_study.used_columns)
    assert ("does without" in said) == (unused > 0)
    assert "does without 2 features" in " ".join(limits(empty_study))


@pytest.mark.slow
@pytest.mark.parametrize("name", main_cases(NAMES, every=10))
def test_any_names_do(name):
    study = study_of(name)
    sheets = model_sheets(study)
    assert all(frame.columns.is_unique for frame in sheets.values())
    assert len(sheets["held-out rows"]) == len(study.split.held_out)
    assert set(explain.feature_weights(study).to_frame()["feature"]) == set(study.roles.features)
    for part in model_report(study, parts=["summary", "data", "prototypes", "limits"]).parts:
        assert all(block.frame.columns.is_unique for block in part.blocks if isinstance(block, ReportTable))


def test_of_very_many_rows_the_first_ones_are_written_and_the_sheet_says_so(mixed_study, monkeypatch):
    monkeypatch.setattr("proset.explain.sheets.model_sheets.MOST_CELLS", 60)
    sheets = model_sheets(mixed_study)
    name = next(name for name in sheets if name.startswith("held-out rows"))
    assert name == f"held-out rows, first {len(sheets[name])}"
    assert len(sheets[name]) < len(mixed_study.split.held_out)
