"""Surfaces: what a classifier says over two features, or over the map, while everything else is fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.model import ClassifierModel
from proset.explain.maps.feature_axes import FeatureAxis
from proset.explain.maps.ground_makers import ground_of
from proset.explain.plain_values import plain_fields
from proset.explain.subject import Cases
from proset.study import Study

USUAL_QUANTILES = (0.01,)
USUAL_SIZE = 100
USUAL_MARGIN = 0.1

FloatArray = NDArray[np.float64]
Ranges = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Surface(Displayed):
    """Estimates of a classifier on a plane.

    Attributes
    ----------
    x_axis, y_axis : FeatureAxis
        What varies.
    x : float64 array of shape (W,)
        Positions along the first axis: in the units of the table, or places of levels.
    y : float64 array of shape (H,)
        Positions along the second.
    probabilities : float64 array of shape (H, W, K)
        Estimates at ``(x[w], y[h])``.
    familiarity : float64 array of shape (H, W), or None
        Familiarity there; None for a classifier that has none.
    reference : float64 array
        Familiarity of held-out cases, ascending; empty if there are none.
    contours : DataFrame
        Columns quantile (as asked for) and familiarity (the value that this share of the held-out cases falls below).
    samples : DataFrame
        Index ``row``: x, y, similarity (how near the case is to the plane in the model's metric, in [0, 1]), part,
        actual, predicted, correct, confidence, quantile.
    prototypes : DataFrame
        batch, row, class, weight, x, y, similarity; empty for a classifier that has none.
    fixed : Series
        What the other features that matter are fixed at, as text; index feature.
    at : tuple of float
        Where the point lies through which the plane goes.
    ratio : float or None
        How long a unit of the second axis has to be drawn, in units of the first, so that near means alike; None where
        the axes are features of any kind.
    name : str
        What is scored, such as "proset".
    """

    x_axis: FeatureAxis
    y_axis: FeatureAxis
    x: FloatArray
    y: FloatArray
    probabilities: FloatArray
    familiarity: FloatArray | None
    reference: FloatArray
    contours: pd.DataFrame
    samples: pd.DataFrame
    prototypes: pd.DataFrame
    fixed: pd.Series
    at: tuple[float, float]
    classes: tuple[str, ...]
    ratio: float | None = None
    name: str = "proset"

    @property
    def ignorance(self) -> FloatArray | None:
        """Share of ignorance at each spot, shape (H, W): 0 on the first contour and within, 1 without familiarity."""
        if self.familiarity is None or self.contours.empty:
            return None
        level = float(self.contours["familiarity"].iloc[0])
        known = np.divide(self.familiarity, level, out=np.ones_like(self.familiarity), where=level > 0.0)
        ignorance: FloatArray = 1.0 - np.minimum(known, 1.0)
        return ignorance

    @property
    def likeliest(self) -> NDArray[np.int64]:
        """Position of the most probable class at each spot, shape (H, W)."""
        return self.probabilities.argmax(axis=2)

    @property
    def quantile(self) -> FloatArray | None:
        """Familiarity as a quantile of the held-out cases, shape (H, W); None without any."""
        if self.familiarity is None or not len(self.reference):
            return None
        quantiles: FloatArray = familiarity_quantile(self.familiarity.ravel(), self.reference)
        return quantiles.reshape(self.familiarity.shape)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per spot: the two values as text or number, probability of each class, familiarity."""
        height, width = self.familiarity.shape if self.familiarity is not None else self.probabilities.shape[:2]
        frame = pd.DataFrame({"x": np.tile(self.x, height), "y": np.repeat(self.y, width)})
        for name, axis in (("x", self.x_axis), ("y", self.y_axis)):
            if axis.kind != "number":
                frame[name] = [axis.text(value) for value in frame[name]]
        flat = self.probabilities.reshape(height * width, -1)
        for k, label in enumerate(self.classes):
            frame[f"probability_{label}"] = flat[:, k]
        if self.familiarity is not None:
            frame["familiarity"] = self.familiarity.ravel()
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        held = ("name", "classes", "probabilities", "familiarity", "contours", "samples", "prototypes")
        return {
            **plain_fields(self, *held),
            "axes": [self.x_axis.name, self.y_axis.name],
            "x": [self.x_axis.text(v) if self.x_axis.kind != "number" else v for v in self.x.tolist()],
            "y": [self.y_axis.text(v) if self.y_axis.kind != "number" else v for v in self.y.tolist()],
            "fixed": {str(name): str(text) for name, text in self.fixed.items()},
        }


def surface(
    explained: ClassifierModel | Study | Any,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    features: tuple[str | int | None, str | int | None] = (None, None),
    batch: int | None = None,
    reference: Any = None,
    held_out: Cases | None = None,
    estimator: Any = None,
    quantiles: Sequence[float] = USUAL_QUANTILES,
    n_points: int = USUAL_SIZE,
    margin: float = USUAL_MARGIN,
    ranges: Ranges | None = None,
) -> Surface:
    """Evaluate a classifier over two features, or over the two axes of a batch's map.

    Parameters
    ----------
    explained : ClassifierModel, Study, or any fitted scikit-learn classifier
        A study names features by the columns of its table, and a category is one feature.
    cases : array-like of shape (n, D), iterable of int, or None
        Cases to draw: a matrix, or row ids of a study. None takes the held-out rows of a study, and none of a model.
    features : (str, int or None, str, int or None)
        The two features, by name or position; None for the heaviest one that is not taken.
    batch : int or None
        Number of a batch: the surface then lies over the two axes of its map, and `features` are not used.
    reference : ReferencePoint, array-like of shape (D,), int, Series or None
        What all other features are fixed at: a point, or the row id of a study's case. None takes the middle: medians
        and the most frequent levels of a study's training rows, of `cases`, or of the prototypes of a model alone.
    held_out : array-like of shape (m, D), iterable of int, or None
        What familiarity is compared with; a study knows its held-out rows.
    estimator : classifier or None
        Displayed instead of the model, on the same axes: fitted on the same matrix, with ``predict_proba`` and
        ``classes_`` (or ``classes``).
    quantiles : sequence of float
        Where to draw contours of familiarity, each in (0, 1).
    n_points : int, default 100
        Number of positions along an axis of numbers, at least 2.
    margin : float, default 0.1
        How far the surface goes beyond the data, as a share of their range.
    ranges : ((low, high), (low, high)) or None
        Ends of the axes, if they are not to follow from the data.

    Raises
    ------
    ProsetError
        If there are no two features or no such batch, or a setting is out of range; the message says which.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> shown = surface(fit_sample("iris_2f"), n_points=20)
    >>> shown.x_axis.name, shown.probabilities.shape, bool((shown.familiarity >= 0).all())
    ('sepal length (cm)', (20, 20, 3), True)
    """
    ground = ground_of(explained, estimator=estimator, cases=cases, y=y, held_out=held_out)
    cut = ground.cut(*features, batch=batch, point=ground.point(reference))
    along_x, along_y = ground.grid(cut, size=n_points, margin=margin, ranges=ranges)
    q = ground.evaluate(cut, along_x, along_y)
    familiarity = ground.familiarity(cut, along_x, along_y, q)
    at = cut.place(cut.point[np.newaxis])[0].tolist()
    return Surface(
        x_axis=cut.axes[0],
        y_axis=cut.axes[1],
        x=along_x,
        y=along_y,
        probabilities=q / q.sum(axis=2, keepdims=True),
        familiarity=familiarity,
        reference=ground.reference,
        contours=_contours(np.zeros(0) if familiarity is None else ground.reference, quantiles),
        samples=ground.samples(cut),
        prototypes=ground.prototypes(cut),
        fixed=ground.fixed_words(cut),
        at=(at[0], at[1]),
        classes=ground.classes,
        ratio=cut.ratio,
        name=ground.name,
    )


def _contours(reference: FloatArray, quantiles: Sequence[float]) -> pd.DataFrame:
    """Return the familiarity that a share of the held-out cases falls below, for each quantile."""
    kept = [float(q) for q in quantiles if 0.0 < q < 1.0] if len(reference) else []
    return pd.DataFrame(
        {"quantile": kept, "familiarity": [float(np.quantile(reference, q)) for q in kept]}, dtype=np.float64
    )
