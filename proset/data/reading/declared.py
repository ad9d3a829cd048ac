"""Words that a person declared to mean "missing", taken out of typed rows.

A column of texts that is left with nothing but numbers or dates becomes such a column, by the same rules as when a file
is read. What becomes of a column is decided once from all rows, so rows in pieces give the same table as at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import MissingWord
from proset.data.reading.evidence import ColumnEvidence, trim
from proset.data.reading.findings import column_issues
from proset.data.reading.values import Plan, ValueType, convert, decide

_EXACT = 1 << 53
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?")
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{4}")
_REPLACED = frozenset({"stray_text", "kept_marker", "mixed_dates", "leading_zeros", "long_numbers", "decimal_mark"})
_MOST_LISTED = 5


@dataclass
class _Found:
    """Effect of the declared words on one column."""

    words: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    evidence: ColumnEvidence = field(default_factory=ColumnEvidence)
    largest: int = 0
    plan: Plan | None = None


class Declaration:
    """Effect of declared words on the columns of a table; learned from all rows, then applied to any of them.

    Parameters
    ----------
    words : sequence of MissingWord
        What means "missing"; words for columns that there are not do nothing.
    decimal : str
        Decimal mark of the file.

    Examples
    --------
    >>> frame = pd.DataFrame({"dose": ["1.5", "k.A.", "2"]}, index=pd.Index([1, 2, 3], name="row"))
    >>> declaration = Declaration([MissingWord("k.A.")], ".").learn([frame])
    >>> declaration.apply(frame)["dose"].tolist()
    [1.5, nan, 2.0]
    """

    def __init__(self, words: Sequence[MissingWord], decimal: str) -> None:
        self._words, self._decimal = tuple(dict.fromkeys(words)), decimal
        self._found: dict[str, _Found] = {}

    def learn(self, frames: Iterable[pd.DataFrame]) -> Declaration:
        """Look at all rows; returns itself."""
        for frame in frames:
            for name, words in words_by_column(self._words, frame.columns).items():
                self._learn_column(self._found.setdefault(name, _Found(words)), frame[name])
        for found in self._found.values():
            if found.counts and found.evidence.shapes:
                found.plan = decide(found.evidence, self._decimal)
        return self

    def _learn_column(self, found: _Found, series: pd.Series) -> None:
        """Count the words in some rows of a column, and see what is left."""
        gone = np.zeros(len(series), dtype=bool)
        for word in found.words:
            hit = cells_that_hold(series, word)
            found.counts += Counter({word: int((hit & ~gone).sum())})
            gone |= hit
        if _is_text(series):
            left = pa.array(series.mask(gone), pa.large_string())
            found.evidence.add(left, series.index.to_numpy(dtype=np.int64))
        elif series.dtype.kind == "i" and not gone.all():
            left = series.to_numpy()[~gone]
            found.largest = max(found.largest, -int(left.min()), int(left.max()))

    @property
    def changed(self) -> tuple[str, ...]:
        """Columns that hold any of the words."""
        return tuple(name for name, found in self._found.items() if found.counts)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows without the words; columns without any of them are the same as before."""
        changed = {name: self._applied(frame[name], self._found[name]) for name in self.changed}
        return frame.assign(**changed) if changed else frame

    def _applied(self, series: pd.Series, found: _Found) -> pd.Series:
        """Return a column without its words."""
        if _is_text(series):
            left = series.mask(cells_that_hold(series, *found.words))
            if found.plan is None or found.plan.kind is ValueType.TEXT:
                return left
            return convert(pa.array(left, pa.large_string()), found.plan).set_axis(series.index)
        if series.dtype.kind == "i":  # the same type in all pieces, also in those without a gap
            series = series.astype("str" if found.largest > _EXACT else "float64")
            return series.mask(cells_that_hold(series, *found.words))
        return series.mask(cells_that_hold(series, *found.words))

    def issues(self, former: Sequence[Issue], *, expected: Sequence[MissingWord] = ()) -> tuple[Issue, ...]:
        """Return what there is to know about the table now.

        Parameters
        ----------
        former : sequence of Issue
            What was found before.
        expected : sequence of MissingWord
            Words of which it is said if no cell holds them.

        Returns
        -------
        tuple of Issue
            Without what is no longer true.
        """
        changed = {name: found for name, found in self._found.items() if found.counts}
        texts = {name for name, found in changed.items() if found.plan is not None}
        issues = [issue for issue in former if not (issue.column in texts and issue.code in _REPLACED)]
        for name, found in changed.items():
            words = ", ".join(f"'{shown(word)}' ({count:,})" for word, count in found.counts.most_common(_MOST_LISTED))
            count = count_words(found.counts.total(), "cell counts", "cells count")
            text = f"Column '{shown(name)}': {count} as missing, as declared: {words}."
            issues.append(Issue("declared_missing", text, name, Severity.INFO))
            if found.plan is not None:
                seen = column_issues(name, found.evidence, found.plan, decimal=self._decimal)
                issues += [issue for issue in seen if issue.code != "blank_values"]
        for word in expected:
            names = self._found if word.column is None else [word.column]
            if not any(name in self._found and self._found[name].counts[word.text] for name in names):
                where = "No cell" if word.column is None else f"No cell of column '{shown(word.column)}'"
                text = f"{where} holds '{shown(word.text)}', which was declared to mean missing."
                issues.append(Issue("declared_missing", text, word.column))
        return tuple(dict.fromkeys(issues))


