"""Counterfactuals: they are what was asked for, need no more columns than trying everything, and say where none is."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import StudyError
from proset.data.derived_columns import add_difference
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.explain.cases import counterfactual, counterfactual_search
from proset.explain.cases.value_range import ValueKind
from proset.study import DecisionRule, FitSettings, fit_study
from proset.study.decision import MOST_PROBABLE


@pytest.fixture(scope="module", params=["cancer", "penguins", "iris_2f"])
def sample(request):
    settings = FitSettings(lambda_v=0.1) if request.param == "penguins" else None  # else hardly a case is wrong
    study = fit_study(load_sample(request.param), sample_roles(request.param), settings=settings)
    judged = study.judged()
    return study, judged.index[judged["wrong"]].tolist(), explain.value_ranges(study)


def scored(study, row, one):
    """What scoring the changed row says, as anybody else would do it."""
    frame = study.table.frame.loc[[row]].copy()
    for column, value in one.values.items():
        frame[column] = [value]
    return study.score(frame).iloc[0]


def check(study, row, found, ranges, *, rule=MOST_PROBABLE):
    """Hold every answer to scoring the changed row, and to what makes it plausible."""
    cells = study.table.frame.loc[row]
    for one in found.found:
        said = scored(study, row, one)
        shares = said.filter(like="probability_").to_numpy(dtype=float)[None]
        assert study.classes[int(rule.choose(shares)[0])] == one.predicted
        assert one.predicted in found.to
        assert one.predicted != found.predicted
        assert said["quantile"] == pytest.approx(one.quantile)
        assert one.quantile >= found.least_familiarity
        assert said[f"probability_{one.predicted}"] == pytest.approx(one.probability)
        for change in one.changes:
            scope = ranges[change.column]
            assert change.texts[0] != change.texts[1]
            assert change.texts == (scope.text(cells[change.column]), scope.text(change.after))
            if scope.kind is ValueKind.LEVEL:
                assert change.after in scope.levels
            else:
                assert scope.low <= scope.number(change.after) <= scope.high
                places = (scope.number(change.after) - scope.low) / scope.step
                assert places == pytest.approx(round(places), abs=1e-5)
    sets = [frozenset(one.values) for one in found.found]
    assert not any(one <= other for one, other in combinations(sets, 2))
    assert [len(one) for one in sets] == sorted(map(len, sets))


@pytest.mark.slow
def test_all_wrong_cases_have_an_answer_that_holds(sample):
    study, wrong, ranges = sample
    assert len(wrong) >= 5
    for row in wrong:
        found = explain.counterfactuals(study, row, ranges=ranges)
        assert found.found, row
        check(study, row, found, ranges)
        real = study.predictions.loc[found.real.row]
        assert found.real.row != row
        assert real["predicted"] == real["actual"] == found.real.actual != found.predicted


def test_locks_and_directions_are_kept(sample):
    study, wrong, ranges = sample
    numbers = [name for name, scope in ranges.items() if scope.kind is ValueKind.NUMBER]
    answers = 0
    for row in wrong[:8]:
        locked, rise, fall = [numbers[-1]], numbers[:1], numbers[1:2]
        found = explain.counterfactuals(
            study, row, locked=locked, may_only_rise=rise, may_only_fall=fall, ranges=ranges
        )
        check(study, row, found, ranges)
        for one in found.found:
            answers += 1
            for change in one.changes:
                assert change.column not in locked
                assert change.column not in rise or change.after > change.before
                assert change.column not in fall or change.after < change.before
    assert answers or len(ranges) < 3


def test_of_a_class_that_is_named_and_under_costs(sample):
    study, wrong, ranges = sample
    k = len(study.classes)
    rule = DecisionRule(costs=tuple(tuple(0.0 if i == j else 1.0 + 5.0 * (i == 0) for j in range(k)) for i in range(k)))
    for row in wrong[:5]:
        said = study.classes[int(rule.choose(study.probabilities.loc[[row]].to_numpy())[0])]
        to = next(name for name in reversed(study.classes) if name != said)
        found = explain.counterfactuals(study, row, to=to, rule=rule, ranges=ranges)
        assert (found.predicted, found.to) == (said, (to,))
        check(study, row, found, ranges, rule=rule)
        with pytest.raises(StudyError, match="already"):
            explain.counterfactuals(study, row, to=said, rule=rule)


def test_what_the_rule_leaves_to_a_person_is_no_answer(iris_study):
    rule = DecisionRule(leave_below=0.5)
    judged = iris_study.judged(rule)
    for row in judged.index[judged["left"]][:6].tolist():
        found = explain.counterfactuals(iris_study, row, rule=rule)
        assert found.least_familiarity == 0.5  # what is stated is what was asked of answers
        assert all(one.quantile >= 0.5 for one in found.found)
        assert not judged.loc[found.real.row, "left"]
    usual = [explain.counterfactuals(iris_study, row).real.row for row in iris_study.table.frame.index[:150:5].tolist()]
    assert judged.loc[usual, "left"].any()


@pytest.fixture(scope="module")
def tiny():
    """A study of five columns with few values each, of which several decide together."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.integers(0, 4, (400, 4)), columns=list("abcd"))
    frame["level"] = random.choice(["x", "y", "z"], 400)
    score = frame[list("abcd")].sum(axis=1) + 1.5 * (frame["level"] == "z") + random.normal(0, 0.5, 400)
    frame["kind"] = np.where(score > 6.5, "high", "low")
    roles = Roles({**dict.fromkeys("abcd", Role.NUMERIC), "level": Role.CATEGORICAL, "kind": Role.TARGET})
    table = read_table(frame.to_csv(index=False).encode(), name="tiny.csv")
    return fit_study(table, roles, split=SplitSettings(test_fraction=0.3))


