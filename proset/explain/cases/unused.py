"""Columns that a model does not use, and what their values say of cases against known ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.spread import spread_out
from proset.explain.cases.value_fits import known_values
from proset.explain.subject import Subject
from proset.study.case import KnownRows

RARE, COMMON = 0.05, 0.25
"""A value fits a class badly below the one and well from the other on, see :meth:`KnownValues.fits`."""
_SMALL = 0.01
_MOST_FITS = 5_000_000


def unused_features(subject: Subject, held: Sequence[str]) -> list[str]:
    """Return those of some features that vary and that the model does not use, in the order of the table."""
    used = set(subject.by_weight)
    groups = zip(subject.features, subject.groups, strict=True)
    return [name for name, group in groups if name in held and name not in used and len(group)]


class UnusedColumns:
    """Values of unused features among the known cases: looked up once, for any number of cases.

    Parameters
    ----------
    learned : KnownRows
        Known cases with their classes.
    names : sequence of str
        The features, from :func:`unused_features`.
    """

    def __init__(self, subject: Subject, learned: KnownRows, names: Sequence[str]) -> None:
        look_up = known_values(subject, learned)
        self.names = tuple(names)
        self._classes, self._learned = subject.classes, learned
        self._groups = [subject.own[subject.features.index(name)] for name in names]
        self._known = [look_up(name) for name in names]
        self._of_class: dict[int, NDArray[np.bool_]] = {}

    def fits(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how well each value fits each class, shape (n, columns, K)."""
        each = [known.fits(X[:, group]) for known, group in zip(self._known, self._groups, strict=True)]
        return np.stack(each, axis=1) if each else np.zeros((len(X), 0, len(self._classes)))

    def held_against(
        self, fits: NDArray[np.float64], there: NDArray[np.bool_], said: str, other: str
    ) -> tuple[int, float]:
        """Return how many columns contradict an estimate, held against another class, and how usual as many are.

        Parameters
        ----------
        fits : ndarray of shape (columns, K)
            Those of the case.
        there : ndarray of bool, shape (columns,)
            Which values of the case are known.
        said : str
            Class of the estimate.
        other : str
            From :func:`rival`.

        Returns
        -------
        count : int
        as_many : float
            Share of the known cases of class `said` with at least as many, in [0, 1].
        """
        k, i = (self._classes.index(name) for name in (said, other))
        count = int(contradict(fits, k)[there, i].sum())
        among = self._known_cases(k)[:, there, i].sum(axis=1)
        return count, float((among >= count).mean()) if len(among) else 1.0

    def frame(self, fits: NDArray[np.float64], there: NDArray[np.bool_], said: str, other: str) -> pd.DataFrame:
        """Return the columns of one case, those first that speak most for the other class."""
        k, i = (self._classes.index(name) for name in (said, other))
        frame = pd.DataFrame(
            {
                "column": pd.Series(self.names, dtype="str"),
                "fit_said": fits[:, k],
                "fit_other": fits[:, i],
                "contradicts": contradict(fits, k)[:, i],
            }
        )[there]
        odds = np.log((frame["fit_other"] + _SMALL) / (frame["fit_said"] + _SMALL))
        order = np.lexsort((-odds, ~frame["contradicts"]))
        return frame.iloc[order].reset_index(drop=True)

    def _known_cases(self, k: int) -> NDArray[np.bool_]:
        """Return which values of known cases of a class contradict it, shape (cases, columns, K)."""
        if k not in self._of_class:
            members = np.flatnonzero(self._learned.y == self._classes[k])
            most = max(50, _MOST_FITS // max(1, len(self.names) * len(self._classes)))
            rows = np.asarray(self._learned.X)[spread_out(members, most)].astype(np.float64)
            self._of_class[k] = contradict(self.fits(rows), k)
        return self._of_class[k]


def rival(estimates: NDArray[np.float64], said: int, actual: int | None) -> int:
    """Return the class that an estimate is held against: that of the table if it is another, else the runner-up.

    Examples
    --------
    >>> rival(np.array([0.5, 0.1, 0.4]), 0, None), rival(np.array([0.5, 0.1, 0.4]), 0, 1)
    (2, 1)
    """
    if actual is not None and actual != said:
        return actual
    others = np.where(np.arange(len(estimates)) == said, -1.0, estimates)
    return int(others.argmax())


def known_cells(imputed: pd.DataFrame, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which cells of some features are known, not filled in; shape (n, columns)."""
    return ~imputed.reindex(columns=list(names), fill_value=False).to_numpy(dtype=bool)


def contradict(fits: NDArray[np.float64], said: int) -> NDArray[np.bool_]:
    """Tell which values are rare in the class that is said and common in each other one.

    Examples
    --------
    >>> contradict(np.array([[0.01, 0.5], [0.2, 0.9]]), 0).tolist()
    [[False, True], [False, False]]
    """
    return (fits[..., [said]] < RARE) & (fits >= COMMON)
