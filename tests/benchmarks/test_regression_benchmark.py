"""What the benchmark of distributions makes of answers and of cells."""

import numpy as np
import pytest

from benchmarks import regression


def test_normal_distributions_are_measured_by_density_levels_and_interval():
    y = np.random.default_rng(0).normal(5.0, 2.0, 4_000)
    found = regression.of_normal(np.full(4_000, 5.0), np.full(4_000, 2.0), y)
    assert found["log_score"] == pytest.approx(np.log(2.0) + 0.5 * np.log(2.0 * np.pi) + 0.5, abs=0.05)
    assert found["coverage"] == pytest.approx(0.9, abs=0.02)
    assert found["rmse"] == pytest.approx(2.0, abs=0.1)
    assert found["pinball"] == pytest.approx(2.0 / np.sqrt(np.pi), abs=0.1)  # the CRPS of a normal distribution


@pytest.mark.slow
def test_ours_are_measured_with_their_size():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    found = regression.ours((X, y, X[:9], y[:9]), n_iter=1)
    assert 0 < found["prototypes"] <= 30
    assert found["columns"] <= found["of_columns"] == 2
    assert {"log_score", "pinball", "coverage", "rmse"} <= set(found)


def test_the_table_has_shares_of_the_marginal_split_by_split():
    cells = {
        "concrete/100/ours": {"log_score": 3.0, "pinball": 1.0, "coverage": 0.8, "rmse": 5.0, "prototypes": 9,
                              "columns": 3, "of_columns": 8, "seconds": 1.0},
        "concrete/101/ours": {"log_score": 2.0, "pinball": 3.0, "coverage": 1.0, "rmse": 7.0, "prototypes": 11,
                              "columns": 3, "of_columns": 8, "seconds": 3.0},
        "concrete/100/marginal": {"pinball": 2.0, "coverage": 0.9, "rmse": 9.0, "seconds": 0.0},
        "concrete/101/marginal": {"pinball": 4.0, "coverage": 0.9, "rmse": 9.0, "seconds": 0.0},
        "concrete/100/boosting": {"rmse": 4.0, "seconds": 0.5},
    }  # fmt: skip
    lines = regression.render(cells, ["concrete"])
    assert lines[2] == "| concrete | ours | 2.500 | 0.625 | 0.900 | 6.00 | 3 of 8 | 10 | 2.00 |"
    assert lines[3] == "| concrete | boosting |  |  |  | 4.00 |  |  | 0.500 |"
    assert len(lines) == 4


def test_bars_are_counted_from_the_cells_of_tables_on_which_every_rival_is_measured():
    judged = {"log_score": 2.0, "pinball": 1.0, "coverage": 0.9, "rmse": 5.0, "prototypes": 40, "columns": 3,
              "of_columns": 8, "seconds": 1.0}  # fmt: skip
    cells = {
        **{f"concrete/{split}/marginal": {"pinball": 2.0, "rmse": 9.0} for split in (100, 101)},
        "concrete/100/ours, searched": judged,
        "concrete/101/ours, searched": {**judged, "prototypes": 60, "coverage": 0.96},
        "concrete/100/NGBoost": {"log_score": 2.5, "pinball": 1.0, "rmse": 5.0},
        "concrete/100/quantile forest": {"pinball": 0.8, "rmse": 5.0},
        "concrete/100/XGBoost, tuned": {"rmse": 4.0},
        "abalone/100/marginal": {"pinball": 2.0, "rmse": 9.0},
        "abalone/100/ours, searched": judged,
    }
    lines = regression.render_bars(cells, ["concrete", "abalone"])
    assert lines[2:] == [
        "| log score less NGBoost's | at or below on 1 of 1: concrete -0.50 |",
        "| CRPS over that of NGBoost | at or below on 1 of 1, 1.000 on average: concrete 1.00 |",
        "| CRPS over that of quantile forest | at or below on 0 of 1, 1.250 on average: concrete 1.25 |",
        "| RMSE over that of XGBoost, tuned | at or below on 0 of 1, 1.250 on average: concrete 1.25 |",
        "| rows inside 90 % intervals | 93.0%, standard error 3.0% |",
        "| prototypes, median of the models | 50 |",
        "| columns in use | 3 of 8 |",
    ]
    assert regression.render_bars(cells, ["abalone"]) == []
