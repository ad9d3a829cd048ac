"""Columns that the errors of a model of a number still depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.notebook import DisplayedFrame
from proset.common.words import count_words, listed, rough, shown
from proset.explain.numbers.error_column import ColumnErrors, errors_beside
from proset.explain.numbers.known_rows import known_rows, learned, number_study_of, rows_words
from proset.explain.numbers.promises import FEW_ROWS
from proset.explain.plain_values import plain_fields, plain_rows
from proset.study.intervals import SURE
from proset.study.number_study import NumberStudy
from proset.study.number_unseen import NumberUnseen

COLUMNS = ("p_error", "p_place", "too_high", "where_high", "too_low", "where_low")
_MOST_SAID = 3


@dataclass(frozen=True, eq=False)
class NumberErrors(DisplayedFrame):
    """Features beside which errors, or how well intervals hold, show a pattern.

    Attributes
    ----------
    which : str
        Which rows and how many.
    n_rows, n_learned : int
        How many, and how many of them the model has learned from.
    frame : DataFrame
        Index ``column``, one line for each feature, those that errors depend on most surely first. ``p_error``: how
        often chance alone makes mean errors differ as much between the column's values; ``p_place``: the same of how
        far numbers lie from the middle of their distributions; both corrected for looking at so many (Holm).
        ``too_high`` and ``too_low``: the largest and the least mean error of a group of values, ``where_high`` and
        ``where_low`` which groups these are; above 0 the answers are too high.
    """

    which: str
    n_rows: int
    n_learned: int
    frame: pd.DataFrame

    @property
    def depends(self) -> tuple[str, ...]:
        """Features that errors depend on, beyond chance."""
        return tuple(self.frame.index[self.frame["p_error"] < 1.0 - SURE])

    @property
    def uneven(self) -> tuple[str, ...]:
        """Features beside which intervals hold more for some values than for others, beyond chance."""
        return tuple(self.frame.index[self.frame["p_place"] < 1.0 - SURE])

    @property
    def words(self) -> str:
        """Columns that the errors still depend on, in words."""
        if not self.n_rows:
            return "None of these rows has a number."
        of = count_words(len(self.frame), "feature")
        few = " So few rows show only strong patterns." if self.n_rows < FEW_ROWS else ""
        first = self.frame.loc[list(self.depends[:_MOST_SAID])]
        said = [_said(str(name), line) for name, line in first.iterrows()]
        if len(self.depends) > _MOST_SAID:
            said.append(f"So they do on {listed(self.depends[_MOST_SAID:])}.")
        if self.uneven:
            said.append(
                f"By the values of {listed(self.uneven)}, intervals are too wide for some rows beside others, or too "
                "narrow."
            )
        if not said:
            said.append(f"Beside none of the {of} do the errors show a pattern beyond chance.{few}")
        learned_words = " The model has learned from rows among these." if self.n_learned else ""
        return f"{' '.join(said)}{learned_words}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {**plain_fields(self, "which", "n_rows", "n_learned"), "columns": plain_rows(self.frame)}


def number_errors(
    explained: NumberStudy, cases: Iterable[int] | None = None, *, unseen: NumberUnseen | None = None
) -> NumberErrors:
    """Look for features that the errors of a model of a number still depend on.

    Parameters
    ----------
    cases, unseen
        As for :func:`proset.explain.number_quality`.

    Raises
    ------
    StudyError
        If the table has no such row.
    TypeError
        If it is no study of a number.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> number_errors(fit_sample("cars", n_iter=1)).frame.index[0]
    'seconds from 0 to 60 mph'
    """
    study = number_study_of(explained, "number_errors")
    found = known_rows(study, cases, unseen)
    features = list(study.roles.features)
    lines = [_line(errors_beside(study, found, name)) for name in features] if len(found) else []
    frame = pd.DataFrame(lines, columns=list(COLUMNS), index=pd.Index(features if lines else [], name="column"))
    p = holm(frame[["p_error", "p_place"]].to_numpy(dtype=np.float64))
    frame = frame.assign(p_error=p[:, 0], p_place=p[:, 1])
    ordered = frame.sort_values(["p_error", "p_place"], kind="stable")
    return NumberErrors(rows_words(found), len(found), learned(found), ordered)


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values corrected for looking at all of them, by Holm's method.

    Examples
    --------
    >>> holm(np.array([[0.01, 0.04], [0.03, 0.5]])).round(2).tolist()
    [[0.04, 0.09], [0.09, 0.5]]
    """
    flat = p.reshape(-1)
    order = np.argsort(flat, kind="stable")
    grown = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1)) if len(flat) else flat
    result = np.empty_like(flat)
    result[order] = np.minimum(1.0, grown)
    return result.reshape(p.shape)


def _line(own: ColumnErrors) -> tuple[object, ...]:
    """Measure one feature; small groups of values do not say where errors are largest."""
    large = own.bins[own.bins["rows"] >= 5]
    if large.empty:
        return own.p_error, own.p_place, np.nan, "", np.nan, ""
    high, low = int(large["error"].argmax()), int(large["error"].argmin())
    means, names = large["error"].tolist(), large.index.tolist()
    return own.p_error, own.p_place, means[high], names[high], means[low], names[low]


def _said(name: str, line: pd.Series) -> str:
    """Say where errors are largest beside the values of one feature."""
    ends = ((line["too_low"], line["where_low"]), (line["too_high"], line["where_high"]))
    parts = [
        f"{rough(abs(off))} too {'high' if off > 0.0 else 'low'} where it is {shown(where)}" for off, where in ends
    ]
    return f"The errors still depend on '{shown(name)}': on average {parts[0]}, {parts[1]}."
