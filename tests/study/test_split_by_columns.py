"""Studies whose rows were split by groups or by time: fit, search, identity, storage."""

from __future__ import annotations

import numpy as np
import pytest

from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import Table, read_table
from proset.selection import Rule, SearchPlan, make_folds
from proset.storage import from_bytes, to_bytes
from proset.study import FitSettings, Study, fit_study, search_study
from proset.study.fit import make_problem
from proset.study.search import _search_data

FEW = FitSettings(lambda_v=1e-2, num_candidates=20)


def visits_csv(n: int = 160, seed: int = 0) -> str:
    """Visits of customers, four each, over some months, each day in the order of day and month."""
    rng = np.random.default_rng(seed)
    lines = ["customer,day,size,colour,bought"]
    for row in range(n):
        size = rng.normal()
        day = f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.2023"
        bought = "yes" if size + 0.5 * rng.normal() > 0 else "no"
        lines.append(f"C{row // 4:03d},{day},{size:.3f},{rng.choice(['red', 'blue'])},{bought}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def visits() -> Table:
    return read_table(visits_csv().encode(), name="visits.csv")


def fitted(table: Table, split: SplitSettings) -> Study:
    return fit_study(table, guess_roles(table, target="bought").roles, split=split, settings=FEW)


def test_a_customer_is_on_one_side(visits: Table) -> None:
    study = fitted(visits, SplitSettings(groups="customer"))
    owner = visits.frame["customer"]
    assert not set(owner.loc[study.split.train]) & set(owner.loc[study.split.held_out])
    plain = fitted(visits, SplitSettings())
    assert set(owner.loc[plain.split.train]) & set(owner.loc[plain.split.held_out])
    assert study.id != plain.id


def test_the_model_learns_from_earlier_rows(visits: Table) -> None:
    study = fitted(visits, SplitSettings(time="day"))
    day = visits.frame["day"]
    assert day.loc[study.split.train].max() < day.loc[study.split.held_out].min()


@pytest.mark.parametrize(
    "split", [SplitSettings(groups="customer"), SplitSettings(time="day"), SplitSettings(groups="customer", time="day")]
)
def test_it_is_saved_and_said(visits: Table, split: SplitSettings) -> None:
    study = fitted(visits, split)
    again = from_bytes(to_bytes(study))
    assert again.split.settings == split
    assert again.id == study.id
    assert again.recipe.differences(study.recipe) == ""
    assert "together" in split.words or "latest" in split.words


def test_folds_of_a_search_respect_them(visits: Table) -> None:
    roles = guess_roles(visits, target="bought").roles
    problem = make_problem(visits, roles, SplitSettings(groups="customer", time="day"))
    data = _search_data(problem)
    assert data.groups is not None
    assert data.times is not None
    for fold in make_folds(data.target, SearchPlan(n_folds=3), data.groups, data.times, smallest=3):
        rows = problem.split.train
        one, other = (visits.frame.loc[rows[part]] for part in (fold.train, fold.test))
        assert not set(one["customer"]) & set(other["customer"])
        assert one["day"].max() < other["day"].min()
    plain = _search_data(make_problem(visits, roles))
    assert plain.groups is None
    assert plain.times is None


def test_a_search_by_time_finds_a_model_and_goes_on_from_its_record(visits: Table) -> None:
    plan = SearchPlan(lambda_v=(1e-3, 1e-2), n_trials=2, n_folds=3, max_batches=1, rule=Rule.BEST)
    roles, split = guess_roles(visits, target="bought").roles, SplitSettings(time="day")
    study = search_study(visits, roles, split=split, settings=FEW, plan=plan, n_jobs=1)
    again = search_study(visits, roles, split=split, settings=FEW, record=study.search, n_jobs=1)
    assert again.id == study.id
    with pytest.raises(StudyError, match="made with other data"):
        search_study(visits, roles, settings=FEW, record=study.search, n_jobs=1)


def test_times_of_a_few_rows_are_read_like_those_of_the_table() -> None:
    """Day and month of the training rows alone could be taken for each other."""
    lines = ["x,day,y"] + [f"{i % 7},{1 + i % 12:02d}/{1 + i // 12:02d}/2023,{'ab'[i % 2]}" for i in range(60)]
    lines += [f"{i % 7},{13 + i % 12:02d}/12/2023,{'ab'[i % 2]}" for i in range(20)]
    table = read_table("\n".join(lines).encode(), name="days.csv")
    problem = make_problem(table, guess_roles(table, target="y").roles, SplitSettings(time="day"))
    assert problem.times is not None
    assert (np.diff(problem.times[np.argsort(problem.split.train)]) != 0).any()


def test_the_target_or_a_stranger_cannot_split(visits: Table) -> None:
    with pytest.raises(StudyError, match="which is the target"):
        fitted(visits, SplitSettings(groups="bought"))
    with pytest.raises(StudyError, match="no such column"):
        fitted(visits, SplitSettings(time="date"))
