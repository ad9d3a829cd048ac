"""The decision rule: the most probable class, a cutoff, costs, and what is left to a person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from proset.common.errors import StudyError
from proset.study import DecisionRule
from proset.study.decision import confusion, judge


@st.composite
def shares(draw, classes=None):
    """Probabilities of a few cases; with ties, because they are drawn from a coarse grid."""
    k = classes or draw(st.integers(2, 5))
    n = draw(st.integers(1, 20))
    weights = draw(arrays(np.int64, (n, k), elements=st.integers(0, 4)))
    weights[weights.sum(axis=1) == 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def costs_for(draw, k):
    """Costs of K classes with nothing to pay for being right."""
    table = draw(arrays(np.int64, (k, k), elements=st.integers(0, 9)))
    np.fill_diagonal(table, 0)
    return tuple(map(tuple, table.tolist()))


@given(shares())
def test_without_arguments_the_most_probable_class_is_said_and_the_first_wins_a_tie(probabilities):
    chosen = DecisionRule().choose(probabilities)
    assert chosen.tolist() == [row.tolist().index(row.max()) for row in probabilities]
    assert not DecisionRule().leaves(np.linspace(0, 1, 11)).any()


@given(shares(classes=2))
def test_a_cutoff_of_one_half_is_the_most_probable_class_also_in_a_tie(probabilities):
    # 1/2 is hit exactly; other shares may differ from their complement in the last digit only away from it.
    assert DecisionRule(cutoff=0.5).choose(probabilities).tolist() == DecisionRule().choose(probabilities).tolist()


@given(shares(classes=2), st.floats(0, 1))
def test_a_cutoff_says_the_second_class_exactly_above_it(probabilities, cutoff):
    assert (DecisionRule(cutoff=cutoff).choose(probabilities) == (probabilities[:, 1] > cutoff)).all()


@given(st.data())
def test_costs_give_the_smallest_expected_cost_and_the_first_of_equal_ones(data):
    probabilities = data.draw(shares())
    k = probabilities.shape[1]
    costs = data.draw(costs_for(k))
    chosen = DecisionRule(costs=costs).choose(probabilities)
    for row, said in zip(probabilities, chosen, strict=True):
        expected = [sum(row[i] * costs[i][j] for i in range(k)) for j in range(k)]
        assert expected[said] == pytest.approx(min(expected), abs=1e-12)
        assert all(expected[j] > expected[said] - 1e-12 for j in range(said))


@given(shares())
def test_equal_costs_are_the_most_probable_class_where_there_is_one(probabilities):
    k = probabilities.shape[1]
    equal = tuple(tuple(float(i != j) for j in range(k)) for i in range(k))
    top = np.sort(probabilities, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    same = DecisionRule(costs=equal).choose(probabilities) == DecisionRule().choose(probabilities)
    assert same[clear].all()


@given(arrays(np.float64, 30, elements=st.floats(0, 1)), st.floats(0, 1))
def test_exactly_those_below_the_limit_are_left_to_a_person(quantile, limit):
    assert (DecisionRule(leave_below=limit).leaves(quantile) == (quantile < limit)).all()


def test_who_is_left_to_a_person_is_neither_right_nor_wrong():
    shares = pd.DataFrame({"no": [0.9, 0.1, 0.9, 0.9], "yes": [0.1, 0.9, 0.1, 0.1]})
    actual = pd.Series(["no", "no", "yes", None], dtype="str")
    judged = judge(
        DecisionRule(leave_below=0.5), probabilities=shares, quantile=pd.Series([0.9, 0.9, 0.1, 0.9]), actual=actual
    )
    assert judged["predicted"].tolist() == ["no", "yes", "no", "no"]
    assert judged["correct"].tolist() == [True, False, pd.NA, pd.NA]
    assert judged["wrong"].tolist() == [False, True, False, False]
    assert judged["left"].tolist() == [False, False, True, False]
    assert confusion(judged, ("no", "yes")).to_numpy().tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"cutoff": -0.1},
        {"cutoff": 1.1},
        {"cutoff": float("nan")},
        {"cutoff": "0.5"},
        {"cutoff": True},
        {"leave_below": 2},
        {"costs": ((0, 1),)},
        {"costs": ((0, 1), (1, 0, 3))},
        {"costs": ((0, -1), (1, 0))},
        {"costs": ((0, float("inf")), (1, 0))},
        {"costs": ((1, 1), (1, 0))},
        {"cutoff": 0.5, "costs": ((0, 1), (1, 0))},
    ],
)
def test_what_is_no_rule_is_refused(wrong):
    with pytest.raises(StudyError):
        DecisionRule(**wrong)


@pytest.mark.parametrize("rule", [DecisionRule(cutoff=0.4), DecisionRule(costs=((0, 1), (1, 0)))])
def test_a_rule_for_two_classes_is_refused_for_three(rule):
    with pytest.raises(StudyError, match="classes"):
        rule.choose(np.full((1, 3), 1 / 3))


def test_a_study_is_judged_by_the_rule_and_its_predictions_by_the_usual_one(study):
    usual = study.judged()
    best = study.probabilities.to_numpy().argmax(axis=1)
    assert usual["predicted"].tolist() == [study.classes[i] for i in best]
    assert (usual["wrong"] == (usual["actual"].notna() & (usual["actual"] != usual["predicted"]))).all()
    pd.testing.assert_frame_equal(study.predictions, usual.drop(columns=["wrong", "left"]))
    held_out = usual[usual["part"] == "held_out"]
    assert (confusion(held_out, study.classes) == study.metrics.confusion).all(axis=None)

    careful = study.judged(DecisionRule(leave_below=0.25))
    assert (careful["left"] == (careful["quantile"] < 0.25)).all()
    assert careful["left"].any()
    assert careful.loc[careful["left"], "correct"].isna().all()
    assert not (careful["wrong"] & careful["left"]).any()


def test_the_confidence_is_that_of_what_is_said(iris_study):
    k = len(iris_study.classes)
    costs = tuple(tuple(0.0 if i == j else (50.0 if i == k - 1 else 1.0) for j in range(k)) for i in range(k))
    judged = iris_study.judged(DecisionRule(costs=costs))
    usual = iris_study.judged()
    assert (judged["predicted"] != usual["predicted"]).any()
    for row, line in judged.iterrows():
        assert line["confidence"] == iris_study.probabilities.loc[row, line["predicted"]]
