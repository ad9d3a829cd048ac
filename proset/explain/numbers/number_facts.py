"""Worth, limits and origin of a model of a number, in words and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from proset.common.words import count_words, number, percent, rough, shown
from proset.explain.numbers.quality_words import held_words
from proset.explain.sheets.model_facts import columns_frame, data_facts, made_facts, settings_facts
from proset.explain.structure.features import named
from proset.study import NumberStudy
from proset.study.number_metrics import COVERAGE
from proset.study.risks import ignored_risks
from proset.study.verdict_words import better_words


def range_words(study: NumberStudy) -> str:
    """Say which numbers the target has.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> range_words(fit_sample("cars", n_iter=1))
    "'fuel economy (miles per gallon)' is a number: from 9 to 46.6, half of the rows between 17.5 and 29."
    """
    known = study.targets.dropna()
    low, first, third, high = known.quantile([0.0, 0.25, 0.75, 1.0])
    between = f"half of the rows between {number(_short(first))} and {number(_short(third))}"
    return f"'{shown(str(study.roles.target))}' is a number: from {number(low)} to {number(high)}, {between}."


def worth_words(study: NumberStudy) -> tuple[str, ...]:
    """Say how far off a model is, beside the same answer for everybody, and whether its intervals hold.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> worth_words(fit_sample("cars", n_iter=1))[0].partition(" off ")[0]
    'On 120 held-out rows the answer is'
    """
    found, held_out = study.metrics, bool(len(study.split.held_out))
    rows = count_words(found.n_rows, "held-out row" if held_out else "training row")
    said = [
        f"On {rows} the answer is off by {rough(found.mae)} on average; the same answer for everybody, the median of "
        f"the smoothed distribution of all training rows, is off by {rough(found.naive_mae)}."
    ]
    if not held_out:
        said.append("No rows were held out: on rows that the model has not seen it will be further off.")
    if not len(study.prototypes):
        said.append("The model has no prototypes: it says of every case what it says of everybody.")
    elif found.crps >= found.naive_crps:
        said.append("The distributions that it states are no better than that of all training rows.")
    wide = f"they are {rough(found.width)} wide on average, those for everybody {rough(found.naive_width)}"
    return (*said, f"{held_words(study)[0]}; {wide}.")


def number_advice(study: NumberStudy, *, searched: bool) -> str:
    """Say what may make a model better that adds nothing to the answer for everybody; empty for one that does.

    Parameters
    ----------
    searched : bool
        Whether the settings come from a search.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> number_advice(fit_sample("cars", n_iter=1), searched=False)
    ''
    """
    adds = len(study.prototypes) and study.metrics.crps < study.metrics.naive_crps
    return "" if adds else better_words(searched=searched)


def calibration_words(study: NumberStudy) -> str:
    """Say between which quantiles calibrated intervals lie, and why; empty where they are those of the model.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> found = SimpleNamespace(n_rows=112)
    >>> study = SimpleNamespace(calibration=found, interval_levels=(0.03227, 0.97697), split=None)
    >>> calibration_words(study)[:86]
    'Intervals of 90 % are calibrated: they lie between the quantiles of 3.2 % and 97.7 %, '
    """
    if study.calibration is None:
        return ""
    low, high = (percent(level) for level in study.interval_levels)
    rows = count_words(study.calibration.n_rows, "training row")
    return (
        f"Intervals of {percent_of(COVERAGE)} are calibrated: they lie between the quantiles of {low} and {high}, as do"
        f" the numbers of {percent_of(COVERAGE)} of {rows} that were judged by models which had not seen them. They"
        " hold what they promise on average over rows like these, not in every group."
    )


def percent_of(share: float) -> str:
    """Write a share that is promised, such as ``90 %``.

    Examples
    --------
    >>> percent_of(0.9)
    '90 %'
    """
    return f"{100 * share:g} %"


def measures_frame(study: NumberStudy) -> pd.DataFrame:
    """Return the measures on the rows that a study measures, beside the same answer for everybody.

    Returns
    -------
    DataFrame
        Columns ``measure``, ``model``, ``as everybody`` and ``how to read it``; numbers are in units of the target.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> measures_frame(study)["measure"].tolist()[:2]
    ['mean absolute error', 'root mean square error']
    """
    one, share = study.metrics, percent_of(COVERAGE)
    lines: list[tuple[str, Any, Any, str]] = [
        ("mean absolute error", one.mae, one.naive_mae, "of the median; less is better"),
        ("root mean square error", one.rmse, one.naive_rmse, "of the mean; less is better"),
        ("CRPS", one.crps, one.naive_crps, "of the distribution; less is better"),
        ("log score", one.log_score, one.naive_log_score, "in nats; less is better"),
        (f"inside the {share} interval", one.covered, np.nan, f"share of the rows; {share} is promised"),
        ("width of that interval", one.width, one.naive_width, "mean; narrower is better if it holds"),
    ]
    return pd.DataFrame(lines, columns=["measure", "model", "as everybody", "how to read it"])


def number_limits(study: NumberStudy) -> tuple[str, ...]:
    """Say what a model of a number cannot tell, from what it was made of.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> number_limits(fit_sample("cars", n_iter=1))[0][:40]
    'The measures come from 120 held-out rows'
    """
    said = []
    if not len(study.split.held_out):
        said.append("No rows were held out, so nothing is known about rows that the model has not seen.")
    else:
        rows = count_words(study.metrics.n_rows, "held-out row")
        said.append(f"The measures come from {rows} of this table. On rows from elsewhere or from later the model may"
                    " be worse.")  # fmt: skip
    if study.calibration is not None:
        said.append(calibration_words(study))
    said += filter(None, [study.bend_words])
    said += [f"Found in the table and left as it is: {issue.message}" for issue in ignored_risks(study)]
    if not study.split.settings.by_time and len(study.split.held_out):
        said.append("Rows were held out by chance. If later rows differ from earlier ones, this does not show in the"
                    " measures.")  # fmt: skip
    unused = [name for name in study.roles.features if name not in study.used_columns]
    if unused:
        without = f"The model does without {count_words(len(unused), 'feature')} ({named(unused)}): an odd value there"
        said.append(f"{without} changes no answer, and does not make a case look unfamiliar.")
    said.append("A weight says what the model looks at. It does not say what causes the number.")
    low, high = study.targets.reindex(study.split.train).agg(["min", "max"])
    said.append(
        "Where no prototype is near, answers go back to the numbers of all training rows, which lie between"
        f" {number(float(low))} and {number(float(high))}; nothing is known of numbers beyond."
    )
    return tuple(said)


def number_facts(study: NumberStudy) -> dict[str, tuple[tuple[str, Any], ...]]:
    """Return what a model was made of, so that somebody else can tell whether it is the same.

    Returns
    -------
    dict of str to pairs
        Names and values about ``data``, ``roles``, ``settings`` and ``made``.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> dict(number_facts(fit_sample("cars", n_iter=1))["data"])["rows"]
    398
    """
    columns = columns_frame(study)
    lines = columns["role"] + ", " + columns["in the model"]
    roles = tuple((line, named(lines.index[lines == line])) for line in dict.fromkeys(lines.tolist()))
    return {
        "data": data_facts(study),
        "roles": roles,
        "settings": settings_facts(study),
        "made": made_facts(study),
    }


def column_weights(study: NumberStudy) -> pd.DataFrame:
    """Return the weights of the columns in use, the largest of those of a category.

    Returns
    -------
    DataFrame
        Index ``feature``, columns of the table, the heaviest first; one column per batch from 1; 0 = unused there.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> column_weights(fit_sample("cars", n_iter=1)).index[0]
    'displacement (cubic inches)'
    """
    source = {column.name: column.source for column in study.design.columns}
    weights = study.feature_weights
    if weights.empty:
        return weights
    grouped = weights.groupby(weights.index.map(source), sort=False).max()
    order = grouped.max(axis=1).sort_values(ascending=False, kind="stable").index
    return grouped.loc[order].rename_axis("feature")


def _short(value: float) -> float:
    """Round to four digits what is a border between rows, not a row's own number."""
    return float(f"{value:.4g}")
