"""Results of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.notebook import Displayed, DisplayedFrame
from proset.common.words import count_words, listed, shown
from proset.companions.protocol import Offer, PrototypeModel
from proset.compare.measures import FloatArray, IntArray
from proset.compare.plan import ComparePlan
from proset.study.find_row import row_ids

PATH_KINDS = {
    "fold": "int64",
    "step": "int64",
    "knob": "str",
    "value": "float64",
    "own": "bool",
    "n_prototypes": "float64",
    "n_features": "float64",
    "log_loss": "float64",
}
PATH_COLUMNS = tuple(PATH_KINDS)
DRIFT_KINDS = {
    "title": "str",
    "indicator": "str",
    "auc_shifted": "float64",
    "auc_wrong": "float64",
    "n_wrong": "float64",
    "log_loss_usual": "float64",
    "log_loss_shifted": "float64",
    "failed": "str",
}
DRIFT_COLUMNS = tuple(DRIFT_KINDS)


@dataclass(frozen=True, eq=False)
class SystemFacts(Displayed):
    """Result of one system, as far as it is the same for classes and numbers.

    Attributes
    ----------
    key, title, about : str
        Its name in a program and in words, and a sentence that says what it is.
    failed : str
        What went wrong, in words; empty if nothing did.
    notes : tuple of str
        What its fits warned of, each once.
    settings : str
        What its final model uses, in words; empty without one.
    fold_scores : float64 array of shape (F, M)
        By fold and measure, see :data:`proset.compare.MEASURES` and ``NUMBER_MEASURES``; nan where unknown.
    held_out_scores : float64 array of shape (M,)
        Of the final model on the measured rows.
    fit_seconds, predict_seconds : float
        Time of the final fit, and of answers for 1,000 rows; nan without a model.
    """

    key: str
    title: str
    about: str
    failed: str
    notes: tuple[str, ...]
    settings: str
    fold_scores: FloatArray
    held_out_scores: FloatArray
    fit_seconds: float
    predict_seconds: float


@dataclass(frozen=True, eq=False)
class SystemResult(SystemFacts):
    """Result of one system.

    Attributes
    ----------
    uses_weights : bool
        Whether it learns with sample weights.
    offers : tuple of str
        What its final model has beyond predictions; values of :class:`proset.companions.protocol.Offer`.
    probabilities : float64 array of shape (m, K)
        Of the final model for the measured rows; no row without a model.
    n_prototypes : int or None
        Of the final model, those that are the same counted once; None if it has none of them.
    prototype_rows : int64 array of shape (k,), or None
        Id of the row that each prototype is, or that lies nearest to it; None without prototypes.
    n_features, n_matrix_columns : int or None
        Columns of the table that the final model uses, and columns of the matrix (a category has one for each level);
        None if that is not known.
    size_bytes : int
        Of all arrays that scoring needs; 0 without a model.
    shares : float64 array of shape (number of features of the table,)
        How the weights are shared among columns of the table: at least 0, sum 1, or all 0 where no column has a weight;
        nan where a system has no notion of weights.
    path : DataFrame
        Columns :data:`PATH_COLUMNS`: its log-loss at other sizes, for each fold and step along its knob.
    model : PrototypeModel or None
        The final model, fitted to ``study.encode(comparison.rows).X``; None if that failed.
    """

    uses_weights: bool
    offers: tuple[str, ...]
    probabilities: FloatArray
    n_prototypes: int | None
    prototype_rows: IntArray | None
    n_features: int | None
    n_matrix_columns: int | None
    size_bytes: int
    shares: FloatArray
    path: pd.DataFrame = field(repr=False)
    model: PrototypeModel | None = field(repr=False)

    def has(self, offer: Offer) -> bool:
        """Tell whether its final model has something."""
        return offer.value in self.offers


@dataclass(frozen=True, eq=False)
class DriftTest(DisplayedFrame):
    """Detection, by system, of rows unlike those it learned from.

    Training rows with a value of a column are halved at its median, and the column is left out: systems learn from a
    part of the lower half, the rest of it counts as usual, the upper half as shifted. Or else a class is left out:
    systems learn from a part of the other rows, and those of the class count as shifted.

    Attributes
    ----------
    column, left_out : str
        The column, or the class; one of them is empty, both where no shift could be made.
    reason : str
        Why none could be made; empty otherwise.
    n_fitted, n_usual, n_shifted : int
        Rows of the three parts.
    frame : DataFrame
        Index ``key``; columns ``title``, ``indicator`` (what tells, in words; empty for a system that cannot),
        ``auc_shifted`` (how well it ranks shifted rows above usual ones, in [0, 1]), ``auc_wrong`` (how well it ranks
        rows that the system gets wrong above those it gets right; nan if there are none of one kind), ``n_wrong``,
        ``log_loss_usual``, ``log_loss_shifted`` (nan where a class was left out), ``failed``.
    """

    column: str
    left_out: str
    reason: str
    n_fitted: int
    n_usual: int
    n_shifted: int
    frame: pd.DataFrame

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences on the test."""
        if self.reason:
            return ("No shift could be made.", self.reason)
        learned = f"Each system learned from {count_words(self.n_fitted, 'row')}"
        usual = f"{count_words(self.n_usual, 'row')} like these"
        if self.column:
            return (
                f"Training rows with a value of '{shown(self.column)}' were halved at its median; no system was shown"
                " this column.",
                f"{learned} of the lower half, and was measured on {usual} and on"
                f" {self.n_shifted:,} of the upper half, the shifted ones.",
            )
        return (
            f"{learned} of all classes but '{shown(self.left_out)}', and was measured on {usual} and on"
            f" {count_words(self.n_shifted, 'training row')} of that class, the shifted ones.",
        )


