"""Looks of the texts of one column, counted batch by batch.

The kind of a column is decided from the whole column, yet a file may be too large to hold: so each batch only adds to
the counts, and :mod:`proset.data.reading.values` decides from them at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proset.data.cells import PLACEHOLDERS
from proset.data.reading.dates import NAMED_MONTH, YEAR_FIRST, YEAR_LAST, parse_dates
from proset.data.reading.spellings import Spellings

MISSING = (
    *("NA", "N/A", "n/a", "NaN", "nan", "NAN", "-nan", "NULL", "null", "Null", "<NA>", "NaT", "(null)", "\\N", "?"),
    *("#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),
)
"""Texts that stand for a missing value in every column, beside blanks."""
_SPELLED = {spell(word) for word in PLACEHOLDERS for spell in (str, str.capitalize, str.upper)}
DOUBTFUL = (*sorted(_SPELLED.difference(MISSING)), "n.a.", "..", "*")
"""Texts that stand for a missing value among numbers and dates, but are a category among words."""
INFINITE = r"^[+-]?(?:(?i:inf|infinity|∞)|[0-9.,]+[eE]\+?(?:309|3[1-9][0-9]|[4-9][0-9]{2}|[0-9]{4,}))$"
"""Infinity, and numbers that are too large for 64 bits and would become infinite."""

_SCALE = r"[eE](?:[+-]?[0-9]{1,2}|-[0-9]{3}|\+?(?:[012][0-9]{2}|30[0-8]))"
_EXPONENT = f"(?:{_SCALE})?$"
_NOT_A_GROUP = r"(?:(?:0[0-9]*|[0-9]{4,})\.[0-9]*|\.[0-9]+|[0-9]+\.(?:[0-9]{0,2}|[0-9]{4,}))"
_BLANK = r"[ '\x{a0}\x{202f}]"
_SPACED = rf"^[+-]?[1-9][0-9]{{0,2}}({_BLANK}[0-9]{{3}})+"
# a number in groups begins with no zero; 0.123 and 0,123 are decimals
_GROUPED_CODE = rf"^0[0-9]{{0,2}}(?:(?:{_BLANK}[0-9]{{3}})+|(?:\.[0-9]{{3}}){{2,}}|(?:,[0-9]{{3}}){{2,}})$"
MINUS_BEHIND = r"^([0-9][0-9.,' \x{a0}\x{202f}]*[.,][0-9]+)-$"
"""An amount as banks write it; one without decimals may be a mark, as 2- is."""
_SHAPES = (  # the first that fits counts
    # before "point3", the rarer shape, so that most decimals need one look; it leaves 1.234 and 12.345 to that
    ("point", rf"^[+-]?(?:{_NOT_A_GROUP}(?:{_SCALE})?|[0-9]+\.[0-9]{{3}}{_SCALE})$"),
    ("point3", r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"),
    ("integer", r"^[+-]?(0|[1-9][0-9]{0,14})$"),
    ("code", r"^0[0-9]+$"),
    ("long", r"^[+-]?[1-9][0-9]{15,17}$"),
    ("huge", r"^[+-]?[0-9]+$"),
    ("exponent", r"^[+-]?[0-9]+" + _SCALE + "$"),
    ("comma3", r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"),
    ("comma", r"^[+-]?([0-9]+,[0-9]*|,[0-9]+)" + _EXPONENT),
    ("groups_point", r"^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$"),
    ("groups_comma", r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?$"),
    ("spaced", _SPACED + "$"),
    ("spaced_point", _SPACED + r"\.[0-9]+$"),
    ("spaced_comma", _SPACED + r",[0-9]+$"),
    ("grouped_code", _GROUPED_CODE),
    ("infinite", INFINITE),
    ("boolean", r"^(?i:true|false)$"),
)
_NAMES = (
    *(shape for shape, _ in _SHAPES),
    *("blank", "missing", "doubtful", "year_first", "either_first", "day_first", "month_first", "named_month", "text"),
)
_CODES = {shape: code for code, shape in enumerate(_NAMES)}
_WORDS = [_CODES[shape] for shape in ("text", "doubtful", "code", "grouped_code")]  # what may be a category
_DATES = [_CODES[shape] for shape in ("year_first", "either_first", "day_first", "month_first", "named_month")]
_ZONE, _UTC = r":[0-9]{2}[^+-]*[+-][0-9]{2}:?[0-9]{2}$", r"[+-]00:?00$"
_FEW_ROWS, _AT_ONCE = 1_000, 1 << 17
_LAST_FREQUENT = "integer"  # missing values are looked for after it, so that plain numbers cost little
_MAX_EXAMPLES = 3
_MISSING_SET, _DOUBTFUL_SET = pa.array(MISSING), pa.array(DOUBTFUL)


Whole = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class _Shaped:
    """Texts, how often each stands for itself, and the code of its shape."""

    texts: pa.Array
    counts: Whole
    codes: Whole


@dataclass
class ColumnEvidence:
    """Counts of the shapes that the values of one column take.

    Attributes
    ----------
    shapes : Counter of str
        Number of rows per shape, such as ``"integer"``, ``"point"``, ``"blank"``, ``"doubtful"`` or ``"text"``.
    spaces : int
        Number of rows among the blank ones that hold white space, rather than nothing.
    markers : Counter of str
        Number of rows per text that may stand for a missing value.
    examples : dict of str to list of (row id, text)
        The first different values of each shape.
    n_moved : int
        Number of rows with a time in another zone than UTC; the first of them are in ``examples["moved"]``.
    spellings : Spellings
        Words that differ only in the blanks around them.
    """

    shapes: Counter[str] = field(default_factory=Counter)
    spaces: int = 0
    markers: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    n_moved: int = 0
    spellings: Spellings = field(default_factory=Spellings)

    def add(self, values: pa.Array, rows: Whole) -> None:
        """Count the values of one batch.

        Parameters
        ----------
        values : pyarrow.Array of str, shape (n,)
            The texts as they stand in the file; null counts as blank.
        rows : ndarray of int64, shape (n,)
            Their row ids.

        Examples
        --------
        >>> evidence = ColumnEvidence()
        >>> evidence.add(pa.array(["1", " 2", "x", ""]), np.arange(1, 5))
        >>> sorted(evidence.shapes.items())
        [('blank', 1), ('integer', 2), ('text', 1)]
        >>> evidence.examples["text"]
        [(3, 'x')]
        """
        trimmed = trim(values)
        texts, counts = _distinct(trimmed)
        self._count(values, trimmed, rows, _Shaped(texts, counts, _shape_codes(texts)))

    def _count(self, values: pa.Array, trimmed: pa.Array, rows: Whole, found: _Shaped) -> None:
        """Take over the shapes of a batch."""
        per_shape = np.bincount(found.codes, weights=found.counts, minlength=len(_CODES)).astype(np.int64)
        for code in np.flatnonzero(per_shape).tolist():
            shape = _NAMES[code]
            self.shapes[shape] += int(per_shape[code])
            if shape == "blank":
                nothing = pc.equal(values, "")
                self.spaces += int(per_shape[code]) - (pc.sum(nothing).as_py() or 0) - values.null_count
            at = np.flatnonzero(found.codes == code)
            if shape in ("missing", "doubtful"):
                for position in at.tolist():
                    self.markers[found.texts[position].as_py()] += int(found.counts[position])
            self._keep_examples(shape, trimmed, rows, found, at)
        if any(per_shape[code] for code in _WORDS):
            self.spellings.add(values, trimmed)

        if any(per_shape[code] for code in _DATES):
            self._count_moved(trimmed, rows, found)

    def _count_moved(self, trimmed: pa.Array, rows: Whole, found: _Shaped) -> None:
        """Count the dates whose time is that of another zone."""
        zoned, utc = (np.asarray(pc.match_substring_regex(found.texts, pattern)) for pattern in (_ZONE, _UTC))
        at = np.flatnonzero(zoned & ~utc & np.isin(found.codes, _DATES))
        if len(at):
            self.n_moved += int(found.counts[at].sum())
            self._keep_examples("moved", trimmed, rows, found, at)

    def _keep_examples(self, shape: str, trimmed: pa.Array, rows: Whole, found: _Shaped, at: Whole) -> None:
        """Keep the first different texts of a shape with the rows they stand in."""
        known = self.examples.setdefault(shape, [])
        merged = len(found.texts) != len(trimmed)
        for position in at[: 4 * _MAX_EXAMPLES].tolist():
            if len(known) == _MAX_EXAMPLES:
                return
            text = found.texts[position].as_py()
            if all(text != example for _, example in known):
                first = pc.index(trimmed, found.texts[position]).as_py() if merged else position
                known.append((int(rows[first]), text))

    def count(self, *shapes: str) -> int:
        """Return the number of rows that have one of some shapes."""
        return sum(self.shapes[shape] for shape in shapes)


def add_batch(evidence: Sequence[ColumnEvidence], columns: Sequence[pa.Array], rows: Whole) -> None:
    """Count the values of one batch for every column.

    Parameters
    ----------
    evidence : sequence of ColumnEvidence
        One per column.
    columns : sequence of pyarrow.Array of str, each of shape (n,)
        As in :meth:`ColumnEvidence.add`.
    rows : ndarray of int64, shape (n,)
        Row ids.

    Examples
    --------
    >>> found = [ColumnEvidence(), ColumnEvidence()]
    >>> add_batch(found, [pa.array(["1", "2"]), pa.array(["x", ""])], np.arange(1, 3))
    >>> [sorted(one.shapes.items()) for one in found]
    [[('integer', 2)], [('blank', 1), ('text', 1)]]
    """
    height = len(rows)
    if height >= _FEW_ROWS:
        for found, values in zip(evidence, columns, strict=True):
            found.add(values, rows)
        return
    at_once = max(1, _AT_ONCE // max(height, 1))  # each pattern costs time for each call, so short columns go together
    for start in range(0, len(columns), at_once):
        part = columns[start : start + at_once]
        trimmed = trim(pa.concat_arrays(part))
        codes = _shape_codes(trimmed)
        for at, (found, values) in enumerate(zip(evidence[start : start + at_once], part, strict=True)):
            own = trimmed.slice(at * height, height)
            ones = np.ones(height, dtype=np.int64)
            found._count(values, own, rows, _Shaped(own, ones, codes[at * height : (at + 1) * height]))


def trim(values: pa.Array) -> pa.Array:
    """Return texts without surrounding white space, null as an empty text.

    Examples
    --------
    >>> trim(pa.array([" a", None])).to_pylist()
    ['a', '']
    """
    ascii_only = pc.all(pc.string_is_ascii(values)).as_py() is not False
    trimmed = pc.ascii_trim_whitespace(values) if ascii_only else pc.utf8_trim_whitespace(values)  # four times slower
    return pc.fill_null(trimmed, "") if trimmed.null_count else trimmed


def minus_first(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return texts with the minus of an amount before it.

    Examples
    --------
    >>> minus_first(pa.array(["1.109,67-", "2-", "x"])).to_pylist()
    ['-1.109,67', '2-', 'x']
    """
    return pc.replace_substring_regex(texts, MINUS_BEHIND, r"-\1")


