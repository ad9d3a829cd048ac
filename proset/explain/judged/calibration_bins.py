"""Calibration: of cases said to be of a class with 80 %, about 80 % should be of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.common.words import count_words, listed, shown
from proset.explain.judged.calibration_chance import error_interval, mean_deviation
from proset.explain.judged.judged_cases import JudgedCases, judge_known_cases
from proset.explain.plain_values import AllPlain
from proset.explain.subject import Cases, Explained
from proset.study.decision import MOST_PROBABLE
from proset.study.intervals import FloatArray, IntArray, share_interval

MOST_BINS, ROWS_PER_BIN, RANGES = 10, 20, 20
FEW_ROWS = 100
"""Below this many cases the figure says that they are few."""


@dataclass(frozen=True, eq=False)
class Calibration(AllPlain, Displayed):
    """Stated probabilities beside what was observed, in bins of about equally many cases.

    Attributes
    ----------
    of : str or None
        The class whose probability it is; None for that of the most probable class of each case.
    bins : DataFrame
        By ascending probability; columns ``rows``, ``smallest``, ``largest`` and ``stated`` (mean; probabilities),
        ``observed`` (share of cases that are of the class), ``low`` and ``high`` (its 95 % interval, Wilson; by groups
        where a study keeps groups together). Equal probabilities are never divided between two bins.
    counts : DataFrame
        How many cases have which probability: columns ``low``, ``high`` (20 equally wide ranges) and ``rows``.
    error, low, high : float
        Expected calibration error: mean over the cases of how far the stated mean of a bin lies from what was
        observed, in [0, 1], and the ends of its 95 % interval, which does not count what chance adds to it; nan without
        cases.
    by_chance : float
        How large it is on average for these very probabilities if they hold: each case is of the class with its own.
    n_rows : int
        Cases with a known class.
    """

    of: str | None
    bins: pd.DataFrame
    counts: pd.DataFrame
    error: float
    low: float
    high: float
    by_chance: float
    n_rows: int
    which: str

    @property
    def words(self) -> str:
        """Say how far stated probabilities are off, and how far chance alone would make them be if they hold."""
        if not self.n_rows:
            return f"There are no {self.which} with a known class."
        what = "the most probable class" if self.of is None else f"'{shown(self.of)}'"
        ends = f"{100 * self.low:.1f} to {100 * self.high:.1f} without what chance adds"
        off = f"The stated probability of {what} is off by {points_words(self.error)} on average ({ends})"
        chance = f"with {count_words(self.n_rows, 'row')}, chance alone makes that {points_words(self.by_chance)}"
        few = "" if self.n_rows >= FEW_ROWS else " So few rows can only show large errors."
        return f"{off}; {chance} where all probabilities hold.{few}"

    def to_frame(self) -> pd.DataFrame:
        """Return the bins."""
        return self.bins.copy()


def points_words(share: float) -> str:
    """Return a difference of shares in percentage points.

    Examples
    --------
    >>> points_words(0.0213), points_words(0.0001)
    ('2.1 percentage points', 'under 0.1 percentage points')
    """
    text = f"{100 * share:.1f}"
    return f"{'under 0.1' if text == '0.0' and share > 0 else text} percentage points"


def calibration(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    class_name: str | None = None,
    n_bins: int | None = None,
) -> Calibration:
    """Compare stated probabilities with what was observed.

    Parameters
    ----------
    class_name : str or None
        The class whose probability it is about; None for the most probable one of each case.
    n_bins : int or None
        Most bins, at least 1; None for one for every 20 cases, at least 1 and at most 10.

    Raises
    ------
    ValueError
        If the model does not know the class, or `n_bins` is less than 1.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = calibration(fit_sample("iris_2f"))
    >>> found.bins["rows"].sum(), 0.0 <= found.error <= 1.0
    (np.int64(45), True)
    """
    return calibration_of(judge_known_cases(explained, cases, y, MOST_PROBABLE), class_name, n_bins)


def calibration_of(judged: JudgedCases, class_name: str | None = None, n_bins: int | None = None) -> Calibration:
    """Return the calibration of judged cases; those without a class do not count."""
    classes = judged.subject.classes
    class_name = None if class_name is None else str(class_name)  # labels may be numbers or truth values
    if class_name is not None and class_name not in classes:
        raise ValueError(f"The model knows no class '{shown(class_name)}'; it knows {listed(classes, most=10)}.")
    if n_bins is not None and n_bins < 1:
        raise ValueError(f"n_bins is {n_bins}; it has to be at least 1.")
    known = judged.actual >= 0
    probabilities, actual = judged.probabilities[known], judged.actual[known]
    target = probabilities.argmax(axis=1) if class_name is None else np.full(len(actual), classes.index(class_name))
    stated = probabilities[np.arange(len(actual)), target]
    own, groups = actual == target, None if judged.groups is None else judged.groups[known]
    parts = _parts(stated, min(n_bins or _usual_bins(len(actual)), max(1, len(actual))))
    bins, nothing = _bins(stated, own, parts, groups), len(actual) == 0
    low, high = (np.nan, np.nan) if nothing else error_interval(stated, own, parts, groups)
    error = _error(bins)
    return Calibration(
        of=class_name,
        bins=bins,
        counts=_counts(stated),
        error=error,
        low=low,
        high=max(high, error),  # by luck it may be smaller than chance alone would make it
        by_chance=np.nan if nothing else sum(mean_deviation(stated[part]) for part in parts) / len(actual),
        n_rows=len(actual),
        which=judged.which,
    )


def calibration_error(actual: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return the expected calibration error of the most probable class, as :func:`calibration` has it.

    Parameters
    ----------
    actual : int64 array of shape (n,)
        Position of the class of each case.
    probabilities : float64 array of shape (n, K)
        Estimates.

    Returns
    -------
    float
        In [0, 1]; nan without cases.

    Examples
    --------
    >>> calibration_error(np.array([0, 1]), np.array([[0.75, 0.25], [0.75, 0.25]]))
    0.25
    """
    stated = probabilities.max(axis=1)
    return _error(_bins(stated, actual == probabilities.argmax(axis=1), _parts(stated, _usual_bins(len(actual)))))


