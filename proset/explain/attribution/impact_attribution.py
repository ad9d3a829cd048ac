"""Why each prototype counts for one case: exact Shapley values of its impact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.engine.evidence.product_shapley import product_values
from proset.explain.attribution.comparison import compare
from proset.explain.plain_values import AllPlain
from proset.explain.subject import Explained, as_case


@dataclass(frozen=True, eq=False)
class ImpactAttribution(AllPlain, Displayed):
    """Contributions of features to the impact of each prototype on one case; prototypes by descending impact.

    Attributes
    ----------
    values : float64 array of shape (P, D)
        Summed over features, the impact on the case less that on the reference.
    prototypes : DataFrame of length P
        ``batch`` (from 1), ``sample`` (row id of a study's table, else row of the training data), ``class``,
        ``weight``, ``impact`` (on the case) and ``base`` (impact on the reference).
    features : tuple of str
        The D features; those of a study are the columns of its table.
    index : int or None
        Row id of the case; None if it is not in a table.
    reference : object
        Row id, label or position of the reference; None for a point given by its values.
    """

    values: NDArray[np.float64]
    prototypes: pd.DataFrame
    features: tuple[str, ...]
    index: int | None
    reference: Any

    def to_frame(self) -> pd.DataFrame:
        """Return the prototypes with one more column per feature, called ``"by NAME"``."""
        names = [f"by {name}" for name in self.features]
        return pd.concat([self.prototypes, pd.DataFrame(self.values, columns=names)], axis=1)


def attribute_impact(explained: Explained, case: Any, reference: Any = None) -> ImpactAttribution:
    """Attribute the impact of every prototype on one case to the features, exactly.

    Parameters
    ----------
    reference : ReferencePoint, ClassMedoid, array-like of shape (D,), int, or None
        What the case is compared with: a point, its row of the matrix, a row id beside a study, or None for the point
        that :func:`~proset.explain.attribution.reference.choose_reference_point` finds in a study.

    Raises
    ------
    ValueError
        If a model gets no reference, or something is not one row.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> found = attribute_impact(ClassifierModel().fit(X, list("aaabbb")), X[0], reference=X[5])
    >>> change = (found.prototypes["impact"] - found.prototypes["base"]).to_numpy()
    >>> bool(np.allclose(found.values.sum(axis=1), change))
    True
    """
    case = as_case(explained, case)
    comparison = compare(explained, case, reference)
    factors = comparison.factors
    game = next(comparison.games())
    values = np.zeros((len(factors.weights), len(comparison.subject.features)))
    values[:, game.players] = product_values(game)[0].T
    impact, base = (game.weights[0] * side.prod(axis=0) for side in (game.at_rows[0], game.at_reference))
    order = np.argsort(-impact, kind="stable")
    samples = factors.sample_index
    study = comparison.subject.study
    prototypes = pd.DataFrame(
        {
            "batch": factors.batch,
            "sample": samples if study is None else study.split.train[samples],
            "class": np.array(comparison.subject.classes, dtype=object)[factors.target],
            "weight": factors.weights,
            "impact": impact,
            "base": base,
        }
    ).astype({"class": "str"})
    return ImpactAttribution(
        values=values[order],
        prototypes=prototypes.iloc[order].reset_index(drop=True),
        features=comparison.subject.features,
        index=case.row,
        reference=comparison.name,
    )
