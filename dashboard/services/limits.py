"""How much the dashboard takes on at once."""

from __future__ import annotations

import os

PREVIEW_ROWS = 200
PREVIEW_COLUMNS = 60


def jobs_at_once() -> int:
    """Return how many fits may run at the same time: one per processor this program may use.

    Examples
    --------
    >>> jobs_at_once() >= 1
    True
    """
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return max(1, len(usable))
