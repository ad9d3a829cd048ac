"""Profiles of the columns for the Data page: a table with small charts, and the rows it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from proset.common.errors import ProsetError
from proset.common.words import count_words, shown
from proset.data.column_profile import ColumnProfiles, profile_columns
from proset.data.cuts import Parts, equal_ranges
from proset.data.guessing import is_quantity
from proset.data.number_split import split_table
from proset.data.roles import Role, Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.data.target import class_order, target_labels

_LETTERS = 30  # of a typical word, which may be a whole answer to a question


def find_profiles(table: Table, roles: Roles, split: SplitSettings) -> ColumnProfiles:
    """Look at every column: by class on the training rows if there is a target that can be learned, else on all rows.

    Of a target that is a number, ranges of about as many training rows each stand for classes; equal numbers stay
    together, so that there may be fewer than three.

    Parameters
    ----------
    split : SplitSettings
        Which rows are held out; they are not looked at.
    """
    target = roles.target
    if target is None or (not roles.number and roles.classes is None and is_quantity(table.profiles[target])):
        return profile_columns(table)
    try:
        train = pd.Index(split_table(table.frame, roles, split).train)
        if roles.number:
            cut = equal_ranges(table.frame[target].loc[train], table.profiles[target], Parts.THIRDS)
            roles = roles.with_classes(cut)
        labels = target_labels(table.frame, roles)
    except ProsetError:  # the page says elsewhere what is wrong with the classes
        return profile_columns(table)
    return profile_columns(table, labels=labels.loc[train], classes=class_order(roles, labels.dropna()))


def profile_frame(found: ColumnProfiles, roles: Roles) -> pd.DataFrame:
    """Return one row per column, the closest to the target first.

    Parameters
    ----------
    found : ColumnProfiles
        What the columns hold.

    Returns
    -------
    DataFrame
        Columns ``column``, ``role``, ``relation`` (per cent; missing without classes), ``distribution`` (list of rows
        per bar), ``distinct``, ``missing`` (per cent), ``lowest``, ``typical`` and ``highest``.
    """
    columns = list(found.columns.values())
    frame = pd.DataFrame(
        {
            "column": [column.name for column in columns],
            "role": [str(roles.by_column[column.name]) for column in columns],
            "relation": [100.0 * column.relation for column in columns],
            "distribution": [column.counts.sum(axis=1).tolist() for column in columns],
            "distinct": [column.n_distinct for column in columns],
            "missing": [100.0 * column.n_missing / max(column.n_rows, 1) for column in columns],
            "lowest": [column.low for column in columns],
            "typical": [shown(column.typical, _LETTERS) for column in columns],
            "highest": [column.high for column in columns],
        }
    )
    return frame.sort_values("relation", ascending=False, kind="stable", na_position="last").reset_index(drop=True)


def first_to_show(names: Sequence[str], roles: Roles) -> str:
    """Return the first of the columns, or rather the first that is no identifier: of one each bar is a single row.

    Examples
    --------
    >>> first_to_show(["order", "price"], Roles({"order": Role.IDENTIFIER, "price": Role.NUMERIC}))
    'price'
    """
    return next((name for name in names if roles.by_column[name] is not Role.IDENTIFIER), names[0])


def rows_words(found: ColumnProfiles) -> str:
    """Say which rows distributions and relation speak of, and what was left out.

    Examples
    --------
    >>> rows_words(ColumnProfiles({}, ("a", "b"), 20_000, 31_000, 0))
    'Distributions and relation: from 20,000 of 31,000 training rows, drawn by chance; held-out rows stay unseen.'
    """
    kind = "training row" if found.classes else "row"
    rows = f"the {count_words(found.n_available, kind)}"
    if found.n_rows < found.n_available:
        rows = f"{found.n_rows:,} of {count_words(found.n_available, kind)}, drawn by chance"
    said = f"Distributions: from {rows}."
    if found.classes:
        said = f"Distributions and relation: from {rows}; held-out rows stay unseen."
    left = (
        f" The last {count_words(found.n_left_out, 'column')} of the table are not shown." if found.n_left_out else ""
    )
    return said + left
