"""Limits of the server: jobs at once, a process that waits for the next one, and the place where searches run."""

from __future__ import annotations

import os

SCHEDULER_VARIABLE = "PROSET_SCHEDULER"
STANDBY_VARIABLE = "PROSET_STANDBY"


def jobs_at_once() -> int:
    """Return how many jobs may run at the same time: one per processor this program may use, and at least two.

    Two, because long work leaves one place free for short work; see :class:`dashboard.work.queue.JobQueue`.

    Examples
    --------
    >>> jobs_at_once() >= 2
    True
    """
    return max(2, _processors())


def estimates_at_once() -> int:
    """Return how many measurements run at once beside the pages: one for every four processors, and at least one.

    Examples
    --------
    >>> estimates_at_once() >= 1
    True
    """
    return max(1, _processors() // 4)


def _processors() -> int:
    """Count the processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keeps_standby() -> bool:
    """Return whether a process with the engine loaded may wait for the next job, in about 300 MiB of memory.

    Whoever starts the dashboard forbids it with ``PROSET_STANDBY=0``; every job then begins seconds later.

    Examples
    --------
    >>> os.environ.pop("PROSET_STANDBY", None); keeps_standby()
    True
    """
    return os.environ.get(STANDBY_VARIABLE, "").strip() != "0"


def scheduler_address() -> str | None:
    """Return the address of the Dask scheduler that searches run on; None for this machine.

    Whoever starts the dashboard names it in the environment variable ``PROSET_SCHEDULER``, such as
    ``tcp://10.0.0.5:8786``. It is not a choice of visitors: a search sends their data to that address.

    Examples
    --------
    >>> os.environ.pop("PROSET_SCHEDULER", None); scheduler_address()
    """
    return os.environ.get(SCHEDULER_VARIABLE, "").strip() or None
