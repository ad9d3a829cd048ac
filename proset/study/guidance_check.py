"""Check that guidance can be obeyed: with this table, these roles, and this split."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import RoleError, StudyError
from proset.common.words import count_words, shown
from proset.data.number_target import target_numbers, text_number
from proset.data.roles import Roles
from proset.data.split import Split
from proset.data.table import Table
from proset.data.target import target_labels
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

FEWEST_TRAINING_ROWS = 3
"""Of each class, by condition (2.14) with any share of candidates; the model asks for more where it needs them. A model
of a number draws from each third of the numbers as from a class."""

_TAKE_BACK = "Take this request back"


def check_guidance(guidance: Guidance, table: Table, roles: Roles, split: Split | None = None) -> None:
    """Refuse guidance that a fit could not obey.

    Parameters
    ----------
    table : Table
        The table that it speaks of.
    roles : Roles
        Checked.
    split : Split or None
        Its training rows are those that can be guided; None leaves open which these are.

    Raises
    ------
    StudyError
        If a row is not there, has no class or number or is held out, a class is not there, something is no number, or
        too few rows remain; names row or class, and says the way out.
    RoleError
        If a column is not there or no feature, or none may be used.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> said = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=151),))
    >>> check_guidance(said, load_sample("iris_2f"), sample_roles("iris_2f"))
    Traceback (most recent call last):
        ...
    proset.common.errors.StudyError: The table has no row 151. Row ids go from 1 to 150. Take this request back.
    """
    if not guidance.items:
        return
    labels = target_numbers(table.frame, roles) if roles.number else target_labels(table.frame, roles)
    classes = None if roles.number else set(labels.dropna())
    for item in guidance:
        if item.kind.of_column:
            _check_column(item, roles)
        else:
            _check_row(item, labels, classes)
    if not set(roles.features) - set(guidance.columns_of(GuidanceKind.NO_COLUMN)):
        raise RoleError("No feature may be used.", hint="Take back one of the requests not to use a column.")
    if split is not None:
        _check_learned(guidance, split)
        check = _check_thirds if roles.number else _check_classes
        check(guidance, labels, split)


def _check_column(item: GuidanceItem, roles: Roles) -> None:
    """Refuse a column that no model sees."""
    name = str(item.column)
    if name not in roles.by_column:
        raise RoleError(f"There is no column '{shown(name)}'.", column=name, hint=f"{_TAKE_BACK}.")
    if name not in roles.features:
        raise RoleError(
            f"Column '{shown(name)}' is no feature: its role is {roles.by_column[name]}.",
            column=name,
            hint=f"{_TAKE_BACK}, or give the column another role.",
        )


def _check_row(item: GuidanceItem, labels: pd.Series, classes: set[str] | None) -> None:
    """Refuse a row that is not there or cannot be learned from, and a class that is not there; None for a number."""
    what = "number" if classes is None else "class"
    if item.row not in labels.index:
        first, last = labels.index.min(), labels.index.max()
        raise StudyError(f"The table has no row {item.row}.", hint=f"Row ids go from {first} to {last}. {_TAKE_BACK}.")
    if pd.isna(labels.loc[int(item.about)]):
        raise StudyError(
            f"Row {item.row} has no {what} in the table, so no model learns from it.",
            hint=f"{_TAKE_BACK}, or give the row a {what} in the file.",
        )
    if item.label is not None and classes is None and text_number(item.label) is None:
        raise StudyError(
            f"Row {item.row} cannot be learned as '{shown(item.label)}': that is no number.",
            column=str(labels.name),
            hint="Write it with a point, such as 310.5.",
        )
    if item.label is not None and classes is not None and item.label not in classes:
        raise StudyError(
            f"Row {item.row} cannot be learned as '{shown(item.label)}': no row of the table has that class.",
            column=str(labels.name),
            hint=f"Choose one of {', '.join(shown(name) for name in sorted(classes)[:10])}.",
        )


def _check_learned(guidance: Guidance, split: Split) -> None:
    """Refuse what speaks of rows that are not learned from."""
    held_out, train = set(split.held_out.tolist()), set(split.train.tolist())
    for item in guidance:
        if item.row in held_out:
            raise StudyError(
                f"Row {item.row} is held out: it is measured against the table, and never learned from.",
                hint=f"{_TAKE_BACK}; only training rows can be guided.",
            )
        if item.row is not None and item.row not in train and item.kind is not GuidanceKind.LEAVE_OUT:
            raise StudyError(
                f"Row {item.row} is set aside, so no model learns from it.",
                hint=f"{_TAKE_BACK}; only training rows can be guided.",
            )


def _check_thirds(guidance: Guidance, numbers: pd.Series, split: Split) -> None:
    """Refuse what leaves too few training rows, none that may be a prototype, or none that judges them."""
    rows, target, fewest = guidance.split(split).train, str(numbers.name), 3 * FEWEST_TRAINING_ROWS
    if len(rows) < fewest:
        raise StudyError(
            f"Guidance leaves {count_words(len(rows), 'training row')}; at least {fewest} are needed.",
            column=target,
            hint="Take back some of the requests to leave rows out.",
        )
    for kind, told in ((GuidanceKind.NO_PROTOTYPE, "No training row may be a prototype."),
                       (GuidanceKind.CANDIDATE, "Every training row is asked to be a candidate.")):  # fmt: skip
        if np.isin(rows, guidance.rows_of(kind)).all():
            raise StudyError(told, column=target, hint="Take back one of these requests.")


def _check_classes(guidance: Guidance, labels: pd.Series, split: Split) -> None:
    """Refuse what leaves too little of a class."""
    before = np.unique(labels.loc[pd.Index(split.train)].to_numpy(dtype=str)).tolist()
    after = guidance.labels(labels).loc[pd.Index(guidance.split(split).train)]
    for name in before:
        _check_class(guidance, name, after.index[after == name].to_numpy(dtype=np.int64), str(labels.name))


def _check_class(guidance: Guidance, name: str, rows: NDArray[np.int64], target: str) -> None:
    """Refuse what leaves too few training rows of a class, none that may be a prototype, or none that judges them."""
    if len(rows) < FEWEST_TRAINING_ROWS:
        raise StudyError(
            f"Guidance leaves {count_words(len(rows), 'training row')} of class '{shown(name)}';"
            f" at least {FEWEST_TRAINING_ROWS} are needed.",
            column=target,
            hint="Take back some of the requests to leave out or relabel its rows, or join the class with another.",
        )
    if np.isin(rows, guidance.rows_of(GuidanceKind.NO_PROTOTYPE)).all():
        raise StudyError(
            f"No row of class '{shown(name)}' may be a prototype.",
            column=target,
            hint="Take back one of the requests that a row of this class must not be one.",
        )
    if np.isin(rows, guidance.rows_of(GuidanceKind.CANDIDATE)).all():
        raise StudyError(
            f"Every training row of class '{shown(name)}' is asked to be a candidate.",
            column=target,
            hint="Take back one of these requests: one row at least has to judge the others.",
        )
