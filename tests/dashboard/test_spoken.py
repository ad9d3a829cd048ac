"""What the values of a case say, each alone: only where the model looks at it, in the words of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.services.case.beside import value_lines
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.spoken import LEAST, spoken, spoken_sentence, spoken_words
from dashboard.services.cases import CaseRef
from proset.data.samples import load_sample, sample_roles
from proset.data.scales import Scale
from proset.explain.subject import subject_of
from proset.study import FitSettings, Study, fit_study

SETTINGS = FitSettings(n_iter=2, lambda_v=2e-3, num_candidates=60)


@pytest.fixture(scope="module", params=["heart", "penguins"])
def study(request) -> Study:
    """Two classes and categories; three classes, dates and empty cells."""
    name = request.param
    return fit_study(load_sample(name), sample_roles(name), settings=replace(SETTINGS, scale=Scale.EVIDENCE))


def test_a_value_speaks_for_the_class_whose_odds_it_raises_most(study):
    subject, rows = subject_of(study), study.split.held_out[:20].tolist()
    X = study.encode(rows).X
    heard = 0
    for name in study.used_columns:
        found = spoken(subject, X, name)
        columns = [j for j, column in enumerate(study.design.columns) if column.source == name]
        used = {study.design.columns[j].evidence_for for j in subject.manager.get_active_features().tolist()
                if j in columns} - {None}  # fmt: skip
        assert (found[0] is not None) == bool(used)
        for row, said in zip(X, found, strict=True):
            if said is None:
                continue
            weights = {
                column.evidence_for: row[j] * column.scale
                for j in columns
                if (column := study.design.columns[j]).evidence_for is not None
            }
            if len(study.classes) == 2:
                ((name_of, weight),) = weights.items()
                weights |= {label: -weight for label in study.classes if label != name_of}
            assert (
                said[1] == pytest.approx(weights[said[0]], abs=1e-5) == pytest.approx(max(weights.values()), abs=1e-5)
            )
            heard += 1
    assert heard


def test_the_page_has_it_in_each_cell(study):
    evidence = CaseEvidence(study, CaseRef.in_table(int(study.split.held_out[0])))
    lines = value_lines(evidence, study.used_columns)
    texts = [spoken_words(line.cells[0].spoken) for line in lines]
    assert any(text.startswith("says ") for text in texts)
    sentence = spoken_sentence([(line.column, line.cells[0].text, line.cells[0].spoken) for line in lines])
    assert sentence.startswith("Looked at alone, ")
    loud = [line for line in lines if line.cells[0].spoken and line.cells[0].spoken[1] >= LEAST]
    assert loud[0].column in sentence or len(loud) > 3


def test_where_the_model_looks_at_values_alone_nothing_is_said():
    plain = fit_study(load_sample("heart"), sample_roles("heart"), settings=SETTINGS)
    evidence = CaseEvidence(plain, CaseRef.in_table(int(plain.split.held_out[0])))
    lines = value_lines(evidence, plain.used_columns)
    assert {spoken_words(line.cells[0].spoken) for line in lines} == {""}
    assert spoken_sentence([("age", "3", None)]) == ""
