"""The smallest single change that flips a case, held against trying every value of every column by scoring rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain, fit_study, read_table
from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.explain.cases import flip as search
from proset.explain.cases.value_range import ValueKind
from proset.study.decision import DecisionRule

DOUBTFUL = DecisionRule(costs=((0, 1, 1), (4, 0, 1), (1, 1, 0)))


@pytest.fixture(scope="module")
def ranges(study):
    return explain.value_ranges(study)


def brute_force(study, row, scope, rule):
    """Score every value of one column; return the smallest distance that flips, and whether any does."""
    probabilities = study.probabilities.loc[[row]].to_numpy()
    now = study.classes[int(rule.choose(probabilities)[0])]
    cell = study.table.frame.loc[row, scope.column]
    if scope.kind is ValueKind.LEVEL:
        values = [level for level in scope.levels if level != str(cell)]
    else:
        values = [scope.cell(value) for value in scope.values(np.arange(scope.count))]
    frame = pd.concat([study.table.frame.loc[[row]]] * len(values), ignore_index=True)
    frame[scope.column] = values
    said = rule.choose(study.score(frame).filter(like="probability_").to_numpy())
    flipped = [value for value, k in zip(values, said, strict=True) if study.classes[int(k)] != now]
    if scope.kind is ValueKind.LEVEL or not flipped:
        return None, flipped
    own = scope.number(cell)
    own = scope.middle if np.isnan(own) else own
    return min(abs(scope.number(value) - own) for value in flipped) / scope.spread, flipped


@pytest.mark.parametrize("rule", [DecisionRule(), DOUBTFUL])
def test_it_is_what_scoring_every_value_of_every_column_finds(study, ranges, rule):
    rows = [*study.split.held_out[:12].tolist(), int(study.table.frame.index[study.table.frame["age"].isna()][0])]
    for row in rows:
        found = {entry.feature: entry for entry in explain.smallest_flip(study, row, rule=rule, ranges=ranges).flips}
        for name, scope in ranges.items():
            size, flipped = brute_force(study, row, scope, rule)
            assert (name in found) == bool(flipped), (row, name)
            if size is not None:
                assert found[name].size == pytest.approx(size, abs=1e-6), (row, name)
            elif flipped:
                assert found[name].after in flipped


def test_numbers_come_by_size_then_categories_and_what_if_agrees(study, ranges):
    rows = study.split.held_out[:12].tolist()
    answers = [explain.smallest_flip(study, row, ranges=ranges) for row in rows]
    assert any(flip.size is None for answer in answers for flip in answer.flips)
    for row, answer in zip(rows, answers, strict=True):
        sizes = [np.inf if flip.size is None else flip.size for flip in answer.flips]
        assert sizes == sorted(sizes)
        for flip in answer.flips:
            after = explain.what_if(study, row, {flip.feature: flip.after}).after
            assert (after.predicted, round(after.quantile, 9)) == (flip.predicted, round(flip.quantile, 9))
            assert flip.predicted != answer.predicted
            assert after.probabilities[flip.predicted] == pytest.approx(flip.probability)


def test_many_values_are_searched_in_steps_to_the_columns_precision(iris_study, monkeypatch):
    row = 71
    whole = explain.smallest_flip(iris_study, row)
    monkeypatch.setattr(search, "MOST_VALUES", 4)
    monkeypatch.setattr(search, "_FINER", 3)
    coarse = explain.smallest_flip(iris_study, row)
    assert coarse.smallest == whole.smallest
    assert set(coarse.coarse) == set(coarse.searched)
    assert not whole.coarse


def test_a_model_alone_needs_rows_whose_values_it_may_take():
    X = np.round(np.linspace(0.0, 1.0, 21), 2)[:, None]
    model = ClassifierModel().fit(X, np.where(X[:, 0] < 0.5, "low", "high"))
    with pytest.raises(ValueError, match="known"):
        explain.smallest_flip(model, X[0])
    found = explain.smallest_flip(model, X[0], known=X)
    said = model.predict(X)
    first = X[np.flatnonzero(said != said[0])[0], 0]
    assert found.smallest.before == 0.0
    assert found.smallest.after <= first + 1e-9
    assert model.predict([[found.smallest.after]])[0] == found.smallest.predicted == "high"
    assert model.predict([[round(found.smallest.after - 0.01, 2)]])[0] == "low"


def test_what_is_left_to_a_person_is_not_said(study, ranges):
    rule, left = DecisionRule(leave_below=0.6), []
    for row in study.split.held_out[:12].tolist():
        answer = explain.smallest_flip(study, row, rule=rule, ranges=ranges)
        for flip in answer.flips:
            assert flip.left == explain.what_if(study, row, {flip.feature: flip.after}, rule=rule).after.left
        if answer.flips:
            left.append(answer.smallest.left)
            end = ", and is left to a person." if answer.smallest.left else " is said, with "
            assert end in answer.words.partition("; then ")[2]
    assert {*left} == {True, False}


def test_where_nothing_flips_it_says_so(iris_study):
    stubborn = explain.smallest_flip(iris_study, 1, rule=DecisionRule(costs=((0, 9, 0), (9, 0, 0), (9, 9, 0))))
    assert (stubborn.smallest, len(stubborn.to_frame())) == (None, 0)
    assert stubborn.words == "No single change within the range of the data flips it."


def test_it_can_be_taken_away_and_is_written_to_the_columns_precision(study, ranges):
    answer = explain.smallest_flip(study, int(study.split.held_out[0]), ranges=ranges)
    assert answer.to_dict()["flips"][0]["feature"] == answer.to_frame().loc[0, "feature"]
    assert answer.smallest.words in answer.words


def test_a_row_that_there_is_not_is_refused(study):
    with pytest.raises(StudyError, match="no row"):
        explain.smallest_flip(study, 10**6)


def test_a_model_without_prototypes_says_the_same_whatever_changes(empty_study):
    found = explain.smallest_flip(empty_study, 1)
    assert found.words == "The model uses no feature, so no change flips it."


@pytest.fixture(scope="module")
def truths():
    """A study with a column of True and False, which decides, and one of numbers without spread within a class."""
    random = np.random.default_rng(5)
    flag, size = random.random(120) > 0.5, random.normal(size=120)
    label = np.where(flag ^ (random.random(120) < 0.05), "yes", "no")
    table = read_table(pd.DataFrame({"flag": flag, "size": size, "label": label}))
    return fit_study(table, guess_roles(table, target="label").roles)


def test_a_truth_changes_to_what_the_table_holds(truths):
    row = int(truths.predictions.index[truths.predictions["correct"]][0])
    (flip,) = (entry for entry in explain.smallest_flip(truths, row).flips if entry.feature == "flag")
    assert flip.after is (not flip.before)
    assert flip.texts == (str(flip.before), str(flip.after))
    changed = truths.table.frame.loc[[row]].assign(flag=flip.after)
    assert truths.score(changed)["class"].tolist() == [flip.predicted]
    changes = [entry.changes for entry in explain.counterfactuals(truths, row).found]
    assert any(change.after is (not change.before) for some in changes for change in some if change.column == "flag")
