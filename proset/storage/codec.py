"""A study as named members, and back with everything checked that its parts say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.errors import StorageError
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings
from proset.data.table import Table
from proset.engine.metrics import Metrics
from proset.selection.either import AnyRecord, read_record
from proset.storage.agreement import check_agreement, check_number_agreement
from proset.storage.arrays import read_array, write_array
from proset.storage.columns import (
    ColumnRecord,
    describe,
    member,
    read_frame,
    table_members,
    text_members,
    texts_size,
    write_frame,
)
from proset.storage.container import NUMBER_FORMAT, OLDEST_FORMAT, STUDY, USUAL_FORMAT, Contents, write_json
from proset.storage.left_out import LEFT_OUT_ARRAYS, check_left_out, read_left_out
from proset.storage.limits import StorageLimits
from proset.storage.models import MODEL, read_model, refuse, write_model
from proset.storage.recipes import read_guidance, read_settings, settings_record
from proset.storage.records import damaged, from_record, to_record
from proset.study import NumberMetrics, NumberStudy, Provenance, Study
from proset.study.any_study import AnyStudy
from proset.study.conformal import IntervalCalibration
from proset.study.guidance import Guidance

REFERENCE = "reference.npy"
CONFUSION = "metrics/confusion.npy"
_PARTS = ("train", "held_out", "unlabelled")
_SPLIT = {name: f"split/{name}.npy" for name in _PARTS}
_MANIFEST_ENTRY = 256  # bytes at most
_WITHOUT_SEARCH = ("table", "columns", "roles", "split", "settings", "design", "model", "metrics", "provenance")
_SEARCHED = (*_WITHOUT_SEARCH, "search")
_LEFT_OUT, _GUIDANCE, _CALIBRATION = "left_out", "guidance", "calibration"
# Format 2 brought the search; format 3 which of its fits converged, prototypes in double precision, more stop reasons;
# format 4 the joint search, how classes are made of the target, groups and time of a split, words for missing values;
# format 5 the machine of a fit, "compiled" as the name of the backend that was "numpy", repeated cross-validation, and
# guidance, which is left out where nothing was said; format 6 is that of studies of a number, all others are as before,
# with the levels of calibrated intervals where they are.
_EITHER = (_WITHOUT_SEARCH, _SEARCHED)
_ANY = tuple((*names, *more) for names in _EITHER for more in ((), (_GUIDANCE,), (_LEFT_OUT,), (_LEFT_OUT, _GUIDANCE)))
_COMPILED_SINCE = 5
_SECTIONS = {
    OLDEST_FORMAT: (_WITHOUT_SEARCH,),
    2: (_SEARCHED,),
    3: _EITHER,
    4: _EITHER,
    USUAL_FORMAT: _ANY,
    NUMBER_FORMAT: tuple(
        (*names, *more) for names in _EITHER for more in ((), (_GUIDANCE,), (_CALIBRATION,), (_GUIDANCE, _CALIBRATION))
    ),
}


@dataclass(frozen=True)
class TableRecord:
    """The table that a result belongs to, kept elsewhere."""

    fingerprint: str
    n_rows: int


def to_members(study: AnyStudy, limits: StorageLimits) -> dict[str, bytes]:
    """Return a study as JSON and .npy members by name.

    Raises
    ------
    StorageError
        If a part of it cannot be saved, or could not be loaded again within the limits.
    """
    frame = study.table.frame
    columns, values = write_frame(frame)
    sections, arrays = _fitted(study)
    sections |= {"table": to_record(study.table, skip=("frame",)), "columns": [to_record(column) for column in columns]}
    if len(frame) > limits.max_rows:
        raise StorageError(
            f"The table has {len(frame):,} rows; studies of at most {limits.max_rows:,} are saved.",
            hint="Fit to a sample of the rows.",
        )
    members = _members(sections, values, arrays, limits)
    texts = text_members(columns)
    limits.check_total(sum(len(data) for name, data in members.items() if name not in texts) + texts_size(frame))
    return members


def to_result_members(study: AnyStudy, limits: StorageLimits) -> dict[str, bytes]:
    """Return a study without the values of its table as JSON and .npy members by name; see :func:`to_members`."""
    table = TableRecord(study.table.fingerprint, len(study.table.frame))
    sections, arrays = _fitted(study)
    sections |= {"table": to_record(table), "columns": [to_record(column) for column in describe(study.table.frame)]}
    return _members(sections, {}, arrays, limits)


def to_table_members(table: Table, limits: StorageLimits) -> dict[str, bytes]:
    """Return a table as JSON and .npy members by name; see :func:`to_members`."""
    columns, values = write_frame(table.frame)
    sections = {"table": to_record(table, skip=("frame",)), "columns": [to_record(column) for column in columns]}
    return _members(sections, values, {}, limits)


def from_table_members(contents: Contents, limits: StorageLimits) -> Table:
    """Return the table that :func:`to_table_members` took apart; see :func:`from_members`."""
    sections = limits.parse(member(contents.members, STUDY), STUDY)
    if not isinstance(sections, dict) or set(sections) != {"table", "columns"}:
        raise damaged("its description", "does not consist of table and columns")
    records = _read_columns(sections)
    refuse(set(contents.members) - {STUDY} - table_members(records))
    frame = read_frame(records, contents.members, limits=limits)
    return from_record(Table, sections["table"], "table", given={"frame": frame})


def from_members(contents: Contents, limits: StorageLimits) -> AnyStudy:
    """Return the study that :func:`to_members` took apart.

    Members that no part of it asks for are refused before anything but its description is unpacked.

    Raises
    ------
    StorageError
        If anything is missing, unknown, too large, of another type or shape, or contradicts another part.
    """
    sections = _read_sections(contents, limits)
    records = _read_columns(sections)
    fitted = _Fitted(sections, contents, table_members(records), limits)
    besides = contents.members.size(set(contents.members) - text_members(records))
    frame = read_frame(records, contents.members, limits=limits, besides=besides)
    return fitted.study(from_record(Table, sections["table"], "table", given={"frame": frame}))


def from_result_members(contents: Contents, table: Table, limits: StorageLimits) -> AnyStudy:
    """Return the study that :func:`to_result_members` took apart, put together with its table again.

    Raises
    ------
    StorageError
        If the table is another one, or as for :func:`from_members`.
    """
    sections = _read_sections(contents, limits)
    wanted = from_record(TableRecord, sections["table"], "table")
    same = (wanted.fingerprint, wanted.n_rows) == (table.fingerprint, len(table.frame))
    if not same or _read_columns(sections) != describe(table.frame):
        raise StorageError(
            f"The result was fitted to another table than '{table.name}', or to the same one read in another way.",
            hint="Open the table that it was fitted to.",
        )
    return _Fitted(sections, contents, set(), limits).study(table)


def _fitted(study: AnyStudy) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Take everything but the table apart, into sections and arrays."""
    model_meta, model_arrays = write_model(study.model)
    sections = {
        "roles": study.roles.to_dict(),
        # Left out where it is not used: who reads a study of the same format without knowing it understands the rest.
        "split": to_record(study.split.settings, skip=() if study.split.settings.file_order else ("file_order",)),
        "settings": settings_record(study.settings),
        "design": study.design.to_state(),
        "model": model_meta,
        "metrics": to_record(study.metrics, skip=("confusion",) if isinstance(study, Study) else ()),
        "provenance": to_record(study.provenance),
    }
    if study.search is not None:
        sections["search"] = study.search.to_state()
    if study.guidance:
        sections[_GUIDANCE] = to_record(study.guidance)
    if isinstance(study, NumberStudy) and study.calibration is not None:
        sections[_CALIBRATION] = to_record(study.calibration)
    repeated: dict[str, np.ndarray] = {}
    if isinstance(study, Study) and study.left_out is not None:
        sections[_LEFT_OUT] = to_record(study.left_out, skip=tuple(LEFT_OUT_ARRAYS))
        repeated = {place: getattr(study.left_out, name) for name, place in LEFT_OUT_ARRAYS.items()}
    arrays = {f"{MODEL}{name}.npy": array for name, array in model_arrays.items()}
    arrays |= {_SPLIT[name]: getattr(study.split, name) for name in _PARTS} | repeated | {REFERENCE: study.reference}
    return sections, arrays | ({CONFUSION: study.metrics.confusion.to_numpy()} if isinstance(study, Study) else {})


