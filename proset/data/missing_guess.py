"""Words and numbers that may mean "missing" in a table, suggested where they stand out; nothing is changed here.

A number stands out if it is repeated and far from all others, as -999 among doses from 0 to 40. A word stands out among
numbers, or if people write it for what they do not know. Each is one cell that a person has to judge: 99 may be an age.
One to three numbers that are much farther from all others, as a flat of 4,500 square metres, may be slips of whoever
wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from proset.common.words import count_words, number, shown
from proset.data.cells import word_of
from proset.data.issues import Issue, Severity
from proset.data.level_order import NO_ANSWER, plain
from proset.data.reading.declared import number_of
from proset.data.reading.dialect import MissingWord
from proset.data.reading.evidence import trim
from proset.data.table import Table

TELLING = frozenset(
    {
        "k.a.",
        "k. a.",
        "ka.",
        "keine angabe",
        "unbekannt",
        "nicht bekannt",
        "fehlt",
        "fehlend",
        "unknown",
        "unk",
        "unkn.",
    }
    | {"not known", "n/a", "n/a?", "na?", "n.a", "n. a.", "n.d.", "not available", "not recorded", "not reported"}
    | {"not stated", "not specified", "unspecified", "undefined", "missing", "missing value", "no data", "nodata"}
    | {"no answer", "no response", "not answered", "<missing>", "(missing)", "(unknown)", "<null>", "<none>", "[null]"}
    | {"inconnu", "inconnue", "non renseigné", "nr", "desconocido", "desconocida", "sin dato", "sin datos", "s/d"}
    | {"desconhecido", "sconosciuto", "onbekend", "okänd", "ukjent", "ukendt", "nieznany", "brak danych", "неизвестно"}
    | {"нет данных", "未知", "不详", "不明", "알 수 없음", "??", "???", "?"}
)
"""Words that people write for a value that they do not know, in lower case."""
OPEN = frozenset({"none", "na", "n.a.", "nil", "-", "--", "---", ".", "..", "*", "tbd", "tba", "empty", "null"})
"""Words that may mean that nothing is known, or that there is nothing: a value like any other."""

_CODE = re.compile(r"-?(?:9{2,}|9+[678]|8{2,}|7{2,})")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
_FAR_NEGATIVE = -9.0
_FEWEST_ROWS, _FEWEST_CELLS, _FEWEST_OTHERS = 10, 2, 10
_FAR = 3.0
_SLIP_FAR, _MOST_SLIPS, _FEWEST_BESIDE_SLIPS = 9.0, 3, 20
_YEARS = (1500.0, 2100.0)
_MOSTLY, _NEARLY = 0.5, 0.8
_MATTERS = 0.01
_FEW_WORDS, _FEW_NUMBERS = 3, 5
_FEWEST_LOOKED_AT, _CELLS_LOOKED_AT = 5_000, 5_000_000
_MOST_WORDS = 20_000
"""Different texts of a column, above which it is free text."""


@dataclass(frozen=True)
class MissingGuess:
    """A word or number of one column that may mean "missing".

    Attributes
    ----------
    word : MissingWord
        What it is, and where.
    count : int
        Cells that hold it.
    reason : str
        What makes it stand out, as the end of a sentence.
    severity : Severity
        WARNING where little else can be meant, INFO where it may well be a value.
    rows : tuple of int
        Row ids of the cells, where these are one to three and out of all proportion: a slip rather than a code.
    answer : bool
        Whether it is an answer that a form offers beside the values: in a target it may be what is asked.
    """

    word: MissingWord
    count: int
    reason: str
    severity: Severity = Severity.WARNING
    rows: tuple[int, ...] = ()
    answer: bool = False

    @property
    def message(self) -> str:
        """The finding in one sentence."""
        word, column = shown(self.word.text, 40), shown(self.word.column)
        rows = f"{'row' if len(self.rows) == 1 else 'rows'} {', '.join(map(str, self.rows))}"
        where = rows if self.rows else count_words(self.count, "cell")
        return f"Column '{column}': '{word}' ({where}) {self.meaning}: {self.reason}."

    @property
    def meaning(self) -> str:
        """Guess at what the word is, as the verb of a sentence."""
        return "may be a slip" if self.rows else "may mean missing"

    def issue(self) -> Issue:
        """Return the same as a finding about the table."""
        return Issue("may_be_missing", self.message, self.word.column, self.severity)


def guess_missing(table: Table) -> tuple[MissingGuess, ...]:
    r"""Find what may mean "missing" in a table.

    Parameters
    ----------
    table : Table
        The table; columns that are pixels are not looked at.

    Returns
    -------
    tuple of MissingGuess
        In table order; words that were declared already are not among them, for no cell holds them any more.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(("dose,kind\n" + "1.5,a\n2,b\n-999,a\n3.5,unknown\n" * 5).encode())
    >>> [(guess.word.text, guess.count) for guess in guess_missing(table)]
    [('-999', 5), ('unknown', 5)]
    """
    pixels = set(table.grid.columns) if table.grid else set()
    columns = {str(name): series for name, series in table.frame.items() if name not in pixels}
    sample = _sampled(table.frame)
    found: dict[str, list[MissingGuess]] = {}
    spreads: dict[str, _Spread] = {}
    for name, series in columns.items():
        some = series if sample is None else series.iloc[sample]
        if isinstance(series.dtype, pd.StringDtype):
            found[name] = list(_among_words(name, some))
            if found[name] and some is not series:
                found[name] = list(_among_words(name, series))
        elif series.dtype.kind in "if":
            spreads[name] = _Spread.of(some)
            found[name] = _of_numbers(some, spreads[name])
            if found[name] and some is not series:
                spreads[name] = _Spread.of(series)
                found[name] = _of_numbers(series, spreads[name])
        elif series.dtype.kind == "M":
            found[name] = list(_far_days(series))
    known = {number_of(guess.word.text) for name in spreads for guess in found[name]}
    for name, spread in spreads.items():
        others = known - {number_of(guess.word.text) for guess in found[name]}
        if sample is not None and list(_as_elsewhere(name, spread, others)):
            spread = _Spread.of(columns[name])
        found[name] += _as_elsewhere(name, spread, others)
    return tuple(guess for name in columns for guess in found.get(name, ()))


def _sampled(frame: pd.DataFrame) -> NDArray[np.int64] | None:
    """Return positions of the rows to look at first, None for all; only columns where they show anything cost more."""
    most = max(_FEWEST_LOOKED_AT, _CELLS_LOOKED_AT // max(1, len(frame.columns)))
    if len(frame) <= most:
        return None
    return np.sort(np.random.default_rng(0).choice(len(frame), most, replace=False))


@dataclass(frozen=True, eq=False)
class _Spread:
    """The different numbers of a column, ascending, and how often each occurs."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, series: pd.Series) -> _Spread:
        values = series.to_numpy(dtype=np.float64)
        return cls(*np.unique(values[np.isfinite(values)], return_counts=True))

    def inner(self, low: int, high: int) -> _Spread:
        """Return the spread without so many numbers at its ends."""
        end = len(self.values) - high
        return _Spread(self.values[low:end], self.counts[low:end])

    @property
    def width(self) -> float:
        return float(self.values[-1] - self.values[0])


