"""Refits under other seeds and splits: what they count, and what is said of it."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.explain.study_only.stability_refits import _dominant_rows
from proset.explain.study_only.stability_result import FEATURE_COLUMNS, REFIT_COLUMNS, ROW_COLUMNS, Stability
from proset.selection import Cancelled
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def noisy_study():
    """One column decides, one is noise, and some rows lie on the border."""
    random = np.random.default_rng(3)
    n = 90
    size, noise = random.normal(0, 1, n).round(2), random.normal(0, 1, n).round(2)
    kind = np.where(size + random.normal(0, 0.3, n) > 0, "big", "small")
    frame = pd.DataFrame({"size": size, "noise": noise, "day": range(n), "kind": kind})
    table = read_table(frame.to_csv(index=False).encode(), name="sizes.csv")
    roles = guess_roles(table, target="kind").roles.with_role("day", "extra")
    return fit_study(table, roles, settings=FitSettings(num_candidates=30))


@pytest.fixture(scope="module")
def found(noisy_study):
    return explain.stability(noisy_study, n_repeats=4, cases=[1])


def test_rows_features_and_refits_are_counted(noisy_study, found):
    assert tuple(found.rows.columns) == ROW_COLUMNS
    assert tuple(found.features.columns) == FEATURE_COLUMNS
    assert tuple(found.refits.columns) == REFIT_COLUMNS
    assert found.rows["predicted"].equals(noisy_study.predictions["predicted"].rename("predicted"))
    assert found.refits["seed"].tolist() == [1, 2, 3, 4]
    assert found.features.loc["size", "share"] == 1.0
    assert (found.rows["low"] <= found.rows["high"]).all()
    # A row is held out of about three refits in ten.
    assert 0.2 < found.rows["held_out"].mean() / 4 < 0.4


def test_each_number_agrees_with_refits_made_by_hand(noisy_study, found):
    own = noisy_study.predictions["predicted"]
    refits = [
        fit_study(
            noisy_study.table,
            noisy_study.roles,
            split=SplitSettings(seed=seed),
            settings=FitSettings(num_candidates=30, random_state=seed),
        )
        for seed in (1, 2, 3, 4)
    ]
    same = np.mean([refit.predictions["predicted"] == own for refit in refits], axis=0)
    assert np.array_equal(found.rows["same"], same)
    probability = [refit.probabilities.to_numpy()[np.arange(90), noisy_study.probabilities.to_numpy().argmax(1)]
                   for refit in refits]  # fmt: skip
    assert np.allclose(found.rows["low"], np.min(probability, axis=0))
    assert found.refits["log_loss"].tolist() == [refit.metrics.log_loss for refit in refits]
    # The dominant set of the first row, from the explanation of each model.
    sets = []
    for study in (noisy_study, *refits):
        report = explain.explain_case(study, 1).prototypes
        sets.append(set(report.loc[report["dominant set"] == 1, "sample"].astype(int)))
    assert sets[1] == _dominant_rows(noisy_study, refits[0], np.array([1]))[0]
    shares = []
    for refit, other in zip(refits, sets[1:], strict=True):
        could = set(noisy_study.split.train) & set(refit.split.train)
        if (sets[0] | other) & could:
            shares.append(len(sets[0] & other & could) / len((sets[0] | other) & could))
    assert found.rows.loc[1, "overlap"] == pytest.approx(np.mean(shares))


def test_the_same_seeds_give_the_same_answer(noisy_study, found):
    again = explain.stability(noisy_study, random_states=[1, 2, 3, 4], cases=[1])
    pd.testing.assert_frame_equal(again.rows, found.rows)


def test_it_is_said_in_sentences(found):
    assert "4 refits with other seeds and splits" in found.words[0]
    unsure = found.rows.index[found.rows["same"] < 1]
    sure = found.rows.index[found.rows["same"] == 1]
    assert "is the most probable class in all 4 refits" in found.case_words(int(sure[0]))
    if len(unsure):
        assert "of 4 refits" in found.case_words(int(unsure[0]))
    assert found.case_words(10**6) == ""
    json.dumps(found.to_dict(), allow_nan=False)


def test_nobody_agreeing_is_not_called_too():
    rows = pd.DataFrame(
        [["a", 0.0, 0.1, 0.4, "b", 2, 0.0, np.nan]], columns=list(ROW_COLUMNS), index=pd.Index([7], name="row")
    )
    refits = pd.DataFrame({"log_loss": [0.5] * 3})
    words = Stability("id", True, rows, pd.DataFrame(columns=list(FEATURE_COLUMNS)), refits).case_words(7)
    assert words == (
        "'a' is the most probable class in none of 3 refits with other seeds and splits; its probability went from"
        " 10.0 % to 40.0 %. Otherwise it is mostly 'b'. Of the 2 refits that had not learned from this row, 0 say 'a'."
    )


def test_a_split_by_time_stays(noisy_study):
    study = fit_study(
        noisy_study.table, noisy_study.roles, split=SplitSettings(time="day"), settings=FitSettings(num_candidates=20)
    )
    found = explain.stability(study, n_repeats=2)
    assert found.what == "other seeds"
    assert set(found.rows["held_out"]) == {0, 2}


def test_it_can_be_cancelled_and_keeps_what_is_finished(noisy_study):
    seen = []

    def stop():
        return bool(seen) and seen[-1].fit > 2

    found = explain.stability(noisy_study, n_repeats=5, progress=seen.append, cancel=stop)
    assert found.n_refits == 2
    assert all(a.share <= b.share for a, b in itertools.pairwise(seen))
    with pytest.raises(Cancelled):
        explain.stability(noisy_study, n_repeats=5, cancel=lambda: True)


def test_what_makes_no_sense_is_refused(noisy_study):
    with pytest.raises(StudyError, match="has to be from 2 to 100"):
        explain.stability(noisy_study, n_repeats=1)
    with pytest.raises(StudyError, match="no row 500"):
        explain.stability(noisy_study, n_repeats=2, cases=[500])


def test_a_model_without_prototypes_is_stable(empty_study):
    found = explain.stability(empty_study, n_repeats=2)
    assert found.rows["overlap"].isna().all()
    assert found.refits["features"].tolist() == [0, 0]
    assert len(found.words) == 2
