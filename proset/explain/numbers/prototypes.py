"""The prototypes of a model of a number: what each says, for whom, and what the others make of its row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.notebook import Displayed, DisplayedFrame
from proset.common.words import number
from proset.engine.density_sets import DensityBatch
from proset.engine.mixtures.mixture import Mixture
from proset.explain.maps.feature_axes import FeatureAxis, feature_scale
from proset.explain.number_subject import NumberSubject, measured_rows, number_subject
from proset.explain.numbers.typical import middle, shares
from proset.study.number_study import NumberStudy

_ROWS_AT_ONCE = 500
_MOST_CASES = 50
_HEARD = 0.001
"""A share below which a prototype says nothing of a case."""


@dataclass(frozen=True, eq=False)
class NumberPrototypes(DisplayedFrame):
    """All prototypes, measured on some rows.

    Attributes
    ----------
    frame : DataFrame
        One line per prototype, by batch and descending weight: ``batch``, ``row``, ``name``, ``target``, ``spread``,
        ``weight``; ``leads`` (in the answers for how many rows it has the largest share), ``share`` (its mean share in
        all answers), ``heard`` (for how many rows its share is a thousandth or more); ``others``, ``others lower`` and
        ``others upper`` (median and interval of 90 % that all prototypes of other rows state for its own row) and
        ``place`` (probability that they give to at most its own number).
    n_rows : int
        Rows that were measured.
    everybody : float
        Mean share of what everybody says.
    """

    frame: pd.DataFrame
    n_rows: int
    everybody: float


@dataclass(frozen=True, eq=False)
class NumberPrototypeView(Displayed):
    """One prototype, and the rows it counts for.

    Attributes
    ----------
    batch, row, name
        Which it is.
    target, spread : float
        What it says of cases like itself, and its give or take.
    values : DataFrame
        Index ``feature``: the columns that its batch uses, the heaviest first; ``value`` (of its row), ``typical``
        (median or most frequent level of the training rows), ``weight``; texts but for the last.
    cases : DataFrame
        Index row id: the rows in whose answers it has the largest shares, at most 50: ``share``, ``rank`` (1 where no
        prototype has a larger one), ``says``, ``median``, ``actual``, ``error``.
    n_rows : int
        Rows that were measured.
    """

    batch: int
    row: int
    name: str
    target: float
    spread: float
    values: pd.DataFrame
    cases: pd.DataFrame
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return the rows it counts for, see `cases`."""
        return self.cases.copy()


def number_prototypes(explained: NumberStudy, cases: Iterable[int] | None = None) -> NumberPrototypes:
    """Measure what each prototype does.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids to measure on; None for the held-out rows, or the training rows without any.

    Raises
    ------
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_prototypes(fit_sample("cars", n_iter=1))
    >>> found.n_rows, bool(abs(found.frame["share"].sum() + found.everybody - 1.0) < 1e-9)
    (120, True)
    """
    subject, measured = number_subject(explained), measured_rows(explained, cases)
    X, order = explained.encode(measured).X, _order(subject)
    leads, total, heard = (np.zeros(len(order)) for _ in range(3))
    for _, share in shares(subject.manager, X):
        total += share.sum(axis=0)
        heard += (share >= _HEARD).sum(axis=0)
        if len(order):
            first = share.argmax(axis=1)[share.max(axis=1) > 0.0]
            leads += np.bincount(first, minlength=len(order))
    frame = explained.prototypes.copy()
    frame.insert(2, "name", explained.names_of(explained.table.frame.loc[frame["row"]]))
    count = max(1, len(measured))
    frame["leads"], frame["share"] = leads[order].astype(np.int64), total[order] / count
    frame["heard"] = heard[order].astype(np.int64)
    frame[["others", "others lower", "others upper", "place"]] = _said_by_others(subject, frame)
    return NumberPrototypes(frame, len(measured), float(1.0 - total.sum() / count))