def fewest_by_trying(study, row, ranges, locked=()):
    """Return how few columns have to change, from scoring every combination of all values."""
    names = [name for name in ranges if name not in locked]
    values = [
        list(ranges[name].levels)
        if ranges[name].kind is ValueKind.LEVEL
        else [ranges[name].cell(value) for value in ranges[name].values(np.arange(ranges[name].count))]
        for name in names
    ]
    frame = pd.DataFrame(list(product(*values)), columns=names)
    own = study.table.frame.loc[row]
    changed = np.sum([(frame[name] != own[name]).to_numpy() for name in names], axis=0)
    for name in set(ranges) - set(names):
        frame[name] = own[name]
    scores = study.score(frame)
    good = (scores["class"] != study.predictions.loc[row, "predicted"]).to_numpy() & (
        scores["quantile"] >= 0.2
    ).to_numpy()
    return int(changed[good].min()) if good.any() else None


@pytest.mark.slow
def test_no_answer_needs_fewer_columns_than_the_first_one(tiny):
    ranges = explain.value_ranges(tiny)
    assert set(ranges) == {"a", "b", "c", "d", "level"}
    counts = set()
    sure = tiny.predictions.loc[tiny.split.held_out, "confidence"].sort_values(ascending=False).index
    for row in [*sure[:20], *sure[-5:]]:
        for locked in ((), ("a",)):
            found = explain.counterfactuals(tiny, row, locked=locked, ranges=ranges)
            check(tiny, row, found, ranges)
            fewest = fewest_by_trying(tiny, row, ranges, locked)
            assert (len(found.found[0].changes) if found.found else None) == fewest, (row, locked)
            counts.add(fewest)
    assert {1, 2, 3} <= counts


