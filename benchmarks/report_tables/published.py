"""The report's numbers for the experiments of its tables 2.3 to 2.7 and 2.9 to 2.15.

``published.json`` holds them by experiment and problem, under the keys that our own results have too. They are as
printed, with two decimals. Where a number stands in two tables it is the same, but for one: table 2.7 has 2527
prototypes for checker in E6 where table 2.6 has 252; a model of one batch of 1,000 candidates can only have the latter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

Values = Mapping[str, float]
TABLE_1_1 = {
    "proset": {"best": 4, "equivalent": 2, "worse": 5, "worst": 0},
    "kNN": {"best": 1, "equivalent": 3, "worse": 6, "worst": 1},
    "XGBoost": {"best": 7, "equivalent": 0, "worse": 2, "worst": 2},
}
"""Number of problems by rating, for each classifier."""


@cache
def published() -> Mapping[str, Mapping[str, Values]]:
    """Return the report's numbers by experiment ("e1" to "e12"), problem and key."""
    numbers: dict[str, dict[str, Values]] = json.loads(
        Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    )
    return numbers


def last_threshold(values: Values) -> float:
    """Return the threshold of the last stage: of the cross-validation for k, else of stage 2."""
    return values.get("stage_2.threshold", values.get("stage_1.threshold", float("nan")))
