"""Classes made of the values of the target: ranges of a quantity, names, values set aside, and their order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from proset.common.checked_json import StateReader
from proset.common.errors import RoleError
from proset.common.words import listed, shown
from proset.data.cells import date_word, read_numbers, read_words, word_of
from proset.data.date_cells import DATE_FORMATS, FIRST_DAY, LAST_DAY, read_dates
from proset.data.level_order import evident_order

#: More ranges than this are no classes that a person can look at.
MOST_RANGES = 20

_LONGEST_NAME = 200


@dataclass(frozen=True)
class TargetClasses:
    """Classes made of the values of the target; without arguments each value is a class.

    A value is first put into its range, if there are cuts; what comes out is its label. Then labels are set aside or
    get the name of their class, and labels of one name are one class.

    Attributes
    ----------
    cuts : tuple of float
        Borders between the ranges of a quantity, ascending: numbers up to and including a cut lie below it. Days since
        1 January 1970 where the target holds dates; there the moment of a cut belongs to the range that begins with it.
    names : mapping of str to str
        From label to the name of its class; labels that are not there keep their own.
    set_aside : tuple of str
        Labels whose rows count as rows without a class.
    order : tuple of str
        Classes in the order in which they are shown; others follow, ranges from low to high and words by alphabet.
    ascending : bool
        Whether classes follow in their evident order, from the smallest number to the largest and from "never" to
        "always"; numbers before other words. Else by alphabet, as in studies of former versions: "10" before "2".
    dates : str or None
        How text spells the dates that are cut, one of :data:`~proset.data.date_cells.DATE_FORMATS`; None for numbers.

    Raises
    ------
    RoleError
        If a field is impossible whatever the table holds.

    Examples
    --------
    >>> classes = TargetClasses(cuts=(12, 30), names={"over 30": "high"})
    >>> classes.labels
    ('up to 12', 'over 12 to 30', 'over 30')
    >>> classes.apply(pd.Series([12, 12.5, None, 99])).tolist()
    ['up to 12', 'over 12 to 30', nan, 'high']
    """

    cuts: tuple[float, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    set_aside: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    dates: str | None = None
    ascending: bool = False

    def __post_init__(self) -> None:
        names = {label: name.strip() for label, name in self.names.items()}
        object.__setattr__(self, "cuts", tuple(float(cut) + 0.0 for cut in self.cuts))
        object.__setattr__(self, "names", MappingProxyType({a: b for a, b in sorted(names.items()) if a != b}))
        object.__setattr__(self, "set_aside", tuple(sorted(set(self.set_aside))))
        self._check_cuts()
        if not self.cuts:
            object.__setattr__(self, "dates", None)
        self._check_names(names)

    @property
    def are_values(self) -> bool:
        """Tell whether each value of the target is a class under its own name."""
        return not (self.cuts or self.names or self.set_aside)

    def __reduce__(self) -> tuple[type[TargetClasses], tuple[Any, ...]]:
        """Let copies and worker processes rebuild the read-only mapping."""
        return TargetClasses, (self.cuts, dict(self.names), self.set_aside, self.order, self.dates, self.ascending)

    def __hash__(self) -> int:
        return hash((self.cuts, frozenset(self.names.items()), self.set_aside, self.order, self.dates, self.ascending))

    def __bool__(self) -> bool:
        """Tell whether it changes anything."""
        return self != TargetClasses()

    def _check_cuts(self) -> None:
        """Refuse cuts that are no borders."""
        if not all(math.isfinite(cut) for cut in self.cuts):
            raise RoleError("A cut of the target is no finite number.", hint="Leave it out.")
        if any(low >= high for low, high in pairwise(self.cuts)):
            raise RoleError("The cuts of the target have to ascend, each one once.", hint="Sort them.")
        if len(self.cuts) >= MOST_RANGES:
            raise RoleError(
                f"{len(self.cuts)} cuts make {len(self.cuts) + 1} ranges; at most {MOST_RANGES} can be classes.",
                hint="Take fewer cuts.",
            )
        if self.dates is not None and self.dates not in DATE_FORMATS:
            raise RoleError("The way in which the target spells dates is not known.", hint="Choose the cuts again.")
        if self.dates is not None and not all(FIRST_DAY <= cut <= LAST_DAY for cut in self.cuts):
            raise RoleError("A cut of the target lies outside the years 1 to 9999.", hint="Leave it out.")
        if self.dates is not None and len({round(cut * 86_400) for cut in self.cuts}) < len(self.cuts):
            raise RoleError("Two cuts of the target lie within one second.", hint="Leave one of them out.")

    def _check_names(self, names: Mapping[str, str]) -> None:
        """Refuse names that cannot be shown or contradict each other."""
        for label, name in names.items():
            if not name:
                raise RoleError(f"Class '{shown(label)}' has an empty name.", hint="Give it a name, or set it aside.")
            if len(name) > _LONGEST_NAME:
                raise RoleError(
                    f"The name '{shown(name)}' of a class has {len(name):,} characters.",
                    hint=f"Choose one with at most {_LONGEST_NAME}.",
                )
        both = next((label for label in self.set_aside if label in self.names), None)
        if both is not None:
            raise RoleError(
                f"Class '{shown(both)}' is set aside and also named '{shown(self.names[both])}'.",
                hint="Do one of the two.",
            )
        if len(set(self.order)) < len(self.order):
            twice, _ = Counter(self.order).most_common(1)[0]
            raise RoleError(f"Class '{shown(twice)}' stands twice in the order.", hint="Name each class once.")

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the ranges from low to high; empty without cuts."""
        if not self.cuts:
            return ()
        if self.dates is None:
            words = [word_of(cut) for cut in self.cuts]
            middle = [f"over {low} to {high}" for low, high in pairwise(words)]
            return (f"up to {words[0]}", *middle, f"over {words[-1]}")
        words = [date_word(moment_of(cut)) for cut in self.cuts]
        middle = [f"{first} to before {last}" for first, last in pairwise(words)]
        return (f"before {words[0]}", *middle, f"from {words[-1]}")

    def label(self, series: pd.Series) -> pd.Series:
        """Return the label of each cell: its range, or its word; missing where the cell is missing or unreadable.

        Examples
        --------
        >>> TargetClasses().label(pd.Series([1.0, None])).tolist()
        ['1', nan]
        """
        if not self.cuts:
            return read_words(series)
        if self.dates is None:
            values, side = read_numbers(series).values, "left"
        else:
            values, side = read_dates(series, self.dates)[0], "right"
        where = np.searchsorted(np.asarray(self.cuts), values, side=side)  # type: ignore[call-overload]
        where = np.where(np.isfinite(values), where, len(self.cuts) + 1)
        words = np.array([*self.labels, None], dtype=object)
        return pd.Series(words[where], index=series.index, dtype="str", name=series.name)

    def apply(self, series: pd.Series) -> pd.Series:
        """Return the class of each cell; missing where the label is missing or set aside.

        Examples
        --------
        >>> TargetClasses(names={"b": "a"}, set_aside=("c",)).apply(pd.Series(["a", "b", "c"])).tolist()
        ['a', 'a', nan]
        """
        return self.named(self.label(series))

    def named(self, labels: pd.Series) -> pd.Series:
        """Return the classes that labels belong to; missing where a label is missing or set aside."""
        if not self.set_aside and not self.names:
            return labels
        codes, different = pd.factorize(labels)
        names = {**dict(self.names), **dict.fromkeys(self.set_aside)}
        made = np.array([*(names.get(label, label) for label in different), None], dtype=object)  # -1: missing
        return pd.Series(made[codes], index=labels.index, dtype="str", name=labels.name)

    def sort(self, classes: Iterable[str]) -> tuple[str, ...]:
        """Return different classes in the order in which they are shown.

        Examples
        --------
        >>> TargetClasses(order=("low",)).sort(["high", "low", "mean"])
        ('low', 'high', 'mean')
        >>> TargetClasses(ascending=True).sort(["10", "2", "no"]), TargetClasses(ascending=True).sort(["low", "high"])
        (('2', '10', 'no'), ('low', 'high'))
        """
        place = {name: at for at, name in reversed(list(enumerate(self._natural_order())))}
        known = {name: at for at, name in enumerate(self.order)}
        first, last, different = len(known), len(place), sorted(set(classes))
        size = _sizes(different) if self.ascending else {}
        return tuple(
            sorted(different, key=lambda name: (known.get(name, first), place.get(name, last), size.get(name, 0.0)))
        )

    def _natural_order(self) -> list[str]:
        """Classes of the ranges from low to high; a class of several ranges stands where its first one does."""
        return [self.names.get(label, label) for label in self.labels if label not in self.set_aside]

    def joined(self, labels: Iterable[str], name: str) -> TargetClasses:
        """Return classes in which some labels are one class of this name.

        Examples
        --------
        >>> dict(TargetClasses().joined(["b", "c"], "other").names)
        {'b': 'other', 'c': 'other'}
        """
        taken = tuple(labels)
        kept = tuple(label for label in self.set_aside if label not in taken)
        return replace(self, names={**self.names, **dict.fromkeys(taken, name)}, set_aside=kept)

    def without(self, labels: Iterable[str]) -> TargetClasses:
        """Return classes in which some labels are set aside.

        Examples
        --------
        >>> TargetClasses(names={"b": "other"}).without(["b"]).set_aside
        ('b',)
        """
        gone = set(labels)
        names = {label: name for label, name in self.names.items() if label not in gone}
        return replace(self, names=names, set_aside=tuple({*self.set_aside, *gone}))

    def to_state(self) -> dict[str, Any]:
        """Return plain JSON types for :meth:`from_state`; floats are exact."""
        state = {
            "cuts": list(self.cuts),
            "names": [list(pair) for pair in self.names.items()],
            "set_aside": list(self.set_aside),
            "order": list(self.order),
            "dates": self.dates,
        }
        return state | {"ascending": True} if self.ascending else state

    @classmethod
    def from_state(cls, state: object, *, where: str) -> TargetClasses:
        """Check and rebuild; a wrong field is a StorageError that names it."""
        reader = StateReader(state, where)
        cuts, names = reader.take("cuts"), reader.take("names")
        if not isinstance(cuts, list) or not all(type(cut) in (int, float) for cut in cuts):
            raise reader.refuse("cuts", "has to be a list of numbers")
        if not isinstance(names, list) or not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in names
        ):
            raise reader.refuse("names", "has to be a list of pairs of texts")
        set_aside, order = reader.texts("set_aside"), reader.texts("order")
        dates = reader.optional_text("dates", choices=DATE_FORMATS)
        ascending = isinstance(state, dict) and "ascending" in state and reader.flag("ascending")
        reader.close()
        try:
            return cls(tuple(cuts), dict(names), set_aside, order, dates, ascending)
        except (RoleError, OverflowError) as error:
            raise reader.refuse("classes", f"is impossible: {str(error).rstrip('.')}") from error


