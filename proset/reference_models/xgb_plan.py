"""Plan of a search over XGBoost's settings."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from proset.common.allowed import Allowed, Rules, check_values
from proset.common.errors import ProsetError
from proset.reference_models.boosting import Trees
from proset.selection.plan import Rule

RULES: Rules = MappingProxyType(
    {
        "n_trials": Allowed(1, whole=True),
        "max_depth": Allowed(0, whole=True),
        "iterations": Allowed(1, whole=True),
        "max_iterations": Allowed(1, whole=True),
        "patience": Allowed(1, whole=True, none=True),
        "n_folds": Allowed(2, whole=True),
    }
)


@dataclass(frozen=True)
class XgbPlan:
    """Settings of a search by the strategy of section 2.4; the defaults are the report's.

    Attributes
    ----------
    n_trials : int
        Random settings of the trees in stage 1.
    max_depth : int
        Largest depth drawn; depths are drawn from 0, the constant model, with equal probability.
    colsample, subsample : pair of float
        Ranges in (0, 1] for the share of features per split and of rows per tree.
    learning_rates : pair of float
        Learning rates of stage 1 and of stage 2 with the final model.
    iterations : int
        Boosting iterations in stage 1.
    max_iterations : int
        Most boosting iterations in stage 2.
    patience : int or None
        End stage 2 once the mean loss has not improved for so many iterations; None goes to the end, as in the report.
        What would come later could lower the best mean, and with it the threshold, a little further.
    n_folds : int
        Number of folds, at least 2, stratified by class.
    rule : Rule
        How far above the best mean the threshold lies; the report takes one standard deviation over folds.
    random_state : int
        Draws settings, folds, features and rows.

    Raises
    ------
    ProsetError
        If a setting is out of its range, naming it.

    Examples
    --------
    >>> XgbPlan(n_trials=3).trials()[0].max_depth <= 9
    True
    """

    n_trials: int = 100
    max_depth: int = 9
    colsample: tuple[float, float] = (0.1, 0.9)
    subsample: tuple[float, float] = (0.1, 0.9)
    learning_rates: tuple[float, float] = (0.1, 0.01)
    iterations: int = 100
    max_iterations: int = 10_000
    patience: int | None = None
    n_folds: int = 5
    rule: Rule = Rule.SD
    random_state: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be tried."""
        check_values(vars(self), RULES)
        for name in ("colsample", "subsample"):
            low, high = getattr(self, name)
            if not 0.0 < low <= high <= 1.0:
                raise ProsetError(f"{name} is {(low, high)}.", hint="Give two ascending shares above 0, up to 1.")
        if not all(0.0 < rate <= 1.0 for rate in self.learning_rates):
            raise ProsetError(f"learning_rates is {self.learning_rates}.", hint="Each must be above 0, up to 1.")

    def trials(self) -> tuple[Trees, ...]:
        """Return the random settings of stage 1."""
        rng = np.random.default_rng(self.random_state)
        return tuple(
            Trees(
                max_depth=int(rng.integers(self.max_depth + 1)),
                colsample=float(rng.uniform(*self.colsample)),
                subsample=float(rng.uniform(*self.subsample)),
                learning_rate=self.learning_rates[0],
                seed=int(rng.integers(1_000_000)),
            )
            for _ in range(self.n_trials)
        )
