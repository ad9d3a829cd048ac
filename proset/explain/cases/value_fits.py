"""Fit of values of one feature to each class: their place among the known values of the class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.data.levels import LevelEncoder
from proset.explain.subject import Subject
from proset.study.case import KnownRows

_SMALL = 0.02
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST_KEPT = 1_000_000
"""Numbers of a matrix whose features are looked up once for all cases of a study, not for each of them."""
_KEPT: WeakKeyDictionary[KnownRows, dict[str, KnownValues]] = WeakKeyDictionary()


def known_values(subject: Subject, known: KnownRows) -> Callable[[str], KnownValues]:
    """Return a function that looks up what is known of one feature; `known` has to bring its classes."""
    study, labels = subject.study, known.y
    assert labels is not None
    X = np.asarray(known.X)
    # A model alone may be asked with the same rows as another one that knows other classes.
    kept = _KEPT.setdefault(known, {}) if study is not None and X.size <= _MOST_KEPT else {}

    def of(feature: str) -> KnownValues:
        if feature not in kept:
            kept[feature] = look_up(feature)
        return kept[feature]

    def look_up(feature: str) -> KnownValues:
        missing = None if study is None else study.encode(known.rows).imputed
        there = np.ones(len(X), dtype=bool) if missing is None else ~missing[feature].to_numpy()
        values = X[np.ix_(there, subject.own[subject.features.index(feature)])].astype(np.float64)
        ordered = study is None or not isinstance(study.design.encoder(feature), LevelEncoder)
        return KnownValues(values, labels[there], subject.classes, ordered)

    return of


@dataclass(frozen=True, eq=False)
class KnownValues:
    """One feature among the known rows in which it is not missing.

    Attributes
    ----------
    values : float64 array of shape (m, w)
        Its matrix columns: one for a number or a date, one per level for a category.
    labels : str array of shape (m,)
        Classes of these rows.
    classes : tuple of str
        Names of the K classes.
    ordered : bool
        Whether it is a number or a date.

    Examples
    --------
    >>> known = KnownValues(np.arange(8.0)[:, None], np.repeat(["a", "b"], 4), ("a", "b"), ordered=True)
    >>> known.places(np.array([[1.0], [5.0]])).tolist()
    [[0.375, 0.0], [1.0, 0.375]]
    >>> known.fits(np.array([[1.0], [5.0]])).tolist()
    [[0.75, 0.0], [0.0, 0.75]]
    >>> known.leans(np.array([[1.0], [5.0]]), "a", "b").round(2).tolist()
    [0.93, -0.93]
    """

    values: NDArray[np.float64]
    labels: NDArray[np.str_]
    classes: tuple[str, ...]
    ordered: bool

    @lazy_property
    def of_class(self) -> list[NDArray[np.float64]]:
        """The values of each class; numbers and dates ascending."""
        parts = [self.values[self.labels == name] for name in self.classes]
        return [np.sort(part, axis=0) for part in parts] if self.ordered else parts

    @lazy_property
    def quantiles(self) -> NDArray[np.float64]:
        """Quantiles of a number or a date in each class, at :data:`QUANTILES`, shape (K, 5); NaN without values."""
        nothing = np.full(len(QUANTILES), np.nan)
        return np.array([np.quantile(part[:, 0], QUANTILES) if len(part) else nothing for part in self.of_class])

    def places(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the place of values in each class, shape (n, K); NaN for a class without known values.

        Of a number or a date the share of the class with a smaller value, equal ones counted half; of a category the
        share with this level.
        """
        return np.column_stack([self._places(values, members) for members in self.of_class])

    def fits(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how well values fit each class, shape (n, K), in [0, 1].

        Of a number or a date the share of the class that lies no nearer to its median (twice the smaller tail); of a
        category the share with this level; 0 for a class without known values.
        """
        return self._fits(self.places(values))

    def _fits(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how well values with such places fit."""
        known = np.nan_to_num(places)
        return 2.0 * np.minimum(known, 1.0 - known) if self.ordered else known

    def _places(self, values: NDArray[np.float64], members: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the place among the values of one class, from :attr:`of_class`."""
        if not len(members):
            return np.full(len(values), np.nan)
        if not self.ordered:
            different, place = np.unique(values, axis=0, return_inverse=True)  # few, of however many values
            return np.array([(members == value).all(axis=1).mean() for value in different])[place.ravel()]
        known = members[:, 0]
        sides = (np.searchsorted(known, values[:, 0], side=side) for side in ("left", "right"))
        found: NDArray[np.float64] = sum(sides) / (2.0 * len(known))  # type: ignore[assignment]
        return found

    def leans(self, values: NDArray[np.float64], one: str, other: str) -> NDArray[np.float64]:
        """Return to which of two classes values lean, shape (n,): from 1, only to `one`, to -1, only to `other`."""
        both = (self.of_class[self.classes.index(name)] for name in (one, other))
        first, second = (self._fits(self._places(values, members)) + _SMALL for members in both)
        found: NDArray[np.float64] = np.log(first / second) / np.log((1.0 + _SMALL) / _SMALL)
        return found
