"""Two models of a number on the same held-out rows: what became of a model when something was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.set_manager import FloatArray
from proset.study.before_after import Turnover, check_same_ground, turnover
from proset.study.intervals import mean_interval
from proset.study.number_study import NumberStudy
from proset.study.unseen import untouched_rows

ERROR, CRPS, INSIDE, WIDTH = MEASURES = ("absolute error", "CRPS", "inside 90 %", "width")
"""Of the median and of the distribution, whether the interval holds the number, and how wide it is."""
NUMBER_COLUMNS = ("before", "after", "difference", "low", "high")
_ROWS_AT_ONCE = 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberBeforeAfter(Turnover):
    """A model of a number before and after a change, on held-out rows that both have not seen.

    Attributes
    ----------
    n_rows : int
        Held-out rows; they are measured against the numbers of the table.
    quality : DataFrame
        Index: ``MEASURES``; means over the rows, `before` and `after`, and their `difference` with its 95 % interval
        `low` to `high` (paired, in whole groups where the split has groups). All but the share of intervals that hold
        the number are in units of the target, and less is better. Empty where no row is held out.
    untouched : DataFrame
        The same on the held-out rows that are never put up for review, see :func:`proset.study.unseen.untouched_rows`.
    corrected : DataFrame
        The same on all held-out rows against corrected numbers; empty where there are none.
    moved : DataFrame
        Held-out rows, those first whose median moved most, index ``row``: ``actual``, ``before``, ``after`` (medians),
        ``inside_before`` and ``inside_after`` (whether the interval of 90 % holds the number).
    """

    n_rows: int
    quality: pd.DataFrame
    untouched: pd.DataFrame
    corrected: pd.DataFrame
    moved: pd.DataFrame


def number_before_after(
    before: NumberStudy, after: NumberStudy, *, corrected: Mapping[int, float] | None = None
) -> NumberBeforeAfter:
    r"""Compare two models of a number on the same held-out rows.

    Parameters
    ----------
    corrected : mapping of int to float, or None
        Other numbers of some held-out rows, by row id. Quality is then stated against them, too.

    Raises
    ------
    StudyError
        If the two are not of the same table, target and held-out rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> same = number_before_after(study, study)
    >>> same.n_rows, float(same.quality.loc["CRPS", "difference"]), same.columns_gained
    (120, 0.0, ())
    """
    check_same_ground(before, after, alike=before.roles.target == after.roles.target, what="target")
    rows = np.sort(before.split.held_out)
    said = [study.predictions.loc[rows] for study in (before, after)]
    moved = pd.DataFrame(
        {
            "actual": said[0]["actual"],
            "before": said[0]["median"],
            "after": said[1]["median"],
            "inside_before": said[0]["inside"],
            "inside_after": said[1]["inside"],
        }
    ).rename_axis("row")
    actual = moved["actual"].to_numpy(dtype=np.float64)
    given = {} if corrected is None else corrected
    truth = np.asarray([given.get(int(row), known) for row, known in zip(rows, actual, strict=True)], dtype=np.float64)
    measured = np.stack([_measured(study, rows, actual) for study in (before, after)])
    anew = np.stack([_measured(study, rows, truth) for study in (before, after)]) if np.any(truth != actual) else None
    apart = np.isin(rows, untouched_rows(before))
    order = np.argsort(-(moved["after"] - moved["before"]).abs().to_numpy(), kind="stable")
    return NumberBeforeAfter(
        n_rows=len(rows),
        quality=_quality(before, rows, measured),
        untouched=_quality(before, rows[apart], measured[:, :, apart]),
        corrected=_quality(before, rows[:0], measured) if anew is None else _quality(before, rows, anew),
        moved=moved.iloc[order],
        **turnover(before, after),
    )


def _quality(before: NumberStudy, rows: NDArray[np.int64], measured: FloatArray) -> pd.DataFrame:
    """Return the table of measures; `measured` are those of some rows by both models, shape (2, 4, n)."""
    if not len(rows):
        return pd.DataFrame(columns=list(NUMBER_COLUMNS))
    groups = before.groups_of(rows)
    lines = {
        name: (float(a.mean()), float(b.mean()), float((b - a).mean()), *mean_interval(b - a, groups))
        for name, a, b in zip(MEASURES, *measured, strict=True)
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=list(NUMBER_COLUMNS))


def _measured(study: NumberStudy, rows: NDArray[np.int64], actual: FloatArray) -> FloatArray:
    """Return the measures of each row against a number for each, shape (4, n)."""
    said = study.predictions.loc[rows]
    median, lower, upper = (said[name].to_numpy(dtype=np.float64) for name in ("median", "lower", "upper"))
    crps = [
        study.distribution(some).crps(actual[np.isin(rows, some)])
        for some in np.array_split(rows, 1 + len(rows) // _ROWS_AT_ONCE)
    ]
    inside = (actual >= lower) & (actual <= upper)
    found: FloatArray = np.vstack([np.abs(median - actual), np.concatenate(crps), inside, upper - lower])
    return found
