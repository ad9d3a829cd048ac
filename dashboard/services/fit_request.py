"""A fit request as files in a folder: the way from the server to the process that fits. No pickle."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from proset.data.issues import Issue, Role, Severity
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Dialect, ImageGrid, Table
from proset.study import FitSettings

REQUEST_FILE = "request.json"
TABLE_FILE = "table.arrow"
STUDY_FILE = "study.proset"


@dataclass(frozen=True, eq=False)
class FitRequest:
    """Everything a fit needs.

    Attributes
    ----------
    table : Table
        The table to learn from.
    roles : Roles
        What each column is for.
    split : SplitSettings
        How rows are divided into training and held-out rows.
    settings : FitSettings
        Hyperparameters.
    """

    table: Table
    roles: Roles
    split: SplitSettings
    settings: FitSettings


def write_request(request: FitRequest, folder: Path) -> None:
    """Write `request` as an Arrow file and a JSON file into `folder`.

    Parameters
    ----------
    request : FitRequest
        What to fit.
    folder : Path
        An existing folder that only this user can read.
    """
    table = request.table
    arrow = pa.Table.from_pandas(table.frame, preserve_index=True)
    with pa.ipc.new_file(folder / TABLE_FILE, arrow.schema) as writer:
        writer.write_table(arrow)
    document = {
        "name": table.name,
        "dialect": asdict(table.dialect),
        "issues": [asdict(issue) for issue in table.issues],
        "fingerprint": table.fingerprint,
        "grid": asdict(table.grid) if table.grid else None,
        "roles": {column: str(role) for column, role in request.roles.by_column.items()},
        "split": asdict(request.split),
        "settings": asdict(request.settings),
    }
    (folder / REQUEST_FILE).write_text(json.dumps(document), encoding="utf-8")


def read_request(folder: Path) -> FitRequest:
    """Read what :func:`write_request` wrote; the folder is private, so its content is trusted.

    Parameters
    ----------
    folder : Path
        The job's folder.

    Returns
    -------
    FitRequest
        Equal to the one that was written.
    """
    document: dict[str, Any] = json.loads((folder / REQUEST_FILE).read_text(encoding="utf-8"))
    with pa.memory_map(str(folder / TABLE_FILE)) as source:
        frame: pd.DataFrame = pa.ipc.open_file(source).read_all().to_pandas()
    grid = document["grid"]
    table = Table(
        frame=frame,
        name=document["name"],
        dialect=Dialect(**document["dialect"]),
        issues=tuple(_issue(entry) for entry in document["issues"]),
        fingerprint=document["fingerprint"],
        grid=ImageGrid(grid["height"], grid["width"], tuple(grid["columns"])) if grid else None,
    )
    return FitRequest(
        table=table,
        roles=Roles({column: Role(role) for column, role in document["roles"].items()}),
        split=SplitSettings(**document["split"]),
        settings=FitSettings(**document["settings"]),
    )


def _issue(entry: dict[str, Any]) -> Issue:
    """Make an issue from its JSON form."""
    suggested = entry["suggested_role"]
    return Issue(
        code=entry["code"],
        message=entry["message"],
        column=entry["column"],
        severity=Severity(entry["severity"]),
        suggested_role=Role(suggested) if suggested else None,
    )