def _of_numbers(series: pd.Series, spread: _Spread) -> list[MissingGuess]:
    """Return numbers of a column that may be codes, or else those that may be slips."""
    return list(_among_numbers(str(series.name), spread)) or list(_slips(series, spread))


def _among_numbers(name: str, spread: _Spread) -> Iterator[MissingGuess]:
    """Yield numbers that stand far off the others."""
    if spread.counts.sum() < _FEWEST_ROWS or len(spread.values) < 3:
        return
    years = spread.inner(1, _codes(spread, upwards=False))
    if spread.values[0] == 0.0 and _are_years(years.values):
        yield _number_guess(name, spread, 0, years)
        spread = spread.inner(1, 0)
    low, high = (_codes(spread, upwards) for upwards in (True, False))
    rest = spread.inner(low, high)
    if len(rest.values) >= 2:
        for at in [*range(low), *range(len(spread.values) - high, len(spread.values))]:
            if _is_far_code(float(spread.values[at]), rest, together=low if at < low else high):
                yield _number_guess(name, spread, at, rest)
    for at, inner in ((0, spread.inner(1, high)), (len(spread.values) - 1, spread.inner(low, 1))):
        alone = low == 0 if at == 0 else high == 0
        if alone and len(inner.values) >= _FEWEST_OTHERS and _is_far_number(spread, at, inner):
            yield _number_guess(name, spread, at, inner)


