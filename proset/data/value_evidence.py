"""Weight of evidence: what the value of one column says, alone, of each class, as further columns of the matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from proset.common.checked_json import StateReader

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Name = TypeVar("Name", str, int)

MOST_COLUMNS = 240
"""Columns of evidence in a matrix at most; those that say least are left out."""
MOST_PARTS = 16
MOST_KNOTS = 2 * MOST_PARTS
_FEWEST_ROWS = 10  # between two borders: fewer say too little
_SHRINKING = 5.0  # rows of the usual class shares that are added to those of each value
_LARGEST = 100.0  # no count of rows has log-odds beyond it
_SOMETHING = 1e-9  # nats; less is rounding


@dataclass(frozen=True)
class ValueEvidence:
    """Weights of evidence of the values of one column.

    The weight of evidence of a value for a class is by how much the log-odds of the class are higher among training
    rows with about this value than among all, shrunken towards 0 where they are few. It is straight between knots:
    each value of a column of few, or else the quartiles of the parts that a tree of the column makes, and its ends.

    Attributes
    ----------
    classes : tuple of str
        Of which classes something is said: all, or of two the second.
    knots : tuple of float
        Ascending values of the column, as the matrix has them; empty for a category with an indicator for each level.
    weights : tuple of tuple of float
        Weight of evidence at each knot, or of each level, for each class.
    spreads : tuple of float
        Standard deviation of each over the training rows: the matrix holds weights divided by these.
    told : float
        How much the values tell of the classes of the training rows: mutual information in nats, of shrunken shares.

    Examples
    --------
    >>> found = ValueEvidence.of(np.repeat([[0.0], [1.0]], 50, axis=0), np.repeat([0, 1, 1], [40, 20, 40]), ("a", "b"))
    >>> found.classes, [round(weight, 2) for weight, in found.weights]
    (('b',), [-1.58, 2.87])
    """

    classes: tuple[str, ...]
    knots: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    spreads: tuple[float, ...]
    told: float

    @classmethod
    def of(cls, own: FloatArray, codes: NDArray[np.int64], classes: tuple[str, ...]) -> ValueEvidence:
        """Learn from the training rows.

        Parameters
        ----------
        own : float64 array of shape (n, w)
            The column's own part of the matrix: numbers, or an indicator for each of several levels.
        codes : int64 array of shape (n,)
            Class of each row, 0 to K - 1; every class occurs.
        classes : tuple of str
            Names of the K classes.
        """
        knots, part_of, parts = (
            _knots(own[:, 0], codes) if own.shape[1] == 1 else (np.zeros(0), np.arange(own.shape[1]), own)
        )
        counts = parts.T @ np.eye(len(classes))[codes]
        shares = np.bincount(codes, minlength=len(classes)) / len(codes)
        smooth = (counts + _SHRINKING * shares) / (counts.sum(axis=1, keepdims=True) + _SHRINKING)
        weights = np.log(smooth / (1.0 - smooth)) - np.log(shares / (1.0 - shares))
        told = float((counts * np.log(smooth / shares)).sum() / len(codes))
        first = 1 if len(classes) == 2 else 0
        table = tuple(map(tuple, weights[part_of, first:].tolist()))
        unscaled = cls(classes[first:], tuple(knots.tolist()), table, (1.0,) * (len(classes) - first), max(told, 0.0))
        spreads = unscaled.values(own).std(axis=0)
        return replace(unscaled, spreads=tuple(np.where(spreads > 0.0, spreads, 1.0).tolist()))

    def values(self, own: FloatArray) -> FloatArray:
        """Return the columns of the matrix beside the column's own, shape (n, c); 0 for a level never seen.

        Beyond the training rows they go on in their direction, one for each standard deviation of the value: what is
        far from all that was seen is far from it here as well.
        """
        weights = self.weights_of(own)
        found = weights / np.asarray(self.spreads)
        if not self.knots:
            return found
        beyond = np.maximum(np.maximum(own[:, :1] - self.knots[-1], self.knots[0] - own[:, :1]), 0.0)
        return found + np.where(weights < 0.0, -beyond, beyond)

    def weights_of(self, own: FloatArray) -> FloatArray:
        """Return the weights of evidence of values, shape (n, c); beyond the training rows those of the last ones."""
        table = np.asarray(self.weights)
        if not self.knots:
            return own @ table
        return np.column_stack([np.interp(own[:, 0], self.knots, weights) for weights in table.T])

    def of_each(self, weights: FloatArray, classes: Sequence[str]) -> FloatArray:
        """Return weights, shape (n, c), for each of the K classes in some order, shape (n, K).

        Of two classes, one has what the other has with the opposite sign.
        """
        if len(self.classes) == 1:
            return np.column_stack([weights if name in self.classes else -weights for name in classes])
        return weights[:, [self.classes.index(name) for name in classes]]

    def to_state(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "classes": list(self.classes),
            "knots": list(self.knots),
            "weights": [list(weights) for weights in self.weights],
            "spreads": list(self.spreads),
            "told": self.told,
        }

    @classmethod
    def from_state(cls, state: object, where: str, *, width: int) -> ValueEvidence:
        """Check and rebuild; `width` is the number of matrix columns that the column has of its own."""
        reader = StateReader(state, where)
        classes = reader.texts("classes")
        knots = reader.numbers("knots", fewest=0, most=MOST_KNOTS)
        rows = reader.take("weights")
        expected = len(knots) if width == 1 else width
        if not classes or len(set(classes)) != len(classes):
            raise reader.refuse("classes", "has to name each class once")
        if bool(knots) != (width == 1) or (np.diff(knots) <= 0.0).any():
            raise reader.refuse("knots", "has to ascend, for a column of numbers alone")
        if not isinstance(rows, list) or len(rows) != expected:
            raise reader.refuse("weights", "has to have as many entries as there are knots or levels")
        count = len(classes)
        weights = tuple(reader.numbers_of("weights", row, fewest=count, most=count) for row in rows)
        spreads = reader.numbers("spreads", fewest=count, most=count)
        if max(abs(entry) for row in weights for entry in row) > _LARGEST or not 0.0 < min(spreads) <= _LARGEST:
            raise reader.refuse("weights", "is beyond what rows can say")
        told = reader.number("told")
        reader.close()
        return cls(classes, knots, weights, spreads, told)


def _knots(values: FloatArray, codes: NDArray[np.int64]) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the knots of a column of numbers, the part each belongs to, and the rows of each part, shape (n, B).

    Each value of a column of few is a part. Others have a knot at either quartile, between which they say the same,
    and one at either end of the column.
    """
    different = np.unique(values)
    if len(different) <= MOST_PARTS:
        rows = np.equal.outer(values, different)
        return different, np.arange(len(different)), rows.astype(np.float64)
    edges = _borders(values, codes)
    rows = np.equal.outer(np.searchsorted(edges, values), np.arange(len(edges) + 1))
    rows = rows[:, rows.any(axis=0)]
    quartiles = np.array([np.quantile(values[part], (0.25, 0.75), method="nearest") for part in rows.T])
    quartiles[0, 0], quartiles[-1, 1] = different[0], different[-1]
    knots, first = np.unique(quartiles, return_index=True)
    return knots, first // 2, rows.astype(np.float64)


