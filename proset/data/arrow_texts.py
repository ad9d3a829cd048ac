"""Columns of text as Arrow holds them, whose functions take a tenth of the time of those of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

TEXT = pd.StringDtype(na_value=np.nan)
"""The type of text in a settled column."""


def arrow_texts(words: pd.Series) -> pa.Array:
    """Return a column of text as Arrow holds it.

    Returns
    -------
    pyarrow.Array of str, shape (n,)
        Null where the text is missing.
    """
    texts = pa.array(words.array, from_pandas=True)
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    return texts if pa.types.is_large_string(texts.type) else texts.cast(pa.large_string())


def distinct_words(words: pd.Series) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the different words of a column, in the order in which they come, and the rows of each.

    Parameters
    ----------
    words : Series of str
        Missing cells do not count.

    Returns
    -------
    different : pyarrow.Array of str, shape (k,)
        Each word once.
    rows : ndarray of int64, shape (k,)
        At least 1.

    Examples
    --------
    >>> different, rows = distinct_words(pd.Series(["b", "a", None, "b"]))
    >>> different.to_pylist(), rows.tolist()
    (['b', 'a'], [2, 1])
    """
    counted = pc.value_counts(arrow_texts(words).drop_null())
    return counted.field("values"), np.asarray(counted.field("counts"))


def trimmed_texts(settled: pd.Series) -> pd.Series:
    """Text without the blanks around it; blank cells are missing."""
    texts = arrow_texts(settled)
    trimmed = pc.utf8_trim_whitespace(texts)
    blank = pc.equal(trimmed, "")
    if pc.any(blank).as_py():
        trimmed = pc.if_else(blank, pa.scalar(None, trimmed.type), trimmed)
    elif trimmed.equals(texts):
        return settled
    array = TEXT.__from_arrow__(trimmed)  # type: ignore[attr-defined]
    return pd.Series(array, index=settled.index, name=settled.name, copy=False)
