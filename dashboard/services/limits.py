"""How much the dashboard takes on at once, and where searches run."""

from __future__ import annotations

import os

SCHEDULER_VARIABLE = "PROSET_SCHEDULER"

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


def scheduler_address() -> str | None:
    """Return the address of the Dask scheduler that searches run on; None for this machine.

    Whoever starts the dashboard names it in the environment variable ``PROSET_SCHEDULER``, such as
    ``tcp://10.0.0.5:8786``. It is not a choice of visitors: a fit sends their data to that address.

    Examples
    --------
    >>> os.environ.pop("PROSET_SCHEDULER", None); scheduler_address()
    """
    return os.environ.get(SCHEDULER_VARIABLE, "").strip() or None