def _are_years(values: NDArray[np.float64]) -> bool:
    """Tell whether numbers look like years, among which zero is none; elsewhere it is never taken for missing."""
    whole = np.array_equal(values, np.round(values))
    return whole and len(values) >= _FEW_NUMBERS and bool(_YEARS[0] <= values[0] and values[-1] <= _YEARS[1])


def _codes(spread: _Spread, upwards: bool) -> int:
    """Count the numbers at one end that are written as codes are, such as 98 and 99."""
    order = range(len(spread.values)) if upwards else range(len(spread.values) - 1, -1, -1)
    count = 0
    for at in order:
        if not _CODE.fullmatch(word_of(spread.values[at])) or (upwards and spread.values[at] > 0):
            break
        count += 1
    return count


def _is_far_code(value: float, rest: _Spread, *, together: int) -> bool:
    """Tell whether a number that is written as a code is out of the range of the others."""
    gap = max(rest.values[0] - value, value - rest.values[-1])
    alone_below_zero = value <= _FAR_NEGATIVE and rest.values[0] >= 0 and together == 1
    # several such numbers are codes like all others of the column, unless they are far from it
    return bool(gap >= (1.0 if together == 1 else _FAR) * max(rest.width, 1.0)) or bool(
        alone_below_zero and gap >= 0.1 * rest.width
    )


def _is_far_number(spread: _Spread, at: int, rest: _Spread) -> bool:
    """Tell whether a number of any kind is repeated and very far from the others."""
    value = spread.values[at]
    gap = max(rest.values[0] - value, value - rest.values[-1])
    steps = np.diff(rest.values)
    return bool(
        spread.counts[at] > _FEWEST_CELLS and abs(value) > 1 and gap >= _FAR * rest.width and gap >= _FAR * steps.max()
    )


def _far_days(series: pd.Series) -> Iterator[MissingGuess]:
    """Yield the first or last day of a column of dates if it stands for none, as the last one of 9999 does."""
    moments, counts = np.unique(series.dropna().to_numpy("datetime64[us]"), return_counts=True)
    spread = _Spread((moments - np.datetime64("0001-01-01")) / np.timedelta64(1, "D"), counts)
    for at, rest in ((0, slice(1, None)), (-1, slice(None, -1))):
        others = moments[rest]
        if len(others) >= _FEWEST_OTHERS and _is_far_number(spread, at, _Spread(spread.values[rest], counts[rest])):
            reason = f"it lies far {'after' if at else 'before'} all others, "
            reason += f"{word_of(others[0])} to {word_of(others[-1])}"
            yield MissingGuess(MissingWord(word_of(moments[at]), str(series.name)), int(counts[at]), reason)


def _slips(series: pd.Series, spread: _Spread) -> Iterator[MissingGuess]:
    """Yield one to three cells at one end of a column that are many times as far from all others as these lie apart."""
    for upwards, many in product((False, True), range(_MOST_SLIPS, 0, -1)):
        rest = spread.inner(0, many) if upwards else spread.inner(many, 0)
        if len(rest.values) < _FEWEST_BESIDE_SLIPS:
            continue
        places = range(len(rest.values), len(spread.values)) if upwards else range(many)
        gap = spread.values[places[0]] - rest.values[-1] if upwards else rest.values[0] - spread.values[places[-1]]
        if gap >= _SLIP_FAR * rest.width and spread.counts[places].sum() <= _MOST_SLIPS:
            for at in places:
                rows = tuple(map(int, series.index[series == spread.values[at]]))
                guess = _number_guess(str(series.name), spread, at, rest)
                yield replace(guess, severity=Severity.WARNING, rows=rows)
            return


