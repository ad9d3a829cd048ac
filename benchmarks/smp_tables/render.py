"""The section of ``benchmarks/tables.md``: published beside ours, and what differs by more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.smp_tables.contestants import (
    CONTESTANTS,
    ELASTIC_NET,
    FURTHER,
    LAM,
    LETTER,
    MU,
    OTHERS,
    OURS,
    SMOOTH,
    STEADY,
    WAYS,
)
from benchmarks.smp_tables.published import TABLE_1
from benchmarks.smp_tables.summary import Found, deviation, published_mean
from benchmarks.tables import table

BAR = 0.01
"""How far the mean accuracy may lie below the published one."""


def section(found: Found, machine: str, reasons: str) -> list[str]:
    """Return the lines of the section.

    Parameters
    ----------
    found : Found
        What was measured.
    machine : str
        What on.
    reasons : str
        What was looked into where ours differ, written by hand, with the names of sets in backticks.

    Returns
    -------
    list of str
        Markdown.
    """
    return [
        "## Sparse multi-prototype classification: table 1",
        "",
        "Made by `python -m benchmarks.smp_tables`; do not edit. Accuracy, mean ± standard deviation over splits. "
        f"{machine} Processor time of all fits: {found.seconds / 60.0:.0f} min.",
        "",
        *_protocol([name for name in TABLE_1 if name not in found.first]),
        *table(_head(), [_row(name, found) for name in found.names]),
        _row_of_means(found),
        "",
        *_verdict(found),
        "",
        *_splits(found),
        *_each_other(found),
        *_apart(found, reasons),
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
        f"of Chambolle and Pock with our step lengths; lambda from {_listed(LAM)}, mu from {_listed(MU)}, by accuracy.",
        f"- *{SMOOTH.title}*: the same with the loss that knows all rivals, to its optimum.",
        f"- *{STEADY.title}*: the same, with ten draws of the five folds for each choice instead of one.",
        f"- *{OURS.title}*: 1, 2 or 5 prototypes per class, with intercepts, by log-loss.",
        f"- *{ELASTIC_NET.title}*: logistic regression of scikit-learn, five strengths and three mixes, same splits.",
        "- *Best other* is the highest mean among other classifiers on that set, after the fact: the paper's, and "
        f"scikit-learn's {', '.join(OTHERS)} in our splits.",
        "",
    ]


def _listed(values: Sequence[float]) -> str:
    """List some numbers."""
    return ", ".join(f"{value:g}" for value in values)


def _head() -> list[str]:
    """Name the columns."""
    ours = [contestant.title for contestant in CONTESTANTS]
    return [
        "set",
        "published SMP",
        *ours,
        *(f"{contestant.title}, further" for contestant in FURTHER[1:]),
        "best other, published",
        "best other, ours",
    ]


def _row(name: str, found: Found) -> list[str]:
    """Return the cells of one set."""
    told, best = TABLE_1[name], found.best_other(name)
    return [
        name,
        f"{told.accuracy:.2f} ± {told.sd:.2f}",
        *(_spread(found.first[name].get(contestant.name, ())) for contestant in CONTESTANTS),
        *(_spread(found.further.get(name, {}).get(contestant.name, ())) for contestant in FURTHER[1:]),
        f"{told.best:.2f} {told.best_names}",
        "not run" if math.isnan(best[0]) else f"{best[0]:.3f} {best[1]}",
    ]


def _row_of_means(found: Found) -> str:
    """Return the last line of the table, means over the sets."""
    cells = [
        published_mean(found.names),
        *(found.mean(contestant.name) for contestant in CONTESTANTS),
        *(found.mean(contestant.name, further=True) for contestant in FURTHER[1:]),
        float(np.mean([TABLE_1[name].best for name in found.names])),
        float(np.mean([found.best_other(name)[0] for name in found.names])),
    ]
    return "| mean | " + " | ".join("not run" if math.isnan(cell) else f"**{cell:.3f}**" for cell in cells) + " |"


def _spread(values: Sequence[float]) -> str:
    """Write mean and standard deviation."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else "not run"


