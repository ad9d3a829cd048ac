"""Places of rows on a map: the plane that the weights of a batch single out, whatever the target is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.explain.maps.batch_parts import by_weight, find_batch
from proset.explain.maps.feature_axes import FeatureScale, feature_scale
from proset.explain.maps.map_plane import MapPlane
from proset.explain.maps.principal_axes import WeightedAxes, weighted_axes
from proset.explain.number_subject import NumberSubject
from proset.explain.subject import Subject
from proset.study.base import StudyBase

AnySubject = Subject | NumberSubject
# What fits into a hover box; more would only fill memory.
DETAIL_COLUMNS = 6


@dataclass(frozen=True, eq=False)
class MapLayout:
    """The plane of a batch's map.

    Attributes
    ----------
    plane : MapPlane or None
        The way between features and coordinates; None where there is nothing to draw a map from.
    features : tuple of two FeatureScale, or None
        The features along the axes if the batch uses two; None for principal axes.
    axis_shares : tuple of float
        Share of the two axes in the weighted spread of the prototypes.
    rank : int
        Number of directions in which the prototypes differ.
    message : str or None
        What a person should know before reading the map, or why there is none.
    """

    plane: MapPlane | None
    features: tuple[FeatureScale, FeatureScale] | None
    axis_shares: tuple[float, float]
    rank: int
    message: str | None

    def rounded(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take off digits of features that the matrix, in single precision, cannot hold."""
        return rounded_places(coordinates, self.features)


def map_layout(subject: AnySubject, number: int) -> MapLayout:
    """Return the plane of the map of a batch, by the doubly weighted PCA (4.1) to (4.4).

    Parameters
    ----------
    number : int
        Number of the batch, from 1.

    Raises
    ------
    ProsetError
        If there is no such batch.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> from proset.explain.subject import subject_of
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> map_layout(subject_of(model), 1).message
    "The first batch uses one feature only, 'x0', so all points lie on a line."
    """
    chosen = find_batch(subject, number)
    if chosen is None or not len(chosen.active_features):
        lacks = "no prototypes" if chosen is None else "prototypes but uses no features"
        reason = f"{batch_words(number)} has {lacks}, so there is nothing to draw a map from."
        return MapLayout(None, None, (0.0, 0.0), 0, reason)
    columns, weights = by_weight(chosen)
    scaled = chosen.prototypes[:, np.searchsorted(chosen.active_features, columns)] * weights
    axes = weighted_axes(scaled, chosen.weights)
    features = two_features(subject, columns)
    if axes.rank == 0 and features is None:
        alike = f"All prototypes of {batch_words(number).lower()} are alike in the columns that the model uses"
        why = alike if len(scaled) > 1 else f"{batch_words(number)} has one prototype only"
        return MapLayout(None, None, (0.0, 0.0), 0, f"{why}, so a map has no axes.")
    plane = principal_plane(axes, columns, weights) if features is None else feature_plane(features, columns, weights)
    shares = two_shares(axes) if features is None else feature_shares(scaled, chosen.weights)
    names = pd.Index([subject.columns[j] for j in columns], dtype="str", name="feature")
    message = None if axes.rank > 1 or features else flat_message(number, names)
    return MapLayout(plane, features, shares, axes.rank, message)


def details_of(study: StudyBase | None, rows: pd.Index, columns: NDArray[np.int64]) -> pd.DataFrame:
    """Return the identifier and the sources of the heaviest active matrix columns, by descending weight."""
    if study is None:
        return pd.DataFrame(index=rows)
    identifier = [] if study.identifier is None else [study.identifier]
    names = [*identifier, *(study.design.columns[j].source for j in columns)]
    return study.table.frame.loc[rows, list(dict.fromkeys(names))[:DETAIL_COLUMNS]]


def two_features(subject: AnySubject, columns: NDArray[np.int64]) -> tuple[FeatureScale, FeatureScale] | None:
    """Return the two features that a batch uses, each with a straight column of its own; None if it is otherwise."""
    if len(columns) != 2:
        return None
    owner = {int(j): i for i, group in enumerate(subject.groups) for j in group if len(group) == 1}
    if not all(int(j) in owner for j in columns):
        return None  # two levels of one category, say
    first, second = (feature_scale(subject, owner[int(j)]) for j in columns)
    bent = first.bend or second.bend  # then a plane in the units of the table is none in the model's sense of near
    return None if bent else (first, second)


def principal_plane(axes: WeightedAxes, columns: NDArray[np.int64], weights: NDArray[np.float64]) -> MapPlane:
    """Return the plane of the first two principal axes."""
    vectors = np.zeros((len(columns), 2))
    kept = min(axes.rank, 2)
    vectors[:, :kept] = axes.vectors[:, :kept]
    return MapPlane(columns, weights, axes.center, vectors)


def feature_plane(
    features: tuple[FeatureScale, FeatureScale], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> MapPlane:
    """Return the plane of two features in their own units."""
    scale = np.array([feature.scale for feature in features])
    offset = np.array([feature.offset for feature in features])
    near = weights / np.abs(scale)
    return MapPlane(columns, scale, -offset, np.eye(2), ratio=float(near[1] / near[0]))


def rounded_places(
    coordinates: NDArray[np.float64], features: tuple[FeatureScale, FeatureScale] | None
) -> NDArray[np.float64]:
    """Take off digits of features that the matrix, in single precision, cannot hold."""
    if features is None:
        return coordinates
    return np.column_stack([feature.rounded(coordinates[:, k]) for k, feature in enumerate(features)])


def two_shares(axes: WeightedAxes) -> tuple[float, float]:
    """Return the shares of the first two axes; a missing second axis has none."""
    shares = [*axes.shares[:2].tolist(), 0.0]
    return shares[0], shares[1]


def feature_shares(scaled: NDArray[np.float64], weights: NDArray[np.floating]) -> tuple[float, float]:
    """Return the shares of two features in the weighted spread of the prototypes; none where they coincide."""
    weight = weights.astype(np.float64)
    spread = weight @ np.square(scaled - np.average(scaled, axis=0, weights=weight))
    shares = (spread / spread.sum()).tolist() if spread.sum() > 0 else [0.0, 0.0]
    return shares[0], shares[1]


def batch_words(batch: int) -> str:
    """Name a batch at the beginning of a sentence."""
    return "The first batch" if batch == 1 else f"Batch {batch}"


def flat_message(batch: int, names: pd.Index) -> str:
    """Say why a map of rank one is a line."""
    if len(names) == 1:
        return f"{batch_words(batch)} uses one feature only, '{names[0]}', so all points lie on a line."
    which = "the first batch" if batch == 1 else f"batch {batch}"
    return f"The prototypes of {which} differ in one direction only, so all points lie on a line."
