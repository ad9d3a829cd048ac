"""Who takes part, where each of them runs, and what one of them makes of one split."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cells import Cell
from benchmarks.peers import processes
from benchmarks.peers.environment import NETWORKS, PUBLISHED, RIVALS, ROOT
from benchmarks.peers.processes import Engine
from benchmarks.rivals.measures import measures
from benchmarks.rivals.sets import TableSet, describe

RUNNER = Path(__file__).parent / "boxes" / "runner.py"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
LONGEST_SECONDS = 3_600.0


def our_python() -> Path:
    """Return the interpreter that runs this."""
    return Path(sys.executable)


@dataclass(frozen=True)
class Contestant:
    """One way to get from a table to probabilities.

    Attributes
    ----------
    name : str
        What it is called on the command line and in the results.
    title : str
        What it is called in the tables.
    box : str
        The module in ``boxes/`` that has it.
    unit : str
        What its size counts.
    python : callable
        Returns the interpreter of its environment, making it if need be.
    """

    name: str
    title: str
    box: str
    unit: str
    python: Callable[[], Path]

    def engine(self) -> Engine:
        """Say how it is started: on one thread."""
        path = {"PYTHONPATH": str(ROOT)} if self.python is our_python else {}
        return Engine(self.box, self.python(), {**ONE_THREAD, **path}, RUNNER)


QUICK = Contestant("quick", "ours, quick fit", "ours", "prototypes", our_python)
SEARCH = Contestant("search", "ours, search", "ours", "prototypes", our_python)
GROWN = Contestant("as-grown", "ours, search without refinement", "ours", "prototypes", our_python)
ALGORITHM = Contestant("algorithm", "ours, algorithm 2.2", "ours", "prototypes", our_python)
BEFORE = Contestant("before", "ours, algorithm 2.2 with a second look", "ours", "prototypes", our_python)
PACKAGE = Contestant("package", "published package, defaults", "package", "prototypes", PUBLISHED.python)
XGBOOST = Contestant("xgboost", "XGBoost, defaults", "boosting", "trees", RIVALS.python)
TUNED = Contestant("xgboost-tuned", "XGBoost, tuned", "boosting", "trees", RIVALS.python)
LIGHTGBM = Contestant("lightgbm", "LightGBM, defaults", "more_boosting", "trees", NETWORKS.python)
CATBOOST = Contestant("catboost", "CatBoost, defaults", "more_boosting", "trees", NETWORKS.python)
REALMLP = Contestant("realmlp", "RealMLP-TD, five networks", "realmlp", "networks", NETWORKS.python)
EBM = Contestant("ebm", "EBM, defaults", "ebm", "terms", RIVALS.python)
LOGISTIC = Contestant("logistic", "logistic regression", "plain", "coefficients", RIVALS.python)
NEIGHBOURS = Contestant("knn", "nearest neighbours", "plain", "rows", RIVALS.python)
SHARES = Contestant("shares", "class shares", "plain", "", RIVALS.python)
CONTESTANTS = (
    QUICK, SEARCH, GROWN, ALGORITHM, BEFORE, PACKAGE, XGBOOST, TUNED, LIGHTGBM, CATBOOST, REALMLP, EBM, LOGISTIC,
    NEIGHBOURS, SHARES,
)  # fmt: skip


def measure(contestant: Contestant, table: TableSet, seed: int) -> Cell:
    """Let a contestant learn one split in a fresh process and judge what it says of the rest.

    Returns
    -------
    dict
        Rows, columns and classes of the table, what was measured and the versions; or ``refused``, with the reason.

    Raises
    ------
    EngineError
        If it ended without an answer.
    """
    arrays = table.split(seed)
    answer = processes.run(contestant.engine(), contestant.name, arrays, timeout=LONGEST_SECONDS)
    if "refused" in answer:
        return {**describe(table), **answer}
    try:
        judged = measures(np.asarray(answer.pop("probabilities")), arrays["y_test"])
    except ValueError as error:
        raise processes.EngineError(f"{contestant.name}: {error}") from error
    return {**describe(table), **judged, **answer}
