"""Memory that is free again goes back to the system."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable


def return_freed_memory() -> bool:
    """Hand freed memory back to the system, where its C library has a way to do so; takes some milliseconds.

    Of itself it keeps what many threads have freed in pieces: after a dozen visitors with tables of megabytes, some
    dozens of MiB.
    """
    trim = _malloc_trim()
    return trim is not None and bool(trim(0))


@functools.cache
def _malloc_trim() -> Callable[[int], int] | None:
    """Find the function of the GNU C library; None elsewhere."""
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
    return found
