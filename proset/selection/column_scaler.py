"""Scales of the columns of a matrix, as a transformer of scikit-learn."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.errors import StudyError
from proset.data.scales import Bend, Scale
from proset.data.value_evidence import ValueEvidence, learn_evidence, most_said


class ColumnScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Brings columns to mean 0 and standard deviation 1, bent so that far values do not set the measure for all others.

    Parameters
    ----------
    scale : {"squashed", "quantile", "evidence", "standard"}, default="squashed"
        "squashed": the inverse hyperbolic sine of the distance from the median in robust deviations, like a logarithm
        far out. "quantile": the normal quantile of the share of rows below. "standard" does what a ``StandardScaler``
        does, as the others do for columns of fewer than three different values. "evidence": the standard scale, and
        behind its columns the weights of evidence of their values, see
        :class:`proset.data.value_evidence.ValueEvidence`.

    Attributes
    ----------
    mean_, scale_ : ndarray of float64, shape (D,)
        Mean and standard deviation of each column; 1 for one that does not vary.
    bends_ : tuple of Bend or None
        The way of each column that is not straight.
    evidence_ : dict of int to ValueEvidence
        What the values of some columns say of the classes; empty on another scale.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str, shape (D,)
        Their names, if they had any.

    Notes
    -----
    Every way is monotone and goes back, see :meth:`inverse_transform`; beyond the rows it was fitted to it is straight.
    Only evidence looks at classes, and is no way back: it stands behind the values.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [500.0]])
    >>> scaler = ColumnScaler("quantile").fit(X)
    >>> scaler.transform(X)[:, 0].round(2).tolist(), scaler.inverse_transform(scaler.transform(X))[:, 0].tolist()
    ([-1.46, -0.6, 0.0, 0.6, 1.46], [0.0, 1.0, 2.0, 3.0, 500.0])
    """

    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    bends_: tuple[Bend | None, ...]
    evidence_: dict[int, ValueEvidence]
    n_features_in_: int

    def __init__(self, scale: str = "squashed") -> None:
        self.scale = scale

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn from rows, shape (n, D), finite, and from their classes, shape (n,), where the scale is "evidence".

        Raises
        ------
        ValueError
            If there is no such scale, the rows are no matrix of finite numbers, or there are no classes to learn from.
        """
        if self.scale not in tuple(Scale):
            raise StudyError(f"scale is {self.scale!r}; it has to be one of {', '.join(Scale)}.", parameter="scale")
        rows = validate_data(self, X, dtype=np.float64)
        deviation = rows.std(axis=0)
        # The deviation of a column that does not vary may be a rounding error of its mean instead of 0.
        varies = (np.ptp(rows, axis=0) > 0.0) & (deviation > 0.0)
        self.mean_, self.scale_ = rows.mean(axis=0), np.where(varies, deviation, 1.0)
        kind, n_columns = Scale(self.scale), rows.shape[1]
        self.bends_ = tuple(Bend.of(rows[:, j], kind, float(self.scale_[j])) for j in range(n_columns))
        self.evidence_ = self._learn_evidence(rows, y) if kind is Scale.EVIDENCE else {}
        return self

    def _learn_evidence(self, rows: NDArray[np.float64], y: ArrayLike | None) -> dict[int, ValueEvidence]:
        """Learn what the values of each column say of the classes."""
        if y is None:
            raise StudyError("scale is 'evidence', which learns from classes.", hint="Pass y.", parameter="y")
        target = column_or_1d(y)
        check_consistent_length(rows, target)
        if (target == target[0]).all():
            raise StudyError("scale is 'evidence', which needs rows of two classes or more.", parameter="y")
        straight = (rows - self.mean_) / self.scale_
        return most_said(learn_evidence({j: straight[:, [j]] for j in range(rows.shape[1])}, target))

    @property
    def sources_(self) -> NDArray[np.int64]:
        """Column that each column of a transformed matrix is made of, shape (D + c,)."""
        check_is_fitted(self)
        said = [j for j, found in self.evidence_.items() for _ in found.classes]
        return np.array([*range(self.n_features_in_), *said], dtype=np.int64)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the names of the columns of a transformed matrix: as they were, and those of evidence."""
        names = super().get_feature_names_out(input_features)
        said = [f"{names[j]}: evidence for {name}" for j, found in self.evidence_.items() for name in found.classes]
        return np.array([*names, *said], dtype=object)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return rows on the scale, shape (n, D), or more columns with evidence."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        found: NDArray[np.float64] = (rows - self.mean_) / self.scale_
        for j, bend in enumerate(self.bends_):
            if bend is not None:
                found[:, j] = bend.place(rows[:, j])
        if not self.evidence_:
            return found
        return np.hstack([found, *(evidence.values(found[:, [j]]) for j, evidence in self.evidence_.items())])

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return rows in their own units, shape (n, D), with the digits that single precision holds."""
        check_is_fitted(self)
        rows = np.asarray(X, dtype=np.float64)[:, : self.n_features_in_]
        found: NDArray[np.float64] = rows * self.scale_ + self.mean_
        for j, bend in enumerate(self.bends_):
            if bend is not None:
                found[:, j] = bend.value(rows[:, j])
        return found
