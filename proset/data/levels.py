"""Categories and truth values as matrix columns and back.

Two levels make one column of 0 and 1, more levels make one such indicator each, so that no pair of levels is nearer
than another. Indicators are not scaled: ``docs/decisions.md`` says what was compared. Levels that are rare among the
training rows share one pooled level, which later stands for levels never seen before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from numpy.typing import NDArray
from pandas.api import types

from proset.common.checked_json import StateReader
from proset.common.errors import DesignError
from proset.common.words import shown
from proset.data.arrow_texts import arrow_texts, distinct_words
from proset.data.cells import TRUTH_PAIRS, read_numbers, read_words, settle, truth_of
from proset.data.encoders import Block, MatrixColumn
from proset.data.issues import Role
from proset.data.level_order import evident_order

#: A level has an indicator of its own as long as it is among so many most frequent ones; see also `fewest_rows`.
MOST_LEVELS = 50

#: How the pooled level and the missing cells are called.
POOLED, MISSING = "(other)", "(missing)"


@dataclass(frozen=True)
class LevelEncoder:
    """A category or truth value.

    Attributes
    ----------
    source : str
        The table column.
    role : Role
        CATEGORICAL or BOOLEAN.
    levels : tuple of str
        Levels with a slot of their own: false before true where the words mean that, else most frequent first.
    rare : tuple of str
        Levels that share the pooled slot, which exists if there are any.
    missing : bool
        Whether missing cells have a slot of their own; if not, they are filled with the most frequent level.
    fill : str
        The most frequent level.
    numeric : bool
        Whether the training rows held numbers, so that text such as "1.0" means the level "1".
    """

    kind: ClassVar[str] = "levels"
    source: str
    role: Role
    levels: tuple[str, ...]
    rare: tuple[str, ...]
    missing: bool
    fill: str
    numeric: bool

    @classmethod
    def fit(cls, series: pd.Series, role: Role) -> LevelEncoder | None:
        """Learn from training rows; None where fewer than two slots come out."""
        settled = settle(series)
        words = read_words(settled)
        counts = _count(words) if role is Role.CATEGORICAL else _merge_spellings(_count(words))
        if not counts:
            return None
        if role is Role.BOOLEAN and len(counts) > 2:
            raise _too_many_levels(str(series.name), counts)
        fewest = fewest_rows(len(words))
        enough = 1 if role is Role.BOOLEAN else fewest
        levels = [level for level, rows in list(counts.items())[:MOST_LEVELS] if rows >= enough]
        kept = set(levels)
        rare = tuple(level for level in counts if level not in kept)
        if all(truth_of(level) is not None for level in levels):
            levels.sort(key=lambda level: bool(truth_of(level)))
        encoder = cls(
            source=str(series.name),
            role=role,
            levels=tuple(levels),
            rare=rare,
            missing=bool(words.isna().sum() >= fewest),
            fill=next(iter(counts)),
            numeric=types.is_numeric_dtype(settled.dtype) and not types.is_bool_dtype(settled.dtype),
        )
        return encoder if len(encoder.slots) > 1 else None

    @property
    def slots(self) -> tuple[str, ...]:
        """Values that a cell can have: the levels, then the pooled level, then missing."""
        return (*self.levels, *((POOLED,) if self.rare else ()), *((MISSING,) if self.missing else ()))

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        """One column for two slots, else one indicator per slot."""
        slots = self.slots
        if len(slots) == 2:
            return (MatrixColumn(self.source, self.source, self.role, slots[1], 0.0, 1.0),)
        names = [f"{self.source} = {slot}" for slot in slots]
        return tuple(
            MatrixColumn(name, self.source, self.role, slot, 0.0, 1.0) for name, slot in zip(names, slots, strict=True)
        )

    @property
    def evident_order(self) -> tuple[int, ...] | None:
        """Places of the slots with levels from least to most, the others last; None where no order is evident."""
        order = evident_order(self.levels)
        return None if order is None else (*order, *range(len(self.levels), len(self.slots)))

    @property
    def shown_order(self) -> tuple[int, ...]:
        """Places of the slots in the order in which an axis shows them: the evident one, other levels as they are."""
        return self.evident_order or tuple(range(len(self.slots)))

    def encode(self, series: pd.Series) -> Block:
        """Return the indicators of a column; a level never seen counts as the pooled one, or as none."""
        words = self.words(series)
        codes = self._codes(words)
        absent = words.isna().to_numpy()
        unseen = (codes < 0) & ~absent
        if self.rare:
            codes[unseen] = len(self.levels)
        codes[absent] = len(self.slots) - 1 if self.missing else self._codes(pd.Series([self.fill]))[0]
        if len(self.slots) == 2:
            raw = np.where(codes < 0, 0.5, codes)[:, None]  # neither of the two: half way between them
        else:
            raw = (codes[:, None] == np.arange(len(self.slots))).astype(np.float64)
        imputed = absent if not self.missing else np.zeros(len(absent), dtype=bool)
        return Block(raw, imputed, unseen)

    def decode(self, values: NDArray[np.float64]) -> list[str]:
        """Return the level's word for a single column, else "yes" or "no"; "unknown" half way between two."""
        low, high = self.slots if len(self.slots) == 2 else ("no", "yes")
        return np.where(values <= 0.25, low, np.where(values >= 0.75, high, "unknown")).tolist()

    def words(self, series: pd.Series) -> pd.Series:
        """Spell new cells as the training rows were spelled."""
        settled = settle(series)
        words = read_words(settled)
        if self.numeric and isinstance(settled.dtype, pd.StringDtype):
            numbers = pd.Series(read_numbers(settled).values, index=words.index)
            words = read_words(numbers).where(numbers.notna(), words)
        return words

    def _codes(self, words: pd.Series) -> NDArray[np.int64]:
        """Slot of each word, -1 where it is missing or was never seen."""
        texts = arrow_texts(words).dictionary_encode()
        different = texts.dictionary.to_pylist()
        if self.role is Role.BOOLEAN:
            lookup = self._truth_lookup()
            different = [word.casefold() for word in different]
        else:
            lookup = dict.fromkeys(self.rare, len(self.levels)) | {level: i for i, level in enumerate(self.levels)}
        slots = np.array([*(lookup.get(word, -1) for word in different), -1], dtype=np.int64)
        return slots[np.asarray(pc.fill_null(texts.indices, len(different)))]

    def _truth_lookup(self) -> dict[str, int]:
        """Slots of a truth value's words and of all words that mean the same, in lower case."""
        lookup = {level.casefold(): slot for slot, level in enumerate(self.levels)}
        means = {truth_of(level): slot for slot, level in enumerate(self.levels)}
        if None not in means:
            for pair in TRUTH_PAIRS:
                lookup |= {word: means[bool(value)] for value, word in enumerate(pair) if bool(value) in means}
        return lookup

    def to_state(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "kind": self.kind,
            "source": self.source,
            "role": self.role.value,
            "levels": list(self.levels),
            "rare": list(self.rare),
            "missing": self.missing,
            "fill": self.fill,
            "numeric": self.numeric,
        }

    @classmethod
    def from_state(cls, reader: StateReader) -> LevelEncoder:
        """Check and rebuild."""
        encoder = cls(
            source=reader.text("source"),
            role=Role(reader.text("role", choices=(Role.CATEGORICAL.value, Role.BOOLEAN.value))),
            levels=reader.texts("levels"),
            rare=reader.texts("rare"),
            missing=reader.flag("missing"),
            fill=reader.text("fill"),
            numeric=reader.flag("numeric"),
        )
        if len(encoder.slots) < 2 or len(encoder.levels) > MOST_LEVELS:
            raise reader.refuse("levels", f"has to hold two to {MOST_LEVELS} levels")
        if set(encoder.levels) & set(encoder.rare):
            raise reader.refuse("rare", "repeats a level of 'levels'")
        if encoder.fill not in (*encoder.levels, *encoder.rare):
            raise reader.refuse("fill", "has to be one of the levels")
        if encoder.role is Role.BOOLEAN and (encoder.rare or len(encoder.levels) > 2):
            raise reader.refuse("levels", "has to hold no more than two levels for the role boolean")
        return encoder


