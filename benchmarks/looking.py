"""What looking at a table costs, in units of reading it: ``python -m benchmarks.looking``.

Processor time against a yardstick of the same run, reading the same bytes by ``pandas.read_csv``, so that numbers of
two machines can be compared. That no column costs more than another one is tested by counting calls.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.tables import number, table, write_section
from proset.data.column_profile import profile_columns
from proset.data.profile import profile_column
from proset.data.role_guess import guess_roles, review_roles
from proset.data.table import read_table

REPEATS = 3
SHAPES = {"60 x 400, words": (60, 400), "2,000 x 30, numbers and words": (2_000, 30)}


def taken(work: Callable[[], Any]) -> float:
    """Return the least of a few times, in seconds of a processor."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def made(n_rows: int, n_columns: int) -> bytes:
    """Return a table whose first columns are numbers if it is longer than wide, the others words; and two classes."""
    rng = np.random.default_rng(0)
    n_numbers = 2 * n_columns // 3 if n_rows > n_columns else 0
    columns: dict[str, Any] = {f"x{at}": rng.normal(size=n_rows).round(4) for at in range(n_numbers)}
    columns |= {f"w{at}": rng.choice(["red", "green", "blue"], n_rows) for at in range(n_columns - n_numbers - 1)}
    columns["kind"] = rng.choice(["sick", "well"], n_rows)
    return pd.DataFrame(columns).to_csv(index=False).encode()


def lines_of(name: str, n_rows: int, n_columns: int) -> list[list[str]]:
    """Measure one table: what is done, and how many times as long as the yardstick it takes."""
    data = made(n_rows, n_columns)
    read = read_table(data)
    guess = guess_roles(read, target="kind")
    works: dict[str, Callable[[], Any]] = {
        "read_table": lambda: read_table(data),
        "Table.profiles": lambda: [profile_column(cells) for _, cells in read.frame.items()],
        "guess_roles, once the columns are known": lambda: guess_roles(read, target="kind"),
        "review_roles": lambda: review_roles(read, guess.roles),
        "profile_columns": lambda: profile_columns(read),
    }
    yardstick = taken(lambda: pd.read_csv(io.BytesIO(data)))
    return [[name, what, number(taken(work) / yardstick)] for what, work in works.items()]


def main() -> None:
    """Measure and write the section of the README."""
    rows = [line for name, shape in SHAPES.items() for line in lines_of(name, *shape)]
    write_section("looking", table(["table", "work", "times pandas.read_csv"], rows))


if __name__ == "__main__":
    main()