def _members(
    sections: Mapping[str, Any], values: Mapping[str, bytes], arrays: Mapping[str, np.ndarray], limits: StorageLimits
) -> dict[str, bytes]:
    """Write the description and what it describes."""
    ordered = {name: sections[name] for name in (*_SEARCHED, _LEFT_OUT, _GUIDANCE, _CALIBRATION) if name in sections}
    try:
        description = write_json(ordered)
    except ValueError as error:
        raise StorageError("The study cannot be saved: its description holds a number that is not finite.") from error
    members = {STUDY: description, **values} | {name: write_array(array) for name, array in arrays.items()}
    limits.parse(members[STUDY], STUDY)  # what it refuses would be refused for ever
    limits.check_total(sum(len(data) + _MANIFEST_ENTRY for data in members.values()))
    limits.check_model(sum(len(data) for name, data in members.items() if name.startswith(MODEL)))
    return members


def _read_sections(contents: Contents, limits: StorageLimits) -> dict[str, Any]:
    """Read the description, which has exactly the sections of its format."""
    sections = limits.parse(member(contents.members, STUDY), STUDY)
    expected = _SECTIONS[contents.format_version]
    if not isinstance(sections, dict) or all(set(sections) != set(names) for names in expected):
        raise damaged("its description", f"does not consist of {', '.join(expected[-1])}")
    if contents.format_version < _COMPILED_SINCE:
        model = sections["model"]
        for settings in (sections["settings"], model.get("parameters") if isinstance(model, dict) else None):
            if isinstance(settings, dict) and settings.get("backend") == "numpy":
                settings["backend"] = "compiled"
    return sections


