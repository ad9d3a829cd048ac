"""The section of ``benchmarks/tables.md``: published beside ours, and what differs by more than chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.smp_tables.contestants import CONTESTANTS, ELASTIC_NET, LETTER, OURS, SMOOTH, Contestant
from benchmarks.smp_tables.published import TABLE_1, Published
from benchmarks.tables import table

BAR = 0.01
"""How far the mean accuracy may lie below the published one."""

Found = Mapping[str, Mapping[str, Sequence[float]]]
"""Accuracy by set and contestant, one entry per split."""


def section(first: Found, further: Found, machine: str, seconds: float, reasons: str) -> list[str]:
    """Return the lines of the section.

    Parameters
    ----------
    first, further : mapping
        Accuracies in the five splits of the protocol, and in others.
    machine : str
        What they were measured on.
    seconds : float
        Processor time of all fits.
    reasons : str
        Where ours differ and why, written by hand; a set is explained where the text names it in backticks.

    Returns
    -------
    list of str
        Markdown.
    """
    names = [name for name in TABLE_1 if name in first]
    absent = [name for name in TABLE_1 if name not in first]
    return [
        "## Sparse multi-prototype classification, table 1",
        "",
        "Made by `python -m benchmarks.smp_tables`; do not edit. Accuracy, mean ± standard deviation over splits. "
        f"{machine} Processor time of all fits: {seconds / 60.0:.0f} min.",
        "",
        *_protocol(absent),
        "",
        *table(_head(), [_row(name, first[name], further.get(name, {})) for name in names]),
        *_row_of_means(names, first, further),
        "",
        *_verdict(names, first, further),
        "",
        *_apart(names, first, further, reasons),
        "",
        reasons.strip(),
    ]


def _protocol(absent: Sequence[str]) -> list[str]:
    """Say how it was done."""
    missing = f" Not at hand: {', '.join(absent)}." if absent else ""
    return [
        "Two halves with the same class shares, five times (seeds 0 to 4), features standardised on the first half, "
        "settings by five-fold cross-validation within it; *further* are 20 more splits (seeds 5 to 24). Columns of "
        f"words are left out, identifiers among them.{missing}",
        "",
        f"- *{LETTER.title}*: two prototypes per class, the loss that knows only the strongest rival, 200 iterations "
        "of Chambolle and Pock with our step lengths; penalties by accuracy.",
        f"- *{SMOOTH.title}*: the same with the loss that knows all rivals, to its optimum.",
        f"- *{OURS.title}*: 1, 2 or 5 prototypes per class, with intercepts, by log-loss.",
        f"- *{ELASTIC_NET.title}*: logistic regression of scikit-learn, five strengths and three mixes, same splits.",
        "- *Best other* is the highest figure among the paper's other classifiers on that set, after the fact.",
        "",
    ]


def _head() -> list[str]:
    """Name the columns."""
    return ["set", "published SMP", "published best other", *(c.title for c in CONTESTANTS), f"{SMOOTH.title}, further"]


def _row(name: str, first: Mapping[str, Sequence[float]], further: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the cells of one set."""
    told = TABLE_1[name]
    cells = [_spread(first.get(contestant.name, ())) for contestant in CONTESTANTS]
    return [
        name,
        f"{told.accuracy:.2f} ± {told.sd:.2f}",
        f"{told.best:.2f} {told.best_names}",
        *cells,
        _spread(further.get(SMOOTH.name, ())),
    ]


def _row_of_means(names: Sequence[str], first: Found, further: Found) -> list[str]:
    """Return the last line of the table, means over the sets."""
    told = [TABLE_1[name] for name in names]
    cells = [f"**{_mean(names, first, contestant):.3f}**" for contestant in CONTESTANTS]
    published = f"**{np.mean([entry.accuracy for entry in told]):.3f}**"
    best = f"**{np.mean([entry.best for entry in told]):.3f}**"
    last = f"**{_mean(names, further, SMOOTH):.3f}**"
    return ["| " + " | ".join(["mean", published, best, *cells, last]) + " |"]


def _mean(names: Sequence[str], found: Found, contestant: Contestant) -> float:
    """Return the mean over sets of the mean over splits; nan if one is missing."""
    each = [found.get(name, {}).get(contestant.name, ()) for name in names]
    return float(np.mean([np.mean(values) if len(values) else math.nan for values in each])) if each else math.nan


def _spread(values: Sequence[float]) -> str:
    """Write mean and standard deviation."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else "not run"


def _verdict(names: Sequence[str], first: Found, further: Found) -> list[str]:
    """Say whether the mean is where it has to be."""
    published = float(np.mean([TABLE_1[name].accuracy for name in names]))
    lines = []
    for contestant in (LETTER, SMOOTH, OURS):
        ours = _mean(names, first, contestant)
        verdict = "holds" if ours >= published - BAR else "**does not hold**"
        more = _mean(names, further, contestant)
        beside = f"; over the further splits {more:.4f}" if not math.isnan(more) else ""
        lines.append(f"- {contestant.title}: mean {ours:.4f} against {published:.4f} published{beside}: {verdict}.")
    return [f"Aim: a mean over these {len(names)} sets of no more than one point below the published one.", "", *lines]


def deviation(told: Published, found: Sequence[float]) -> float:
    """Return how far a mean lies from the published one, in standard deviations over splits, the larger of the two."""
    return float((np.mean(found) - told.accuracy) / max(told.sd, float(np.std(found, ddof=1))))


def _apart(names: Sequence[str], first: Found, further: Found, reasons: str) -> list[str]:
    """List sets on which ours and the published figure are more than two standard deviations apart."""
    rows = []
    for name in names:
        told = TABLE_1[name]
        for contestant in (LETTER, SMOOTH, OURS):
            values = first[name].get(contestant.name, ())
            if len(values) < 2 or abs(np.mean(values) - told.accuracy) <= 2.0 * told.sd:
                continue
            explained = "yes" if f"`{name}`" in reasons else "**not yet**"
            more = _spread(further.get(name, {}).get(contestant.name, ()))
            own = f"{deviation(told, values):+.1f}"
            published = f"{told.accuracy:.2f} ± {told.sd:.2f}"
            rows.append([name, contestant.title, published, _spread(values), more, own, explained])
    head = ["set", "", "published", "ours", "ours, further", "in units of the larger sd", "explained below"]
    if not rows:
        return ["No difference exceeds two of the published standard deviations."]
    return ["Differences of more than two of the published standard deviations:", "", *table(head, rows)]
