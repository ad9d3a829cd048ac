"""Lines below a table that are no cases: a sum, a mean, where the figures are from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from statistics import median

from proset.common.errors import TableError
from proset.common.words import count_words, shown
from proset.data.issues import Issue
from proset.data.reading.dialect import MOST_FOOTER
from proset.data.reading.rows import RaggedRows, TextBatch, TextRows

_SEEN = 2 * MOST_FOOTER
_LEAST_ABOVE = 3
_LABEL_LENGTH = 40
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
    rows : deque of tuple of (int, tuple of str)
        Row ids and trimmed cells, the last some dozen.
    """

    rows: deque[tuple[int, tuple[str, ...]]] = field(default_factory=lambda: deque(maxlen=_SEEN))

    def add(self, batch: TextBatch) -> None:
        """Look at the end of some rows."""
        columns = [[(cell or "").strip() for cell in column[-_SEEN:].to_pylist()] for column in batch.columns]
        self.rows.extend(zip(batch.rows[-_SEEN:].tolist(), zip(*columns, strict=True), strict=True))

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
        >>> cells = [("a", "1", "x")] * 9 + [("Total", "9", "")]
        >>> Tail(deque(enumerate(cells, 1))).footer()
        ((10, 'Total'),)
        """
        usual = median(_filled(cells) for _, cells in self.rows)
        labels = [_label(cells) for _, cells in self.rows]

        def below(cells: tuple[str, ...]) -> bool:
            label = _label(cells)
            return _filled(cells) < usual and (not label or (labels.count(label) == 1 and _says_footer(cells)))

        found = list(takewhile(lambda row: below(row[1]), reversed(self.rows)))
        if not any(_label(cells) for _, cells in found) or not 0 < len(found) <= MOST_FOOTER:
            return ()
        return tuple((row, _label(cells)) for row, cells in reversed(found))


@dataclass(frozen=True)
class WithoutFooter(TextRows):
    """Rows of text without the last ones.

    Attributes
    ----------
    whole : TextRows
        All of them; `dialect` says how many are left out.
    """

    whole: TextRows

    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order, as many behind as are left out."""
        n_left_out, told = self.dialect.footer or 0, _Late(ragged)
        held: deque[TextBatch] = deque()
        n_held = last = 0
        for batch in self.whole.batches(told):
            held.append(batch)
            n_held += len(batch.rows)
            while held and n_held - len(held[0].rows) >= n_left_out:
                n_held -= len(held[0].rows)
                last = int(held[0].rows[-1])
                yield held.popleft()
        for batch in held:
            kept = min(len(batch.rows), n_held - n_left_out)
            if kept > 0:
                last = int(batch.rows[kept - 1])
                yield TextBatch(batch.rows[:kept], tuple(column[:kept] for column in batch.columns))
            n_held -= max(0, kept)
        told.end(last)


@dataclass
class _Late(RaggedRows):
    """Short rows that are told of only once it is known that they are rows of the table."""

    def __init__(self, ragged: RaggedRows) -> None:
        super().__init__()
        self._ragged = ragged
        self._held: deque[int] = deque()

    def add_short(self, row: int) -> None:
        """Keep a row with too few fields back."""
        self._held.append(row)
        if len(self._held) > MOST_FOOTER:
            self._ragged.add_short(self._held.popleft())

    def add_long(self, row: int) -> None:
        """Count a row with too many fields."""
        self._ragged.add_long(row)

    def end(self, last: int) -> None:
        """Tell of those up to the last row of the table."""
        for row in self._held:
            if row <= last:
                self._ragged.add_short(row)
        self._ragged.n_mended += self.n_mended


def without_footer(text: TextRows, count: int, found: Sequence[tuple[int, str]] = ()) -> TextRows:
    """Leave out the last rows; of those that were found and not asked for it is said.

    Raises
    ------
    TableError
        If more are to be left out than are looked for.
    """
    if not 0 <= count <= MOST_FOOTER:
        raise TableError(
            f"{count} lines below the table cannot be left out.", hint=f"Say 0 to {MOST_FOOTER}.", option="footer"
        )
    issues = (*text.issues, footer_issue(found)) if found else text.issues
    dialect = replace(text.dialect, footer=count)
    return WithoutFooter(text.names, text.unnamed, dialect, issues, text)


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


def _filled(cells: Sequence[str]) -> int:
    """Count the cells that hold anything."""
    return sum(map(bool, cells))


def _label(cells: Sequence[str]) -> str:
    """Return what a row begins with; empty for a row without values."""
    return next(filter(None, cells), "")


def _says_footer(cells: Sequence[str]) -> bool:
    """Tell whether a row begins with a word for a sum, or is a remark and nothing else."""
    label = _label(cells)
    return bool(_SUM.fullmatch(label.rstrip(": "))) or (_filled(cells) == 1 and bool(_NOTE.fullmatch(label)))
