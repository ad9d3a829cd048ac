"""The Report page: what is chosen stands in the address, and the files hold what the page shows."""

from __future__ import annotations

import openpyxl
import pandas as pd
import pytest

from dashboard import cache
from dashboard.components import report_part
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.report import Wish
from proset.common.errors import StudyError
from proset.report import html_file, part_titles
from proset.study.decision import MOST_PROBABLE


@pytest.fixture
def opened(open_app, iris_study):
    def start(**query):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app("report", data="iris_2f", fit="own", **query)

    return start


def test_the_model_comes_first_and_parts_can_be_left_out(opened, iris_study):
    at = opened()
    assert not at.exception
    titles = [name for name in part_titles(case=False) if name != "stability"]
    pills = next(group for group in at.get("button_group") if group.key == "report.parts.model")
    assert pills.value == titles
    inside = next(group for group in at.get("button_group") if group.key == "report.inside")
    assert (pills.label, inside.label) == ("In the file", "Preview")  # two rows of the same words
    assert at.get("popover")[-1].proto.popover.label == "In the file"  # so that one of them is folded
    assert [header.value for header in at.header] == ["In short", "Map"]  # the finding, and its picture beside it
    assert [button.label for button in at.get("download_button")][:2] == [
        "Download the report (HTML)", "Download the workbook (.xlsx)",
    ]  # fmt: skip
    assert "adds to" in at.words() or "class shares" in at.words()
    pills.set_value([name for name in titles if name != "map"]).run()
    assert "".join(at.query_params["without"]) == "map"
    assert "Left out of the file: Map." in at.words()
    assert [header.value for header in at.header] == ["In short"]
    at.go("fit").go("report")
    pills = next(group for group in at.get("button_group") if group.key == "report.parts.model")
    assert "map" not in pills.value


def test_a_part_is_looked_at_from_the_address(opened, iris_study):
    at = opened(inside="data")
    assert not at.exception
    assert at.header[0].value == "Data and roles"
    values = at.table[0].value["value"].tolist()
    assert iris_study.table.fingerprint in values


def test_a_case_has_its_own_parts_and_without_one_it_says_so(opened):
    at = opened(about="case")
    assert "No case is selected." in at.words()
    at = opened(about="case", row="71", inside="evidence")
    assert not at.exception
    assert at.header[0].value == "Sum"
    at = opened(about="case", row="71")
    assert [header.value for header in at.header] == ["Verdict", "Sum"]
    assert len(at.dataframe) == 1  # of the sum the picture only: its table would be cut
    pills = next(group for group in at.get("button_group") if group.key == "report.parts.case")
    assert pills.value == list(part_titles(case=True))


def test_nothing_left_is_said(opened):
    at = opened(without=",".join(name for name in part_titles(case=False)))
    assert not at.exception
    assert "Every part is left out." in at.words()


def test_the_address_takes_known_parts_only(opened):
    at = opened(without="nonsense")
    assert not at.exception
    assert "without = 'nonsense'" in at.words()


def test_the_files_are_the_report(iris_study, monkeypatch, tmp_path):
    monkeypatch.setattr(html_file, "_drawing_code", lambda: "window.Plotly = {};")
    model = Wish(iris_study, MOST_PROBABLE)
    text = model.html(("summary", "data")).decode()
    assert 'id="data"' in text
    assert 'id="map"' not in text
    assert model.stem == "iris_2f-report"
    case = Wish(iris_study, MOST_PROBABLE, evidence=CaseEvidence(iris_study, CaseRef.in_table(71)))
    assert "Row 71 of" in case.html(("verdict",)).decode()
    (tmp_path / "c.xlsx").write_bytes(case.workbook())
    assert openpyxl.load_workbook(tmp_path / "c.xlsx").sheetnames[0] == "report"
    new = iris_study.table.frame.iloc[[3]].set_axis([1])
    found = Wish(
        iris_study, MOST_PROBABLE, evidence=CaseEvidence(iris_study, CaseRef(CaseSource.NEW, 1), {CaseSource.NEW: new})
    )
    assert found.stem == "iris_2f-new-row-1"
    assert found.document(("verdict",)).parts
    with pytest.raises(StudyError, match="no new row 1"):
        CaseEvidence(iris_study, CaseRef(CaseSource.NEW, 1))


def test_numbers_are_written_as_in_the_file(monkeypatch):
    shown = []
    monkeypatch.setattr("dashboard.components.report_part.st.dataframe", lambda table, **_: shown.append(table))
    frame = pd.DataFrame({"value": [0.5141692, None], "share": [0.25, 0.9999]})
    report_part._table(frame, key="k", alt="x", shares=("share",))
    text = shown[0].to_string()
    assert "0.5142" in text
    assert "0.51416" not in text
    assert "nan" not in text
    assert "over 99.9 %" in text
