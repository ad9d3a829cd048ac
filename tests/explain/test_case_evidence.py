"""All evidence on a case, and its workbook."""

from io import BytesIO

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hostile.names import STRANGE, study_of

from proset.common.errors import StudyError
from proset.explain.evidence import Evidence
from proset.explain.sheets.case_sheets import report_sheets
from proset.explain.sheets.workbook import write_workbook


def test_the_lines_add_up(mixed_study):
    found = Evidence(mixed_study.case(5))
    shap = found.shap_frame()
    assert np.allclose(shap.iloc[:-1, 1:].sum(), shap.iloc[-1, 1:].astype(float))
    assert np.allclose(shap.iloc[-1, 1:].astype(float), found.report.probabilities)
    assert set(shap["column"].iloc[1:-1]) <= set(mixed_study.used_columns), "columns of the table, not of the matrix"
    familiar = found.familiarity_frame()
    assert familiar["adds"].iloc[:-1].sum() == pytest.approx(familiar["adds"].iloc[-1])
    assert familiar["adds"].iloc[-1] == pytest.approx(found.report.familiarity)


def test_a_new_row_is_the_same_case(mixed_study):
    frame = mixed_study.table.frame.loc[[5]]
    new, known = Evidence(mixed_study.case(frame)), Evidence(mixed_study.case(5))
    assert new.report.part == "new"
    pd.testing.assert_frame_equal(new.shap_frame(), known.shap_frame())
    with pytest.raises(StudyError, match="no row 5000"):
        Evidence(mixed_study.case(5000))


def test_the_workbook_has_every_sheet_and_the_dominant_set_is_tinted(mixed_study):
    found, buffer = Evidence(mixed_study.case(5)), BytesIO()
    write_workbook(report_sheets(found), buffer)
    book = openpyxl.load_workbook(buffer)
    assert book.sheetnames == [
        "report", "estimate", "beside prototypes", "nearest known cases", "values by class", "SHAP values",
        "why familiar",
    ]  # fmt: skip
    report = book["report"]
    column = 1 + [cell.value for cell in report[1]].index("dominant set")
    tinted = [line[0].fill.fgColor.rgb == "FFFFF2CC" for line in report.iter_rows(min_row=2)]
    marked = [line[column - 1].value == 1 and line[0].value is not None for line in report.iter_rows(min_row=2)]
    assert tinted == marked
    assert any(tinted)


@pytest.mark.slow
@pytest.mark.parametrize("name", [STRANGE["formula"], "class", STRANGE["quotes"]])
def test_any_names_do(name):
    found = Evidence(study_of(name).case(1))
    sheets = report_sheets(found)
    assert all(frame.columns.is_unique for frame in sheets.values())
    write_workbook(sheets, BytesIO())


def test_a_model_without_features_has_evidence_too(empty_study):
    found = Evidence(empty_study.case(1))
    assert len(found.shap_frame()) == 2
    assert found.familiarity_frame()["adds"].tolist() == [0.0, 0.0]
