"""Whether the order of the rows matters, and a split that follows it."""

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import StudyError
from proset.data.issues import Issue, Role, Severity
from proset.data.risks import Risk, flattering, rank, stays_open, worst_first
from proset.data.role_guess import guess_roles, review_roles
from proset.data.row_order import ROW_ORDER, SORTED_ROWS
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings, earlier_rows, split_rows
from proset.data.table import read_table


def hourly(n=1_500, seed=1):
    rng = np.random.default_rng(seed)
    heat = 10 * np.sin(np.arange(n) / 24 * 2 * np.pi) + np.cumsum(rng.normal(0, 0.5, n))
    frame = pd.DataFrame({"heat": heat.round(2), "noise": rng.normal(size=n).round(3)})
    frame["load"] = np.where(heat + rng.normal(0, 5, n) > np.median(heat), "high", "low")
    return frame


def found(frame, target="load", **how):
    table = read_table(frame.to_csv(index=False).encode(), name="rows.csv")
    issues = guess_roles(table, target=target, **how).issues
    return [issue for issue in issues if issue.code in (ROW_ORDER, SORTED_ROWS)]


def test_hourly_rows_without_a_date_are_noticed():
    (issue,) = found(hourly())
    assert issue.code == ROW_ORDER
    assert issue.severity is Severity.WARNING
    assert issue.column is None
    assert "'heat' correlates with the next row by 0.9" in issue.message
    assert " within each class (in a hundred" in issue.message
    assert "in a hundred shuffles of the rows by 0.0" in issue.message


def test_rows_in_the_order_of_a_date_name_it():
    frame = hourly().assign(day=pd.date_range("2020-01-01", periods=1_500, freq="h").astype(str))
    (issue,) = found(frame)
    assert (issue.code, issue.column) == (ROW_ORDER, "day")


def test_who_holds_out_the_latest_is_not_asked():
    assert found(hourly(), by_time=True) == []


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_rows_are_in_no_order(seed):
    assert found(hourly().sample(frac=1, random_state=seed)) == []


def test_a_sorted_file_is_said_to_be_sorted():
    mixed = hourly().sample(frac=1, random_state=0)
    (by_class,) = found(mixed.sort_values("load", kind="stable"))
    assert by_class.code == SORTED_ROWS
    assert "sorted by the target 'load'" in by_class.message
    (by_column,) = found(mixed.sort_values("noise"))
    assert (by_column.code, by_column.column) == (SORTED_ROWS, "noise")


def test_rows_of_one_patient_are_a_matter_of_groups():
    rng = np.random.default_rng(0)
    base = np.repeat(rng.normal(size=200), 5)
    frame = pd.DataFrame(
        {"patient": np.repeat([f"P{i}" for i in range(200)], 5), "x": base + rng.normal(0, 0.1, 1_000)}
    )
    assert found(frame.assign(load=np.where(base > 0, "ill", "well"))) == []


def test_rows_that_cannot_be_held_out_are_told_without_a_suggestion():
    table = load_sample("penguins")  # two of each nest follow one another, sorted by species
    (issue,) = [issue for issue in review_roles(table, sample_roles("penguins")) if issue.code == ROW_ORDER]
    assert issue.severity is Severity.INFO
    assert "cannot be held out" in issue.message


def test_the_last_rows_of_the_file_are_held_out():
    labels = pd.Series(["a", "b"] * 50, index=range(1, 101), name="kind")
    split = split_rows(labels, SplitSettings(0.2, file_order=True))
    assert split.held_out.tolist() == list(range(81, 101))
    who = pd.DataFrame({"who": np.r_[np.arange(99), 0]}, index=labels.index)  # the first row is of who comes last
    split = split_rows(labels, SplitSettings(0.2, groups="who", file_order=True), frame=who)
    assert {1, 100} <= set(split.held_out.tolist())


def test_two_times_are_refused():
    with pytest.raises(StudyError, match="by the order of the file"):
        SplitSettings(time="day", file_order=True)


def test_rows_before_the_latest_follow_the_column():
    frame = pd.DataFrame({"day": [5, 4, 3, 2, 1, 6], "dose": [1.0, 2.0, 3.0, 4.0, np.nan, 6.0]}, index=range(1, 7))
    assert earlier_rows(frame["dose"], SplitSettings(0.4, time="day"), frame).tolist() == [2, 3, 4]
    assert earlier_rows(frame["dose"], SplitSettings(0.4), frame).tolist() == [1, 2, 3, 4, 6]


def test_leaks_and_groups_come_first_and_are_never_folded():
    few, leak = Issue("few_numbers", "...", "ward"), Issue("lone_column", "...", "code")
    missing, groups = Issue("mostly_missing", "...", "dose"), Issue("repeated_identifier", "...", "patient")
    assert worst_first([few, missing, groups, leak]) == [leak, groups, missing, few]
    assert [issue for issue in (few, missing, groups, leak) if stays_open(issue)] == [groups, leak]
    assert flattering([few, groups, leak]) == [leak, groups]
    assert rank(Issue("anything", "...", severity=Severity.ERROR)) is Risk.BLOCKS
    unused = Issue("lone_column", "...", "code", Severity.INFO)
    assert not stays_open(unused)
    assert flattering([unused]) == []


@pytest.mark.slow
def test_a_study_says_what_it_was_fitted_in_spite_of():
    from proset.explain.sheets.model_facts import limits
    from proset.study import FitSettings, fit_study
    from proset.study.risks import ignored_risks

    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b"], 300)
    frame = pd.DataFrame({"code": np.where(kind == "a", rng.integers(1, 9, 300), rng.integers(20, 29, 300))})
    frame["who"] = rng.integers(0, 60, 300)
    frame = frame.rename(columns={"who": "patient"}).assign(size=rng.normal(size=300), kind=kind)
    table = read_table(frame.to_csv(index=False).encode(), name="ledger.csv")
    roles = guess_roles(table, target="kind").roles.with_role("code", Role.NUMERIC)
    settings = FitSettings(num_candidates=20)
    open_ones = ignored_risks(fit_study(table, roles, settings=settings))
    assert [issue.column for issue in open_ones] == ["code", "patient"]
    said = " ".join(limits(fit_study(table, roles, settings=settings)))
    assert "left as it is: 'code' alone says the class" in said
    assert "left as it is: 'patient' repeats" in said
    answered = roles.with_role("code", Role.EXTRA).with_role("patient", Role.EXTRA)
    assert ignored_risks(fit_study(table, answered, split=SplitSettings(groups="patient"), settings=settings)) == ()


def test_a_study_in_the_order_of_the_file_is_saved_and_found_again():
    from proset.storage import from_bytes, to_bytes
    from proset.study import FitSettings, fit_study

    table = read_table(hourly(200).to_csv(index=False).encode(), name="rows.csv")
    split, settings = SplitSettings(0.2, file_order=True), FitSettings(num_candidates=20)
    study = fit_study(table, guess_roles(table, target="load").roles, split=split, settings=settings)
    again = from_bytes(to_bytes(study))
    assert again.split.settings == split
    assert again.id == study.id
    assert again.split.held_out.tolist() == list(range(161, 201))
