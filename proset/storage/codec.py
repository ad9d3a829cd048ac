"""A study as named members, and back with everything checked that parts say about each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from proset.common.errors import ProsetError, StorageError
from proset.data.design import Design
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings
from proset.data.table import Table
from proset.data.target import target_labels
from proset.engine import saved_form
from proset.engine.metrics import Metrics
from proset.engine.model import ClassifierModel
from proset.selection.record import SearchRecord
from proset.storage.arrays import read_array, write_array
from proset.storage.columns import ROWS, ColumnRecord, member, read_frame, write_frame
from proset.storage.container import NEWEST_FORMAT, OLDEST_FORMAT, read_json, write_json
from proset.storage.records import damaged, from_record, to_record
from proset.study import FitSettings, Provenance, Study

STUDY = "study.json"
REFERENCE = "reference.npy"
CONFUSION = "metrics/confusion.npy"
_PARTS = ("train", "held_out", "unlabelled")
_WITHOUT_SEARCH = ("table", "columns", "roles", "split", "settings", "design", "model", "metrics", "provenance")
_SECTIONS = {OLDEST_FORMAT: _WITHOUT_SEARCH, NEWEST_FORMAT: (*_WITHOUT_SEARCH, "search")}


def format_of(study: Study) -> int:
    """Return the oldest format that can hold a study, so that earlier versions of this program read what they can.

    Parameters
    ----------
    study : Study
        Any study.

    Returns
    -------
    int
        A format version.
    """
    return OLDEST_FORMAT if study.search is None else NEWEST_FORMAT


def to_members(study: Study) -> dict[str, bytes]:
    """Return a study as JSON and .npy members.

    Parameters
    ----------
    study : Study
        Any study.

    Returns
    -------
    dict of str to bytes
        Content by member name.
    """
    columns, members = write_frame(study.table.frame)
    model_meta, model_arrays = saved_form.write(study.model)
    sections = {
        "table": to_record(study.table, skip=("frame",)),
        "columns": [to_record(column) for column in columns],
        "roles": study.roles.to_dict(),
        "split": to_record(study.split.settings),
        "settings": to_record(study.settings),
        "design": study.design.to_state(),
        "model": model_meta,
        "metrics": to_record(study.metrics, skip=("confusion",)),
        "provenance": to_record(study.provenance),
    }
    if study.search is not None:
        sections["search"] = study.search.to_state()
    arrays = {f"model/{name}.npy": array for name, array in model_arrays.items()}
    arrays |= {f"split/{name}.npy": getattr(study.split, name) for name in _PARTS}
    arrays |= {REFERENCE: study.reference, CONFUSION: study.metrics.confusion.to_numpy()}
    return {STUDY: write_json(sections)} | members | {name: write_array(array) for name, array in arrays.items()}


def from_members(members: Mapping[str, bytes], *, format_version: int) -> Study:
    """Return the study that :func:`to_members` took apart.

    Parameters
    ----------
    members : mapping of str to bytes
        Content by member name.
    format_version : int
        The format that they were written in; it decides which parts there are.

    Returns
    -------
    Study

    Raises
    ------
    StorageError
        If anything is missing, unknown, of another type or shape, or contradicts another part.
    """
    sections = read_json(member(members, STUDY), STUDY)
    expected = _SECTIONS[format_version]
    if not isinstance(sections, dict) or set(sections) != set(expected):
        raise damaged("its description", f"does not consist of {', '.join(expected)}")
    table = _read_table(sections, members)
    design, model = _read_model(sections, members)
    roles = Roles.from_dict(sections["roles"], where="roles")
    split = _read_split(sections["split"], members, table)
    _check_agreement(table, roles=roles, split=split, design=design, model=model)
    _refuse_unknown(members, table, model)
    settings = from_record(FitSettings, sections["settings"], "settings")
    return Study(
        table=table,
        roles=roles,
        split=split,
        settings=settings,
        design=design,
        model=model,
        metrics=_read_metrics(sections["metrics"], members, [str(name) for name in model.classes_]),
        provenance=from_record(Provenance, sections["provenance"], "provenance"),
        reference=_read_reference(members),
        search=_read_search(sections["search"], settings) if "search" in expected else None,
    )


def _read_table(sections: Mapping[str, Any], members: Mapping[str, bytes]) -> Table:
    """The table with its values."""
    columns = sections["columns"]
    if not isinstance(columns, list):
        raise damaged("its list of columns", "is not a list")
    records = tuple(from_record(ColumnRecord, column, "a column of the table") for column in columns)
    return from_record(Table, sections["table"], "table", given={"frame": read_frame(records, members)})


def _read_model(sections: Mapping[str, Any], members: Mapping[str, bytes]) -> tuple[Design, ClassifierModel]:
    """Design and model; both check their own parts."""
    arrays = {
        name.removeprefix("model/").removesuffix(".npy"): read_array(data, name)
        for name, data in members.items()
        if name.startswith("model/")
    }
    if not isinstance(sections["model"], dict):
        raise damaged("its model", "is not an object")
    try:
        return Design.from_state(sections["design"]), saved_form.read(sections["model"], arrays)
    except StorageError:
        raise
    except ProsetError as error:
        raise StorageError(f"The saved study is damaged: {error.message}") from error


def _read_split(record: Any, members: Mapping[str, bytes], table: Table) -> Split:
    """The split; each part holds different rows of the table, and no row is in two parts."""
    parts = {name: read_array(member(members, f"split/{name}.npy"), f"split/{name}.npy") for name in _PARTS}
    for name, rows in parts.items():
        if rows.dtype != np.int64 or rows.ndim != 1:
            raise damaged(f"split part {name!r}", "is not a list of row ids")
    together = np.concatenate(list(parts.values()))
    if len(np.unique(together)) != len(together) or not np.isin(together, table.frame.index.to_numpy()).all():
        raise damaged("its split", "names a row twice, or one that the table does not have")
    return Split(**parts, settings=from_record(SplitSettings, record, "split"))


def _read_metrics(record: Any, members: Mapping[str, bytes], classes: list[str]) -> Metrics:
    """The metrics with their confusion counts."""
    counts = read_array(member(members, CONFUSION), CONFUSION)
    if counts.dtype != np.int64 or counts.shape != (len(classes), len(classes)) or (counts < 0).any():
        raise damaged("its confusion counts", "do not fit the classes")
    names = pd.Index(classes, dtype="str")
    confusion = pd.DataFrame(counts, index=names.rename("actual"), columns=names.rename("predicted"))
    return from_record(Metrics, record, "metrics", given={"confusion": confusion})


def _read_reference(members: Mapping[str, bytes]) -> np.ndarray:
    """Familiarity of the held-out rows, ascending."""
    values = read_array(member(members, REFERENCE), REFERENCE)
    if values.dtype != np.float64 or values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise damaged("its list of familiarities", "is not a list of numbers")
    if values[0] < 0 or (np.diff(values) < 0).any():
        raise damaged("its list of familiarities", "is negative or out of order")
    return values


def _read_search(state: Any, settings: FitSettings) -> SearchRecord:
    """The search that chose the settings; the record checks its own parts."""
    try:
        search = SearchRecord.from_state(state)
    except OverflowError as error:  # JSON has whole numbers of any length
        raise damaged("its search", f"holds a number that is too large ({error})") from error
    if not search.complete:
        raise damaged("its search", "was not finished")
    # The record makes its penalties anew from ranges, and another machine may round their last bits differently.
    same = np.allclose(search.chosen_penalties, (settings.lambda_v, settings.lambda_w), rtol=1e-9, atol=0.0)
    if not same or search.chosen_batches != settings.n_iter:
        raise damaged("its search", "chose other settings than those of the model")
    return search


def _check_agreement(table: Table, *, roles: Roles, split: Split, design: Design, model: ClassifierModel) -> None:
    """Refuse parts that are sound alone and do not belong together."""
    if set(roles.by_column) != set(table.frame.columns):
        raise damaged("its roles", "are not those of the columns of the table")
    if roles != design.roles:
        raise damaged("its design", "was fitted for other roles")
    if len(design.columns) != model.n_features_in_:
        raise damaged(
            "its model", f"expects {model.n_features_in_} matrix columns; the design has {len(design.columns)}"
        )
    if roles.target is None or set(target_labels(table.frame.loc[split.train], roles)) != set(model.classes_):
        raise damaged("its model", "was fitted to other classes than those of the training rows")
    for batch in model.set_manager_.batches:
        if batch is not None and batch.sample_index.max() >= len(split.train):
            raise damaged("its model", "has a prototype that is no training row")


def _refuse_unknown(members: Mapping[str, bytes], table: Table, model: ClassifierModel) -> None:
    """Refuse members that no part of the study uses."""
    known = {STUDY, ROWS, REFERENCE, CONFUSION, *(f"split/{name}.npy" for name in _PARTS)}
    known |= {f"model/{name}.npy" for name in saved_form.write(model)[1]}
    for position, dtype in enumerate(table.frame.dtypes):
        known |= {f"table/{position}.npy"} | ({f"table/{position}.json"} if str(dtype) == "str" else set())
    if set(members) - known:
        raise StorageError(f"The file holds {min(set(members) - known)!r}, which is no part of a saved study.")
