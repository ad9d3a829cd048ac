"""Pairs of features with prototypes and cases, and the distribution of each feature by class: figure 4.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.common.frames import free_names
from proset.common.notebook import Displayed
from proset.explain.maps.batch_parts import all_prototypes
from proset.explain.maps.feature_axes import FeatureAxis, FeatureScale, feature_scale, find_feature, ranked
from proset.explain.maps.kernel_density import density
from proset.explain.maps.known_cases import known_cases
from proset.explain.plain_values import plain_fields, plain_rows
from proset.explain.subject import Cases, Explained, Subject, subject_of
from proset.study import Study

MOST_FEATURES = 6
USUAL_FEATURES = 4
MOST_VALUES = 20
"""Features with so many different values at most are discrete: their marks would lie on one another."""


@dataclass(frozen=True, eq=False)
class FeatureScatter(Displayed):
    """A few features of prototypes and cases, in the units of the table.

    Attributes
    ----------
    axes : tuple of FeatureAxis
        The features, the heaviest first.
    discrete : tuple of bool
        Whether a feature has few different values, so that marks have to be spread to be seen.
    samples : DataFrame
        Index ``row``: one column per feature (positions along its axis), then part, actual, predicted, correct,
        confidence, quantile. A feature of such a name is called ``"NAME (feature)"``.
    prototypes : DataFrame
        batch, row, class, weight, then one column per feature.
    densities : DataFrame
        Columns feature, class, kind ("prototypes" or "samples"), value, density; for a discrete feature the share of
        each value.
    columns : tuple of str
        What the columns of the features are called in the two frames.
    n_active : int
        Number of features that the model uses.
    """

    axes: tuple[FeatureAxis, ...]
    discrete: tuple[bool, ...]
    samples: pd.DataFrame
    prototypes: pd.DataFrame
    densities: pd.DataFrame
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    n_active: int

    def to_frame(self) -> pd.DataFrame:
        """Return prototypes and cases below one another, in words where a feature is no number."""
        prototypes = self.prototypes.rename(columns={"class": "actual"}).assign(kind="prototype")
        cases = self.samples.rename_axis("row").reset_index().assign(kind="case")
        both = pd.concat([prototypes, cases], ignore_index=True)
        for axis, name in zip(self.axes, self.columns, strict=True):
            if axis.kind != "number":
                both[name] = [axis.text(value) for value in both[name]]
        return both

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            **plain_fields(self, "discrete", "classes", "n_active", "densities"),
            "features": [axis.name for axis in self.axes],
            "rows": plain_rows(self.to_frame()),
        }


def feature_scatter(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    features: Sequence[str | int] | None = None,
    n_features: int = USUAL_FEATURES,
) -> FeatureScatter:
    """Put prototypes and cases on the heaviest features of a model, in pairs.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model, row ids beside a study; None for a study's held-out rows, or all if none are held out.
    features : sequence of str or int, or None
        Names or positions, six at most; None for the heaviest ones.
    n_features : int, default 4
        Number of features if `features` is None; at most six are taken.

    Raises
    ------
    ProsetError
        If there is no such feature, or more are asked for than a figure can hold.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> scatter = feature_scatter(fit_sample("cancer"), n_features=2)
    >>> [axis.name for axis in scatter.axes], scatter.n_active, scatter.discrete
    (['worst perimeter', 'worst concavity'], 5, (False, False))
    """
    subject = subject_of(explained)
    chosen = _chosen(subject, features, n_features)
    if cases is None and isinstance(explained, Study) and len(explained.split.held_out):
        cases = explained.split.held_out
    known = known_cases(explained, cases, y)
    scales = [feature_scale(subject, i) for i in chosen]
    names = tuple(free_names([s.axis.name for s in scales], [*known.facts.columns, *_TAKEN], word="feature"))
    prototypes, X = all_prototypes(subject)
    along = [(scale.positions(known.X), scale.positions(X)) for scale in scales]
    for name, (samples_at, prototypes_at) in zip(names, along, strict=True):
        prototypes[name] = prototypes_at
        known.facts[name] = samples_at
    discrete = tuple(_is_discrete(s.axis, np.concatenate(both)) for s, both in zip(scales, along, strict=True))
    samples = known.facts[[*names, *(name for name in known.facts.columns if name not in names)]]
    return FeatureScatter(
        axes=tuple(scale.axis for scale in scales),
        discrete=discrete,
        samples=samples,
        prototypes=prototypes,
        densities=_densities(scales, names, discrete, samples, prototypes, subject.classes),
        columns=names,
        classes=subject.classes,
        n_active=len(subject.active),
    )


_TAKEN = ("row", "batch", "class", "weight", "kind")


def _chosen(subject: Subject, features: Sequence[str | int] | None, n_features: int) -> list[int]:
    """Return the positions of the features to draw."""
    if features is None:
        used = len(subject.active) or len(subject.features)
        return ranked(subject, subject.heaviest_columns)[: max(1, min(n_features, MOST_FEATURES, used))]
    found = list(dict.fromkeys(find_feature(subject, name) for name in features))
    if not 1 <= len(found) <= MOST_FEATURES:
        raise ProsetError(f"{len(found)} features are asked for.", hint=f"Take from 1 to {MOST_FEATURES}.")
    return found


def _is_discrete(axis: FeatureAxis, values: NDArray[np.float64]) -> bool:
    """Tell whether marks would lie on one another."""
    return axis.kind == "level" or len(np.unique(values[np.isfinite(values)])) <= min(MOST_VALUES, len(values) // 4)


def _densities(
    scales: Sequence[FeatureScale],
    names: Sequence[str],
    discrete: Sequence[bool],
    samples: pd.DataFrame,
    prototypes: pd.DataFrame,
    classes: Sequence[str],
) -> pd.DataFrame:
    """Return the distribution of each feature for prototypes and cases of each class."""
    parts = []
    for scale, name, few in zip(scales, names, discrete, strict=True):
        every = np.concatenate([samples[name].to_numpy(dtype=np.float64), prototypes[name].to_numpy(dtype=np.float64)])
        every = every[np.isfinite(every)]
        for kind, frame, label in (("prototypes", prototypes, "class"), ("samples", samples, "actual")):
            for one in classes:
                own = frame.loc[(frame[label] == one).fillna(False).astype(bool), name].to_numpy(dtype=np.float64)
                curve = density(own[np.isfinite(own)], among=every, discrete=few)
                parts.append(curve.assign(feature=scale.axis.name, kind=kind, **{"class": one}))
    columns = ["feature", "class", "kind", "value", "density"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)
