"""The map of a batch: cases and prototypes in the plane that the batch's weights single out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.common.notebook import Displayed
from proset.explain.maps.batch_parts import find_batch, map_batch, prototype_frame, wide_rows
from proset.explain.maps.feature_axes import FeatureAxis
from proset.explain.maps.known_cases import known_cases
from proset.explain.maps.layout import details_of, map_layout
from proset.explain.maps.map_plane import MapPlane
from proset.explain.plain_values import plain_fields, plain_rows
from proset.explain.subject import Cases, Explained, Subject, subject_of


@dataclass(frozen=True, eq=False)
class BatchMap(Displayed):
    """Cases and prototypes of one batch in two dimensions.

    Attributes
    ----------
    points : DataFrame
        One row per case, index ``row``: x, y, part, actual, predicted, correct, confidence, quantile (familiarity as a
        quantile of the held-out rows). A study has all rows of its table, a model the cases it was given.
    prototypes : DataFrame
        One row per prototype of the batch: batch, row (id in the table, or place in the training data of a model),
        class, weight, x, y.
    axis_shares : tuple of float
        Share of the two axes in the weighted spread of the prototypes, each in [0, 1].
    rank : int
        Number of directions in which the prototypes differ; the picture is flat below two.
    message : str or None
        What a person should know before reading the picture, or why there is none.
    loadings : DataFrame
        Index: active matrix columns by descending feature weight; columns ``axis 1``, ``axis 2``: how far a row moves
        when the (standardised) matrix column grows by one.
    details : DataFrame
        The table's own values for the hover box, by row id, of points and prototypes: the identifier, if there is one,
        and the active columns by descending feature weight, at most six in all.
    batch : int
        Number of the batch, from 1.
    plane : MapPlane or None
        The way between features and coordinates; None without a map.
    axes : tuple of two FeatureAxis, or None
        The features along the axes if the batch uses two, each in its own units; None for principal axes.
    """

    points: pd.DataFrame
    prototypes: pd.DataFrame
    axis_shares: tuple[float, float]
    rank: int
    message: str | None
    loadings: pd.DataFrame
    details: pd.DataFrame
    classes: tuple[str, ...]
    batch: int = 1
    plane: MapPlane | None = None
    axes: tuple[FeatureAxis, FeatureAxis] | None = None

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """Coordinates of the prototypes, shape (J, 2), in the order of ``prototypes``."""
        return self.prototypes[["x", "y"]].to_numpy(dtype=np.float64)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Map other samples in the same way.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows of the matrix: what the model takes, for a study ``study.encode(rows).X``.

        Returns
        -------
        float64 array of shape (n, 2)

        Raises
        ------
        ProsetError
            If there is no map.
        """
        if self.plane is None:
            raise ProsetError(self.message or "There is no map.", hint="Choose another batch.")
        return self.plane.transform(np.atleast_2d(np.asarray(X, dtype=np.float64)))

    def judged(self, judged: pd.DataFrame) -> BatchMap:
        """Return the map on which is wrong what a decision rule gets wrong.

        Parameters
        ----------
        judged : DataFrame
            From :meth:`proset.study.Study.judged`.
        """
        said = judged.loc[self.points.index, ["actual", "predicted", "correct", "confidence"]]
        return replace(self, points=self.points.assign(**said))

    def to_frame(self) -> pd.DataFrame:
        """Return prototypes and cases below one another; ``kind`` tells them apart."""
        prototypes = self.prototypes.rename(columns={"class": "actual"})
        cases = self.points.rename_axis("row").reset_index()
        return pd.concat([prototypes.assign(kind="prototype"), cases.assign(kind="case")], ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the details as plain Python values."""
        return {
            **plain_fields(self, "batch", "axis_shares", "rank", "message", "classes", "prototypes", "points"),
            "axes": None if self.axes is None else [axis.name for axis in self.axes],
            "loadings": plain_rows(self.loadings.rename_axis("feature")),
        }


def batch_map(
    explained: Explained, batch: int | None = None, *, cases: Cases | None = None, y: ArrayLike | None = None
) -> BatchMap:
    """Map prototypes and cases by the doubly weighted PCA of one batch, (4.1) to (4.4).

    Where the batch uses two features, they are the axes themselves, unless a scale is not straight.

    Parameters
    ----------
    batch : int, optional
        Number of the batch, from 1; by default the first, or the fullest where the first spans no plane.
    cases : array-like of shape (n, D), iterable of int, or None
        What to map beside the prototypes: a matrix for a model, row ids for a study. None maps every row of a study,
        and nothing for a model.

    Returns
    -------
    BatchMap
        Coordinates and what is needed to draw them. Without prototypes in the batch, or where they all coincide, the
        frames are empty and ``message`` says why.

    Raises
    ------
    ProsetError
        If there is no such batch.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> mapping = batch_map(fit_sample("iris_2f"))
    >>> mapping.rank, list(mapping.points.columns[:2]), [axis.name for axis in mapping.axes]
    (2, ['x', 'y'], ['sepal length (cm)', 'sepal width (cm)'])
    """
    subject = subject_of(explained)
    batch = map_batch(subject.manager) if batch is None else batch
    chosen = find_batch(subject, batch)
    prototypes = prototype_frame(subject, batch)
    known = known_cases(explained, cases, y)
    points = known.facts.copy()
    layout = map_layout(subject, batch)
    plane, features = layout.plane, layout.features
    if chosen is None or plane is None:
        return _nothing(subject, batch, prototypes, points, layout.message or "")
    spots = plane.transform(wide_rows(chosen, subject.manager.num_features))
    prototypes[["x", "y"]] = layout.rounded(spots)
    points.insert(0, "x", (coordinates := layout.rounded(plane.transform(known.X)))[:, 0])
    points.insert(1, "y", coordinates[:, 1])
    names = pd.Index([subject.columns[j] for j in plane.columns], dtype="str", name="feature")
    studied = subject.study is not None
    shown_rows = points.index.union(pd.Index(prototypes["row"]), sort=False) if studied else points.index
    return BatchMap(
        points=points,
        prototypes=prototypes,
        axis_shares=layout.axis_shares,
        rank=layout.rank,
        message=layout.message,
        loadings=pd.DataFrame(plane.vectors * plane.scale[:, np.newaxis], index=names, columns=["axis 1", "axis 2"]),
        details=details_of(subject.study, shown_rows, plane.columns),
        classes=subject.classes,
        batch=batch,
        plane=plane,
        axes=None if features is None else (features[0].axis, features[1].axis),
    )


def _nothing(subject: Subject, batch: int, prototypes: pd.DataFrame, points: pd.DataFrame, message: str) -> BatchMap:
    """Return a map without content that says why."""
    nowhere = pd.Series(dtype=np.float64)
    points, prototypes = points.iloc[:0].copy(), prototypes.iloc[:0].assign(x=nowhere, y=nowhere)
    points.insert(0, "x", nowhere)
    points.insert(1, "y", nowhere)
    return BatchMap(
        points=points,
        prototypes=prototypes,
        axis_shares=(0.0, 0.0),
        rank=0,
        message=message,
        loadings=pd.DataFrame(columns=["axis 1", "axis 2"], dtype=np.float64),
        details=subject.study.table.frame.iloc[:0, :0] if subject.study else pd.DataFrame(),
        classes=subject.classes,
        batch=batch,
    )
