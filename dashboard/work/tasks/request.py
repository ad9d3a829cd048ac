"""A request for a study as files in a folder: the way from the server to the process that fits. No pickle."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa

from proset.common.checked_json import load_json
from proset.common.files import replacing
from proset.data.table import Table
from proset.selection import AnyRecord, JointRecord, NumberRecord
from proset.selection import read_record as record_from_state
from proset.storage.recipes import recipe_from_record, recipe_to_record
from proset.storage.records import from_record, to_record
from proset.study import Study
from proset.study.recipe import Recipe
from proset.study.time_needed import TimeNeeded

REQUEST_FILE = "request.json"
TABLE_FILE = "table.arrow"
RECORD_FILE = "search.json"


@dataclass(frozen=True, eq=False)
class FitRequest:
    """Everything that a fit or a search needs.

    Attributes
    ----------
    table : Table
        The table to learn from; sent to the worker, never returned by it.
    recipe : Recipe
        What to learn and how; one with a plan asks for a search.
    record : JointRecord, SearchRecord, NumberRecord or None
        What an earlier search with the same plan has done: only what it lacks is done now.
    needed : TimeNeeded or None
        The time that was promised; progress begins with it.
    """

    table: Table
    recipe: Recipe
    record: AnyRecord | None = None
    needed: TimeNeeded | None = None

    @property
    def by_hand(self) -> bool:
        """True where a person has chosen from what a search compared."""
        return self.record is not None and self.record.by_hand

    @property
    def best_so_far(self) -> FitRequest | None:
        """The request that fits with the best so far of a search that was stopped; None where there is none."""
        record = self.record
        if not isinstance(record, JointRecord | NumberRecord) or record.complete or not record.can_be_taken:
            return None
        return replace(self, record=record.take_best_so_far())

    @property
    def unfinished(self) -> FitRequest | None:
        """The request that goes on with a search which was ended early for its best so far; None for all others."""
        record = self.record
        if not isinstance(record, JointRecord | NumberRecord) or not record.unfinished:
            return None
        return replace(self, record=replace(record, choice=None))

    @classmethod
    def going_on(cls, study: Study, record: AnyRecord) -> FitRequest:
        """Make the request that goes on from a record of a study's search, its own or one with another choice."""
        return cls(study.table, replace(study.recipe, plan=record.plan), record)


def write_request(request: FitRequest, folder: Path) -> None:
    """Write `request` as an Arrow file and a JSON file into `folder`.

    Parameters
    ----------
    folder : Path
        An existing folder that only this user can read.
    """
    arrow = pa.Table.from_pandas(request.table.frame, preserve_index=True)
    with pa.ipc.new_file(folder / TABLE_FILE, arrow.schema) as writer:
        writer.write_table(arrow)
    document = {
        "table": to_record(request.table, skip=("frame",)),
        "recipe": recipe_to_record(request.recipe),
        "needed": None if request.needed is None else to_record(request.needed),
    }
    (folder / REQUEST_FILE).write_text(json.dumps(document), encoding="utf-8")
    if request.record is not None:
        write_record(request.record, folder)


def read_request(folder: Path) -> FitRequest:
    """Read what :func:`write_request` wrote."""
    document = load_json(folder / REQUEST_FILE, "The request")
    with pa.memory_map(str(folder / TABLE_FILE)) as source:
        frame: pd.DataFrame = pa.ipc.open_file(source).read_all().to_pandas()
    recipe = recipe_from_record(document["recipe"])
    table = from_record(Table, document["table"], "table", given={"frame": frame})
    needed = None if document["needed"] is None else from_record(TimeNeeded, document["needed"], "needed")
    return FitRequest(table, recipe, read_record(folder), needed)


def write_record(record: AnyRecord, folder: Path) -> None:
    """Write what a search has done so far; who reads the file at any moment finds one state of it or the next."""
    with replacing(folder / RECORD_FILE) as draft:
        draft.write_text(json.dumps(record.to_state()), encoding="utf-8")


def read_record(folder: Path) -> AnyRecord | None:
    """Read what :func:`write_record` wrote.

    Returns
    -------
    JointRecord, SearchRecord or None
        None if no fit of the search was finished.
    """
    path = folder / RECORD_FILE
    if not path.exists():
        return None
    return record_from_state(load_json(path, "What the search has finished"))
