"""New rows need the columns that the model uses, and no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import DesignError
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.cases.case import explain_case
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def study():
    """A study in which one number and one word decide; another number, a word and a day are noise."""
    random = np.random.default_rng(3)
    n = 160
    size, site = random.normal(size=n), random.choice(["north", "south"], n)
    frame = pd.DataFrame(
        {
            "id": [f"P{i}" for i in range(n)],
            "noise": random.normal(size=n).round(3),
            "size": size.round(3),
            "site": site,
            "word": random.choice(["x", "y", "z"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 400, n), unit="D"),
            "kind": np.where(size + 1.2 * (site == "north") > 0.5, "big", "small"),
        }
    )
    table = read_table(frame.to_csv(index=False).encode(), name="sizes.csv")
    return fit_study(
        table, guess_roles(table, target="kind").roles, settings=FitSettings(n_iter=2, lambda_v=0.05, random_state=1)
    )


def test_the_model_names_the_columns_that_it_uses(study):
    assert study.used_columns == ("size", "site")


def test_scores_are_the_same_bit_for_bit_without_the_other_columns(study):
    frame = study.table.frame
    full = study.score(frame)
    for other in (
        frame[["site", "size"]],
        frame.assign(noise="a word", day="no day", word=1.5),
        frame.assign(noise=np.nan, word=None, day=None),
    ):
        pd.testing.assert_frame_equal(study.score(other), full, check_exact=True)
    estimates = study.probabilities.add_prefix("probability_")
    pd.testing.assert_frame_equal(full[estimates.columns], estimates, check_exact=True, check_names=False)


def test_a_column_that_is_used_is_asked_for_by_name(study):
    with pytest.raises(DesignError, match="lacks 1 of the 2 columns that the model needs: 'site'"):
        study.score(study.table.frame[["size", "noise"]])


def test_a_new_row_is_explained_without_the_other_columns(study):
    row = study.table.frame.loc[[int(study.split.held_out[0])]]
    full, bare = explain_case(study, row), explain_case(study, row[["size", "site", "kind"]])
    pd.testing.assert_series_equal(bare.probabilities, full.probabilities, check_exact=True)
    assert bare.familiarity == full.familiarity
    assert bare.words == full.words
    assert bare.neighbours.iloc[0].tolist() == full.neighbours.iloc[0].tolist()


def test_a_model_without_features_takes_any_row(patients, patient_roles):
    study = fit_study(patients, patient_roles, settings=FitSettings(n_iter=0))
    assert study.used_columns == ()
    assert study.score(pd.DataFrame({"else": ["a", "b"]})).filter(like="probability").nunique().eq(1).all()
