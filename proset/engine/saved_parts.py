"""Parts of a saved model that classes and numbers share: arrays of batches, results of fits, each checked when read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.checked_json import StateReader
from proset.common.errors import StorageError
from proset.engine.growth import BatchResult
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
LARGEST = 2**62
RESULT_COUNTS = ("batch", "n_candidates", "n_reference", "n_prototypes", "n_active_features", "n_merged")


def batch_arrays(manager: SetManager, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return the marginals and the arrays of each batch, by their names in a file."""
    arrays: dict[str, NDArray[Any]] = {"marginals": manager.marginals}
    for number, batch in enumerate(manager.batches, start=1):
        if batch is not None:
            arrays |= {f"batch_{number}_{name}": getattr(batch, name) for name in names}
            arrays[f"batch_{number}_prototypes"] = short(batch.prototypes)
    return arrays


def refinement_state(refinement: Refinement) -> dict[str, Any]:
    """Return what is known of a refinement as plain JSON types; what the model is of stands in the file already."""
    state = asdict(refinement)
    del state["of_number"]
    return state


def read_refinement(reader: StateReader, *, of_number: bool) -> Refinement:
    """Take what is known of the refinement of a model, each field checked."""
    own = StateReader(reader.take("refinement"), "model.refinement")
    found = Refinement(
        correction=own.number("correction"),
        thinning=own.number("thinning"),
        n_before=own.integer("n_before", low=0, high=LARGEST),
        n_after=own.integer("n_after", low=0, high=LARGEST),
        given_up=own.number("given_up"),
        known=own.number("known"),
        of_number=of_number,
    )
    own.close()
    return found


def read_flags(reader: StateReader) -> list[bool]:
    """Return which batches hold prototypes."""
    flags = reader.take("batches")
    if not isinstance(flags, list) or not all(isinstance(flag, bool) for flag in flags):
        raise reader.refuse("batches", "has to be a list of true and false")
    return flags


def read_marginals(arrays: Arrays, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return shares that are positive and sum to one."""
    marginals = read_array(arrays, "marginals", np.float64, shape, ndim=1)
    expect(bool(len(marginals)) and bool((marginals > 0.0).all()), "marginals", "must be positive")
    expect(math.isclose(float(marginals.sum()), 1.0, rel_tol=1e-9), "marginals", "must sum to one")
    return marginals


def read_batch(arrays: Arrays, number: int, n_features: int, n_classes: int) -> Batch:
    """Return one batch after its arrays were checked against each other."""
    prefix = f"batch_{number}_"
    raw = {name: read_array(arrays, prefix + name, dtype, ndim=ndim) for name, (dtype, ndim) in BATCH_ARRAYS.items()}
    batch = Batch(**raw)
    n, d = len(batch), batch.active_features.shape[0]
    for name in ("weights", "sample_index"):
        expect(raw[name].shape == (n,), prefix + name, f"must have {n} entries")
    expect(n > 0, prefix + "target", "must not be empty")
    expect(batch.feature_weights.shape == (d,), prefix + "feature_weights", f"must have {d} entries")
    expect(batch.prototypes.shape == (n, d), prefix + "prototypes", f"must be of shape ({n}, {d})")
    expect(bool((batch.weights > 0).all()), prefix + "weights", "must be positive")
    expect(bool((batch.feature_weights > 0).all()), prefix + "feature_weights", "must be positive")
    expect(bool((batch.sample_index >= 0).all()), prefix + "sample_index", "must not be negative")
    expect(inside(batch.target, n_classes), prefix + "target", f"must lie between 0 and {n_classes - 1}")
    ascending = bool((np.diff(batch.active_features) > 0).all()) and inside(batch.active_features, n_features)
    expect(ascending, prefix + "active_features", f"must ascend between 0 and {n_features - 1}")
    return batch


def short(values: NDArray[np.float64]) -> NDArray[Any]:
    """Halve the size of values that single precision holds exactly, which those of a table are."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    return single if np.array_equal(single, values) else values


def result_state(result: BatchResult) -> dict[str, Any]:
    """Return plain types of a batch result."""
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


def read_results(reader: StateReader) -> tuple[BatchResult, ...]:
    """Check and rebuild what is known about each batch."""
    entries = reader.take("results")
    if not isinstance(entries, list):
        raise reader.refuse("results", "has to be a list")
    return tuple(_result(StateReader(entry, f"model.results[{i}]")) for i, entry in enumerate(entries))


def inside(values: NDArray[np.int64], limit: int) -> bool:
    """Tell whether all values lie in [0, limit)."""
    return bool(((values >= 0) & (values < limit)).all())


def _result(reader: StateReader) -> BatchResult:
    """Check and rebuild one batch result."""
    reason = StopReason[reader.text("reason", choices=tuple(StopReason.__members__))]
    report = SolverReport(
        objective=_number_or_nan(reader, "objective", reason),
        reason=reason,
        iterations=reader.integer("iterations", low=0, high=LARGEST),
        evaluations=reader.integer("evaluations", low=0, high=LARGEST),
        gradient_norm=_number_or_nan(reader, "gradient_norm", reason),
    )
    counts = {name: reader.integer(name, low=0, high=LARGEST) for name in RESULT_COUNTS}
    reader.close()
    return BatchResult(**counts, solver=report)


def expect(condition: bool, name: str, rule: str) -> None:
    """Refuse an array that breaks a rule."""
    if not condition:
        raise StorageError(f"The saved model's array '{name}' {rule}.")


def read_array(
    arrays: Arrays, name: str, dtype: type, shape: tuple[int, ...] | None = None, *, ndim: int | None = None
) -> NDArray[Any]:
    """Fetch an array of a given type and shape; floats must be finite."""
    if name not in arrays:
        raise StorageError(f"The saved model lacks the array '{name}'.")
    array = arrays[name]
    if array.dtype == np.float32 and name.endswith("_prototypes"):  # see short; older versions saved nothing else
        array = array.astype(np.float64)
    expect(array.dtype == dtype, name, f"must be of type {np.dtype(dtype).name}")
    expect(shape is None or array.shape == shape, name, f"must be of shape {shape}")
    expect(ndim is None or array.ndim == ndim, name, f"must have {ndim} dimension(s)")
    if array.dtype.kind == "f":
        expect(bool(np.isfinite(array).all()), name, "must be finite")
    return array
