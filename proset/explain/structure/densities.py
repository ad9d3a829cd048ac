"""How the values of features are distributed within each class, and where the prototypes lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from proset.common.errors import StudyError
from proset.common.words import shown
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.explain.structure.features import feature_weights
from proset.study import Study

MOST_VALUES = 12
"""A number with at most so many different values is shown by the share of each."""

MOST_ROWS = 50_000
"""Rows that curves are made of at most; more change nothing that can be seen."""

_PLACES = 200
_FEWEST = 5  # rows of a class from which a curve can be drawn
_WIDE = 2.0  # how much wider than its bulk a column may lie before single far values are left out


@dataclass(frozen=True, eq=False)
class FeatureDensity:
    """One feature.

    Attributes
    ----------
    name : str
        A column of the table.
    kind : {"number", "date", "values"}
        Curves over numbers, over dates, or shares of single values.
    places : tuple
        Where the curves are evaluated, in the table's units (dates as days since 1970), or the values as text.
    samples : DataFrame
        One row per place, one column per class that has enough rows: the density (its area is 1), or the share in
        [0, 1] of the rows of the class.
    prototypes : DataFrame
        One line per prototype: ``row``, ``batch``, ``class``, ``weight`` and ``place`` (a number, or a value as text).
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
class FeatureDensities:
    """Several features, the heaviest first.

    Attributes
    ----------
    features : tuple of FeatureDensity
        In the order asked for.
    classes : tuple of str
        All classes of the study in their order.
    n_rows, n_all : int
        Rows that the curves are made of, and rows with a class that there are: of very many, rows at equal distances
        in the table are taken.
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
    study: Study, features: Sequence[str] | None = None, *, rows: Iterable[int] | None = None, most: int = 6
) -> FeatureDensities:
    """Return the distribution of features within each class, in the units of the table.

    Parameters
    ----------
    study : Study
        A fitted study.
    features : sequence of str or None
        Columns of the table that vary among the training rows; None for the heaviest ones in use.
    rows : iterable of int or None
        Row ids; None for all rows with a class.
    most : int
        How many features are taken if `features` is None.

    Returns
    -------
    FeatureDensities

    Raises
    ------
    StudyError
        If a column is no feature, or does not vary.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> found = feature_densities(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), most=1)
    >>> found.features[0].name, list(found.features[0].samples.columns)
    ('sepal length (cm)', ['setosa', 'versicolor', 'virginica'])
    """
    names = feature_weights(study).weights.index[:most].tolist() if features is None else list(features)
    wanted = np.fromiter(study.table.frame.index if rows is None else rows, dtype=np.int64)
    labels = study.labels.reindex(pd.Index(wanted))
    kept = np.flatnonzero(labels.notna().to_numpy())
    if len(kept) > MOST_ROWS:
        kept = kept[np.linspace(0, len(kept) - 1, MOST_ROWS).astype(np.int64)]
    wanted, classes = wanted[kept], labels.to_numpy(dtype=object)[kept]
    data = _Data(study, wanted, classes, study.encode(wanted), study.encode(study.prototypes["row"]))
    return FeatureDensities(
        tuple(_one(data, name) for name in names), study.classes, len(wanted), int(labels.notna().sum())
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """The rows, and the prototypes, as matrices."""

    study: Study
    rows: NDArray[np.int64]
    classes: NDArray[Any]
    encoded: Any
    prototypes: Any


def _one(data: _Data, name: str) -> FeatureDensity:
    """Look at one feature."""
    found = [j for j, column in enumerate(data.study.design.columns) if column.source == name]
    if not found:
        raise StudyError(
            f"'{shown(name)}' is no feature that varies among the training rows.",
            column=name,
            hint="Choose one of the features in use.",
        )
    absent = data.encoded.imputed[name].to_numpy()
    kept, classes = data.encoded.X[~absent], data.classes[~absent]
    role = data.study.design.columns[found[0]].role
    if role in (Role.CATEGORICAL, Role.BOOLEAN):
        values, own = (_levels(data.study, found, matrix) for matrix in (kept, data.prototypes.X))
        return _shares(data, name, values, own, classes, int(absent.sum()), order=_number_order(data.study, name))
    units = data.study.design.columns[found[0]]
    numbers, own = (
        matrix[:, found[0]].astype(np.float64) * units.scale + units.offset for matrix in (kept, data.prototypes.X)
    )
    single = np.unique(np.concatenate([kept[:, found[0]], data.prototypes.X[:, found[0]]]))
    if role is Role.NUMERIC and len(single) <= MOST_VALUES:
        texts = np.array([str(value) for value in data.study.design.to_original(found[0], single)], dtype=object)
        values, own = (texts[np.searchsorted(single, m[:, found[0]])] for m in (kept, data.prototypes.X))
        return _shares(data, name, values, own, classes, int(absent.sum()), order=list(dict.fromkeys(texts)))
    return _curves(data, name, numbers, own, classes, kind="date" if role is Role.DATE else "number")


def _number_order(study: Study, name: str) -> list[str] | None:
    """Return the levels of a category from the smallest to the largest, None if they are no numbers."""
    encoder = study.design.encoder(name)
    if not isinstance(encoder, LevelEncoder):
        return None
    order = encoder.number_order
    return None if order is None else [encoder.slots[place] for place in order]


def _levels(study: Study, found: list[int], matrix: NDArray[np.floating]) -> NDArray[Any]:
    """Return the level of each row as text."""
    if len(found) == 1:
        return np.array(study.design.to_original(found[0], matrix[:, found[0]]), dtype=object)
    names = np.array([str(study.design.columns[j].level) for j in found] + ["unknown"], dtype=object)
    part = matrix[:, found]
    return np.asarray(names[np.where(part.max(axis=1) > 0.5, part.argmax(axis=1), len(found))], dtype=object)


def _shares(
    data: _Data,
    name: str,
    values: NDArray[Any],
    own: NDArray[Any],
    classes: NDArray[Any],
    missing: int,
    *,
    order: list[str] | None = None,
) -> FeatureDensity:
    """Return the share of each value within each class."""
    places = order or pd.Series(values, dtype=object).value_counts().index.tolist()
    places += [value for value in dict.fromkeys(own.tolist()) if value not in places]
    counts = pd.crosstab(pd.Series(values, dtype=object), pd.Series(classes, dtype=object))
    counts = counts.reindex(index=places, fill_value=0)
    present = [known for known in data.study.classes if known in counts.columns]
    samples = (counts[present] / counts[present].sum()).rename_axis(index=None, columns=None)
    return FeatureDensity(
        name, "values", tuple(places), samples.reset_index(drop=True), _prototypes(data.study, own), missing=missing
    )


def _curves(
    data: _Data, name: str, numbers: NDArray[np.float64], own: NDArray[np.float64], classes: NDArray[Any], *, kind: str
) -> FeatureDensity:
    """Return kernel densities within each class."""
    low, high = _range(numbers, own)
    places = np.linspace(low, high, _PLACES)
    curves, few = {}, []
    for known in data.study.classes:
        mine = numbers[classes == known]
        inside = mine[(mine >= low) & (mine <= high)]
        if len(inside) < _FEWEST:
            few += [known] if len(mine) else []
            continue
        curves[known] = _density(inside, places) * len(inside) / len(mine)
    return FeatureDensity(
        name=name,
        kind=kind,
        places=tuple(places.tolist()),
        samples=pd.DataFrame(curves, columns=list(curves), index=range(_PLACES)),
        prototypes=_prototypes(data.study, own),
        few=tuple(few),
        beyond=int(((numbers < low) | (numbers > high)).sum()),
        missing=len(data.rows) - len(numbers),
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
    return float(low - margin), float(high + margin)


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


def _prototypes(study: Study, places: NDArray[Any]) -> pd.DataFrame:
    """Return the prototypes with their place."""
    return study.prototypes[["row", "batch", "class", "weight"]].assign(place=places.tolist())
