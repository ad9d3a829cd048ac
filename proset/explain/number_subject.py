"""Names for what goes into a model of a number, as its explanations take them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.explain.subject import columns_of
from proset.study.number_study import NumberStudy

if TYPE_CHECKING:
    from proset.engine.density_sets import DensityManager


@dataclass(frozen=True, eq=False)
class NumberSubject:
    """A model of a number with names; beside :class:`proset.explain.subject.Subject`, it has no classes.

    Attributes
    ----------
    manager : DensityManager
        Scores rows of the matrix.
    features : tuple of str
        Columns of the table that are features.
    groups : tuple of int64 arrays
        Matrix columns of each feature; empty for a feature that did not vary in training.
    columns : tuple of str
        Names of the D matrix columns.
    study : NumberStudy
        Where the names come from.
    """

    manager: DensityManager
    features: tuple[str, ...]
    groups: tuple[NDArray[np.int64], ...]
    columns: tuple[str, ...]
    study: NumberStudy

    @property
    def own(self) -> tuple[NDArray[np.int64], ...]:
        """Matrix columns that hold the values of each feature; a model of a number has no others."""
        return self.groups

    def values_of(self, features: Collection[str]) -> NDArray[np.int64]:
        """Return the matrix columns that hold values of some features, ascending."""
        return columns_of(self.features, self.own, features)

    @lazy_property
    def weights(self) -> NDArray[np.float64]:
        """The largest weight that any batch gives each matrix column, shape (D,)."""
        found, columns = self.manager.get_feature_weights()
        wide = np.zeros(self.manager.num_features)
        wide[columns] = found.max(axis=0, initial=0.0)
        return wide

    @property
    def used(self) -> tuple[str, ...]:
        """The features that answers depend on, by descending weight."""
        heaviest = {
            name: float(self.weights[group].max())
            for name, group in zip(self.features, self.groups, strict=True)
            if len(group)
        }
        order = sorted(heaviest, key=lambda name: -heaviest[name])
        return tuple(name for name in order if heaviest[name] > 0.0)


def number_subject(study: NumberStudy) -> NumberSubject:
    r"""Return the names and the scoring of a study of a number.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> number_subject(study).features[:2], "built in" in number_subject(study).used
    (('cylinders', 'displacement (cubic inches)'), True)
    """
    if not isinstance(study, NumberStudy):
        kind = type(study).__name__
        raise TypeError(f"This needs a NumberStudy, not a {kind}: fit one with proset.fit_number_study(table, roles).")
    features = study.roles.features
    sources = np.array(study.design.column_sources, dtype=object)
    return NumberSubject(
        manager=study.model.set_manager_,
        features=features,
        groups=tuple(np.flatnonzero(sources == name).astype(np.int64) for name in features),
        columns=tuple(column.name for column in study.design.columns),
        study=study,
    )


def measured_rows(study: NumberStudy, rows: Iterable[int] | None = None) -> NDArray[np.int64]:
    """Return row ids to measure on: those given, else the held-out ones, else the training rows."""
    return np.asarray(study.split.measured if rows is None else list(rows), dtype=np.int64)
