"""Values derived from a comparison, kept for as long as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from dashboard import cache
from proset.common.errors import ProsetError, StudyError
from proset.compare.at_work import problem_words

if TYPE_CHECKING:
    from proset.compare import Comparison
    from proset.study import Study

T = TypeVar("T")
Args = TypeVarTuple("Args")


def kept(compute: Callable[[Study, Comparison, *Args], T], study: Study, found: Comparison, *key: *Args) -> T:
    """Return ``compute(study, found, *key)``, computed once per comparison."""
    value: T = cache.derived(_computed, found, compute, study, *key)
    return value


def _computed(found: Comparison, compute: Callable[[Study, Comparison, *Args], T], study: Study, *key: *Args) -> T:
    """Compute it; the comparison comes first, because the value goes with it."""
    return compute(study, found, *key)


def asked(compute: Callable[[Study, Comparison, *Args], T], study: Study, found: Comparison, *key: *Args) -> T:
    """Return the same where the systems themselves are asked.

    Raises
    ------
    ProsetError
        Whatever one of them stumbles over, in words: their models are not this program's own.
    """
    try:
        return kept(compute, study, found, *key)
    except ProsetError:
        raise
    except Exception as error:
        raise StudyError(f"A system of the comparison cannot answer. {problem_words(error)}") from error
