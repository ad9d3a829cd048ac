"""A comparison of systems that answer with a number, in a folder: JSON and plain arrays, checked on the way back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from proset.common.checked_json import load_json
from proset.common.errors import StorageError
from proset.compare.numbers.levels import LEVELS, NUMBER_MEASURES
from proset.compare.numbers.number_result import NumberComparison, NumberSystemResult
from proset.compare.plan import ComparePlan
from proset.compare.saved import ARRAYS, FILE, check_left_out_ratio, stored_array
from proset.storage.arrays import write_array
from proset.storage.container import write_json
from proset.storage.records import damaged, from_record, to_record

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy

FORMAT = "number 1"
_NUMBERS = ("fold_scores", "held_out_scores", "quantiles", "means")


def save_number_comparison(comparison: NumberComparison, folder: str | Path) -> None:
    """Write a comparison into a folder, which is made if it is not there.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> from tempfile import TemporaryDirectory
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn",), n_folds=2))
    >>> with TemporaryDirectory() as folder:
    ...     save_number_comparison(found, folder)
    ...     load_number_comparison(folder, study).system("knn").settings
    '20 neighbours'
    """
    place = Path(folder)
    (place / ARRAYS).mkdir(parents=True, exist_ok=True)
    arrays: dict[str, NDArray[Any]] = {name: getattr(comparison, name) for name in ("rows", "measured", "actual")}
    entries = (*comparison.systems, comparison.line, comparison.everybody)
    for i, entry in enumerate(entries):
        arrays |= {f"s{i}_{name}": getattr(entry, name) for name in _NUMBERS}
    for name, array in arrays.items():
        (place / ARRAYS / f"{name}.npy").write_bytes(write_array(array))
    content = {
        "format": FORMAT,
        "plan": comparison.plan.to_state(),
        "systems": [to_record(entry, skip=_NUMBERS) for entry in entries],
        **{name: getattr(comparison, name) for name in ("study_id", "target", "which", "seconds", "left_out_ratio")},
    }
    (place / FILE).write_bytes(write_json(content))


def load_number_comparison(folder: str | Path, study: NumberStudy) -> NumberComparison:
    """Read what :func:`save_number_comparison` wrote.

    Raises
    ------
    StorageError
        If it is damaged, of another format, or of another study.
    """
    place = Path(folder)
    content = load_json(place / FILE, "The comparison")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise damaged("the comparison", "is of another format")
    plan = ComparePlan.from_state(content.get("plan"), "comparison.plan")
    records = content.get("systems")
    if not isinstance(records, list) or len(records) != len(plan.systems) + 2:
        raise damaged("the comparison", "has other systems than its plan")
    rows, measured = (stored_array(place, name, np.int64) for name in ("rows", "measured"))
    entries = [_entry(place, i, record, plan, len(measured)) for i, record in enumerate(records)]
    plain = {name: value for name, value in content.items() if name not in ("format", "plan", "systems")}
    given = {
        "plan": plan,
        "rows": rows,
        "measured": measured,
        "actual": stored_array(place, "actual", np.float64),
        "systems": tuple(entries[:-2]),
        "line": entries[-2],
        "everybody": entries[-1],
    }
    comparison = from_record(NumberComparison, plain, "the comparison", given=given)
    _check(comparison, study)
    return comparison


def _entry(place: Path, i: int, record: object, plan: ComparePlan, n_measured: int) -> NumberSystemResult:
    """Put a system together again."""
    where = f"system {i + 1}"
    if not isinstance(record, dict):
        raise damaged(where, "is not an object")
    own = {name: stored_array(place, f"s{i}_{name}", np.float64) for name in _NUMBERS}
    entry = from_record(NumberSystemResult, record, where, given=own)
    count = len(NUMBER_MEASURES)
    shapes = (entry.fold_scores.shape, entry.held_out_scores.shape)
    lengths = (len(entry.quantiles), len(entry.means))
    fits = shapes == ((plan.n_folds, count), (count,)) and lengths in ((0, 0), (n_measured, n_measured))
    if not fits or entry.quantiles.shape[1:] != (len(LEVELS),) or entry.means.ndim != 1:
        raise damaged(where, "has arrays of another shape")
    return entry


def _check(comparison: NumberComparison, study: NumberStudy) -> None:
    """Refuse what does not fit the study or itself."""
    if comparison.study_id != study.id:
        raise StorageError("The comparison is of another study.", hint="Compare the systems on this one.")
    known = np.isin(comparison.rows, study.table.frame.index).all()
    known = known and np.isin(comparison.measured, study.table.frame.index).all()
    if not known or comparison.target != study.roles.target or len(comparison.actual) != len(comparison.measured):
        raise damaged("the comparison", "does not fit the table")
    check_left_out_ratio(comparison.left_out_ratio)
    if tuple(entry.key for entry in comparison.systems) != comparison.plan.systems:
        raise damaged("the comparison", "has other systems than its plan")
