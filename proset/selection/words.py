"""A search in words, for printing."""

from __future__ import annotations

from proset.common.words import count_words
from proset.selection.plan import PENALTIES, Rule, SearchPlan
from proset.selection.record import SearchRecord

_MARGIN = {
    Rule.SD: "best mean plus its standard deviation",
    Rule.SE: "best mean plus its standard error",
    Rule.BEST: "best mean",
}


def search_report(record: SearchRecord) -> str:
    """Describe what a search found.

    Parameters
    ----------
    record : SearchRecord
        Stage 2 may still be missing.

    Returns
    -------
    str
        Lines of at most 80 characters, ready for printing.

    Raises
    ------
    ValueError
        If stage 1 has no pair that was evaluated on every fold.
    """
    plan = record.plan
    lines = [
        f"Hyperparameter search, {plan.n_folds} folds. Threshold: {_MARGIN[plan.rule]}",
        "",
        *_stage(record, 1, f"Stage 1: {_tried(plan)}, one batch"),
    ]
    if record.stage_2 is None:
        return "\n".join([*lines, "", "Stage 2 has not begun."])
    return "\n".join([*lines, "", *_stage(record, 2, f"Stage 2: 0 to {plan.max_batches} batches")])


def batches_words(count: int) -> str:
    """Say a number of batches, such as ``1 batch`` or ``3 batches``."""
    return count_words(count, "batch", "batches")


def end_of_range(record: SearchRecord) -> tuple[str, ...]:
    """Name the penalties of which the rule chose the largest value there was.

    Parameters
    ----------
    record : SearchRecord
        Stage 1 has to be complete.

    Returns
    -------
    tuple of str
        Of "lambda_v" and "lambda_w" those whose range is worth widening: a simpler model may be about as good. Empty
        after a choice by hand.
    """
    if record.choice is not None:
        return ()
    chosen = dict(zip(PENALTIES, record.chosen_penalties, strict=True))
    largest = {name: getattr(record.plan, name)[1] for name in record.plan.searched}
    return tuple(name for name, end in largest.items() if chosen[name] >= end * (1.0 - 1e-9))


def _tried(plan: SearchPlan) -> str:
    """What stage 1 compares."""
    searched = plan.searched
    return f"{plan.n_pairs} values of {searched[0]}" if len(searched) == 1 else f"{plan.n_pairs} pairs of penalties"


def _stage(record: SearchRecord, stage: int, title: str) -> list[str]:
    """Title and a small table: what is best, what is chosen."""
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
            lambda_v, lambda_w = record.plan.pairs()[row]
            mean = record.curve(row)["mean"].to_numpy()
            best = f"lowest log-loss {mean.min():.4f} with {batches_words(int(mean.argmin()))}"
            lines.append(f"    lambda_v {lambda_v:.2e}, lambda_w {lambda_w:.2e}: {best}")
    if stage == 1:
        lines += [f"  the largest {name} was chosen: a wider range may do better" for name in end_of_range(record)]
    by_hand = record.choice if stage == 1 else record.batches
    return lines if by_hand is None else [*lines, "  chosen by hand, not by the rule"]
