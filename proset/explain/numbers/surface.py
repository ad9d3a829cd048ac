"""Answers of a model of a number over two columns while all others stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.notebook import Displayed
from proset.common.words import percent, rough
from proset.explain.maps.cuts import FeatureCut
from proset.explain.maps.feature_axes import FeatureAxis, FeatureScale, feature_scale, find_feature
from proset.explain.number_subject import NumberSubject, measured_rows, number_subject
from proset.explain.numbers.typical import typical_row
from proset.study.case import Case
from proset.study.number_study import NumberStudy, answers

USUAL_SIZE = 60
_TAIL, _MARGIN = 0.5, 0.01

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberSurface(Displayed):
    """Answers on a plane through one row.

    Attributes
    ----------
    x_axis, y_axis : FeatureAxis
        What varies.
    x, y : float64 arrays of shape (W,) and (H,)
        Positions along the axes.
    median, width, quantile : float64 arrays of shape (H, W)
        Median, width of the interval of 90 %, and share of the held-out rows that are at most as familiar.
    enough : float
        Share of the held-out rows below which a spot counts as unfamiliar.
    rows : DataFrame
        Index row id, the rows measured: ``x``, ``y``, ``similarity`` (how near the row is to the plane in the model's
        metric, in [0, 1]), ``actual``, ``median``.
    prototypes : DataFrame
        ``batch``, ``row``, ``target``, ``spread``, ``weight``, ``x``, ``y``, ``similarity``.
    fixed : Series
        What the other columns in use are fixed at, as text; index feature.
    name : str
        The row through which the plane goes.
    at : tuple of float
        Where it lies.
    target : str
        Name of the target.
    """

    x_axis: FeatureAxis
    y_axis: FeatureAxis
    x: FloatArray
    y: FloatArray
    median: FloatArray
    width: FloatArray
    quantile: FloatArray
    enough: float
    rows: pd.DataFrame
    prototypes: pd.DataFrame
    fixed: pd.Series
    name: str
    at: tuple[float, float]
    target: str

    @property
    def known(self) -> NDArray[np.bool_]:
        """True where the model knows what it speaks of, shape (H, W)."""
        return self.quantile >= self.enough

    @property
    def words(self) -> str:
        """The finding in a sentence."""
        known = self.known
        if not known.any():
            return "The model has hardly seen anything like this, wherever on the two axes."
        low, high = (rough(value) for value in (self.median[known].min(), self.median[known].max()))
        median = f"is {low} everywhere" if low == high else f"goes from {low} to {high}"
        said = f"Where the model knows such cases, the median {median}."
        return said if known.all() else f"{said} Of the area, {percent(float((~known).mean()))} is unknown to it."

    def to_frame(self) -> pd.DataFrame:
        """Return one line per spot."""
        height, width = self.median.shape
        frame = pd.DataFrame({"x": np.tile(self.x, height), "y": np.repeat(self.y, width)})
        for name, axis in (("x", self.x_axis), ("y", self.y_axis)):
            if axis.kind != "number":
                frame[name] = [axis.text(value) for value in frame[name]]
        return frame.assign(
            median=self.median.ravel(), width=self.width.ravel(), familiarity_quantile=self.quantile.ravel()
        )


def number_surface(
    explained: NumberStudy,
    case: Case | int | None = None,
    *,
    x: str,
    y: str,
    enough: float = 0.05,
    n_points: int = USUAL_SIZE,
) -> NumberSurface:
    """Evaluate a model of a number over two columns.

    Parameters
    ----------
    case : Case, int or None
        Where all others stay: a case, a row id, or None for a typical training row.
    x, y : str
        Names of two different columns.
    enough : float, default 0.05
        Share of the held-out rows below which a spot counts as unfamiliar, in [0, 1].
    n_points : int, default 60
        Positions along an axis of numbers, at least 2.

    Raises
    ------
    ProsetError
        If a column is not there, holds a single value, or is named twice.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = number_surface(study, x="power (hp)", y="weight (pounds)", n_points=8)
    >>> found.median.shape, bool(found.median[:, -1].mean() < found.median[:, 0].mean())
    ((8, 8), True)
    """
    subject = number_subject(explained)
    places = [find_feature(subject, name) for name in (x, y)]
    if places[0] == places[1]:
        raise ProsetError("Both axes hold the same column.", column=x, hint="Choose two different ones.")
    if n_points < 2:
        raise ProsetError(f"n_points is {n_points}.", hint="Take at least 2.")
    chosen = typical_row(subject) if case is None else case
    taken = chosen if isinstance(chosen, Case) else explained.case(int(chosen))
    first, second = (feature_scale(subject, i) for i in places)
    cut = FeatureCut(taken.x, first, second)
    at = cut.place(taken.x[None])[0].tolist()
    train = explained.encode(explained.split.train).X
    along = [_places(scale, scale.positions(train), at[k], n_points) for k, scale in enumerate((first, second))]
    said = answers(explained, cut.rows(along[0], along[1]))
    shape = (len(along[1]), len(along[0]))
    median, lower, upper, quantile = (
        said[name].to_numpy(dtype=np.float64).reshape(shape) for name in ("median", "lower", "upper", "quantile")
    )
    measured = measured_rows(explained)
    rows = _placed(subject, cut, explained.encode(measured).X, measured)
    kept = explained.prototypes
    near = _placed(subject, cut, explained.encode(kept["row"]).X, kept.index)
    return NumberSurface(
        x_axis=first.axis,
        y_axis=second.axis,
        x=along[0],
        y=along[1],
        median=median,
        width=upper - lower,
        quantile=quantile,
        enough=enough,
        rows=rows.join(explained.predictions[["actual", "median"]]),
        prototypes=kept.join(near),
        fixed=_fixed(subject, taken, {x, y}),
        name=taken.name,
        at=(at[0], at[1]),
        target=str(explained.roles.target),
    )


def _places(scale: FeatureScale, positions: FloatArray, at: float, size: int) -> FloatArray:
    """Return the positions along an axis."""
    if scale.axis.kind == "level":
        return np.arange(len(scale.axis.levels), dtype=np.float64)
    low, high = np.percentile(positions, [_TAIL, 100.0 - _TAIL])
    room = _MARGIN * (high - low)
    return np.linspace(min(low - room, at), max(high + room, at), size)


def _placed(subject: NumberSubject, cut: FeatureCut, X: NDArray[np.floating], index: Any) -> pd.DataFrame:
    """Return where rows lie on the plane and how near to it."""
    spots = cut.place(X)
    similarity = np.exp(-0.5 * np.square(cut.apart(X.astype(np.float64), subject.weights)))
    return pd.DataFrame({"x": spots[:, 0], "y": spots[:, 1], "similarity": similarity}, index=pd.Index(index))


def _fixed(subject: NumberSubject, taken: Case, varying: set[str]) -> pd.Series:
    """Return what the other columns in use are fixed at, as text."""
    texts = {}
    for name in subject.used:
        if name not in varying:
            scale = feature_scale(subject, subject.features.index(name))
            texts[name] = scale.axis.text(float(scale.positions(taken.x[None])[0]))
    return pd.Series(texts, dtype="str", name="value").rename_axis("feature")
