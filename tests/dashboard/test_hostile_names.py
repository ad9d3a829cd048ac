"""Columns and classes called like columns of this program, in the tables that pages show and people download."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from hostile.names import NAMES, OURS_CHANGED, study_of
from variants import main_cases

from dashboard.services import exports
from dashboard.services.case.beside import beside
from dashboard.services.case.evidence import sides
from dashboard.services.case.ledger import ledger
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case_list import listed
from dashboard.services.cases import CaseRef, CaseSet, Part
from dashboard.services.maps.map import map_frame
from dashboard.services.new_data import NewRowOrder, NewRows, ordered, score_rows, summary
from dashboard.services.prototypes import CardOrder, called, decides_words, own_words, table_frame, without_words
from dashboard.services.quality.quality import offers
from dashboard.services.quality.rules import rule_words
from proset import explain
from proset.explain.cases.case import explain_case
from proset.explain.cases.value_range import value_ranges
from proset.explain.maps.map import batch_map
from proset.explain.sheets.case_sheets import report_sheets
from proset.plots.confusion import plot_confusion
from proset.plots.familiarity import plot_familiarity
from proset.plots.prototypes import plot_prototypes
from proset.plots.value_places import plot_value_places
from proset.study import DecisionRule

# A study holds the names after its own, too.
MAIN = main_cases(NAMES, every=3)
EVERY = [*MAIN, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in OURS_CHANGED)]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_the_case_page_has_its_tables(name):
    study = study_of(name)
    case = explain_case(study, 1)
    sheets = report_sheets(CaseEvidence(study, CaseRef.in_table(1)), everything=False)
    assert all(sheet.columns.is_unique for sheet in sheets.values())
    assert sheets["beside prototypes"].shape[1] == 1 + case.neighbour_facts.shape[1] + case.neighbours.shape[1]
    assert len(pd.read_excel(io.BytesIO(exports.workbook_bytes(sheets)), sheet_name=None, engine="openpyxl")) == len(
        sheets
    )
    compared = beside(CaseEvidence(study, CaseRef.in_table(1)), most_used=99, most_unused=99)
    lines = [line.column for line in compared.lines]
    assert lines == [*value_ranges(study), *(name for name in lines if name not in study.used_columns)]
    assert all(len(line.cells) == len(compared.heads) for line in compared.lines)
    assert ledger(case).sum.gap < 1e-9
    assert sides(case)[0].label == case.predicted
    assert CaseEvidence(study, CaseRef.in_table(1)).headline.predicted == case.predicted
    lines = pd.read_csv(io.BytesIO(exports.csv_bytes(case.report, index=False)), encoding="utf-8-sig")
    assert lines.shape == case.report.shape


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_the_map_page_has_its_tables(name):
    study = study_of(name)
    frame = map_frame(study, batch_map(study), Part.ALL)
    assert frame.columns.is_unique
    assert frame.shape[1] == 8 + study.table.frame.shape[1]
    assert len(pd.read_csv(io.BytesIO(exports.csv_bytes(frame)), encoding="utf-8-sig")) == len(frame)
    wrong = listed(study, study.judged(), CaseSet(Part.ALL))
    assert wrong.columns.is_unique
    assert wrong.columns[1:].tolist() == ["actual", "predicted", "confidence", "familiarity", "in words", "part"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MAIN)
def test_the_fit_page_has_its_downloads(name):
    study = study_of(name)
    for frame in (study.metrics.confusion, study.feature_weights, study.prototypes, study.predictions):
        back = pd.read_csv(io.BytesIO(exports.csv_bytes(frame)), encoding="utf-8-sig", keep_default_na=False)
        assert back.shape == (len(frame), 1 + frame.shape[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[::4])  # each study has the names after this one, too
def test_the_new_data_page_has_its_list_and_downloads(name):
    study = study_of(name)
    scored = score_rows(study, NewRows(study.table), DecisionRule(leave_below=0.1))
    assert scored.lines.columns.is_unique
    assert scored.output.columns.is_unique
    assert ordered(scored.lines, NewRowOrder.UNUSUAL).shape == scored.lines.shape
    assert summary(study, scored).startswith(f"{len(scored.lines):,} rows: ")
    lines = pd.read_csv(io.BytesIO(exports.csv_bytes(scored.output, index=False)), encoding="utf-8-sig")
    assert lines.shape == scored.output.shape
    assert explain.value_places(study, 1).to_frame().columns.is_unique
    plot_value_places(explain.value_places(study, 1))
    plot_familiarity(explain.familiarity(study, groups=study.table.frame.columns[0]), classes=study.classes)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[::5])
def test_the_quality_and_the_prototypes_page_have_their_tables_and_words(name):
    study = study_of(name)
    found = explain.quality(study)
    for frame in (found.confusion, found.curves.points(), found.curves.to_frame(), found.verdict.table()):
        back = pd.read_csv(io.BytesIO(exports.csv_bytes(frame)), encoding="utf-8-sig", keep_default_na=False)
        assert back.shape == (len(frame), 1 + frame.shape[1])
    plot_confusion(found.confusion)
    judged = study.judged()
    for offer in offers(judged, Part.ALL, study.classes):
        assert len(offer.cases.rows(judged)) == offer.count
        assert "\n" not in offer.cases.counted(offer.count)
    assert "\n" not in rule_words(DecisionRule(cutoff=0.4), study.classes[:2])
    table = called(study, explain.prototypes(study))
    assert table_frame(table, CardOrder.CASES).columns.is_unique
    plot_prototypes(table, picked=0)
    if len(table.frame):
        first = table.frame.iloc[0]
        view = explain.prototype_view(study, int(first["batch"]), int(first["row"]))
        for said in (decides_words(view), without_words(view), own_words(0.2, view.target, study.classes[0])):
            assert "\n" not in said
