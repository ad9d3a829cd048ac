"""The columns of a table as plain arrays and JSON, so that values and types come back exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.checked_json import sound
from proset.common.errors import StorageError
from proset.common.words import shown
from proset.data.cells import settle
from proset.storage.arrays import read_array, write_array
from proset.storage.container import Members
from proset.storage.limits import StorageLimits
from proset.storage.records import damaged
from proset.storage.texts import read_texts, write_texts, written_out

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

    Raises
    ------
    StorageError
        If two columns are told apart by characters alone that cannot be saved, or a text is too long.

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
        records.append(ColumnRecord(sound(str(name)), dtype))
        members |= {f"table/{position}{suffix}": data for suffix, data in parts.items()}
    if len({record.name for record in records}) != len(records):
        raise StorageError("The names of two columns differ in broken characters only.", hint="Rename one of them.")
    return tuple(records), members


def describe(frame: pd.DataFrame) -> tuple[ColumnRecord, ...]:
    """Return names and types of a frame's columns, as :func:`write_frame` does; their values are not looked at.

    Examples
    --------
    >>> describe(pd.DataFrame({"age": [31.0, None]}))
    (ColumnRecord(name='age', dtype='float64'),)
    """
    return tuple(ColumnRecord(sound(str(name)), str(frame.iloc[:, i].dtype)) for i, name in enumerate(frame.columns))


def texts_size(frame: pd.DataFrame) -> int:
    """Return the bytes that the text columns take once loaded; they count towards what a study may hold."""
    return sum(written_out(frame.iloc[:, i]) for i, dtype in enumerate(frame.dtypes) if str(dtype) == "str")


def table_members(records: tuple[ColumnRecord, ...]) -> set[str]:
    """Return the names of the members that a table consists of."""
    names = {ROWS, *(f"table/{i}.npy" for i in range(len(records)))}
    return names | {f"table/{i}.json" for i, record in enumerate(records) if record.dtype == "str"}


def read_frame(
    records: tuple[ColumnRecord, ...],
    members: Mapping[str, bytes | bytearray],
    *,
    limits: StorageLimits = StorageLimits(),  # noqa: B008  frozen, so it can be shared
    unpacked: int = 0,
) -> pd.DataFrame:
    """Return the frame that :func:`write_frame` took apart.

    Parameters
    ----------
    records : tuple of ColumnRecord
        The columns in order.
    members : mapping of str to bytes
        Their values.
    limits : StorageLimits
        How much is read at most.
    unpacked : int
        Bytes that the members of the study take together.

    Returns
    -------
    DataFrame
        Same values, types, column order and row ids; the index is named ``row``.

    Raises
    ------
    StorageError
        If a member is missing, does not hold what its column says, or the limits are exceeded.

    Examples
    --------
    >>> read_frame((ColumnRecord("age", "int64"),), {ROWS: write_array(np.arange(2))})
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The saved study is damaged: member 'table/0.npy' is missing.
    """
    names = [record.name for record in records]
    if len(set(names)) != len(names) or "" in names:
        raise damaged("the list of columns", "holds an empty name or a name twice")
    rows = _read_rows(members, limits)
    columns, room = {}, limits.max_bytes - unpacked
    for position, record in enumerate(records):
        column, size = _read_column(record, f"table/{position}", members, len(rows), room)
        columns[record.name] = column
        room -= size
    # Columns of one type lie together in memory, unless the table is so large that moving them would take too much.
    together = 2 * sum(column.nbytes for column in columns.values()) <= limits.max_bytes
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(rows)), copy=together)
    return frame.set_axis(pd.Index(rows, name="row"), axis=0)


def member(members: Mapping[str, bytes | bytearray], name: str) -> bytes | bytearray:
    """Return one member, or say that it is missing."""
    if name not in members:
        raise damaged(f"member {name!r}", "is missing")
    return members[name]


def _read_rows(members: Mapping[str, bytes | bytearray], limits: StorageLimits) -> np.ndarray:
    """The row ids."""
    rows = read_array(member(members, ROWS), ROWS)
    if len(rows.shape) == 1 and len(rows) > limits.max_rows:
        raise StorageError(f"The table has {len(rows):,} rows; at most {limits.max_rows:,} are read.")
    if rows.dtype != np.int64 or rows.ndim != 1 or len(np.unique(rows)) != len(rows):
        raise damaged("the list of row ids", "is not a list of different whole numbers")
    return rows


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
    codes, texts = write_texts(column)
    return dtype, {".npy": write_array(codes), ".json": texts}


def _read_column(
    record: ColumnRecord, stem: str, members: Mapping[str, bytes | bytearray], n_rows: int, room: int
) -> tuple[pd.Series, int]:
    """One column from its members, and how much of the room it takes besides them."""
    where = f"column '{shown(record.name)}'"
    values = read_array(member(members, f"{stem}.npy"), f"{stem}.npy")
    if values.shape != (n_rows,):
        raise damaged(where, f"has {values.shape} values instead of {n_rows}")
    if record.dtype == "str":
        return read_texts(values, _pieces(members, f"{stem}.json"), where, room=room)
    stored = "uint8" if record.dtype == "boolean" else "int64" if _DATE.fullmatch(record.dtype) else record.dtype
    if not (_NUMBER.fullmatch(stored) or stored == "bool"):
        raise damaged(where, f"has the unknown type '{shown(record.dtype)}'")
    if values.dtype.name != stored:
        raise damaged(where, f"holds {values.dtype.name} instead of {stored}")
    if record.dtype == "boolean":
        if not ((values <= 1) | (values == _NO_FLAG)).all():
            raise damaged(where, "holds values that are neither true nor false")
        return pd.Series(pd.arrays.BooleanArray(values == 1, values == _NO_FLAG)), 0
    return pd.Series(values.view(record.dtype) if stored != record.dtype else values), 0


def _pieces(members: Mapping[str, bytes | bytearray], name: str) -> Iterable[bytes | bytearray]:
    """One member as it is unpacked."""
    if name not in members:
        raise damaged(f"member {name!r}", "is missing")
    return members.pieces(name) if isinstance(members, Members) else (members[name],)
