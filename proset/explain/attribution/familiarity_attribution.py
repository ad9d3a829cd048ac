"""Which features make a case more or less familiar than a reference: exact Shapley values of familiarity (4.5)."""

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
from proset.explain.subject import Cases, Explained


@dataclass(frozen=True, eq=False)
class FamiliarityAttribution(AllPlain, Displayed):
    """Contributions of features to the familiarity of cases.

    Attributes
    ----------
    values : float64 array of shape (n, D)
        Summed over features, `familiarity` less `base`. The features of a study are the columns of its table; features
        that the model does not use have zeros.
    familiarity : float64 array of shape (n,)
        Of the cases.
    base : float
        Familiarity of the reference.
    features : tuple of str
        The D features.
    index : Index of length n
        The cases.
    reference : object
        Row id, label or position of the reference; None for a point given by its values.
    """

    values: NDArray[np.float64]
    familiarity: NDArray[np.float64]
    base: float
    features: tuple[str, ...]
    index: pd.Index
    reference: Any

    @property
    def gap(self) -> float:
        """Largest distance between the sum of the values and the difference of familiarity; rounding only."""
        return float(np.abs(self.values.sum(axis=1) + self.base - self.familiarity).max(initial=0.0))

    def to_frame(self) -> pd.DataFrame:
        """Return one line per case and one column per feature."""
        return pd.DataFrame(self.values, index=self.index, columns=list(self.features))


def attribute_familiarity(
    explained: Explained, cases: Cases | None = None, reference: Any = None
) -> FamiliarityAttribution:
    """Attribute the difference in familiarity between cases and a reference to the features, exactly.

    Parameters
    ----------
    cases, reference
        As for :func:`proset.explain.shap_values`.

    Raises
    ------
    ValueError
        If a model gets no reference.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> model = ClassifierModel().fit(X, list("aaabbb"))
    >>> found = attribute_familiarity(model, [[50.0]], reference=X[5])
    >>> bool(found.values[0, 0] < 0.0), found.gap < 1e-9
    (True, True)
    """
    comparison = compare(explained, cases, reference)
    subject = comparison.subject
    values = np.zeros((len(comparison.matrix.X), len(subject.features)))
    for game in comparison.games():
        values[game.rows[:, None], game.players] = product_values(game).sum(axis=2)
    return FamiliarityAttribution(
        values=values,
        familiarity=subject.manager.familiarity(comparison.matrix.X),
        base=float(subject.manager.familiarity(comparison.point[None])[0]),
        features=subject.features,
        index=comparison.matrix.index,
        reference=comparison.name,
    )
