"""Stability of the answers of a model of a number when it is fitted again with other seeds and splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words, rough
from proset.engine.fit_progress import FitProgress
from proset.explain.numbers.known_rows import number_study_of
from proset.explain.structure.features import feature_weights
from proset.explain.study_only.refits import (
    N_REPEATS,
    RefitComparison,
    each_refit,
    seeds_of,
    weight_table,
)
from proset.study import NumberStudy
from proset.study.number_fit import fit_number_again
from proset.study.several_fits import FitsProgress

NUMBER_ROW_COLUMNS = ("median", "low", "high", "sd", "width", "held_out", "held")
NUMBER_REFIT_COLUMNS = ("seed", "mae", "covered", "features", "prototypes")


@dataclass(frozen=True, eq=False)
class NumberStability(RefitComparison):
    """Agreement of a model of a number with refits under other seeds and other splits.

    Attributes
    ----------
    rows : DataFrame
        Index ``row``, all rows of the table: ``median`` (of this model), ``low`` and ``high`` (the least and the
        largest median of the refits), ``sd`` (standard deviation of their medians), ``width`` (of this model's interval
        of 90 %), ``held_out`` (refits that held the row out) and ``held`` (share of these whose interval of 90 % holds
        its number; nan without any, or without a number).
    refits : DataFrame
        Index ``refit`` from 1: ``seed``, ``mae`` (of the median) and ``covered`` (share inside the interval of 90 %) on
        the rows held out in it, ``features`` and ``prototypes`` (numbers of both).
    """

    @property
    def words(self) -> tuple[str, ...]:
        """The model in sentences."""
        moved, width = float(self.rows["sd"].median()), float(self.rows["width"].median())
        beside = f", where the interval of 90 % is {rough(width)} wide" if width > 0.0 else ""
        said = [
            f"In {self.refit_words}, the median of a typical row had a standard deviation of {rough(moved)}{beside}."
        ]
        ends = f"{rough(float(self.refits['mae'].min()))} to {rough(float(self.refits['mae'].max()))}"
        said.append(f"The mean absolute error on the rows held out went from {ends}.")
        return tuple(filter(None, (*said, self.used_words)))

    def case_words(self, row: int) -> str:
        """Say how a row of the table fared, in one or two sentences; empty if there is no such row."""
        if row not in self.rows.index:
            return ""
        line = self.rows.loc[[row]].to_dict("records")[0]
        ends = f"{rough(line['low'])} to {rough(line['high'])}"
        own = f"{rough(line['median'])}, with an interval of 90 % that is {rough(line['width'])} wide"
        said = [f"Over {self.refit_words}, its median went from {ends}; this model says {own}."]
        if not line["held_out"]:
            said.append("All of them had learned from this row.")
        elif not pd.isna(line["held"]):
            held = round(line["held"] * line["held_out"])
            many = count_words(line["held_out"], "refit")
            said.append(f"Of the {many} that had not learned from this row, {held:,} had its number in the interval.")
        return " ".join(said)


def number_stability(
    explained: NumberStudy,
    *,
    n_repeats: int = N_REPEATS,
    random_states: Sequence[int] | None = None,
    cases: Iterable[int] = (),
    progress: Callable[[FitsProgress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> NumberStability:
    r"""Fit a model of a number again with other seeds and other splits, and compare.

    Parameters
    ----------
    explained : NumberStudy
        Fitted; it does not change. Columns that its search has left out stay out.
    n_repeats, random_states, progress, cancel
        As for :func:`proset.explain.stability`.
    cases : iterable of int
        Row ids; every row is looked at, so that these are only checked.

    Raises
    ------
    TypeError
        If it is no study of a number.
    StudyError
        If there are too few or too many refits, or a row is not in the table.
    Cancelled
        If it is cancelled before two refits are finished.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_stability(fit_sample("cars", n_iter=1), n_repeats=2)
    >>> found.n_refits, len(found.rows), found.features.index[0]
    (2, 398, 'displacement (cubic inches)')
    """
    study = number_study_of(explained, "number_stability")
    study.encode(cases)  # refuses what is not in the table
    wanted = seeds_of(study, n_repeats, random_states)

    def compare(seed: int, tell: Callable[[FitProgress], None]) -> _NumberRefit:
        split = replace(study.split.settings, seed=seed)
        return _compared(fit_number_again(study, split, seed, progress=tell), seed)

    refits = each_refit(wanted, compare, progress, cancel)
    return NumberStability(
        study.id,
        not study.split.settings.by_time,
        _rows(study, refits),
        weight_table(study, [refit.weights for refit in refits]),
        _lines(refits),
    )


@dataclass(frozen=True, eq=False)
class _NumberRefit:
    """Results of one refit: medians of all rows, whether intervals hold their numbers, and which were held out."""

    median: NDArray[np.float64]
    inside: NDArray[np.bool_]
    held_out: NDArray[np.bool_]
    weights: pd.Series
    line: tuple[float, ...]


def _compared(again: NumberStudy, seed: int) -> _NumberRefit:
    """Keep of a refit what the summary needs."""
    said, weights, metrics = again.predictions, feature_weights(again).total, again.metrics
    return _NumberRefit(
        said["median"].to_numpy(dtype=np.float64),
        said["inside"].fillna(False).to_numpy(dtype=bool),
        (said["part"] == "held_out").to_numpy(dtype=bool),
        weights,
        (seed, metrics.mae, metrics.covered, len(weights), len(again.prototypes)),
    )


def _rows(study: NumberStudy, refits: list[_NumberRefit]) -> pd.DataFrame:
    """Return how each row fared."""
    own = study.predictions
    medians, held_out = np.stack([one.median for one in refits]), np.stack([one.held_out for one in refits])
    held = np.stack([one.inside for one in refits]) & held_out
    times = held_out.sum(axis=0)
    known = own["actual"].notna().to_numpy() & (times > 0)
    return pd.DataFrame(
        {
            "median": own["median"],
            "low": medians.min(axis=0),
            "high": medians.max(axis=0),
            "sd": medians.std(axis=0, ddof=1),
            "width": own["upper"] - own["lower"],
            "held_out": times.astype(np.int64),
            "held": np.where(known, held.sum(axis=0) / np.where(known, times, 1), np.nan),
        },
        index=own.index,
    ).rename_axis("row")


def _lines(refits: list[_NumberRefit]) -> pd.DataFrame:
    """Return one line per refit."""
    index = pd.RangeIndex(1, len(refits) + 1, name="refit")
    frame = pd.DataFrame([one.line for one in refits], columns=list(NUMBER_REFIT_COLUMNS), index=index)
    return frame.astype({"seed": "int64", "features": "int64", "prototypes": "int64"})
