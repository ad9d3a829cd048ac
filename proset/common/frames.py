"""Frames in which columns of this program and columns of a person's table stand side by side.

The rule: columns of this program keep their names, and a column of the table whose name is taken already gets a word
behind it, ``"row (column)"``, with a number if that is taken as well, ``"row (column 2)"``. So whatever a table calls
its columns and classes, nothing is written over and nothing is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd


def free_names(names: Iterable[object], taken: Iterable[object], *, word: str = "column") -> list[str]:
    """Return names that differ from all that are taken, and from each other.

    Parameters
    ----------
    names : iterable
        Names of a person's columns; texts.
    taken : iterable
        Names that they have to leave free.
    word : str
        What stands in brackets behind a name that is taken.

    Returns
    -------
    list of str
        In the order of `names`; those that are free stay as they are.

    Examples
    --------
    >>> free_names(["row", "age", "row (column)"], ["row", "class"])
    ['row (column 2)', 'age', 'row (column)']
    """
    wanted = [str(name) for name in names]
    ours = {str(name) for name in taken}
    used = {*ours, *wanted}
    result: list[str] = []
    given: set[str] = set()
    for name in wanted:
        chosen, count = name, 1
        if name in ours or name in given:
            chosen = f"{name} ({word})"
            while chosen in used:
                count += 1
                chosen = f"{name} ({word} {count})"
        used.add(chosen)
        given.add(chosen)
        result.append(chosen)
    return result


def beside(own: pd.DataFrame, theirs: pd.DataFrame, *, word: str = "column") -> pd.DataFrame:
    """Return a frame with the columns of a table to the right of those of this program, row by row as they stand.

    Parameters
    ----------
    own, theirs : DataFrame
        Equally long; the index of `own` is kept, that of `theirs` is not looked at.
    word : str
        As in :func:`free_names`.

    Examples
    --------
    >>> own, theirs = pd.DataFrame({"row": [1]}), pd.DataFrame({"row": ["north"], "age": [7]})
    >>> beside(own, theirs).columns.tolist()
    ['row', 'row (column)', 'age']
    """
    names = [*own.columns, *free_names(theirs.columns, own.columns, word=word)]
    parts = [part.iloc[:, place].array for part in (own, theirs) for place in range(part.shape[1])]
    return pd.DataFrame(dict(enumerate(parts)), index=own.index).set_axis(pd.Index(names, dtype="str"), axis=1)


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index has become its first column, as ``reset_index`` does where no name is taken.

    Parameters
    ----------
    frame : DataFrame
        With an index of one level; without a name it is called "index".

    Examples
    --------
    >>> with_index(pd.DataFrame({"row": ["a"]}, index=pd.Index([7], name="row"))).to_dict("list")
    {'row': [7], 'row (column)': ['a']}
    """
    name = "index" if frame.index.name is None else str(frame.index.name)
    index = frame.index.to_frame(index=False, name=name)
    return beside(index, frame)
