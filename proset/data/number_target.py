"""The target column as numbers, and whether a model of a number can be fitted to them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from proset.common.errors import RoleError
from proset.common.words import count_words, shown
from proset.data.cells import read_numbers, read_words
from proset.data.roles import Roles

FEWEST_ROWS = 20
"""A model of a number needs this many rows: half of them may be held out, and a third of the rest is a bin of draws."""
FEWEST_VALUES = 3
_THIRDS = np.array(["lower third", "middle third", "upper third"], dtype=object)


def target_numbers(frame: pd.DataFrame, roles: Roles) -> pd.Series:
    """Read the target as numbers.

    Parameters
    ----------
    frame : DataFrame
        Has the target as a column; index row.
    roles : Roles
        Names the target.

    Returns
    -------
    Series of float64
        Index row, name of the target; missing where the target is missing.

    Raises
    ------
    RoleError
        If there is no target, the frame lacks it, or a cell holds no number; names the row.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> frame = pd.DataFrame({"x": [1, 2, 3], "price": ["10", "12.5", None]})
    >>> target_numbers(frame, Roles({"x": Role.NUMERIC, "price": Role.TARGET}).as_number()).tolist()
    [10.0, 12.5, nan]
    """
    target = roles.target
    if target is None or target not in frame.columns:
        raise RoleError("The data lacks the column to predict.", column=target, hint="Choose a target.")
    found = read_numbers(frame[target])
    wrong = found.unreadable | np.isinf(found.values)
    if wrong.any():
        row, word = frame.index[wrong][0], str(read_words(frame[target])[wrong].iloc[0])
        raise RoleError(
            f"Target '{shown(target)}' holds '{shown(word)}' in row {row}, which is no number.",
            column=target,
            hint="Say on the Data page that it means missing, correct the file, or make classes of the target.",
        )
    return pd.Series(found.values, index=frame.index, name=target, dtype=np.float64)


def check_numbers(target: pd.Series) -> None:
    """Refuse targets that no model of a number can be fitted to.

    Parameters
    ----------
    target : Series of float64
        From :func:`target_numbers`.

    Raises
    ------
    RoleError
        If too few rows have a number, or there are too few different ones; names both.

    Examples
    --------
    >>> check_numbers(pd.Series([1.0, 2.0], name="price"))
    Traceback (most recent call last):
        ...
    proset.common.errors.RoleError: Target 'price' has a number in 2 rows; a model of a number needs at least 20. Add \
rows, or choose another target.
    """
    name, known = str(target.name), target.dropna()
    if len(known) < FEWEST_ROWS:
        raise RoleError(
            f"Target '{shown(name)}' has a number in {count_words(len(known), 'row')}; a model of a number needs at"
            f" least {FEWEST_ROWS}.",
            column=name,
            hint="Add rows, or choose another target.",
        )
    if known.nunique() < FEWEST_VALUES:
        raise RoleError(
            f"Target '{shown(name)}' has {count_words(known.nunique(), 'different value')}: these are classes.",
            column=name,
            hint="Take each value as a class, or choose another target.",
        )


def number_text(value: float) -> str:
    """Write a number exactly, in the one way in which people's words on it are kept.

    Examples
    --------
    >>> number_text(310.0), number_text(0.1 + 0.2), number_text(-1e21)
    ('310', '0.3', '-1e+21')
    """
    return f"{value:.15g}"


def text_number(text: str) -> float | None:
    """Return the number that a text is; None if it is none that a model can learn.

    Examples
    --------
    >>> text_number("310.50"), text_number("1,234"), text_number("nan")
    (310.5, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def thirds(target: pd.Series, *, parted: bool = True) -> pd.Series:
    """Return the third of the rows, by their numbers, that each row is in.

    Parameters
    ----------
    target : Series of float
        The numbers.
    parted : bool
        Whether equal numbers are parted by row id, for thirds of one size; else all of them are in the lowest that any
        is in, and the thirds say nothing of the order of the rows.

    Returns
    -------
    Series of str
        "lower third", "middle third" or "upper third"; missing where the number is.

    Examples
    --------
    >>> thirds(pd.Series([5.0, None, 9.0, 7.0])).tolist()
    ['lower third', nan, 'upper third', 'middle third']
    >>> thirds(pd.Series([0.0, 0.0, 0.0, 7.0]), parted=False).tolist()
    ['lower third', 'lower third', 'lower third', 'upper third']
    """
    place, known = places(target, parted=parted)
    return named(target, known, _THIRDS[3 * place // max(len(place), 1)])


def places(target: pd.Series, *, parted: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each number among all, from 0, and which rows have one."""
    rank = target.sort_index().rank(method="first" if parted else "min").reindex(target.index).to_numpy()
    known = np.isfinite(rank)
    return rank[known].astype(np.int64) - 1, known


def named(target: pd.Series, known: np.ndarray, names: np.ndarray) -> pd.Series:
    """Return names of the rows with a number as a series over all rows."""
    labels = np.full(len(target), None, dtype=object)
    labels[known] = names
    return pd.Series(labels, index=target.index, name=target.name, dtype="str")
