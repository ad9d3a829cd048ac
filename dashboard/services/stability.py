"""Tables of a check of stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.number_stability import NumberStability
    from proset.explain.study_only.stability_result import Stability


_HEADINGS = {"log_loss": "log-loss", "mae": "mean absolute error", "covered": "inside 90 %"}


def feature_table(found: Stability | NumberStability) -> pd.DataFrame:
    """Return the features that any refit uses, the most used first.

    Parameters
    ----------
    found : Stability or NumberStability
        From :func:`proset.explain.stability` or :func:`proset.explain.number_stability`.

    Returns
    -------
    DataFrame
        Columns ``feature``, ``used``, ``share``, ``low``, ``median``, ``high``.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> found = explain.stability(fit_sample("iris_2f"), n_repeats=2)
    >>> sorted(feature_table(found)["feature"])
    ['sepal length (cm)', 'sepal width (cm)']
    """
    return found.features[found.features["used"] | found.features["share"].gt(0)].reset_index()


def refit_table(found: Stability | NumberStability) -> pd.DataFrame:
    """Return the refits with headings for people.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> found = explain.stability(fit_sample("iris_2f"), n_repeats=2)
    >>> list(refit_table(found).columns)
    ['seed', 'log-loss', 'accuracy', 'features', 'prototypes']
    """
    return found.refits.round(4).rename(columns=_HEADINGS)
