"""Hyperparameters of a fit: what they are, and which to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from proset.data.scales import Scale
from proset.selection.plan import MOST_BATCHES

SMALL_TABLE_ROWS = 1_500
LARGE_TABLE_ROWS, LARGE_TABLE_SAMPLES = 50_000, 20_000
LAMBDA_V_PER_FEATURE, LARGEST_LAMBDA_V = 1e-3, 1e-2


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit; names, meaning and defaults are those of :class:`proset.engine.model.ClassifierModel`.

    The seed is fixed to 0 unless stated, so that the same table gives the same model. What the model does not have is
    `scale`, how numbers of the table become numbers of its matrix.

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
    backend: str = "compiled"
    random_state: int = 0
    weight_factor: float = 1.0
    correction: float = 0.0
    thinning: float = 0.0
    max_prototypes: int | None = None
    n_joined: int = 1
    scale: Scale = Scale.STANDARD

    @property
    def for_model(self) -> dict[str, Any]:
        """Settings that the model takes, by name of its parameter."""
        return {name: value for name, value in asdict(self).items() if name != "scale"}


@dataclass(frozen=True)
class NumberSettings(FitSettings):
    """Settings of a fit of a number; those of :class:`proset.engine.regressor.RegressorModel`, with its defaults.

    Examples
    --------
    >>> NumberSettings().for_model["min_spread"]
    0.1
    """

    n_iter: int = 4
    lambda_w: float = 1e-6
    num_candidates: int = 100
    solver_factr: float = 1e9
    lambda_beta: float = 1e-3
    lambda_h: float = 1e-2
    min_spread: float = 0.1
    alpha_beta: float = 0.95
    spread_factor: float = 1.0
    own_slopes: float = 0.4
    bend_target: bool = False


def suggest_number_settings(n_rows: int) -> NumberSettings:
    """Return settings to start from for a table of a given size whose target is a number.

    Examples
    --------
    >>> suggest_number_settings(300).max_samples, suggest_number_settings(50_000).max_samples
    (None, 20000)
    """
    return NumberSettings(max_samples=LARGE_TABLE_SAMPLES if n_rows >= LARGE_TABLE_ROWS else None)


def suggest_settings(n_rows: int, n_features: int) -> FitSettings:
    """Return settings to start from for a table of a given size.

    The report's default for the feature penalty suits tables with thousands of rows. With a few hundred it lets single
    prototypes decide too much, and estimates become overconfident; there a larger penalty starts better. With few
    features it has to stay small: feature weights start at 10 / D (section 2.1), and the penalty on that start must
    not outweigh all there is to gain, or the solver ends with no feature at all.

    From 50,000 rows on, a batch learns from 20,000 of them, drawn anew for each: with a million rows that took a
    hundredth of the time and cost 0.001 of log-loss (benchmarks, growth with the size of the problem).

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    n_features : int
        Columns that are features.

    Returns
    -------
    FitSettings
        The report's defaults, but for the feature penalty of small tables and the rows per batch of large ones.

    Examples
    --------
    >>> suggest_settings(300, 30).lambda_v, suggest_settings(300, 2).lambda_v, suggest_settings(6_400, 30).lambda_v
    (0.01, 0.002, 0.001)
    >>> suggest_settings(49_999, 30).max_samples, suggest_settings(50_000, 30).max_samples
    (None, 20000)
    """
    if n_rows >= SMALL_TABLE_ROWS:
        return FitSettings(max_samples=LARGE_TABLE_SAMPLES if n_rows >= LARGE_TABLE_ROWS else None)
    per_feature = LAMBDA_V_PER_FEATURE * max(1, n_features)
    return FitSettings(lambda_v=min(LARGEST_LAMBDA_V, round(per_feature, 6)))


@dataclass(frozen=True)
class Bounds:
    """Which values of a setting a page, an address or a command line offers and accepts.

    Attributes
    ----------
    low, high : float
        Ends of the range, both included; for penalties the range in which the report found good values.
    whole : bool
        Only whole numbers.
    log : bool
        Chosen on a scale of powers of ten.

    Examples
    --------
    >>> BOUNDS["n_iter"].hold(20), BOUNDS["n_iter"].hold(0.5), BOUNDS["alpha_v"].hold(1.5)
    (True, False, False)
    """

    low: float
    high: float
    whole: bool = False
    log: bool = False

    def hold(self, value: float) -> bool:
        """Tell whether a number is allowed; nan never is."""
        return self.low <= value <= self.high and (not self.whole or float(value).is_integer())


BOUNDS: Mapping[str, Bounds] = MappingProxyType(
    {
        "n_iter": Bounds(0, MOST_BATCHES, whole=True),  # whatever a search may find
        "num_candidates": Bounds(10, 5_000, whole=True),
        "max_fraction": Bounds(0.05, 0.95),
        "lambda_v": Bounds(1e-6, 1e-1, log=True),
        "lambda_w": Bounds(1e-9, 1e-4, log=True),
        "alpha_v": Bounds(0.0, 1.0),
        "alpha_w": Bounds(0.0, 1.0),
        "solver_factr": Bounds(1e5, 1e12, log=True),
        "random_state": Bounds(0, 2**31 - 1, whole=True),
        "weight_factor": Bounds(0.01, 1.0, log=True),
        "correction": Bounds(0.0, 1.0),
        "thinning": Bounds(0.0, 0.1),
        "max_prototypes": Bounds(2, 10_000, whole=True),
        "n_joined": Bounds(1, 16, whole=True),
        "max_samples": Bounds(50, 1_000_000, whole=True),
        "lambda_beta": Bounds(1e-6, 1e-1, log=True),
        "lambda_h": Bounds(1e-3, 10.0, log=True),
        "own_slopes": Bounds(0.0, 2.0),
        "min_spread": Bounds(0.02, 0.3),
        "alpha_beta": Bounds(0.0, 1.0),
        "spread_factor": Bounds(0.1, 1.0),
    }
)
"""Ranges that people may choose from, by name of the setting; from a script, more is allowed."""
