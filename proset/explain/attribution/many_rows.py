"""Importance of features: mean absolute SHAP values of many rows (figure 4.9), within a stated amount of work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from proset.common.notebook import DisplayedFrame
from proset.common.words import count_words
from proset.engine.kernels.similarity import row_blocks
from proset.explain.attribution.reference import some
from proset.explain.attribution.shapley import importance_frame, shap_values
from proset.explain.plain_values import plain_rows
from proset.study.find_row import row_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from proset.study import Study

QUICK_EVALUATIONS = 1_000
QUICK_WORK = 250_000_000
"""Products that a page computes at once, in about 0.3 s; what takes more is a job."""
_MOST_QUICK, _FEWEST_QUICK = 5_000, 50
_VALUES_AT_ONCE = 2_000_000
_MOST_SAMPLED, _VALUES_KEPT = 250, 1_000_000
MOST_PAIRED = 64
"""Columns in use up to which a page goes through all pairs of them."""
_FEWEST_PAIRED = 20


class NamedPoint(Protocol):
    """A point to compare with that can be named in a sentence."""

    @property
    def x(self) -> NDArray[np.float64]:
        """The point as a row of the matrix, shape (D,)."""

    @property
    def words(self) -> str:
        """Such as "the reference point (row 62)"."""


@dataclass(frozen=True, eq=False)
class ShapSample:
    """SHAP values of some of the rows, one by one.

    Attributes
    ----------
    values : float64 array of shape (n, D, K)
        As :class:`~proset.explain.attribution.shapley.ShapValues` holds them.
    rows : int64 array of shape (n,)
        Row ids.
    cells : DataFrame
        What stands in the table: index the rows, one column per feature.
    classes : tuple of str
        The K classes.
    """

    values: NDArray[np.float64]
    rows: NDArray[np.int64]
    cells: pd.DataFrame
    classes: tuple[str, ...]

    def of(self, label: str) -> pd.DataFrame:
        """Return the values for one class: index the rows, one column per feature."""
        return pd.DataFrame(
            self.values[:, :, self.classes.index(label)], index=self.rows, columns=list(self.cells.columns)
        )


@dataclass(frozen=True, eq=False)
class Importance(DisplayedFrame):
    """Mean absolute SHAP values of many rows.

    Attributes
    ----------
    frame : DataFrame
        Mean absolute SHAP value: index columns of the table, most important first, one column per class.
    rows : int
        Rows that it is the mean of.
    words : str
        Which rows these are, and how far off a mean may be where values were sampled, in sentences.
    standard_error : DataFrame
        Of the means, at most (rows share their random orders): mean standard error of the values, lines as in `frame`;
        0 where values are exact.
    sample : ShapSample or None
        Values of some of these rows; None for means that were computed elsewhere.
    """

    frame: pd.DataFrame
    rows: int
    words: str
    standard_error: pd.DataFrame
    sample: ShapSample | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        frames = {"importance": self.frame, "standard_error": self.standard_error}
        plain = {
            name: dict(zip(of.index, plain_rows(of.rename_axis(None)), strict=True)) for name, of in frames.items()
        }
        return {**plain, "rows": self.rows, "words": self.words}


def quick_rows(study: Study) -> int:
    """Return how many rows a page goes through at once."""
    evaluations = min(QUICK_EVALUATIONS, 2 ** min(len(study.used_columns), 20))
    work = evaluations * max(1, len(study.prototypes))
    return max(_FEWEST_QUICK, min(_MOST_QUICK, QUICK_WORK // work))


def quick_paired_rows(study: Study) -> int:
    """Return for how many rows a page computes all pairs at once; 0 where the model uses too many columns for that."""
    used = len(study.used_columns)
    if used > MOST_PAIRED:
        return 0
    values = used * used * len(study.classes) // 2  # of one row
    work = used * used * (1 + used // 2) * len(study.prototypes)
    return max(_FEWEST_PAIRED, min(_MOST_QUICK, QUICK_WORK // max(1, work), _VALUES_KEPT // max(1, values)))


def global_importance(
    study: Study,
    reference: NamedPoint,
    *,
    cases: Iterable[int] | None = None,
    n_cases: int | None = None,
    every: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Importance:
    """Average the absolute SHAP values of the held-out rows.

    Parameters
    ----------
    reference : ReferencePoint, or anything with its row ``x`` of the matrix and a name in ``words``
        What rows are compared with.
    cases : iterable of int or None
        Row ids; of the held-out rows only these are taken. None for all of them.
    n_cases : int or None
        If there are more rows, that many of them are drawn, the same ones each time; None means :func:`quick_rows`.
    every : bool
        Take all rows.
    progress : callable, optional
        Called with the number of rows done and of all rows.

    Examples
    --------
    >>> from proset.explain.attribution.reference import choose_reference_point
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = global_importance(study, choose_reference_point(study), n_cases=10)
    >>> found.frame.shape, found.words
    ((2, 3), 'Mean over 10 of the 45 held-out rows, drawn at random, compared with the reference point (row 98).')
    """
    among = explained_rows(study, cases=cases, every=True)
    rows = explained_rows(study, cases=among, n_cases=n_cases, every=every)
    total = np.zeros((2, len(study.roles.features), len(study.classes)))
    kept: list[NDArray[np.float64]] = []
    every_nth = -(-len(rows) // max(1, min(_MOST_SAMPLED, 2 * _VALUES_KEPT // max(1, total.size))))
    for block in row_blocks(len(rows), total.size, max_elements=_VALUES_AT_ONCE):
        tell = None if progress is None else partial(_tell, progress, block.start, len(rows))
        found = shap_values(study, rows[block], reference, max_evaluations=QUICK_EVALUATIONS, progress=tell)
        total += np.abs(found.values).sum(axis=0), np.nan_to_num(found.standard_error).sum(axis=0)
        kept.append(found.values[(-block.start) % every_nth :: every_nth])
    some_rows = rows[:: max(1, every_nth)]
    sample = ShapSample(
        np.concatenate([np.zeros((0, *total.shape[1:])), *kept]),
        some_rows,
        study.table.frame.loc[some_rows, list(study.roles.features)],
        study.classes,
    )
    means = total / max(1, len(rows))
    picked = None if cases is None else len(among)
    return replace(importance_of(study, reference, means, len(rows), picked=picked), sample=sample)


def importance_of(
    study: Study, reference: NamedPoint, means: NDArray[np.float64], taken: int, *, picked: int | None = None
) -> Importance:
    """Arrange means over so many rows, shape (2, D, K): of absolute values and of their standard errors."""
    frame = importance_frame(means[0], study.roles.features, study.classes)
    error = pd.DataFrame(means[1], index=pd.Index(study.roles.features, name="feature"), columns=list(study.classes))
    words, most = importance_words(study, reference, taken, picked), 100.0 * float(means[1].max(initial=0.0))
    if most > 0.0:
        words += f" Sampled for some rows: a mean may be off by about {max(most, 0.01):.2g} percentage points."
    return Importance(frame, taken, words, error.loc[frame.index])


def _tell(progress: Callable[[int, int], None], before: int, total: int, done: int, _: int) -> None:
    """Tell how many of all rows are done when some of a block are."""
    progress(before + done, total)


def explained_rows(
    study: Study, *, cases: Iterable[int] | None = None, n_cases: int | None = None, every: bool = False
) -> NDArray[np.int64]:
    """Return the rows whose SHAP values are averaged; arguments as :func:`global_importance`.

    Returns
    -------
    int64 array
        Ascending row ids: of held-out rows, of training rows where none are held out.
    """
    rows = np.sort(study.split.measured)
    if cases is not None:
        rows = rows[np.isin(rows, row_ids(cases))]
    limit = len(rows) if every else quick_rows(study) if n_cases is None else n_cases
    return rows[some(len(rows), limit, random_state=0)]


def importance_words(study: Study, reference: NamedPoint, taken: int, picked: int | None = None) -> str:
    """Say over how many rows the mean is, which they are, and what they are compared with."""
    every = len(explained_rows(study, every=True)) if picked is None else picked
    kind = "held-out row" if len(study.split.held_out) else "training row"
    count = count_words(every, kind if picked is None else f"picked {kind}")
    some = f"{taken:,} of the {count}, drawn at random" if taken < every else f"all {count}"
    return f"Mean over {some}, compared with {reference.words}."