def _usual_bins(n_rows: int) -> int:
    """Return how many bins so many cases are put in, at most."""
    return min(MOST_BINS, max(1, n_rows // ROWS_PER_BIN))


def _error(bins: pd.DataFrame) -> float:
    """Return the mean over the cases of how far the stated mean of a bin lies from what was observed."""
    rows = bins["rows"].to_numpy()
    if not len(rows):
        return float("nan")
    return float((rows / rows.sum()) @ np.abs(bins["stated"] - bins["observed"]))


def _parts(stated: FloatArray, n_bins: int) -> list[IntArray]:
    """Return the positions of the cases of each bin; each border lies where the next probability is larger."""
    order = np.argsort(stated, kind="stable")
    ranked = stated[order]
    wanted = np.linspace(0, len(stated), n_bins + 1).round().astype(np.int64)[1:-1]
    # A border within equal probabilities moves to before the first of them.
    borders = np.unique(np.searchsorted(ranked, ranked[wanted], side="left")) if len(stated) else wanted[:0]
    return [part for part in np.split(order, borders[borders > 0]) if len(part)]


def _bins(
    stated: FloatArray, own: NDArray[np.bool_], parts: list[IntArray], groups: IntArray | None = None
) -> pd.DataFrame:
    """Return what was stated and observed in each bin."""
    lines = []
    for part in parts:
        p, found = stated[part], share_interval(own[part], None if groups is None else groups[part])
        lines.append([len(p), p.min(), p.max(), p.mean(), found.value, found.low, found.high])
    columns = ["rows", "smallest", "largest", "stated", "observed", "low", "high"]
    return pd.DataFrame(lines, columns=columns).astype({"rows": "int64"})


def _counts(stated: FloatArray) -> pd.DataFrame:
    """Count the cases in equally wide ranges of probability."""
    rows, borders = np.histogram(stated, bins=RANGES, range=(0.0, 1.0))
    return pd.DataFrame({"low": borders[:-1], "high": borders[1:], "rows": rows.astype(np.int64)})
