"""Records of verdicts as a file: CSV or a workbook that people can read, and that is read back exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from proset.common.cells import guarded_text, unguarded_text, write_csv
from proset.common.errors import ProsetError, TableError
from proset.common.files import replacing
from proset.common.words import listed, shown
from proset.data.guarded import read_exact_guarded
from proset.data.reading.dialect import Limits
from proset.data.reading.exact_cells import ExactCells, read_exact
from proset.explain.sheets.workbook import holds_exactly, write_workbook
from proset.workspace.border import checked_judgement
from proset.workspace.verdicts import Judgement, Record, RefusedJudgementError, ReviewVerdict

ENDINGS = (".csv", ".xlsx")
_FIELDS = {
    "row": "row",
    "old": "label",
    "new": "new_label",
    "verdict": "verdict",
    "reasons": "reasons",
    "note": "note",
    "reviewer": "reviewer",
    "time": "at",
    "model": "model",
    "certainty": "certainty",
    "cell": "cell",
    "said": "said",
    "estimate": "estimate",
    "unseen": "unseen",
    "seconds": "seconds",
    "hidden": "hidden",
    "place": "place",
    "settings": "settings",
    "takes back": "takes_back",
    "settles": "settles",
    "entry": "entry",
    "row hash": "row_hash",
}
"""Columns of the file, and the fields of a judgement that stand in them."""

_CHAIN = ("number", "previous", "hash")
_ALL = (*_FIELDS, *_CHAIN)
_NEEDED = ("row", "verdict")
_YES, _NO = "yes", "no"
_OFTEN = {"reason": "reasons"}  # what people write instead
_LIMITS = Limits(max_bytes=20_000_000, max_rows=50_000, max_columns=200)


@dataclass(frozen=True)
class ReviewLine:
    """One line of a file of verdicts, as it stands there.

    Attributes
    ----------
    number : int
        2 for the first line below the names of the columns.
    cells : mapping of str to str
        What stands in the columns that are known; those that hold nothing are not there.
    """

    number: int
    cells: Mapping[str, str]

    @property
    def name(self) -> str:
        """The line in words, with the row that it is about."""
        return f"Line {self.number} (row {shown(self.cells.get('row', '?'), 20)})"

    @property
    def exported(self) -> bool:
        """True if the program has written the line, False if a person has."""
        return all(name in self.cells for name in (*_CHAIN, "entry", "time", "row hash"))

    def judgement(self, **known: Any) -> Judgement:
        """Return what is said in the line; `known` are fields that it does not say.

        Raises
        ------
        RefusedJudgementError
            If a cell cannot be read, or a field may not be so.
        """
        for column in _NEEDED:
            if column not in self.cells:
                self.refuse(f"Column '{column}' is empty")
        fields = dict(known)
        for column, field in _FIELDS.items():
            if column in self.cells:
                fields[field] = self._read(column, field)
        return checked_judgement(Judgement(**fields))

    def record(self) -> Record:
        """Return the record that the program has written in the line, whether its hash is right or not."""
        judgement = self.judgement()
        return Record(self.whole("number"), judgement, self.cells["previous"], self.cells["hash"])

    def refuse(self, problem: str, hint: str | None = None) -> NoReturn:
        """Refuse the line; `problem` is a sentence without its point."""
        raise RefusedJudgementError(f"{problem}.", entry=self.cells.get("entry", ""), hint=hint)

    def _read(self, column: str, field: str) -> Any:
        """Return the value of a cell."""
        text = self.cells[column]
        if field == "row":
            return self.whole(column)
        if field in ("seconds", "estimate"):
            return self._number(column)
        if field in ("reasons", "hidden", "settles"):
            return tuple(text.split("\n"))
        if field == "at":
            return self._time(column)
        if field == "unseen":
            if text not in (_YES, _NO):
                self.refuse(f"Column '{column}' holds '{shown(text)}', neither {_YES} nor {_NO}")
            return text == _YES
        if field == "verdict":
            said = text.strip().casefold()
            return ReviewVerdict(said) if said in list(ReviewVerdict) else text
        return text

    def whole(self, column: str) -> int:
        """Return a whole number."""
        text = self.cells.get(column, "").strip()
        if not text:
            self.refuse(f"Column '{column}' is empty")
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            self.refuse(f"Column '{column}' holds '{shown(text)}', which is no whole number")
        return int(text)

    def _number(self, column: str) -> float:
        """Return a number."""
        try:
            return float(self.cells[column])
        except ValueError:
            self.refuse(f"Column '{column}' holds '{shown(self.cells[column])}', which is no number")

    def _time(self, column: str) -> datetime:
        """Return a time; one without a zone is taken for UTC."""
        try:
            at = datetime.fromisoformat(self.cells[column].strip())
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            self.refuse(
                f"Column '{column}' holds '{shown(self.cells[column])}', which is no time",
                "Write it like 2026-01-31T09:30:00+00:00.",
            )


def records_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Return records as a table in which no spreadsheet finds a formula, and from which they can be read exactly.

    Examples
    --------
    >>> records_frame([]).columns.tolist()[:5]
    ['row', 'old', 'new', 'verdict', 'reasons']
    """
    lines = []
    for record in records:
        said = record.judgement
        line = {column: _cell(getattr(said, field)) for column, field in _FIELDS.items()}
        lines.append(line | {"number": record.number, "previous": record.previous, "hash": record.hash})
    return pd.DataFrame(lines, columns=pd.Index(_ALL, dtype="str"), dtype=object)


