"""A study whose target is a number: every answer is a distribution made of what prototypes say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from proset.common.lazy import lazy_property
from proset.common.words import rough, shown
from proset.data.number_target import number_text, target_numbers, text_number
from proset.engine.everybody import Everybody
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.mixtures.distribution import PredictedDistribution, central_levels
from proset.engine.mixtures.units import BentUnits
from proset.engine.regressor import RegressorModel
from proset.selection.number_record import NumberRecord
from proset.study.base import StudyBase
from proset.study.case import Case
from proset.study.conformal import IntervalCalibration
from proset.study.identity import calibrated_id
from proset.study.new_rows import row_notes
from proset.study.number_metrics import COVERAGE, NumberMetrics


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NumberStudy(StudyBase):
    r"""Everything about one fitted model of a number; made by :func:`fit_number_study`.

    All values, intervals and spreads are in units of the target.

    Attributes
    ----------
    metrics : NumberMetrics
        Quality on the held-out rows.
    calibration : IntervalCalibration or None
        Between which quantiles central intervals lie, if they were calibrated; see
        :func:`proset.study.calibration.calibrate_intervals`.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> study.metrics.n_rows, bool(study.metrics.rmse < study.metrics.naive_rmse)
    (120, True)
    """

    model: RegressorModel
    metrics: NumberMetrics
    search: NumberRecord | None = None
    calibration: IntervalCalibration | None = None

    def __repr__(self) -> str:
        own, naive = _short(self.metrics.mae), _short(self.metrics.naive_mae)
        return self._described(f"mean absolute error {own} (as everybody {naive})")

    @lazy_property
    def id(self) -> str:
        """Hash of model, recipe, table and calibration."""
        own = super().id
        return own if self.calibration is None else calibrated_id(own, self.calibration)

    def levels(self, coverage: float) -> tuple[float, float]:
        """Return the levels of the quantiles that are the ends of the central interval of a coverage."""
        return central_levels(coverage) if self.calibration is None else self.calibration.ends(coverage)

    @property
    def interval_levels(self) -> tuple[float, float]:
        """Levels of the quantiles that are the ends of the intervals of 90 %: 0.05 and 0.95 unless calibrated."""
        return self.levels(COVERAGE)

    def with_calibration(self, calibration: IntervalCalibration | None) -> NumberStudy:
        """Return a study of the same model with other intervals; with those of the model itself for None."""
        fresh, rows = replace(self, calibration=calibration), self.split.measured
        target = self.targets.reindex(rows).to_numpy(dtype=np.float64)
        lower, upper = self.model.predict_quantiles(self.encode(rows).X, fresh.interval_levels).T
        held, width = np.mean((target >= lower) & (target <= upper)), np.mean(upper - lower)
        return replace(fresh, metrics=replace(self.metrics, covered=float(held), width=float(width)))

    @lazy_property
    def table_targets(self) -> pd.Series:
        """The number of every row as the table states it, index row; missing where the target is missing."""
        return target_numbers(self.table.frame, self.roles)

    @lazy_property
    def table_labels(self) -> pd.Series:
        """The number of every row as a text, index row, see :func:`~proset.data.number_target.number_text`."""
        return self.table_targets.dropna().map(number_text).reindex(self.table_targets.index).astype("str")

    def is_label(self, text: str) -> bool:
        """Tell whether a text is a number that can be learned."""
        return text_number(text) is not None

    @lazy_property
    def targets(self) -> pd.Series:
        """The number of every row as the model takes it, index row; missing where the target is missing.

        A training row that guidance relabels has its new number, which the model has learned; one that guidance leaves
        out has none. All others, the held-out ones among them, have that of the table, which errors refer to.
        """
        return self.guidance.labels(self.table_targets)

    @lazy_property
    def unit(self) -> float:
        """Standard deviation of the training targets, of bent ones around the middle: beside it, differences count."""
        return self.model.units_.step

    @lazy_property
    def everybody(self) -> Everybody:
        """The answer that needs no model: the distribution of all training targets, smoothed."""
        return Everybody.of(self.targets.reindex(self.split.train).to_numpy(dtype=np.float64))

    @property
    def bend_words(self) -> str:
        """Sentence that says what a bent target means; nothing where it is taken as it is."""
        units = self.model.units_
        if not isinstance(units, BentUnits):
            return ""
        where = {"above": "larger the number", "below": "smaller the number", "both": "farther from the middle it lies"}
        return (
            f"'{shown(str(self.roles.target))}' is taken bent, with its long tail drawn in as by a logarithm: for the"
            f" same difference from a known case more is added, the {where[units.steep]}."
        )

    def distribution(self, cases: Case | Iterable[int]) -> PredictedDistribution:
        """Return the distributions of one case, or of rows of the table.

        Parameters
        ----------
        cases : Case or iterable of int
            From :meth:`case`, or row ids.

        Raises
        ------
        StudyError
            If the table has no such row.
        """
        X = cases.encoded.X if isinstance(cases, Case) else self.encode(cases).X
        return self.model.predict_distribution(X)

    @lazy_property
    def predictions(self) -> pd.DataFrame:
        """Answers for each row of the table.

        Index ``row``; columns ``part`` ("train", "held_out" or "unlabelled"), ``actual`` (as the table states it,
        whatever guidance says; missing without a number), ``median``, ``mean``, ``lower`` and ``upper`` (ends of the
        central interval of 90 %), ``error`` (median less actual), ``inside`` (whether the interval holds the actual
        number), ``place`` (probability of at most the actual number: where it lies in its own distribution, uniform if
        the model is right), ``familiarity`` and ``quantile`` (share of held-out rows that are at most as familiar).
        """
        said = answers(self, self._encoded.X).set_axis(self.table.frame.index, axis=0)
        said.insert(0, "actual", self.table_targets)
        said.insert(0, "part", self._parts)
        known = said["actual"].notna()
        said["error"] = said["median"] - said["actual"]
        inside = (said["actual"] >= said["lower"]) & (said["actual"] <= said["upper"])
        said["inside"] = inside.astype("boolean").where(known)
        place = pd.Series(np.nan, index=said.index)
        places = [self.model.predict_distribution(self._encoded.X[rows]).cdf(said["actual"].to_numpy()[rows])
                  for rows in np.array_split(np.flatnonzero(known), 1 + int(known.sum()) // _ROWS_AT_ONCE)]  # fmt: skip
        place[known] = np.concatenate(places)
        said["place"] = place
        order = ["part", "actual", "median", "mean", "lower", "upper", "error", "inside", "place"]
        return said[[*order, "familiarity", "quantile"]]

    @lazy_property
    def prototypes(self) -> pd.DataFrame:
        """One row per prototype: ``batch``, ``row`` (id of its row of the table), ``target``, ``spread``, ``weight``.

        Ordered by batch, then by descending weight.
        """
        table = self.model.export()
        rows = self.split.train[table["sample"].to_numpy(dtype=np.int64)]
        found = pd.DataFrame(
            {
                "batch": table["batch"].astype("int64"),
                "row": rows,
                # as it was given: bent and straightened again, 0 would come back as -1.4e-14
                "target": self.targets.reindex(rows).to_numpy(dtype=np.float64),
                "spread": table["spread"],
                "weight": table["prototype weight"],
            }
        )
        return found.reset_index(drop=True)

    def score(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return answers for new rows; a large table can be given in pieces.

        Parameters
        ----------
        frame : DataFrame of shape (n, any)
            Holds at least :attr:`used_columns`; others may be missing or hold anything.

        Returns
        -------
        DataFrame
            Index of `frame`; columns ``median``, ``mean``, ``lower`` and ``upper`` (ends of the central interval of 90
            %), ``familiarity`` (0 or more), ``quantile`` (in [0, 1], relative to the held-out rows) and ``note`` (what
            had to be assumed in a column that the model uses; empty if nothing).

        Raises
        ------
        DesignError
            If columns that the model uses are missing, or hold something else than in training.
        """
        prepared = self.prepared(frame)
        encoded = self.design.transform(prepared, only=self.used_columns)
        scores = answers(self, encoded.X).set_axis(frame.index, axis=0)
        scores["note"] = row_notes(self.design, encoded, prepared, only=self.used_columns)
        return scores


_ROWS_AT_ONCE = 2_000


def _short(value: float) -> str:
    """Write a number with three digits."""
    return rough(value)


def answers(study: NumberStudy, matrix: np.ndarray) -> pd.DataFrame:
    """Return median, mean, interval, familiarity and its quantile for encoded rows; index 0 to n - 1."""
    model, (low, high) = study.model, study.interval_levels
    lower, median, upper = model.predict_quantiles(matrix, [low, 0.5, high]).T
    familiarity = model.familiarity(matrix)
    return pd.DataFrame(
        {
            "median": median,
            "mean": model.predict(matrix),
            "lower": lower,
            "upper": upper,
            "familiarity": familiarity,
            "quantile": familiarity_quantile(familiarity, study.reference),
        }
    )
