"""Tables whose target is a number, for tests of several folders."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings
from proset.data.table import Table, read_table
from proset.study import NumberStudy, fit_number_study
from proset.study.number_unseen import NumberUnseen, judge_numbers_unseen


def houses(n: int = 160, seed: int = 0) -> pd.DataFrame:
    """Return houses with size, age, district and price; the price follows from size and district, and noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"house": [f"H{number}" for number in range(n)], "size": rng.uniform(40, 200, n).round(1)})
    frame["age"] = rng.integers(0, 90, n)
    frame["district"] = rng.choice(["north", "south"], n)
    frame["price"] = (2 * frame["size"] + 60 * (frame["district"] == "south") + rng.normal(0, 12, n)).round(1)
    return frame


def table_of(frame: pd.DataFrame, target: str = "price") -> tuple[Table, Roles]:
    """Return a frame as it is read from a file, with the target taken as a number."""
    table = read_table(frame.to_csv(index=False).encode(), name="houses.csv")
    return table, guess_roles(table, target=target).roles.as_number()


@cache
def priced() -> NumberStudy:
    """Return a fitted study of the houses; fitted once in a process, and not to be changed."""
    return fit_number_study(*table_of(houses()))


@cache
def surprised() -> NumberStudy:
    """Return a study whose held-out houses of 60 years and more cost 150 above all that it has learned from."""
    frame = houses(400, seed=3)
    held_out = np.arange(len(frame)) >= 240
    frame.loc[held_out & (frame["age"] >= 60), "price"] += 150.0
    table, roles = table_of(frame)
    rows = table.frame.index.to_numpy(dtype=np.int64)
    split = Split(rows[~held_out], rows[held_out], rows[:0], SplitSettings())
    return fit_number_study(table, roles, split=split)


@cache
def priced_unseen() -> NumberUnseen:
    """Return three folds of the study of the houses; not to be changed."""
    return judge_numbers_unseen(priced(), n_folds=3)


@cache
def surprised_unseen() -> NumberUnseen:
    """Return two folds of the other study; not to be changed."""
    return judge_numbers_unseen(surprised(), n_folds=2)