def write_records(records: Sequence[Record], path: str | Path) -> None:
    """Write records to a file that ends in .csv (UTF-8) or .xlsx.

    Raises
    ------
    ProsetError
        If the name has another ending, or a workbook cannot hold a text.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise ProsetError(f"'{shown(target, 200)}' has no known ending.", hint="Use .csv or .xlsx.")
    frame = records_frame(records)
    texts = (value for name in frame.columns for value in frame[name] if isinstance(value, str))
    if ending == ".xlsx" and not all(map(holds_exactly, texts)):
        raise ProsetError("A class or column holds characters that no workbook can hold.", hint="Write a .csv.")
    with replacing(target) as draft:
        if ending == ".xlsx":
            write_workbook({"verdicts": frame}, draft)
            return
        with draft.open("w", encoding="utf-8", newline="") as stream:
            write_csv(frame, stream, neutral=False)  # the texts are guarded already


def read_lines(source: str | Path | bytes, *, name: str | None = None) -> tuple[ReviewLine, ...]:
    r"""Read a file of verdicts: one that was exported, or one that was written by hand.

    Parameters
    ----------
    source : str, Path or bytes
        CSV with commas, semicolons or tabs, or a workbook. The columns `row` and `verdict` have to be there.
    name : str or None
        What to call it.

    Raises
    ------
    ProsetError
        If it is no such file.

    Examples
    --------
    >>> [line.cells for line in read_lines(b"Row;Verdict;Reason\n17;table;\n", name="mine.csv")]
    [{'row': '17', 'verdict': 'table'}]
    """
    return _lines(read_exact(source, name=name, limits=_LIMITS))


def read_lines_guarded(source: bytes, *, name: str) -> tuple[ReviewLine, ...]:
    """Read a stranger's file of verdicts as :func:`read_lines` does, under a limit of memory and time."""
    return _lines(read_exact_guarded(source, name=name, limits=_LIMITS))


def _lines(cells: ExactCells) -> tuple[ReviewLine, ...]:
    """Return the lines that hold anything, by the columns that are known."""
    columns = [_known_name(each) for each in cells.names]
    known = [column for column in columns if column in _ALL]
    if missing := [column for column in _NEEDED if column not in known]:
        raise TableError(
            f"'{shown(cells.name)}' has no column {listed(missing)}.",
            hint=f"These are known: {listed(_ALL, most=len(_ALL))}.",
        )
    if len(set(known)) < len(known):
        raise TableError(f"'{shown(cells.name)}' has two columns of one name.", hint="Rename one of them.")
    lines = []
    for number, row in enumerate(cells.rows, start=2):
        held = {column: unguarded_text(text) for column, text in zip(columns, row, strict=False) if text != ""}
        if held:
            lines.append(ReviewLine(number, {column: text for column, text in held.items() if column in _ALL}))
    return tuple(lines)


def _cell(value: object) -> object:
    """Return what stands in a cell."""
    if isinstance(value, bool):
        return _YES if value else _NO
    if isinstance(value, tuple):
        return guarded_text("\n".join(value))
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return value if value is None or isinstance(value, int | float) else guarded_text(str(value))


def _known_name(name: str) -> str:
    """Return the name of a column as this program writes it."""
    plain = " ".join(name.replace("_", " ").casefold().split())
    return _OFTEN.get(plain, plain)
