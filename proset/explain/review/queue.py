"""The cases that a person looks through, each by a model that has not seen it where there is one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.explain.review.judges import judges
from proset.explain.review.label_errors import SUSPICIOUS, suspicions
from proset.explain.review.orders import DRAWN, ReviewOrder, put_in_order
from proset.explain.review.row_facts import NO_PROTOTYPE, leading_prototypes, row_facts
from proset.explain.subject import study_of
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.unseen import Unseen, untouched_rows

MIXED = 0.1
"""Share of right cases in a queue."""
MOST_MIXED = 0.9
_LEADS = 2  # errors that a prototype leads from which on it is listed itself


@dataclass(frozen=True, eq=False)
class ReviewQueue(Displayed):
    """Cases to look through.

    Attributes
    ----------
    study_id : str
        Of the study whose rows they are.
    random_state : int
        Seed by which right cases were drawn.
    frame : DataFrame
        Index ``row``, ascending. ``part`` ("train" or "held_out"), ``unseen`` (whether the model that judges has not
        seen the row), ``why`` it is listed ("wrong", "suspicious" label, "prototype" that leads errors, "drawn" from
        all others, or "asked" for; not to be shown before a verdict), ``actual``, ``said``, ``confidence`` (probability
        of the class said), ``stated`` (that of the class in the table), ``wrong``, ``left`` (to a person, by the rule),
        ``familiarity`` and ``nearness`` to a known case (quantiles in [0, 1]), ``neighbours`` and ``neighbours_all``
        (share of the 20 nearest known cases not of the class said, in the model's metric and in all columns),
        ``columns`` (unused ones that contradict), ``unusual`` (whether so many are), ``prototype`` (row id of the
        leading one for the class said, -1 without one), ``margin`` (to the cut, in [0, 1]), ``suspicion`` (of the
        label, in [0, 1]) and ``reason`` for it (a sentence, or empty).
    """

    study_id: str
    random_state: int
    frame: pd.DataFrame

    def ordered(self, order: ReviewOrder | str = ReviewOrder.DEEP) -> list[int]:
        """Return all row ids in an order."""
        return put_in_order(self.frame, ReviewOrder(order), self.random_state)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per case."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        columns = {str(name): values.tolist() for name, values in self.frame.items()}
        return {
            "study_id": self.study_id,
            "random_state": self.random_state,
            "row": self.frame.index.tolist(),
            **columns,
        }


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

    Returns
    -------
    ReviewQueue

    Raises
    ------
    StudyError
        If the folds are of another study, the share is out of range, or the table has no such row.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> from proset.study.unseen import judge_unseen
    >>> study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    >>> queue = review_queue(study, judge_unseen(study))
    >>> first = queue.ordered("deep")[0]
    >>> bool(queue.frame.loc[first, "wrong"]), len(queue.ordered("label")) == len(queue.frame)
    (True, True)
    """
    study = study_of(study, "review_queue")
    if not 0.0 <= mixed <= MOST_MIXED:
        raise StudyError(
            f"The share of cases mixed in is {mixed!r}; it has to be from 0 to {MOST_MIXED}.",
            hint="0.1 is a good start.",
        )
    rows = _rows(study)
    suspicious = suspicions(study, unseen, rows).frame
    said = pd.concat([judged.study.judged(rule).loc[judged.rows] for judged in judges(study, unseen, rows)])
    wrong = said.index[said["wrong"]].to_numpy(dtype=np.int64)
    found = pd.Series("wrong", index=np.sort(wrong), dtype="str")
    doubtful = suspicious.index[suspicious["suspicion"] >= SUSPICIOUS].to_numpy(dtype=np.int64)
    found = _with(found, doubtful, "suspicious")
    found = _with(found, np.intersect1d(_leaders(study, unseen, wrong, rule), rows), "prototype")
    others = np.setdiff1d(rows, found.index.to_numpy())
    if cases is None:
        n_drawn = min(len(others), math.ceil(round(len(found) * mixed / (1.0 - mixed), 9)))
        drawn = np.random.default_rng(random_state).choice(others, n_drawn, replace=False)
        found = _with(found, drawn, DRAWN).sort_index()
    else:
        asked = study.encode(np.unique(list(cases))).rows  # refuses rows that are not there
        found = _with(found, np.intersect1d(asked, others), "asked")
        found = found[found.index.isin(asked)].sort_index()
    listed = found.index.to_numpy(dtype=np.int64)
    frame = _facts(study, unseen, listed, rule).loc[listed]
    frame.insert(0, "part", study.predictions.loc[listed, "part"])
    frame.insert(2, "why", found)
    return ReviewQueue(study.id, random_state, frame.join(suspicious[["suspicion", "reason"]]))


def _rows(study: Study) -> NDArray[np.int64]:
    """Return the rows that may be listed, ascending."""
    held_out = np.setdiff1d(study.split.held_out, untouched_rows(study))
    rows = np.union1d(study.split.train, held_out)
    known = study.labels.loc[pd.Index(rows)].isin(study.classes).to_numpy()
    found: NDArray[np.int64] = rows[known].astype(np.int64)
    return found


def _with(found: pd.Series, rows: NDArray[np.int64], why: str) -> pd.Series:
    """Add rows that are not listed yet."""
    new = np.setdiff1d(rows, found.index.to_numpy())
    return pd.concat([found, pd.Series(why, index=new, dtype="str")])


def _leaders(study: Study, unseen: Unseen | None, wrong: NDArray[np.int64], rule: DecisionRule) -> NDArray[np.int64]:
    """Return the rows of the prototypes that lead several errors."""
    lead = [leading_prototypes(judged, judged.said(rule)) for judged in judges(study, unseen, wrong)]
    leaders, times = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *lead]), return_counts=True)
    found: NDArray[np.int64] = leaders[(times >= _LEADS) & (leaders != NO_PROTOTYPE)]
    return found


def _facts(study: Study, unseen: Unseen | None, rows: NDArray[np.int64], rule: DecisionRule) -> pd.DataFrame:
    """Return the facts of rows, by whichever model judges them."""
    parts = [row_facts(judged, rule) for judged in judges(study, unseen, rows)]
    if parts:
        return pd.concat(parts)
    some = next(judges(study, unseen, study.split.train[:1]))
    return row_facts(some, rule).iloc[:0]
