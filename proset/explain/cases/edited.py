"""What the model says of a case if some of its values were others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import listed, percent, shown
from proset.engine.evidence.contributions import contributions
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.cases.neighbours import row_names
from proset.explain.cases.one_case import CaseLike, one_row
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.new_rows import row_notes

if TYPE_CHECKING:
    from proset.study import Study

N_LEADING = 5


@dataclass(frozen=True, eq=False)
class CaseEstimate:
    """What a model says of one case, in short.

    Attributes
    ----------
    probabilities : Series
        Estimated probabilities, index class, summing to one.
    predicted : str
        Class that the decision rule says.
    left : bool
        Whether the rule leaves the case to a person.
    familiarity, quantile : float
        Total impact of the prototypes, and the share of held-out rows that are at most as familiar.
    leading : DataFrame
        The prototypes that add most, best first: row (table row id), name, class, similarity, share (of the estimate).
    x : float64 array of shape (D,)
        The case as a row of the matrix.
    note : str
        What had to be assumed; empty if nothing.
    """

    probabilities: pd.Series
    predicted: str
    left: bool
    familiarity: float
    quantile: float
    leading: pd.DataFrame
    x: NDArray[np.float64]
    note: str


@dataclass(frozen=True, eq=False)
class WhatIf:
    """A case as it is, and with other values.

    Attributes
    ----------
    changes : dict of str to (object, object)
        By column: the value as it is, and the other one. Columns whose value stays are left out.
    unused : tuple of str
        Changed columns that the model does not use: they change nothing.
    before, after : CaseEstimate
        What the model says of either.
    original, frame : DataFrame
        The case as it is, and with the other values; one row each.
    """

    changes: Mapping[str, tuple[Any, Any]]
    unused: tuple[str, ...]
    before: CaseEstimate
    after: CaseEstimate
    original: pd.DataFrame
    frame: pd.DataFrame

    @property
    def words(self) -> str:
        """What becomes of the estimate, in a sentence."""
        said, share = self.after.predicted, percent(float(self.after.probabilities[self.after.predicted]))
        if not self.changes:
            return f"Nothing is changed: '{shown(said)}' with {share}."
        if said == self.before.predicted:
            former = percent(float(self.before.probabilities[said]))
            return f"The model still says '{shown(said)}', with {share} instead of {former}."
        return f"The model then says '{shown(said)}' with {share}, and no longer '{shown(self.before.predicted)}'."

    def to_frame(self) -> pd.DataFrame:
        """Return the estimates side by side: index class, columns ``before`` and ``after``."""
        return pd.DataFrame({"before": self.before.probabilities, "after": self.after.probabilities})

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the prototypes as plain values."""
        return {
            "changes": {column: [_plain(one), _plain(other)] for column, (one, other) in self.changes.items()},
            "unused": list(self.unused),
            **{name: _estimate_dict(part) for name, part in (("before", self.before), ("after", self.after))},
        }


def what_if(study: Study, case: CaseLike, changes: Mapping[str, Any], *, rule: DecisionRule = MOST_PROBABLE) -> WhatIf:
    """Evaluate a case with other values.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id of the table, or a frame of one row.
    changes : mapping of str to object
        New values by column; None stands for a missing one. The days between two dates follow their dates; where they
        are changed themselves, the second date moves.
    rule : DecisionRule
        How either case is decided.

    Returns
    -------
    WhatIf

    Raises
    ------
    StudyError
        If the case has no such column, or the table no such row.
    DesignError
        If a value does not fit its column.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> found = what_if(study, 1, {"sepal length (cm)": 6.5})
    >>> found.before.predicted, found.after.predicted, found.to_dict()["changes"]
    ('setosa', 'virginica', {'sepal length (cm)': [5.1, 6.5]})
    """
    frame, encoded = one_row(study, case)
    unknown = [name for name in changes if name not in frame.columns]
    if unknown:
        raise StudyError(
            f"The case has no column {listed(unknown)}.",
            hint=f"The model uses {listed(study.used_columns, most=10) or 'none'}.",
        )
    new = {name: value for name, value in changes.items() if not _same(frame[name].iloc[0], value)}
    made, other = one_row(study, edited_frame(study, frame, new)) if new else (frame, encoded)
    used = {*study.used_columns, *_dates_behind(study)}
    return WhatIf(
        changes={name: (frame[name].iloc[0], made[name].iloc[0]) for name in new},
        unused=tuple(name for name in new if name not in used),
        before=_estimate(study, frame, encoded.X[0], rule, note=_note(study, frame, encoded)),
        after=_estimate(study, made, other.X[0], rule, note=_note(study, made, other)),
        original=frame,
        frame=made,
    )


