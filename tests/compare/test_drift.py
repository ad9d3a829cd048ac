"""Rows that are shifted on purpose, and who notices."""

from dataclasses import replace

import numpy as np
import pytest
from compare_fakes import Centres, Shares, contender
from sklearn.metrics import roc_auc_score

from proset.common.errors import StudyError
from proset.compare import ComparePlan, compare
from proset.compare.drift import area
from proset.compare.ground import ground_of
from proset.compare.shifts import choose_shift
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.selection.inner_folds import GroupsAndTimes
from proset.study import FitSettings, fit_study

SMALL = FitSettings(n_iter=0)


def study_of(lines):
    """Fit a table with the target 'kind'."""
    table = read_table("\n".join(lines).encode(), name="made.csv")
    return fit_study(table, guess_roles(table, target="kind").roles, settings=SMALL)


@pytest.fixture(scope="module")
def turning():
    """What `turn` says of the class depends on `side`; `noise` says nothing."""
    rng = np.random.default_rng(0)
    lines = ["side,turn,noise,kind"]
    for _ in range(300):
        side, turn, noise = rng.normal(size=3)
        lines.append(f"{side:.4f},{turn:.4f},{noise:.4f},{'a' if turn * side > 0 else 'b'}")
    return study_of(lines)


def test_the_column_whose_halves_differ_most_is_taken(turning):
    shift = choose_shift(ground_of(turning, ComparePlan()))
    assert shift.column in ("side", "turn")
    assert shift.X.shape[1] == 2
    assert abs(len(shift.shifted) - len(shift.labels) - len(shift.usual)) <= 2
    assert abs(len(shift.labels) - len(shift.usual)) <= 3


