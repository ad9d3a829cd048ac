"""Units beside numbers and words that mean "missing", as a person declared them, taken out of typed rows.

A column of texts that is left with nothing but numbers or dates becomes such a column, by the same rules as when a file
is read. What becomes of a column is decided once from all rows, so rows in pieces give the same table as at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import ColumnUnit, MissingWord
from proset.data.reading.evidence import ColumnEvidence, trim
from proset.data.reading.findings import column_issues
from proset.data.reading.values import Plan, ValueType, convert, decide

_EXACT = 1 << 53
_BLANKS = "[ \t\u00a0\u202f]*"
AMOUNT = "(?:[0-9](?:[0-9.,' \u00a0\u202f]*[0-9.,])?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
"""Pattern of a number without its sign, whatever its marks: for pyarrow as for Python."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?")
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{4}")
_REPLACED = frozenset({"stray_text", "kept_marker", "mixed_dates", "leading_zeros", "long_numbers", "decimal_mark"})
_MOST_LISTED = 5


@dataclass
class _Found:
    """Effect of the declared words and the unit on one column."""

    words: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)
    with_unit: Counter[str] = field(default_factory=Counter)
    evidence: ColumnEvidence = field(default_factory=ColumnEvidence)
    largest: int = 0
    plan: Plan | None = None

    @property
    def is_change(self) -> bool:
        """True if any cell holds a word or the unit."""
        return bool(self.counts or self.with_unit)


