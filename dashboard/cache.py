"""Values computed once and kept; data of one visitor never reaches another, and every store has a bound.

Three stores, with different reach:

* fits of the **bundled** data sets are shared by all sessions, keyed by the data set's name and the recipe;
* so is long work on these fits, such as comparisons, keyed by the study and what was asked;
* everything derived from a study or a table hangs on that very object and goes with it, so it is shared exactly as far
  as the object itself.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, TypeVarTuple

import pandas as pd

from dashboard.services.data.fitted import stored_study
from dashboard.services.sizes import estimated_bytes
from proset.data.table import Table
from proset.explain.evidence import Keep
from proset.study import Study
from proset.study.any_study import AnyStudy
from proset.study.case import Case
from proset.study.decision import DecisionRule
from proset.study.recipe import Recipe

T = TypeVar("T")
OwnerT = TypeVar("OwnerT")
Args = TypeVarTuple("Args")
KeyT = TypeVar("KeyT", bound=Hashable)

_MIB = 1024**2
_STUDIES_KEPT, _STUDY_BYTES = 24, 512 * _MIB
_WORKS_KEPT, _WORK_BYTES = 24, 128 * _MIB
_PER_OWNER, _OWNER_BYTES = 200, 256 * _MIB
_IN_ALL, _ALL_BYTES = 2_000, 1024 * _MIB


# --- fits of bundled data, shared by all sessions ---------------------------------------------------------------------
@dataclass(eq=False)
class LeastRecentlyUsed(Generic[KeyT, T]):
    """Values used most recently, bounded in number and in bytes; safe for many threads.

    A value that is larger than all bytes together is not kept.

    Attributes
    ----------
    most, most_bytes : int
        The bounds.

    Examples
    --------
    >>> store = LeastRecentlyUsed(most=2, most_bytes=1000)
    >>> for name in "abc":
    ...     store.put(name, name.upper(), size=10)
    >>> store.get("a"), store.get("c"), len(store)
    (None, 'C', 2)
    """

    most: int
    most_bytes: int
    _items: OrderedDict[KeyT, tuple[T, int]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: KeyT) -> T | None:
        """Return the value under `key`, or None."""
        with self._lock:
            if key not in self._items:
                return None
            self._items.move_to_end(key)
            return self._items[key][0]

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._items.clear()

    def put(self, key: KeyT, value: T, *, size: int) -> None:
        """Keep a value of `size` bytes; those not used for longest go if there are too many."""
        if size > self.most_bytes:
            return
        with self._lock:
            self._items[key] = value, size
            self._items.move_to_end(key)
            while len(self._items) > self.most or sum(size for _, size in self._items.values()) > self.most_bytes:
                self._items.popitem(last=False)


SAMPLE_STUDIES: LeastRecentlyUsed[tuple[str, Recipe], AnyStudy] = LeastRecentlyUsed(_STUDIES_KEPT, _STUDY_BYTES)
SAMPLE_WORKS: LeastRecentlyUsed[tuple[str, Hashable], Any] = LeastRecentlyUsed(_WORKS_KEPT, _WORK_BYTES)


def sample_study(sample: str, recipe: Recipe) -> AnyStudy | None:
    """Return the fit of a bundled data set by exactly this recipe, or the result of a search by it, if there is one."""
    # What a search finds does not depend on where it starts from.
    asked = recipe.without_found()
    found = SAMPLE_STUDIES.get((sample, asked))
    stored = stored_study(sample) if found is None else None
    return stored if stored is not None and stored.recipe.without_found() == asked else found


def keep_sample_study(sample: str, study: AnyStudy, *, asked: Recipe | None = None) -> None:
    """Keep the fit of a bundled data set for all sessions.

    Parameters
    ----------
    study : Study
        The fit; it is found as that of a quick fit with the settings that it has.
    asked : Recipe or None
        With a plan: the result of a search is also found as that of a search by this recipe, unless a person has
        changed the choice.
    """
    size = estimated_bytes(study)
    stated = replace(study.recipe, plan=None)
    SAMPLE_STUDIES.put((sample, stated), study, size=size)
    if asked is not None and asked.plan is not None and study.search is not None and not study.search.by_hand:
        SAMPLE_STUDIES.put((sample, asked.without_found()), study, size=size)


def sample_work(study_id: str, asked: Hashable) -> Any:
    """Return what long work on a model of bundled data has found; None if it was not done, or is no longer kept."""
    return SAMPLE_WORKS.get((study_id, asked))


def keep_sample_work(study_id: str, asked: Hashable, found: Any) -> None:
    """Keep what long work on a model of bundled data has found for all sessions; `asked` tells it from other work."""
    SAMPLE_WORKS.put((study_id, asked), found, size=estimated_bytes(found))


# --- what is derived from a study or a table --------------------------------------------------------------------------
@dataclass(eq=False)
class _Value:
    """A value, how large it is, and when it was last used."""

    content: Any
    size: int
    used: int


@dataclass(eq=False)
class _Flight:
    """A computation under way that others wait for."""

    thread: int
    done: threading.Event = field(default_factory=threading.Event)
    value: Any = None
    ended_well: bool = False


@dataclass(eq=False)
class _Owned:
    """Values derived from one object."""

    values: dict[Hashable, _Value] = field(default_factory=dict)
    flights: dict[Hashable, _Flight] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return sum(value.size for value in self.values.values())


class DerivedValues:
    """Values derived from objects, each computed once, and dropped with their owner or when there are too many.

    Whoever asks for a value that is being computed waits for it; whoever asks for another one does not. The lock
    guards the book-keeping and is never held during a computation.

    Parameters
    ----------
    per_owner, in_all : (int, int)
        Number of values and bytes that are kept at most for one object, and for all. Those not used for longest go.
    """

    def __init__(self, per_owner: tuple[int, int], in_all: tuple[int, int]) -> None:
        self._per_owner, self._in_all = per_owner, in_all
        self._owned: weakref.WeakKeyDictionary[Any, _Owned] = weakref.WeakKeyDictionary()
        # Reentrant, because the end of an owner may be noticed while it is held.
        self._lock = threading.RLock()
        self._clock = itertools.count()

    def get(self, owner: Any, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of `owner` under `key`; see :func:`derived`."""
        while True:
            with self._lock:
                owned = self._owned.setdefault(owner, _Owned())
                found = owned.values.get(key)
                if found is not None:
                    found.used = next(self._clock)
                    content: T = found.content
                    return content
                flight = owned.flights.get(key)
                if flight is None:
                    mine = owned.flights[key] = _Flight(threading.get_ident())
                    break
            if flight.thread == threading.get_ident():
                raise RuntimeError(f"The value {key!r} asks for itself while it is computed.")
            flight.done.wait()
            if flight.ended_well:
                value: T = flight.value
                return value
            # The other one failed, perhaps because its visitor left: this one tries itself.
        return self._fly(owned, key, mine, compute)

    def __len__(self) -> int:
        """Return how many values are kept."""
        return sum(len(owned.values) for owned in list(self._owned.values()))

    def _fly(self, owned: _Owned, key: Hashable, flight: _Flight, compute: Callable[[], T]) -> T:
        """Compute a value, keep it, and wake those who wait for it."""
        try:
            value = compute()
            flight.value, flight.ended_well = value, True
            size = estimated_bytes(value)
            if size <= self._per_owner[1]:  # one that is too large would only drive out the others
                with self._lock:
                    owned.values[key] = _Value(value, size, next(self._clock))
                    self._drop_some([owned], self._per_owner)
                    self._drop_some(list(self._owned.values()), self._in_all)
        finally:
            with self._lock:
                del owned.flights[key]
            flight.done.set()
        return value

    @staticmethod
    def _drop_some(among: list[_Owned], bounds: tuple[int, int]) -> None:
        """Drop the values not used for longest until the rest is within the bounds."""
        kept = [(value.used, value.size, owned, key) for owned in among for key, value in owned.values.items()]
        count, size = len(kept), sum(entry[1] for entry in kept)
        for _, own_size, owned, key in sorted(kept, key=lambda entry: entry[0]):
            if count <= bounds[0] and size <= bounds[1]:
                return
            del owned.values[key]
            count, size = count - 1, size - own_size


