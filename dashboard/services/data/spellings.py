"""Classes that differ only in capitals, made one by one click."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from proset.common.words import count_words, listed
from proset.data.capitals import spelled_alike
from proset.data.classes import TargetClasses

_MOST_NAMED = 3


@dataclass(frozen=True)
class Joined:
    """Classes after those that differ only in capitals were joined.

    Attributes
    ----------
    classes : TargetClasses
        These.
    words, done : str
        What the button says, and what has happened after it.
    """

    classes: TargetClasses
    words: str
    done: str


def joined_spellings(labels: pd.Series, classes: TargetClasses) -> Joined | None:
    """Join classes that differ only in capitals, each under its most frequent spelling; None where there are none.

    Parameters
    ----------
    labels : Series of str
        From :meth:`TargetClasses.label`.

    Examples
    --------
    >>> joined = joined_spellings(pd.Series(["ill", "well", "ILL", "ill"]), TargetClasses())
    >>> joined.words, dict(joined.classes.names)
    ("Join 'ILL' with 'ill'", {'ILL': 'ill'})
    """
    named = classes.named(labels)
    counts = named.value_counts()
    several = [sorted(names, key=lambda name: (-counts[name], name)) for names in spelled_alike(map(str, counts.index))]
    if not several:
        return None
    for usual, *others in several:
        taken = labels[named.isin([usual, *others])].unique()
        classes = classes.joined(sorted(map(str, taken)), usual)
    pairs = [f"{listed(others)} with {listed([usual])}" for usual, *others in several]
    rows = sum(int(counts[name]) for _, *others in several for name in others)
    which = ", ".join(pairs) if len(pairs) <= _MOST_NAMED else f"the spellings of {len(pairs):,} classes"
    left = set(classes.named(labels).dropna())
    classes = replace(classes, order=tuple(name for name in classes.order if name in left))
    return Joined(classes, f"Join {which}", f"Joined {which} ({count_words(rows, 'row')}).")
