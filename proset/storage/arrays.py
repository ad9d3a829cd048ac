"""Arrays as .npy members: plain numbers only, and never larger than the bytes that are there."""

from __future__ import annotations

import io
import math
import re

import numpy as np

from proset.common.errors import StorageError

PLAIN_DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
"""Types of arrays in a saved study: little-endian numbers of fixed size."""

MOST_DIMENSIONS = 3

# The header exactly as write_array makes it. NumPy's own reader takes headers for Python literals and fails in many
# ways on odd ones; this takes nothing else in the first place.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '(?P<dtype>[^']{1,8})', 'fortran_order': False, "
    rb"'shape': \((?P<shape>|\d{1,15},|\d{1,15}(, \d{1,15}){1,2})\), \} *\n",
    re.DOTALL,
)
_BEFORE_HEADER = 10
_LARGEST_HEADER = 4096
_MOST_AROUND_NOTHING = 1 << 31


def write_array(array: np.ndarray) -> bytes:
    """Return an array of one of :data:`PLAIN_DTYPES` in the .npy format.

    Raises
    ------
    StorageError
        If it holds anything but plain numbers, or has more than :data:`MOST_DIMENSIONS` dimensions.

    Examples
    --------
    >>> read_array(write_array(np.arange(3)), "counts").tolist()
    [0, 1, 2]
    """
    plain = np.ascontiguousarray(array).reshape(array.shape)
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in PLAIN_DTYPES or plain.ndim > MOST_DIMENSIONS:
        raise StorageError(
            f"An array of type '{array.dtype}' with {array.ndim} dimensions cannot be saved; only plain numbers can."
        )
    buffer = io.BytesIO()
    np.save(buffer, plain, allow_pickle=False)
    return buffer.getvalue()


def read_array(data: bytes | bytearray, name: str) -> np.ndarray:
    """Return the array of a .npy member, checked before any memory is reserved.

    Parameters
    ----------
    data : bytes or bytearray
        The whole member. The array of a bytearray lies in its memory and needs none of its own.
    name : str
        Its name, for messages.

    Returns
    -------
    ndarray
        Of one of :data:`PLAIN_DTYPES`; writable.

    Raises
    ------
    StorageError
        If the header is damaged, the type is not plain numbers (pickled objects in particular), or the shape does not
        fit the number of bytes.

    Examples
    --------
    >>> read_array(b"no array", "weights")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: Member 'weights' is damaged: it is not an array.
    """
    match = _HEADER.match(bytes(data[:_LARGEST_HEADER]))
    if match is None or int.from_bytes(match["length"], "little") != match.end() - _BEFORE_HEADER:
        raise StorageError(f"Member '{name}' is damaged: it is not an array.")
    dtype, shape = (
        match["dtype"].decode("latin-1"),
        tuple(int(extent) for extent in match["shape"].replace(b",", b" ").split()),
    )
    if dtype not in PLAIN_DTYPES:
        raise StorageError(f"Member '{name}' holds {dtype!r} instead of plain numbers; it is not read.")
    available, size = len(data) - match.end(), math.prod(shape)
    around = math.prod(extent or 1 for extent in shape)  # an empty array may have extents, but no absurd ones
    if size * np.dtype(dtype).itemsize != available or around > max(size, _MOST_AROUND_NOTHING):
        raise StorageError(f"Member '{name}' is damaged: shape {shape} does not fit {available} bytes.")
    array = np.frombuffer(data, dtype=dtype, count=size, offset=match.end()).reshape(shape)
    if dtype == "|b1" and size and array.view(np.uint8).max() > 1:
        raise StorageError(f"Member '{name}' is damaged: it holds values that are neither true nor false.")
    return array if array.flags.writeable and array.flags.aligned else array.copy()


def all_different(values: np.ndarray) -> bool:
    """Say whether no number stands twice in a list; np.unique hashes, which takes seconds for millions of row ids."""
    ordered = np.sort(values)
    return not bool((ordered[1:] == ordered[:-1]).any())