def _distinct(texts: pa.Array) -> tuple[pa.Array, Whole]:
    """Return texts and how often each occurs; repeats are only merged where there are many, for it costs time."""
    if len(texts) < 1000 or len(pc.unique(texts[:1000])) > 500:
        return texts, np.ones(len(texts), dtype=np.int64)
    counted = pc.value_counts(texts)
    return counted.field("values"), np.asarray(counted.field("counts"))


def _shape_codes(texts: pa.Array) -> Whole:
    """Return the shape of each text as its position in the list of names."""
    codes = np.full(len(texts), _CODES["text"], dtype=np.int64)
    left = np.arange(len(texts))

    def take(shape: str, mask: Any) -> None:
        nonlocal left, texts
        hit = np.asarray(mask)
        if hit.any():
            codes[left[hit]] = _CODES[shape]
            left, texts = left[~hit], texts.filter(pa.array(~hit)) if not hit.all() else texts[:0]

    for shape, pattern in _SHAPES:
        if len(left):
            take(shape, pc.match_substring_regex(texts, pattern))
        if shape == _LAST_FREQUENT and len(left):
            take("blank", pc.equal(texts, ""))
            take("missing", pc.is_in(texts, _MISSING_SET))
            take("doubtful", pc.is_in(texts, _DOUBTFUL_SET))
    behind = np.asarray(pc.match_substring_regex(texts, MINUS_BEHIND))
    if behind.any():
        codes[left[behind]] = _shape_codes(minus_first(texts.filter(pa.array(behind))))
        left, texts = left[~behind], texts.filter(pa.array(~behind))
    if len(left):
        take("year_first", ~np.isnat(parse_dates(texts, YEAR_FIRST)))
    if len(left):
        by_day, by_month = (~np.isnat(parse_dates(texts, YEAR_LAST, day_first=first)) for first in (True, False))
        shapes = np.select([by_day & by_month, by_day, by_month], ["either_first", "day_first", "month_first"], "")
        for shape in ("either_first", "day_first", "month_first"):
            mask = shapes == shape
            take(shape, mask)
            shapes = shapes[~mask]
    if len(left):
        take("named_month", ~np.isnat(parse_dates(texts, NAMED_MONTH)))
    return codes
