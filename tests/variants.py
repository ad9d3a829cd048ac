"""Cases of which some always run, and the others, which differ in values alone, with `-m exhaustive`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

REPEATS = 2
"""Cross-validations that judge a model which is fitted by the way, in a worker as well; else there are five or ten."""


def main_cases(cases: Iterable[Any], *, every: int = 1, only: Iterable[Any] = ()) -> list[Any]:
    """Parameters of which each `every`-th one always runs, or `only` those that are named; a tuple is several."""
    named, chosen = [*only], []
    for at, case in enumerate(cases):
        always = case in named if named else at % every == 0
        values = case if isinstance(case, tuple) else (case,)
        chosen.append(pytest.param(*values, marks=() if always else pytest.mark.exhaustive))
    return chosen
