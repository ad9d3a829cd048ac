"""A search for a model of a number in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import pandas as pd

from proset.common.words import count_words, rough, shown
from proset.selection.number_plan import RANGES
from proset.selection.number_record import NumberRecord
from proset.selection.words import batches_words

_TOP = 5


def number_search_words(record: NumberRecord) -> str:
    """Say how the settings were chosen by a search of which at least one trial is finished.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.selection.number_plan import NumberPlan
    >>> from proset.selection.number_scores import NumberTrial
    >>> plain = {"spread_factors": (1.0,), "corrections": (0.0,), "thinnings": (0.0,)}
    >>> plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, **plain)
    >>> trial = NumberTrial(next(plan.settings()), np.array([[[2.0], [1.5]], [[2.0], [1.4]]]))
    >>> print(number_search_words(NumberRecord(plan, "", (trial,))))
    Chosen by 2-fold search: lambda_v 0.001, lambda_w 1e-06, lambda_beta 0.001, min_spread 0.1, 1 batch; log score \
1.450, as everybody 2.000.
    """
    trial, batches, place = record.chosen
    factor = record.plan.spread_factors[place]
    narrower = f", spreads times {factor:g}" if factor < 1.0 and batches else ""
    settings = ", ".join(f"{name} {value:.2g}" for name, value in record.trials[trial].settings.items())
    joined = f", {record.plan.n_joined} fits joined" if record.plan.n_joined > 1 and batches else ""
    refined = "".join(f", {done}" for done in _refined(record.found)) if batches else ""
    everybody = float(record.trials[trial].means[0, 0])
    how = "by hand after" if record.by_hand else "by"
    if early := early_words(record):
        how = f"as the best so far, {early}, by"
    chosen = (
        f"Chosen {how} {record.plan.n_folds}-fold search: {settings}, {batches_words(batches)}{narrower}{joined}"
        f"{refined}; log score {record.log_score:.3f}, as everybody {everybody:.3f}."
    )
    return " ".join(filter(None, (chosen, number_scale_words(record), dropped_words(record))))


def early_words(record: NumberRecord) -> str:
    """Say when a search was ended for its best so far, such as "after 5 of 12 trials"; nothing where it was not."""
    if not record.unfinished or record.choice != record.best:
        return ""
    if len(record.trials) == record.plan.n_trials:
        return "before its last look"
    return f"after {len(record.trials):,} of {count_words(record.plan.n_trials, 'trial')}"


def number_scale_words(record: NumberRecord) -> str:
    """Say which scale columns and target are on and why; nothing where none was chosen."""
    return " ".join(choice.words for choice in (record.scale, record.bend) if choice is not None)


def dropped_words(record: NumberRecord) -> str:
    """Name the columns that the model does without; nothing where there are none."""
    if not record.dropped:
        return ""
    named = ", ".join(shown(name) for name in record.dropped[:_TOP])
    rest = len(record.dropped) - _TOP
    more = f" and {rest:,} more" if rest > 0 else ""
    of_all = f"{len(record.dropped):,} of {count_words(len(record.columns.names), 'column')}" if record.columns else ""
    return f"Left out, because shuffling them on unseen rows changed nothing beyond chance: {of_all} ({named}{more})."


def _refined(found: Mapping[str, Any]) -> list[str]:
    """Say by how much a model is corrected and thinned, as far as it is."""
    return [f"{name} {found[name]:g}" for name in ("correction", "thinning") if found.get(name)]


def number_search_report(record: NumberRecord) -> str:
    """Describe what a search found: its best trials, one line each, at most 80 characters wide.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.selection.number_plan import NumberPlan
    >>> from proset.selection.number_scores import NumberTrial
    >>> plain = {"spread_factors": (1.0,), "corrections": (0.0,), "thinnings": (0.0,)}
    >>> plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, **plain)
    >>> trial = NumberTrial(next(plan.settings()), np.array([[[2.0], [1.5]], [[2.0], [1.4]]]))
    >>> print(number_search_report(NumberRecord(plan, "", (trial,))).splitlines()[0])
    Search by log score (less is better), 2 folds, 1 set of settings tried
    """
    points = record.points()
    best = points.loc[points.groupby("trial")["mean"].idxmin()].sort_values("mean", kind="stable")
    # What a person has chosen need not be the best of its trial.
    own = points[(points["trial"] == record.chosen[0]) & (points["batches"] == record.chosen[1])]
    lines = best.head(_TOP)
    if record.by_hand and not own.index.isin(lines.index).any():
        lines = pd.concat([lines, own])
    done = count_words(len(record.trials), "set of settings tried", "sets of settings tried")
    head = f"  {'log score':>9}{'+-':>8}{'batches':>9}" + "".join(f"{name:>13}" for name in RANGES)
    text = [f"Search by log score (less is better), {record.plan.n_folds} folds, {done}", "", head]
    for place, line in lines.iterrows():
        mark = ">" if place == own.index[0] else " "
        settings = "".join(f"{rough(line[name]):>13}" for name in RANGES)
        text.append(f"{mark} {line['mean']:>9.3f}{line['error']:>8.3f}{int(line['batches']):>9}{settings}")
    rest = len(best) - len(best.head(_TOP))
    if rest:
        text.append(f"  ... and {rest:,} more")
    last = f"'>' is the model. {record.plan.max_batches} batches at most were tried."
    if (chosen := record.refinement) is not None:
        parts = _refined(record.found)
        how = f"with {' and '.join(parts)}" if parts else "as they were grown"
        fits = count_words(record.plan.n_joined, "fit")
        last += (
            f"\nLast look, {fits} {'joined' if record.plan.n_joined > 1 else 'alone'}: taken {how};\n"
            f"log score {chosen.log_score:.3f} with {chosen.prototypes:.0f} prototypes on average."
        )
    more = (line for said in (number_scale_words(record), dropped_words(record)) for line in textwrap.wrap(said, 80))
    return "\n".join([*text, "", last, *more])