def test_rows_are_halved_at_the_median(turning):
    ground = ground_of(turning, ComparePlan())
    shift = choose_shift(ground, "noise")
    noise = turning.table.frame.loc[ground.rows, "noise"].to_numpy()
    upper = noise >= np.sort(noise)[len(noise) // 2]
    assert sorted(shift.shifted) == sorted(ground.target[upper])
    assert len(shift.labels) + len(shift.usual) == (~upper).sum()


def test_rows_without_a_value_are_in_neither_half():
    rng = np.random.default_rng(0)
    side = rng.normal(size=300)
    lines = ["side,noise,kind"]
    lines += [f"{'' if i % 3 == 0 else round(side[i], 4)},{rng.normal():.4f},{'ab'[i % 2]}" for i in range(300)]
    study = study_of(lines)
    ground = ground_of(study, ComparePlan())
    shift = choose_shift(ground, "side")
    known = int(study.table.frame.loc[ground.rows, "side"].notna().sum())
    assert known < len(ground.rows)
    assert len(shift.labels) + len(shift.usual) + len(shift.shifted) == known
    assert abs(len(shift.shifted) - known / 2) <= 1


def grouped(n_groups):
    """Rows of patients; what `turn` says of the class depends on `side`, and `who` is the patient as a number."""
    rng = np.random.default_rng(0)
    lines = ["patient,who,side,turn,kind"]
    for i in range(300):
        side, turn = rng.normal(size=2)
        who = i % n_groups
        lines.append(f"p{who},{who + 0.5},{side:.4f},{turn:.4f},{'a' if turn * side > 0 else 'b'}")
    table = read_table("\n".join(lines).encode(), name="made.csv")
    numbers = dict.fromkeys(("who", "side", "turn"), Role.NUMERIC)
    roles = Roles({"patient": Role.IDENTIFIER, **numbers, "kind": Role.TARGET})
    return fit_study(table, roles, settings=SMALL, split=SplitSettings(groups="patient"))


@pytest.mark.parametrize("most", [500, 15])
def test_no_group_that_is_learned_from_is_measured_on(most, monkeypatch):
    monkeypatch.setattr("proset.selection.inner_folds.MOST_GROUPS", most)
    study = grouped(40)
    shift = choose_shift(ground_of(study, ComparePlan()), "side")
    sources = [column.source for column in study.design.columns if column.source != "side"]
    learned, usual, shifted = (
        {round(float(value), 5) for value in X[:, sources.index("who")]}
        for X in (shift.X, shift.X_usual, shift.X_shifted)
    )
    assert usual
    assert shifted
    assert not learned & usual
    assert not learned & shifted
    assert len(shift.known.groups) == len(shift.labels)


def test_without_enough_groups_the_reason_is_said():
    ground = ground_of(grouped(3), ComparePlan(n_folds=2))
    with pytest.raises(StudyError, match="too few groups"):
        choose_shift(ground, "who")  # a single group in its lower half
    with pytest.raises(StudyError, match="in enough groups"):
        choose_shift(replace(ground, known=GroupsAndTimes(groups=np.zeros(len(ground.rows), dtype=np.int64))))


def test_where_halves_lack_a_class_one_is_left_out(iris_study):
    found = compare(
        iris_study, ComparePlan(("proset",), n_folds=2, sizes=False), contenders=[contender("proset", Centres)]
    )
    drift = found.drift
    assert (drift.column, drift.left_out) == ("", "setosa")
    assert drift.n_shifted == (iris_study.labels.loc[found.rows] == "setosa").sum()
    assert np.isnan(drift.frame.loc["proset", "log_loss_shifted"])
    assert drift.frame.loc["proset", "n_wrong"] >= drift.n_shifted
    assert "of all classes but 'setosa'" in drift.words[0]


def test_without_a_shift_the_reason_is_said():
    lines = ["a,b,kind", *(f"{i % 2},{i % 3 == 0},{'x' if i % 2 else 'y'}" for i in range(60))]
    study = study_of(lines)
    found = compare(study, ComparePlan(("proset",), n_folds=2, sizes=False), contenders=[contender("proset", Shares)])
    assert found.drift.frame.empty
    assert found.drift.words[0] == "No shift could be made."
    with pytest.raises(StudyError, match="cannot be halved"):
        choose_shift(ground_of(study, ComparePlan()), "kind")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([f"{i % 7},0,{'xy'[i % 2]}" for i in range(60)], "there is no other to learn from"),
        ([f"{'uvw'[i % 3]},{'st'[i % 5 > 2]},{'xy'[i % 2]}" for i in range(60)], "There is no column of"),
        ([f"{i // 2},{i // 3},{'x' if i < 30 else 'y'}" for i in range(60)], "enough rows of every class"),
    ],
)
def test_the_reason_is_the_true_one(lines, reason):
    study = study_of(["a,b,kind", *lines])
    found = compare(study, ComparePlan(("proset",), n_folds=2, sizes=False), contenders=[contender("proset", Shares)])
    assert reason in found.drift.reason


def test_areas_are_those_of_the_familiarity(turning):
    plan = ComparePlan(("proset", "pvm"), n_folds=2, sizes=False)
    found = compare(turning, plan, contenders=[contender("proset", Centres), contender("pvm", Shares)]).drift
    shift = choose_shift(ground_of(turning, plan))
    model = Centres().fit(shift.X, shift.labels)
    X = np.concatenate([shift.X_usual, shift.X_shifted])
    strange = -model.familiarity(X).raw
    line = found.frame.loc["proset"]
    assert line["auc_shifted"] == pytest.approx(roc_auc_score(np.arange(len(X)) >= len(shift.X_usual), strange))
    actual = np.array(turning.classes)[np.concatenate([shift.usual, shift.shifted])]
    wrong = model.predict(X) != actual
    assert line["auc_wrong"] == pytest.approx(roc_auc_score(wrong, strange))
    assert line["n_wrong"] == wrong.sum()
    assert found.frame.loc["pvm", "indicator"] == ""
    assert np.isnan(found.frame.loc["pvm", "auc_shifted"])
    assert np.isfinite(found.frame.loc["pvm", "log_loss_shifted"])
    assert f"with a value of '{shift.column}' were halved at its median" in found.words[0]


def test_area_counts_ties_half():
    values, positive = np.array([1.0, 1.0, 2.0]), np.array([True, False, True])
    assert area(values, positive) == roc_auc_score(positive, values) == 0.75
    assert np.isnan(area(values, np.zeros(3, dtype=bool)))
