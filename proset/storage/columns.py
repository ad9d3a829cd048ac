"""The columns of a table as plain arrays and JSON, so that values and types come back exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.data.cells import settle
from proset.storage.arrays import read_array, write_array
from proset.storage.container import read_json, write_json
from proset.storage.records import damaged

ROWS = "table/rows.npy"
_NUMBER = re.compile(r"(u?int(8|16|32|64)|float(32|64))")
_DATE = re.compile(r"datetime64\[(s|ms|us|ns)\]")
_NO_FLAG = 255  # a missing truth value


@dataclass(frozen=True)
class ColumnRecord:
    """One column of the saved table: its name and its pandas type."""

    name: str
    dtype: str


def write_frame(frame: pd.DataFrame) -> tuple[tuple[ColumnRecord, ...], dict[str, bytes]]:
    """Return the description of a frame's columns and the members that hold their values.

    Parameters
    ----------
    frame : DataFrame
        Integer index; columns of numbers, truth values, dates or text. Other columns become text, as on reading.

    Returns
    -------
    records : tuple of ColumnRecord
        In the order of the columns.
    members : dict of str to bytes
        One .npy member per column; a text column has a .json member with its different values besides.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [31.0, None], "name": ["Ada", None]}, index=[1, 2])
    >>> records, members = write_frame(frame)
    >>> read_frame(records, members).equals(frame)
    True
    """
    members = {ROWS: write_array(frame.index.to_numpy(dtype=np.int64))}
    records = []
    for position, name in enumerate(frame.columns):
        dtype, parts = _write_column(frame.iloc[:, position])
        records.append(ColumnRecord(str(name), dtype))
        members |= {f"table/{position}{suffix}": data for suffix, data in parts.items()}
    return tuple(records), members


def describe(frame: pd.DataFrame) -> tuple[ColumnRecord, ...]:
    """Return names and types of a frame's columns, as :func:`write_frame` does; their values are not looked at.

    Parameters
    ----------
    frame : DataFrame
        As for :func:`write_frame`.

    Returns
    -------
    tuple of ColumnRecord
        In the order of the columns.

    Examples
    --------
    >>> describe(pd.DataFrame({"age": [31.0, None]}))
    (ColumnRecord(name='age', dtype='float64'),)
    """
    return tuple(ColumnRecord(str(name), str(frame.iloc[:, i].dtype)) for i, name in enumerate(frame.columns))


def read_frame(records: tuple[ColumnRecord, ...], members: Mapping[str, bytes]) -> pd.DataFrame:
    """Return the frame that :func:`write_frame` took apart.

    Parameters
    ----------
    records : tuple of ColumnRecord
        The columns in order.
    members : mapping of str to bytes
        Their values.

    Returns
    -------
    DataFrame
        Same values, types, column order and row ids; the index is named ``row``.

    Raises
    ------
    StorageError
        If a member is missing, or does not hold what its column says.

    Examples
    --------
    >>> read_frame((ColumnRecord("age", "int64"),), {ROWS: write_array(np.arange(2))})
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The saved study is damaged: member 'table/0.npy' is missing.
    """
    rows = read_array(member(members, ROWS), ROWS)
    if rows.dtype != np.int64 or rows.ndim != 1 or len(np.unique(rows)) != len(rows):
        raise damaged("the list of row ids", "is not a list of different whole numbers")
    names = [record.name for record in records]
    if len(set(names)) != len(names) or "" in names:
        raise damaged("the list of columns", "holds an empty name or a name twice")
    columns = {
        record.name: _read_column(record, f"table/{position}", members, len(rows))
        for position, record in enumerate(records)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows))).set_axis(pd.Index(rows, name="row"), axis=0)


def member(members: Mapping[str, bytes], name: str) -> bytes:
    """Return one member, or say that it is missing."""
    if name not in members:
        raise damaged(f"member {name!r}", "is missing")
    return members[name]


def _write_column(column: pd.Series) -> tuple[str, dict[str, bytes]]:
    """Name of the type, and the content by member suffix."""
    dtype = str(column.dtype)
    if _NUMBER.fullmatch(dtype) or dtype == "bool":
        return dtype, {".npy": write_array(column.to_numpy())}
    if _DATE.fullmatch(dtype):
        return dtype, {".npy": write_array(column.to_numpy().view(np.int64))}
    if dtype == "boolean":
        flags = column.astype("Int16").fillna(_NO_FLAG).to_numpy(dtype=np.uint8)
        return dtype, {".npy": write_array(flags)}
    if dtype != "str":
        return _write_column(settle(column))
    codes, levels = pd.factorize(column)
    return dtype, {".npy": write_array(codes.astype(np.int32)), ".json": write_json(list(levels))}


def _read_column(record: ColumnRecord, stem: str, members: Mapping[str, bytes], n_rows: int) -> pd.Series:
    """One column from its members."""
    where = f"column {record.name!r}"
    values = read_array(member(members, f"{stem}.npy"), f"{stem}.npy")
    if values.shape != (n_rows,):
        raise damaged(where, f"has {values.shape} values instead of {n_rows}")
    if record.dtype == "str":
        return _read_text(values, read_json(member(members, f"{stem}.json"), f"{stem}.json"), where)
    stored = "uint8" if record.dtype == "boolean" else "int64" if _DATE.fullmatch(record.dtype) else record.dtype
    if not (_NUMBER.fullmatch(stored) or stored == "bool"):
        raise damaged(where, f"has the unknown type {record.dtype!r}")
    if values.dtype.name != stored:
        raise damaged(where, f"holds {values.dtype.name} instead of {stored}")
    if record.dtype == "boolean":
        if not np.isin(values, (0, 1, _NO_FLAG)).all():
            raise damaged(where, "holds values that are neither true nor false")
        return pd.Series(pd.arrays.BooleanArray(values == 1, values == _NO_FLAG))
    return pd.Series(values.view(record.dtype) if stored != record.dtype else values)


def _read_text(codes: np.ndarray, levels: object, where: str) -> pd.Series:
    """Text from the numbers of its values; -1 is missing."""
    if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
        raise damaged(where, "has values that are no text")
    if codes.dtype != np.int32 or (codes.size and not (codes.min() >= -1 and codes.max() < len(levels))):
        raise damaged(where, "refers to values that are not there")
    return pd.Series(np.array([*levels, None], dtype=object)[codes], dtype="str")
