"""What a model was made from, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import Table, read_table
from proset.study import FitSettings, Study, fit_study, learned_words


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(0)
    lines = ["size,year,kind"]
    for row in range(200):
        size = rng.normal()
        kind = "" if row % 50 == 7 else "big" if size > 0 else "small"
        lines.append(f"{size:.3f},{'' if row % 40 == 5 else 2000 + row % 20},{kind}")
    return read_table("\n".join(lines).encode(), name="sizes.csv")


def fitted(table: Table, split: SplitSettings | None = None, **settings: object) -> Study:
    chosen = replace(FitSettings(num_candidates=20, lambda_v=1e-3), **settings)
    return fit_study(table, guess_roles(table, target="kind").roles, split=split, settings=chosen)


def test_rows_used_rows_there_and_rows_held_out_are_three_numbers(table: Table) -> None:
    words = learned_words(fitted(table, max_samples=60))
    assert words == (
        "Learned from 60 rows, drawn from 137 training rows. Held out: 30 % of each class, drawn at random, seed 0:"
        " 59 rows. Set aside: 4 rows without a class."
    )


def test_joined_fits_are_said_with_the_batches_that_are_theirs(table: Table) -> None:
    joined = "The votes of 2 fits, each with candidates of its own, are joined: batches 1 to 2 are the first of each"
    assert f" {joined}. Held out: " in learned_words(fitted(table, n_joined=2))
    assert f" {joined}, and so on. Held out: " in learned_words(fitted(table, n_joined=2, n_iter=2))
    assert "joined" not in learned_words(fitted(table, n_joined=2, n_iter=0))


def test_each_batch_draws_anew(table: Table) -> None:
    assert learned_words(fitted(table, max_samples=60, n_iter=3)).startswith(
        "Each of the 3 batches learned from 60 rows, drawn anew from 137 training rows."
    )


def test_a_limit_that_does_not_limit_is_not_spoken_of(table: Table) -> None:
    assert learned_words(fitted(table, max_samples=500)).startswith("Learned from 137 training rows.")
    assert learned_words(fitted(table)).startswith("Learned from 137 training rows.")
    assert learned_words(fitted(table, n_iter=0)).startswith("States the class shares of 137 training rows")


def test_a_split_by_time_says_so_and_what_was_set_aside(table: Table) -> None:
    words = learned_words(fitted(table, SplitSettings(0.2, time="year")))
    assert "Held out: the latest 20 % by 'year': " in words
    assert "Set aside: 9 rows without a class or a time ('year')." in words