def _as_elsewhere(name: str, spread: _Spread, known: set[float | None]) -> Iterator[MissingGuess]:
    """Yield numbers that stand out in another column and stand at an end of this one, off the others."""
    for at, rest in ((0, spread.inner(1, 0)), (len(spread.values) - 1, spread.inner(0, 1))):
        if len(rest.values) < 2 or spread.values[at] not in known:
            continue
        value = float(spread.values[at])
        gap = max(rest.values[0] - value, value - rest.values[-1])
        if (value < 0 <= rest.values[0] and gap >= 0.1 * rest.width) or gap >= _MOSTLY * rest.width:
            guess = _number_guess(name, spread, at, rest)
            reason = f"{guess.reason}, and it stands out in other columns, too"
            yield replace(guess, reason=reason, severity=Severity.WARNING)


def _number_guess(name: str, spread: _Spread, at: int, rest: _Spread) -> MissingGuess:
    """Describe a number that stands out."""
    value, count = float(spread.values[at]), int(spread.counts[at])
    side = "below" if value < rest.values[0] else "above"
    reason = f"it lies far {side} all others, {number(float(rest.values[0]))} to {number(float(rest.values[-1]))}"
    weak = count < _FEWEST_CELLS or count > _MOSTLY * spread.counts.sum()
    return MissingGuess(MissingWord(word_of(value), name), count, reason, Severity.INFO if weak else Severity.WARNING)


def _among_words(name: str, series: pd.Series) -> Iterator[MissingGuess]:
    """Yield words that stand among numbers, and words that people write for what they do not know."""
    counts = pc.value_counts(trim(pa.array(series.dropna(), pa.large_string())))
    if not 2 <= len(counts) <= _MOST_WORDS:
        return
    words = {str(entry["values"]): int(entry["counts"]) for entry in counts.to_pylist() if str(entry["values"])}
    total = sum(words.values())
    numbers = {word for word in words if number_of(word) is not None or _GROUPED.fullmatch(word)}
    others = [word for word in words if word not in numbers]
    answers = {word for word in others if plain(word) in NO_ANSWER}
    told = answers | {word for word in others if plain(word) in TELLING}
    n_told = sum(words[word] for word in told)
    n_numbers = sum(words[word] for word in numbers)
    share = n_numbers / total if total else 0.0
    few = len(numbers) >= _FEW_NUMBERS and len(others) <= _FEW_WORDS
    # Most people may have given no answer: what tells that is not counted against the numbers.
    told_among_numbers = few and n_numbers >= _MOSTLY * (total - n_told)
    stands_out = few and share >= _NEARLY and len(numbers) >= _FEWEST_OTHERS
    for word in others:
        telling, answer, count = word in told, word in answers, words[word]
        weak = count > _MOSTLY * total
        if (telling and told_among_numbers) or (stands_out and not any(map(str.isdigit, word))):
            reason = "all other values are numbers" if len(others) == 1 else "most other values are numbers"
            sure, answer = telling or len(others) == 1 or word.casefold() in OPEN, False
        elif answer and len(words) > 2 and not weak:
            reason, sure = "people choose it in place of an answer", count >= max(_FEWEST_CELLS, _MATTERS * total)
        elif telling and not answer and len(others) > 1:
            reason, sure = "people write it for what they do not know", not weak
        elif word.casefold() in OPEN and len(word) <= 5 and len(others) > 1:
            reason, sure = "it may also be a value like the others", False
        else:
            continue
        severity = Severity.WARNING if sure else Severity.INFO
        yield MissingGuess(MissingWord(word, name), count, reason, severity, answer=answer)
