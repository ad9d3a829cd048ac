"""Novelty: how near cases are to known ones, in the model's own metric and in one of all features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import DesignError, RoleError
from proset.common.notebook import Displayed
from proset.data.number_target import target_numbers
from proset.data.target import target_labels
from proset.engine.evidence.known_cases import batch_kernels
from proset.engine.evidence.nearness import Metric, Nearness
from proset.engine.model import ClassifierModel
from proset.explain.number_subject import number_subject
from proset.explain.plain_values import plain_columns, plain_fields
from proset.explain.subject import Explained, matrix_of, subject_of
from proset.study import NumberStudy, Study
from proset.study.any_study import AnyStudy
from proset.study.find_row import identifier_text

FloatArray = NDArray[np.float64]
_MOST_CELLS = 500
NewOrKnown = ArrayLike | Iterable[int] | pd.DataFrame | None
"""Beside a study: row ids, a DataFrame of new rows, or None for the whole table. Beside a model: a matrix."""


@dataclass(frozen=True, eq=False)
class Novelty(Displayed):
    """Nearness of cases to known ones; all quantiles are low for a case that is far from them.

    Attributes
    ----------
    similarity : ndarray of shape (n,)
        Similarity of the most similar known case, in [0, 1]: the kernel (2.3), of several batches their mean weighted
        by the weights of their prototypes.
    quantile : ndarray of shape (n,)
        Share of the reference rows that are no nearer to a known case, in [0, 1].
    nearest : ndarray of int64, shape (n,)
        That known case: its row id, or its position; -1 if there is none.
    similarity_all, quantile_all, nearest_all : ndarray of shape (n,)
        The same in the metric of all features. There, known cases at the typical distance from one another have
        similarity 0.61.
    n_known, n_reference : int
        Number of known cases, and of reference rows.
    features_all : tuple of str
        What is compared in the metric of all features; new rows may lack some.
    left_out : tuple of str
        Features that are not, because the rows lack them.
    known_rows : ndarray of bool, shape (n,)
        New rows that are training rows once more, and are compared with the others.
    """

    index: pd.Index
    similarity: FloatArray
    quantile: FloatArray
    nearest: NDArray[np.int64]
    similarity_all: FloatArray
    quantile_all: FloatArray
    nearest_all: NDArray[np.int64]
    n_known: int
    n_reference: int
    features_all: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    known_rows: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per case."""
        return pd.DataFrame(
            {
                "similarity": self.similarity,
                "novelty_quantile": self.quantile,
                "nearest": self.nearest,
                "similarity_all": self.similarity_all,
                "novelty_quantile_all": self.quantile_all,
                "nearest_all": self.nearest_all,
            },
            index=self.index,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        held = plain_fields(self, "index", "n_known", "n_reference", "features_all", "left_out")
        return {**plain_columns(self.to_frame()), **held}


def novelty(
    explained: Explained | NumberStudy,
    cases: NewOrKnown = None,
    *,
    known: ArrayLike | None = None,
    held_out: ArrayLike | None = None,
) -> Novelty:
    """Measure how near cases are to known ones.

    Parameters
    ----------
    cases : array-like of shape (n, D), row ids, DataFrame or None
        Beside a model: a matrix. Beside a study: row ids of its table, new rows as a DataFrame, or None for every row.
    known : array-like of shape (m, D) or None
        Beside a model: what it was fitted to. A study knows its training rows.
    held_out : array-like of shape (r, D) or None
        Beside a model: rows that quantiles refer to; None takes the known cases, each without itself. A study
        knows its held-out rows; of many rows some 2,000 are taken, evenly spread.

    Returns
    -------
    Novelty
        A training row of a study is compared with the other training rows; so is a new row that agrees with one in
        every feature, in its class or number, and in its identifier if there is one, as rows of the training file do.

    Raises
    ------
    ValueError
        If a model gets no known cases.
    StudyError
        If the table has no such row.
    DesignError
        If new rows lack columns that the model uses.

    Notes
    -----
    Familiarity (4.5) answers another question: how much prototypes say about a case, which follows their weights and
    hence how certain the estimate is. Here every known case counts alike. Batches count as they do in familiarity: the
    batch that finds a case nearest may look at one column only, and would find nearly everything near.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> odd = study.table.frame.iloc[[0]].assign(**{"sepal length (cm)": 40.0})
    >>> found = novelty(study, odd)
    >>> found.quantile.tolist(), bool(found.similarity[0] < 0.001)
    ([0.0], True)
    """
    if isinstance(explained, AnyStudy):
        return _of_study(explained, cases)
    if known is None:
        raise ValueError("A model alone knows no cases: pass the training matrix as 'known'.")
    matrix = matrix_of(explained, cases)
    near = nearness_of(explained, known, held_out)
    every = np.arange(matrix.X.shape[1])
    own = np.full(len(matrix.X), -1, dtype=np.int64)
    return _measure(near, matrix.index, matrix.X, own, every, subject_of(explained).features)


def nearness_of(model: ClassifierModel, known: ArrayLike, held_out: ArrayLike | None = None) -> Nearness:
    """Return the known cases of a model alone; in the metric of all features each counts by its spread among them."""
    train = matrix_of(model, known).X
    others = None if held_out is None else matrix_of(model, held_out).X
    spread = train.std(axis=0)
    return Nearness(train, others, batch_kernels(model.set_manager_), 1.0 / np.where(spread > 0.0, spread, 1.0))


def _of_study(study: AnyStudy, cases: NewOrKnown) -> Novelty:
    """Measure rows of the table, or new ones."""
    features = study.design.sources
    if isinstance(cases, pd.DataFrame):
        X, features, left_out = encode_new(study, cases)
        index, own = cases.index, np.full(len(X), -1, dtype=np.int64)
    else:
        encoded = study.encode(cases)  # type: ignore[arg-type]
        X, left_out, index = encoded.X, (), pd.Index(encoded.rows, name="row")
        own = pd.Index(study.split.train).get_indexer(index).astype(np.int64)
    named = number_subject(study) if isinstance(study, NumberStudy) else subject_of(study)
    compared = named.values_of(features)
    found, given_again = _measure(study.nearness, index, X, own, compared, features), np.zeros(len(X), dtype=np.bool_)
    if isinstance(cases, pd.DataFrame) and not left_out and len(X):
        own = _own_rows(study, cases, X, found.nearest_all)
        given_again = own >= 0
        known = np.flatnonzero(given_again)
        if len(known):
            again = _measure(study.nearness, index[known], X[known], own[known], compared, features)
            found = _with(found, known, again)
    train = np.append(study.split.train, -1)  # position -1 stands for no known case
    return replace(
        found,
        nearest=train[found.nearest],
        nearest_all=train[found.nearest_all],
        left_out=left_out,
        known_rows=given_again,
    )


def _own_rows(
    study: AnyStudy, frame: pd.DataFrame, X: NDArray[np.floating], nearest: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return which training row each new row is, by position; -1 for those that are none.

    Of training rows that are alike any will do, since another is left to compare with; the one of the same number, if
    there is one, is not named as its own neighbour.
    """
    target, identifier = study.roles.target, study.roles.identifier
    if any(list(frame.columns).count(name) != 1 for name in (target, identifier) if name is not None):
        return np.full(len(X), -1, dtype=np.int64)
    train = study.split.train
    numbered = pd.Index(train).get_indexer(frame.index)
    known = study.encode(train).X
    same = (numbered >= 0) & (known[numbered] == X).all(axis=1)
    own = np.where(same, numbered, np.where((known[nearest] == X).all(axis=1), nearest, -1)).astype(np.int64)
    found = np.flatnonzero(own >= 0)
    there, here = study.table.frame.loc[train[own[found]]], frame.iloc[found]
    agrees = _same_target(study, here, there.index)
    if identifier is not None:
        agrees &= identifier_text(here[identifier]).to_numpy() == identifier_text(there[identifier]).to_numpy()
    own[found[~agrees.astype(bool)]] = -1
    return own


def _same_target(study: AnyStudy, here: pd.DataFrame, there: pd.Index) -> NDArray[np.bool_]:
    """Return which new rows have the class or number of the training row beside each."""
    if isinstance(study, Study):
        same = target_labels(here, study.roles).to_numpy() == study.table_labels.loc[there].to_numpy()
        return np.asarray(same, dtype=np.bool_)
    try:
        stated = target_numbers(study.prepared(here), study.roles).to_numpy()
    except RoleError:  # words, among which no number was ever learned from
        return np.zeros(len(here), dtype=np.bool_)
    return np.asarray(stated == study.targets.loc[there].to_numpy(), dtype=np.bool_)


def _with(found: Novelty, rows: NDArray[np.int64], other: Novelty) -> Novelty:
    """Return what was found, with other numbers for some rows."""
    changed = {}
    for name in ("similarity", "quantile", "nearest", "similarity_all", "quantile_all", "nearest_all"):
        changed[name] = getattr(found, name).copy()
        changed[name][rows] = getattr(other, name)
    return replace(found, **changed)


def encode_new(study: AnyStudy, frame: pd.DataFrame) -> tuple[NDArray[np.float32], tuple[str, ...], tuple[str, ...]]:
    """Return new rows as the matrix, with every feature that they hold, not only those that the model uses.

    Parameters
    ----------
    study : Study or NumberStudy
        Says what columns mean.
    frame : DataFrame
        New rows.

    Returns
    -------
    X : float32 array of shape (n, D)
        Zero in the columns of features that are left out.
    features, left_out : tuple of str
        Which features the rows hold, and which not. A cell that fits none of the column's values counts as missing
        where the model does not use the column, so that every row is read alike, alone and among others.

    Raises
    ------
    DesignError
        If a column that the model uses is not there or cannot be read.
    """
    frame = study.prepared(frame)
    used = set(study.used_columns)
    there = [name for name in study.design.sources if name in used or list(frame.columns).count(name) == 1]
    if not used <= set(frame.columns):
        study.design.transform(frame, only=used)  # refuses, and counts the columns that the model uses, not all
    for _ in range(len(there) + 1):
        try:
            X = study.design.transform(frame, only=there).X
        except DesignError as error:
            if error.column is None or error.column in used or error.column not in there:
                raise
            frame = frame.assign(**{error.column: _readable(study, frame[error.column])})
        else:
            break
    return X, tuple(there), tuple(name for name in study.design.sources if name not in there)


def _readable(study: AnyStudy, cells: pd.Series) -> pd.Series:
    """Return a column without the cells that cannot be read; nothing of it if very many differ."""
    name = str(cells.name)
    different = cells.drop_duplicates().dropna()
    unreadable = []
    for cell in different if len(different) <= _MOST_CELLS else ():
        try:
            study.design.transform(pd.DataFrame({name: [cell]}, index=[1]), only=[name])
        except DesignError:
            unreadable.append(cell)
    if len(different) > _MOST_CELLS:
        return pd.Series(np.nan, index=cells.index, name=name)
    return cells.mask(cells.isin(unreadable))


def _measure(
    near: Nearness,
    index: pd.Index,
    X: NDArray[np.floating],
    own: NDArray[np.int64],
    columns: NDArray[np.int64],
    features: tuple[str, ...],
) -> Novelty:
    """Look rows up in both metrics."""
    by_model, by_columns = (_place(metric, X, own) for metric in (near.by_model, near.by_columns(columns)))
    return Novelty(index, *by_model, *by_columns, near.n_known, near.n_reference, features)


def _place(metric: Metric, X: NDArray[np.floating], own: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Return similarity, quantile and position of the nearest known cases."""
    found, quantile = metric.place(X, own)
    return found.similarity[:, 0], quantile, found.position[:, 0]
