"""What the Fit page says about a search: its settings, its cost, what it found and what else there is to choose."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dashboard.services.numbers import power_words
from dashboard.texts import HYPERPARAMETERS
from proset.selection import PENALTIES, Rule, SearchPlan, end_of_range

if TYPE_CHECKING:
    import pandas as pd

    from proset.selection import SearchRecord
    from proset.settings import FitSettings

_NAMES = {"lambda_v": "feature penalty", "lambda_w": "prototype penalty"}
_MEASURES = ("mean", "n_features", "n_prototypes")
MAY_BE_FOUND = ("n_iter", *PENALTIES)
"""Fit settings that some search finds; see :func:`dashboard.state.search_finds` for those of the plan at hand."""


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
    >>> from proset.settings import FitSettings
    >>> both = with_penalties(SearchPlan(n_folds=3), Penalties.BOTH, FitSettings())
    >>> both.lambda_w, both.n_folds
    ((1e-09, 0.0001), 3)
    """

    def value(name: str) -> float | tuple[float, float]:
        usual = HYPERPARAMETERS[name]
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
        return "Stopped before the chosen model was fitted."
    step, done, total = record.reached()
    return f"Stopped after {done} of {total} fits of step {step}."


def stage_frame(record: SearchRecord, stage: int) -> pd.DataFrame:
    """Return what was measured in one step; one line per point of its figure, without those not measured.

    Parameters
    ----------
    record : SearchRecord
        A record.
    stage : {1, 2}
        Which step.

    Returns
    -------
    DataFrame
        As in the record; empty if the step has not been done.
    """
    frame = record.stage_1 if stage == 1 else record.stage_2
    return record.stage_1.iloc[:0] if frame is None else frame.dropna(subset="mean")


def point_words(record: SearchRecord, stage: int, label: int) -> str:
    """Say in one line what a point of a figure stands for.

    Parameters
    ----------
    record : SearchRecord
        A record.
    stage : {1, 2}
        Which figure.
    label : int
        Row label in the record's frame of that step.

    Returns
    -------
    str
        Such as ``log-loss 0.123 (chosen) · feature penalty 1e-3 · 2 features · 14 prototypes``.
    """
    row = _measures(record, stage, label)
    marks = (("chosen", record.chosen(stage)), ("lowest", record.optimal(stage)))
    words = ", ".join(word for word, marked in marks if marked == label)
    return " · ".join(
        [
            f"log-loss {row['mean']:.3f}" + (f" ({words})" if words else ""),
            setting_words(record, stage, label),
            f"{row['n_features']:.0f} features",
            f"{row['n_prototypes']:.0f} prototypes",
        ]
    )


def setting_words(record: SearchRecord, stage: int, label: int) -> str:
    """Say which penalties, or how many batches, a point of a figure stands for.

    Parameters
    ----------
    record : SearchRecord
        A record.
    stage : {1, 2}
        Which figure.
    label : int
        Row label in the record's frame of that step; in step 2 it is the number of batches.

    Returns
    -------
    str
        Such as ``feature penalty 1e-3`` or ``2 batches``.
    """
    if stage == 2:
        return _batches(label)
    pair = dict(zip(PENALTIES, record.plan.pairs()[label], strict=True))
    which = penalties(record.plan) or Penalties.BOTH
    return ", ".join(f"{_NAMES[name]} {power_words(pair[name])}" for name in which.searched)


def found_words(record: SearchRecord) -> str:
    """Say what a search, or a person after it, has chosen.

    Parameters
    ----------
    record : SearchRecord
        A complete record.

    Returns
    -------
    str
        One sentence.
    """
    lambda_v, lambda_w = record.chosen_penalties
    whose = "Your choice" if record.by_hand else "Chosen"
    return (
        f"{whose}: {_batches(record.chosen_batches)}, feature penalty {power_words(lambda_v)}, "
        f"prototype penalty {power_words(lambda_w)}."
    )


def reason_words(record: SearchRecord) -> str:
    """Say how good the choice of a search is, and how good the best is.

    Parameters
    ----------
    record : SearchRecord
        A complete record.

    Returns
    -------
    str
        Two sentences.
    """
    lowest = f"{_measures(record, 1, record.optimal(1))['mean']:.3f}"
    good = "" if record.plan.rule is Rule.BEST else f"; up to {record.threshold(1):.3f} counts as about as good"
    return (
        f"Its log-loss over the folds is {_measures(record, 2, record.chosen(2))['mean']:.3f}. "
        f"The lowest in step 1 is {lowest}{good}.{_looked_words(record)}"
        + "".join(
            f" This is the largest {_NAMES[name]} tried: a larger one may give a simpler model that does as well."
            for name in end_of_range(record)
        )
    )


def _looked_words(record: SearchRecord) -> str:
    """Say what the second look found, if there was one."""
    others = len(record.looked_at) - 1
    if record.by_hand or others < 1:
        return ""
    compared = f" Step 2 also tried {others} smaller {'penalty' if others == 1 else 'penalties'}"
    if record.chosen(1) == record.looked_at[0]:
        return f"{compared}, which was not worth it."
    return f"{compared}: with more batches, this one beats the simpler choice of step 1."


def cost_words(record: SearchRecord, stage: int, label: int) -> str:
    """Say what has to be done for another choice.

    Parameters
    ----------
    record : SearchRecord
        A complete record.
    stage : {1, 2}
        The step the other point is in.
    label : int
        Row label of the point.

    Returns
    -------
    str
        One sentence.
    """
    if stage == 2 or label in record.looked_at:
        return "The final model is fitted again."
    fits = (record.plan.max_batches + 1) * record.plan.n_folds
    return f"Step 2 is done again with it, {fits} fits, and then the final model."


def with_point(record: SearchRecord, stage: int, label: int) -> SearchRecord:
    """Return the record with the choice of a person instead of the rule's.

    Parameters
    ----------
    record : SearchRecord
        A complete record.
    stage : {1, 2}
        The figure the point is in.
    label : int
        Row label of the point.

    Returns
    -------
    SearchRecord
        After a choice in step 1 it may lack step 2, which depends on the penalties.
    """
    if stage == 2:
        return record.with_batches(label)
    lambda_v, lambda_w = record.plan.pairs()[label]
    return record.with_choice(lambda_v=lambda_v, lambda_w=lambda_w)


def _measures(record: SearchRecord, stage: int, label: int) -> dict[str, float]:
    """Return what was measured at one point."""
    frame = stage_frame(record, stage)
    return {name: float(frame[name].to_numpy()[frame.index.get_loc(label)]) for name in _MEASURES}


def _batches(count: int) -> str:
    """Say a number of batches."""
    return "1 batch" if count == 1 else f"{count} batches"
