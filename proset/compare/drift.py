"""Detection of rows that were shifted on purpose, by system."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.companions.protocol import Offer
from proset.compare.bench import Bench
from proset.compare.measures import FloatArray, ordered_probabilities
from proset.compare.result import DRIFT_COLUMNS, DRIFT_KINDS, DriftTest
from proset.compare.shifts import Shift, loss_of

STEP = "shifted rows"
INDICATORS: Mapping[str, str] = MappingProxyType(
    {
        "proset": "low total impact of all prototypes",
        "pvm": "distance to the nearest prototype",
        "smp": "angle to the nearest prototype",
        "gbmap": "difference between its estimate and that of the nearest rows",
        "knn": "distance to the farthest neighbour that votes",
    }
)
"""By what a system notices that a row is unlike others."""


def drift_line(bench: Bench, shift: Shift) -> tuple[Any, ...]:
    """Fit a system to what is learned from, and measure how well it notices the shift; a line of `DriftTest.frame`."""
    contender, classes = bench.contender, bench.ground.study.classes
    line: dict[str, Any] = dict.fromkeys(DRIFT_COLUMNS, math.nan)
    line |= {"title": contender.title, "indicator": "", "failed": ""}
    with bench.in_words(STEP):
        model = bench.fit(shift.X, shift.labels, shift.weight, shift.known)
        usual, shifted = (ordered_probabilities(model, X, classes) for X in (shift.X_usual, shift.X_shifted))
        actual = np.concatenate([shift.usual, shift.shifted])
        wrong = np.concatenate([usual, shifted]).argmax(axis=1) != actual
        line["n_wrong"] = float(wrong.sum())
        line["log_loss_usual"] = loss_of(usual, shift.usual)
        if shift.column:  # of a class that was left out nobody can state a probability
            line["log_loss_shifted"] = loss_of(shifted, shift.shifted)
        if model.offers(Offer.FAMILIARITY):
            strange = -model.familiarity(np.concatenate([shift.X_usual, shift.X_shifted])).raw
            line["indicator"] = INDICATORS.get(contender.key, "low familiarity")
            line["auc_shifted"] = area(strange, np.arange(len(actual)) >= len(shift.usual))
            line["auc_wrong"] = area(strange, wrong)
    line["failed"] = bench.problems.get(STEP, "")
    return tuple(line[name] for name in DRIFT_COLUMNS)


def drift_of(shift: Shift, lines: Mapping[str, tuple[Any, ...]]) -> DriftTest:
    """Put the lines of all systems together."""
    frame = pd.DataFrame(list(lines.values()), columns=list(DRIFT_COLUMNS), index=_keys(lines)).astype(DRIFT_KINDS)
    return DriftTest(
        column=shift.column,
        left_out=shift.left_out,
        reason="",
        n_fitted=len(shift.labels),
        n_usual=len(shift.usual),
        n_shifted=len(shift.shifted),
        frame=frame,
    )


def no_drift(reason: str) -> DriftTest:
    """Return what stands where no shift could be made."""
    frame = pd.DataFrame({name: [] for name in DRIFT_COLUMNS}, index=_keys(())).astype(DRIFT_KINDS)
    return DriftTest("", "", reason, 0, 0, 0, frame)


def _keys(keys: Any) -> pd.Index:
    """Return keys as an index."""
    return pd.Index(list(keys), dtype="str", name="key")


def area(values: FloatArray, positive: NDArray[np.bool_]) -> float:
    """Return how well values rank positive rows above the others, in [0, 1]; nan if there are none of one kind.

    Examples
    --------
    >>> area(np.array([1.0, 2.0, 3.0]), np.array([False, True, True]))
    1.0
    """
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return math.nan
    order = np.sort(values[~positive])
    left, right = (np.searchsorted(order, values[positive], side=side).sum() for side in ("left", "right"))
    return float((left + right) / (2.0 * n * m))
