"""A comparison as files: what stands there is what the tables say, and can be worked out again from them."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, log_loss

from proset.common.errors import StudyError
from proset.compare import (
    MEASURES,
    comparison_json,
    comparison_sheets,
    cost_table,
    estimate_table,
    fold_table,
    metric_table,
    summary_table,
)
from proset.explain.sheets.workbook import write_workbook


def test_the_estimates_give_the_measures_on_held_out_rows(study, compared):
    frame = estimate_table(study, compared)
    table = metric_table(compared).frame
    for entry in compared.systems:
        own = frame[[f"{entry.title}: {name}" for name in compared.classes]].to_numpy()
        said = np.asarray(compared.classes)[own.argmax(axis=1)]
        clipped = np.clip(own, 1e-10, 1.0)
        at = [compared.classes.index(name) for name in frame["actual"]]
        assert -np.log(clipped[np.arange(len(at)), at]).mean() == pytest.approx(
            table.loc[entry.key, "log_loss_held_out"]
        )
        accuracy = balanced_accuracy_score(frame["actual"], said)
        assert accuracy == pytest.approx(table.loc[entry.key, "balanced_accuracy_held_out"])
    assert frame.index.tolist() == compared.measured.tolist()
    assert log_loss(frame["actual"], own, labels=list(compared.classes)) > 0.0


def test_the_folds_give_the_means(compared):
    folds, table = fold_table(compared), metric_table(compared)
    assert folds["fold"].tolist() == [1, 2, 3] * (len(compared.systems) + 1)
    for key, own in folds.groupby("system"):
        line = table.naive if key == "naive" else table.frame.loc[key]
        for name in MEASURES:
            assert own[name].mean() == pytest.approx(line[f"{name}_mean"])
            assert own[name].std() == pytest.approx(line[f"{name}_sd"])


def test_the_summary_joins_measures_and_cost_and_ends_with_the_class_shares(compared):
    frame, table, cost = summary_table(compared), metric_table(compared), cost_table(compared)
    assert frame.index.tolist() == [*table.frame.index, "naive"]
    assert frame.loc["naive", "log_loss_held_out"] == table.naive["log_loss_held_out"]
    assert pd.isna(frame.loc["naive", "n_prototypes"])
    pd.testing.assert_series_equal(frame["size_bytes"].iloc[:-1], cost["size_bytes"])
    pd.testing.assert_series_equal(frame["log_loss_mean"].iloc[:-1], table.frame["log_loss_mean"])


def test_the_workbook_opens(study, compared):
    buffer = io.BytesIO()
    write_workbook(comparison_sheets(study, compared), buffer)
    sheets = pd.read_excel(buffer, sheet_name=None, engine="openpyxl")
    assert list(sheets) == ["measures", "folds", "sizes", "features", "disagreements", "estimates", "drift"]
    assert len(sheets["estimates"]) == len(compared.measured)
    assert (sheets["drift"]["halved_by"] == compared.drift.column).all()
    assert (sheets["drift"]["n_shifted"] == compared.drift.n_shifted).all()


def test_json_says_what_numbers_are(study, compared):
    held = json.loads(comparison_json(study, compared))
    assert held["rows_measured"] == len(compared.measured)
    assert held["class_shares_alone"]["log_loss_mean"] == metric_table(compared).naive["log_loss_mean"]
    assert set(held["folds"][0]) == {"system", "title", "fold", *MEASURES}
    assert held["drift"]["words"].startswith("Training rows with a value of")


def test_failed_systems_leave_blanks(study, fakes):
    frame = summary_table(fakes)
    assert frame.loc["smp", "failed"]
    assert np.isnan(frame.loc["smp", "log_loss_mean"])
    assert len(fold_table(fakes)) == 3 * 4
    assert json.loads(comparison_json(study, fakes))["measures"][2]["log_loss_mean"] is None


def test_another_study_is_refused(study, compared, iris_study):
    with pytest.raises(StudyError, match="another model"):
        estimate_table(iris_study, compared)
