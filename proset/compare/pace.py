"""Speed of each system, measured by one small fit, and the growth of its work with the rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import shown
from proset.companions.protocol import Offer
from proset.compare.contenders import PROSET, Contender
from proset.compare.ground import drawn
from proset.compare.numbers.number_ground import drawn_rows
from proset.data.design import Design
from proset.study.any_study import AnyStudy
from proset.study.number_study import NumberStudy
from proset.study.time_needed import evaluation_seconds

MEASURED_ROWS = 400
CANDIDATES = 1_000  # of proset, at most
REPEATS, SHORT = 3, 0.1  # of a measurement, if it takes less than so many seconds
GROWTH: Mapping[str, float] = MappingProxyType({"pvm": 1.45, "smp": 1.0, "gbmap": 1.0, "knn": 1.45, "xgboost": 1.0})
"""Power of the number of rows with which a fit and its estimates grow; for proset, see `evaluation_seconds`."""

FIXED: Mapping[str, float] = MappingProxyType({"smp": 500.0, "gbmap": 1_000.0, "xgboost": 3_000.0})
"""As many rows take as long as what a fit does whatever the rows: steps, and nodes and bins of trees.

Both were fitted to the times of 1,000 to 20,000 rows with 28 and 200 columns.
"""

Clock = Callable[[], float]


@dataclass(frozen=True)
class SystemPace:
    """Seconds that a small fit took, and seconds for estimates of as many rows."""

    contender: Contender
    n_rows: int
    n_columns: int
    seconds: float
    problem: str
    has_path: bool = True

    def fit_seconds(self, n_rows: float) -> float:
        """Return what a fit to so many rows takes."""
        asked, measured = (_work(self.contender.key, rows, self.n_columns) for rows in (n_rows, self.n_rows))
        return self.seconds * asked / measured


def _work(key: str, n_rows: float, n_columns: int) -> float:
    """Return how a system's work grows with the rows; small fits have a fixed part."""
    rows = max(n_rows, 0.5 * MEASURED_ROWS)
    if key == PROSET:
        candidates = min(CANDIDATES, 0.5 * rows)
        return evaluation_seconds(rows, candidates, n_columns)
    return float((rows + FIXED.get(key, 0.0)) ** GROWTH.get(key, 1.0))


def sample_of(study: AnyStudy, random_state: int) -> tuple[NDArray[np.floating], NDArray[Any]]:
    """Return a few training rows as matrix, and their classes or numbers."""
    if isinstance(study, NumberStudy):
        few = study.split.train[drawn_rows(len(study.split.train), MEASURED_ROWS, random_state)]
        return study.encode(few).X, study.targets.reindex(few).to_numpy(dtype=np.float64)
    codes = pd.Index(study.classes).get_indexer(pd.Index(study.labels.reindex(study.split.train))).astype(np.int64)
    kept = drawn(codes, MEASURED_ROWS, random_state)
    rows = study.table.frame.loc[study.split.train[kept]]
    labels = np.asarray(study.classes)[codes[kept]]
    return Design(study.roles, study.settings.scale).fit(rows, labels).transform(rows).X, labels


def pace_of(contender: Contender, X: NDArray[Any], labels: NDArray[Any], clock: Clock) -> SystemPace:
    """Fit a system to a few rows twice: the first time may load or compile what it needs."""
    n_rows, n_columns = X.shape
    if contender.missing:
        return SystemPace(contender, n_rows, n_columns, math.nan, contender.missing)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            few = _few(labels)
            contender.asked(contender.make().fit(X[few], labels[few]), X[few])
            seconds, model = _measured(contender, X, labels, clock)
            for _ in range(REPEATS - 1):  # the shortest: others may have had the processor meanwhile
                if seconds < SHORT:
                    seconds = min(seconds, _measured(contender, X, labels, clock)[0])
    except Exception as error:  # the comparison itself will say what is wrong; here it only takes no time
        return SystemPace(contender, n_rows, n_columns, math.nan, shown(error))
    has_path = hasattr(model, "offers") and model.offers(Offer.PATH)  # systems that answer with a number have none
    return SystemPace(contender, n_rows, n_columns, max(seconds, 1e-4), "", has_path)


def _few(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return positions of a few rows, of each class if there are classes."""
    if labels.dtype.kind == "f":
        return np.arange(min(len(labels), 48), dtype=np.int64)
    return np.concatenate([np.flatnonzero(labels == name)[:12] for name in np.unique(labels)])


def _measured(contender: Contender, X: NDArray[Any], labels: NDArray[Any], clock: Clock) -> tuple[float, Any]:
    """Return what a fit and answers for as many rows take, and the model."""
    began = clock()
    model = contender.make().fit(X, labels)
    contender.asked(model, X)
    return clock() - began, model
