"""Columns that a model does not use, and what their values say of cases against known ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.evidence.nearness import spread_out
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
    subject : Subject
        The model.
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
        self, fits: NDArray[np.float64], there: NDArray[np.bool_], said: str, actual: str | None
    ) -> tuple[str, int, float]:
        """Return the class that an estimate is held against, how many columns contradict, and how usual as many are.

        Where the table does not name that class, it is the one with most contradicting columns, for the case and for
        each known one.

        Parameters
        ----------
        fits : ndarray of shape (columns, K)
            Those of the case.
        there : ndarray of bool, shape (columns,)
            Which values of the case are known.
        said : str
            Class of the estimate.
        actual : str or None
            Class in the table.

        Returns
        -------
        other : str
        count : int
        as_many : float
            Share of the known cases of class `said` with at least as many, in [0, 1].
        """
        k = self._classes.index(said)
        others = [i for i in range(len(self._classes)) if i != k]
        if actual is not None and actual != said:
            others = [self._classes.index(actual)]
        own, against = fits[there], contradict(fits, k)[there]
        # By number, then by how much better they fit, which is less than one.
        better = np.clip(own - own[:, [k]], 0.0, None).sum(axis=0) / (len(own) + 1)
        lean = against.sum(axis=0) + better
        other = max(others, key=lambda i: lean[i])
        count = int(against[:, other].sum())
        among = self._known_cases(k)[:, there][:, :, others].sum(axis=1).max(axis=1, initial=0)
        return self._classes[other], count, float((among >= count).mean()) if len(among) else 1.0

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
