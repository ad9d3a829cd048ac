"""What is made of a comparison once, for as long as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from dashboard import cache
from proset.common.errors import ProsetError, StudyError
from proset.compare.bench import problem_words

if TYPE_CHECKING:
    from proset.compare import Comparison
    from proset.study import Study

T = TypeVar("T")


def kept(study: Study, found: Comparison, name: str, compute: Callable[[], T], *key: Hashable) -> T:
    """Return what `compute` returns, computed once per comparison, `name` and `key`.

    The seconds that it took tell one comparison from another by the same plan.
    """
    return cache.derived(study, f"compare {name}", compute, found.plan, found.seconds, *key)


def asked(study: Study, found: Comparison, name: str, compute: Callable[[], T], *key: Hashable) -> T:
    """Return the same where `compute` asks the systems themselves.

    Raises
    ------
    ProsetError
        Whatever one of them stumbles over, in words: their models are not this program's own.
    """
    try:
        return kept(study, found, name, compute, *key)
    except ProsetError:
        raise
    except Exception as error:
        raise StudyError(f"A system of the comparison cannot answer. {problem_words(error)}") from error
