"""What the Fit page says about a search before it is done: its settings, its cost, and how far it came."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from proset.selection import PENALTIES, SearchPlan
from proset.study.settings import BOUNDS

if TYPE_CHECKING:
    from proset.selection import SearchRecord
    from proset.study.settings import FitSettings


class Penalties(StrEnum):
    """Which penalties a search compares."""

    FEATURES = "features"
    BOTH = "both"
    PROTOTYPES = "prototypes"

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the settings that are searched."""
        return {
            Penalties.FEATURES: ("lambda_v",),
            Penalties.BOTH: PENALTIES,
            Penalties.PROTOTYPES: ("lambda_w",),
        }[self]


def penalties(plan: SearchPlan) -> Penalties | None:
    """Tell which penalties a plan compares.

    Parameters
    ----------
    plan : SearchPlan
        Any plan.

    Returns
    -------
    Penalties or None
        None if both are fixed, so that only the number of batches is searched.

    Examples
    --------
    >>> str(penalties(SearchPlan()))
    'features'
    """
    return next((which for which in Penalties if which.searched == plan.searched), None)


def with_penalties(plan: SearchPlan, which: Penalties, settings: FitSettings) -> SearchPlan:
    """Return a plan that compares other penalties over their usual ranges, in the usual number.

    Parameters
    ----------
    plan : SearchPlan
        Says everything else.
    which : Penalties
        What to compare.
    settings : FitSettings
        Gives the value of a penalty that is not compared.

    Returns
    -------
    SearchPlan

    Examples
    --------
    >>> from proset.study.settings import FitSettings
    >>> both = with_penalties(SearchPlan(n_folds=3), Penalties.BOTH, FitSettings())
    >>> both.lambda_w, both.n_folds
    ((1e-09, 0.0001), 3)
    """

    def value(name: str) -> float | tuple[float, float]:
        usual = BOUNDS[name]
        return (usual.low, usual.high) if name in which.searched else float(getattr(settings, name))

    return replace(plan, n_trials=None, lambda_v=value("lambda_v"), lambda_w=value("lambda_w"))


def usual_trials(plan: SearchPlan) -> int:
    """Return how many penalties, or pairs of them, a plan compares unless a number is given.

    Examples
    --------
    >>> usual_trials(SearchPlan(n_trials=3))
    11
    """
    return replace(plan, n_trials=None).n_pairs


def estimate(plan: SearchPlan) -> str:
    """Say how much work a search is.

    Parameters
    ----------
    plan : SearchPlan
        Any plan.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> estimate(SearchPlan(second_look=False))
    '11 penalties x 5 folds = 55 fits, then 0 to 10 batches x 5 folds = 55 fits, then the chosen model'
    """
    kind = "pairs of penalties" if penalties(plan) is Penalties.BOTH else "penalties"
    trials = f"{plan.n_pairs} {kind}" if plan.n_pairs > 1 else "1 penalty"
    return (
        f"{trials} x {plan.n_folds} folds = {plan.n_pairs * plan.n_folds} fits, "
        f"then 0 to {plan.max_batches} batches x {plan.n_folds} folds = {(plan.max_batches + 1) * plan.n_folds} fits"
        f"{', again for smaller penalties while they do better' if plan.second_look else ''}, then the chosen model"
    )


def stopped_words(record: SearchRecord) -> str:
    """Say how far a search came.

    Parameters
    ----------
    record : SearchRecord
        Of a search that was stopped.

    Returns
    -------
    str
        Such as ``Stopped after 23 of 55 fits of step 1.``
    """
    if record.complete:
        return "Everything is compared; only the chosen model is still to be fitted."
    step, done, total = record.reached()
    return f"Stopped after {done} of {total} fits of step {step}."
