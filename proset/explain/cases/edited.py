"""A case evaluated with other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import listed, percent, shown
from proset.data.cells import read_words
from proset.data.date_cells import moments_of, read_dates
from proset.engine.evidence.contributions import Contributions
from proset.explain.cases.estimate import CaseEstimate, estimate_of
from proset.explain.plain_values import plain_cells, plain_fields, plain_label, plain_value
from proset.explain.subject import Explained, Subject, as_case, subject_of
from proset.study.base import StudyBase
from proset.study.case import Case
from proset.study.decision import MOST_PROBABLE, DecisionRule

N_LEADING = 5


@dataclass(frozen=True, eq=False)
class WhatIf(Displayed):
    """A case as it is, and with other values.

    Attributes
    ----------
    changes : dict of str to (object, object)
        By column: the value as it is, and the other one, as numbers, dates and words, None where it is missing. Columns
        whose value stays, whatever was asked for, are left out.
    unused : tuple of str
        Changed columns that the model does not use: they change nothing.
    before, after : CaseEstimate
        For the case as it is, and with the other values.
    original, case : Case
        The case as it is, and with the other values.
    leading : DataFrame
        The prototypes that add most to the changed case, best first: row (table row id, or position among a model's
        training rows), name, class, similarity, share (of the estimate).
    """

    changes: Mapping[str, tuple[Any, Any]]
    unused: tuple[str, ...]
    before: CaseEstimate
    after: CaseEstimate
    original: Case
    case: Case
    leading: pd.DataFrame

    @property
    def frame(self) -> pd.DataFrame:
        """The changed case as one row of original values."""
        return self.case.frame

    @property
    def words(self) -> str:
        """The change of the estimate in a sentence."""
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
            "changes": {column: list(map(plain_value, values)) for column, values in self.changes.items()},
            "unused": list(self.unused),
            **{name: _estimate_dict(part) for name, part in (("before", self.before), ("after", self.after))},
        }


def what_if(
    explained: Explained, case: Any, changes: Mapping[str, Any], *, rule: DecisionRule = MOST_PROBABLE
) -> WhatIf:
    """Evaluate a case with other values.

    Parameters
    ----------
    changes : mapping of str to object
        New values by column; None stands for a missing one, which a model alone does not take. The days between two
        dates follow their dates; where they are changed themselves, the second date moves. Of changes that do not go
        together the last one holds.

    Raises
    ------
    StudyError
        If the case has no such column, or the table no such row.
    DesignError
        If a value does not fit its column.
    ValueError
        If a value is no number that a model alone takes.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = what_if(study, 1, {"sepal length (cm)": 6.5})
    >>> found.before.predicted, found.after.predicted, found.to_dict()["changes"]
    ('setosa', 'virginica', {'sepal length (cm)': [5.1, 6.5]})
    """
    subject, case = subject_of(explained), as_case(explained, case)
    unknown = [name for name in changes if name not in case.frame.columns]
    if unknown:
        raise StudyError(
            f"The case has no column {listed(unknown)}.",
            hint=f"The model uses {listed(subject.by_weight, most=10) or 'none'}.",
        )
    new = {name: value for name, value in changes.items() if not holds(case, name, value)}
    made = edited_case(case, new) if new else case
    (before, _), (after, parts) = estimate_of(subject, case, rule), estimate_of(subject, made, rule)
    used = {*subject.by_weight, *(() if subject.study is None else tied_columns(subject.study))}
    changed = changed_values(case, made, new)
    return WhatIf(
        changes=changed,
        unused=tuple(name for name in changed if name not in used),
        before=before,
        after=after,
        original=case,
        case=made,
        leading=_leading(subject, parts),
    )


def tied_columns(study: StudyBase) -> set[str]:
    """Return the columns that a model uses and that are made of others, and those that they are made of."""
    used = [entry for entry in study.table.derived if entry.name in study.used_columns]
    return {name for entry in used for name in (entry.name, *entry.columns)}


def edited_case(case: Case, changes: Mapping[str, Any]) -> Case:
    """Return a copy of a case with other values, changed one after the other.

    Where what is made of others is changed, the last of these moves.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> edited_case(study.case(1), {"sepal width (cm)": 2.2}).frame.iloc[0, 1]
    np.float64(2.2)
    """
    made = case.frame
    for name, value in changes.items():
        made = _edited(case, made, name, [value])
    if not isinstance(case.source, StudyBase):
        for name, value in changes.items():
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
                raise ValueError(f"'{name}' takes finite numbers, not {value!r}.")
        return replace(as_case(case.source, made.to_numpy(dtype=np.float64)), name=case.name, known=case.known)
    return case.source.case(made)


def edited_rows(case: Case, column: str, values: Sequence[Any]) -> NDArray[np.float32]:
    """Return copies of a case of a study, each with another value in one column, as the model sees them.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> case = fit_sample("iris_2f").case(1)
    >>> edited_rows(case, "sepal width (cm)", [2.2, 3.0])[1] == edited_case(case, {"sepal width (cm)": 3.0}).x
    array([ True,  True])
    """
    study = case.source
    copies = case.frame.iloc[np.zeros(len(values), dtype=np.int64)].set_axis(pd.RangeIndex(len(values), name="row"))
    X: NDArray[np.float32] = study.design.transform(
        study.prepared(_edited(case, copies, column, values)), only=study.used_columns
    ).X
    return X


def _edited(case: Case, frame: pd.DataFrame, column: str, values: Sequence[Any]) -> pd.DataFrame:
    """Return rows with other values in a column; where it is made of others, the last of these moves."""
    made = frame.copy(deep=False)
    made[column] = pd.Series(values, index=frame.index)
    derived = case.source.table.derived if isinstance(case.source, StudyBase) else ()
    for entry in derived:
        if entry.name == column and set(entry.columns) <= set(frame.columns) and made[column].notna().all():
            moved = entry.moved(frame, made[column].to_numpy(dtype=np.float64))
            if moved is not None:
                made[entry.columns[-1]] = moved
    return made


def holds(case: Case, name: str, value: Any) -> bool:
    """Tell whether a case has a value already, however it is written.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> case = fit_sample("iris_2f").case(1)
    >>> holds(case, "sepal width (cm)", "3.50"), holds(case, "sepal width (cm)", 3.6)
    (True, False)
    """
    cell = case.frame[name].iloc[0]
    if pd.isna(cell) or pd.isna(value):
        return bool(pd.isna(cell) and pd.isna(value))
    if not isinstance(case.source, StudyBase):
        return bool(cell == value)
    return bool(_meant(case, name, cell) == _meant(case, name, value))


def changed_values(case: Case, made: Case, asked: Iterable[str]) -> dict[str, tuple[Any, Any]]:
    """Return the values of a case and of its changed copy by column, of those that were to change and have.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> case = fit_sample("iris_2f").case(1)
    >>> changed_values(case, edited_case(case, {"sepal width (cm)": "3.60"}), ["sepal width (cm)"])
    {'sepal width (cm)': (3.5, 3.6)}
    """
    cells = {name: (case.frame[name].iloc[0], made.frame[name].iloc[0]) for name in asked}
    return {
        name: (_meant(case, name, one), _meant(case, name, other))
        for name, (one, other) in cells.items()
        if not holds(case, name, other)
    }


def _meant(case: Case, name: str, value: Any) -> Any:
    """Return what a cell says to a model, or its date or word where it says nothing; None where it is missing."""
    if pd.isna(value):
        return None
    if not isinstance(case.source, StudyBase):
        return plain_label(value)
    cell, design = pd.DataFrame({name: [value]}), case.source.design
    plain = plain_cells(design, cell, [name]).iloc[0, 0] if name in design.sources else None
    if plain is None and pd.api.types.is_datetime64_any_dtype(case.frame[name].dtype):
        moment = moments_of(read_dates(cell[name], None)[0])[0]
        plain = None if np.isnat(moment) else pd.Timestamp(moment).as_unit("us")
    return read_words(cell[name]).iloc[0] if plain is None else plain


def _leading(subject: Subject, parts: Contributions) -> pd.DataFrame:
    """Return the prototypes that add most."""
    rows, study = parts.sample_index[:N_LEADING], subject.study
    names = [f"row {row}" for row in rows]
    if study is not None:
        rows = study.split.train[rows]
        names = study.names_of(study.table.frame.loc[rows])
    return pd.DataFrame(
        {
            "row": rows,
            "name": names,
            "class": np.asarray(subject.classes, dtype=object)[parts.target[:N_LEADING]],
            "similarity": parts.similarity[:N_LEADING],
            "share": parts.shares[:N_LEADING].sum(axis=1),
        }
    )


def _estimate_dict(part: CaseEstimate) -> dict[str, Any]:
    """Return an estimate as plain values."""
    return {
        "predicted": part.predicted,
        "left": part.left,
        "probabilities": {str(name): float(value) for name, value in part.probabilities.items()},
        **plain_fields(part, "familiarity", "quantile"),
    }
