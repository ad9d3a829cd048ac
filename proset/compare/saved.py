"""A comparison in a folder: JSON and plain arrays, no pickle, every part checked on the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.checked_json import load_json
from proset.common.errors import StorageError
from proset.companions.systems import load_model
from proset.compare.disputes import check_same
from proset.compare.plan import ComparePlan
from proset.compare.result import DRIFT_COLUMNS, DRIFT_KINDS, PATH_KINDS, Comparison, DriftTest, SystemResult
from proset.storage.arrays import read_array, write_array
from proset.storage.container import write_json
from proset.storage.records import damaged, from_record, to_record
from proset.study.study import Study

FILE, ARRAYS = "comparison.json", "arrays"
FORMAT = 1
_NUMBERS = ("fold_scores", "held_out_scores", "probabilities", "shares")
_APART = (*_NUMBERS, "prototype_rows", "path", "model")
_NAIVE = ("naive_fold_scores", "naive_held_out_scores")
_NAME = re.compile(r"[a-z0-9_]{1,80}")
_LARGEST_ARRAY = 1 << 30


def save_comparison(comparison: Comparison, folder: str | Path) -> None:
    """Write a comparison into a folder.

    Parameters
    ----------
    folder : str or Path
        Is made if it is not there.

    Raises
    ------
    StorageError
        If a model holds something else than numbers and words.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_comparison(found, folder)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['arrays', 'comparison.json']
    """
    place = Path(folder)
    (place / ARRAYS).mkdir(parents=True, exist_ok=True)
    arrays = {name: getattr(comparison, name) for name in ("rows", "measured", *_NAIVE)}
    systems = []
    for i, entry in enumerate(comparison.systems):
        record, own = _taken_apart(entry)
        arrays |= {f"s{i}_{name}": array for name, array in own.items()}
        systems.append(record)
    drift = comparison.drift
    content = {
        "format": FORMAT,
        "plan": comparison.plan.to_state(),
        "classes": list(comparison.classes),
        "features": list(comparison.features),
        "unmeasured": list(comparison.unmeasured),
        "systems": systems,
        "drift": None if drift is None else to_record(drift, skip=("frame",)) | {"frame": _lines(drift.frame)},
        **{name: getattr(comparison, name) for name in ("study_id", "which", "weighted", "seconds", "left_out_ratio")},
    }
    for name, array in arrays.items():
        (place / ARRAYS / f"{name}.npy").write_bytes(write_array(array))
    (place / FILE).write_bytes(write_json(content))


def load_comparison(folder: str | Path, study: Study) -> Comparison:
    """Read what :func:`save_comparison` wrote.

    Parameters
    ----------
    folder : str or Path
        Where it lies.

    Raises
    ------
    StorageError
        If it is damaged, of another format, or of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_comparison(found, folder)
    ...     again = load_comparison(folder, study)
    >>> again.plan == found.plan, (again.system("knn").probabilities == found.system("knn").probabilities).all().item()
    (True, True)
    """
    place = Path(folder)
    content = load_json(place / FILE, "The comparison")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise damaged("the comparison", "is of another format")
    kept = {name: value for name, value in content.items() if name not in ("format", "plan", "systems", "drift")}
    plan = ComparePlan.from_state(content.get("plan"), "comparison.plan")
    records = content.get("systems")
    if not isinstance(records, list) or len(records) != len(plan.systems):
        raise damaged("the comparison", "has other systems than its plan")
    rows, measured = (stored_array(place, name, np.int64) for name in ("rows", "measured"))
    comparison = from_record(
        Comparison,
        kept,
        "the comparison",
        given={
            "plan": plan,
            "rows": rows,
            "measured": measured,
            **{name: stored_array(place, name, np.float64) for name in _NAIVE},
            "systems": tuple(_together(place, i, record, study) for i, record in enumerate(records)),
            "drift": _drift(content.get("drift")),
        },
    )
    _check(comparison, study)
    return comparison


def _taken_apart(entry: SystemResult) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a system as JSON values and arrays."""
    record: dict[str, Any] = to_record(entry, skip=_APART)
    arrays = {name: getattr(entry, name) for name in _NUMBERS}
    if entry.prototype_rows is not None:
        arrays["prototype_rows"] = entry.prototype_rows
    words = [name for name, kind in PATH_KINDS.items() if kind == "str"]
    arrays["path"] = entry.path.drop(columns=words).to_numpy(dtype=np.float64)
    record["path"] = {name: entry.path[name].tolist() for name in words}
    record["model"] = None
    if entry.model is not None:
        state = entry.model.to_dict()
        names = sorted(state["arrays"])
        record["model"] = {"meta": state["meta"], "arrays": names}
        arrays |= {f"model_{j}": np.asarray(state["arrays"][name]) for j, name in enumerate(names)}
    return record, arrays


