"""A case of pictures: pixels that a model uses, and SHAP values as pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from proset.explain.attribution.shapley import ShapValues
    from proset.explain.cases.case import CaseReport
    from proset.study import Study


def used_pixels(study: Study) -> NDArray[np.bool_] | None:
    """Return which pixels a model uses, as a picture; None for a table without a grid.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> used_pixels(fit_sample("iris_2f")) is None
    True
    """
    grid = study.table.grid
    if grid is None:
        return None
    used = set(study.used_columns)
    return np.array([name in used for name in grid.columns]).reshape(grid.height, grid.width)


def shap_pixels(study: Study, found: ShapValues, labels: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the SHAP values of one case as pictures, by class.

    Parameters
    ----------
    study : Study
        A study of a table with a grid of pixels.

    Returns
    -------
    dict of str to ndarray of shape (height, width)
        0 for pixels that the model does not use; empty for a table without a grid.
    """
    grid = study.table.grid
    if grid is None:
        return {}
    values = pd.DataFrame(found.values[0], index=list(found.features), columns=list(found.classes))
    own = values.reindex(list(grid.columns), fill_value=0.0)
    return {label: own[label].to_numpy().reshape(grid.height, grid.width) for label in dict.fromkeys(labels)}


def told_apart(report: CaseReport, label: str, other: str | None = None) -> list[str]:
    """Return a class and another: the one given, the actual one, or the most probable of the others."""
    by_estimate = report.probabilities.sort_values(ascending=False, kind="stable").index
    second = [str(name) for name in (other, report.actual, *by_estimate) if name is not None and name != label]
    return [name for name in (label, *second[:1]) if name in report.classes]
