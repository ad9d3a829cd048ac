"""Bound on the numbers of an answer, which is refused in words rather than by the machine."""

from __future__ import annotations

import math

from proset.common.errors import ProsetError

MOST_NUMBERS = 200_000_000
"""Of one answer: 1.6 GB in double precision."""


def check_room(rows: int, *others: int) -> None:
    """Refuse an answer that would not fit into memory, and say for how many rows it would.

    Parameters
    ----------
    rows : int
        Rows asked for.
    *others : int
        The other sides of the array, such as prototypes and classes.

    Raises
    ------
    ProsetError
        If there would be more than :data:`MOST_NUMBERS` numbers.

    Examples
    --------
    >>> check_room(10, 1_000, 3)
    >>> check_room(100_000, 100_000)
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: This would take 80.0 GB of memory. Ask for at most 2,000 rows at a time.
    """
    each = math.prod(others)
    if rows * each > MOST_NUMBERS:
        most = max(1, MOST_NUMBERS // each)
        hint = f"Ask for at most {most:,} rows at a time."
        raise ProsetError(f"This would take {rows * each * 8 / 1e9:,.1f} GB of memory.", hint=hint)
