"""The batch-1 map: rows and prototypes of a study in the plane that the first batch's weights single out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from proset.study import Study

FIRST_BATCH = 1
POINT_COLUMNS = ("part", "actual", "predicted", "correct", "confidence", "quantile")
# Matrices hold float32, so spread below its rounding, relative to the largest, is noise and no axis of its own.
RELATIVE_TOLERANCE = float(np.finfo(np.float32).eps)
# Rows mapped at once: keeps the float64 copies small when the study has a million rows.
BLOCK_ROWS = 65_536
# What fits into a hover box; more would only fill memory.
DETAIL_COLUMNS = 6


@dataclass(frozen=True, eq=False)
class WeightedAxes:
    """The doubly weighted principal axes of a set of prototypes.

    Attributes
    ----------
    center : float64 array of shape (D,)
        Weighted mean of the rescaled prototypes, (4.2).
    vectors : float64 array of shape (D, rank)
        Eigenvectors U of (4.4) as columns, by descending eigenvalue. The entry of largest size in each is positive.
    eigenvalues : float64 array of shape (rank,)
        Diagonal of Sigma in (4.4), positive and descending.
    """

    center: NDArray[np.float64]
    vectors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]

    @property
    def rank(self) -> int:
        """Number of directions in which the prototypes differ at all."""
        return len(self.eigenvalues)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of each axis in the weighted spread of the prototypes; they sum to one."""
        return self.eigenvalues / self.eigenvalues.sum() if self.rank else self.eigenvalues

    def project(self, scaled: NDArray[np.floating], *, n_axes: int = 2) -> NDArray[np.float64]:
        """Return coordinates of rescaled rows on the first axes; zero on an axis beyond the rank.

        Parameters
        ----------
        scaled : array of shape (n, D)
            Rows whose features are already multiplied with the feature weights, (4.1).
        n_axes : int, default 2
            Number of coordinates wanted.

        Returns
        -------
        float64 array of shape (n, n_axes)
            One row of coordinates per row.

        Examples
        --------
        >>> weighted_axes([[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0]).project(np.array([[3.0, 5.0]])).tolist()
        [[2.0, 0.0]]
        """
        result = np.zeros((len(scaled), n_axes))
        kept = min(self.rank, n_axes)
        result[:, :kept] = (scaled - self.center) @ self.vectors[:, :kept]
        return result


def weighted_axes(scaled: ArrayLike, weights: ArrayLike) -> WeightedAxes:
    """Compute the doubly weighted PCA, (4.2) to (4.4).

    Parameters
    ----------
    scaled : array-like of shape (J, D)
        Prototypes with features multiplied by the feature weights, (4.1).
    weights : array-like of shape (J,)
        Prototype weights, positive.

    Returns
    -------
    WeightedAxes
        Center, axes and eigenvalues. The signs do not depend on the platform.

    Examples
    --------
    >>> axes = weighted_axes([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]], [1.0, 1.0, 2.0])
    >>> axes.center.tolist(), axes.rank, [round(share, 3) for share in axes.shares.tolist()]
    ([2.0, 0.5], 2, [0.889, 0.111])
    """
    values = np.asarray(scaled, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64)
    center = np.average(values, axis=0, weights=weight)
    # The singular values of sqrt(W) Z are the roots of the eigenvalues of Z'WZ: no digits are lost by squaring.
    root = np.sqrt(weight)[:, np.newaxis]
    _, singular, rows = np.linalg.svd(root * (values - center), full_matrices=False)
    kept = singular > singular.max(initial=0.0) * RELATIVE_TOLERANCE * max(values.shape)
    # A longest axis within the rounding of the values themselves means that all prototypes coincide.
    kept &= singular.max(initial=0.0) > np.linalg.norm(root * values) * RELATIVE_TOLERANCE
    return WeightedAxes(center, _fixed_signs(rows[kept].T), singular[kept] ** 2)


