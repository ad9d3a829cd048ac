"""Verdict on a model: its gain over stating the class shares, on held-out rows and by class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd
from scipy.stats import hypergeom

from proset.study.intervals import SURE

LITTLE = 0.1
"""A model that takes away less than this share of the log-loss of the class shares adds little."""

ENOUGH_ROWS, FEWEST_ROWS = 300, 50
"""So many held-out rows say enough alone; so many rows have to be judged in turn, where fewer are held out."""
STEADY = 0.9
"""Share of the repetitions of a cross-validation that have to say the same for a verdict that holds."""


class VerdictKind(StrEnum):
    """Worth of a model beside the class shares."""

    GOOD = "good"
    UNEVEN = "not for every class"
    LITTLE = "little"
    NOTHING = "nothing"
    WORSE = "worse"
    UNSURE = "cannot tell"


@dataclass(frozen=True)
class ClassVerdict:
    """Counts of the held-out rows of one class; rows that are left to a person do not count.

    Attributes
    ----------
    name : str
        The class.
    rows : int
        Held-out rows of the class.
    found : int
        How many of them are said to be of it.
    said : int
        How many rows are said to be of it, rightly or not.
    n_rows : int
        Held-out rows of all classes.
    beyond_luck_of_groups : bool or None
        Where rows come in groups: whether whole groups drawn at random would rarely give so many.

    Examples
    --------
    >>> yes = ClassVerdict("yes", rows=30, found=10, said=12, n_rows=200)
    >>> round(yes.recall, 3), round(yes.precision, 3), yes.mostly_missed, yes.beyond_chance
    (0.333, 0.833, True, True)
    """

    name: str
    rows: int
    found: int
    said: int
    n_rows: int
    beyond_luck_of_groups: bool | None = None

    @property
    def recall(self) -> float:
        """Share of its rows that are found, in [0, 1]; nan without rows."""
        return self.found / self.rows if self.rows else math.nan

    @property
    def precision(self) -> float:
        """Share of the rows said to be of the class that are, in [0, 1]; nan if it is never said."""
        return self.found / self.said if self.said else math.nan

    @property
    def never_said(self) -> bool:
        """True if it has rows, and none of any class is said to be of it."""
        return self.rows > 0 and self.said == 0

    @property
    def mostly_missed(self) -> bool:
        """True if more of its rows are missed than found."""
        return self.rows > 2 * self.found

    @property
    def mostly_wrong(self) -> bool:
        """True if it is wrong more often than right when it is said."""
        return self.said > 2 * self.found

    @property
    def below_chance(self) -> bool:
        """True if it is said less often of its own rows than of all rows."""
        return self.said > 0 and self.found * self.n_rows < self.said * self.rows

    @property
    def beyond_chance(self) -> bool:
        """True if so many would rarely (1 time in 20) be found by saying it as often of rows at random."""
        if self.beyond_luck_of_groups is not None:
            return self.beyond_luck_of_groups
        return bool(hypergeom.sf(self.found - 1, self.n_rows, self.rows, self.said) < 1.0 - SURE)


@dataclass(frozen=True)
class Repeated:
    """Verdicts of repeated cross-validation, on all rows with a class, each by models that have not seen it.

    Attributes
    ----------
    n_folds : int
        Folds of each cross-validation.
    kinds : tuple of VerdictKind
        The verdict of each repetition.
    middle : Verdict
        Of those that say what most say, the one in the middle by its gain.
    n_relabelled : int
        Rows that count as the class that people gave them, not as that of the table.
    """

    n_folds: int
    kinds: tuple[VerdictKind, ...]
    middle: Verdict
    n_relabelled: int = 0

    @property
    def n_same(self) -> int:
        """Number of repetitions that say the same as most."""
        return self.kinds.count(self.middle.kind)


@dataclass(frozen=True)
class Verdict:
    """Gain of a model over the class shares of the training rows, measured on held-out rows.

    Attributes
    ----------
    kind : VerdictKind
        The verdict in a word; from repeated cross-validation where there is one.
    n_rows : int
        Held-out rows with a class.
    log_loss, naive_log_loss : float
        Of the model, and of stating the class shares; nan without rows.
    gain, low, high : float
        Share of the log-loss of the class shares that the model takes away, at most 1, negative if it adds some; and
        the ends of its 95 % interval, from the differences of both losses row by row.
    roc_auc : float
        How well it ranks, in [0, 1]; nan where that is not defined.
    n_decided, n_right : int
        Held-out rows that are not left to a person, and how many of these are classified correctly.
    naive_class : str
        The most common class among the training rows, which the naive rule always says.
    naive_right : int
        How often that is right.
    more_right_by_luck : bool
        Whether the difference of the two numbers may be luck.
    classes : tuple of ClassVerdict
        In the order of the model's classes.
    uses_features : bool
        Whether the model looks at the case at all.
    too_sure : bool
        Whether it ranks well, but its probabilities are no better than the class shares.
    suspicious : bool
        Whether it is so nearly perfect that a column may give the answer away.
    own_rule : bool
        Whether another rule decides than the most probable class, such as one that minds costs.
    repeated : Repeated or None
        What repeated cross-validation says, where few rows are held out and it was done. All else is of the rows held
        out.
    """

    kind: VerdictKind
    n_rows: int
    log_loss: float
    naive_log_loss: float
    gain: float
    low: float
    high: float
    roc_auc: float
    n_decided: int
    n_right: int
    naive_class: str
    naive_right: int
    more_right_by_luck: bool
    classes: tuple[ClassVerdict, ...]
    uses_features: bool
    too_sure: bool
    suspicious: bool
    own_rule: bool
    repeated: Repeated | None = None

    @property
    def few(self) -> bool:
        """True where the rows held out are too few for a verdict of their own."""
        return 0 < self.n_rows < ENOUGH_ROWS

    @property
    def firm(self) -> bool:
        """True if it is good, and other rows or another division of them would hardly say something else."""
        if self.kind is not VerdictKind.GOOD or self.repeated is None or not self.few:
            return self.kind is VerdictKind.GOOD and not self.few
        found = self.repeated
        return len(found.kinds) > 1 and found.middle.n_rows >= FEWEST_ROWS and found.n_same >= STEADY * len(found.kinds)

    @property
    def accuracy(self) -> float:
        """Share of decided rows that are classified correctly, in [0, 1]; nan without any."""
        return self.n_right / self.n_decided if self.n_decided else math.nan

    @property
    def naive_accuracy(self) -> float:
        """Accuracy of always saying the most common class, in [0, 1]; nan without decided rows."""
        return self.naive_right / self.n_decided if self.n_decided else math.nan

    @property
    def balanced_accuracy(self) -> float:
        """Mean over the classes that have rows of the share found, in [0, 1]; nan without any."""
        found = [entry.recall for entry in self.classes if entry.rows]
        return sum(found) / len(found) if found else math.nan

    @property
    def weak_classes(self) -> tuple[ClassVerdict, ...]:
        """The classes for which the model does not hold what it promises for the others."""
        return tuple(entry for entry in self.classes if not _holds(entry, own_rule=self.own_rule))

    def table(self) -> pd.DataFrame:
        """Return how each class fares.

        Returns
        -------
        DataFrame
            Index ``class``; columns ``rows``, ``found``, ``said`` (counts), ``found share`` and ``right when said``
            (in [0, 1], nan where there is nothing to divide by).
        """
        lines = [[entry.rows, entry.found, entry.said, entry.recall, entry.precision] for entry in self.classes]
        frame = pd.DataFrame(lines, columns=["rows", "found", "said", "found share", "right when said"])
        return frame.set_axis(pd.Index([entry.name for entry in self.classes], dtype="str", name="class"), axis=0)


def _holds(entry: ClassVerdict, *, own_rule: bool) -> bool:
    """Tell whether a class is found and, unless costs decide what is said, right when it is said."""
    if entry.rows == 0 or entry.mostly_missed or not entry.beyond_chance:
        return False
    return own_rule or not entry.mostly_wrong