def fewest_rows(n_rows: int) -> int:
    """Say how many training rows a level (or missing cells) need for an indicator of their own.

    Returns
    -------
    int
        One in a hundred, but from 5 (fewer teach nothing) to 50 (more are never too few).

    Examples
    --------
    >>> fewest_rows(200), fewest_rows(1000), fewest_rows(1_000_000)
    (5, 10, 50)
    """
    return min(max(n_rows // 100, 5), 50)


def _count(words: pd.Series) -> dict[str, int]:
    """Return the rows per word, most frequent first, ties in the order of the alphabet."""
    different, rows = distinct_words(words)
    return _sorted(zip(different.to_pylist(), rows.tolist(), strict=True))


def _sorted(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return counts, the largest first, ties in the order of the alphabet."""
    return dict(sorted(counts, key=lambda pair: (-pair[1], pair[0])))


def _merge_spellings(counts: dict[str, int]) -> dict[str, int]:
    """Give words that mean the same truth value, or differ only in case, their most frequent spelling."""
    spellings: dict[bool | str, str] = {}
    merged: dict[str, int] = {}
    for word, rows in counts.items():
        truth = truth_of(word)
        spelling = spellings.setdefault(word.casefold() if truth is None else truth, word)
        merged[spelling] = merged.get(spelling, 0) + rows
    return _sorted(merged.items())


def _too_many_levels(column: str, counts: dict[str, int]) -> DesignError:
    """More than two different words in a truth value."""
    listed = ", ".join(f"'{shown(level, 40)}'" for level in list(counts)[:3])
    return DesignError(
        f"Column '{shown(column)}' has the role boolean, but {len(counts)} different values: {listed}, ...",
        column=column,
        hint="Give it the role categorical.",
    )
