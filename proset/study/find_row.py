"""Find the row of a table that a person means by a number or a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.data.cells import read_words

_SHOWN = 5
_QUALIFIED = re.compile(r"(?P<kind>row|id)\s*[:# ]\s*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)


def find_row(frame: pd.DataFrame, text: str, *, identifier: str | None = None) -> int:
    """Return the row id that a text stands for.

    Parameters
    ----------
    frame : DataFrame
        Its index holds the row ids.
    text : str
        A row id or a value of the identifier column. Write ``row 12`` or ``id 12`` to say which of the two is meant.
    identifier : str or None
        Name of the identifier column, if there is one.

    Raises
    ------
    StudyError
        If nothing matches, or if the text stands for more than one row.

    Examples
    --------
    >>> people = pd.DataFrame({"name": ["Ada", "Bo"]}, index=[1, 2])
    >>> find_row(people, "Bo", identifier="name")
    2
    >>> find_row(people, "row 1", identifier="name")
    1
    """
    wanted = text.strip().encode("utf-8", "replace").decode()  # no cell holds half a character
    by_name = _rows_named(frame, wanted, identifier)
    by_number = _rows_numbered(frame, wanted)
    if not len(by_name) and not len(by_number):
        by_name, by_number = _qualified(frame, wanted, identifier)
    matches = np.union1d(by_name, by_number)
    if len(matches) == 1:
        return int(matches[0])
    if len(matches) == 0:
        raise _not_found(frame, wanted, identifier)
    raise _ambiguous(by_name, by_number, wanted, identifier)


def identifier_text(values: pd.Series) -> pd.Series:
    """Return identifier values as people write them: whole numbers without a decimal point, text without blanks around.

    Parameters
    ----------
    values : Series
        Values of an identifier column.

    Returns
    -------
    Series of str
        Same index; missing stays missing.

    Examples
    --------
    >>> identifier_text(pd.Series([7.0, 8.5])).tolist()
    ['7', '8.5']
    """
    return read_words(values)


def _rows_named(frame: pd.DataFrame, wanted: str, identifier: str | None) -> np.ndarray:
    """Rows whose identifier reads like the text."""
    if identifier is None or identifier not in frame.columns:
        return np.empty(0, dtype=np.int64)
    hits = identifier_text(frame[identifier]) == wanted
    return frame.index.to_numpy()[hits.to_numpy(dtype=bool, na_value=False)]


def _rows_numbered(frame: pd.DataFrame, wanted: str) -> np.ndarray:
    """Return the row with this number, as an array of none or one."""
    if not re.fullmatch(r"[0-9]{1,18}", wanted):
        return np.empty(0, dtype=np.int64)
    return np.array([int(wanted)] if int(wanted) in frame.index else [], dtype=np.int64)


def _qualified(frame: pd.DataFrame, wanted: str, identifier: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Read ``row 12`` and ``id 12``."""
    none = np.empty(0, dtype=np.int64)
    match = _QUALIFIED.fullmatch(wanted)
    if match is None:
        return none, none
    rest = match["rest"].strip()
    if match["kind"].lower() == "row":
        return none, _rows_numbered(frame, rest)
    return _rows_named(frame, rest, identifier), none


def _not_found(frame: pd.DataFrame, wanted: str, identifier: str | None) -> StudyError:
    """Say what was looked for, and where."""
    if len(frame) == 0:
        return StudyError("There is no row to choose: the table is empty.")
    numbers = f"{frame.index.min()} to {frame.index.max()}"
    if identifier is None:
        return StudyError(f"There is no row '{wanted}'.", hint=f"Row numbers go from {numbers}.")
    return StudyError(
        f"There is no row '{wanted}': it is neither a row number ({numbers}) nor a value of '{identifier}'.",
        column=identifier,
        hint=f"Take a value of '{identifier}', for example '{frame[identifier].iloc[0]}', or a row number.",
    )


def _ambiguous(by_name: np.ndarray, by_number: np.ndarray, wanted: str, identifier: str | None) -> StudyError:
    """Name the rows that the text could mean, and how to say which."""
    if len(by_name) > 1:
        listed = ", ".join(str(row) for row in by_name[:_SHOWN]) + (", ..." if len(by_name) > _SHOWN else "")
        return StudyError(
            f"'{wanted}' is the value of '{identifier}' in {len(by_name)} rows: {listed}.",
            column=identifier,
            hint=f"Give the row number, for example 'row {by_name[0]}'.",
        )
    return StudyError(
        f"'{wanted}' is a row number, and also the value of '{identifier}' in row {by_name[0]}.",
        column=identifier,
        hint=f"Write 'row {by_number[0]}' for the row number or 'id {wanted}' for the value.",
    )


def row_ids(rows: Iterable[int]) -> NDArray[np.int64]:
    """Return row ids as an array.

    Parameters
    ----------
    rows : iterable of int
        Row ids.

    Raises
    ------
    StudyError
        If they are anything else: a mask or a fraction would pass for the row that it is rounded to.

    Examples
    --------
    >>> row_ids(range(3, 5)).tolist()
    [3, 4]
    """
    given: Any = rows if hasattr(rows, "dtype") or isinstance(rows, pd.DataFrame) else list(rows)
    ids = pd.Index(given) if np.ndim(given) == 1 else None
    if ids is None or (len(ids) and ids.dtype.kind not in "iu"):
        raise StudyError(
            "Cases of a study are ids of its rows, whole numbers.",
            hint="Of one new row, explain study.case(frame); many are scored by study.score(frame).",
        )
    return ids.to_numpy(dtype=np.int64)
