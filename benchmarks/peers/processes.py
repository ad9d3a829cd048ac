"""Hands a task to an engine in a fresh process and waits for the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.environment import PUBLISHED, ROOT

RUNNER = Path(__file__).with_name("runner.py")
CORES = 2
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PYTHONPATH")

Answer = dict[str, Any]


class EngineError(RuntimeError):
    """A task that ended without an answer."""


@dataclass(frozen=True)
class Engine:
    """One engine and how to start it.

    Attributes
    ----------
    module : str
        File in the folder of the runner; here "published", "ours" or "xgb".
    python : Path
        Interpreter of its environment.
    variables : mapping of str to str
        Environment variables for the process.
    runner : Path
        Program that takes the request and writes the answer.

    Examples
    --------
    >>> ours().module
    'ours'
    """

    module: str
    python: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    runner: Path = RUNNER


def published(variables: Mapping[str, str] | None = None) -> Engine:
    """Return the published package, with its environment made."""
    return Engine("published", PUBLISHED.python(), variables or {})


def ours(variables: Mapping[str, str] | None = None) -> Engine:
    """Return our engine as it is in this working tree."""
    return Engine("ours", Path(sys.executable), {"PYTHONPATH": str(ROOT), **(variables or {})})


def xgboost() -> Engine:
    """Return XGBoost with the report's strategy, from our environment."""
    return Engine("xgb", Path(sys.executable), {"PYTHONPATH": str(ROOT)})


def two_cores() -> list[int]:
    """Return the cores that every measured process keeps to; fewer if this process has fewer."""
    limited = hasattr(os, "sched_getaffinity")
    return sorted(os.sched_getaffinity(0) if limited else range(os.cpu_count() or 1))[:CORES]


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> Path:
    """Write arrays to an .npz file and return its path."""
    np.savez(path, allow_pickle=False, **arrays)
    return path


def run(
    engine: Engine, task: str, arrays: Mapping[str, np.ndarray] | Path, *, timeout: float | None = None, **options: Any
) -> Answer:
    """Do one task in a fresh process.

    Parameters
    ----------
    engine : Engine
        Who does it.
    task : str
        Name of a task of the runner: "fit", "long_fit", "evaluate", "score", "search" or "candidates".
    arrays : mapping of str to ndarray, or Path
        Its data; a path names an .npz file that holds them.
    timeout : float or None
        Seconds after which the process is ended.
    **options
        What the task takes besides, plain enough for JSON.

    Returns
    -------
    dict
        Seconds, memory and whatever else the task reports.

    Raises
    ------
    EngineError
        If the process ended without an answer, with the last lines it wrote.
    """
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        if not isinstance(arrays, Path):
            arrays = save_arrays(folder / "arrays.npz", arrays)
        request, answer = folder / "request.json", folder / "answer.json"
        request.write_text(
            json.dumps(
                {
                    "engine": engine.module,
                    "task": task,
                    "arrays": str(arrays),
                    "cores": two_cores(),
                    "options": options,
                }
            )
        )
        inherited = {key: value for key, value in os.environ.items() if key not in THREAD_VARIABLES}
        try:
            done = subprocess.run(
                [str(engine.python), str(engine.runner), str(request), str(answer)],
                env={**inherited, **engine.variables},
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineError(f"{engine.module}: {task} took more than {timeout:.0f} s.") from error
        if done.returncode != 0 or not answer.exists():
            last = "\n".join(done.stderr.strip().splitlines()[-5:])
            raise EngineError(f"{engine.module}: {task} ended with code {done.returncode}.\n{last}")
        return json.loads(answer.read_text())
