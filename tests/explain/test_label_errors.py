"""Likely label errors: planted ones come first, and the reason says what speaks against the label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from proset import explain
from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import Table, read_table
from proset.study import Study, fit_study
from proset.study.unseen import Unseen, judge_unseen


@pytest.fixture(scope="module")
def planted() -> tuple[Study, Unseen, pd.Series]:
    """The cancer table with 28 wrong labels."""
    table = load_sample("cancer")
    frame = table.frame.copy()
    rows = np.random.default_rng(0).choice(frame.index.to_numpy(), 28, replace=False)
    swap = {"benign": "malignant", "malignant": "benign"}
    frame.loc[rows, "diagnosis"] = frame.loc[rows, "diagnosis"].map(swap)
    noisy: Table = read_table(frame.to_csv(index=False).encode(), name="noisy.csv")
    study = fit_study(noisy, sample_roles("cancer"))
    return study, judge_unseen(study), pd.Series(frame.index.isin(rows), index=noisy.frame.index)


def test_rows_that_the_table_does_not_have_are_refused(planted: tuple[Study, Unseen, pd.Series]) -> None:
    study, unseen, _ = planted
    with pytest.raises(StudyError, match=r"99,?999"):
        explain.label_errors(study, unseen, cases=[99_999])


def test_planted_errors_come_first(planted: tuple[Study, Unseen, pd.Series]) -> None:
    study, unseen, bad = planted
    frame = explain.label_errors(study, unseen).frame
    assert set(frame.index) == set(unseen.rows)
    assert frame["suspicion"].between(0.0, 1.0).all()
    assert frame["suspicion"].is_monotonic_decreasing
    hit = bad.loc[frame.index]
    assert hit.iloc[:10].mean() >= 0.9
    stated = (
        1.0
        - unseen.probabilities.to_numpy()[
            np.arange(len(unseen.rows)), pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[unseen.rows]))
        ]
    )
    plain = average_precision_score(bad.loc[unseen.rows], stated)
    assert average_precision_score(hit, frame["suspicion"]) > plain


def test_reasons_say_what_speaks_against_the_label(planted: tuple[Study, Unseen, pd.Series]) -> None:
    study, unseen, _ = planted
    frame = explain.label_errors(study, unseen).frame
    assert ((frame["suspicion"] >= 0.5) == (frame["reason"] != "")).all()
    first = frame.iloc[0]
    other = {"benign": "malignant", "malignant": "benign"}[first["actual"]]
    assert first["said"] == other
    assert f"The model gives '{first['actual']}'" in first["reason"]
    assert f"nearest known cases in the columns that the model uses and in all columns are '{other}'" in first["reason"]
    assert first["familiarity"] >= 0.2
    assert "although the case is familiar" in first["reason"]
    kept = set(study.prototypes["row"]).union(*(own.prototypes["row"] for own in unseen.studies))
    assert set(frame.index[frame["prototype"]]) == kept & set(frame.index)
    doubtful = frame[frame["prototype"] & frame["reason"].str.contains("nearest")]
    assert len(doubtful)
    assert doubtful["reason"].str.contains("it is a prototype, so others rest on it").all()


def test_held_out_rows_can_be_asked_about(planted: tuple[Study, Unseen, pd.Series]) -> None:
    study, unseen, bad = planted
    rows = study.split.held_out
    frame = explain.label_errors(study, unseen, cases=rows).frame
    assert sorted(frame.index) == sorted(rows)
    assert frame["stated"].to_dict() == pytest.approx(
        {row: study.probabilities.loc[row, study.labels.loc[row]] for row in rows}
    )
    hit = bad.loc[frame.index]
    assert hit.sum() == hit.iloc[:20].sum() == 4


@pytest.mark.slow
def test_wrong_labels_do_not_vouch_for_each_other() -> None:
    """Four neighbours of the wrong class beside each other: each is the nearest of the others."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(80, 3)), rng.normal(size=(80, 3)) + 7.0])
    kind = np.repeat(["a", "b"], 80)
    kind[:4], X[:4] = "b", rng.normal(size=(4, 3)) * 0.01
    frame = pd.DataFrame(X.round(4), columns=["x", "y", "z"]).assign(kind=kind)
    table = read_table(frame.to_csv(index=False).encode(), name="group.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles)
    found = explain.label_errors(study, judge_unseen(study)).frame
    planted = set(range(1, 5)) & set(study.split.train)
    assert planted
    assert set(found.index[: len(planted)]) == planted
