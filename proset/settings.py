"""Hyperparameters of a fit: what they are, and which to start from."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_TABLE_ROWS = 1_500
SMALL_TABLE_LAMBDA_V = 1e-2


@dataclass(frozen=True)
class FitSettings:
    """How to fit; names, meaning and defaults are those of :class:`proset.model.ClassifierModel`.

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


def suggest_settings(n_rows: int) -> FitSettings:
    """Return settings to start from for a table of a given size.

    The report's default for the feature penalty suits tables with thousands of rows. With a few hundred it lets single
    prototypes decide too much, and estimates become overconfident; there a tenfold penalty starts better.

    Parameters
    ----------
    n_rows : int
        Rows of the table.

    Returns
    -------
    FitSettings
        The report's defaults, but for the feature penalty of small tables.

    Examples
    --------
    >>> suggest_settings(300).lambda_v, suggest_settings(6_400).lambda_v
    (0.01, 0.001)
    """
    return FitSettings(lambda_v=SMALL_TABLE_LAMBDA_V) if n_rows < SMALL_TABLE_ROWS else FitSettings()
