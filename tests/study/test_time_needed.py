"""How long it takes: estimates from a measurement that is made up, and what becomes of them while work runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proset.data.roles import Roles
from proset.data.table import Table
from proset.engine.fitting import BatchSettings
from proset.selection import JointPlan, SearchPlan, SearchProgress
from proset.study import FitSettings
from proset.study.fit import make_problem
from proset.study.time_left import TimeLeft
from proset.study.time_needed import FitPace, TimeNeeded, scaled, seconds_needed

BASE = BatchSettings.of(FitSettings())
PACE = FitPace(1.0, 100.0, 400.0)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Ticking:
    """A clock on which whatever is measured takes as long as stated."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def __call__(self) -> float:
        self.now += self.seconds
        return self.now


def search_seconds(plan: JointPlan | SearchPlan, base: BatchSettings = BASE, n_rows: int = 5_000) -> float:
    return scaled(PACE, base, plan, n_rows=n_rows, n_columns=20, n_batches=1, n_jobs=1).search


def test_a_slower_machine_takes_longer(patients: Table, patient_roles: Roles) -> None:
    problem = make_problem(patients, patient_roles)
    slow, fast = (seconds_needed(problem, FitSettings(), None, clock=Ticking(s)).refit for s in (100.0, 1.0))
    assert slow > 10 * fast


def test_a_fit_takes_as_long_as_its_batches(patients: Table, patient_roles: Roles) -> None:
    def fit(n_batches: int, n_rows: int) -> float:
        return scaled(PACE, BASE, None, n_rows=n_rows, n_columns=20, n_batches=n_batches).seconds

    assert fit(0, 500) < fit(1, 500) < fit(4, 500) < fit(4, 5_000)
    assert seconds_needed(make_problem(patients, patient_roles), FitSettings(), None).search == 0.0


@pytest.mark.slow
def test_joined_fits_take_as_many_times_as_long_unless_the_search_sets_their_number(
    patients: Table, patient_roles: Roles
) -> None:
    problem = make_problem(patients, patient_roles)

    def needed(n_joined: int, plan: JointPlan | None) -> TimeNeeded:
        return seconds_needed(problem, FitSettings(n_joined=n_joined), plan, clock=Ticking(1.0))

    assert needed(3, None).refit == pytest.approx(3.0 * needed(1, None).refit)
    assert needed(3, None).checking == pytest.approx(3.0 * needed(1, None).checking)
    assert needed(3, JointPlan()) == needed(1, JointPlan())
    assert needed(1, JointPlan(n_joined=4)).search > needed(1, JointPlan(n_joined=1)).search


def test_a_search_takes_longer_with_more_to_try_and_no_longer_with_rows_beyond_its_limit() -> None:
    usual = JointPlan()
    assert search_seconds(JointPlan.quick()) < search_seconds(usual)
    assert search_seconds(replace(usual, n_lambda_v=12)) > 1.5 * search_seconds(usual)
    assert search_seconds(usual, n_rows=50_000) == pytest.approx(search_seconds(usual, n_rows=500_000))
    assert search_seconds(usual, replace(BASE, max_samples=1_000)) < search_seconds(usual)
    assert search_seconds(SearchPlan(second_look=True)) > search_seconds(SearchPlan(second_look=False))


def test_fewer_rows_per_batch_make_the_last_fit_shorter() -> None:
    whole, fewer = (
        scaled(PACE, replace(BASE, max_samples=most), None, n_rows=45_000, n_columns=16, n_batches=4).refit
        for most in (None, 5_000)
    )
    assert fewer < whole / 3


def test_a_class_with_few_rows_is_no_trouble(patients: Table, patient_roles: Roles) -> None:
    needed = seconds_needed(make_problem(patients, patient_roles), FitSettings(max_fraction=0.95), JointPlan.quick())
    assert needed.seconds > 0.0


class TestTimeLeft:
    """What is said while work runs."""

    def test_begins_with_the_estimate(self) -> None:
        assert TimeLeft(TimeNeeded(100.0, 20.0), Clock()).search(0.0) == 120.0

    def test_follows_what_is_seen(self) -> None:
        clock = Clock()
        left = TimeLeft(TimeNeeded(10.0, 0.0), clock)
        said = [left.search(0.0)]
        for step in range(1, 11):  # ten times as slow as was thought
            clock.now = 10.0 * step
            said.append(left.search(step / 10))
        assert said[5] == pytest.approx(50.0, rel=0.25)
        assert said[5:] == sorted(said[5:], reverse=True)
        assert said[-1] == 0.0

    def test_does_not_run_away_while_nothing_is_counted(self) -> None:
        clock = Clock()
        left = TimeLeft(TimeNeeded(300.0, 0.0), clock)
        left.search(0.0)
        clock.now = 100.0
        before = left.search(0.25)
        clock.now = 200.0  # a trial that takes as long as a third of all that was thought
        assert left.search(0.25) < 1.5 * before

    def test_does_not_end_before_the_work_does(self) -> None:
        clock = Clock()
        left = TimeLeft(TimeNeeded(30.0, 0.0), clock)
        left.search(0.0)
        clock.now = 20.0
        left.search(0.5)
        clock.now = 90.0
        assert left.search(0.5) > 10.0

    def test_a_search_that_goes_on_does_not_count_what_was_done_before(self) -> None:
        clock = Clock()
        left = TimeLeft(TimeNeeded(100.0, 0.0), clock)
        assert left.search(0.8) == pytest.approx(20.0)
        clock.now = 10.0
        assert left.search(0.9) == pytest.approx(10.0)

    def test_the_share_never_falls_and_the_last_fit_follows_the_search(self) -> None:
        clock = Clock()
        left = TimeLeft(TimeNeeded(10.0, 10.0), clock)
        shares, steps = [], [(1, 0.0), (1, 0.45), (1, 0.9), (3, 0.9), (3, 0.95), (3, 1.0)]
        for number, (stage, share) in enumerate(steps):
            clock.now = 4.0 * number
            now = SearchProgress(stage=stage, done=0, total=1, seconds=clock.now, seconds_left=0.0, share=share)
            shares.append(left.share(left.of_search(now)))
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
