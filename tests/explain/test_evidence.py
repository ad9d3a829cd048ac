"""Evidence on one case: each part computed once, when it is asked for; the same for a model and for a study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.explain import Evidence, evidence
from proset.study import DecisionRule

PARTS = {
    "report": "explain_case",
    "nearest": "nearest_cases",
    "contradictions": "contradictions",
    "places": "value_places",
    "ranges": "value_ranges",
    "flip": "smallest_flip",
    "reference": "choose_reference_point",
    "shap": "shap_values",
    "interactions": "shapley_interactions",
    "familiarity": "attribute_familiarity",
}
COMPARED = ("shap", "interactions", "familiarity")
NEEDS = {"flip": {"value_ranges"}} | {part: {"choose_reference_point"} for part in COMPARED}
ONE_CASE = {
    "explain_case": lambda e, case: explain.explain_case(e, case).report,
    "what_if": lambda e, case: explain.what_if(e, case, {case.frame.columns[0]: 0.0}).to_frame(),
    "smallest_flip": lambda e, case: explain.smallest_flip(e, case).to_frame(),
    "nearest_cases": lambda e, case: explain.nearest_cases(e, case).to_frame(),
    "contradictions": lambda e, case: explain.contradictions(e, case).to_frame(),
    "value_places": lambda e, case: explain.value_places(e, case).to_frame(),
    "attribute_impact": lambda e, case: explain.attribute_impact(e, case, case).to_frame(),
    "attribute_familiarity": lambda e, case: explain.attribute_familiarity(e, case, case).to_frame(),
    "shap_values": lambda e, case: explain.shap_values(e, case, case).to_frame(),
    "shapley_interactions": lambda e, case: explain.shapley_interactions(e, case, case).to_frame(),
}


@pytest.fixture
def calls(monkeypatch):
    """Names of the explanations that were made, in order."""
    made = []

    def counting(name, function):
        def counted(*args, **kwargs):
            made.append(name)
            return function(*args, **kwargs)

        return counted

    for name in PARTS.values():
        monkeypatch.setattr(evidence, name, counting(name, getattr(evidence, name)))
    return made


@pytest.fixture(scope="module")
def row(mixed_study):
    return int(mixed_study.split.held_out[0])


@pytest.fixture(scope="module", params=["model", "model with names", "study"])
def one(request, mixed_study, row):
    """A case of a study, the same case of its model with what that was fitted to, and of a model of named features."""
    if request.param == "study":
        return mixed_study.case(row)
    train = mixed_study.split.train
    known, y = mixed_study.encode(train).X, mixed_study.labels.loc[train]
    if request.param == "model with names":
        X = pd.DataFrame(known, columns=[column.name for column in mixed_study.design.columns]).astype(float)
        own = pd.DataFrame(mixed_study.case(row).x[None], columns=X.columns, index=[row])
        return explain.as_case(ClassifierModel().fit(X, y), own, known=X, y=y)
    return explain.as_case(mixed_study.model, mixed_study.case(row).x, known=known, y=y)


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_computed_once_and_not_before_it_is_asked_for(one, calls, part):
    found = Evidence(one)
    assert calls == []
    assert getattr(found, part) is getattr(found, part)
    assert sorted(calls) == sorted({PARTS[part], *NEEDS.get(part, ())})


def test_what_is_kept_depends_on_the_rule_and_the_reference_as_far_as_it_does(mixed_study, row, calls):
    kept = {}

    def keep(name, compute, *depends):
        key = (name, *(part.row if hasattr(part, "row") else part for part in depends))
        return kept.setdefault(key, None) or kept.update({key: compute()}) or kept[key]

    def parts(**settings):
        calls.clear()
        found = Evidence(mixed_study.case(row), keep=keep, **settings)
        _ = [getattr(found, part) for part in PARTS]
        return sorted(calls)

    assert parts() == sorted(PARTS.values())
    assert parts() == []
    assert parts(rule=DecisionRule(cutoff=0.3)) == ["contradictions", "explain_case", "smallest_flip"]
    other = int(mixed_study.split.train[3])
    compared = sorted(PARTS[part] for part in COMPARED)
    assert parts(reference=other) == compared
    assert parts(reference=mixed_study.case(other).x) == compared
    assert parts(reference=lambda: other) == []


@pytest.mark.parametrize("name", ONE_CASE)
def test_each_explanation_of_one_case_takes_a_case(one, name):
    frame = ONE_CASE[name](one.source, one)
    assert isinstance(frame, pd.DataFrame)
    assert len(frame.columns)


def test_a_row_id_and_its_case_are_the_same(mixed_study, row):
    case = mixed_study.case(row)
    for ask in (explain.explain_case, explain.attribute_impact):
        one, other = (ask(mixed_study, given) for given in (row, case))
        assert type(one) is type(other)
    assert explain.explain_case(mixed_study, row).report.equals(explain.explain_case(mixed_study, case).report)
    assert explain.smallest_flip(mixed_study, row) == explain.smallest_flip(mixed_study, case)
    assert (explain.shap_values(mixed_study, [row]).values == explain.shap_values(mixed_study, case).values).all()


def test_a_model_says_of_a_case_what_its_study_says(mixed_study, row):
    train = mixed_study.split.train
    known, y = mixed_study.encode(train).X, mixed_study.labels.loc[train]
    case = explain.as_case(mixed_study.model, mixed_study.case(row).x, known=known, y=y)
    alone, whole = Evidence(case, reference=mixed_study.case(int(train[0])).x), Evidence(mixed_study.case(row))
    assert alone.report.probabilities.equals(whole.report.probabilities)
    assert (train[alone.report.prototypes["sample"].astype(int)] == whole.report.prototypes["sample"]).all()
    assert alone.report.words[1] == whole.report.words[1]
    assert "training rows" in alone.report.words[2]
    np.testing.assert_allclose(
        alone.report.neighbour_similarity.iloc[1:].prod(axis=1), whole.report.neighbour_facts["similarity"].iloc[1:]
    )
    assert (train[alone.nearest.frame["row"]] == whole.nearest.frame["row"]).all()
    column = next(j for j, entry in enumerate(mixed_study.design.columns) if entry.source == "size (cm)")
    mine, here = alone.places.places[alone.places.frame["column"] == f"x{column}"], case.x[column]
    for name in mine.columns:
        own = known[y.to_numpy() == name, column]
        assert mine[name].item() == pytest.approx((own < here).mean() + 0.5 * (own == here).mean())
    assert alone.flip.predicted == whole.flip.predicted


def test_what_a_models_case_lacks_is_asked_for_by_its_parameter(mixed_study, row):
    case = explain.as_case(mixed_study.model, mixed_study.case(row).x)
    for ask in (explain.explain_case, explain.nearest_cases, explain.value_places, explain.smallest_flip):
        with pytest.raises(ValueError, match="'known'"):
            ask(mixed_study.model, case)
    X = mixed_study.encode(mixed_study.split.train).X
    with pytest.raises(ValueError, match="as 'y'"):
        explain.nearest_cases(mixed_study.model, case, known=X)
    assert np.isnan(explain.what_if(mixed_study.model, case, {"x0": 0.0}).before.quantile)
    with pytest.raises(TypeError, match="needs a Study"):
        _ = Evidence(case).study


def test_frames_add_up_for_a_model_too(one):
    found = Evidence(one)
    shap, familiar = found.shap_frame(), found.familiarity_frame()
    np.testing.assert_allclose(shap.iloc[:-1, 1:].sum(), shap.iloc[-1, 1:].astype(float), atol=1e-9)
    np.testing.assert_allclose(familiar["adds"].iloc[:-1].sum(), familiar["adds"].iloc[-1])
    assert shap["column"].iloc[[0, -1]].tolist()[1] == "estimate for the case"
    assert found.cells.columns.tolist() == ["here", "reference"]