_DERIVED = DerivedValues(per_owner=(_PER_OWNER, _OWNER_BYTES), in_all=(_IN_ALL, _ALL_BYTES))


def derived(compute: Callable[[OwnerT, *Args], T], owner: OwnerT, *key: *Args) -> T:
    """Return ``compute(owner, *key)``, computed once for these arguments as long as there is room for it.

    The function itself is the name of the value, so that two values never share one.

    Parameters
    ----------
    compute : callable
        A function of a module or a class: one made at each call would be another value. It may depend on nothing but
        its arguments, and the value must not refer to `owner`, or both would stay in memory. If it raises, nothing is
        kept.
    owner : Study, Table or Comparison
        The value is dropped together with it.
    *key : hashable
        Further arguments.

    Returns
    -------
    object
        Read-only: others see the same object.
    """
    return _DERIVED.get(owner, (compute, *key), lambda: compute(owner, *key))


def drawn(owner: AnyStudy | Table, name: str, draw: Callable[[], T], *key: Hashable) -> T:
    """Return ``draw()``, the figure of a widget, drawn once for a model or a table and what else it shows.

    Parameters
    ----------
    owner : Study or Table
        The figure is dropped together with it.
    name : str
        The widget's name, which Streamlit lets no other one have; it holds what the page shows.
    draw : callable
        Draws the figure.
    *key : hashable
        What else it depends on.
    """
    return _DERIVED.get(owner, (drawn, name, *key), draw)


def judged(study: Study, rule: DecisionRule) -> pd.DataFrame:
    """Return what a rule makes of every row; see :meth:`proset.study.Study.judged`."""
    return derived(Study.judged, study, rule)


def keeper(study: AnyStudy) -> Keep:
    """Return what keeps evidence on cases of a study: of rows of its table, which do not change, and of no others."""

    def keep(name: str, compute: Callable[[], T], *depends: Hashable) -> T:
        """Return what was computed, once for a row of the table."""
        if any(isinstance(part, Case) and part.row is None for part in depends):
            return compute()
        key = (part.row if isinstance(part, Case) else part for part in depends)
        return _DERIVED.get(study, (keeper, name, *key), compute)

    return keep
