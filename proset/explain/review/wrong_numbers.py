"""Likely wrong numbers: rows whose number is contradicted by models that have not seen them, and by known cases.

Three densities are asked how likely the number in the table is: that of the model that has not seen the row, and those
of its nearest known cases in that model's metric and in all columns. The mean of their logarithms stands against a
number that has nothing to do with the row, which may lie anywhere. That is done twice: the second time a known case
counts by how far its own number was trusted the first time, so that wrong numbers do not vouch for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit

from proset.common.notebook import DisplayedFrame
from proset.common.words import number
from proset.engine.set_manager import FloatArray
from proset.explain.numbers.contrasts import to_width
from proset.explain.numbers.known_rows import number_study_of
from proset.explain.review.judges import JudgedNumbers, middles, most_suspicious_first, number_judges
from proset.study import NumberStudy
from proset.study.find_row import row_ids
from proset.study.number_unseen import NumberUnseen

SUSPICIOUS = 0.5
"""Suspicion from which on a row is listed although its number lies within the interval."""
N_NEAREST = 10
"""Known cases that are asked for their number."""
_WRONG = 0.1
"""Share of wrong numbers that is assumed: with half of all, every number in a tail would be listed."""
_ANYWHERE = 0.4  # density of a wrong number, per standard deviation: as high as what everybody says at its top
_FAMILIAR = 0.2
_LEAST_SPREAD = 0.05  # of neighbours, in standard deviations of the target: ten that agree are no proof
_ROWS_AT_ONCE = 2_000
_FAR = 2.0  # spreads from what neighbours have, from which on they are said to speak against a number


@dataclass(frozen=True, eq=False)
class WrongNumbers(DisplayedFrame):
    """Suspicion of the number that the table states of each row.

    Attributes
    ----------
    target : str
        Name of the number.
    frame : DataFrame
        Index ``row``, in the order of suspicion, most first: ``actual``, ``said`` (the median), ``lower`` and ``upper``
        (ends of the interval of 90 %), ``near_model`` and ``near_all`` (mean number of the 10 nearest known cases, in
        the model's metric and in all columns, each as far as it is trusted), ``apart_model`` and ``apart_all`` (how
        many of their spreads the number lies from these), ``familiarity`` (quantile in [0, 1]), ``suspicion`` (in
        [0, 1], higher is more suspicious: the probability of a wrong number if one in ten was),
        ``prototype`` (whether the row is one, of the study or of another fold) and ``reason`` (a sentence, or empty).
    """

    target: str
    frame: pd.DataFrame


def wrong_numbers(study: NumberStudy, unseen: NumberUnseen, *, cases: Iterable[int] | None = None) -> WrongNumbers:
    r"""Tell how suspicious the number is that the table states of each row.

    Parameters
    ----------
    unseen : NumberUnseen
        Folds of the training rows of the study.
    cases : iterable of int or None
        Row ids; None for all training rows that were left out of a fold. Those without a number are left out.

    Raises
    ------
    StudyError
        If the folds are of another study, or the table has no such row.
    TypeError
        If something else than a study of a number is given.

    Examples
    --------
    >>> import proset
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.study.number_unseen import judge_numbers_unseen
    >>> prices = [3 * size + size % 7 for size in range(80)]
    >>> prices[30] = 900
    >>> lines = ["size,price"] + [f"{size},{price}" for size, price in enumerate(prices)]
    >>> table = proset.read_table("\n".join(lines).encode(), name="prices.csv")
    >>> study = proset.fit_number_study(table, guess_roles(table, target="price").roles)
    >>> found = wrong_numbers(study, judge_numbers_unseen(study), cases=[29, 30, 31, 32]).frame
    >>> int(found.index[0]), bool(found["suspicion"].iloc[0] > 0.99)
    (31, True)
    """
    study = number_study_of(study, "wrong_numbers")
    wanted = unseen.rows if cases is None else row_ids(cases)
    study.encode(wanted)  # refuses rows that the table does not have
    return suspicious_numbers(study, unseen, wanted)


def suspicious_numbers(study: NumberStudy, unseen: NumberUnseen | None, rows: NDArray[np.int64]) -> WrongNumbers:
    """Return the same where training rows may not have been left out of any fold, and are judged by the study."""
    known = study.split.train if unseen is None else unseen.rows
    trust = pd.concat([_trust(judged) for judged in number_judges(study, unseen, known)])
    numbered = rows[study.table_targets.loc[pd.Index(rows)].notna().to_numpy()]
    parts = [_part(judged, trust) for judged in number_judges(study, unseen, numbered)]
    frame = pd.concat(parts or [_part(JudgedNumbers(study, rows[:0], unseen=True), trust)])
    frame = most_suspicious_first(frame, study, unseen)
    reasons = [_reason(line) for line in frame.itertuples()]
    return WrongNumbers(str(study.roles.target), frame.assign(reason=pd.array(reasons, dtype="str")))


def _trust(judged: JudgedNumbers) -> pd.Series:
    """Return how far the number of each row can be trusted, before anything is known of its neighbours, in [0, 1]."""
    return pd.Series(1.0 - _suspicion(judged, judged.learned, judged.moments(N_NEAREST)), index=judged.rows)


def _suspicion(judged: JudgedNumbers, numbers: FloatArray, sums: Iterable[FloatArray]) -> FloatArray:
    """Return how suspicious numbers are; in the units of the model, so that a bent target needs no Jacobian."""
    places = judged.study.model.units_.inward(numbers)
    said, everybody = _said(judged, places)
    near = [np.where(known, _log_density(places, middle, spread), everybody) for middle, spread, known in _near(sums)]
    right = np.mean([said, *near], axis=0)
    return np.asarray(expit(np.log(_ANYWHERE * _WRONG / (1.0 - _WRONG)) - right))


def _said(judged: JudgedNumbers, places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of the densities that the model and everybody state; those of many rows are large."""
    model, X = judged.study.model, judged.study.encode(judged.rows).X
    said, everybody = np.zeros(len(X)), np.zeros(len(X))
    for start in range(0, len(X), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        at = places[some, None]
        said[some] = model.predict_distribution(X[some]).mixture.log_pdf(at)[:, 0]
        everybody[some] = next(model.staged_predict_distribution(X[some])).mixture.log_pdf(at)[:, 0]
    return said, everybody


def _near(sums: Iterable[FloatArray]) -> Iterator[tuple[FloatArray, FloatArray, NDArray[np.bool_]]]:
    """Give middle and spread of what neighbours have, and where there are any."""
    for part in sums:
        middle, spread, known = middles(part)
        yield middle, np.maximum(spread, _LEAST_SPREAD), known


def _log_density(places: FloatArray, middle: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the logarithm of the density of one more number, after ten with this mean and spread."""
    wider = spread * np.sqrt((N_NEAREST + 1.0) / (N_NEAREST - 1.0))
    return np.asarray(stats.t.logpdf(places, N_NEAREST - 1, middle, wider))


def _part(judged: JudgedNumbers, trust: pd.Series) -> pd.DataFrame:
    """Look at the rows of one model."""
    actual, units = judged.actual, judged.study.model.units_
    sums = judged.moments(N_NEAREST, trust)
    said = judged.study.predictions.loc[judged.rows]
    columns: dict[str, Any] = {"actual": actual, "said": said["median"].to_numpy()}
    columns |= {end: said[end].to_numpy() for end in ("lower", "upper")}
    near = {}
    for name, (middle, spread, known) in zip(("model", "all"), _near(sums), strict=True):
        columns[f"near_{name}"] = np.where(known, units.outward(middle), np.nan)
        near[f"apart_{name}"] = np.where(known, (units.inward(actual) - middle) / spread, 0.0)
    columns |= near | {
        "familiarity": said["quantile"].to_numpy(),
        "suspicion": _suspicion(judged, actual, sums),
    }
    return pd.DataFrame(columns, index=pd.Index(judged.rows, name="row"))


def _reason(line: Any) -> str:
    """Say why the number of a row is suspicious; nothing where it is not."""
    if line.suspicion < SUSPICIOUS:
        return ""
    width, parts = line.upper - line.lower, []
    if not line.lower <= line.actual <= line.upper:
        how = "although the case is familiar" if line.familiarity >= _FAMILIAR else "and the case is not familiar"
        ends = [to_width(end, width) for end in (line.lower, line.upper)]
        parts.append(f"the model says {ends[0]} to {ends[1]} with 90 %, {how}")
    where = {"in the columns that the model uses": "model", "in all columns": "all"}
    for place, name in where.items():
        if abs(getattr(line, f"apart_{name}")) > _FAR:
            middle = to_width(getattr(line, f"near_{name}"), width)
            parts.append(f"the nearest known cases {place} have {middle} on average")
    if not parts:
        return f"Model and nearest known cases together speak against {number(line.actual)}."
    if line.prototype:
        parts.append("it is a prototype, so others rest on it")
    text = f"{'; '.join(parts)}."
    return text[0].upper() + text[1:]
