"""Rows to learn from and rows held out, brought to mean 0 and spread 1, and how predictions are judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.gbmap_tables.sets import Kind, TableSet


@dataclass(frozen=True)
class Part:
    """Training and test rows; columns, and a target of numbers, by mean and spread of the training rows.

    Attributes
    ----------
    kind : {"regression", "classification"}
        What is predicted.
    X, X_test : ndarray of shape (n, D)
        Features.
    y, y_test : ndarray of shape (n,)
        Target; -1 and +1 for two classes.
    keep : bool
        Leave the columns as they are.
    """

    kind: Kind
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    keep: bool = False

    @classmethod
    def of(cls, table: TableSet, train: np.ndarray, test: np.ndarray, columns: np.ndarray | None = None) -> Part:
        """Take rows, and columns if some are named."""
        X = table.X if columns is None else table.X[:, columns]
        return cls(table.kind, X[train], table.y[train], X[test], table.y[test], table.scaled).scaled()

    def scaled(self) -> Part:
        """Scale by the training rows."""
        scaler = StandardScaler(with_mean=not self.keep, with_std=not self.keep).fit(self.X)
        centre, spread = (self.y.mean(), self.y.std()) if self.kind == "regression" else (0.0, 1.0)
        return Part(
            self.kind,
            scaler.transform(self.X),
            (self.y - centre) / spread,
            scaler.transform(self.X_test),
            (self.y_test - centre) / spread,
            self.keep,
        )

    def inner(self, train: np.ndarray, test: np.ndarray) -> Part:
        """Take a fold of the training rows."""
        return Part(self.kind, self.X[train], self.y[train], self.X[test], self.y[test], self.keep).scaled()

    def cut(self, rows: int, asked: int | None = None) -> Part:
        """Keep so many training rows, and so many test rows."""
        return Part(self.kind, self.X[:rows], self.y[:rows], self.X_test[:asked], self.y_test[:asked], self.keep)


def score(kind: Kind, y: np.ndarray, f: np.ndarray) -> float:
    """Return what the paper reports: R2, or the share of correct signs.

    Examples
    --------
    >>> score("regression", np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    >>> score("classification", np.array([-1.0, 1.0]), np.array([0.2, 0.3]))
    0.5
    """
    if kind == "regression":
        return float(1.0 - ((y - f) ** 2).mean() / y.var())
    return float(((f > 0) == (y > 0)).mean())


def losses(kind: Kind, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Loss of every row: squared error, or logistic loss."""
    return np.asarray((y - f) ** 2 if kind == "regression" else np.logaddexp(0.0, -y * f))
