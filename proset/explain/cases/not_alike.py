"""Two cases that a person does not find alike: what tells them apart, and how little of it the model weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.common.notebook import Displayed
from proset.common.words import listed, number, percent, shown
from proset.explain.cases.known_rows import known_rows, seen
from proset.explain.cases.unused import known_cells
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Explained, Subject, as_case, subject_of

APART = 1.0
"""Spreads of the class from which on a difference tells two cases apart."""
_MOST_NAMED = 3

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NotAlike(Displayed):
    """Differences between a case and another one, column by column.

    Attributes
    ----------
    columns : DataFrame
        One row per feature that both hold, those first that tell the two apart most: ``column``, ``used`` (by the batch
        that finds them most alike), ``elsewhere`` (by another batch only), ``value`` and ``other_value`` (as the table
        has them), ``apart`` (the difference in standard deviations of `label` among the training rows; infinite where
        the class has no spread), ``weight`` (0 if unused) and ``factor`` (what the difference leaves of the
        similarity, in [0, 1]; 1 if unused).
    label : str
        Class of the other case: its spread is the measure.
    similarity : float
        Largest similarity of the two in any batch, the product of the factors; 0 for a model without batches.
    batch : int
        Number of that batch, from 1; 0 without one.
    """

    columns: pd.DataFrame
    label: str
    similarity: float
    batch: int

    @property
    def telling(self) -> tuple[str, ...]:
        """Columns that tell the two apart, by at least one spread of the class, the strongest first."""
        return tuple(self.columns.loc[self.columns["apart"] >= APART, "column"])

    @property
    def wanting(self) -> tuple[str, ...]:
        """Columns that tell the two apart and are not used by the model: they would have to be weighted."""
        return self._apart_and(~self.columns["used"] & ~self.columns["elsewhere"])

    def _apart_and(self, mask: pd.Series) -> tuple[str, ...]:
        """Return the columns of a kind that tell the two apart."""
        return tuple(self.columns.loc[(self.columns["apart"] >= APART) & mask, "column"])

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences: how alike the model finds them, what it sees of the differences, and what it does not look at."""
        if not self.batch:
            return ("The model has no batch, so it finds no two cases alike.",)
        found = [f"The model finds them {percent(self.similarity)} alike, in batch {self.batch}."]
        seen_apart = self.columns[(self.columns["apart"] >= APART) & self.columns["used"]]
        if len(seen_apart):
            each = [
                f"'{shown(line['column'])}' ({_spreads(line['apart'])} apart, which leaves {percent(line['factor'])})"
                for line in seen_apart.head(_MOST_NAMED).to_dict("records")
            ]
            found.append(f"It looks at {'; '.join(each)}.")
        else:
            found.append(f"In no column that this batch uses are they a spread of '{shown(self.label)}' apart.")
        elsewhere = self._apart_and(self.columns["elsewhere"])
        if elsewhere:
            found.append(f"Only other batches look at {listed(elsewhere, most=_MOST_NAMED)}.")
        if self.wanting:
            found.append(
                f"It does not look at {listed(self.wanting, most=_MOST_NAMED)}, where they are a spread or more apart."
            )
        elif not len(seen_apart) and not elsewhere:
            found.append("In the other columns they are not either: nothing in this table tells them apart.")
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """Return the columns."""
        return self.columns

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "label": self.label,
            "similarity": self.similarity,
            "batch": self.batch,
            "columns": plain_columns(self.columns),
        }