def moment_of(days: float) -> pd.Timestamp:
    """Return the moment that lies so many days after 1 January 1970, to the second.

    Examples
    --------
    >>> moment_of(365.5)
    Timestamp('1971-01-01 12:00:00')
    """
    return pd.Timestamp(np.datetime64(round(days * 86_400), "s"))


def _sizes(classes: Sequence[str]) -> dict[str, float]:
    """Return what classes are sorted by: their places where an order is evident, else numbers, below all words."""
    order = evident_order(classes)
    if order is not None:
        return {classes[at]: float(place) for place, at in enumerate(order)}
    values = pd.to_numeric(pd.Series(classes, dtype="str"), errors="coerce").to_numpy(dtype=np.float64)
    return dict(zip(classes, np.where(np.isfinite(values), values, np.inf).tolist(), strict=True))


def check_labels(classes: TargetClasses, labels: pd.Series) -> None:
    """Refuse classes that speak of labels which the table does not have.

    Parameters
    ----------
    classes : TargetClasses
        How classes are made.
    labels : Series of str
        From :meth:`TargetClasses.label` for the whole target, whose name it has.

    Raises
    ------
    RoleError
        Naming the target, the class and those that there are.

    Examples
    --------
    >>> check_labels(TargetClasses(set_aside=("c",)), pd.Series(["a", "b"], name="kind"))
    Traceback (most recent call last):
        ...
    proset.common.errors.RoleError: Target 'kind' has no class 'c'. Its classes are 'a', 'b'.
    """
    target = str(labels.name)
    there = dict.fromkeys(labels.dropna()) | dict.fromkeys(classes.labels)
    for label in (*classes.names, *classes.set_aside):
        if label not in there:
            raise _unknown(target, label, there)
    left = dict.fromkeys(classes.named(pd.Series(list(there), dtype="str")).dropna())
    for name in classes.order:
        if name not in left:
            raise _unknown(target, name, left)


def _unknown(target: str, label: str, there: Iterable[str]) -> RoleError:
    """Return the error for a class that is not there."""
    return RoleError(
        f"Target '{shown(target)}' has no class '{shown(label)}'.",
        column=target,
        hint=f"Its classes are {listed(sorted(there), most=10)}.",
    )
