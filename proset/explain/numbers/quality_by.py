"""Quality of a model of a number in groups of rows: by familiarity, or by a column of the table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from proset.common.errors import StudyError
from proset.common.notebook import DisplayedFrame
from proset.common.words import count_words, percent, shown
from proset.explain.numbers.known_rows import known_rows, learned, number_study_of, rows_words
from proset.explain.numbers.promises import misses
from proset.explain.plain_values import plain_fields, plain_rows
from proset.explain.value_bins import study_column, value_bins
from proset.study.intervals import mean_interval, share_interval
from proset.study.number_metrics import COVERAGE
from proset.study.number_study import NumberStudy
from proset.study.number_unseen import NumberUnseen

COLUMNS = ("rows", "held", "low", "high", "off", "error", "error_low", "error_high", "lean", "width")
FAMILIARITY_NAMES = {
    4: ("most familiar", "rather familiar", "rather unfamiliar", "least familiar"),
    2: ("more familiar", "less familiar"),
}
EQUALLY = "all equally familiar"
_ROWS_FOR_QUARTERS = 80


@dataclass(frozen=True, eq=False)
class NumberQualityBy(DisplayedFrame):
    """Quality of groups of rows.

    Attributes
    ----------
    by : str or None
        The column; None for familiarity.
    frame : DataFrame
        Index ``group``. ``rows``; ``held`` (share of them whose number lies in its 90 % interval), ``low`` and ``high``
        (its 95 % interval, of each group for itself), ``off`` (whether it is not 90 %, all groups looked at together);
        ``error`` (mean distance of the median from the number), ``error_low`` and ``error_high`` (95 %); ``lean`` (mean
        of median less number: above 0 where answers are too high); ``width`` (mean, of the intervals).
    which : str
        Which rows were counted, and how many.
    n_learned : int
        Those of them that the model has learned from.
    """

    by: str | None
    frame: pd.DataFrame
    which: str
    n_learned: int

    @property
    def words(self) -> str:
        """Groups whose intervals hold clearly more or less than they promise, in words."""
        if self.frame.empty:
            return "None of these rows has a number."
        if self.n_learned:
            return "Among them are rows that the model has learned from, so this says little of new ones."
        off = self.frame[self.frame["off"]]
        if off.empty:
            few = "" if int(self.frame["rows"].min()) >= 20 else "; small groups show only strong differences"
            return f"In no group do the 90 % intervals hold clearly more or less than they promise{few}."
        return " ".join(_said(str(name), line) for name, line in off.iterrows())

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {**plain_fields(self, "by", "which", "n_learned"), "groups": plain_rows(self.frame)}


def number_quality_by(
    explained: NumberStudy,
    by: str | None = None,
    cases: Iterable[int] | None = None,
    *,
    unseen: NumberUnseen | None = None,
) -> NumberQualityBy:
    r"""Measure a model of a number in groups of rows.

    Parameters
    ----------
    by : str or None
        A column of the table, one with many numbers cut into up to six ranges; None for familiarity: quarters of the
        rows, halves of fewer than 80. Equally familiar rows are never divided.
    cases, unseen
        As for :func:`proset.explain.number_quality`.

    Raises
    ------
    StudyError
        If the table has no such column or row.
    TypeError
        If it is no study of a number.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_quality_by(fit_sample("cars", n_iter=1))
    >>> found.frame["rows"].to_dict()["most familiar"]
    30
    """
    study = number_study_of(explained, "number_quality_by")
    if by is not None and by not in study.table.frame.columns:
        raise StudyError(f"The table has no column '{shown(by)}'.", column=by, hint="Name a column of the table.")
    found = known_rows(study, cases, unseen)
    if by is None:
        codes, groups = _by_familiarity(found["familiarity"].to_numpy(dtype=np.float64))
    else:
        binned = value_bins(study_column(study, by).loc[found.index])
        codes, groups = binned.codes, binned.names
    lines = [_line(study, found[codes == code], len(groups)) for code in range(len(groups))]
    index = pd.Index(groups, dtype="str", name="group")
    frame = pd.DataFrame(lines, columns=list(COLUMNS), index=index).astype({"rows": "int64", "off": "bool"})
    return NumberQualityBy(by, frame, rows_words(found), learned(found))


def _by_familiarity(values: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the group of each row and the names of those that there are, the most familiar first."""
    n = len(values)
    words = FAMILIARITY_NAMES[4 if n >= _ROWS_FOR_QUARTERS else 2]
    part = ((rankdata(-values, method="min") - 1).astype(np.int64) * len(words)) // max(n, 1)
    there, codes = np.unique(part, return_inverse=True)
    return codes, (EQUALLY,) if len(there) == 1 else tuple(words[code] for code in there.tolist())


def _line(study: NumberStudy, own: pd.DataFrame, n_looks: int) -> tuple[float, ...]:
    """Measure the rows of one group."""
    groups, held = study.groups_of(own.index), own["inside"].to_numpy(dtype=bool)
    share = share_interval(held, groups)
    errors = own["error"].abs().to_numpy(dtype=np.float64)
    low, high = mean_interval(errors, groups)
    ends = (max(0.0, low), high) if math.isfinite(high) else (math.nan, math.nan)
    off = misses(held, COVERAGE, groups, n_looks)
    lean, width = float(own["error"].mean()), float((own["upper"] - own["lower"]).mean())
    return len(own), share.value, share.low, share.high, off, float(errors.mean()), *ends, lean, width


def _said(name: str, line: pd.Series) -> str:
    """Say of one group that its intervals are too wide or too narrow."""
    what = "wide" if line["held"] > COVERAGE else "narrow"
    return f"'{shown(name)}': too {what}, they hold {percent(line['held'])} of {count_words(int(line['rows']), 'row')}."
