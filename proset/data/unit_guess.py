"""Units beside the numbers of a column, as in "80.3 kg", and limits, as in "<0.5", if nothing else makes it text.

A column is not touched here: "36 months" may be one of two names. But what is text has neither order nor distance, so a
person should see that one word is all that stands in the way.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.declared import AMOUNT, without_unit
from proset.data.reading.dialect import LONGEST_UNIT, ColumnUnit
from proset.data.reading.evidence import trim
from proset.data.table import Table

_SIGNS = "$€£¥₹₽₺₩฿₫₪"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF"
_BEFORE = re.compile(rf"[+-]?\s*((?:[A-Z]{{0,3}}[{_SIGNS}]|Rs\.?|kr\.?|{_CODES}))\s*[+-]?{AMOUNT}")
_BEHIND = re.compile(rf"[+-]?\s*{AMOUNT}\s*((?:[^\W\d_]|[%‰°\"{_SIGNS}])\D*[23]?)")
_PLAIN = rf"^[+-]?{AMOUNT}$"
_MANY = frozenset(("k", "m", "t", "b", "bn", "mn", "mln", "mio", "mio.", "mrd", "mrd.", "tsd", "tsd.", "million"))
"""Texts that may multiply the number beside them, which those without would not be."""
_LIMIT = re.compile(rf"([<>]=?|[≤≥])[ \u00a0\u202f]*{AMOUNT}")
_OPEN_END = re.compile(
    r"plus|(?:or|and|oder|und) (?:more|less|over|above|under|below|older|mehr|weniger|älter|darüber)"
)
"""Words that make a limit of the number before them, as in "5 or more"."""
_FEWEST_NUMBERS, _MOST_OTHERS, _MOSTLY = 3, 3, 0.8
_LOOKED_AT = 1_000


@dataclass(frozen=True)
class UnitGuess:
    """A unit that may stand beside the numbers of one column.

    Attributes
    ----------
    unit : ColumnUnit
        What it is, and where.
    count : int
        Cells that hold a number with it.
    n_present : int
        Cells that hold anything.
    example : (int, str)
        Row id and text of the first of these cells.
    """

    unit: ColumnUnit
    count: int
    n_present: int
    example: tuple[int, str]

    @property
    def message(self) -> str:
        """The finding in one sentence."""
        row, text = self.example
        unit, column = shown(self.unit.text), shown(self.unit.column)
        every = "all" if self.count == self.n_present else f"{self.count:,} of"
        held = f"{every} {self.n_present:,} cells {'holds' if self.count == 1 else 'hold'}"
        first = f"row {row}: '{shown(text, 40)}'"
        if limit_in(text) == self.unit.text or _OPEN_END.fullmatch(self.unit.text.casefold()):
            return (
                f"Column '{column}': {held} a limit with '{unit}' ({first}), which makes it text. Read as numbers, they"
                " count as the limit itself."
            )
        return f"Column '{column}': {held} a number with '{unit}' ({first}), which makes it text."

    def issue(self) -> Issue:
        """Return the same as a finding about the table."""
        return Issue("may_be_unit", self.message, self.unit.column, Severity.WARNING)


def guess_units(table: Table) -> tuple[UnitGuess, ...]:
    r"""Find columns of texts that are numbers but for one unit.

    Returns
    -------
    tuple of UnitGuess
        In table order. A column with two units, such as "kg" and "lb", is not among them, for its numbers do not
        compare; nor is one where a unit that may multiply, such as "k", stands beside some numbers only.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"weight,share,room\n80.3 kg,5 %,A1\n75 kg,10 %,A2\n81 kg,20 %,A3\n90 kg,7.5,B1\n")
    >>> [(guess.unit.text, guess.count, guess.n_present) for guess in guess_units(table)]
    [('kg', 4, 4), ('%', 3, 4)]
    """
    texts = [series for _, series in table.frame.items() if isinstance(series.dtype, pd.StringDtype)]
    return tuple(guess for series in texts for guess in _guess(series) if guess is not None)


def _guess(series: pd.Series) -> list[UnitGuess | None]:
    """Look at some cells first, for most columns of texts are nothing but texts; then count in all."""
    present = series.dropna()
    cells = trim(pa.array(present, pa.large_string()))
    some = cells.take(pa.array(np.arange(0, len(cells), max(1, len(cells) // _LOOKED_AT)))).to_pylist()
    looks = sum(1 for text in some if unit_in(text) or limit_in(text) or re.match(_PLAIN, text))
    if not some or looks < _MOSTLY * len(some):
        return []
    odd = pc.unique(cells.filter(pc.invert(pc.match_substring_regex(cells, _PLAIN)))).to_pylist()
    found = Counter(unit_in(text) or limit_in(text) for text in odd[:_LOOKED_AT])
    units = [unit for unit in found if unit is not None]
    limits = len(units) > 1 and {*map(limit_in, odd[:_LOOKED_AT])} >= {*units}  # these compare, units do not
    if not units or (len(units) > 1 and not limits) or found[None] > _MOST_OTHERS:
        return []
    return [_counted(series.name, present, unit, [other for other in units if other != unit]) for unit in units]


def _counted(name: Any, present: pd.Series, unit: str, beside: list[str]) -> UnitGuess | None:
    """Count the cells with a unit, and see whether all others but a few words are numbers, also `beside` others."""
    alone, hit = without_unit(present, unit)
    for other in beside:
        alone, _ = without_unit(alone, other)
    cells = trim(pa.array(alone, pa.large_string()))
    is_number = np.asarray(pc.match_substring_regex(cells, _PLAIN))
    numbers, others = cells.filter(pa.array(is_number)), cells.filter(pa.array(~is_number))
    few = len(pc.unique(others)) <= _MOST_OTHERS and len(numbers) >= _MOSTLY * len(cells)
    several = len(pc.unique(numbers)) >= _FEWEST_NUMBERS
    if not few or not several or (unit.casefold() in _MANY and hit.sum() < len(numbers)):
        return None
    row = present.index[int(hit.argmax())]
    return UnitGuess(ColumnUnit(unit, str(name)), int(hit.sum()), len(cells), (int(row), str(present[row]).strip()))


def unit_in(text: str) -> str | None:
    """Return what stands beside the number in a text, None where there is no such thing.

    Examples
    --------
    >>> [unit_in(text) for text in ("80.3 kg", "€ 1,200", "12", "<5", "A1", "2 kg 5")]
    ['kg', '€', None, None, None, None]
    """
    found = _BEHIND.fullmatch(text) or _BEFORE.fullmatch(text)
    unit = found[1].strip() if found else ""
    return unit if 0 < len(unit) <= LONGEST_UNIT else None


def limit_in(text: str) -> str | None:
    """Return the sign of a limit, such as of what can be measured, before the number in a text.

    Examples
    --------
    >>> [limit_in(text) for text in ("<0.5", "> 20", "≤3", "12", "<br>")]
    ['<', '>', '≤', None, None]
    """
    found = _LIMIT.fullmatch(text)
    return found[1] if found else None
