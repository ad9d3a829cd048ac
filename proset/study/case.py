"""One case: a row of a study's table, a new row, an edited copy, or a row of a model's matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.common.notebook import Displayed
from proset.common.words import shown
from proset.data.design import Encoded
from proset.study.find_row import identifier_text

_BARE = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
SHORT = 20  # letters of a column's name, where names stand in cards and lists


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Training rows.

    Attributes
    ----------
    X : float array of shape (n, D), or DataFrame
        As the model sees them; a DataFrame where it was fitted to named features.
    y : str array of shape (n,) or None
        Their classes; None where a model came without them.
    rows : int64 array of shape (n,)
        Row ids of a study's table, else positions.
    """

    X: NDArray[np.floating] | pd.DataFrame
    y: NDArray[np.str_] | None
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Case(Displayed):
    """One case, made once by :meth:`proset.study.Study.case` or :func:`proset.explain.as_case`.

    Attributes
    ----------
    source : Study or ClassifierModel
        Explains the case.
    row : int or None
        Row id in the study's table; None for a case that is not in it.
    frame : DataFrame
        One row of original values; in a new one, what means missing is missing and the days between dates are counted.
    encoded : Encoded
        The same as the model sees it.
    name : str
        The identifier's value, or "row 17".
    known : KnownRows or None
        Beside a model, what it was fitted to; a study knows its training rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> case = study.case(17)
    >>> case.row, case.name, case.cells["sepal width (cm)"]
    (17, 'row 17', np.float64(3.9))
    >>> study.case(case.frame.assign(**{"sepal width (cm)": 2.0})).row is None
    True
    """

    source: Any
    row: int | None
    frame: pd.DataFrame
    encoded: Encoded
    name: str
    known: KnownRows | None = None

    @lazy_property
    def x(self) -> NDArray[np.float64]:
        """The case as a row of the matrix, shape (D,)."""
        return self.encoded.X[0].astype(np.float64)

    @lazy_property
    def cells(self) -> dict[str, Any]:
        """The original values by column."""
        return dict(zip(map(str, self.frame.columns), self.frame.iloc[0], strict=True))


def counts_rows(values: pd.Series) -> bool:
    """Tell whether an identifier says of each row its number in the table, as a running number from 1 does.

    Examples
    --------
    >>> counts_rows(pd.Series([1, 2], index=[1, 2])), counts_rows(pd.Series(["T1", "T2"], index=[1, 2]))
    (True, False)
    """
    return bool((identifier_text(values) == values.index.astype("str")).fillna(False).all())


def row_names(frame: pd.DataFrame, identifier: str | None) -> list[str]:
    """Name rows the way a person knows them: by the identifier, else by the row number.

    A bare number has the name of its column before it: by itself it would read like the number of a row.

    Parameters
    ----------
    frame : DataFrame
        Rows with row ids as index.
    identifier : str or None
        The column that names them; it may be missing from the frame.

    Returns
    -------
    list of str

    Examples
    --------
    >>> row_names(pd.DataFrame({"tag": ["T1", None]}, index=[4, 5]), "tag")
    ['T1', 'row 5']
    >>> row_names(pd.DataFrame({"Passenger": [34]}, index=[5]), "Passenger")
    ['Passenger 34']
    """
    names = [f"row {row}" for row in frame.index]
    if identifier is None or identifier not in frame.columns:
        return names
    texts = identifier_text(frame[identifier])
    column = shown(identifier, SHORT)
    return [
        name if missing else f"{column} {text}" if _BARE.fullmatch(str(text)) else str(text)
        for name, text, missing in zip(names, texts, texts.isna(), strict=True)
    ]
