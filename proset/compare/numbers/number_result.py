"""Results of a comparison of systems that answer with a number."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from proset.common.notebook import Displayed, DisplayedFrame
from proset.common.words import percent, rough
from proset.compare.ground import HELD_OUT
from proset.compare.measures import IntArray, best_words, equivalent_up_to, measure_cells, no_better
from proset.compare.numbers.levels import NUMBER_MEASURES, FloatArray, median_of
from proset.compare.plan import ComparePlan
from proset.compare.result import SystemFacts, named


@dataclass(frozen=True, eq=False)
class NumberSystemResult(SystemFacts):
    """Result of one system.

    Attributes
    ----------
    quantiles : float64 array of shape (m, 19)
        Of the final model for the measured rows, at :data:`proset.compare.LEVELS`; no row without a model.
    means : float64 array of shape (m,)
        The same of the mean.
    n_prototypes, n_features : int or None
        Of the final model, if it is made of prototypes: how many, and how many columns of the table it uses.
    """

    quantiles: FloatArray
    means: FloatArray
    n_prototypes: int | None
    n_features: int | None


@dataclass(frozen=True, eq=False)
class NumberComparison(Displayed):
    """Several systems on the rows of one study of a number. It holds no row of the table and no model.

    Attributes
    ----------
    study_id : str
        The study.
    plan : ComparePlan
        What was asked for.
    target : str
        Name of the column.
    rows, measured : int64 array of shape (n,) and (m,)
        Ids of the rows that final models learned from, and of those they are measured on.
    actual : float64 array of shape (m,)
        The numbers of the latter.
    which : str
        What these rows are: ``"held-out rows"``, or ``"training rows"`` where none are held out.
    systems : tuple of NumberSystemResult
        In the order of the plan.
    everybody, line : NumberSystemResult
        What any system has to be better than: the distribution of all training targets, for every case alike, and a
        straight line with the errors that it makes on rows left out.
    seconds : float
        Time of all of it.
    left_out_ratio : float or None
        Rows that a fold leaves out for each that it learns from, on average; None where it was not kept.
    """

    study_id: str
    plan: ComparePlan
    target: str
    rows: IntArray
    measured: IntArray
    actual: FloatArray
    which: str
    systems: tuple[NumberSystemResult, ...]
    everybody: NumberSystemResult
    line: NumberSystemResult
    seconds: float
    left_out_ratio: float | None = None

    def system(self, key: str) -> NumberSystemResult:
        """Return how one system fared.

        Raises
        ------
        StudyError
            If it took no part.
        """
        return named(self.systems, key)

    @property
    def fitted(self) -> tuple[NumberSystemResult, ...]:
        """The systems that have a final model."""
        return tuple(entry for entry in self.systems if len(entry.quantiles))

    def answers(self, key: str) -> pd.DataFrame:
        """Return what one system says of the measured rows: ``actual``, ``median``, ``lower`` and ``upper`` (90 %)."""
        said = self.system(key).quantiles
        columns = {"actual": self.actual, "median": median_of(said), "lower": said[:, 0], "upper": said[:, -1]}
        return pd.DataFrame(columns, index=pd.Index(self.measured, name="row"))


@dataclass(frozen=True, eq=False)
class NumberTable(DisplayedFrame):
    """Measures of all systems over the folds and on the measured rows.

    Attributes
    ----------
    frame : DataFrame
        Index ``key``, last ``line`` and ``everybody``; columns ``title``; for each of
        :data:`proset.compare.NUMBER_MEASURES` ``NAME_mean`` and ``NAME_sd`` (over the folds, F - 1 degrees of freedom)
        and ``NAME_held_out``; ``equivalent`` (whether the mean CRPS is within the threshold; missing where it is not
        known, and for the last two) and ``failed``.
    best : str or None
        Key of the system with the lowest mean CRPS.
    threshold : float
        That and its standard deviation over the folds, as in algorithm 2.2; nan without a best.
    n_folds, n_rows, n_measured : int
        Number of folds, of rows that were learned from, and of those that final models are measured on.
    which : str
        What the latter are.
    left_out_ratio : float or None
        Rows that a fold leaves out for each that it learns from, on average.
    """

    frame: pd.DataFrame
    best: str | None
    threshold: float
    n_folds: int
    n_rows: int
    n_measured: int
    which: str
    left_out_ratio: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Findings in sentences."""
        if self.best is None:
            return ("No system was measured on every fold, so none can be called the best.",)
        own = self.frame[self.frame["equivalent"].notna()]
        mean, titles = own["crps_mean"], own["title"]
        lowest, equivalent = rough(mean[self.best]), own.index[own["equivalent"].astype(bool)]
        said: tuple[str, ...] = (f"{titles[self.best]} has a mean CRPS of {lowest}.",)
        if len(own) > 1:
            said = best_words("CRPS", titles, self.best, lowest, rough(self.threshold), self.n_folds, equivalent)
        said += no_better("No better", titles, mean, *self._line("mean"))
        if self.which != HELD_OUT:
            return said
        rows = f"On the {self.n_measured:,} {HELD_OUT} no better"
        return said + no_better(rows, titles, own["crps_held_out"], *self._line("held_out"))

    def _line(self, kind: str) -> tuple[float, str]:
        """Return the CRPS of the straight line, as a number and in words."""
        loss = float(self.frame[f"crps_{kind}"]["line"])
        return loss, f"a straight line, {rough(loss)}"

    @property
    def promise_words(self) -> str:
        """Systems whose intervals of 90 % hold clearly more or less on the measured rows, in words; may be empty."""
        spread = 3.0 * (0.9 * 0.1 / max(1, self.n_measured)) ** 0.5
        own = self.frame[self.frame["equivalent"].notna()]
        held = own["covered_held_out"]
        off = [f"{own['title'][key]} {percent(held[key])}" for key in own.index if abs(held[key] - 0.9) > spread]
        return f"Intervals that promise 90 % hold something else on the {self.which}: {', '.join(off)}." if off else ""


def number_table(comparison: NumberComparison) -> NumberTable:
    """Lay out measures, and mark the systems that are equivalent by the threshold of the report.

    A system that failed on a fold has no mean: it would be one over other rows.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2))
    >>> table = number_table(found)
    >>> table.best in ("knn", "gbmap"), list(table.frame.index)
    (True, ['knn', 'gbmap', 'line', 'everybody'])
    """
    entries = (*comparison.systems, comparison.line, comparison.everybody)
    cells = [measure_cells(NUMBER_MEASURES, entry.fold_scores, entry.held_out_scores) for entry in entries]
    frame = pd.DataFrame(cells, index=pd.Index([entry.key for entry in entries], name="key"))
    frame.insert(0, "title", [entry.title for entry in entries])
    own = frame["crps_mean"].iloc[: len(comparison.systems)]
    best = str(own.idxmin()) if own.notna().any() else None
    threshold = float("nan") if best is None else equivalent_up_to(comparison.system(best).fold_scores[:, 0])
    alike = (frame["crps_mean"] <= threshold).astype("boolean")
    frame["equivalent"] = alike.where(frame.index.isin(own.index[own.notna()]))
    frame["failed"] = pd.array([entry.failed for entry in entries], dtype="str")
    return NumberTable(
        frame=frame,
        best=best,
        threshold=threshold,
        n_folds=comparison.plan.n_folds,
        n_rows=len(comparison.rows),
        n_measured=len(comparison.measured),
        which=comparison.which,
        left_out_ratio=comparison.left_out_ratio,
    )
