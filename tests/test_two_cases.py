"""What docs/two_cases.md says of two cases is what the engine says."""

from __future__ import annotations

from pathlib import Path

import pytest

from proset import explain
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.explain.case import explain_case
from proset.study import fit_study

_TOLD = (Path(__file__).parents[1] / "docs" / "two_cases.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=[("cancer", 298), ("digits", 6)], ids=["cancer", "digits"])
def told(request):
    """The study, the case and the chapter about it."""
    name, row = request.param
    study = fit_study(load_sample(name), sample_roles(name))
    chapter = next(part for part in _TOLD.split("\n## ") if f"data={name}&fit=1&row={row}`" in part)
    return study, explain_case(study, row), chapter


def test_the_estimate_and_the_error(told):
    study, case, chapter = told
    assert f"`{case.predicted}` with {percent(case.probabilities.max())}" in chapter
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
    assert {2: "Two prototypes", 3: "Three of 406 prototypes"}[len(dominant)] in chapter
    assert str(len(study.prototypes)) in chapter
    if case.row == 298:
        shares = dominant[f"p class {case.predicted}"]
        assert " and ".join(percent(share) for share in shares) in chapter
        assert f"{len(study.used_columns)} of {len(study.roles.features)} features" in chapter


def test_familiarity_and_the_nearest_known_case(told):
    study, case, chapter = told
    assert f"{percent(case.quantile)} of the held-out rows" in chapter
    near = explain.nearest_cases(study, case.row).frame
    assert f"similarity {near['similarity'].max():.2f}" in chapter
    if case.row == 298:
        best = near.loc[near["similarity"].idxmax()]
        assert f"row {best['row']}, {best['class']}" in chapter
        other = near[near["class"] == case.actual].iloc[0]
        assert f"row {other['row']}, has {other['similarity']:.2f}" in chapter
    else:
        lines = explain.novelty(study, [case.row]).to_frame()
        assert f"{percent(lines['novelty_quantile'].iloc[0])} of the held-out rows are at least as far" in chapter


def test_the_smallest_change(told):
    study, case, chapter = told
    flip = explain.smallest_flip(study, case.row).flips[0]
    assert all(text in chapter for text in flip.texts)
    assert flip.feature in chapter
    assert flip.predicted == case.actual
    if case.row == 298:
        assert f"{flip.size:.1f} standard deviations" in chapter