class Declaration:
    """Effect of what was declared on the columns of a table; learned from all rows, then applied to any of them.

    Parameters
    ----------
    words : sequence of MissingWord
        What means "missing"; words for columns that there are not do nothing.
    decimal : str
        Decimal mark of the file.
    units : sequence of ColumnUnit
        Units beside numbers; those for columns that there are not do nothing.

    Examples
    --------
    >>> frame = pd.DataFrame({"dose": ["1.5", "k.A.", "2"]}, index=pd.Index([1, 2, 3], name="row"))
    >>> declaration = Declaration([MissingWord("k.A.")], ".").learn([frame])
    >>> declaration.apply(frame)["dose"].tolist()
    [1.5, nan, 2.0]
    """

    def __init__(self, words: Sequence[MissingWord], decimal: str, units: Sequence[ColumnUnit] = ()) -> None:
        self._words, self._decimal = tuple(dict.fromkeys(words)), decimal
        self._units: dict[str, tuple[str, ...]] = {}
        for unit in dict.fromkeys(units):
            self._units[unit.column] = (*self._units.get(unit.column, ()), unit.text)
        self._found: dict[str, _Found] = {}

    def learn(self, frames: Iterable[pd.DataFrame]) -> Declaration:
        """Look at all rows; returns itself."""
        for frame in frames:
            words = words_by_column(self._words, frame.columns)
            for name in map(str, frame.columns):
                if name in words or name in self._units:
                    found = self._found.setdefault(name, _Found(words.get(name, ()), self._units.get(name, ())))
                    self._learn_column(found, frame[name])
        for found in self._found.values():
            if found.is_change and found.evidence.shapes:
                found.plan = decide(found.evidence, self._decimal)
        return self

    def _learn_column(self, found: _Found, series: pd.Series) -> None:
        """Count units and words in some rows of a column, and see what is left."""
        for unit in found.units:
            series, hit = without_unit(series, unit)
            found.with_unit += Counter({unit: int(hit.sum())})
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
        """Columns that hold any of the words or units."""
        return tuple(name for name, found in self._found.items() if found.is_change)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows without words and units; columns without any of them are the same as before."""
        changed = {name: self._applied(frame[name], self._found[name]) for name in self.changed}
        return frame.assign(**changed) if changed else frame

    def _applied(self, series: pd.Series, found: _Found) -> pd.Series:
        """Return a column without its units and words."""
        for unit in found.units:
            series, _ = without_unit(series, unit)
        if _is_text(series):
            left = series.mask(cells_that_hold(series, *found.words))
            if found.plan is None or found.plan.kind is ValueType.TEXT:
                return left
            return convert(pa.array(left, pa.large_string()), found.plan).set_axis(series.index)
        if series.dtype.kind == "i":  # the same type in all pieces, also in those without a gap
            series = series.astype("str" if found.largest > _EXACT else "float64")
            return series.mask(cells_that_hold(series, *found.words))
        return series.mask(cells_that_hold(series, *found.words))

    def issues(
        self, former: Sequence[Issue], *, expected: Sequence[MissingWord | ColumnUnit] = ()
    ) -> tuple[Issue, ...]:
        """Return what there is to know about the table now.

        Parameters
        ----------
        former : sequence of Issue
            What was found before.
        expected : sequence of MissingWord or ColumnUnit
            Those of which it is said if no cell holds them.

        Returns
        -------
        tuple of Issue
            Without what is no longer true.
        """
        changed = {name: self._found[name] for name in self.changed}
        texts = {name for name, found in changed.items() if found.plan is not None}
        issues = [issue for issue in former if not (issue.column in texts and issue.code in _REPLACED)]
        for name, found in changed.items():
            issues += _declared_issues(name, found)
            if found.plan is not None:
                seen = column_issues(name, found.evidence, found.plan, decimal=self._decimal)
                issues += [issue for issue in seen if issue.code != "blank_values"]
        issues += [self._in_no_cell(one) for one in expected if not self._is_somewhere(one)]
        return tuple(dict.fromkeys(issues))

    def _is_somewhere(self, one: MissingWord | ColumnUnit) -> bool:
        """Tell whether any cell holds a word or a unit."""
        columns = [found for name, found in self._found.items() if one.column in (None, name)]
        return any((found.with_unit if isinstance(one, ColumnUnit) else found.counts)[one.text] for found in columns)

    @staticmethod
    def _in_no_cell(one: MissingWord | ColumnUnit) -> Issue:
        """Say that no cell holds a word or a unit."""
        where = "No cell" if one.column is None else f"No cell of column '{shown(one.column)}'"
        if isinstance(one, ColumnUnit):
            return Issue("declared_unit", f"{where} holds a number with '{shown(one.text)}'.", one.column)
        return Issue(
            "declared_missing", f"{where} holds '{shown(one.text)}', which was declared to mean missing.", one.column
        )


def _declared_issues(name: str, found: _Found) -> Iterator[Issue]:
    """Say what a declaration did to a column."""
    if found.with_unit:
        units = " or ".join(f"'{shown(unit)}'" for unit in found.with_unit)
        count = count_words(found.with_unit.total(), "cell is", "cells are")
        text = f"Column '{shown(name)}': {count} read as the number beside {units}, as declared."
        yield Issue("declared_unit", text, name, Severity.INFO)
    if found.counts:
        words = ", ".join(f"'{shown(word)}' ({count:,})" for word, count in found.counts.most_common(_MOST_LISTED))
        count = count_words(found.counts.total(), "cell counts", "cells count")
        text = f"Column '{shown(name)}': {count} as missing, as declared: {words}."
        yield Issue("declared_missing", text, name, Severity.INFO)


def without_unit(series: pd.Series, unit: str) -> tuple[pd.Series, NDArray[np.bool_]]:
    """Leave the number alone in cells that hold a number and a unit, in this order or the other.

    Parameters
    ----------
    series : Series
        A column of a table; only texts can hold a unit.
    unit : str
        As in :class:`ColumnUnit`.

    Returns
    -------
    series : Series
        Other cells are as they were; `series` itself if none holds the unit.
    hit : ndarray of bool, shape (n,)
        True where one did.

    Examples
    --------
    >>> cells = pd.Series(["80.3 kg", "75", "kg", "80 kg 5"], dtype="str")
    >>> [part.tolist() for part in without_unit(cells, "kg")]
    [['80.3', '75', 'kg', '80 kg 5'], [True, False, False, False]]
    >>> without_unit(pd.Series(["-€ 1,200.50"], dtype="str"), "€")[0].tolist()
    ['-1,200.50']
    """
    if not _is_text(series):
        return series, np.zeros(len(series), dtype=bool)
    cells, escaped = trim(pa.array(series, pa.large_string())), re.escape(unit)
    behind = rf"^([+-]?{_BLANKS}{AMOUNT}){_BLANKS}{escaped}$"
    before = rf"^([+-]?){_BLANKS}{escaped}{_BLANKS}([+-]?{AMOUNT})$"
    hit = np.asarray(pc.match_substring_regex(cells, f"(?:{behind})|(?:{before})"))
    if not hit.any():
        return series, hit
    alone = pc.replace_substring_regex(pc.replace_substring_regex(cells, behind, r"\1"), before, r"\1\2")
    return series.mask(hit, pd.Series(alone.to_pandas(), dtype=series.dtype).set_axis(series.index)), hit


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
    """Return a pattern for the ways to write a number: 99, 99.0, 99,00, not 99,000; None for what is no number."""
    plain = re.fullmatch(r"(-?)\+?(0|[1-9]\d*)(?:[.,](\d*?)0*)?", text)
    if plain is None:
        return None
    sign, whole, part = plain[1], plain[2], plain[3] or ""
    if part:
        return f"^{sign}{whole}[.,]{part}0*$"
    return f"^{sign}{whole}(?:[.,](?:0{{0,2}}|0{{4,}}))?$"  # 9.000 may be nine thousand


def _is_text(series: pd.Series) -> bool:
    """Tell whether a column holds texts."""
    return isinstance(series.dtype, pd.StringDtype)
