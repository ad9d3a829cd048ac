"""Frames and arrays as plain Python values, for the `to_dict` of explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray


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
