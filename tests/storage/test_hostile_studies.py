"""Damaged studies by the hundred: each is refused in words, or is a study that works."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from effort import counted
from hostile.studies import Damaged, damaged
from variants import main_cases

from proset.common.errors import ProsetError, StorageError
from proset.explain.cases.case import explain_case
from proset.plots.selection import plot_stage_1, plot_stage_2
from proset.storage import from_bytes, to_bytes
from proset.study import Study, search_words

LONGEST_MESSAGE = 1_000
MOST_CALLS = 1_000_000


def works(study: Study) -> None:
    """Use a study the way pages and commands do; what it says may be nonsense, but it has to say it."""
    frame = study.table.frame
    assert len(study.predictions) == len(frame)
    probabilities = study.probabilities.to_numpy()
    assert np.isfinite(probabilities).all()
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert set(study.prototypes["row"]) <= set(study.split.train)
    assert study.feature_weights.notna().all().all()
    assert len(study.score(frame)) == len(frame)
    assert len(study.id) == 16
    for row in (frame.index[0], frame.index[-1]):
        try:
            report = explain_case(study, int(row))
        except ProsetError:
            continue
        assert report.total_check < 1e-3
    if study.search is not None:
        assert search_words(study.search)
        assert plot_stage_1(study.search).data
        assert plot_stage_2(study.search).data
    for text in (study.table.name, *study.classes, *map(str, frame.columns), *study.provenance.versions):
        text.encode("utf-8")
    again = from_bytes(to_bytes(study))
    assert again.id == study.id


def refused_or_working(case: Damaged) -> bool:
    """Whether a file is a study that works; fails unless it is or is refused in words, and soon."""
    with counted() as effort:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                study = from_bytes(case.data)
        except StorageError as error:
            study, message = None, str(error)
    assert effort.calls < MOST_CALLS
    if study is None:
        assert 10 < len(message.encode("utf-8")) < LONGEST_MESSAGE
        return False
    works(study)
    return True


def check(saved: bytes, *, count: int, seed: int, number: int) -> None:
    """Look at so many damaged copies; most have to be refused, and some have to work, or the damage is no test."""
    working = 0
    for case in damaged(saved, count=count, seed=seed, number=number):
        try:
            working += refused_or_working(case)
        except Exception as error:
            error.add_note(case.what)
            raise
    assert 0 < working < count / 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", main_cases(range(4), only=[0, 1]))
def test_damaged_studies_are_refused_or_work(seed: int, study: Study) -> None:
    check(to_bytes(study), count=60, seed=seed, number=1)


@pytest.mark.slow
def test_damaged_studies_with_a_search_are_refused_or_work(searched: Study) -> None:
    check(to_bytes(searched), count=60, seed=99, number=2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(100, 110))
def test_two_thousand_damaged_studies_are_refused_or_work(seed: int, study: Study, searched: Study) -> None:
    check(to_bytes(study), count=120, seed=seed, number=1)
    check(to_bytes(searched), count=80, seed=seed + 1000, number=2)