def _fixed_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn each column so that its first entry of (nearly) largest size is positive."""
    if not vectors.size:
        return vectors
    sizes = np.abs(vectors)
    leading = np.argmax(sizes >= sizes.max(axis=0) * (1 - 1e-6), axis=0)
    return vectors * np.sign(vectors[leading, np.arange(vectors.shape[1])])


@dataclass(frozen=True, eq=False)
class BatchMap:
    """Rows and first-batch prototypes in two dimensions.

    Attributes
    ----------
    points : DataFrame
        One row per table row that has a prediction, index ``row``: x, y, part, actual, predicted, correct, confidence,
        quantile (familiarity as a quantile of the held-out rows).
    prototypes : DataFrame
        One row per prototype of the first batch: batch, row (table row id), class, weight, x, y.
    axis_shares : tuple of float
        Share of the two axes in the weighted spread of the prototypes, each in [0, 1].
    rank : int
        Number of directions in which the prototypes differ; the picture is flat below two.
    message : str or None
        What a person should know before reading the picture, or why there is none.
    loadings : DataFrame
        Index: active matrix columns by descending feature weight; columns ``axis 1``, ``axis 2``: how far a row moves
        when the standardised feature grows by one.
    details : DataFrame
        The table's own values for the hover box, same index as ``points``: the identifier, if there is one, and the
        active columns by descending feature weight, at most six in all.
    classes : tuple of str
        All classes of the study in their order.
    """

    points: pd.DataFrame
    prototypes: pd.DataFrame
    axis_shares: tuple[float, float]
    rank: int
    message: str | None
    loadings: pd.DataFrame
    details: pd.DataFrame
    classes: tuple[str, ...]


def batch_map(study: Study) -> BatchMap:
    """Map every row of a study by the doubly weighted PCA of its first batch, (4.1) to (4.4).

    Returns
    -------
    BatchMap
        Coordinates and what is needed to draw them. Without prototypes in the first batch, or where they all coincide,
        the frames are empty and ``message`` says why.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> mapping = batch_map(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    >>> mapping.rank, list(mapping.points.columns[:2])
    (2, ['x', 'y'])
    """
    prototypes = study.prototypes.loc[lambda frame: frame["batch"] == FIRST_BATCH].reset_index(drop=True)
    weights = _first_weights(study)
    if prototypes.empty or weights.empty:
        return _nothing(study, prototypes, "The first batch has no prototypes, so there is nothing to draw a map from.")
    encoded = study.encode()
    positions = {column.name: j for j, column in enumerate(study.design.columns)}
    columns = np.array([positions[name] for name in weights.index])
    scale = weights.to_numpy(dtype=np.float64)
    rows = pd.Index(encoded.rows)
    scaled = encoded.X[np.ix_(rows.get_indexer(pd.Index(prototypes["row"])), columns)] * scale
    axes = weighted_axes(scaled, prototypes["weight"])
    if axes.rank == 0:
        reason = "All prototypes of the first batch are alike in the columns that the model uses, so a map has no axes."
        return _nothing(study, prototypes, reason)
    prototypes[["x", "y"]] = axes.project(scaled)
    points = study.predictions[list(POINT_COLUMNS)]
    coordinates = _project_rows(axes, encoded.X, scale=scale, columns=columns, taken=rows.get_indexer(points.index))
    points.insert(0, "x", coordinates[:, 0])
    points.insert(1, "y", coordinates[:, 1])
    return BatchMap(
        points=points,
        prototypes=prototypes,
        axis_shares=_two_shares(axes),
        rank=axes.rank,
        message=None if axes.rank > 1 else _flat_message(weights),
        loadings=_loadings(axes, weights),
        details=study.table.frame.loc[points.index, _detail_columns(study, weights)],
        classes=study.classes,
    )


def _first_weights(study: Study) -> pd.Series:
    """Return feature weights of the first batch by matrix column name, positive ones only, descending."""
    frame = study.feature_weights
    if FIRST_BATCH not in frame.columns:
        return pd.Series(dtype=np.float64)
    weights = frame[FIRST_BATCH]
    return weights[weights > 0].sort_values(ascending=False, kind="stable")


def _project_rows(
    axes: WeightedAxes,
    X: NDArray[np.float32],
    *,
    scale: NDArray[np.float64],
    columns: NDArray[np.intp],
    taken: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return coordinates of the taken rows of the matrix, block by block."""
    result = np.empty((len(taken), 2))
    for start in range(0, len(taken), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        result[block] = axes.project(X[np.ix_(taken[block], columns)] * scale)
    return result


def _two_shares(axes: WeightedAxes) -> tuple[float, float]:
    """Return the shares of the first two axes; a missing second axis has none."""
    shares = [*axes.shares[:2].tolist(), 0.0]
    return shares[0], shares[1]


def _loadings(axes: WeightedAxes, weights: pd.Series) -> pd.DataFrame:
    """Return how far one standardised unit of each active feature moves a row along either axis."""
    moves = np.zeros((len(weights), 2))
    kept = min(axes.rank, 2)
    moves[:, :kept] = axes.vectors[:, :kept] * weights.to_numpy()[:, np.newaxis]
    return pd.DataFrame(moves, index=weights.index, columns=["axis 1", "axis 2"])


def _detail_columns(study: Study, weights: pd.Series) -> list[str]:
    """Return the identifier and the sources of the heaviest active matrix columns, by descending weight."""
    source = {column.name: column.source for column in study.design.columns}
    identifier = [] if study.roles.identifier is None else [study.roles.identifier]
    names = [*identifier, *(source[name] for name in weights.index)]
    return list(dict.fromkeys(names))[:DETAIL_COLUMNS]


def _flat_message(weights: pd.Series) -> str:
    """Say why a map of rank one is a line."""
    if len(weights) == 1:
        return f"The first batch uses one feature only, '{weights.index[0]}', so all points lie on a line."
    return "The prototypes of the first batch differ in one direction only, so all points lie on a line."


def _nothing(study: Study, prototypes: pd.DataFrame, message: str) -> BatchMap:
    """Return a map without content that says why."""
    coordinates = pd.DataFrame({"x": pd.Series(dtype=np.float64), "y": pd.Series(dtype=np.float64)})
    points = study.predictions[list(POINT_COLUMNS)].iloc[:0]
    return BatchMap(
        points=pd.concat([coordinates.set_axis(points.index), points], axis=1),
        prototypes=prototypes.iloc[:0].assign(x=coordinates["x"], y=coordinates["y"]),
        axis_shares=(0.0, 0.0),
        rank=0,
        message=message,
        loadings=pd.DataFrame(columns=["axis 1", "axis 2"], dtype=np.float64),
        details=study.table.frame.iloc[:0, :0],
        classes=study.classes,
    )
