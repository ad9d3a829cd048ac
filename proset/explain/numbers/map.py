"""The map of a batch of a model of a number: rows and prototypes in the plane that the batch's weights single out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.notebook import Displayed
from proset.explain.maps.batch_parts import find_batch, map_batch, wide_rows
from proset.explain.maps.feature_axes import FeatureAxis
from proset.explain.maps.layout import details_of, map_layout
from proset.explain.maps.map_plane import MapPlane
from proset.explain.number_subject import number_subject
from proset.study.number_study import NumberStudy

_SAID = ["part", "actual", "median", "lower", "upper", "quantile"]


@dataclass(frozen=True, eq=False)
class NumberMap(Displayed):
    """Rows and prototypes of one batch in two dimensions.

    Attributes
    ----------
    points : DataFrame
        Every row of the table, index row id: ``x``, ``y``, ``part``, ``actual``, ``median``, ``lower``, ``upper``,
        ``width`` (of the interval of 90 %), ``quantile`` (familiarity).
    prototypes : DataFrame
        Those of the batch by descending weight: ``batch``, ``row``, ``target``, ``spread``, ``weight``, ``x``, ``y``.
    axis_shares : tuple of float
        Share of the two axes in the weighted spread of the prototypes.
    rank : int
        Number of directions in which the prototypes differ.
    message : str or None
        What a person should know before reading the picture, or why there is none.
    details : DataFrame
        The table's own values for the hover box, index as ``points``.
    axes : tuple of two FeatureAxis, or None
        The features along the axes if the batch uses two; None for principal axes.
    plane : MapPlane or None
        The way between features and coordinates.
    target : str
        Name of the target.
    """

    points: pd.DataFrame
    prototypes: pd.DataFrame
    axis_shares: tuple[float, float]
    rank: int
    message: str | None
    details: pd.DataFrame
    axes: tuple[FeatureAxis, FeatureAxis] | None
    plane: MapPlane | None
    target: str

    def to_frame(self) -> pd.DataFrame:
        """Return prototypes and rows below one another; ``kind`` tells them apart."""
        rows = self.points.rename_axis("row").reset_index()
        kept = self.prototypes.rename(columns={"target": "actual"})
        return pd.concat([kept.assign(kind="prototype"), rows.assign(kind="row")], ignore_index=True)


def number_map(explained: NumberStudy, batch: int | None = None) -> NumberMap:
    """Map prototypes and rows of a study by the doubly weighted PCA of one batch, (4.1) to (4.4).

    Parameters
    ----------
    batch : int, optional
        Number of the batch, from 1; by default the first, or the fullest where the first spans no plane.

    Returns
    -------
    NumberMap
        Without a map the frames are empty and ``message`` says why.

    Raises
    ------
    ProsetError
        If there is no such batch.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_map(fit_sample("cars", n_iter=1))
    >>> found.rank, found.message is None
    (7, True)
    """
    subject = number_subject(explained)
    batch = map_batch(subject.manager) if batch is None else batch
    chosen, layout = find_batch(subject, batch), map_layout(subject, batch)
    known = explained.prototypes
    prototypes = known[known["batch"] == batch].reset_index(drop=True)
    points = explained.predictions[_SAID].assign(width=explained.predictions["upper"] - explained.predictions["lower"])
    plane = layout.plane
    if chosen is None or plane is None:
        points, prototypes = points.iloc[:0], prototypes.iloc[:0]
        spots = coordinates = np.zeros((0, 2))
    else:
        coordinates = layout.rounded(plane.transform(explained.encode().X))
        spots = layout.rounded(plane.transform(wide_rows(chosen, subject.manager.num_features)))
    points.insert(0, "x", coordinates[:, 0])
    points.insert(1, "y", coordinates[:, 1])
    prototypes = prototypes.assign(x=spots[:, 0], y=spots[:, 1])
    columns = np.zeros(0, dtype=np.int64) if plane is None else plane.columns
    return NumberMap(
        points=points,
        prototypes=prototypes,
        axis_shares=layout.axis_shares,
        rank=layout.rank,
        message=layout.message,
        details=details_of(explained, points.index, columns),
        axes=None if layout.features is None else (layout.features[0].axis, layout.features[1].axis),
        plane=plane,
        target=str(explained.roles.target),
    )
