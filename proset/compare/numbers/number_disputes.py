"""Rows on which systems that answer with a number disagree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.notebook import DisplayedFrame
from proset.common.words import count_words
from proset.compare.numbers.levels import median_of
from proset.compare.numbers.number_result import NumberComparison


@dataclass(frozen=True, eq=False)
class NumberDisputes(DisplayedFrame):
    """Measured rows in the order in which systems disagree about them.

    Attributes
    ----------
    frame : DataFrame
        Index ``row``, the largest gap first; columns ``actual``; ``gap`` (the largest difference between two medians);
        ``apart`` (whether two of the intervals of 90 % have nothing in common); for each system its median under its
        key; ``nearest`` (key of the system whose median is nearest to the actual number) and ``outside`` (how many
        systems have it outside their interval).
    titles : dict of str to str
        Title of each system, by key.
    agreement : DataFrame
        Mean absolute difference of the medians of two systems, in units of the target; index and columns are keys.
    which : str
        What the rows are.
    """

    frame: pd.DataFrame
    titles: dict[str, str]
    agreement: pd.DataFrame
    which: str

    @property
    def words(self) -> str:
        """The finding in sentences."""
        if len(self.titles) < 2 or self.frame.empty:
            return "There are no two systems to compare row by row."
        rows, everyone = count_words(len(self.frame), "row"), len(self.titles)
        apart, missed = int(self.frame["apart"].sum()), int((self.frame["outside"] == everyone).sum())
        first = f"For each of {rows}, the intervals of 90 % of any two systems overlap."
        if apart:
            nothing = "their intervals of 90 % have nothing in common"
            first = f"For {apart:,} of {rows}, two systems exclude each other: {nothing}."
        last = "the actual number lies outside the interval of every system"
        return f"{first} For {missed:,}, {last}." if missed else first


def number_disputes(comparison: NumberComparison) -> NumberDisputes:
    """Find the measured rows on which systems disagree.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = number_disputes(compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2)))
    >>> bool(found.frame["gap"].is_monotonic_decreasing), list(found.agreement)
    (True, ['knn', 'gbmap'])
    """
    entries = comparison.fitted
    keys = [entry.key for entry in entries]
    count = len(comparison.measured)
    medians = np.array([median_of(entry.quantiles) for entry in entries]).reshape(len(keys), count)
    low = np.array([entry.quantiles[:, 0] for entry in entries]).reshape(len(keys), count)
    high = np.array([entry.quantiles[:, -1] for entry in entries]).reshape(len(keys), count)
    frame = pd.DataFrame({"actual": comparison.actual}, index=pd.Index(comparison.measured, name="row"))
    if keys:
        frame["gap"] = medians.max(axis=0) - medians.min(axis=0)
        frame["apart"] = low.max(axis=0) > high.min(axis=0)
        for key, values in zip(keys, medians, strict=True):
            frame[key] = values
        frame["nearest"] = np.asarray(keys)[np.abs(medians - comparison.actual).argmin(axis=0)]
        frame["outside"] = ((comparison.actual < low) | (comparison.actual > high)).sum(axis=0)
        frame = frame.sort_values("gap", ascending=False, kind="stable")
    else:
        frame = frame.iloc[:0].assign(gap=0.0, apart=False, nearest="", outside=0)
    apart = np.abs(medians[:, None] - medians[None]).mean(axis=2)
    return NumberDisputes(
        frame=frame,
        titles={entry.key: entry.title for entry in entries},
        agreement=pd.DataFrame(apart, index=keys, columns=keys),
        which=comparison.which,
    )
