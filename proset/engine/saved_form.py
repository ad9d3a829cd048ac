"""A fitted model as plain JSON types and arrays, and back with every entry checked.

What comes back may be from a damaged or hostile file, so nothing is trusted: types, shapes and ranges are checked here
once, and the error names the entry.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from proset.common.checked_json import StateReader
from proset.common.errors import StorageError
from proset.common.words import shown
from proset.engine.class_order import encoder_of
from proset.engine.growth import BatchResult
from proset.engine.model import ClassifierModel
from proset.engine.parameters import check_parameters
from proset.engine.refining import Refinement
from proset.engine.set_manager import Batch, SetManager
from proset.engine.solver import SolverReport, StopReason

Arrays = Mapping[str, NDArray[Any]]

BATCH_ARRAYS: dict[str, tuple[type, int]] = {
    "active_features": (np.int64, 1),
    "feature_weights": (np.float32, 1),
    "prototypes": (np.float64, 2),
    "target": (np.int64, 1),
    "weights": (np.float32, 1),
    "sample_index": (np.int64, 1),
}
_LARGEST = 2**62
RESULT_COUNTS = ("batch", "n_candidates", "n_reference", "n_prototypes", "n_active_features", "n_merged")


def write(model: ClassifierModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a fitted model apart.

    Parameters
    ----------
    model : ClassifierModel
        Fitted to labels that are texts, and not shrunk; its `random_state` is None or an int.

    Returns
    -------
    meta : dict
        Plain JSON types. Threads are no part of a model: `n_jobs` is left out.
    arrays : dict of str to ndarray
        One entry per array of each batch, such as ``"batch_1_weights"``, and the marginals.

    Raises
    ------
    ValueError
        If the saved form could not give the same model back: for labels that are no texts, a RandomState, or a model
        that was shrunk.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> model = ClassifierModel(n_iter=0, random_state=0).fit(X, ["a"] * 3 + ["b"] * 3)
    >>> read(*write(model)).predict_proba(X[:1]).tolist()
    [[0.5, 0.5]]
    """
    check_is_fitted(model, "set_manager_")
    if not all(isinstance(label, str) for label in model.classes_):
        raise ValueError(f"Only models of labels that are texts can be saved; these are {list(model.classes_[:3])}.")
    if hasattr(model, "active_features_"):
        raise ValueError("A model that was shrunk cannot be saved; save it before shrinking.")
    if not isinstance(model.random_state, (int, np.integer, type(None))):
        raise ValueError("A model with a RandomState cannot be saved; pass an int as random_state.")
    manager = model.set_manager_
    arrays: dict[str, NDArray[Any]] = {"marginals": manager.marginals}
    for number, batch in enumerate(manager.batches, start=1):
        if batch is not None:
            arrays |= {f"batch_{number}_{name}": getattr(batch, name) for name in BATCH_ARRAYS}
            arrays[f"batch_{number}_prototypes"] = _short(batch.prototypes)
    meta = {
        "parameters": {name: value for name, value in model.get_params().items() if name != "n_jobs"},
        "classes": [str(label) for label in model.classes_],
        "n_features": manager.num_features,
        "seed": model.seed_,
        "batches": [batch is not None for batch in manager.batches],
        "results": [_result_state(result) for result in model.batch_results_],
    }
    if hasattr(model, "refinement_"):
        meta["refinement"] = asdict(model.refinement_)
    return meta, arrays


def _short(values: NDArray[np.float64]) -> NDArray[Any]:
    """Halve the size of values that single precision holds exactly, which those of a table are."""
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values


def _result_state(result: BatchResult) -> dict[str, Any]:
    """Plain types of a batch result."""
    report = result.solver
    return {name: int(getattr(result, name)) for name in RESULT_COUNTS} | {
        "objective": _finite_or_none(report.objective),
        "reason": report.reason.name,
        "iterations": report.iterations,
        "evaluations": report.evaluations,
        "gradient_norm": _finite_or_none(report.gradient_norm),
    }


def _finite_or_none(value: float) -> float | None:
    """Say of a number what JSON can: a start that is not finite has neither value nor gradient."""
    return value if math.isfinite(value) else None


def _number_or_nan(reader: StateReader, key: str, reason: StopReason) -> float:
    """Undo :func:`_finite_or_none`."""
    value = reader.take(key)
    if value is None and reason is StopReason.NOT_FINITE:
        return math.nan
    return StateReader({key: value}, reader.where).number(key)


def read(meta: Mapping[str, Any], arrays: Arrays) -> ClassifierModel:
    """Put a fitted model together from its parts.

    Parameters
    ----------
    meta, arrays
        As returned by :func:`write`.

    Raises
    ------
    StorageError
        Naming the entry that is missing, malformed or out of range.
    """
    reader = StateReader(meta, "model")
    model = _model(reader)
    classes = reader.texts("classes")
    if len(classes) < 2:
        raise reader.refuse("classes", "has to hold two or more names")
    flags = reader.take("batches")
    if not isinstance(flags, list) or not all(isinstance(flag, bool) for flag in flags):
        raise reader.refuse("batches", "has to be a list of true and false")
    n_features = reader.integer("n_features", low=1, high=_LARGEST)
    marginals = _array(arrays, "marginals", np.float64, (len(classes),))
    _expect(bool((marginals > 0.0).all()), "marginals", "must be positive")
    _expect(math.isclose(float(marginals.sum()), 1.0, rel_tol=1e-9), "marginals", "must sum to one")
    batches = tuple(
        _batch(arrays, number, n_features, len(classes)) if flag else None for number, flag in enumerate(flags, start=1)
    )
    model.label_encoder_ = encoder_of(classes)
    model.classes_ = model.label_encoder_.classes_
    model.n_features_in_ = n_features
    model.seed_ = reader.integer("seed", low=0, high=_LARGEST)
    model.weight_factor_, model.n_joined_ = model.weight_factor, model.n_joined
    model.set_manager_ = SetManager(marginals, n_features, batches)
    model.batch_results_ = _results(reader)
    if "refinement" in meta:
        model.refinement_ = _refinement(StateReader(reader.take("refinement"), "model.refinement"))
    reader.close()
    return model


