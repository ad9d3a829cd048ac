"""A share reads the same wherever it is read: page, figure, report, command line and workbook."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import proset
from dashboard.components import tables
from dashboard.components.maps import case_card
from dashboard.services.case.ledger import addition
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.exports import workbook_bytes
from dashboard.services.fit.verdict import measures, notice
from proset.cli import main
from proset.common.words import percent
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain import Evidence
from proset.explain.cases.case import explain_case
from proset.explain.sheets.case_sheets import report_sheets
from proset.plots.contributions import plot_contributions
from proset.study import FitSettings, Study, fit_study
from proset.study.judging import judge_model
from proset.study.verdict_words import verdict_sentences


@pytest.fixture(scope="module")
def study() -> Study:
    """Two far clusters and a few rows between them: estimates from next to certain to doubtful."""
    random = np.random.default_rng(0)
    size = np.concatenate([random.normal(-4, 0.3, 90), random.normal(4, 0.3, 90), random.normal(0, 1, 20)])
    frame = pd.DataFrame({"size": size.round(3), "kind": np.where(size > 0, "big", "small")})
    table = read_table(frame.to_csv(index=False).encode(), name="sizes.csv")
    settings = FitSettings(lambda_v=1e-6, lambda_w=1e-9)
    return fit_study(table, guess_roles(table, target="kind").roles, settings=settings)


@pytest.fixture(scope="module")
def rows(study) -> list[int]:
    """A row of which the model is next to certain, the most doubtful one, and two between."""
    order = study.predictions["confidence"].sort_values(kind="stable").index
    chosen = [int(order[place]) for place in (0, 5, 12, -1)]
    assert percent(study.predictions.loc[chosen[-1], "confidence"]) == "over 99.9 %"
    return chosen


def seen(cell) -> str:
    """Return what a spreadsheet shows of a share."""
    pattern = cell.number_format
    if pattern.startswith('"'):
        return pattern.strip('"')
    return f"{100 * cell.value:.{pattern.count('0') - 1}f} %"


def test_a_case_reads_the_same_everywhere(study, rows, tmp_path: Path, capsys) -> None:
    model = tmp_path / "m.proset"
    proset.save(study, model)
    for row in rows:
        case = explain_case(study, row)
        expected = percent(case.probabilities[case.predicted])
        lines = CaseEvidence(study, CaseRef.in_table(row)).headline
        assert f"({expected})" in case_card.verdict(lines)
        assert f"with {expected}" in case.words[0]
        assert addition(case.report, case.predicted).words.endswith(f"= {expected}")
        bars = tables.in_words(case.probabilities.rename("share").to_frame(), ["share"]).to_string()
        assert expected in bars
        figure = plot_contributions(case)
        assert [text.strip() for text in figure.data[-1].text] == [f"= {percent(p)}" for p in case.probabilities]

        files = {"app": tmp_path / "app.xlsx", "command line": tmp_path / "cli.xlsx"}
        files["app"].write_bytes(workbook_bytes(report_sheets(Evidence(study.case(row)), everything=False)))
        assert main(["explain", str(model), "--row", str(row), "-o", str(files["command line"])]) == 0
        out = capsys.readouterr().out
        assert case.words[0] in out
        assert re.search(rf"^ +{re.escape(expected)}  {case.predicted}$", out, re.MULTILINE)
        for path in files.values():
            book = openpyxl.load_workbook(path)
            assert book.sheetnames == ["report", "estimate", "beside prototypes"]
            header = [cell.value for cell in book["report"][1]]
            cell = book["report"].cell(2, 1 + header.index(f"p class {case.predicted}"))
            assert seen(cell) == expected
            assert cell.value == pytest.approx(case.probabilities[case.predicted], rel=1e-12)  # as precise as before
            shown = {line[0].value: seen(line[1]) for line in book["estimate"].iter_rows(min_row=2)}
            assert shown == {name: percent(p) for name, p in case.probabilities.items()}
            familiarity = str(book["report"].cell(2, 1 + header.index("sample name")).value)
            assert familiarity.endswith(f"familiarity {percent(case.quantile)}")
        assert percent(case.quantile) in " ".join(case.words) or case.quantile < 0.01


def test_the_two_workbooks_are_the_same(study, rows, tmp_path: Path, capsys) -> None:
    model, path = tmp_path / "m.proset", tmp_path / "case.xlsx"
    proset.save(study, model)
    assert main(["explain", str(model), "--row", str(rows[0]), "-o", str(path)]) == 0
    app = report_sheets(Evidence(study.case(rows[0])), everything=False)
    for name, sheet in pd.read_excel(path, sheet_name=None, engine="openpyxl").items():
        assert sheet.shape == app[name].shape


def test_shares_in_a_table_are_numbers_that_read_as_words() -> None:
    frame = pd.DataFrame({"p": [0.99996, 0.0, 0.25, np.nan]})
    styled = tables.in_words(frame, ["p"])
    assert [line.split("  ")[-1].strip() for line in styled.to_string().splitlines()[1:5]][:3]
    for text in ("over 99.9 %", "0 %", "25.0 %"):
        assert text in styled.to_string()
    large = pd.DataFrame({"p": np.full(tables.MOST_CELLS + 1, 0.99996)})
    assert set(tables.in_words(large, ["p"])["p"]) == {"over 99.9 %"}


def test_the_command_line_gives_the_verdict_of_the_page(study, tmp_path: Path, capsys) -> None:
    table = tmp_path / "sizes.csv"
    study.table.frame.to_csv(table, index=False)
    assert main(["fit", str(table), "-t", "kind", "-o", str(tmp_path / "m.proset")]) == 0
    out = capsys.readouterr().out
    fitted = proset.load(tmp_path / "m.proset")
    verdict = judge_model(fitted)
    found = notice(fitted, verdict)
    said = verdict_sentences(verdict, counts=False)  # the page has the counts in its headline
    assert found.text == " ".join(said)
    for sentence in (*said, f"right for {verdict.n_right} of {verdict.n_decided} held-out rows"):
        assert " ".join(sentence.split()) in " ".join(out.split())
    assert found.advice in " ".join(out.split())
    for entry in measures(fitted, verdict):
        assert re.search(rf"(?i){entry.label} +{re.escape(entry.value)} +{re.escape(entry.naive)}", out)
    for entry in verdict.classes:
        assert re.search(
            rf"{entry.name} +{re.escape(percent(entry.recall))} +{re.escape(percent(entry.precision))}", out
        )


def test_a_column_has_the_same_decimals_in_all_lines_and_a_similarity_is_no_share():
    frame = pd.DataFrame({"weight": [2.25, 0.0605, 0.0005], "similarity": [0.9999, 0.163, 0.001]})
    assert "nan" not in tables.in_words(frame.reindex(range(4)), [], even=["weight"], near=["similarity"]).to_string()
    lines = tables.in_words(frame, [], even=["weight"], near=["similarity"]).to_string().split("\n")[1:4]
    assert [line.split(maxsplit=1)[1] for line in lines] == [
        "2.25 over 0.99",
        "0.06 0.16",
        "< 0.01 under 0.01",
    ]
