"""Values computed once for a row of the table, which does not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import pandas as pd

from dashboard import cache

if TYPE_CHECKING:
    from proset.study import Study

T = TypeVar("T")
Args = TypeVarTuple("Args")


def once(
    compute: Callable[[Study, int | pd.DataFrame, *Args], T], study: Study, row: int | pd.DataFrame, *key: *Args
) -> T:
    """Return ``compute(study, row, *key)``: kept for a row of the table, computed anew for a row that is not in it."""
    if isinstance(row, pd.DataFrame):
        return compute(study, row, *key)
    value: T = cache.derived(compute, study, row, *key)
    return value
