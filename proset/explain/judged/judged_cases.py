"""Cases with what is known and what is decided about them: what quality and the reverse view start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.words import listed
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.subject import Cases, Explained, Matrix, Subject, matrix_of, subject_of
from proset.study import Study
from proset.study.decision import DecisionRule

GIVEN, HELD_OUT, TRAINING = "given rows", "held-out rows", "training rows"


@dataclass(frozen=True, eq=False)
class JudgedCases:
    """Cases beside estimates and decisions.

    Attributes
    ----------
    subject : Subject
        Who judges.
    matrix : Matrix
        The n cases.
    which : str
        Which rows they are, such as ``"held-out rows"``.
    actual : int64 array of shape (n,)
        Position of the class of each case; -1 where it is not known.
    predicted : int64 array of shape (n,)
        Position of the class that the rule says.
    left : bool array of shape (n,)
        Whether the rule leaves the case to a person.
    probabilities : float64 array of shape (n, K)
        Estimates.
    familiarity : float64 array of shape (n,)
        Total impact of the prototypes.
    groups : int64 array of shape (n,) or None
        Number of the group of each case, where a study keeps groups together.
    """

    subject: Subject
    matrix: Matrix
    which: str
    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    left: NDArray[np.bool_]
    probabilities: NDArray[np.float64]
    familiarity: NDArray[np.float64]
    groups: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.matrix.index)

    @property
    def decided(self) -> NDArray[np.bool_]:
        """True where a case can be right or wrong: its class is known and no person decides."""
        return ~self.left & (self.actual >= 0)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """True where a case is decided wrongly."""
        return self.decided & (self.actual != self.predicted)

    def frame(self) -> pd.DataFrame:
        """Return one line per case: ``actual``, ``predicted``, ``correct`` (missing where that is open), ``left``."""
        names = np.asarray([*self.subject.classes, None], dtype=object)
        correct = pd.array(self.actual == self.predicted, dtype="boolean")
        correct[~self.decided] = pd.NA
        columns = {
            "actual": pd.array(names[self.actual], dtype="str"),
            "predicted": pd.array(names[self.predicted], dtype="str"),
            "correct": correct,
            "left": self.left,
        }
        return pd.DataFrame(columns, index=self.matrix.index)


def judge_cases(explained: Explained, cases: Cases | None, y: ArrayLike | None, rule: DecisionRule) -> JudgedCases:
    """Return cases with what a model says of them and what a rule makes of it.

    Parameters
    ----------
    explained : ClassifierModel or Study
        Says how `cases` are meant.
    cases : array-like of shape (n, D), iterable of int, or None
        Feature rows beside a model; row ids beside a study, None for its held-out rows, or, if it has none, for its
        training rows.
    y : array-like of shape (n,) or None
        Beside a model, the classes of the rows as the model knows them; a study knows its own.
    rule : DecisionRule
        How cases are decided. A model alone has no held-out rows, so that its rows are as familiar as they are among
        themselves.

    Raises
    ------
    ValueError
        If a study gets classes, or a model gets some that it does not know.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb")
    >>> judge_cases(ClassifierModel().fit(X, y), X, y, DecisionRule()).wrong.sum()
    np.int64(0)
    """
    subject = subject_of(explained)
    if isinstance(explained, Study):
        if y is not None:
            raise ValueError("A study knows the classes of its rows: pass row ids only.")
        return _of_study(explained, subject, cases, rule)
    matrix = matrix_of(explained, cases)
    actual = np.full(len(matrix.index), -1, dtype=np.int64)
    if y is not None:
        actual = _positions(np.asarray(y), explained.classes_, len(matrix.index))
    probabilities, familiarity = subject.manager.evaluate(matrix.X)
    quantile = familiarity_quantile(familiarity, familiarity) if len(familiarity) else familiarity
    said = rule.choose(probabilities).astype(np.int64)
    return JudgedCases(subject, matrix, GIVEN, actual, said, rule.leaves(quantile), probabilities, familiarity)


def judge_known_cases(
    explained: Explained, cases: Cases | None, y: ArrayLike | None, rule: DecisionRule
) -> JudgedCases:
    """Do what :func:`judge_cases` does, for measures that mean nothing without classes.

    Raises
    ------
    ValueError
        If a model gets no classes.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb")
    >>> judge_known_cases(ClassifierModel().fit(X, y), X, None, DecisionRule())
    Traceback (most recent call last):
        ...
    ValueError: A model alone does not know the classes of these rows: pass y.
    """
    if y is None and not isinstance(explained, Study):
        subject_of(explained)  # says what else is wrong with it
        raise ValueError("A model alone does not know the classes of these rows: pass y.")
    return judge_cases(explained, cases, y, rule)


def _of_study(study: Study, subject: Subject, cases: Cases | None, rule: DecisionRule) -> JudgedCases:
    """Judge rows of a study's table."""
    which = GIVEN
    if cases is None:
        which = HELD_OUT if len(study.split.held_out) else TRAINING
        cases = study.split.measured
    matrix = matrix_of(study, cases)
    judged = study.judged(rule).loc[matrix.index]
    position = pd.Index(study.classes)
    return JudgedCases(
        subject,
        matrix,
        which,
        actual=position.get_indexer(pd.Index(judged["actual"])).astype(np.int64),
        predicted=position.get_indexer(pd.Index(judged["predicted"])).astype(np.int64),
        left=judged["left"].to_numpy(dtype=bool),
        probabilities=study.probabilities.loc[matrix.index].to_numpy(),
        familiarity=judged["familiarity"].to_numpy(dtype=np.float64),
        groups=study.groups_of(matrix.index),
    )


def _positions(y: NDArray[np.generic], classes: NDArray[np.generic], n: int) -> NDArray[np.int64]:
    """Return the position of each class; refuses what the model does not know."""
    if y.shape != (n,):
        raise ValueError(f"There are {n} rows, but the classes have the shape {y.shape}.")
    found = pd.Index(classes).get_indexer(pd.Index(y)).astype(np.int64)
    if (found < 0).any():
        unknown = listed(dict.fromkeys(y[found < 0].tolist()), most=5)
        raise ValueError(
            f"There are classes among the rows that the model does not know: {unknown}. "
            f"It knows {listed(classes, most=5)}."
        )
    return found