def words_by_column(words: Sequence[MissingWord], columns: Iterable[Any]) -> dict[str, tuple[str, ...]]:
    """Return the declared texts of each column that has any.

    Examples
    --------
    >>> words_by_column([MissingWord("-9", "a"), MissingWord("?!")], ["a", "b"])
    {'a': ('-9', '?!'), 'b': ('?!',)}
    """
    own: dict[str | None, list[str]] = {}
    for word in words:
        own.setdefault(word.column, []).append(word.text)
    everywhere = own.get(None, [])
    found = {str(name): tuple(dict.fromkeys((*own.get(str(name), ()), *everywhere))) for name in columns}
    return {name: texts for name, texts in found.items() if texts}


def cells_that_hold(series: pd.Series, *texts: str) -> NDArray[np.bool_]:
    """Find the cells that hold one of some texts, or the number that a text means.

    Parameters
    ----------
    series : Series
        A column of a table: numbers, dates, truth values or str.
    *texts : str
        What to look for.

    Returns
    -------
    ndarray of bool, shape (n,)
        True where one is found.

    Examples
    --------
    >>> cells_that_hold(pd.Series([-999.0, 3.0]), "-999").tolist()
    [True, False]
    >>> cells_that_hold(pd.Series(["-999,0", " k.A. ", "3"]), "-999", "k.A.").tolist()
    [True, True, False]
    """
    hit = np.zeros(len(series), dtype=bool)
    if _is_text(series):
        cells = trim(pa.array(series, pa.large_string()))
        hit |= np.asarray(pc.is_in(cells, pa.array(texts, pa.large_string())))
        if patterns := "|".join(filter(None, map(_spellings, texts))):
            hit |= np.asarray(pc.match_substring_regex(cells, patterns))
    elif series.dtype.kind in "if":
        values = [value for value in map(number_of, texts) if value is not None]
        hit |= np.isin(series.to_numpy(), np.array(values)) if values else False
    elif series.dtype.kind == "M":
        for text in filter(_DAY.fullmatch, texts):
            day = pd.to_datetime(text, dayfirst=not text[:4].isdigit(), errors="coerce")
            hit |= (series == day).to_numpy()
    return hit


def number_of(text: str) -> float | None:
    """Return the number that a text means, with either decimal mark; None if it means none.

    Examples
    --------
    >>> number_of("-99,5"), number_of("k.A.")
    (-99.5, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", "."))
    return value if np.isfinite(value) else None


def _spellings(text: str) -> str | None:
    """Return a pattern for the ways to write a number: 99, 99.0, 99,00; None for what is no number."""
    plain = re.fullmatch(r"(-?)\+?(0|[1-9]\d*)(?:[.,](\d*?)0*)?", text)
    if plain is None:
        return None
    sign, whole, part = plain[1], plain[2], plain[3] or ""
    return f"^{sign}{whole}[.,]{part}0*$" if part else f"^{sign}{whole}(?:[.,]0*)?$"


def _is_text(series: pd.Series) -> bool:
    """Tell whether a column holds texts."""
    return isinstance(series.dtype, pd.StringDtype)