@pytest.mark.exhaustive
@pytest.mark.parametrize("sample", ["cancer"], indirect=True)
def test_a_value_between_those_tried_in_pairs_is_found_alone(sample, monkeypatch):
    study, wrong, ranges = sample
    monkeypatch.setattr(counterfactual, "MOST_VALUES", 4)
    counts = {}
    for row in wrong:
        cells, alone = study.table.frame.loc[row], False
        for name in ranges:
            others = study.table.frame.loc[study.table.frame[name] != cells[name], name].unique()
            frame = pd.concat([study.table.frame.loc[[row]]] * len(others), ignore_index=True).assign(**{name: others})
            scores = study.score(frame)
            wanted = (scores["class"] != study.predictions.loc[row, "predicted"]) & (scores["quantile"] >= 0.2)
            alone |= bool(wanted.any())
        found = explain.counterfactuals(study, row, ranges=ranges)
        check(study, row, found, ranges)
        counts[row] = alone, len(found.found[0].changes)
    assert all((count == 1) is alone for alone, count in counts.values()), counts
    assert {alone for alone, _ in counts.values()} == {True, False}


def test_under_many_columns_the_way_back_from_real_cases_finds_what_pairs_do_not(tiny, monkeypatch):
    sure = tiny.predictions.loc[tiny.split.held_out, "confidence"].sort_values(ascending=False).index
    found = {row: explain.counterfactuals(tiny, row) for row in sure[:30]}
    row = next(row for row in found if found[row].found and len(found[row].found[0].changes) > 2)
    monkeypatch.setattr(counterfactual_search, "MOST_TOGETHER", 2)
    again = explain.counterfactuals(tiny, row)
    assert len(again.found[0].changes) == len(found[row].found[0].changes)
    check(tiny, row, again, explain.value_ranges(tiny))


def test_impossible_is_an_answer_and_says_what_to_unlock(sample):
    study, wrong, ranges = sample
    names = list(ranges)
    found = explain.counterfactuals(study, wrong[0], locked=names)
    assert found.impossible
    assert found.searched == ()
    assert set(found.held) == set(names)
    assert found.real is not None
    assert found.unlock
    assert set(found.unlock) <= set(names)
    assert found.words.startswith("Impossible under these locks")
    assert len(found.to_frame()) == 0
    unlocked = explain.counterfactuals(study, wrong[0], locked=set(names) - set(found.unlock))
    assert len(unlocked.found[0].changes) == len(found.unlock)


@pytest.mark.parametrize("sample", ["cancer"], indirect=True)
def test_what_only_unfamiliar_cases_do_is_said(sample):
    study, wrong, ranges = sample
    asked = [explain.counterfactuals(study, row, least_familiarity=1.0, ranges=ranges) for row in wrong[:12]]
    assert all(one.quantile == 1.0 for found in asked for one in found.found)
    impossible = next(found for found in asked if found.impossible)
    assert impossible.unfamiliar.quantile < 1.0
    assert "unfamiliar" in impossible.words


def test_the_same_comes_every_time_and_can_be_taken_away(sample):
    study, wrong, ranges = sample
    one, other = (explain.counterfactuals(study, wrong[0], ranges=ranges) for _ in range(2))
    assert one.to_dict() == other.to_dict()
    frame = one.to_frame()
    assert frame["answer"].nunique() == len(one.found)
    assert list(one.to_dict()["found"][0]["changes"]) == frame.loc[frame["answer"] == 1, "column"].tolist()
    assert one.found[0].words.startswith("It would say")