def _read_columns(sections: Mapping[str, Any]) -> tuple[ColumnRecord, ...]:
    """Read names and types of the columns."""
    columns = sections["columns"]
    if not isinstance(columns, list):
        raise damaged("its list of columns", "is not a list")
    return tuple(from_record(ColumnRecord, column, "a column of the table") for column in columns)


class _Fitted:
    """Everything of a study but its table, read and checked part by part; `table` names the members of the table."""

    def __init__(self, sections: Mapping[str, Any], contents: Contents, table: set[str], limits: StorageLimits) -> None:
        members = contents.members
        self.roles = Roles.from_dict(sections["roles"], where="roles")
        if self.roles.number != (contents.format_version == NUMBER_FORMAT):
            raise damaged("its roles", "say something else of the target than its format")
        known = {STUDY, REFERENCE, *_SPLIT.values(), *table} | ({CONFUSION} if not self.roles.number else set())
        known |= set(LEFT_OUT_ARRAYS.values()) if _LEFT_OUT in sections else set()
        refuse({name for name in members if not name.startswith(MODEL)} - known)
        self.common: dict[str, Any] = {
            "roles": self.roles,
            "settings": read_settings(sections["settings"], self.roles),
            "provenance": from_record(Provenance, sections["provenance"], "provenance"),
            "search": _read_search(sections["search"]) if "search" in sections else None,
            "reference": _read_reference(members),
            "split": _read_split(sections["split"], members),
            "guidance": read_guidance(sections[_GUIDANCE]) if _GUIDANCE in sections else Guidance(),
        }
        self.common["design"], self.common["model"] = model = read_model(sections, members, limits, self.roles)
        if self.roles.number:
            self.common["metrics"] = from_record(NumberMetrics, sections["metrics"], "metrics")
            levels = sections.get(_CALIBRATION)
            read = None if levels is None else from_record(IntervalCalibration, levels, "calibration")
            self.common["calibration"] = read
        else:
            classes = [str(name) for name in model[1].classes_]
            self.common["metrics"] = _read_metrics(sections["metrics"], members, classes)
        self.left_out = read_left_out(sections[_LEFT_OUT], members) if _LEFT_OUT in sections else None

    def study(self, table: Table) -> AnyStudy:
        """Return the study, if its parts agree with each other and with the table."""
        if self.roles.number:
            number = NumberStudy(table=table, **self.common)
            check_number_agreement(number)
            return number
        study = Study(table=table, left_out=self.left_out, **self.common)
        check_agreement(study)
        check_left_out(study)
        return study


def _read_split(record: Any, members: Mapping[str, bytes | bytearray]) -> Split:
    """Read the split: three lists of row ids."""
    parts = {name: read_array(member(members, place), place) for name, place in _SPLIT.items()}
    for name, rows in parts.items():
        if rows.dtype != np.int64 or rows.ndim != 1:
            raise damaged(f"split part {name!r}", "is not a list of row ids")
    return Split(**parts, settings=from_record(SplitSettings, record, "split"))


def _read_metrics(record: Any, members: Mapping[str, bytes | bytearray], classes: list[str]) -> Metrics:
    """Read the metrics with their confusion counts."""
    counts = read_array(member(members, CONFUSION), CONFUSION)
    if counts.dtype != np.int64 or counts.shape != (len(classes), len(classes)) or (counts < 0).any():
        raise damaged("its confusion counts", "do not fit the classes")
    names = pd.Index(classes, dtype="str")
    confusion = pd.DataFrame(counts, index=names.rename("actual"), columns=names.rename("predicted"), copy=False)
    return from_record(Metrics, record, "metrics", given={"confusion": confusion})


def _read_reference(members: Mapping[str, bytes | bytearray]) -> np.ndarray:
    """Read the familiarity of the held-out rows, ascending."""
    values = read_array(member(members, REFERENCE), REFERENCE)
    if values.dtype != np.float64 or values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise damaged("its list of familiarities", "is not a list of numbers")
    if values[0] < 0 or (np.diff(values) < 0).any():
        raise damaged("its list of familiarities", "is negative or out of order")
    return values


def _read_search(state: Any) -> AnyRecord:
    """Read the search that chose the settings; the record checks its own parts."""
    search = read_record(state)
    if not search.complete:
        raise damaged("its search", "was not finished")
    return search