def _dates_behind(study: Study) -> set[str]:
    """Return the dates between which days are counted that the model uses."""
    return {
        part
        for entry in study.table.derived
        if entry.name in study.used_columns
        for part in (entry.first, entry.second)
    }


def edited_frame(study: Study, frame: pd.DataFrame, changes: Mapping[str, Any]) -> pd.DataFrame:
    """Return a copy of one row with other values; where days between dates are changed, the second date moves.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> edited_frame(study, study.table.frame.loc[[1]], {"sepal width (cm)": 2.2}).iloc[0, 1]
    np.float64(2.2)
    """
    made = frame.copy(deep=False)
    for name, value in changes.items():
        made[name] = pd.Series([value], index=frame.index)
    for entry in study.table.derived:
        known = entry.name in changes and {entry.first, entry.second} <= set(frame.columns)
        if known and not pd.isna(changes[entry.name]):
            apart = float(changes[entry.name]) - float(entry.days(frame)[0])
            if np.isfinite(apart):
                made[entry.second] = _moved(frame[entry.second], entry.second_form, apart)
    return made


def _moved(cells: pd.Series, form: str | None, days: float) -> pd.Series:
    """Return dates so many days later, spelled as they were."""
    moved = pd.to_datetime(cells, format=form) + pd.Timedelta(days=days)
    is_date = pd.api.types.is_datetime64_any_dtype(cells.dtype)
    return moved if is_date else moved.dt.strftime(form or "%Y-%m-%d")


def _estimate(study: Study, frame: pd.DataFrame, x: NDArray[Any], rule: DecisionRule, *, note: str) -> CaseEstimate:
    """Evaluate one row of the matrix."""
    parts = contributions(study.model.set_manager_, x.astype(np.float64))
    quantile = float(familiarity_quantile([parts.familiarity], study.reference)[0])
    rows = study.split.train[parts.sample_index[:N_LEADING]]
    leading = pd.DataFrame(
        {
            "row": rows,
            "name": row_names(study, study.table.frame.loc[rows]),
            "class": np.asarray(study.classes, dtype=object)[parts.target[:N_LEADING]],
            "similarity": parts.similarity[:N_LEADING],
            "share": parts.shares[:N_LEADING].sum(axis=1),
        }
    )
    return CaseEstimate(
        probabilities=pd.Series(parts.probabilities, index=pd.Index(study.classes, dtype="str"), name="probability"),
        predicted=study.classes[int(rule.choose(parts.probabilities[None, :])[0])],
        left=bool(rule.leaves([quantile])[0]),
        familiarity=parts.familiarity,
        quantile=quantile,
        leading=leading,
        x=x.astype(np.float64),
        note=note,
    )


def _note(study: Study, frame: pd.DataFrame, encoded: Any) -> str:
    """Say what had to be assumed about a row."""
    return str(row_notes(study.design, encoded, frame, only=study.used_columns).iloc[0])


def _same(one: Any, other: Any) -> bool:
    """Tell whether a cell holds a value already."""
    if pd.isna(one) or pd.isna(other):
        return bool(pd.isna(one) and pd.isna(other))
    return bool(one == other)


def _plain(cell: Any) -> Any:
    """Return a cell as a plain value."""
    if pd.isna(cell):
        return None
    if isinstance(cell, pd.Timestamp):
        return cell.isoformat(sep=" ")
    return cell.item() if isinstance(cell, np.generic) else cell if isinstance(cell, (int, float)) else shown(cell)


def _estimate_dict(part: CaseEstimate) -> dict[str, Any]:
    """Return what a model says of a case as plain values."""
    return {
        "predicted": part.predicted,
        "left": part.left,
        "probabilities": {str(name): float(value) for name, value in part.probabilities.items()},
        "familiarity": part.familiarity,
        "quantile": part.quantile,
    }
