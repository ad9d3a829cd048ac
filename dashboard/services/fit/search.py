"""A finished search in words: its result, the reason for it, and the other settings to choose from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dashboard.services.fit.search_plan import Penalties, penalties
from proset.common.words import power_words
from proset.selection import PENALTIES, Rule, batches_words, end_of_range

if TYPE_CHECKING:
    import pandas as pd

    from proset.selection import SearchRecord

_NAMES = {"lambda_v": "feature penalty", "lambda_w": "prototype penalty"}
_MEASURES = ("mean", "n_features", "n_prototypes")


def stage_frame(record: SearchRecord, stage: int) -> pd.DataFrame:
    """Return what was measured in one step; one line per point of its figure, without those not measured.

    Parameters
    ----------
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
    stage : {1, 2}
        Which figure.
    label : int
        Row label in the record's frame of that step.

    Returns
    -------
    str
        Such as ``log-loss 0.123 (chosen) · feature penalty 1e-3 · 2 features and 14 prototypes on average``.
    """
    row = _measures(record, stage, label)
    marks = (("chosen", record.chosen(stage)), ("lowest", record.optimal(stage)))
    words = ", ".join(word for word, marked in marks if marked == label)
    return " · ".join(
        [
            f"log-loss {row['mean']:.3f}" + (f" ({words})" if words else ""),
            setting_words(record, stage, label),
            f"{_counted(row['n_features'], 'feature')} and {_counted(row['n_prototypes'], 'prototype')} on average",
        ]
    )


def setting_words(record: SearchRecord, stage: int, label: int) -> str:
    """Say which penalties, or how many batches, a point of a figure stands for.

    Parameters
    ----------
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
        return batches_words(label)
    pair = dict(zip(PENALTIES, record.plan.pairs()[label], strict=True))
    which = penalties(record.plan) or Penalties.BOTH
    return ", ".join(f"{_NAMES[name]} {power_words(pair[name])}" for name in which.searched)


def found_words(record: SearchRecord) -> str:
    """Say what a search, or a person after it, has chosen."""
    return f"{'Your choice' if record.by_hand else 'Chosen'}: {_choice_words(record)}."


def reason_words(record: SearchRecord) -> str:
    """Say how good the choice of a search is, and how good the best is."""
    used = _measures(record, 2, record.chosen(2))
    sentences = [f"Its log-loss over the folds is {used['mean']:.3f}."]
    sentences += [_lowest_words(record, stage) for stage in (1, 2)]
    if record.by_hand:
        own = replace(record, choice=None, batches=None)
        sentences += [f"The search itself had chosen {_choice_words(own)}."] if own.complete else []
    elif record.chosen_batches == 0:
        sentences.append(
            "No model is better than none by more than the folds differ, so the simplest is taken: none. To use one "
            "all the same, pick a point with a lower log-loss below."
        )
    else:
        sentences += [_looked_words(record), *_largest_words(record, used["n_features"])]
    return " ".join(filter(None, sentences))


def _lowest_words(record: SearchRecord, stage: int) -> str:
    """Say what the lowest log-loss of a step is, over all its curves, and what counts as about as good."""
    curves = [record.scores_1] if stage == 1 else record.compared.values()
    lowest = min(curve.lowest().mean() for curve in curves)
    good = "" if record.plan.rule is Rule.BEST else f"; up to {record.threshold(stage):.3f} counts as about as good"
    return f"The lowest in step {stage} is {lowest:.3f}{good}."


def _looked_words(record: SearchRecord) -> str:
    """Say what the second look found, if there was one."""
    others = len(record.looked_at) - 1
    if others < 1:
        return ""
    first = setting_words(record, 1, record.looked_at[0])
    smaller = "1 smaller one" if others == 1 else f"{others} smaller ones"
    if record.chosen(1) == record.looked_at[0]:
        them = "it is" if others == 1 else "they are"
        return f"Step 2 also tried {smaller}; {them} not better by more than the folds differ."
    return (
        f"Step 1 alone would take the simpler {first}. Step 2 compared it with {smaller}; with more batches this one "
        "is better by more than the folds differ."
    )


def _largest_words(record: SearchRecord, n_features: float) -> list[str]:
    """Say where a wider range may give a simpler model; nothing is simpler than no feature."""
    if n_features == 0.0:
        return []
    return [
        f"This is the largest {_NAMES[name]} tried: a larger one may give a simpler model that does as well."
        for name in end_of_range(record)
    ]


def _choice_words(record: SearchRecord) -> str:
    """Say what is used: the number of batches and both penalties."""
    lambda_v, lambda_w = record.chosen_penalties
    return (
        f"{batches_words(record.chosen_batches)}, feature penalty {power_words(lambda_v)}, "
        f"prototype penalty {power_words(lambda_w)}"
    )


def cost_words(record: SearchRecord, stage: int, label: int) -> str:
    """Say what has to be done for another choice.

    Parameters
    ----------
    stage : {1, 2}
        The step the other point is in.
    """
    if stage == 2:
        return "The final model is fitted again."
    if label in record.looked_at:
        best = batches_words(with_point(record, stage, label).chosen_batches)
        return f"Step 2 is done with it and takes {best} there. The final model is fitted again."
    fits = (record.plan.max_batches + 1) * record.plan.n_folds
    return f"Step 2 finds the number of batches for it, {fits} fits, and then the final model is fitted."


def with_point(record: SearchRecord, stage: int, label: int) -> SearchRecord:
    """Return the record with the choice of a person instead of the rule's.

    Parameters
    ----------
    stage : {1, 2}
        The figure the point is in.

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


def _counted(mean: float, what: str) -> str:
    """Say a mean number of things, to the nearest whole number."""
    count = f"{mean:.0f}"
    return f"{count} {what}{'' if count == '1' else 's'}"
