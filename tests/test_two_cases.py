"""What docs/two_cases.md says of two cases is what the engine says, but for the last digits of a solver."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.explain.cases.case import explain_case
from proset.study import fit_study

_TOLD = (Path(__file__).parents[1] / "docs" / "two_cases.md").read_text(encoding="utf-8")
# A solver stops elsewhere by a little on another processor; what is told does not hang on that.
_SHARE, _SIMILARITY, _RELATIVE = 0.015, 0.015, 0.02


@pytest.fixture(scope="module", params=[("cancer", 298), ("digits", 6)], ids=["cancer", "digits"])
def told(request):
    """The study, the case and the chapter about it."""
    name, row = request.param
    study = fit_study(load_sample(name), sample_roles(name))
    chapter = next(part for part in _TOLD.split("\n## ") if f"data={name}&fit=own&row={row}`" in part)
    return study, explain_case(study, row), chapter


def said(pattern: str, chapter: str) -> float:
    """Return the number that a sentence names; per cent as a share."""
    found = re.search(pattern, chapter)
    assert found is not None, pattern
    return float(found[1]) / (100.0 if found[0].rstrip().endswith("%") else 1.0)


def test_the_estimate_and_the_error(told):
    study, case, chapter = told
    estimate = said(rf"`{case.predicted}` with ([\d.]+) %", chapter)
    assert case.probabilities.max() == pytest.approx(estimate, abs=_SHARE)
    assert f"table says `{case.actual}`" in chapter
    assert case.predicted != case.actual
    judged = study.judged()
    wrong = judged[(judged["part"] == "held_out") & judged["wrong"]]
    assert wrong["confidence"].idxmax() == case.row


def test_the_dominant_set(told):
    study, case, chapter = told
    dominant = case.prototypes[case.prototypes["dominant set"] == 1]
    assert all(str(row) in chapter for row in dominant["sample"])
    assert set(dominant["target"]) == {case.predicted}
    assert {1: "One of ", 3: "Three prototypes"}[len(dominant)] in chapter
    assert len(study.prototypes) == said(r"(\d+) prototypes", chapter)
    if case.row == 298:
        shares = dominant[f"p class {case.predicted}"].tolist()
        assert shares[0] == pytest.approx(said(r"add ([\d.]+) %", chapter), abs=_SHARE)
        assert shares[1] == pytest.approx(said(r"%, ([\d.]+) %", chapter), abs=_SHARE)
        assert shares[2] == pytest.approx(said(r"% and ([\d.]+) %", chapter), abs=_SHARE)
        assert f"{len(study.used_columns)} of {len(study.roles.features)} features" in chapter


def test_familiarity_and_the_nearest_known_case(told):
    study, case, chapter = told
    told_share = said(r"([\d.]+) %(?= of the held-out rows are at most as familiar)", chapter)
    assert case.quantile == pytest.approx(told_share, abs=_SHARE)
    near = explain.nearest_cases(study, case.row).frame
    assert near["similarity"].max() == pytest.approx(said(r"similarity ([\d.]+\d)", chapter), abs=_SIMILARITY)
    if case.row == 298:
        best = near.loc[near["similarity"].idxmax()]
        assert f"row {best['row']}, {best['class']}" in chapter
        other = near[near["class"] == case.actual].iloc[0]
        assert other["similarity"] == pytest.approx(
            said(rf"row {other['row']}, has ([\d.]+\d)", chapter), abs=_SIMILARITY
        )
    else:
        lines = explain.novelty(study, [case.row]).to_frame()
        told_share = said(r"([\d.]+) %(?= of the held-out rows are at least as far)", chapter)
        assert lines["novelty_quantile"].iloc[0] == pytest.approx(told_share, abs=_SHARE)


def test_the_smallest_change(told):
    study, case, chapter = told
    flip = explain.smallest_flip(study, case.row).flips[0]
    assert flip.feature in chapter
    assert flip.predicted == case.actual
    if case.row == 298:
        assert flip.after == pytest.approx(said(r"perimeter of ([\d.]+\d)", chapter), rel=_RELATIVE)
        assert f"{flip.size:.1f} standard deviations" in chapter
    else:
        assert all(text in chapter for text in flip.texts)
