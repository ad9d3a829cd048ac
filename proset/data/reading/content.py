"""The rows of a file, typed: what stands between opening a file and having a frame.

A content is read twice. The first pass decides what each column holds, the second yields frames, so that memory stays
bounded and a table read at once and in chunks is the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import pandas as pd

from proset.common.errors import TableError
from proset.common.words import count_words
from proset.data.issues import Issue, Severity
from proset.data.reading.delimited import open_text
from proset.data.reading.dialect import Dialect, Limits, check_cells
from proset.data.reading.evidence import ColumnEvidence, add_batch
from proset.data.reading.excel import open_excel
from proset.data.reading.findings import column_issues
from proset.data.reading.footer import (
    Tail,
    WithoutFooter,
    check_footer,
    footer_issue,
    has_rows_above,
    is_sum,
    sum_issue,
)
from proset.data.reading.parquet import open_parquet
from proset.data.reading.rows import RaggedRows, TextRows, too_many_odd
from proset.data.reading.source import FileSource
from proset.data.reading.values import Plan, ValueType, convert, decide


class Content(Protocol):
    """Typed rows of a file."""

    @property
    def dialect(self) -> Dialect:
        """The way the file is written."""

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Findings about the file and its columns."""

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows in order; ``index`` holds row ids, every frame has the same columns and dtypes."""


@dataclass(frozen=True)
class TextContent:
    """Rows of text with a plan for each column.

    Attributes
    ----------
    text : TextRows
        The rows.
    plans : tuple of Plan or None
        One per column of ``text``; None for a column that is left out.
    issues : tuple of Issue
        Everything that was found.
    """

    text: TextRows
    plans: tuple[Plan | None, ...]
    issues: tuple[Issue, ...]

    @property
    def dialect(self) -> Dialect:
        """The way the file is written."""
        return self.text.dialect

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows in order, the same columns and dtypes every time."""
        for batch in self.text.batches(RaggedRows()):
            index = pd.Index(batch.rows, dtype="int64", name="row")
            columns = {
                name: convert(values, plan).set_axis(index)
                for name, values, plan in zip(self.text.names, batch.columns, self.plans, strict=True)
                if plan is not None
            }
            yield pd.DataFrame(columns, index=index, copy=False)


def open_content(source: FileSource, wanted: Dialect, limits: Limits | None) -> Content:
    """Find out how a file is written and what each column holds.

    Parameters
    ----------
    wanted : Dialect
        What a person said; None in a field means to find it.
    limits : Limits or None
        The size that is allowed; None means any number of bytes and rows.

    Returns
    -------
    Content
        Ready to yield frames.

    Raises
    ------
    TableError
        If the file is no table or does not keep to the limits.
    """
    if source.kind == "parquet":
        return open_parquet(source, limits)
    text: TextRows = open_excel(source, wanted, limits) if source.kind == "excel" else open_text(source, wanted, limits)
    text, evidence, ragged = _rows(text, source.name, wanted.footer, limits)
    strict = source.kind == "csv" and wanted.decimal is not None
    mark = text.dialect.decimal or "."
    plans = [decide(found, mark, strict=strict) for found in evidence]
    dropped = {
        name
        for name, plan in zip(text.names, plans, strict=True)
        if plan.kind is ValueType.EMPTY and name in text.unnamed
    }
    if len(dropped) == len(plans):
        raise TableError(f"'{source.name}' holds neither names nor values.", hint="Check that the export finished.")
    issues = [issue for issue in text.issues if issue.column not in dropped]
    # With lines below it, the last row of a table is not the end of the file.
    n_rows = 0 if text.dialect.footer else evidence[0].shapes.total()
    issues += [*_dropped_issue(text.names, dropped), *ragged.issues(len(text.names), n_rows)]
    for name, found, plan in zip(text.names, evidence, plans, strict=True):
        settled = strict or source.kind != "csv"
        issues += column_issues(name, found, plan, decimal=mark, settled=settled)
    kept = tuple(None if name in dropped else plan for name, plan in zip(text.names, plans, strict=True))
    return TextContent(text, kept, tuple(issues))


def _rows(
    text: TextRows, name: str, footer: int | None, limits: Limits | None
) -> tuple[TextRows, list[ColumnEvidence], RaggedRows]:
    """Leave out lines below the table, as many as were said or found, and see what the columns hold without them."""
    check_footer(footer or 0)
    evidence, ragged, tail, n_rows = _scan(text, name, limits)
    if footer is None:
        found, doubts = _find_footer(text, evidence, tail, n_rows)
        text = replace(text, issues=(*text.issues, *doubts))
    else:
        found = tail.last(footer)
    if not found:
        return replace(text, dialect=replace(text.dialect, footer=footer)), evidence, ragged
    if n_rows == len(found):
        raise TableError(
            f"'{name}' has no rows above {count_words(footer or 0, 'line')} at its end.",
            hint="Leave out fewer lines below the table.",
            option="footer",
        )
    issues = (*text.issues, footer_issue(found)) if footer is None else text.issues
    dialect = replace(text.dialect, footer=len(found))
    text = WithoutFooter(text.names, text.unnamed, dialect, issues, text, tail.row_above(found))
    return text, *_scan(text, name, limits)[:2]


def _find_footer(
    text: TextRows, evidence: Sequence[ColumnEvidence], tail: Tail, n_rows: int
) -> tuple[tuple[tuple[int, str], ...], tuple[Issue, ...]]:
    """Find lines below the table, and say where there may be one more."""
    found = tail.footer()
    found = found if has_rows_above(n_rows, found) else ()
    last = tail.sum_row(len(found))
    if last is None or not has_rows_above(n_rows, (last, *found)):
        return found, ()
    proved = is_sum(text, [decide(column, text.dialect.decimal or ".") for column in evidence], *last)
    if proved:
        return (last, *found), ()
    return found, () if proved is None else (sum_issue(*last, len(found) + 1),)


def _scan(text: TextRows, name: str, limits: Limits | None) -> tuple[list[ColumnEvidence], RaggedRows, Tail, int]:
    """Go through all rows once: what do the columns hold, and is the file small enough and sound."""
    ragged, tail = RaggedRows(), Tail()
    evidence = [ColumnEvidence() for _ in text.names]
    n_rows = 0
    for batch in text.batches(ragged):
        n_rows += len(batch.rows)
        if limits is not None:
            _check_size(name, n_rows, len(text.names), limits)
        add_batch(evidence, batch.columns, batch.rows)
        tail.add(batch)
    if ragged.n_long > max(1, n_rows):
        raise too_many_odd(ragged, n_rows + ragged.n_long, len(text.names), name)
    if n_rows == 0:
        raise TableError(f"'{name}' has a header but no rows.", hint="Check that the export finished, then try again.")
    return evidence, ragged, tail, n_rows


def _check_size(name: str, n_rows: int, n_columns: int, limits: Limits) -> None:
    """Refuse a table that is too long or has too many cells."""
    if n_rows > limits.max_rows:
        raise TableError(
            f"'{name}' has more than {limits.max_rows:,} rows.",
            hint="Keep a random part of the rows.",
        )
    check_cells(name, n_rows, n_columns, limits)


def _dropped_issue(names: Sequence[str], dropped: set[str]) -> tuple[Issue, ...]:
    """Say that columns without name and values were left out."""
    if not dropped:
        return ()
    positions = ", ".join(str(at) for at, name in enumerate(names, 1) if name in dropped)
    text = f"Column(s) {positions} of the file have neither a name nor a value and were left out."
    return (Issue("empty_column", text, severity=Severity.INFO),)
