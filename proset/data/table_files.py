"""A table between two processes: the request to read it, and what came of that, as files in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from proset.common.errors import TableError
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import Profile
from proset.data.reading.dialect import ColumnUnit, Dialect, Limits, MissingWord
from proset.data.reading.exact_cells import ExactCells
from proset.data.table import Table

REQUEST, OUTCOME, ROWS = "request.json", "outcome.json", "rows.arrow"
TOO_MUCH_MEMORY = 3
"""Exit status of a process that got no more memory."""
NO_ROOM = 4
"""Exit status of a process that could not write what it read, because the disk is full."""


@dataclass(frozen=True)
class Request:
    """Request to read a file, with its limits.

    Attributes
    ----------
    path : str
        The file.
    name : str
        What to call it.
    wanted : Dialect or None
        How it is to be read; None for its cells exactly as they stand.
    limits : Limits
        The largest table to accept.
    seconds : float
        Seconds of a processor.
    """

    path: str
    name: str
    wanted: Dialect | None
    limits: Limits
    seconds: float


def read_request(folder: Path) -> Request:
    """Read what :mod:`proset.data.guarded` asks for."""
    fields = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    wanted = fields["wanted"]
    fields |= {"wanted": None if wanted is None else _dialect(**wanted), "limits": Limits(**fields["limits"])}
    return Request(**fields)


def write_table(table: Table, folder: Path) -> None:
    """Write a table and the facts about its columns, its rows first: the outcome is only there when all of it is."""
    _write_rows(pa.Table.from_pandas(table.frame, preserve_index=True), folder)
    fields: dict[str, Any] = {"name": table.name, "fingerprint": table.fingerprint, "dialect": asdict(table.dialect)}
    fields["issues"] = [asdict(issue) for issue in table.issues]
    fields["profiles"] = [profile.fields() for profile in table.profiles.values()]
    _write_outcome({"table": fields}, folder)


def write_cells(cells: ExactCells, folder: Path) -> None:
    """Write cells as they stand, the names of the columns as their first row; short rows get empty cells."""
    rows = [cells.names, *cells.rows]
    width = max(map(len, rows))
    columns = zip(*((*row, *[""] * (width - len(row))) for row in rows), strict=True)
    _write_rows(pa.table({str(at): pa.array(column, pa.string()) for at, column in enumerate(columns)}), folder)
    _write_outcome({"cells": {"name": cells.name, "n_names": len(cells.names)}}, folder)


def _write_rows(rows: pa.Table, folder: Path) -> None:
    """Write rows as Arrow."""
    with pa.OSFile(str(folder / ROWS), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)


def write_error(error: TableError, folder: Path) -> None:
    """Write why there is no table."""
    fields = {"message": error.message, "hint": error.hint, "column": error.column, "option": error.option}
    _write_outcome({"error": fields}, folder)


def _write_outcome(outcome: dict[str, Any], folder: Path) -> None:
    """Write what came of it: it is there as a whole, or not at all."""
    draft = folder / f"{OUTCOME}.draft"
    draft.write_text(json.dumps(outcome), encoding="utf-8")
    draft.replace(folder / OUTCOME)


def read_outcome(folder: Path) -> Table:
    """Read what came of a request.

    Returns
    -------
    Table
        As it was written; the values are in memory, no file is kept open.

    Raises
    ------
    TableError
        The one that reading raised.
    """
    fields = _outcome(folder)["table"]
    frame: pd.DataFrame = _rows(folder).to_pandas(split_blocks=True, self_destruct=True)
    issues = tuple(_issue(**issue) for issue in fields["issues"])
    table = Table(frame, fields["name"], _dialect(**fields["dialect"]), issues, fields["fingerprint"])
    profiles = map(Profile.of, fields["profiles"])
    vars(table)["profiles"] = {profile.name: profile for profile in profiles}  # where a lazy property keeps its value
    return table


def read_cells(folder: Path) -> ExactCells:
    """Read cells as they stand; a TableError if reading them raised one."""
    fields = _outcome(folder)["cells"]
    names, *rows = zip(*(column.to_pylist() for column in _rows(folder).columns), strict=True)
    return ExactCells(fields["name"], names[: fields["n_names"]], tuple(rows))


def _outcome(folder: Path) -> dict[str, Any]:
    """Return what came of a request, if that is no error."""
    outcome: dict[str, Any] = json.loads((folder / OUTCOME).read_text(encoding="utf-8"))
    if "error" in outcome:
        error = outcome["error"]
        raise TableError(error.pop("message"), **error)
    return outcome


def _rows(folder: Path) -> pa.Table:
    """Return rows that were written as Arrow; no file is kept open."""
    with pa.OSFile(str(folder / ROWS), "rb") as source:
        return pa.ipc.open_file(source).read_all()


def _issue(
    code: str, message: str, column: str | None, severity: str, suggested_role: str | None, other: str | None = None
) -> Issue:
    """Rebuild an issue."""
    return Issue(code, message, column, Severity(severity), Role(suggested_role) if suggested_role else None, other)


def _dialect(missing: list[dict[str, Any]], units: list[dict[str, str]], **fields: Any) -> Dialect:
    """Rebuild a dialect."""
    units_ = tuple(ColumnUnit(**unit) for unit in units)
    return Dialect(**fields, missing=tuple(MissingWord(**word) for word in missing), units=units_)
