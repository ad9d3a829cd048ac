"""From probabilities to a decision: which class is said, and which cases are left to a person."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.errors import StudyError


@dataclass(frozen=True)
class DecisionRule:
    """Rule that decides a case; without arguments the most probable class, the first in order if several tie.

    Attributes
    ----------
    cutoff : float or None
        For two classes: the second class (in the order of the model's classes) is said if its probability lies above
        the cutoff, in [0, 1]; 0.5 is the same as the most probable class.
    costs : tuple of K tuples of K floats, or None
        ``costs[i][j]`` is what it costs to say class j of a case of class i: 0 or more, 0 on the diagonal. The class
        with the smallest expected cost is said, the first in order if several tie.
    leave_below : float
        Cases whose familiarity quantile lies below this share, in [0, 1], are left to a person; 0 leaves none.

    Raises
    ------
    StudyError
        If a value is outside its range, or a cutoff and costs are both given.

    Examples
    --------
    >>> probabilities = [[0.6, 0.4], [0.5, 0.5]]
    >>> DecisionRule().choose(probabilities).tolist()
    [0, 0]
    >>> DecisionRule(cutoff=0.3).choose(probabilities).tolist()
    [1, 1]
    >>> DecisionRule(costs=((0, 1), (9, 0))).choose(probabilities).tolist()
    [1, 1]
    """

    cutoff: float | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    leave_below: float = 0.0

    def __post_init__(self) -> None:
        if self.cutoff is not None:
            if self.costs is not None:
                raise StudyError(
                    "A decision rule has either a cutoff or costs, not both.", hint="Leave one of them out."
                )
            _check_share("The cutoff", self.cutoff)
        if self.costs is not None:
            object.__setattr__(self, "costs", _checked_costs(self.costs))
        _check_share("The familiarity below which a person decides", self.leave_below)

    def check(self, n_classes: int) -> None:
        """Refuse to decide between a number of classes that the rule is not made for.

        Raises
        ------
        StudyError
            If there is a cutoff and not two classes, or costs for another number of classes.

        Examples
        --------
        >>> DecisionRule(cutoff=0.4).check(2)
        """
        if self.cutoff is not None and n_classes != 2:
            raise StudyError(
                f"A cutoff decides between two classes, but there are {n_classes}.", hint="Use costs instead."
            )
        if self.costs is not None and len(self.costs) != n_classes:
            raise StudyError(
                f"The costs are those of {len(self.costs)} classes, but there are {n_classes}.",
                hint="Give one line and one column per class, in the order of the model's classes.",
            )

    def choose(self, probabilities: np.ndarray | list[list[float]]) -> np.ndarray:
        """Return the position of the class that is said of each case.

        Parameters
        ----------
        probabilities : float array of shape (n, K)
            Rows sum to one; columns in the order of the model's classes.

        Returns
        -------
        int array of shape (n,)

        Raises
        ------
        StudyError
            If the rule is not made for K classes.

        Examples
        --------
        >>> DecisionRule(cutoff=0.5).choose([[0.2, 0.8]]).tolist()
        [1]
        """
        shares = np.asarray(probabilities, dtype=np.float64)
        self.check(shares.shape[1])
        if self.cutoff is not None:
            return (shares[:, 1] > self.cutoff).astype(np.intp)
        if self.costs is not None:
            return np.argmin(shares @ np.asarray(self.costs, dtype=np.float64), axis=1)
        return np.argmax(shares, axis=1)

    def leaves(self, quantile: np.ndarray | list[float]) -> np.ndarray:
        """Tell which cases are left to a person.

        Parameters
        ----------
        quantile : float array of shape (n,)
            Familiarity quantiles in [0, 1].

        Returns
        -------
        bool array of shape (n,)

        Examples
        --------
        >>> DecisionRule(leave_below=0.1).leaves([0.05, 0.1]).tolist()
        [True, False]
        """
        return np.asarray(quantile, dtype=np.float64) < self.leave_below

    @property
    def words(self) -> str:
        """Name of the rule, such as ``most probable class``."""
        said = "most probable class"
        if self.cutoff is not None:
            said = f"second class if its probability is above {self.cutoff:g}, else the first"
        elif self.costs is not None:
            said = "class with the smallest expected cost"
        return f"{said}; familiarity below {100 * self.leave_below:g} %: left to a person" if self.leave_below else said


def judge(rule: DecisionRule, *, probabilities: pd.DataFrame, quantile: pd.Series, actual: pd.Series) -> pd.DataFrame:
    """Decide cases by a rule and compare what is said with what is known.

    Parameters
    ----------
    probabilities : DataFrame of shape (n, K)
        One column per class.
    quantile : Series of shape (n,)
        Familiarity quantile of each case, in [0, 1].
    actual : Series of shape (n,)
        The class of each case; missing where it is not known.

    Returns
    -------
    DataFrame
        Index as given; columns ``actual``, ``predicted``, ``correct`` (missing where there is no class to compare with
        or a person decides), ``wrong`` and ``left`` (both never missing).

    Raises
    ------
    StudyError
        If the rule is not made for K classes.

    Examples
    --------
    >>> shares = pd.DataFrame({"no": [0.8, 0.6, 0.3], "yes": [0.2, 0.4, 0.7]})
    >>> known, seen = pd.Series(["no", "yes", None], dtype="str"), pd.Series([0.9, 0.02, 0.5])
    >>> judge(DecisionRule(leave_below=0.05), probabilities=shares, quantile=seen, actual=known)["wrong"].tolist()
    [False, False, False]
    """
    names = np.asarray([str(name) for name in probabilities.columns], dtype=object)
    predicted = pd.Series(names[rule.choose(probabilities.to_numpy())], index=probabilities.index, dtype="str")
    left = pd.Series(rule.leaves(quantile.to_numpy()), index=probabilities.index)
    correct = (actual == predicted).astype("boolean").mask(actual.isna() | left)
    columns = {
        "actual": actual,
        "predicted": predicted,
        "correct": correct,
        "wrong": correct.eq(False).fillna(False).astype(bool),
        "left": left,
    }
    return pd.DataFrame(columns)


def confusion(judged: pd.DataFrame, classes: tuple[str, ...]) -> pd.DataFrame:
    """Count judged cases by actual and predicted class; those left to a person or without a class do not count.

    Parameters
    ----------
    judged : DataFrame
        From :func:`judge`.
    classes : tuple of K str
        In the order of the result.

    Returns
    -------
    DataFrame of int64, shape (K, K)
        Index: actual class; columns: predicted class.

    Examples
    --------
    >>> judged = pd.DataFrame({"actual": ["a", "b"], "predicted": ["a", "a"], "correct": [True, False]})
    >>> confusion(judged, ("a", "b")).to_numpy().tolist()
    [[1, 0], [1, 0]]
    """
    decided = judged[judged["correct"].notna()]
    position = pd.Index(classes)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, tuple(position.get_indexer(pd.Index(decided[name])) for name in ("actual", "predicted")), 1)
    names = pd.Index(classes, dtype="str")
    return pd.DataFrame(counts, index=names.rename("actual"), columns=names.rename("predicted"))


def _check_share(what: str, value: float) -> None:
    """Refuse what is no number in [0, 1]."""
    number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
    if not number or not 0.0 <= value <= 1.0:
        raise StudyError(f"{what} is {value!r}; it has to be a number from 0 to 1.", hint="0.5 is in the middle.")


def _checked_costs(costs: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Costs as floats; refuses what is no square of numbers with nothing to pay for being right."""
    lines = tuple(tuple(float(cost) for cost in line) for line in costs)
    if len(lines) < 2 or any(len(line) != len(lines) for line in lines):
        raise StudyError("Costs need one line and one column per class.", hint="Two classes: ((0, 1), (5, 0)).")
    if not all(math.isfinite(cost) and cost >= 0.0 for line in lines for cost in line):
        raise StudyError("Costs have to be numbers of 0 or more.", hint="Say how much worse one error is than another.")
    if any(lines[i][i] for i in range(len(lines))):
        raise StudyError("What is right costs nothing: the diagonal of the costs has to be 0.", hint="Set it to 0.")
    return lines


MOST_PROBABLE = DecisionRule()
"""The rule unless another is chosen."""
