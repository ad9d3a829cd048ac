"""A search in words, for printing."""

from __future__ import annotations

import textwrap

import numpy as np

from proset.common.words import count_words
from proset.selection.either import ClassRecord
from proset.selection.front import (
    FrontPoint,
    Landmarks,
    above_words,
    counts_as_good,
    is_unfinished,
    joined_words,
    landmarks,
    refined_words,
    scale_words,
)
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.plan import PENALTIES, Rule, SearchPlan
from proset.selection.record import SearchRecord

_MARGIN = {
    Rule.SD: "best mean plus its standard deviation",
    Rule.SE: "best mean plus its standard error",
    Rule.BEST: "best mean",
}

_PLACES = 3  # pairs of penalties that are listed where fits did not converge


_TAKEN = {
    Rule.SE: "the smallest within one error and 2 % of the gain of the best",
    Rule.SD: "the smallest within one deviation and 5 % of the gain of the best",
    Rule.BEST: "the best",
}


def search_report(record: ClassRecord) -> str:
    """Describe what a search of either kind found, in lines of at most 80 characters.

    Raises
    ------
    ValueError
        If stage 1 of algorithm 2.2 has no pair that was evaluated on every fold. Stage 2 may still be missing.
    StudyError
        If a joint search has not finished anything.
    """
    if isinstance(record, JointRecord):
        return joint_report(record)
    plan = record.plan
    lines = [
        f"Hyperparameter search, {plan.n_folds} folds. Threshold: {_MARGIN[plan.rule]}",
        "",
        *_stage(record, 1, f"Stage 1: {_tried(plan)}, one batch"),
    ]
    if record.stage_2 is None:
        return "\n".join([*lines, "", "Stage 2 has not begun."])
    return "\n".join([*lines, "", *_stage(record, 2, f"Stage 2: 0 to {plan.max_batches} batches")])


def batches_words(n_batches: int) -> str:
    """Say a number of batches, such as ``1 batch`` or ``3 batches``."""
    return count_words(n_batches, "batch", "batches")


def joint_report(record: JointRecord) -> str:
    """Describe what a joint search found, in lines of at most 80 characters.

    Raises
    ------
    StudyError
        If nothing is finished yet.
    """
    plan, named = record.plan, landmarks(record)
    head = f"{'':16}{'log-loss':>9}{'features':>9}{'prototypes':>11}{'batches':>8}{'lambda_v':>10}{'lambda_w':>10}"
    lines = [
        f"{_kind(plan)}, {plan.n_folds} folds: {count_words(plan.n_pairs, 'pair')} of penalties, "
        f"up to {batches_words(plan.max_batches)}",
        f"  Taken: {'a choice by hand' if record.by_hand else _TAKEN[plan.rule]}",
    ]
    if is_unfinished(record):
        number, done, total = record.reached()
        lines.append(f"  The search was not finished: round {number}, {done} of {count_words(total, 'curve')} done")
    lines += ["", f"  {head}"]
    lines += [_row(name, point) for name, point in named.by_name.items()]
    lines += ["", *_given_away(record, named)]
    for said in filter(None, (refined_words(record), scale_words(record))):
        lines += textwrap.wrap(f"  {said}", 80, subsequent_indent="    ")
    if (joined := joined_words(record)) and not record.takes_joined:
        lines += textwrap.wrap(f"  Joined votes: {joined}", 80, subsequent_indent="    ")
    if named.chosen.n_batches == 0 and not record.by_hand:
        lines.append("  No model is better than none by more than the folds differ.")
    early, done = _count_early(record)
    return "\n".join([*lines, *([f"  {early} of {done} fits did not converge"] if early else [])])


def _kind(plan: JointPlan) -> str:
    """Say what kind of search it was."""
    return "Choice among a few settings" if plan.is_quick else "Joint search"


def _row(name: str, point: FrontPoint) -> str:
    """Lay out one point."""
    return (
        f"  {name:16}{point.log_loss:9.4f}{point.n_features:9.1f}{point.n_prototypes:11.1f}"
        f"{point.n_batches:8d}{point.lambda_v:10.1e}{point.lambda_w:10.1e}"
    )


def _given_away(record: JointRecord, named: Landmarks) -> list[str]:
    """Say what the chosen point and the smallest that is as good give away against the best."""
    others = {
        name: point for name, point in named.by_name.items() if name != "best" and point.point != named.best.point
    }
    if not others:
        return ["  The chosen one is the best."]
    lines = []
    for name, point in others.items():
        words = above_words(point, as_good=counts_as_good(record, point))
        lines += textwrap.wrap(f"  {name}: {words}", 80, subsequent_indent="    ")
    return ["  Log-loss against the best:", *lines]


