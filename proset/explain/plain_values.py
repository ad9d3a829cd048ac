"""Cells as a design reads them, and frames and arrays as plain Python values, for the `to_dict` of explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.data.cells import read_numbers
from proset.data.date_cells import moments_of, read_dates
from proset.data.design import Design
from proset.data.levels import LevelEncoder
from proset.data.quantities import DateEncoder


def plain_value(value: Any) -> Any:
    """Return a cell as plain Python has it: None for what is missing, int, float, bool or str for all else.

    Examples
    --------
    >>> plain_value(np.float64("nan")), plain_value(np.int64(3)), plain_value(np.bool_(True)), plain_value(pd.NA)
    (None, 3, True, None)
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def plain_label(label: Any) -> Any:
    """Return a label of a case as a plain Python value; one that is no number of numpy's stays as it is.

    Examples
    --------
    >>> plain_label(np.int64(17)), plain_label("a")
    (17, 'a')
    """
    return label.item() if isinstance(label, np.generic) else label


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a frame as dicts of plain Python values; the index comes first if it has a name.

    Examples
    --------
    >>> plain_rows(pd.DataFrame({"a": [0.5]}, index=pd.Index([7], name="row")))
    [{'row': 7, 'a': 0.5}]
    """
    flat = frame.reset_index() if frame.index.name is not None else frame
    names = [str(name) for name in flat.columns]
    columns = [[plain_value(value) for value in flat.iloc[:, j]] for j in range(flat.shape[1])]
    return [dict(zip(names, line, strict=True)) for line in zip(*columns, strict=True)] if columns else []


def plain_columns(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the columns of a frame as lists of plain Python values.

    Examples
    --------
    >>> plain_columns(pd.DataFrame({"a": [0.5, np.nan]}))
    {'a': [0.5, None]}
    """
    return {str(name): list(map(plain_value, values)) for name, values in frame.items()}


def plain_array(values: np.ndarray) -> list[Any]:
    """Return an array as nested lists in which None stands for what is not finite.

    Examples
    --------
    >>> plain_array(np.array([[1.0, np.nan]]))
    [[1.0, None]]
    """
    if values.ndim > 1:
        return [plain_array(part) for part in values]
    return [plain_value(value) for value in values.tolist()]


def plain_fields(explanation: object, *names: str) -> dict[str, Any]:
    """Return fields of an explanation as plain Python values, frames line by line.

    Examples
    --------
    >>> plain_fields(pd.Series([0.5, np.nan], index=["a", "b"]), "index", "values", "size")
    {'index': ['a', 'b'], 'values': [0.5, None], 'size': 2}
    """
    return {name: _plain_field(getattr(explanation, name)) for name in names}


class AllPlain:
    """Base of explanations of which all fields are worth to be written down."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return plain_fields(self, *(field.name for field in fields(self)))  # type: ignore[arg-type]


def _plain_field(value: Any) -> Any:
    """Return a field as plain Python values; a label that is none of numpy's stays as it is."""
    if isinstance(value, pd.DataFrame):
        return plain_rows(value)
    if isinstance(value, np.ndarray):
        return plain_array(value)
    if isinstance(value, tuple):
        return [_plain_field(entry) for entry in value]
    if isinstance(value, pd.Index):
        return value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return plain_value(value) if isinstance(value, (float, np.generic)) else value


def class_names(labels: ArrayLike, classes: ArrayLike) -> NDArray[np.str_]:
    """Return labels as a model names its classes, whatever type of number holds them; others as they are.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Classes of cases.
    classes : array-like of shape (K,)
        Those of the model, as it was fitted to them.

    Examples
    --------
    >>> class_names([1, 0, 7], np.array([0.0, 1.0])).tolist()
    ['1.0', '0.0', '7']
    """
    known, given = np.asarray(classes), pd.Index(np.asarray(labels).ravel())
    place = pd.Index(known).get_indexer(given)
    names = [str(label) if at < 0 else str(known[at]) for at, label in zip(place, given, strict=True)]
    return np.array(names, dtype=str)


def read_cells(design: Design, cells: pd.Series) -> pd.Series:
    """Return cells of a column as a design reads them, whatever a file held: numbers, dates in UTC, or words.

    Parameters
    ----------
    cells : Series
        Has the name of a column that the design has an encoder for.

    Returns
    -------
    Series
        The same index; float64, datetime64 or str, missing where there is no value.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.data.roles import Roles
    >>> frame = pd.DataFrame({"since": ["10.04.2020", "25.04.2020"] * 5}).rename_axis("row")
    >>> design = Design(Roles({"since": Role.DATE})).fit(frame)
    >>> str(read_cells(design, frame["since"])[0])
    '2020-04-10 00:00:00'
    """
    encoder = design.encoder(str(cells.name))
    if isinstance(encoder, LevelEncoder):
        return encoder.words(cells)
    if not isinstance(encoder, DateEncoder):
        return pd.Series(read_numbers(cells).values, index=cells.index, name=cells.name)
    return pd.Series(moments_of(read_dates(cells, encoder.form)[0]), index=cells.index, name=cells.name)


def plain_cells(design: Design, frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the values of rows as numbers, dates and words, whatever a file held; None where one is missing.

    Parameters
    ----------
    names : sequence of str
        Columns that the design has an encoder for.

    Returns
    -------
    DataFrame
        Index from 0; floats, Timestamps or str by column.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.data.roles import Roles
    >>> frame = pd.DataFrame({"age": ["3", "4", None] * 5, "hue": ["red", "red", "blue"] * 5}).rename_axis("row")
    >>> design = Design(Roles({"age": Role.NUMERIC, "hue": Role.CATEGORICAL})).fit(frame)
    >>> plain_cells(design, frame, ["age", "hue"]).iloc[[0, 2]].to_numpy().tolist()
    [[3.0, 'red'], [None, 'blue']]
    """
    nothing = (np.inf, -np.inf)
    found = {
        name: [None if pd.isna(cell) or cell in nothing else cell for cell in read_cells(design, frame[name]).tolist()]
        for name in names
    }
    return pd.DataFrame(found, index=pd.RangeIndex(len(frame)), columns=list(names), dtype=object)
