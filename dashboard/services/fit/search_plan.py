"""A search before it is done, in words: its settings, its cost, and how far it came."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from proset.common.words import count_words
from proset.selection import PENALTIES, JointPlan, JointRecord, NumberRecord, SearchPlan, batches_words
from proset.study.settings import BOUNDS

if TYPE_CHECKING:
    from proset.selection import AnyRecord, ClassPlan
    from proset.study.settings import FitSettings


class Penalties(StrEnum):
    """Penalties that a search compares."""

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
    settings : FitSettings
        Gives the value of a penalty that is not compared.

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


def joint_estimate(plan: JointPlan) -> str:
    """Say how much work a joint search is.

    Examples
    --------
    >>> joint_estimate(JointPlan(n_folds=3, max_batches=4, scales=()))
    '8 pairs of penalties, each with 0 to 4 batches, on 2 folds; the best 3 go on to the other fold.'
    >>> joint_estimate(JointPlan()).partition(".")[0]
    'First 3 scales of numbers, on 5 folds'
    """
    rest = plan.n_folds - plan.first_folds
    tried = f"{tried_words(plan)}, each with 0 to {batches_words(plan.max_batches)}"
    first = f"{tried}, on {count_words(plan.first_folds, 'fold')}"
    if plan.scales:
        first = f"First {len(plan.scales)} scales of numbers, on {count_words(plan.n_folds, 'fold')}. Then {first}"
    if not rest:
        return f"{first}."
    others = "the other fold" if rest == 1 else f"up to {rest} other folds"
    kept = min(plan.n_keep, plan.n_pairs)
    going = f"the best {kept} go on" if kept > 1 else "the best goes on"
    return f"{first}; {going} to {others}."


def tried_words(plan: JointPlan) -> str:
    """Say how many penalties a joint search tries.

    Examples
    --------
    >>> tried_words(JointPlan()), tried_words(JointPlan(lambda_w=1e-5))
    ('8 pairs of penalties', '4 feature penalties')
    """
    if plan.searched == ("lambda_v",):
        return count_words(plan.n_pairs, "feature penalty", "feature penalties")
    if plan.searched == ("lambda_w",):
        return count_words(plan.n_pairs, "prototype penalty", "prototype penalties")
    return count_words(plan.n_pairs, "pair of penalties", "pairs of penalties")


def with_value(plan: ClassPlan, name: str, value: Any) -> ClassPlan:
    """Return a plan with one value changed as a widget gives it; one that cannot be taken changes nothing.

    Parameters
    ----------
    plan : JointPlan
        Says everything else; a plan of the other kind is left as it is.
    value : object
        A number, a pair of ends, a rule, or None for an emptied field.

    Examples
    --------
    >>> with_value(JointPlan(), "n_folds", 2).first_folds, with_value(JointPlan(), "lambda_v", (1e-3, 1e-3)).lambda_v
    (2, (0.0001, 0.03))
    """
    if not isinstance(plan, JointPlan):
        return plan
    if value is None:
        return replace(plan, max_rows=None) if name == "max_rows" else plan
    if name in PENALTIES and value[0] == value[1]:
        return plan
    if name in PENALTIES and name not in plan.searched:
        return replace(plan, **{name: value, f"n_{name}": getattr(JointPlan(), f"n_{name}")})
    if name == "n_folds":
        return replace(plan, n_folds=value, first_folds=min(JointPlan().first_folds, value))
    return replace(plan, **{name: value})


def stopped_words(record: AnyRecord) -> str:
    """Say how far a search came.

    Returns
    -------
    str
        Such as ``Stopped after 23 of 55 fits of step 1.``
    """
    if record.complete:
        return "Everything is compared; only the chosen model is still to be fitted."
    if isinstance(record, NumberRecord):
        return f"Stopped after {len(record.trials)} of {count_words(record.plan.n_trials, 'trial')}."
    step, done, total = record.reached()
    if isinstance(record, JointRecord):
        return f"Stopped after {done} of about {count_words(total, 'trial')}."
    return f"Stopped after {done} of {total} fits of step {step}."