def test_a_missing_value_may_stay_and_has_no_direction(mixed_study):
    frame = mixed_study.table.frame
    row = int(frame.index[frame["size (cm)"].isna()][0])
    ranges = explain.value_ranges(mixed_study)
    found = explain.counterfactuals(mixed_study, row, ranges=ranges)
    check(mixed_study, row, found, ranges)
    filled = [change for one in found.found for change in one.changes if change.column == "size (cm)"]
    assert filled
    assert all(change.before is None and change.texts[0] == "missing" for change in filled)
    risen = explain.counterfactuals(mixed_study, row, may_only_rise=["size (cm)"], ranges=ranges)
    assert "size (cm)" not in risen.searched


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"locked": ["hight"]}, "hight"),
        ({"locked": "size (cm)"}, "one text"),
        ({"may_only_rise": ["island"]}, "without an order"),
        ({"to": "huge"}, "huge"),
        ({"least_familiarity": 2.0}, "least_familiarity"),
        ({"n_answers": 0}, "n_answers"),
    ],
)
def test_what_does_not_fit_is_named_with_the_way_out(mixed_study, asked, said):
    with pytest.raises(StudyError, match=said) as caught:
        explain.counterfactuals(mixed_study, int(mixed_study.split.held_out[0]), **asked)
    assert caught.value.hint


def test_odd_wishes(mixed_study, empty_study):
    row = int(mixed_study.split.held_out[0])
    plain = explain.counterfactuals(mixed_study, row, locked=["weather", "tag"])
    assert plain.held == ()
    both = explain.counterfactuals(mixed_study, row, may_only_rise=["size (cm)"], may_only_fall=["size (cm)"])
    assert "size (cm)" not in both.searched
    kept = explain.counterfactuals(mixed_study, row, locked=["island"], may_only_rise=["island"])
    assert "island" not in kept.searched
    unseen = mixed_study.table.frame.loc[[row]].assign(island="Atlantis")
    found = explain.counterfactuals(mixed_study, unseen)
    assert set(found.searched) == {"size (cm)", "island"}
    assert explain.counterfactuals(empty_study, 1).words.startswith("The model uses no column")
    with pytest.raises(StudyError, match="no row"):
        explain.counterfactuals(mixed_study, 10**6)


def test_a_model_alone_names_a_real_case_if_it_gets_classes():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2)).round(1)
    y = np.where(X.sum(axis=1) > 0.0, "high", "low")
    model = ClassifierModel().fit(X, y)
    with pytest.raises(ValueError, match="known"):
        explain.counterfactuals(model, X[0])
    found = explain.counterfactuals(model, X[0], known=X, y=y)
    changed = X[0].copy()
    for column, value in found.found[0].values.items():
        changed[int(column[1:])] = value
    assert model.predict(changed[None])[0] == found.found[0].predicted != found.predicted
    assert y[found.real.row] == found.real.actual == found.found[0].predicted
    assert explain.counterfactuals(model, X[0], known=X).real is None


def test_dates_stay_that_the_days_between_them_would_move():
    random = np.random.default_rng(1)
    arrived = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, 120), unit="D")
    days = random.integers(1, 40, 120)
    frame = pd.DataFrame(
        {
            "arrived": arrived.strftime("%Y-%m-%d"),
            "left": (arrived + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d"),
            "kind": np.where(days > 20, "long", "short"),
        }
    )
    table = add_difference(read_table(frame.to_csv(index=False).encode(), name="stays.csv"), "arrived", "left")
    name = table.derived[0].name
    roles = Roles({"arrived": Role.EXTRA, "left": Role.EXTRA, "kind": Role.TARGET, name: Role.NUMERIC})
    stays = fit_study(table, roles, settings=FitSettings())
    row = int(table.frame.index[table.frame[name] < 10][0])
    found = explain.counterfactuals(stays, row)
    assert explain.what_if(stays, row, found.found[0].values).after.predicted == found.found[0].predicted == "long"
    held = explain.counterfactuals(stays, row, locked=["left"])
    assert held.impossible
    assert held.held == (name,)
    rising = explain.counterfactuals(stays, row, may_only_rise=["left"])  # the second date moves with the days
    assert (
        explain.what_if(stays, row, rising.found[0].values).case.frame["left"].iloc[0] > stays.table.frame["left"][row]
    )
    falling = explain.counterfactuals(stays, row, may_only_fall=["left"])
    assert not falling.found
    assert falling.held == (name,)
    assert explain.counterfactuals(stays, row, locked=["arrived"]).found  # from there on the days may change
