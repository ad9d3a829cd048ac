"""Services of the Case page: the headline, the sum, the comparison, and the files."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.services import exports
from dashboard.services.case.beside import beside, plain_value
from dashboard.services.case.known import nearest_lines, nearest_note
from dashboard.services.case.ledger import addition, ledger, round_to_total
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.verdict import nearest_sentence, verdict
from dashboard.services.cases import CaseRef
from dashboard.services.review.case import Drawing, draw_case
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain import Evidence
from proset.explain.cases.case import explain_case
from proset.explain.sheets.case_sheets import report_sheets
from proset.study import fit_study


@pytest.fixture(scope="module")
def penguin_study():
    """Categories, missing values and an identifier."""
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


@pytest.fixture(scope="module")
def cancer_evidence():
    """Evidence on a case that is wrong, with columns that contradict."""
    return CaseEvidence(fit_study(load_sample("cancer"), sample_roles("cancer")), CaseRef.in_table(298))


@pytest.fixture(scope="module")
def unlabelled_study():
    """A small table in which some rows have no target."""
    lines = ["size,kind"] + [f"{v / 10},{'big' if v > 20 else 'small'}" for v in range(40)] + ["1.5,", "3.5,"]
    table = read_table("\n".join(lines).encode(), name="sizes.csv")
    return fit_study(table, guess_roles(table, target="kind").roles)


@pytest.fixture(scope="module")
def report(iris_study):
    """The explanation of the most confident error of the study."""
    predictions = iris_study.predictions
    wrong = predictions[predictions["actual"] != predictions["predicted"]]
    return explain_case(iris_study, int(wrong["confidence"].idxmax()))


def test_headline_says_what_the_study_says(iris_study):
    for row in iris_study.split.held_out[:10]:
        lines, line = CaseEvidence(iris_study, CaseRef.in_table(row)).headline, iris_study.predictions.loc[row]
        assert (lines.predicted, lines.actual) == (line["predicted"], line["actual"])
        assert lines.correct is bool(line["correct"])
        assert lines.confidence == line["confidence"] == iris_study.probabilities.loc[row].max()
        assert lines.part == "held-out row"
        assert lines.name == f"Row {row}"


def test_headline_names_the_identifier(penguin_study):
    column = penguin_study.roles.identifier
    row = int(penguin_study.table.frame.index[4])
    assert column is not None
    lines = CaseEvidence(penguin_study, CaseRef.in_table(row)).headline
    assert lines.name == f"Row {row} ({column} {penguin_study.table.frame.loc[row, column]})"


def test_a_known_case_has_the_name_by_which_the_prototypes_of_the_page_go():
    rows = [f"{1_000 + 3 * v},{v / 10},{'big' if v > 60 else 'small'}" for v in range(120)]
    table = read_table("\n".join(["employee,size,kind", *rows]).encode(), name="sizes.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles.with_role("employee", Role.IDENTIFIER))
    evidence = CaseEvidence(study, CaseRef.in_table(int(study.split.held_out[0])))
    lines = nearest_lines(evidence)
    assert lines["name"].tolist() == [f"row {row}" for row in lines["row"]]
    assert f"nearest known case: row {lines['row'].iloc[0]}, " in " ".join(
        chip.text for chip in verdict(evidence).chips
    )
    named = [name for name, _ in ledger(evidence.listed).sum.terms[1:] if not name.endswith(("other", "others"))]
    assert named
    assert all(name.startswith("row ") for name in named)
    assert evidence.listed.report["sample name"].iloc[0] == evidence.report.report["sample name"].iloc[0]
    drawn = draw_case(evidence, Drawing(study.id, lambda _: 1, "00", unseen=False))
    assert drawn["leading"].startswith(f"Row {evidence.sides[0].voices[0].row} ")


def test_known_cases_as_near_as_the_last_one_listed_are_counted():
    lines = ["size,kind"] + [f"{v % 3},{'big' if v % 3 > 1 else 'small'}" for v in range(120)]
    table = read_table("\n".join(lines).encode(), name="sizes.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles)
    evidence = CaseEvidence(study, CaseRef.in_table(int(study.split.held_out[0])))
    listed = nearest_lines(evidence)
    known = int(evidence.contradictions.nearest["by_model"].sum())
    assert known > len(listed) == 20
    assert f"{known - 20} more known cases are as near as the last." in nearest_note(evidence, listed)


def test_headline_of_a_row_without_a_target_claims_nothing(unlabelled_study):
    row = int(unlabelled_study.split.unlabelled[0])
    lines = CaseEvidence(unlabelled_study, CaseRef.in_table(row)).headline
    assert (lines.actual, lines.correct, lines.part) == (None, None, "row without a target")


@pytest.mark.parametrize("shown", [0, 1, 4, 1000])
@pytest.mark.parametrize("digits", [2, 3, 6])
def test_the_shown_numbers_add_up_exactly(report, shown, digits):
    for label in report.classes:
        parts = addition(report.report, label, shown=shown, digits=digits)
        assert sum(round(value * 10**digits) for _, value in parts.terms) == round(parts.total * 10**digits)
        assert parts.total == round(float(report.probabilities[label]), digits)
        assert parts.gap < 1e-6


def test_the_sum_names_prototypes_as_the_report_does_largest_first(report):
    parts = addition(report.report, report.predicted, shown=2)
    column = report.prototypes[f"p class {report.predicted}"]
    top = report.prototypes.loc[column.sort_values(ascending=False, kind="stable").index[:2], "sample name"]
    assert [name for name, _ in parts.terms[:3]] == ["class shares", *top]
    assert parts.words.endswith(f"= {percent(parts.estimate)}")


def test_the_sum_shows_the_same_digits_as_the_table(report):
    parts = addition(report.report, report.predicted, shown=2)
    column = report.report.set_index("sample name")[f"p class {report.predicted}"]
    assert "other" in parts.terms[-1][0]
    for name, value in parts.terms[1:-1]:
        assert f"{value:.3f}" == f"{column[name]:.3f}"


@pytest.mark.parametrize(("shares", "named"), [((0.3886, 0.3634, 0.0724), 3), ((0.7506, 0.0284, 0.0024), 1)])
def test_only_what_adds_little_goes_unnamed_for_the_sake_of_rounding(shares, named):
    lines = [sum(shares) + 0.0013, 0.0013, *shares]
    names = ["case", "marginal", "row 8", "row 3", "row 5"]
    report = pd.DataFrame({"batch": [None, None, 1, 1, 1], "sample name": names, "p class a": lines})
    parts = addition(report, "a")
    assert sum(round(1000 * value) for _, value in parts.terms) == round(1000 * parts.total)
    assert parts.named == named
    assert all(abs(value - own) <= 0.0011 for (_, value), own in zip(parts.terms[1 : 1 + named], shares, strict=False))


def test_a_report_that_does_not_add_up_is_told_on():
    broken = pd.DataFrame(
        {"batch": [None, None, 1], "sample name": ["case", "marginal", "row 8"], "p class a": [0.8, 0.2, 0.3]}
    )
    assert addition(broken, "a").gap == pytest.approx(0.3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 6))
def test_rounding_to_a_total_keeps_the_sum_and_stays_within_a_unit(values, digits):
    total = round(sum(values), digits)
    rounded = round_to_total(values, total, digits=digits)
    assert round(sum(rounded) * 10**digits) == round(total * 10**digits)
    assert all(abs(a - b) <= 1.01 * 10**-digits for a, b in zip(values, rounded, strict=True))


def test_a_case_stands_beside_the_cases_that_the_page_names(cancer_evidence):
    found, study = (
        beside(cancer_evidence, typical=lambda name: {"benign": 252, "malignant": 434}[name]),
        cancer_evidence.study,
    )
    assert (found.said, found.other) == ("benign", "malignant")
    near = cancer_evidence.nearest
    whats = {head.what: head.row for head in found.heads}
    assert whats["this case"] == 298
    assert whats["nearest benign"] == near.of("benign")["row"].iloc[0]
    assert whats["nearest malignant"] == near.of("malignant")["row"].iloc[0]
    assert whats["typical malignant"] == 434
    leading = cancer_evidence.report.prototypes
    assert whats["leading for benign"] == leading.loc[leading["target"] == "benign", "sample"].iloc[0]
    assert whats["leading for malignant"] == leading.loc[leading["target"] == "malignant", "sample"].iloc[0]
    for line in found.lines:
        texts = [plain_value(study.table.frame.loc[head.row, line.column]) for head in found.heads]
        assert [cell.text for cell in line.cells] == texts
        assert line.used == (line.column in study.used_columns)
    assert [line.column for line in found.lines if line.used] == list(cancer_evidence.ranges)
    against = cancer_evidence.contradictions
    assert [line.column for line in found.lines if line.contradicts] == list(against.contradicting)


def test_a_row_that_is_named_for_two_reasons_stands_there_once(cancer_evidence):
    near = int(cancer_evidence.nearest.of("benign")["row"].iloc[0])
    found = beside(cancer_evidence, typical=lambda name: near)
    mine = [head for head in found.heads if head.row == near]
    assert [head.what for head in mine] == ["nearest benign, typical benign, typical malignant"]
    assert not mine[0].typical
    assert len({head.row for head in found.heads}) == len(found.heads)


def test_tints_and_ranges_are_those_of_the_training_rows(cancer_evidence):
    study = cancer_evidence.study
    train = study.table.frame.loc[study.split.train]
    for line in beside(cancer_evidence).lines:
        low, high = line.ends
        values = [train.loc[train["diagnosis"] == name, line.column] for name in ("benign", "malignant")]
        for known, part in zip(values, line.ranges, strict=True):
            expected = (np.quantile(known, [0.05, 0.25, 0.5, 0.75, 0.95]) - low) / (high - low)
            assert np.allclose([part.p05, part.q25, part.median, part.q75, part.p95], expected, atol=1e-4)
        here = study.table.frame.loc[298, line.column]
        assert line.at == pytest.approx((here - low) / (high - low), abs=1e-4)
        fits = [2 * min((known < here).mean(), (known > here).mean()) for known in values]
        if abs(fits[0] - fits[1]) > 0.1:
            assert (line.cells[0].lean > 0) == (fits[0] > fits[1])
        moved = line.between(0.0, 2 * high)
        assert moved.at == pytest.approx(here / (2 * high), rel=1e-3)
    flip = cancer_evidence.flip.smallest
    line = next(line for line in beside(cancer_evidence).lines if line.column == flip.feature)
    low, high = line.ends
    assert line.flip == pytest.approx((flip.after - low) / (high - low))


def test_levels_have_shares_and_missing_values_no_tint(penguin_study):
    missing = penguin_study.table.frame["sex"].isna()
    row = int(next(row for row in penguin_study.split.held_out if missing[row]))
    found = beside(CaseEvidence(penguin_study, CaseRef.in_table(row)), most_used=20, most_unused=20)
    lines = {line.column: line for line in found.lines}
    numbers = [name for name in lines if pd.api.types.is_numeric_dtype(penguin_study.table.frame[name])]
    for name in numbers:  # a missing level is a level
        for cell in lines[name].cells:
            assert cell.text != "missing" or cell.lean == 0.0
    island = lines["island"]
    train = penguin_study.table.frame.loc[penguin_study.split.train]
    level = penguin_study.table.frame.loc[row, "island"]
    for name, part in zip((found.said, found.other), island.ranges, strict=True):
        assert part.q75 == pytest.approx((train.loc[train["species"] == name, "island"] == level).mean())
    assert (island.at, island.flip) == (None, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1,234,567"),
        (0.000123456, "0.0001235"),
        (np.float32(2.5), "2.5"),
        (True, "yes"),
        (np.bool_(False), "no"),
        (None, "missing"),
        (np.nan, "missing"),
        (pd.NaT, "missing"),
        (pd.Timestamp("2024-05-01 10:30"), "2024-05-01 10:30:00"),
        ("=1+1", "=1+1"),
    ],
)
def test_values_as_people_write_them(value, text):
    assert plain_value(value) == text


def test_the_workbook_holds_the_numbers_of_the_report(report, iris_study):
    sheets = pd.read_excel(
        BytesIO(exports.workbook_bytes(report_sheets(Evidence(iris_study.case(report.row)), everything=False))),
        sheet_name=None,
        engine="openpyxl",
    )
    assert list(sheets) == ["report", "estimate", "beside prototypes"]
    for label in report.classes:
        np.testing.assert_allclose(sheets["report"][f"p class {label}"], report.report[f"p class {label}"], rtol=1e-12)
    estimate = sheets["estimate"].set_index("class")
    np.testing.assert_allclose(estimate.loc[list(report.classes), "probability"], report.probabilities, rtol=1e-12)
    assert estimate.index[estimate["estimate"]].tolist() == [report.predicted]
    assert estimate.index[estimate["actual"]].tolist() == [report.actual]
    assert len(sheets["beside prototypes"]) == len(report.neighbours)


HOSTILE = ["=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_never_holds_a_formula(text):
    frame = pd.DataFrame({text: [text, "fine"], "n": [-1.5, 2.0]}, index=pd.Index([text, "b"], name=f"{text} id"))
    back = pd.read_csv(BytesIO(exports.csv_bytes(frame)), encoding="utf-8-sig", keep_default_na=False)
    cells = [*back.columns, *back.iloc[:, 0], *back.iloc[:, 1]]
    assert not any(str(cell).startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert back["n"].tolist() == [-1.5, 2.0]


@pytest.mark.parametrize("value", ["-2.5", "+3", "-1e-5", "-2,5"])
def test_csv_leaves_numbers_written_as_text_alone(value):
    assert exports.csv_bytes(pd.DataFrame({"n": [value, "a"]}), index=False).decode("utf-8-sig").count("'") == 0


def test_csv_neutralises_categories_and_keeps_missing_values():
    frame = pd.DataFrame({"c": pd.Categorical(["=x", None]), "s": pd.Series(["@y", None], dtype="str")})
    lines = exports.csv_bytes(frame, index=False).decode("utf-8-sig").splitlines()
    assert lines[:2] == ["c,s", "'=x,'@y"]
    assert set(lines[2]) <= {",", '"'}


@pytest.mark.parametrize(
    ("words", "stem"),
    [(("../../etc/passwd", 3), "etc_passwd-3"), (("a b.csv", "row", 7), "a_b-row-7"), (("///",), "proset")],
)
def test_file_names_are_safe_everywhere(words, stem):
    assert exports.file_stem(*words) == stem


def test_a_number_that_is_named_is_that_of_the_table():
    # 0.2 + 60.5 + 34.7 + 2.5 + 1.6 would make 99.5: what rounding takes is not taken from a number that is named.
    report = pd.DataFrame(
        {
            "batch": [None, None, 1, 1, 1, 1],
            "sample name": ["case", "marginal", "A", "B", "C", "D"],
            "p class a": [0.9943, 0.0015, 0.6049, 0.3466, 0.0252, 0.0161],
        }
    )
    parts = addition(report, "a")
    assert parts.words == "0.2 % (class shares) + 60.5 % (A) + 34.7 % (B) + 4.0 % (2 others) = 99.4 %"
    tiny = report.assign(**{"p class a": [0.99996, 0.00001, 0.9999, 0.00003, 0.00001, 0.00001]})
    assert addition(tiny, "a").words.endswith("= over 99.9 %")
    assert "under 0.1 % (class shares)" in addition(tiny, "a").words
    assert " 0.0 %" not in addition(tiny, "a").words


@pytest.mark.parametrize(
    ("alike", "end"),
    [
        (20, "All 20 known cases nearest to it are 'benign'."),
        (5, "though only 5 of them are anything like it (similarity of at least 0.1)."),
        (1, "though only 1 of them is anything like it (similarity of at least 0.1)."),
        (0, "though none of them is anything like it (similarity of at least 0.1)."),
    ],
)
def test_near_is_said_of_what_is_alike(alike, end):
    study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    against = replace(CaseEvidence(study, CaseRef.in_table(298)).contradictions, alike=alike)
    assert nearest_sentence(against).endswith(end)