def not_alike(
    explained: Explained,
    case: Any,
    other: Any,
    *,
    label: str | None = None,
    known: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> NotAlike:
    """Say what tells a case from another one, such as a prototype, and how much of it the model weighs.

    Parameters
    ----------
    case, other : Case, int, DataFrame, or array-like of shape (D,)
        The two cases; `other` has to be a training row, or `label` says whose spread is the measure.
    label : str or None
        Class whose spread is the measure; by default that of `other`.
    known, y : array-like of shape (m, D) and (m,), or None
        Beside a model: what it was fitted to, and the classes of these rows.

    Raises
    ------
    ProsetError
        If the class of `other` is not known, or no training row has it.
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cancer")
    >>> found = not_alike(study, 298, int(study.prototypes["row"].iloc[0]))
    >>> len(found.columns), bool(abs(found.columns["factor"].prod() - found.similarity) < 1e-9)
    (30, True)
    """
    subject = subject_of(explained)
    one, two = (as_case(explained, given, known=known, y=y) for given in (case, other))
    learned = known_rows(subject, one, with_classes=True)
    assert learned.y is not None
    classes = np.asarray(learned.y).astype(str)  # labels may be numbers or truth values
    if label is None and two.row is not None:
        at = np.flatnonzero(np.asarray(learned.rows) == two.row)
        label = classes[at[0]] if len(at) else None
    label = None if label is None else str(label)
    members = np.asarray(learned.X, dtype=np.float64)[classes == label]
    if label is None or not len(members):
        raise ProsetError(
            "The class of the other case is not known.", hint="Say it as 'label', or take a training row."
        )
    (x, held), (z, also) = seen(subject, one), seen(subject, two)
    names = [
        name
        for name, group in zip(subject.features, subject.groups, strict=True)
        if len(group) and name in held and name in also
    ]
    places = [subject.features.index(name) for name in names]
    own = [subject.own[place] for place in places]
    batch, weights, factors = _seen_by_model(subject, [subject.groups[place] for place in places], x, z)
    both = known_cells(one.encoded.imputed, names)[0] & known_cells(two.encoded.imputed, names)[0]
    frame = pd.DataFrame(
        {
            "column": pd.Series(names, dtype="str"),
            "used": weights > 0.0,
            "elsewhere": (weights == 0.0) & np.isin(names, list(subject.by_weight)),
            "value": [_cell(one.frame, name) for name in names],
            "other_value": [_cell(two.frame, name) for name in names],
            "apart": np.where(both, [_apart(x[group], z[group], members[:, group]) for group in own], np.nan),
            "weight": weights,
            "factor": factors,
        }
    )
    order = np.argsort(-frame["apart"].fillna(-1.0).to_numpy(), kind="stable")
    similarity = float(np.prod(factors)) if batch else 0.0
    return NotAlike(frame.iloc[order].reset_index(drop=True), label, similarity, batch)


def _seen_by_model(
    subject: Subject, groups: list[NDArray[np.int64]], x: FloatArray, z: FloatArray
) -> tuple[int, FloatArray, FloatArray]:
    """Return the batch that finds two rows most alike, and weight and factor (2.3) of each group of columns there."""
    best = 0, np.zeros(len(groups)), np.ones(len(groups))
    most = -1.0
    for at, batch in enumerate(subject.manager.batches, start=1):
        if batch is None:
            continue
        weight = np.zeros(subject.manager.num_features)
        weight[batch.active_features] = batch.feature_weights.astype(np.float64)
        apart = np.square(weight * (x - z))
        alike = float(np.exp(-0.5 * apart.sum()))
        if alike > most:
            most = alike
            factors = np.array([np.exp(-0.5 * apart[group].sum()) for group in groups])
            best = at, np.array([weight[group].max() for group in groups]), factors
    return best


def _apart(x: FloatArray, z: FloatArray, members: FloatArray) -> float:
    """Return how many standard deviations of a class two values lie apart; levels count together."""
    difference, spread = float(np.square(x - z).sum()), float(members.var(axis=0).sum())
    if not difference:
        return 0.0
    return float(np.sqrt(difference / spread)) if spread > 0.0 else np.inf


def _cell(frame: pd.DataFrame, name: str) -> Any:
    """Return a value as the table has it; None where it is not there."""
    return frame[name].iloc[0] if name in frame.columns else None


def _spreads(apart: float) -> str:
    """Write a difference in spreads."""
    return "beyond all" if np.isinf(apart) else f"{number(round(apart, 1))} spreads"