@dataclass(frozen=True, eq=False)
class Comparison(Displayed):
    """Several systems on the rows of one study. It holds no row of the table, but the models may.

    Attributes
    ----------
    study_id : str
        The study.
    plan : ComparePlan
        What was asked for.
    classes : tuple of K str
        In the order of all probabilities.
    features : tuple of str
        Columns of the table that are features.
    rows, measured : int64 array
        Ids of the rows that final models learned from, and of those they are measured on.
    which : str
        What the measured rows are: ``"held-out rows"``, or ``"training rows"`` where none are held out.
    weighted : bool
        Whether sample weights were given.
    systems : tuple of SystemResult
        In the order of the plan.
    naive_fold_scores, naive_held_out_scores : float64 array of shape (F, 4) and (4,)
        The measures of stating the class shares of the rows learned from.
    drift : DriftTest or None
        None if it was not asked for.
    seconds : float
        Time of all of it.
    unmeasured : tuple of str
        Classes that are learned from, but of which no fold measures a row: very rare ones, and with times those that
        come only before the first fold.
    left_out_ratio : float or None
        Rows that a fold leaves out for each that it learns from, on average; None where it was not kept.
    """

    study_id: str
    plan: ComparePlan
    classes: tuple[str, ...]
    features: tuple[str, ...]
    rows: IntArray
    measured: IntArray
    which: str
    weighted: bool
    systems: tuple[SystemResult, ...]
    naive_fold_scores: FloatArray
    naive_held_out_scores: FloatArray
    drift: DriftTest | None
    seconds: float
    unmeasured: tuple[str, ...] = ()
    left_out_ratio: float | None = None

    def system(self, key: str) -> SystemResult:
        """Return how one system fared.

        Raises
        ------
        StudyError
            If it took no part.
        """
        return named(self.systems, key)

    @property
    def fitted(self) -> tuple[SystemResult, ...]:
        """The systems that have a final model."""
        return tuple(entry for entry in self.systems if entry.model is not None)

    def measured_among(self, cases: Iterable[int] | None) -> NDArray[np.bool_]:
        """Tell for each measured row whether it is one of some rows, given by their ids; all are if `cases` is None."""
        if cases is None:
            return np.ones(len(self.measured), dtype=bool)
        found: NDArray[np.bool_] = np.isin(self.measured, row_ids(cases))
        return found


class Keyed(Protocol):
    """A result with the key of its system."""

    @property
    def key(self) -> str:
        """Name of the system in a program."""
        ...


KeyedT = TypeVar("KeyedT", bound=Keyed)


def named(systems: Sequence[KeyedT], key: str) -> KeyedT:
    """Return the result of one system.

    Raises
    ------
    StudyError
        If it took no part.
    """
    for entry in systems:
        if entry.key == key:
            return entry
    keys = [entry.key for entry in systems]
    raise StudyError(f"'{key}' is not part of the comparison.", hint=f"Its systems are {listed(keys, most=6)}.")


def empty_path() -> pd.DataFrame:
    """Return a path without a step."""
    return pd.DataFrame({name: [] for name in PATH_COLUMNS}).astype(PATH_KINDS)
