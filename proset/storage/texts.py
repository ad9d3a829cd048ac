"""The texts of a column: its different values as a JSON list that is read piece by piece, and one of them per row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from proset.common.checked_json import outside_texts, sound
from proset.common.errors import StorageError
from proset.storage.container import write_json
from proset.storage.records import damaged

LONGEST_TEXT = 16 << 20
"""Bytes of one text as JSON."""

_OFFSET = 8  # bytes that a text takes besides its characters
_TEXT = pd.StringDtype(na_value=np.nan)


def write_texts(column: pd.Series) -> tuple[np.ndarray, bytes]:
    """Return a text column as the number of its value per row (-1 is missing) and its different values as JSON."""
    codes, levels = pd.factorize(column)
    texts = write_json(list(levels))
    if len(texts) > LONGEST_TEXT and max(len(write_json(level)) for level in levels) > LONGEST_TEXT:
        raise StorageError(
            f"Column '{column.name}' holds a text of more than {LONGEST_TEXT / 1e6:,.0f} MB, too long to be saved.",
            column=str(column.name),
            hint="Shorten it, or leave the column out.",
        )
    return codes.astype(np.int32), texts


def written_out(column: pd.Series) -> int:
    """Bytes that a text column takes in memory, in the table of a study that is loaded."""
    texts = pa.array(column.array, type=pa.large_string())
    return _OFFSET * len(column) + int(pc.sum(pc.binary_length(texts)).as_py() or 0)


def read_texts(
    codes: np.ndarray, pieces: Iterable[bytes | bytearray], where: str, *, room: int
) -> tuple[pd.Series, int]:
    """Return what :func:`write_texts` took apart.

    Parameters
    ----------
    codes : ndarray of int32, shape (n,)
        Number of the value of each row.
    pieces : iterable of bytes
        The JSON list in pieces of any length.
    where : str
        The column, for messages.
    room : int
        Bytes that the column may take.

    Returns
    -------
    column : Series of str
        In memory that is counted before it is reserved.
    size : int
        Bytes that it takes.

    Raises
    ------
    StorageError
        If the list holds anything but texts or more of them than there are rows, a number does not refer to any, or
        there is not enough room.

    Examples
    --------
    >>> read_texts(np.array([0, -1, 0], dtype=np.int32), [b'["lo', b'ng"]'], "column 'size'", room=100)[0].tolist()
    ['long', nan, 'long']
    """
    if codes.dtype != np.int32:
        raise damaged(where, "refers to values that are not there")
    levels = _levels(pieces, where, most=len(codes))
    if codes.size and not (codes.min() >= -1 and codes.max() < len(levels)):
        raise damaged(where, "refers to values that are not there")
    lengths = np.append(pc.binary_length(levels).to_numpy(zero_copy_only=False).astype(np.int64), 0)
    size = _OFFSET * len(codes) + int(lengths[codes].sum())
    if size > room:
        raise StorageError(
            f"The texts of {where} take {size / 1e6:,.0f} MB written out row by row, more than a saved study may.",
            hint="Leave the column out, and save the study again.",
        )
    texts = levels.take(pa.array(codes, mask=codes < 0))
    return pd.Series(_TEXT.__from_arrow__(texts)), size  # type: ignore[attr-defined]  # not in the stubs


def _levels(pieces: Iterable[bytes | bytearray], where: str, *, most: int) -> pa.Array:
    """The texts of a JSON list."""
    parts, count = [], 0
    for batch in _batches(pieces, where):
        parts.append(_as_texts(batch, where))
        count += len(batch)
        if count > most:
            raise damaged(where, "has more different values than rows")
    return pa.concat_arrays([pa.array([], type=pa.large_string()), *parts])


def _as_texts(batch: list[Any], where: str) -> pa.Array:
    """Python texts as Arrow texts."""
    try:
        texts = pa.array(batch, type=pa.large_string())
    except UnicodeEncodeError:
        texts = pa.array(sound(batch), type=pa.large_string())
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise damaged(where, "has values that are no text") from error
    if texts.null_count:
        raise damaged(where, "has values that are no text")
    return texts


def _batches(pieces: Iterable[bytes | bytearray], where: str) -> Iterator[list[Any]]:
    """Values of a JSON list, as many at a time as a piece holds."""
    rest, tried, whole = b"", 0, True
    for piece in pieces:
        rest += piece
        if len(rest) < 2 * tried:
            continue
        commas = np.flatnonzero(outside_texts(rest) & (np.frombuffer(rest, dtype=np.uint8) == ord(",")))
        if commas.size:
            cut = int(commas[-1])
            yield _parsed(rest[:cut] + b"]", where, empty=False)
            rest, tried, whole = b"[" + rest[cut + 1 :], 0, False
        elif len(rest) > LONGEST_TEXT:
            raise damaged(where, "has a value that is too long")
        else:
            tried = len(rest)
    yield _parsed(rest, where, empty=whole)


def _parsed(text: bytes, where: str, *, empty: bool) -> list[Any]:
    """A JSON list."""
    try:
        values = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise damaged(where, "has values that are not valid JSON") from error
    if not isinstance(values, list) or not (values or empty):
        raise damaged(where, "has values that are no list of texts")
    return values
