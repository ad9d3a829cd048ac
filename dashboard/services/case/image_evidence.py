"""Pixels that a model uses, and SHAP values of a case as pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from proset.explain.attribution.shapley import ShapValues
    from proset.study import Study


def used_pixels(study: Study) -> NDArray[np.bool_] | None:
    """Return which pixels a model uses, as a picture; None for a table without a grid.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> used_pixels(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))) is None
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
    place = {name: i for i, name in enumerate(found.features)}
    pictures = {}
    for label in dict.fromkeys(labels):
        values = found.values[0][:, found.classes.index(label)]
        own = np.array([values[place[name]] if name in place else 0.0 for name in grid.columns])
        pictures[label] = own.reshape(grid.height, grid.width)
    return pictures
