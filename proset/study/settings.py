"""Hyperparameters of a fit: what they are, and which to start from."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_TABLE_ROWS = 1_500
LAMBDA_V_PER_FEATURE, LARGEST_LAMBDA_V = 1e-3, 1e-2


@dataclass(frozen=True)
class FitSettings:
    """How to fit; names, meaning and defaults are those of :class:`proset.engine.model.ClassifierModel`.

    The seed is fixed to 0 unless stated, so that the same table gives the same model.

    Examples
    --------
    >>> FitSettings(n_iter=2).random_state
    0
    """

    n_iter: int = 1
    lambda_v: float = 1e-3
    lambda_w: float = 1e-8
    alpha_v: float = 0.95
    alpha_w: float = 0.95
    num_candidates: int = 1000
    max_fraction: float = 0.5
    max_samples: int | None = None
    solver_factr: float = 1e7
    backend: str = "numpy"
    random_state: int = 0


def suggest_settings(n_rows: int, n_features: int) -> FitSettings:
    """Return settings to start from for a table of a given size.

    The report's default for the feature penalty suits tables with thousands of rows. With a few hundred it lets single
    prototypes decide too much, and estimates become overconfident; there a larger penalty starts better. With few
    features it has to stay small: feature weights start at 10 / D (section 2.1), and the penalty on that start must
    not outweigh all there is to gain, or the solver ends with no feature at all.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    n_features : int
        Columns that are features.

    Returns
    -------
    FitSettings
        The report's defaults, but for the feature penalty of small tables.

    Examples
    --------
    >>> suggest_settings(300, 30).lambda_v, suggest_settings(300, 2).lambda_v, suggest_settings(6_400, 30).lambda_v
    (0.01, 0.002, 0.001)
    """
    if n_rows >= SMALL_TABLE_ROWS:
        return FitSettings()
    per_feature = LAMBDA_V_PER_FEATURE * max(1, n_features)
    return FitSettings(lambda_v=min(LARGEST_LAMBDA_V, round(per_feature, 6)))
