"""The measures of all systems in one table, with those that are equally good marked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.notebook import DisplayedFrame
from proset.common.words import count_words, measure
from proset.compare.ground import HELD_OUT
from proset.compare.measures import MEASURES, best_words, equivalent_up_to, measure_cells, no_better

if TYPE_CHECKING:
    from proset.compare.result import Comparison


@dataclass(frozen=True, eq=False)
class MetricTable(DisplayedFrame):
    """Measures of all systems over the folds and on the held-out rows.

    Attributes
    ----------
    frame : DataFrame
        Index ``key``; columns ``title``; for each of :data:`proset.compare.MEASURES` ``NAME_mean`` and ``NAME_sd``
        (over the folds, F - 1 degrees of freedom) and ``NAME_held_out``; ``equivalent`` (whether the mean log-loss is
        within the threshold; missing where it is not known) and ``failed`` (what went wrong, in words).
    threshold : float
        Lowest mean log-loss plus its standard deviation over the folds; nan if no system was measured on every fold.
    best : str or None
        Key of the system with the lowest mean log-loss.
    n_folds : int
        Number of folds.
    n_rows, n_measured : int
        Rows that were learned from, and those that the final models are measured on.
    which : str
        What the latter are.
    naive : Series of float64
        The measures of stating the class shares of the rows learned from; index as the measures among the columns.
    left_out_ratio : float or None
        Rows that a fold leaves out for each that it learns from, on average.
    """

    frame: pd.DataFrame
    threshold: float
    best: str | None
    n_folds: int
    n_rows: int
    n_measured: int
    which: str
    naive: pd.Series
    left_out_ratio: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Findings in sentences."""
        if self.best is None:
            return ("No system was measured on every fold, so none can be called the best.",)
        titles = self.frame["title"]
        lowest, spread = self.frame.loc[[self.best], ["log_loss_mean", "log_loss_sd"]].iloc[0]
        known = int(self.frame["log_loss_mean"].notna().sum())
        if known < 2:
            folds = count_words(self.n_folds, "fold")
            alone = f"{titles[self.best]} has a mean log-loss of {measure(lowest)} ± {measure(spread)} over {folds}."
            return (alone, *self._worse_than_naive())
        equivalent = self.frame.index[self.frame["equivalent"].fillna(False).astype(bool)]
        said = measure(lowest), measure(self.threshold)
        first, second = best_words("log-loss", titles, self.best, *said, self.n_folds, equivalent)
        if len(equivalent.union([self.best])) == known:
            second = "All systems that were measured on every fold are equivalent."
        return (first, second, *self._worse_than_naive())

    def _worse_than_naive(self) -> tuple[str, ...]:
        """Name the systems with a log-loss no lower than that of the class shares, over the folds and held out."""
        found = no_better("No better", self.frame["title"], self.frame["log_loss_mean"], *self._shares("mean"))
        if self.which != HELD_OUT:
            return found
        rows = f"On the {self.n_measured:,} {HELD_OUT} no better"
        return found + no_better(rows, self.frame["title"], self.frame["log_loss_held_out"], *self._shares("held_out"))

    def _shares(self, kind: str) -> tuple[float, str]:
        """Return the log-loss of the class shares, as a number and in words."""
        loss = float(self.naive[f"log_loss_{kind}"])
        return loss, f"stating the class shares, {measure(loss)}"


def metric_table(comparison: Comparison) -> MetricTable:
    """Lay out measures, and mark the systems that are equivalent by the threshold of the report.

    The threshold is the lowest mean log-loss plus the standard deviation of that system's log-loss over the folds, as
    in algorithm 2.2. A system that failed on a fold has no mean: it would be one over other rows.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> table = metric_table(found)
    >>> table.best, table.frame["equivalent"].to_dict()
    ('knn', {'proset': False, 'knn': True})
    """
    frame = pd.DataFrame(
        [
            {"title": each.title, **measure_cells(MEASURES, each.fold_scores, each.held_out_scores)}
            for each in comparison.systems
        ],
        index=pd.Index([entry.key for entry in comparison.systems], dtype="str", name="key"),
    )
    mean = frame["log_loss_mean"].to_numpy()
    known = np.isfinite(mean)
    best = int(np.nanargmin(mean)) if known.any() else None
    threshold = math.nan if best is None else equivalent_up_to(comparison.systems[best].fold_scores[:, 0])
    frame["equivalent"] = pd.array(mean <= threshold, dtype="boolean")
    frame.loc[~known, "equivalent"] = pd.NA
    frame["failed"] = pd.array([entry.failed for entry in comparison.systems], dtype="str")
    return MetricTable(
        frame=frame,
        threshold=threshold,
        best=None if best is None else comparison.systems[best].key,
        n_folds=comparison.plan.n_folds,
        n_rows=len(comparison.rows),
        n_measured=len(comparison.measured),
        which=comparison.which,
        naive=pd.Series(
            measure_cells(MEASURES, comparison.naive_fold_scores, comparison.naive_held_out_scores), dtype="float64"
        ),
        left_out_ratio=comparison.left_out_ratio,
    )