def _together(place: Path, i: int, record: object, study: Study) -> SystemResult:
    """Put a system together again."""
    where = f"system {i + 1}"
    if not isinstance(record, dict):
        raise damaged(where, "is not an object")
    plain = {name: value for name, value in record.items() if name not in _APART}
    own = {name: stored_array(place, f"s{i}_{name}", np.float64) for name in _NUMBERS}
    has_rows = plain.get("n_prototypes") is not None
    given = own | {
        "prototype_rows": stored_array(place, f"s{i}_prototype_rows", np.int64) if has_rows else None,
        "path": _path(stored_array(place, f"s{i}_path"), record.get("path"), where),
        "model": _model(place, i, record.get("model"), where),
    }
    entry = from_record(SystemResult, plain, where, given=given)
    n_features, n_classes = len(study.roles.features), len(study.classes)
    shapes = {"held_out_scores": (4,), "shares": (n_features,)}
    if any(getattr(entry, name).shape != shape for name, shape in shapes.items()):
        raise damaged(where, "has arrays of another shape")
    if entry.probabilities.ndim != 2 or entry.probabilities.shape[1] != n_classes or entry.fold_scores.ndim != 2:
        raise damaged(where, "has arrays of another shape")
    return entry


def _path(numbers: NDArray[Any], words: object, where: str) -> pd.DataFrame:
    """Put the path of a system together again."""
    texts = [name for name, kind in PATH_KINDS.items() if kind == "str"]
    plain = [name for name in PATH_KINDS if name not in texts]
    if not isinstance(words, dict) or set(words) != set(texts) or numbers.shape[1:] != (len(plain),):
        raise damaged(where, "has a path of another form")
    frame = pd.DataFrame(numbers, columns=plain)
    for name in texts:
        if not isinstance(words[name], list) or len(words[name]) != len(frame):
            raise damaged(where, "has a path of another form")
        frame[name] = [str(word) for word in words[name]]
    return frame[list(PATH_KINDS)].astype(PATH_KINDS)


def _model(place: Path, i: int, record: object, where: str) -> Any:
    """Make a model again."""
    if record is None:
        return None
    if not isinstance(record, Mapping) or not isinstance(record.get("arrays"), list):
        raise damaged(where, "has a model of another form")
    arrays = {str(name): stored_array(place, f"s{i}_model_{j}") for j, name in enumerate(record["arrays"])}
    return load_model({"meta": record.get("meta"), "arrays": arrays})


def _drift(record: object) -> DriftTest | None:
    """Put the drift together again."""
    if record is None:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("frame"), dict):
        raise damaged("drift", "is not an object")
    lines = record["frame"]
    if set(lines) != {"key", *DRIFT_COLUMNS} or not all(isinstance(column, list) for column in lines.values()):
        raise damaged("drift", "has other columns")
    try:
        frame = pd.DataFrame(lines).astype(DRIFT_KINDS | {"key": "str"}).set_index("key")[list(DRIFT_COLUMNS)]
    except (ValueError, TypeError) as error:
        raise damaged("drift", "has columns of another kind") from error
    plain = {name: value for name, value in record.items() if name != "frame"}
    return from_record(DriftTest, plain, "drift", given={"frame": frame})


def _lines(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a frame as lists by column, the index among them; nan becomes None."""
    flat = frame.reset_index()
    return {str(name): [None if value != value else value for value in flat[name].tolist()] for name in flat.columns}


def stored_array(place: Path, name: str, kind: type | None = None) -> NDArray[Any]:
    """Read an array."""
    path = place / ARRAYS / f"{name}.npy"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise damaged("the comparison", f"lacks the array '{name}'")
    if path.stat().st_size > _LARGEST_ARRAY:
        raise damaged("the comparison", f"has an array '{name}' that is too large")
    array = read_array(path.read_bytes(), name)
    if kind is not None and array.dtype != kind:
        raise damaged("the comparison", f"has an array '{name}' of another kind")
    return array


def check_left_out_ratio(ratio: float | None) -> None:
    """Refuse a ratio of rows that no folds have; comparisons kept before it was known have none."""
    if ratio is not None and not 0.0 < ratio < np.inf:
        raise damaged("the comparison", "has folds without rows")


def _check(comparison: Comparison, study: Study) -> None:
    """Refuse what does not fit the study or itself."""
    try:
        check_same(study, comparison)
    except ValueError as error:
        raise StorageError(str(error)) from error
    index = study.table.frame.index
    known = bool(np.isin(comparison.rows, index).all() and np.isin(comparison.measured, index).all())
    known = known and {*comparison.unmeasured} <= {*comparison.classes}
    check_left_out_ratio(comparison.left_out_ratio)
    if not known or comparison.classes != study.classes or comparison.features != study.roles.features:
        raise damaged("the comparison", "does not fit the table")
    keys = tuple(entry.key for entry in comparison.systems)
    if keys != comparison.plan.systems:
        raise damaged("the comparison", "has other systems than its plan")
    shapes = (comparison.naive_fold_scores.shape, comparison.naive_held_out_scores.shape)
    if shapes != ((comparison.plan.n_folds, 4), (4,)):
        raise damaged("the comparison", "has arrays of another shape")
    for entry in comparison.systems:
        rows = len(comparison.measured) if entry.model is not None else 0
        if len(entry.probabilities) != rows or entry.fold_scores.shape != (comparison.plan.n_folds, 4):
            raise damaged(f"system '{entry.key}'", "has arrays of another shape")