def _model(reader: StateReader) -> ClassifierModel:
    """Make a model that is not fitted, with its parameters checked as in a fit."""
    parameters = reader.take("parameters")
    if not isinstance(parameters, dict):
        raise reader.refuse("parameters", "has to be a set of named fields")
    try:
        model = ClassifierModel(**parameters)
        check_parameters(parameters)
    except (TypeError, ValueError) as error:
        raise StorageError(f"The saved model has bad parameters: {shown(error, 300).rstrip('.')}.") from error
    return model


def _results(reader: StateReader) -> tuple[BatchResult, ...]:
    """Check and rebuild what is known about each batch."""
    entries = reader.take("results")
    if not isinstance(entries, list):
        raise reader.refuse("results", "has to be a list")
    return tuple(_result(StateReader(entry, f"model.results[{i}]")) for i, entry in enumerate(entries))


def _refinement(reader: StateReader) -> Refinement:
    """Check and rebuild what is known of the refinement."""
    found = Refinement(
        correction=reader.number("correction"),
        thinning=reader.number("thinning"),
        n_before=reader.integer("n_before", low=0, high=_LARGEST),
        n_after=reader.integer("n_after", low=0, high=_LARGEST),
        given_up=reader.number("given_up"),
        known=reader.number("known"),
    )
    reader.close()
    return found


def _batch(arrays: Arrays, number: int, n_features: int, n_classes: int) -> Batch:
    """Check the arrays of one batch against each other."""
    prefix = f"batch_{number}_"
    raw = {name: _array(arrays, prefix + name, dtype, ndim=ndim) for name, (dtype, ndim) in BATCH_ARRAYS.items()}
    batch = Batch(**raw)
    n, d = len(batch), batch.active_features.shape[0]
    for name in ("weights", "sample_index"):
        _expect(raw[name].shape == (n,), prefix + name, f"must have {n} entries")
    _expect(n > 0, prefix + "target", "must not be empty")
    _expect(batch.feature_weights.shape == (d,), prefix + "feature_weights", f"must have {d} entries")
    _expect(batch.prototypes.shape == (n, d), prefix + "prototypes", f"must be of shape ({n}, {d})")
    _expect(bool((batch.weights > 0).all()), prefix + "weights", "must be positive")
    _expect(bool((batch.feature_weights > 0).all()), prefix + "feature_weights", "must be positive")
    _expect(bool((batch.sample_index >= 0).all()), prefix + "sample_index", "must not be negative")
    _expect(_inside(batch.target, n_classes), prefix + "target", f"must lie between 0 and {n_classes - 1}")
    ascending = bool((np.diff(batch.active_features) > 0).all()) and _inside(batch.active_features, n_features)
    _expect(ascending, prefix + "active_features", f"must ascend between 0 and {n_features - 1}")
    return batch


def _inside(values: NDArray[np.int64], limit: int) -> bool:
    """Tell whether all values lie in [0, limit)."""
    return bool(((values >= 0) & (values < limit)).all())


def _result(reader: StateReader) -> BatchResult:
    """Check and rebuild one batch result."""
    reason = StopReason[reader.text("reason", choices=tuple(StopReason.__members__))]
    report = SolverReport(
        objective=_number_or_nan(reader, "objective", reason),
        reason=reason,
        iterations=reader.integer("iterations", low=0, high=_LARGEST),
        evaluations=reader.integer("evaluations", low=0, high=_LARGEST),
        gradient_norm=_number_or_nan(reader, "gradient_norm", reason),
    )
    counts = {name: reader.integer(name, low=0, high=_LARGEST) for name in RESULT_COUNTS}
    reader.close()
    return BatchResult(**counts, solver=report)


def _expect(condition: bool, name: str, rule: str) -> None:
    """Refuse an array that breaks a rule."""
    if not condition:
        raise StorageError(f"The saved model's array '{name}' {rule}.")


def _array(
    arrays: Arrays, name: str, dtype: type, shape: tuple[int, ...] | None = None, *, ndim: int | None = None
) -> NDArray[Any]:
    """Fetch an array of a given type and shape; floats must be finite."""
    if name not in arrays:
        raise StorageError(f"The saved model lacks the array '{name}'.")
    array = arrays[name]
    if array.dtype == np.float32 and name.endswith("_prototypes"):  # see _short; older versions saved nothing else
        array = array.astype(np.float64)
    _expect(array.dtype == dtype, name, f"must be of type {np.dtype(dtype).name}")
    _expect(shape is None or array.shape == shape, name, f"must be of shape {shape}")
    _expect(ndim is None or array.ndim == ndim, name, f"must have {ndim} dimension(s)")
    if array.dtype.kind == "f":
        _expect(bool(np.isfinite(array).all()), name, "must be finite")
    return array
