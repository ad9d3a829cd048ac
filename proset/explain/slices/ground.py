"""Rows on which it shows where a model goes wrong: each judged by a model that has not seen it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.explain.subject import study_of
from proset.study import NumberStudy, Study
from proset.study.any_study import AnyStudy
from proset.study.decision import DecisionRule, judge
from proset.study.number_metrics import COVERAGE
from proset.study.number_unseen import AnyUnseen, NumberUnseen
from proset.study.unseen import Unseen

_HELD_OUT = "held-out rows"
_UNSEEN = "held-out rows and training rows, each judged by a model that has not seen it"
_LEFT_OUT = "rows of the table, each judged by the mean of its estimates in {count} cross-validations"
_ONE_ALONE = "; Fit counts the errors of one cross-validation alone"


@dataclass(frozen=True)
class Fault:
    """Words for rows on which a model goes wrong.

    Attributes
    ----------
    state : str
        Such rows are, as in "8 of 17 wrong".
    more : str
        There are more of them than chance makes, as in "more is wrong there than".
    one : str
        One row is such a row, as in "none is wrong".
    none : str
        No part of those looked at has more of them than it should.
    promised : float
        Share of such rows up to which nothing is wrong.
    """

    state: str
    more: str
    one: str
    none: str
    promised: float = 0.0


WRONG = Fault(
    "wrong", "more is wrong there than", "is wrong", "has more errors than the worst of them may have by chance"
)
OUTSIDE = Fault(
    "outside their 90 % interval",
    "more numbers lie outside their 90 % interval there than promised, and more than",
    "lies outside its 90 % interval",
    "has clearly more numbers outside than the promised 10 %, and more than the worst of them may have by chance",
    1.0 - COVERAGE,
)


def any_study_of(explained: object, what: str) -> AnyStudy:
    """Return the study that `what` needs, of classes or of a number; raises as :func:`study_of` does."""
    return explained if isinstance(explained, NumberStudy) else study_of(explained, what)


def every_row(study: AnyStudy, rule: DecisionRule) -> pd.DataFrame:
    """Return what conditions know of each row beside the table.

    Parameters
    ----------
    rule : DecisionRule
        Says what is wrong where the target is a class.

    Returns
    -------
    DataFrame
        Index ``row``; ``part``, ``quantile`` of its familiarity; of classes ``correct``, ``wrong`` and ``left``, as
        :meth:`proset.study.Study.judged` has them, of a number ``median`` and ``inside``.
    """
    return study.judged(rule) if isinstance(study, Study) else study.predictions


def outside_unseen(study: NumberStudy, unseen: AnyUnseen | None = None) -> tuple[pd.DataFrame, str]:
    """Return for rows with a number whether it lies outside its 90 % interval, and which rows these are.

    Parameters
    ----------
    unseen : NumberUnseen or None
        Folds of the training rows; without them held-out rows count.

    Returns
    -------
    judged : DataFrame
        Index ``row``, ascending; ``wrong``: whether it lies outside; ``above``: whether beyond the upper end.
    which : str
        Such as "held-out rows".

    Raises
    ------
    StudyError
        If the folds are of another study.
    """
    said, what = study.predictions, _HELD_OUT
    said = said.loc[said["part"] == "held_out"]
    if unseen is not None:
        unseen.check_belongs_to(study)
        assert isinstance(unseen, NumberUnseen)  # as it belongs to it
        said, what = pd.concat([unseen.predictions, said]), _UNSEEN
    known = said.loc[said["inside"].notna()].sort_index()
    wrong = ~known["inside"].astype(bool)
    return pd.DataFrame({"wrong": wrong, "above": wrong & (known["actual"] > known["upper"])}), what


def judged_unseen(
    study: Study, unseen: AnyUnseen | None, rule: DecisionRule, *, itself: bool = False
) -> tuple[pd.DataFrame, str]:
    """Judge the rows that can be right or wrong, each by a model that has not seen it, and say which they are.

    Parameters
    ----------
    unseen : Unseen or None
        Folds of the training rows; without them held-out rows count, or, where these are few, all rows that repeated
        cross-validation left out (:attr:`Study.left_out`).
    itself : bool
        Only held-out rows, by this model itself.

    Returns
    -------
    judged : DataFrame
        Index ``row``, ascending; ``actual``, ``predicted``, ``wrong``, and ``stated``: the estimate for
        the actual class.
    which : str
        Such as "held-out rows".

    Raises
    ------
    StudyError
        If the folds are of another study.
    """
    judged, shares, what = study.judged(rule), study.probabilities, _HELD_OUT
    judged = judged.loc[judged["part"] == "held_out"]
    left_out = None if itself else study.left_out
    # Of a model that only states the class shares Fit counts held-out rows.
    alone = _ONE_ALONE if study.used_columns and len(study.prototypes) else ""
    if unseen is not None and not itself:
        unseen.check_belongs_to(study)
        assert isinstance(unseen, Unseen)  # as it belongs to it
        shares = pd.concat([unseen.probabilities, shares.loc[judged.index]])
        judged = pd.concat([unseen.judged(rule), judged]).sort_index()
        what = _UNSEEN if left_out is None or not len(left_out) else f"{_UNSEEN}, as in Review{alone}"
    elif left_out is not None and len(left_out):
        rows = pd.Index(left_out.rows)
        names = pd.Index(study.classes, dtype="str")
        shares = pd.DataFrame(left_out.probabilities.mean(axis=0), index=rows, columns=names)
        quantile = pd.Series(left_out.quantile.mean(axis=0), index=rows)
        judged = judge(rule, probabilities=shares, quantile=quantile, actual=study.labels.loc[rows])
        what = f"{_LEFT_OUT.format(count=len(left_out))}{alone}"
    decided = judged.loc[judged["correct"].notna() & judged["actual"].isin(study.classes)]
    positions = pd.Index(study.classes).get_indexer(pd.Index(decided["actual"]))
    stated = shares.loc[decided.index].to_numpy()[np.arange(len(decided)), positions]
    return decided[["actual", "predicted", "correct", "wrong"]].assign(stated=stated), what