def number_prototype_view(
    explained: NumberStudy, batch: int, row: int, cases: Iterable[int] | None = None
) -> NumberPrototypeView:
    """Look at one prototype: what it is like, and for which rows it counts.

    Parameters
    ----------
    batch : int
        From 1.
    row : int
        Row id of the prototype.
    cases : iterable of int or None
        As for :func:`number_prototypes`.

    Raises
    ------
    ProsetError
        If the batch has no such prototype.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = number_prototype_view(study, 1, int(study.prototypes["row"][0]))
    >>> found.values.index[0], bool(found.cases["share"].is_monotonic_decreasing)
    ('displacement (cubic inches)', True)
    """
    subject, measured = number_subject(explained), measured_rows(explained, cases)
    known = explained.prototypes
    here = np.flatnonzero((known["batch"] == batch) & (known["row"] == row))
    if not len(here):
        raise ProsetError(f"Batch {batch} of this model has no prototype from row {row}.", hint="Choose another one.")
    line, place = known.iloc[here[0]], int(_order(subject)[here[0]])
    X = explained.encode(measured).X
    share, rank = np.zeros(len(X)), np.zeros(len(X), dtype=np.int64)
    for block, found in shares(subject.manager, X):
        share[block] = found[:, place]
        rank[block] = 1 + (found > found[:, [place]]).sum(axis=1)
    top = np.argsort(-share, kind="stable")[:_MOST_CASES]
    top = top[share[top] >= _HEARD]
    said = explained.predictions.loc[measured[top], ["median", "actual", "error"]]
    says = _centers(explained, batch, row, X[top])
    heard = pd.DataFrame({"share": share[top], "rank": rank[top], "says": says}, index=said.index).join(said)
    name = explained.names_of(explained.table.frame.loc[[row]])[0]
    target, spread = float(line["target"]), float(line["spread"])
    return NumberPrototypeView(batch, row, name, target, spread, _values(subject, batch, row), heard, len(measured))


def _order(subject: NumberSubject) -> NDArray[np.int64]:
    """Return where each prototype of the study's list stands among those of the model, batch after batch."""
    batches = subject.manager.density_batches
    numbers = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    weights = np.concatenate([np.zeros(0), *(batch.weights for batch in batches)])
    return np.lexsort((-weights, numbers)).astype(np.int64)


def _said_by_others(subject: NumberSubject, frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return median, interval and place of each prototype's own number by prototypes of other rows, shape (P, 4)."""
    study, (low, high) = subject.study, subject.study.interval_levels
    own, order = frame["row"].to_numpy(), _order(subject)
    owners = np.empty(len(own), dtype=np.int64)
    owners[order] = own
    result = np.empty((len(own), 4))
    X, units = study.encode(own).X, study.model.units_
    levels = np.array([[0.5, low, high]])
    for start in range(0, len(own), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        said = subject.manager.mixture(X[some])
        weights = said.weights.copy()
        weights[:, : len(owners)][own[some, None] == owners] = 0.0
        rest = Mixture(weights / weights.sum(axis=1, keepdims=True), said.means, said.spreads)
        result[some, :3] = units.outward(rest.quantile(np.repeat(levels, len(weights), axis=0)))
        standard = units.inward(frame["target"].to_numpy()[some])
        result[some, 3] = rest.cdf(standard[:, None])[:, 0]
    return result


def _centers(study: NumberStudy, batch: int, row: int, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return what a prototype says of rows: its own number, adjusted for what tells them from it."""
    known = study.model.set_manager_.batches[batch - 1]
    assert isinstance(known, DensityBatch)  # the prototype is of it
    at = int(np.flatnonzero(study.split.train[known.sample_index] == row)[0])
    said: NDArray[np.float64] = study.model.units_.outward(known.centers(X)[:, at])
    return said


def _values(subject: NumberSubject, batch: int, row: int) -> pd.DataFrame:
    """Return the values of a prototype in the columns that its batch uses, beside typical ones."""
    study, typical = subject.study, middle(subject)
    known = subject.manager.batches[batch - 1]
    assert known is not None  # the prototype is of it
    wide = np.zeros(subject.manager.num_features)
    wide[known.active_features] = known.feature_weights
    heaviest = {name: float(wide[g].max(initial=0.0)) for name, g in zip(subject.features, subject.groups, strict=True)}
    used = sorted((name for name in heaviest if heaviest[name] > 0.0), key=lambda name: -heaviest[name])
    lines = []
    for name in used:
        scale = feature_scale(subject, subject.features.index(name))
        usual = scale.axis.text(float(scale.positions(typical[None])[0]))
        lines.append((_cell(scale.axis, study.table.frame[name].loc[row]), usual, heaviest[name]))
    index = pd.Index(used, dtype="str", name="feature")
    return pd.DataFrame(lines, index=index, columns=["value", "typical", "weight"])


def _cell(axis: FeatureAxis, cell: Any) -> str:
    """Return a value of the table as text."""
    if pd.isna(cell):
        return "missing"
    if isinstance(cell, pd.Timestamp):
        return f"{cell:%Y-%m-%d}" if cell == cell.normalize() else f"{cell:%Y-%m-%d %H:%M}"
    return number(float(cell)) if axis.kind == "number" else str(cell)
