"""Numba for the companions that consist of compiled loops, or words that say how to get it."""

from __future__ import annotations

from proset.common.errors import ProsetError


class MissingNumbaError(ProsetError, ImportError):
    """A companion was asked for that cannot do without numba."""


try:
    from numba import njit as njit
    from numba import types as types
    from numba.extending import overload as overload
except ImportError as error:
    raise MissingNumbaError(
        "This method consists of compiled loops and needs numba, which cannot be imported.",
        hint='Install it with the extra: pip install "proset-dashboard[compiled]".',
    ) from error