def _borders(values: FloatArray, codes: NDArray[np.int64]) -> FloatArray:
    """Return where a tree of the column alone parts the rows, ascending; what only reads tables need not load it."""
    from sklearn.tree import DecisionTreeClassifier

    n_rows, n_classes = len(values), int(codes.max()) + 1
    # A part has to explain half of what a number per class costs (Schwarz), per row and in bits, as the tree has it.
    price = 0.25 * (n_classes - 1) * math.log(n_rows) / (n_rows * math.log(2.0))
    tree = DecisionTreeClassifier(
        criterion="log_loss",
        max_leaf_nodes=MOST_PARTS,
        min_samples_leaf=max(1, min(_FEWEST_ROWS, n_rows // 3)),
        ccp_alpha=price,
        random_state=0,
    )
    grown = tree.fit(values[:, np.newaxis], codes).tree_
    return np.sort(grown.threshold[grown.feature >= 0])


def learn_evidence(columns: Mapping[Name, FloatArray], target: NDArray[Any]) -> dict[Name, ValueEvidence]:
    """Learn what the values of some columns say of the classes.

    Parameters
    ----------
    columns : mapping of str or int to float64 array of shape (n, w)
        The own part of each in the matrix of the training rows.
    target : ndarray of shape (n,)
        Classes of these rows.
    """
    classes, codes = np.unique(target, return_inverse=True)
    names = tuple(map(str, classes))
    return {name: ValueEvidence.of(own, codes, names) for name, own in columns.items()}


def most_said(found: dict[Name, ValueEvidence]) -> dict[Name, ValueEvidence]:
    """Return the evidence of the columns whose values say most, in their order, as far as there is room."""
    kept, room = set(), MOST_COLUMNS
    for name in sorted(found, key=lambda name: -found[name].told):
        width = len(found[name].classes)
        if found[name].told > _SOMETHING and width <= room:
            kept.add(name)
            room -= width
    return {name: evidence for name, evidence in found.items() if name in kept}
