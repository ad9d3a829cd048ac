"""Arrays as .npy members: plain numbers only, and never larger than the bytes that are there."""

from __future__ import annotations

import io
import math
import re

import numpy as np

from proset.common.errors import StorageError

PLAIN_DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
"""What an array in a saved study may hold: little-endian numbers of fixed size."""

# The header exactly as write_array makes it. NumPy's own reader takes headers for Python literals and fails in many
# ways on odd ones; this takes nothing else in the first place.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '(?P<dtype>[^']{1,8})', 'fortran_order': False, "
    rb"'shape': \((?P<shape>|\d{1,18},|\d{1,18}(, \d{1,18})+)\), \} *\n",
    re.DOTALL,
)
_BEFORE_HEADER = 10


def write_array(array: np.ndarray) -> bytes:
    """Return an array in the .npy format.

    Parameters
    ----------
    array : ndarray
        Of one of :data:`PLAIN_DTYPES`.

    Returns
    -------
    bytes

    Raises
    ------
    StorageError
        If it holds anything but plain numbers.

    Examples
    --------
    >>> read_array(write_array(np.arange(3)), "counts").tolist()
    [0, 1, 2]
    """
    plain = np.ascontiguousarray(array).reshape(array.shape)
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in PLAIN_DTYPES:
        raise StorageError(f"An array of type '{array.dtype}' cannot be saved; only plain numbers can.")
    buffer = io.BytesIO()
    np.save(buffer, plain, allow_pickle=False)
    return buffer.getvalue()


def read_array(data: bytes, name: str) -> np.ndarray:
    """Return the array of a .npy member, checked before any memory is reserved.

    Parameters
    ----------
    data : bytes
        The whole member.
    name : str
        Its name, for messages.

    Returns
    -------
    ndarray
        Of one of :data:`PLAIN_DTYPES`; its own memory, writable.

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
    match = _HEADER.match(data)
    if match is None or int.from_bytes(match["length"], "little") != match.end() - _BEFORE_HEADER:
        raise StorageError(f"Member '{name}' is damaged: it is not an array.")
    dtype, shape = match["dtype"].decode(), tuple(int(extent) for extent in match["shape"].replace(b",", b" ").split())
    if dtype not in PLAIN_DTYPES:
        raise StorageError(f"Member '{name}' holds '{dtype}' instead of plain numbers; it is not read.")
    body = data[match.end() :]
    if math.prod(shape) * np.dtype(dtype).itemsize != len(body):
        raise StorageError(f"Member '{name}' is damaged: shape {shape} does not fit {len(body)} bytes.")
    if dtype == "|b1" and not np.isin(np.frombuffer(body, dtype=np.uint8), (0, 1)).all():
        raise StorageError(f"Member '{name}' is damaged: it holds values that are neither true nor false.")
    return np.frombuffer(body, dtype=dtype).reshape(shape).copy()
