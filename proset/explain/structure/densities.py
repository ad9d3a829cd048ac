"""Distribution of features within each class, with the places of the prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from proset.common.notebook import Displayed
from proset.common.spread import spread_out
from proset.data.levels import LevelEncoder
from proset.explain.maps.batch_parts import all_prototypes
from proset.explain.maps.feature_axes import FeatureScale, feature_scale, find_feature
from proset.explain.maps.known_cases import known_cases
from proset.explain.structure.features import feature_weights
from proset.explain.subject import Cases, Explained, Subject, subject_of

MOST_VALUES = 12
"""A number with at most so many different values is shown by the share of each."""

MOST_ROWS = 50_000
"""Rows that curves are made of at most; more change nothing that can be seen."""

_PLACES = 200
_FEWEST = 5  # rows of a class from which a curve can be drawn
_WIDE = 2.0  # how much wider than its bulk a column may lie before single far values are left out


@dataclass(frozen=True, eq=False)
class FeatureDensity(Displayed):
    """One feature.

    Attributes
    ----------
    name : str
        A column of the table, or of a model's matrix.
    kind : {"number", "date", "values"}
        Curves over numbers, over dates, or shares of single values.
    places : tuple
        Where the curves are evaluated, in the table's units (dates as days since 1970), or the values as text.
    samples : DataFrame
        One row per place, one column per class that has enough rows: the density (its area is 1), or the share in
        [0, 1] of the rows of the class.
    prototypes : DataFrame
        One line per prototype: ``row``, ``batch``, ``class``, ``weight`` and ``place`` (a number, or a value as text).
        A model alone keeps the places of those prototypes only whose batch uses the feature.
    few : tuple of str
        Classes with too few rows for a curve.
    beyond : int
        Rows with values so far from all others that the curves do not reach them; prototypes may lie there, too.
    missing : int
        Rows without a value.
    """

    name: str
    kind: str
    places: tuple[Any, ...]
    samples: pd.DataFrame
    prototypes: pd.DataFrame
    few: tuple[str, ...] = ()
    beyond: int = 0
    missing: int = 0


@dataclass(frozen=True, eq=False)
class FeatureDensities(Displayed):
    """Several features, the heaviest first.

    Attributes
    ----------
    features : tuple of FeatureDensity
        In the order asked for.
    n_rows, n_all : int
        Rows that the curves are made of, and rows with a class that there are: of very many, rows at equal distances
        are taken.
    """

    features: tuple[FeatureDensity, ...]
    classes: tuple[str, ...]
    n_rows: int
    n_all: int = 0

    def to_frame(self) -> pd.DataFrame:
        """Return one line for each feature, class and place: ``feature``, ``class``, ``place``, ``density``."""
        parts = [
            pd.DataFrame(
                {
                    "feature": one.name,
                    "class": name,
                    "place": [str(place) for place in one.places],
                    "density": one.samples[name].to_numpy(),
                }
            )
            for one in self.features
            for name in one.samples.columns
        ]
        columns = ["feature", "class", "place", "density"]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "classes": list(self.classes),
            "n_rows": self.n_rows,
            "features": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "places": list(one.places),
                    "samples": {str(name): one.samples[name].tolist() for name in one.samples.columns},
                    "prototypes": one.prototypes.to_dict("records"),
                    "beyond": one.beyond,
                    "missing": one.missing,
                }
                for one in self.features
            ],
        }


def feature_densities(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    features: Sequence[str | int] | None = None,
    n_features: int = 6,
) -> FeatureDensities:
    """Return the distribution of features within each class, in the units of the table.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model; row ids beside a study, None for all rows with a class.
    y : array-like of shape (n,) or None
        Beside a model, the classes of the cases; those without a class do not count.
    features : sequence of str or int, or None
        Names or positions of features that vary among the training rows; None for the heaviest ones in use.
    n_features : int
        Number of features if `features` is None.

    Raises
    ------
    ValueError
        If a model gets no cases.
    ProsetError
        If there is no such feature, or it does not vary.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = feature_densities(fit_sample("iris_2f"), n_features=1)
    >>> found.features[0].name, list(found.features[0].samples.columns)
    ('sepal length (cm)', ['setosa', 'versicolor', 'virginica'])
    """
    subject = subject_of(explained)
    if subject.study is None and cases is None:
        raise ValueError("A model alone has no rows: pass a matrix of shape (n, D), and its classes as 'y'.")
    names = feature_weights(explained).weights.index[:n_features].tolist() if features is None else features
    chosen = [find_feature(subject, name) for name in names]
    given = known_cases(explained, cases, y)
    labels = given.facts["actual"]
    with_class = kept = np.flatnonzero(labels.notna().to_numpy())
    kept = spread_out(kept, MOST_ROWS)
    absent = None if subject.study is None else subject.study.encode(labels.index[kept]).imputed
    prototypes, own = all_prototypes(subject)
    data = _Data(subject, given.X[kept], labels.to_numpy(dtype=object)[kept], absent, prototypes, own)
    return FeatureDensities(tuple(_one(data, i) for i in chosen), subject.classes, len(kept), len(with_class))


@dataclass(frozen=True, eq=False)
class _Data:
    """The rows, which of their cells are missing, and the prototypes, as matrices."""

    subject: Subject
    X: NDArray[np.floating]
    classes: NDArray[Any]
    absent: pd.DataFrame | None
    prototypes: pd.DataFrame
    own: NDArray[np.floating]


def _one(data: _Data, i: int) -> FeatureDensity:
    """Look at one feature."""
    scale, study = feature_scale(data.subject, i), data.subject.study
    name, column = scale.axis.name, int(scale.columns[0])
    there = np.ones(len(data.X), dtype=bool)
    if data.absent is not None:
        there = ~data.absent[name].to_numpy()
    numbers, own = scale.positions(data.X[there]), scale.positions(data.own)
    if scale.axis.kind != "level":
        single, own_single = data.X[there, column], data.own[:, column]
        different = np.unique(np.concatenate([single, own_single[np.isfinite(own_single)]]))
        if scale.axis.kind == "date" or len(different) > MOST_VALUES:
            return _curves(data, scale, numbers, own, data.classes[there])
        words = different.tolist() if study is None else study.design.to_original(column, different)
        texts = np.array([*map(str, words), None], dtype=object)
        values, own = texts[np.searchsorted(different, single)], texts[np.searchsorted(different, own_single)]
        return _shares(data, name, values, own, data.classes[there], list(dict.fromkeys(texts[:-1])))
    encoder = None if study is None else study.design.encoder(name)
    ordered = isinstance(encoder, LevelEncoder) and encoder.evident_order is not None
    values, own = (np.array([scale.axis.text(place) for place in places], dtype=object) for places in (numbers, own))
    return _shares(data, name, values, own, data.classes[there], list(scale.axis.levels) if ordered else None)


def _shares(
    data: _Data,
    name: str,
    values: NDArray[Any],
    own: NDArray[Any],
    classes: NDArray[Any],
    order: list[str] | None,
) -> FeatureDensity:
    """Return the share of each value within each class."""
    prototypes = _prototypes(data, own)
    places = order or pd.Series(values, dtype=object).value_counts().index.tolist()
    places += [value for value in dict.fromkeys(prototypes["place"]) if value not in places]
    counts = pd.crosstab(pd.Series(values, dtype=object), pd.Series(classes, dtype=object))
    counts = counts.reindex(index=places, fill_value=0)
    present = [known for known in data.subject.classes if known in counts.columns]
    samples = (counts[present] / counts[present].sum()).rename_axis(index=None, columns=None)
    missing = len(data.X) - len(values)
    return FeatureDensity(name, "values", tuple(places), samples.reset_index(drop=True), prototypes, missing=missing)


def _curves(
    data: _Data,
    scale: FeatureScale,
    numbers: NDArray[np.float64],
    own: NDArray[np.float64],
    classes: NDArray[Any],
) -> FeatureDensity:
    """Return kernel densities within each class."""
    low, high = _range(numbers, own[np.isfinite(own)])
    places = np.linspace(low, high, _PLACES)
    curves, few = {}, []
    for known in data.subject.classes:
        mine = numbers[classes == known]
        inside = mine[(mine >= low) & (mine <= high)]
        if len(inside) < _FEWEST:
            few += [known] if len(mine) else []
            continue
        curves[known] = _density(inside, places) * len(inside) / len(mine)
    return FeatureDensity(
        name=scale.axis.name,
        kind=scale.axis.kind,
        places=tuple(places.tolist()),
        samples=pd.DataFrame(curves, columns=list(curves), index=range(_PLACES)),
        prototypes=_prototypes(data, own),
        few=tuple(few),
        beyond=int(((numbers < low) | (numbers > high)).sum()),
        missing=len(data.X) - len(numbers),
    )


def _range(numbers: NDArray[np.float64], own: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of the axis: those of all rows, unless a few lie far from all others."""
    every = np.concatenate([numbers, own])
    if not len(every):
        return 0.0, 1.0
    low, high = float(every.min()), float(every.max())
    bulk = np.quantile(numbers, [0.005, 0.995]) if len(numbers) else np.array([low, high])
    if high - low > _WIDE * (bulk[1] - bulk[0]) > 0.0:
        low, high = float(bulk[0]), float(bulk[1])
    margin = 0.05 * (high - low) or max(abs(low), 1.0) * 0.05
    # What is never negative has no density there either.
    return float(low - margin if every.min() < 0.0 else max(low - margin, 0.0)), float(high + margin)


def _density(values: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a Gaussian kernel density with Silverman's width, from counts in fine bins: quick for any number of rows.

    What the kernel carries beyond the ends is reflected, so that the area stays 1.
    """
    step = places[1] - places[0]
    edges = np.append(places - step / 2, places[-1] + step / 2)
    counts = np.histogram(values, edges)[0].astype(np.float64)
    spread = float(np.std(values))
    quarters = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34
    width = 0.9 * (min(spread, quarters) if quarters > 0 else spread) * len(values) ** -0.2
    return np.asarray(gaussian_filter1d(counts, max(width / step, 1.0), mode="reflect") / (len(values) * step))


def _prototypes(data: _Data, places: NDArray[Any]) -> pd.DataFrame:
    """Return the prototypes with their place."""
    found = data.prototypes[["row", "batch", "class", "weight"]].assign(place=places.tolist())
    return found[found["place"].notna()].reset_index(drop=True)
