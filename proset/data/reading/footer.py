"""Lines below a table that are no cases: a sum, a mean, where the figures are from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import median

import numpy as np
import pyarrow.compute as pc

from proset.common.errors import TableError
from proset.common.words import count_words, shown
from proset.data.issues import Issue
from proset.data.reading.dialect import MOST_FOOTER
from proset.data.reading.evidence import trim
from proset.data.reading.rows import RaggedRows, TextBatch, TextRows
from proset.data.reading.values import Plan, ValueType, convert

_SEEN = 2 * MOST_FOOTER
_LEAST_ABOVE = 3
_LABEL_LENGTH = 40
_ROUNDED = 0.005
"""Part of itself by which a sum or a mean may be off, because it was rounded, or what it is made of."""
_MEAN = re.compile(r"averages?|means?|mittelwerte?|durchschnitt", re.IGNORECASE)
_SUM = re.compile(
    r"(?:grand |sub-?)?totals?|sums?|summen?|gesamt|gesamtsumme|insgesamt|averages?|means?|mittelwerte?|durchschnitt"
    r"|medians?|std\.?|min(?:imum)?|max(?:imum)?|anzahl|counts?",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:sources?|quellen?|data from|notes?|notiz|hinweise?|anmerkung(?:en)?|remarks?|footnotes?|stand|as of|generated"
    r"|erstellt|exported|export|updated|copyright|licen[cs]e|total rows|rows?:)\b.*|[*†‡©].*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass
class Tail:
    """The last rows of a table as text.

    Attributes
    ----------
    batches : deque of TextBatch
        As many as hold the last some dozen rows.
    """

    batches: deque[TextBatch] = field(default_factory=deque)

    def add(self, batch: TextBatch) -> None:
        """Keep the end of some rows, as it is: what it holds is looked at once, after the last rows."""
        self.batches.append(batch.part(slice(-_SEEN, None)))
        while sum(len(former.rows) for former in self.batches) - len(self.batches[0].rows) >= _SEEN:
            self.batches.popleft()

    def last(self, count: int) -> tuple[tuple[int, str], ...]:
        """Return row ids, ascending, of the last rows and what each begins with; all of them if there are fewer."""
        return tuple((row, _label(cells)) for row, cells in self._rows()[-count:]) if count else ()

    def row_above(self, footer: Sequence[tuple[int, str]]) -> int:
        """Return the id of the row above some of the last ones."""
        rows = [row for row, _ in self._rows()]
        return rows[-len(footer) - 1]

    def _rows(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return row ids and trimmed cells."""
        rows: list[tuple[int, tuple[str, ...]]] = []
        for batch in self.batches:
            columns = [[(cell or "").strip() for cell in column.to_pylist()] for column in batch.columns]
            rows.extend(zip(batch.rows.tolist(), zip(*columns, strict=True), strict=True))
        return rows[-_SEEN:]

    def footer(self) -> tuple[tuple[int, str], ...]:
        """Find the rows at the end that are lines below the table.

        A row counts as one if it begins with a word for a sum or a remark, once among the last rows, and leaves more
        cells blank than rows usually do; rows without any value beside such a row go with it.

        Returns
        -------
        tuple of (int, str)
            Row ids, ascending, and what each begins with.

        Examples
        --------
        >>> import numpy as np, pyarrow as pa
        >>> tail = Tail()
        >>> cells = (pa.array([*"abcdefghi", "Total"]), pa.array([*"123456789", "45"]), pa.array([*"uvuvuvuvu", None]))
        >>> tail.add(TextBatch(np.arange(1, 11), cells))
        >>> tail.footer()
        ((10, 'Total'),)
        """
        rows = self._rows()
        usual = median(_filled(cells) for _, cells in rows)
        labels = [_label(cells) for _, cells in rows]

        def below(cells: tuple[str, ...]) -> bool:
            label = _label(cells)
            return _filled(cells) < usual and (not label or (labels.count(label) == 1 and _says_footer(cells)))

        count = len(list(takewhile(lambda row: below(row[1]), reversed(rows))))
        found = self.last(count)
        return found if any(label for _, label in found) and count <= MOST_FOOTER else ()

    def sum_row(self, n_below: int) -> tuple[int, str] | None:
        """Find a row that says it is a sum but has as many values as others, above some of the last rows.

        Parameters
        ----------
        n_below : int
            Rows at the end that are lines below the table anyway.

        Returns
        -------
        tuple of (int, str) or None
            Its row id and what it begins with, which no other of the last rows does; None if there is none.
        """
        rows = self._rows()
        labels = [_label(cells) for _, cells in rows]
        row, cells = rows[-n_below - 1] if n_below < len(rows) else (0, ())
        label = _label(cells)
        return (row, label) if _says_sum(label) and labels.count(label) == 1 else None


