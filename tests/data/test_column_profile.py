"""What columns hold, and how much each says about the target on rows left out."""

import numpy as np
import pandas as pd
import pytest
from effort import calls_of

from proset.data.column_profile import FEWEST_ROWS, MOST_CELLS, MOST_COLUMNS, MOST_ROWS, profile_columns
from proset.data.profile import CellKind
from proset.data.relation import random_folds, relation
from proset.data.table import read_table

RNG = np.random.default_rng(4)
N = 400
LABELS = np.array(["no", "yes"])[(np.arange(N) % 3 == 0).astype(int)]


def table_of(**columns):
    return read_table(pd.DataFrame(columns).to_csv(index=False).encode(), name="made.csv")


def look(labels=LABELS, **columns):
    table = table_of(**columns, y=labels)
    return profile_columns(table, labels=table.frame["y"].astype("str"), classes=("no", "yes"))


class TestRelation:
    @pytest.mark.parametrize("n_rows", [60, 100, 500])
    @pytest.mark.parametrize("n_cells", [2, 10, 40])
    def test_chance_comes_out_at_about_nothing(self, n_rows, n_cells):
        found = [
            relation(RNG.integers(0, n_cells, n_rows), RNG.integers(0, 3, n_rows), random_folds(n_rows), n_classes=3)
            for _ in range(40)
        ]
        assert np.mean(found) < 0.01

    def test_a_copy_is_nearly_everything_and_a_half_copy_between(self):
        target = RNG.integers(0, 2, N)
        half = np.where(RNG.random(N) < 0.5, target, RNG.integers(0, 2, N))
        folds = random_folds(N)
        everything = relation(target, target, folds, n_classes=2)
        assert everything > 0.95
        assert 0.1 < relation(half, target, folds, n_classes=2) < 0.4 < everything

    def test_as_many_cells_as_rows_say_nothing(self):
        assert relation(np.arange(N), RNG.integers(0, 2, N), random_folds(N), n_classes=2) == 0.0

    def test_nothing_to_measure(self):
        assert np.isnan(relation(np.zeros(5, int), np.zeros(5, int), np.zeros(5, int), n_classes=2))
        assert np.isnan(relation(np.zeros(N, int), np.zeros(N, int), random_folds(N), n_classes=1))

    @pytest.mark.parametrize("kind", ["number", "date", "word", "truth", "missing"])
    def test_every_kind_of_column_is_measured(self, kind):
        yes = LABELS == "yes"
        strong = np.where(RNG.random(N) < 0.9, yes, ~yes)
        column = {
            "number": strong + RNG.normal(scale=0.2, size=N).round(3),
            "date": pd.to_datetime("2024-01-01") + pd.to_timedelta(strong * 100 + RNG.integers(0, 90, N), unit="D"),
            "word": np.where(strong, "high", "low"),
            "truth": strong,
            "missing": pd.Series(RNG.normal(size=N).round(3)).where(strong),
        }[kind]
        found = look(x=column, noise=RNG.permutation(np.asarray(column)))
        assert found.columns["x"].relation > 0.25
        assert found.columns["noise"].relation < 0.03

    def test_a_number_that_is_mostly_zero_still_says_something(self):
        dose = np.where((LABELS == "yes") & (RNG.random(N) < 0.7), RNG.lognormal(size=N), 0.0).round(4)
        assert look(dose=dose).columns["dose"].relation > 0.3
        assert look(dose=-dose).columns["dose"].relation > 0.3


class TestProfile:
    def test_numbers(self):
        values = np.r_[RNG.normal(size=N - 2).round(3), np.nan, 99.5]
        found = look(x=values).columns["x"]
        assert found.kind is CellKind.NUMBER
        assert (found.n_missing, found.high) == (1, "99.5")
        assert found.bars[-1] == "(missing)"
        assert len(found.edges) == len(found.bars)
        assert found.counts.sum() == N
        assert found.counts.sum(axis=0).tolist() == [(LABELS == "no").sum(), (LABELS == "yes").sum()]

    def test_few_numbers_have_a_bar_each(self):
        found = look(x=np.arange(N) % 4).columns["x"]
        assert found.bars == ("0", "1", "2", "3")
        assert found.counts.sum(axis=1).tolist() == [N // 4] * 4

    def test_words_pool_the_rare_ones(self):
        found = look(x=[f"w{i % 50}" for i in range(N)]).columns["x"]
        assert found.bars[-1] == "(other)"
        assert found.counts.sum() == N
        assert found.n_distinct == 50

    def test_days(self):
        found = look(x=pd.date_range("2024-01-01", periods=N)).columns["x"]
        assert (found.low, found.high) == ("2024-01-01", "2025-02-03")
        assert found.bars[0] == "2024-01-01 to 2024-01-20"

    @pytest.mark.parametrize(
        "values",
        [[None] * N, [1] * N, [1e308, -1e308] * (N // 2), [1e-320, 2e-320] * (N // 2), ["", "x"] * (N // 2),
         [x * 1.7e308 for x in np.linspace(-1, 1, N)], [float("inf"), 2.0, 3.5, 4.5] * (N // 4)],
    )  # fmt: skip
    def test_odd_columns(self, values):
        found = look(x=values).columns["x"]
        assert found.counts.sum() == N
        assert len(found.bars) == len(found.counts)

    def test_only_the_rows_with_a_label_are_looked_at(self):
        table = table_of(x=RNG.normal(size=N).round(3), y=LABELS)
        labels = table.frame["y"].astype("str").iloc[:100]
        found = profile_columns(table, labels=labels, classes=("no", "yes"))
        assert (found.n_rows, found.n_available) == (100, 100)
        assert found.columns["x"].counts.sum() == 100
        assert "y" not in found.columns

    def test_without_classes_all_rows_are_shown(self):
        table = table_of(x=RNG.normal(size=N).round(3), y=LABELS)
        found = profile_columns(table)
        assert list(found.columns) == ["x", "y"]
        assert found.columns["x"].counts.shape[1] == 1
        assert np.isnan(found.columns["x"].relation)

    def test_large_tables_are_drawn_from(self):
        table = table_of(x=RNG.integers(0, 99, MOST_ROWS + 500))
        found = profile_columns(table)
        assert (found.n_rows, found.n_available) == (MOST_ROWS, MOST_ROWS + 500)
        assert found.columns["x"].counts.sum() == MOST_ROWS

    @pytest.mark.slow
    def test_wide_tables_are_cut(self):
        table = table_of(**{f"c{i}": [0, 1] * 10 for i in range(MOST_COLUMNS + 3)})
        found = profile_columns(table)
        assert (len(found.columns), found.n_left_out) == (MOST_COLUMNS, 3)
        assert MOST_CELLS // MOST_COLUMNS >= FEWEST_ROWS

    @pytest.mark.slow
    def test_each_column_of_a_wide_table_costs_the_same(self):
        def calls(n_columns, rows=2_000):
            columns = {f"x{i}": RNG.normal(size=rows) for i in range(2 * n_columns // 3)}
            columns |= {f"w{i}": RNG.choice([f"v{j}" for j in range(300)], rows) for i in range(n_columns // 3)}
            table = table_of(**columns, y=RNG.choice(["no", "yes"], rows))
            labels = table.frame["y"].astype("str")
            return calls_of(lambda: profile_columns(table, labels=labels, classes=("no", "yes")))

        assert calls(24) < 2.2 * calls(12)
        assert calls(6, 20_000) < 1.2 * calls(6, 10_000)