def end_of_range(record: SearchRecord) -> tuple[str, ...]:
    """Name the penalties of which the rule chose the largest value there was.

    Returns
    -------
    tuple of str
        Of "lambda_v" and "lambda_w" those whose range is worth widening: a simpler model may be about as good. Empty
        after a choice by hand.

    Raises
    ------
    ValueError
        If stage 1 has no pair that was evaluated on every fold.
    """
    if record.choice is not None:
        return ()
    chosen = dict(zip(PENALTIES, record.chosen_penalties, strict=True))
    largest = {name: getattr(record.plan, name)[1] for name in record.plan.searched}
    return tuple(name for name, end in largest.items() if chosen[name] >= end * (1.0 - 1e-9))


def unconverged_words(record: ClassRecord) -> str:
    """Say how many fits of a search stopped before they converged; empty if none is known to have."""
    early, done = _count_early(record)
    return f"{early} of the {done} fits of the search did not converge." if early else ""


def _tried(plan: SearchPlan) -> str:
    """Say what stage 1 compares."""
    searched = plan.searched
    if len(searched) == 1:
        return f"{count_words(plan.n_pairs, 'value')} of {searched[0]}"
    return count_words(plan.n_pairs, "pair of penalties", "pairs of penalties")


def _stage(record: SearchRecord, stage: int, title: str) -> list[str]:
    """Lay out a title and a small table: what is best, what is chosen; then what is worth knowing about it."""
    table = record.stage_1 if stage == 1 else record.stage_2
    if table is None or table["mean"].isna().all():
        return [title, "  not evaluated on every fold yet"]
    settings = PENALTIES if stage == 1 else ("n_batches",)
    head = "".join(f"{name:>11}" for name in (*settings, "log-loss", "sd", "features", "prototypes"))
    lines = [title, f"  {'':8}{head}"]
    for name, row in (("best", record.optimal(stage)), ("chosen", record.chosen(stage))):
        values = table.loc[row]
        cells = [f"{values[s]:11.2e}" if stage == 1 else f"{values[s]:11.0f}" for s in settings]
        cells += [f"{values['mean']:11.4f}", f"{values['sd']:11.4f}"]
        cells += [f"{values['n_features']:11.1f}", f"{values['n_prototypes']:11.1f}"]
        lines.append(f"  {name:8}{''.join(cells)}")
    lines.append(f"  threshold {record.threshold(stage):.4f}")
    if stage == 2 and len(record.looked_at) > 1:
        lines += [f"  compared over {len(record.looked_at)} pairs of penalties, the sparsest first:"]
        for row in record.looked_at:
            mean = record.curve(row)["mean"].to_numpy()
            best = f"lowest log-loss {mean.min():.4f} with {batches_words(int(mean.argmin()))}"
            lines.append(f"    {_pair(record, row)}: {best}")
    lines += _unconverged(record, stage)
    if stage == 1:
        lines += [f"  the largest {name} was chosen: a wider range may do better" for name in end_of_range(record)]
    by_hand = record.choice if stage == 1 else record.batches
    return lines if by_hand is None else [*lines, "  chosen by hand, not by the rule"]


def _pair(record: SearchRecord, row: int) -> str:
    """Write down a pair of penalties."""
    lambda_v, lambda_w = record.plan.pairs()[row]
    return f"lambda_v {lambda_v:.2e}, lambda_w {lambda_w:.2e}"


def _count_early(record: ClassRecord, stage: int | None = None) -> tuple[int, int]:
    """Count the fits (of a stage) that did not converge, and all that are done; a model without batches is no fit."""
    if isinstance(record, JointRecord):
        return record.n_stopped_early, record.n_fits
    early = done = 0
    if stage != 2:
        early, done = int(record.scores_1.stopped_early.sum()), int(record.scores_1.done.sum())
    if stage != 1:
        curves = record.curves.values()
        early += sum(int(curve.stopped_early.sum()) for curve in curves)
        done += sum(int(curve.done[1:].sum()) for curve in curves)
    return early, done


def _unconverged(record: SearchRecord, stage: int) -> list[str]:
    """Say how many fits of a stage did not converge, and where; nothing if all did."""
    early, done = _count_early(record, stage)
    if early == 0:
        return []
    if stage == 1:
        folds = record.scores_1.stopped_early.sum(axis=1)
        where = [
            f"{_pair(record, row)}: {folds[row]} of {record.plan.n_folds} folds"
            for row in np.flatnonzero(folds).tolist()
        ]
    else:
        where = []
        for row, curve in record.curves.items():
            models = curve.stopped_early.sum(axis=1)
            if models.any():
                where.append(f"{_pair(record, row)}: {models.sum()}, first in batch {np.flatnonzero(models)[0]}")
    lines = [f"  {early} of {count_words(int(done), 'fit')} did not converge:"]
    lines += [f"    {place}" for place in where[:_PLACES]]
    if len(where) > _PLACES:
        more = count_words(len(where) - _PLACES, "more pair of penalties", "more pairs of penalties")
        lines.append(f"    and {more}")
    return lines
