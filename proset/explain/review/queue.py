"""The cases that a person looks through, each by a model that has not seen it where there is one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.explain.review.judges import judges
from proset.explain.review.label_errors import SUSPICIOUS, suspicions
from proset.explain.review.listed import MIXED, Mixed, ReviewQueue, may_be_listed, often_leading, reasons_to_list
from proset.explain.review.row_facts import leading_prototypes, row_facts
from proset.explain.subject import study_of
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.unseen import Unseen


def review_queue(
    study: Study,
    unseen: Unseen | None = None,
    *,
    cases: Iterable[int] | None = None,
    rule: DecisionRule = MOST_PROBABLE,
    mixed: float = MIXED,
    random_state: int = 0,
) -> ReviewQueue:
    """List the cases of a table that a person should look at.

    All errors are listed, rows whose label is likely wrong although the model agrees with it, and training rows that
    as prototypes lead two errors or more. Of all other rows some are drawn and mixed in, so that the result says
    something about all rows. The untouched half of the held-out rows is never listed, see
    :func:`proset.study.unseen.untouched_rows`, nor is a row without a class.

    Parameters
    ----------
    unseen : Unseen or None
        Folds of its training rows, from :func:`proset.study.unseen.judge_unseen`. Rows that were not left out, and all
        training rows without it, are judged by the study itself, which has seen them: ``unseen`` is False for these.
    cases : iterable of int or None
        Row ids that are listed, right or wrong, and no others; those that may never be listed are left out.
    rule : DecisionRule
        Says which class is said.
    mixed : float
        Share of the queue that is drawn from the other rows, from 0 to 0.9; not used with `cases`.
    random_state : int
        Decides which are drawn, and where they stand.

    Raises
    ------
    StudyError
        If the folds are of another study, the share is out of range, or the table has no such row.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from proset.study.unseen import judge_unseen
    >>> study = fit_sample("cancer")
    >>> queue = review_queue(study, judge_unseen(study))
    >>> first = queue.ordered("deep")[0]
    >>> bool(queue.frame.loc[first, "wrong"]), len(queue.ordered("label")) == len(queue.frame)
    (True, True)
    """
    study = study_of(study, "review_queue")
    rows = may_be_listed(study, study.labels.isin(study.classes))
    suspicious = suspicions(study, unseen, rows).frame
    said = pd.concat([judged.study.judged(rule).loc[judged.rows] for judged in judges(study, unseen, rows)])
    wrong = said.index[said["wrong"]].to_numpy(dtype=np.int64)
    doubtful = suspicious.index[suspicious["suspicion"] >= SUSPICIOUS].to_numpy(dtype=np.int64)
    led = (leading_prototypes(judged, judged.said(rule)) for judged in judges(study, unseen, wrong))
    why = reasons_to_list(study, rows, (wrong, doubtful, often_leading(led)), cases, Mixed(mixed, random_state))
    listed = why.index.to_numpy(dtype=np.int64)
    frame = _facts(study, unseen, listed, rule).loc[listed]
    frame.insert(0, "part", study.predictions.loc[listed, "part"])
    frame.insert(2, "why", why)
    return ReviewQueue(study.id, random_state, frame.join(suspicious[["suspicion", "reason", "trees"]]))


def _facts(study: Study, unseen: Unseen | None, rows: NDArray[np.int64], rule: DecisionRule) -> pd.DataFrame:
    """Return the facts of rows, by whichever model judges them."""
    parts = [row_facts(judged, rule) for judged in judges(study, unseen, rows)]
    if parts:
        return pd.concat(parts)
    some = next(judges(study, unseen, study.split.train[:1]))
    return row_facts(some, rule).iloc[:0]