@dataclass(frozen=True)
class WithoutFooter(TextRows):
    """Rows of text without the last ones.

    Attributes
    ----------
    whole : TextRows
        All of them.
    last : int
        Row id of the last that stays.
    """

    whole: TextRows
    last: int

    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order; of those left out nothing is told, unless they are too long to be rows at all."""
        ragged.last = self.last
        for batch in self.whole.batches(ragged):
            kept = int(np.searchsorted(batch.rows, self.last, side="right"))
            if kept:
                yield batch.part(slice(kept))


def check_footer(count: int) -> None:
    """Refuse more lines than are looked for.

    Raises
    ------
    TableError
        If there are fewer than 0 or more than 20.
    """
    if not 0 <= count <= MOST_FOOTER:
        raise TableError(
            f"{count} lines below the table cannot be left out.", hint=f"Say 0 to {MOST_FOOTER}.", option="footer"
        )


def has_rows_above(n_rows: int, found: Sequence[tuple[int, str]]) -> bool:
    """Tell whether enough of a table is left above what was found."""
    return n_rows - len(found) >= max(_LEAST_ABOVE, len(found))


def footer_issue(found: Sequence[tuple[int, str]]) -> Issue:
    """Say which rows were left out.

    Examples
    --------
    >>> footer_issue([(61, "Total")]).message.split(". ")[0]
    "1 row at the end was left out as a line below the table: row 61 ('Total')"
    """
    one = len(found) == 1
    named = [f"row {row} ('{shown(label, _LABEL_LENGTH)}')" for row, label in found if label]
    blank = [f"{len(found) - len(named)} without values"] if len(named) < len(found) else []
    rows = ", ".join([*named, *blank])
    text = (
        f"{count_words(len(found), 'row')} at the end {'was' if one else 'were'} left out as"
        f" {'a line' if one else 'lines'} below the table: {rows}."
        f" If {'it is a case' if one else 'they are cases'}, read the file again with 0 lines below the table."
    )
    return Issue("footer", text)


def sum_issue(row: int, label: str, n_lines: int) -> Issue:
    """Say that a row may be a sum, though nothing but its first word tells.

    Examples
    --------
    >>> sum_issue(61, "Total", 1).message.split(". ")[0]
    "Row 61 ('Total') was read as a case, though it may be a sum below the table"
    """
    text = (
        f"Row {row} ('{shown(label, _LABEL_LENGTH)}') was read as a case, though it may be a sum below the table."
        f" If it is no case, read the file again with {count_words(n_lines, 'line')} below the table."
    )
    return Issue("maybe_footer", text)


def is_sum(text: TextRows, plans: Sequence[Plan], row: int, label: str) -> bool | None:
    """Compare a row that says it is a sum with the rows above it, which takes one more pass.

    Parameters
    ----------
    text : TextRows
        All rows.
    plans : sequence of Plan
        What each column holds.
    row, label : int, str
        The row and what it begins with.

    Returns
    -------
    bool or None
        True if a column of numbers has their sum there (their mean, if the label says so); None if another row begins
        in the same way, as a case may.
    """
    places = [at for at, plan in enumerate(plans) if plan.kind in (ValueType.NUMBER, ValueType.INTEGER)]
    total, present, other, own = np.zeros((4, len(places)))
    for batch in text.batches(RaggedRows()):
        above = batch.part(slice(int(np.searchsorted(batch.rows, row))))
        if any(pc.any(pc.equal(trim(column), label)).as_py() for column in above.columns):
            return None
        for at, place in enumerate(places):
            values = convert(batch.columns[place], plans[place]).to_numpy(np.float64)
            held = values[: len(above.rows)]
            with np.errstate(over="ignore", invalid="ignore"):
                total[at] += np.nansum(held)
            present[at] += np.count_nonzero(~np.isnan(held))
            other[at] += np.count_nonzero(np.nan_to_num(held))
            own[at] += values[batch.rows == row].sum()
    wanted = total / np.maximum(present, 1) if _MEAN.fullmatch(label.rstrip(": ")) else total
    proofs = np.isclose(own, wanted, rtol=_ROUNDED, atol=0) & (own != 0) & (other > 1)  # of one value it is the sum
    return bool(proofs.any())


def _filled(cells: Sequence[str]) -> int:
    """Count the cells that hold anything."""
    return sum(map(bool, cells))


def _label(cells: Sequence[str]) -> str:
    """Return what a row begins with; empty for a row without values."""
    return next(filter(None, cells), "")


def _says_sum(label: str) -> bool:
    """Tell whether a text is a word for a sum."""
    return bool(_SUM.fullmatch(label.rstrip(": ")))


def _says_footer(cells: Sequence[str]) -> bool:
    """Tell whether a row begins with a word for a sum, or is a remark and nothing else."""
    label = _label(cells)
    return _says_sum(label) or (_filled(cells) == 1 and bool(_NOTE.fullmatch(label)))
