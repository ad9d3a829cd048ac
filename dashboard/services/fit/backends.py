"""Backends that can compute a fit on this server, and their cost in time."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_GPU = Path("/dev/nvidia0"), Path("/dev/dxg")  # of Linux, and of Linux within Windows


def has_tensorflow() -> bool:
    """Tell whether TensorFlow is installed, without loading it: that takes seconds and much memory."""
    return find_spec("tensorflow") is not None


def finds_gpu() -> bool:
    """Tell whether this machine shows a GPU that TensorFlow may work on."""
    return any(path.exists() for path in _GPU)


def backends() -> dict[str, str]:
    """Return the backends on offer with what they are called.

    Examples
    --------
    >>> backends()["compiled"]
    'Compiled code on the processor'
    """
    offered = {"compiled": "Compiled code on the processor"}
    if has_tensorflow():
        where = "a GPU, or the processor if it cannot use that" if finds_gpu() else "the processor"
        offered["tensorflow"] = f"TensorFlow on {where}"
    return offered


def backend_words() -> str:
    """Say what the choice means for time, and how to get what is not there."""
    said = (
        "All minimise the same function, so that models differ by rounding. On a processor TensorFlow takes 1.4 to 6 "
        "times as long as compiled code up to 100 features, and about as long with 300."
    )
    if not has_tensorflow():
        return f"{said} TensorFlow is not installed on this server; 'make app' installs its form for processors."
    if finds_gpu():
        return f"{said} On a GPU it may be faster with tens of thousands of rows; small tables are slower there."
    return f"{said} No GPU is found on this server."
