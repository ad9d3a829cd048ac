"""What is made of a comparison once, for as long as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from dashboard import cache

if TYPE_CHECKING:
    from proset.compare import Comparison
    from proset.study import Study

T = TypeVar("T")


def kept(study: Study, found: Comparison, name: str, compute: Callable[[], T], *key: Hashable) -> T:
    """Return what `compute` returns, computed once per comparison, `name` and `key`.

    The seconds that it took tell one comparison from another by the same plan.
    """
    return cache.derived(study, f"compare {name}", compute, found.plan, found.seconds, *key)
