"""The cases of a number that a person looks through, each by a model that has not seen it where there is one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.set_manager import FloatArray
from proset.explain.numbers.known_rows import number_study_of
from proset.explain.numbers.typical import shares
from proset.explain.review.judges import JudgedNumbers, middles, number_judges
from proset.explain.review.listed import (
    MIXED,
    NO_PROTOTYPE,
    Mixed,
    ReviewQueue,
    may_be_listed,
    often_leading,
    reasons_to_list,
)
from proset.explain.review.row_facts import N_NEAREST
from proset.explain.review.wrong_numbers import SUSPICIOUS, suspicious_numbers
from proset.study import NumberStudy
from proset.study.number_unseen import NumberUnseen

_LEAST_SPREAD = 1e-3  # of neighbours, in standard deviations of the target, where all have the same number


def number_review_queue(
    study: NumberStudy,
    unseen: NumberUnseen | None = None,
    *,
    cases: Iterable[int] | None = None,
    mixed: float = MIXED,
    random_state: int = 0,
) -> ReviewQueue:
    r"""List the cases of a table with a number as target that a person should look at.

    All rows whose number lies outside their interval of 90 % are listed, rows whose number is likely wrong although it
    lies within, and training rows that as prototypes lead two errors or more. Of all other rows some are drawn and
    mixed in, so that the result says something about all rows. The untouched half of the held-out rows is never listed,
    see :func:`proset.study.unseen.untouched_rows`, nor is a row without a number.

    Parameters
    ----------
    unseen : NumberUnseen or None
        Folds of its training rows, from :func:`proset.study.number_unseen.judge_numbers_unseen`. Rows that were not
        left out, and all training rows without it, are judged by the study itself: ``unseen`` is False for these.
    cases : iterable of int or None
        Row ids that are listed, outside or not, and no others; those that may never be listed are left out.
    mixed, random_state
        As for :func:`proset.explain.review_queue`.

    Raises
    ------
    StudyError
        If the folds are of another study, the share is out of range, or the table has no such row.
    TypeError
        If something else than a study of a number is given.

    Examples
    --------
    >>> import proset
    >>> from proset.data.role_guess import guess_roles
    >>> prices = [3 * size + size % 7 for size in range(80)]
    >>> prices[30] = 900
    >>> lines = ["size,price"] + [f"{size},{price}" for size, price in enumerate(prices)]
    >>> table = proset.read_table("\n".join(lines).encode(), name="prices.csv")
    >>> study = proset.fit_number_study(table, guess_roles(table, target="price").roles)
    >>> queue = number_review_queue(study)
    >>> queue.ordered("error")[0], str(queue.frame.loc[31, "why"])
    (31, 'wrong')
    """
    study = number_study_of(study, "number_review_queue")
    rows = may_be_listed(study, study.table_targets.notna())
    suspicious = suspicious_numbers(study, unseen, rows).frame
    doubtful = suspicious.index[suspicious["suspicion"] >= SUSPICIOUS].to_numpy(dtype=np.int64)
    outside = ~suspicious["actual"].between(suspicious["lower"], suspicious["upper"])
    wrong = suspicious.index[outside].to_numpy(dtype=np.int64)
    leaders = often_leading(_leading(judged) for judged in number_judges(study, unseen, wrong))
    why = reasons_to_list(study, rows, (wrong, doubtful, leaders), cases, Mixed(mixed, random_state))
    listed = why.index.to_numpy(dtype=np.int64)
    parts = [_facts(judged) for judged in number_judges(study, unseen, listed)]
    frame = pd.concat(parts or [_facts(JudgedNumbers(study, rows[:0], unseen=True))]).loc[listed]
    frame.insert(0, "part", study.predictions.loc[listed, "part"])
    frame.insert(2, "why", why)
    return ReviewQueue(study.id, random_state, frame.join(suspicious[["suspicion", "reason"]]))


def _facts(judged: JudgedNumbers) -> pd.DataFrame:
    """Return what a review wants to know of rows, see :class:`ReviewQueue`."""
    said = judged.study.predictions.loc[judged.rows]
    by_model, by_columns = _neighbours(judged, said["median"].to_numpy())
    result = pd.DataFrame(
        {
            "unseen": judged.unseen,
            "actual": said["actual"],
            "said": said["median"],
            "lower": said["lower"],
            "upper": said["upper"],
            "error": said["error"],
            "wrong": ~said["actual"].between(said["lower"], said["upper"]),
            "place": said["place"],
            "familiarity": said["quantile"],
            "nearness": judged.nearness if len(said) else np.zeros(0),
            "neighbours": by_model,
            "neighbours_all": by_columns,
            "prototype": _leading(judged),
        }
    )
    return result.rename_axis("row")


def _neighbours(judged: JudgedNumbers, medians: FloatArray) -> list[FloatArray]:
    """Return how many of their spreads medians lie from the mean of the nearest known cases, in both metrics."""
    if not len(medians):
        return [medians, medians]
    places, found = judged.study.model.units_.inward(medians), []
    for sums in judged.moments(N_NEAREST):
        middle, spread, known = middles(sums)
        found.append(np.where(known, np.abs(places - middle) / np.maximum(spread, _LEAST_SPREAD), 0.0))
    return found


def _leading(judged: JudgedNumbers) -> NDArray[np.int64]:
    """Return the row of the prototype with the largest share in each answer; -1 where there is none."""
    study = judged.study
    manager, found = study.model.set_manager_, np.full(len(judged.rows), NO_PROTOTYPE, dtype=np.int64)
    places = np.concatenate([np.zeros(0, dtype=np.int64), *(one.sample_index for one in manager.density_batches)])
    if not len(places) or not len(found):
        return found
    for block, share in shares(manager, study.encode(judged.rows).X):
        first = share.argmax(axis=1)
        heard = share[np.arange(len(first)), first] > 0.0
        found[block] = np.where(heard, study.split.train[places[first]], NO_PROTOTYPE)
    return found
