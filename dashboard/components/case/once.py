"""What is computed of a case once: of a row of the table, which does not change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from dashboard import cache

if TYPE_CHECKING:
    from proset.study import Study

T = TypeVar("T")


def once(study: Study, name: str, row: int | pd.DataFrame, compute: Callable[[], T], *key: Hashable) -> T:
    """Return what `compute` returns: kept for a row of the table, computed anew for a row that is not in it."""
    return compute() if isinstance(row, pd.DataFrame) else cache.derived(study, name, compute, row, *key)
