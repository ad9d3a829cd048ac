"""Cases of which some always run, and the others, which differ in values alone, with `-m exhaustive`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def main_cases(cases: Iterable[Any], *, every: int = 1, only: Iterable[Any] = ()) -> list[Any]:
    """Parameters of which each `every`-th one always runs, or `only` those that are named; a tuple is several."""
    named = [*only]
    return [
        case
        if (case in named if named else at % every == 0)
        else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.exhaustive)
        for at, case in enumerate(cases)
    ]
