"""Seconds, memory and versions of one piece of work, taken in the process that does it.

Runs in every engine's environment.
"""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

MIB = 1 << 20


def memory_mib() -> tuple[float, float]:
    """Return the memory of this process that is resident now, and the most that ever was, in MiB.

    The peak is VmHWM where there is /proc: it starts anew with the program, whereas ``ru_maxrss`` keeps what the parent
    had before it started the program.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MIB
        return peak, peak
    sizes = dict(line.split(":", 1) for line in status.read_text().splitlines() if line.startswith("Vm"))
    now, peak = (int(sizes[key].split()[0]) * 1024 / MIB for key in ("VmRSS", "VmHWM"))
    return now, peak


def processor_seconds() -> float:
    """Return the processor time of this process so far, and of its children that have ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def measure(work: Callable[[], object]) -> dict[str, float]:
    """Do the work once.

    Returns
    -------
    dict
        ``seconds`` by the clock, ``cpu_seconds`` of all threads and of children that ended meanwhile, ``before_mib``
        resident when the work started (program, libraries and data) and ``peak_mib``, the most that was resident until
        the work was done.
    """
    before = memory_mib()[0]
    cpu, clock = processor_seconds(), time.perf_counter()
    work()
    seconds, cpu_seconds = time.perf_counter() - clock, processor_seconds() - cpu
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "before_mib": before,
        "peak_mib": memory_mib()[1],
    }


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Versions of Python and of the packages that are installed."""
    installed = {name: metadata.version(name) for name in packages if _is_installed(name)}
    return {"python": platform.python_version(), **installed}


def _is_installed(name: str) -> bool:
    """Whether a distribution of this name is there."""
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