def _verdict(found: Found) -> list[str]:
    """Say whether the mean is where it has to be."""
    published = published_mean(found.names)
    lines = [f"Aim: a mean over these {len(found.names)} sets of no more than one point below the published one.", ""]
    for contestant in (LETTER, SMOOTH, STEADY, OURS):
        ours, more = found.mean(contestant.name), found.mean(contestant.name, further=True)
        verdict = "holds" if ours >= published - BAR else "**does not hold**"
        beside = "" if math.isnan(more) else f" ({more:.3f} over the further splits)"
        lines.append(f"- {contestant.title}: {ours:.3f}{beside} against {published:.3f}: {verdict}.")
    worst = found.farthest_below(SMOOTH.name)
    rest = found.without(worst)
    if rest.names:
        means = ", ".join(f"{c.title} {rest.mean(c.name):.3f}" for c in (LETTER, SMOOTH, STEADY, OURS))
        lines.append(f"- Without {worst}, the set farthest below: {means}, against {published_mean(rest.names):.3f}.")
    one, each = found.known_in_advance()
    if not math.isnan(one):
        lines.append(
            f"- For comparison, {SMOOTH.title} with settings chosen by the test halves: {one:.3f} with one setting for "
            f"all splits of a set, {each:.3f} with one for each split."
        )
    return lines


def _splits(found: Found) -> list[str]:
    """Say how much five splits tell, and what the way in which halves are made does."""
    groups = {way.title: found.groups(way.name) for way in WAYS}
    groups = {title: means for title, means in groups.items() if len(means) > 1}
    if not groups:
        return []
    every = [mean for means in groups.values() for mean in means]
    aim = published_mean(found.names) - BAR
    rows = [
        [title, f"{means[0]:.3f}", f"{np.mean(means):.3f}", f"{min(means):.3f} to {max(means):.3f}"]
        for title, means in groups.items()
    ]
    return [
        f"How much five splits tell: means over the sets of {SMOOTH.title}, with the halves made in other ways and in "
        "other splits. The paper standardises the whole table and then draws its halves; it does not say whether they "
        "have the same class shares. On the whole table, features of the test half take part in means and deviations.",
        "",
        *table(["halves", "first five splits", "all splits", "means of five splits"], rows),
        "",
        f"A mean of five splits has a standard deviation of {np.std(every, ddof=1):.3f}. It reaches {aim:.3f} in "
        f"{sum(mean >= aim for mean in every)} of these {len(every)} groups of five.",
        "",
    ]


def _each_other(found: Found) -> list[str]:
    """Compare every other classifier with its own published mean."""
    means = {name: found.side_by_side(name) for name in OTHERS}
    means = {name: pair for name, pair in means.items() if not math.isnan(pair[1])}
    if not means:
        return []
    own = published_mean(found.names), found.mean(SMOOTH.name)
    rows = [
        [name, *(f"{mean:.3f}" for mean in pair), f"{round(pair[1] - pair[0], 3) + 0.0:+.3f}"]  # no negative zero
        for name, pair in {**means, SMOOTH.title: own}.items()
    ]
    return [
        "Every classifier beside its own published mean, over the sets on which ours did not refuse a split:",
        "",
        *table(["", "published", "ours", "difference"], rows),
        "",
    ]


def _apart(found: Found, reasons: str) -> list[str]:
    """List sets on which ours and the published figure are more than two standard deviations apart."""
    rows = []
    for name in found.names:
        told = TABLE_1[name]
        for contestant in (LETTER, SMOOTH, STEADY, OURS):
            values = found.first[name].get(contestant.name, ())
            if len(values) < 2 or abs(np.mean(values) - told.accuracy) <= 2.0 * told.sd:
                continue
            looked_into = "yes" if f"`{name}`" in reasons else "**not yet**"
            more = _spread(found.further.get(name, {}).get(contestant.name, ()))
            both = [f"{told.accuracy:.2f} ± {told.sd:.2f}", _spread(values), more, f"{deviation(told, values):+.1f}"]
            known = ["not run" if math.isnan(value) else f"{value:.3f}" for value in found.known_in_advance(name)]
            rows.append([name, contestant.title, *both, *known, looked_into])
    head = ["set", "", "published", "ours", "ours, further", "in units of the larger sd"]
    head += ["best setting known", "known for each split", "looked into below"]
    if not rows:
        return ["No difference exceeds two of the published standard deviations."]
    return ["Differences of more than two of the published standard deviations:", "", *table(head, rows)]
