"""Table 1.1 from any set of results, and where ours exceed the published thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.report_tables.cells import EXPERIMENTS, FIRST_SIX, NEW_FIVE
from benchmarks.report_tables.ours import Ours
from benchmarks.report_tables.published import Values, last_threshold, published
from benchmarks.report_tables.rating import Score, rate, within

CLASSIFIERS = {"proset": ("e3", "e10"), "kNN": ("e8", "e11"), "XGBoost": ("e9", "e12")}
"""The experiments that table 1.1 rests on, for the first six problems and for the new five."""


def ratings(values: Mapping[str, Mapping[str, Values]]) -> dict[str, dict[str, str]]:
    """Rate the three classifiers.

    Parameters
    ----------
    values : mapping
        By experiment, problem and key; the published ones or ours.

    Returns
    -------
    dict
        "best", "equivalent", "worse" or "worst" by problem and classifier; a problem is left out unless all three have
        a result.
    """
    rated = {}
    for position, problems in enumerate((FIRST_SIX, NEW_FIVE)):
        for problem in problems:
            found = {name: values.get(of[position], {}).get(problem) for name, of in CLASSIFIERS.items()}
            complete = {name: _score(own) for name, own in found.items() if own}
            if len(complete) == len(CLASSIFIERS):
                rated[problem] = rate(complete)
    return rated


def _score(values: Values) -> Score:
    """Return what the rule looks at; an unstated log-loss of the class shares is replaced by its largest value."""
    naive = values.get("test.naive_log_loss", math.log(values["data.classes"]))
    return Score(values["test.log_loss"], last_threshold(values), naive)


@dataclass(frozen=True)
class Beyond:
    """An experiment on a problem where our log-loss exceeds the published threshold."""

    experiment: str
    problem: str
    published: float
    threshold: float
    ours: float


def beyond(ours: Ours) -> list[Beyond]:
    """Return what exceeds the published threshold, in the order of the experiments' numbers."""
    found = []
    for experiment in sorted(EXPERIMENTS, key=lambda experiment: int(experiment.name[1:])):
        for problem in experiment.problems:
            theirs, own = published()[experiment.name][problem], ours.get(experiment.name, problem)
            threshold = last_threshold(theirs)
            if own and not within(own["test.log_loss"], threshold):
                losses = (theirs["test.log_loss"], threshold, own["test.log_loss"])
                found.append(Beyond(experiment.name, problem, *losses))
    return found
