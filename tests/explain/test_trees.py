"""What trees say of rows: probabilities that do not come from the rows themselves, whatever the table holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble

from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.review import trees
from proset.explain.review.trees import said_by_trees
from proset.study import Study, fit_study


def study_of_frame(frame: pd.DataFrame) -> Study:
    """Fit a study to a table whose target is called kind."""
    table = read_table(frame.to_csv(index=False).encode(), name="table.csv")
    return fit_study(table, guess_roles(table, target="kind").roles)


def two_clouds(n: int = 60) -> pd.DataFrame:
    """Two classes far apart, and a wrong label in each tenth row of the first."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) + 6.0])
    kind = np.repeat(["a", "b"], n)
    kind[: n // 10] = "b"
    return pd.DataFrame(X.round(4), columns=["x", "y", "z"]).assign(kind=kind)


@pytest.mark.parametrize("part", ["train", "held_out"])
def test_no_row_speaks_for_its_own_label(part):
    study = study_of_frame(two_clouds())
    rows = getattr(study.split, part)
    said = said_by_trees(study, rows)
    assert said.shape == (len(rows), 2)
    assert (said > 0.0).all()
    assert said.sum(axis=1) == pytest.approx(1.0)
    cloud = (rows > 60).astype(int)
    assert (said[np.arange(len(rows)), cloud] > 0.6).all()
    wrong = rows <= 6
    assert wrong.any()


def test_learned_and_new_rows_may_be_asked_about_at_once():
    study = study_of_frame(two_clouds())
    rows = np.sort(np.concatenate([study.split.train[:5], study.split.held_out[:5]]))
    both = pd.DataFrame(said_by_trees(study, rows), index=rows)
    for part in (study.split.train, study.split.held_out):
        own = pd.DataFrame(said_by_trees(study, part), index=part)
        shared = own.index.intersection(both.index)
        pd.testing.assert_frame_equal(own.loc[shared], both.loc[shared])


def test_a_tree_draws_a_bounded_number_of_rows(monkeypatch):
    study = study_of_frame(two_clouds())
    drawn = []

    class Watched(ensemble.ExtraTreesClassifier):
        def fit(self, X, y):
            drawn.append((self.max_samples, len(y)))
            return super().fit(X, y)

    monkeypatch.setattr(ensemble, "ExtraTreesClassifier", Watched)
    said_by_trees(study, study.split.held_out)
    monkeypatch.setattr(trees, "MOST_ROWS", 30)
    said_by_trees(study, study.split.held_out)
    n = len(study.split.train)
    assert drawn == [(n, n), (30, n)]


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_any_numbers_and_gaps_will_do(scale):
    frame = two_clouds(30)
    frame["x"] *= scale
    frame.loc[::7, "y"] = np.nan
    study = study_of_frame(frame)
    every = np.sort(np.concatenate([study.split.train, study.split.held_out]))
    assert np.isfinite(said_by_trees(study, every)).all()
