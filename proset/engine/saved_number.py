"""A fitted model of a number as plain JSON types and arrays, and back with every entry checked; see ``saved_form``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from proset.common.checked_json import StateReader
from proset.common.errors import StorageError
from proset.common.words import shown
from proset.engine.density_sets import DensityBatch, DensityManager
from proset.engine.mixtures.marginal import Marginal
from proset.engine.mixtures.units import FARTHEST_BEND, BentUnits, TargetUnits
from proset.engine.parameters import BEFORE_OF_NUMBER
from proset.engine.regressor import RegressorModel
from proset.engine.saved_parts import (
    BATCH_ARRAYS,
    LARGEST,
    Arrays,
    batch_arrays,
    expect,
    read_array,
    read_batch,
    read_flags,
    read_marginals,
    read_refinement,
    read_results,
    refinement_state,
    result_state,
)
from proset.engine.set_manager import Batch

DENSITY_ARRAYS = ("values", "slopes", "spreads", "own_slopes")
"""Arrays of a batch beside those of a batch of classes, all of float64."""
MARGINAL_ARRAYS = tuple(f"marginal_{field.name}" for field in fields(Marginal))


def write_number(model: RegressorModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a fitted model of a number apart.

    Parameters
    ----------
    model : RegressorModel
        Fitted, and not shrunk; its `random_state` is None or an int.

    Returns
    -------
    meta : dict
        Plain JSON types, without `n_jobs`.
    arrays : dict of str to ndarray
        One entry per array of each batch, such as ``"batch_1_spreads"``, the marginals and the marginal density.

    Raises
    ------
    ValueError
        If the saved form could not give the same model back.

    Examples
    --------
    >>> X = np.linspace(-1.0, 1.0, 60)[:, None]
    >>> model = RegressorModel(n_iter=1, random_state=0).fit(X, 3.0 * X[:, 0])
    >>> again = read_number(*write_number(model))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    check_is_fitted(model, "set_manager_")
    if hasattr(model, "active_features_"):
        raise ValueError("A model that was shrunk cannot be saved; save it before shrinking.")
    if not isinstance(model.random_state, (int, np.integer, type(None))):
        raise ValueError("A model with a RandomState cannot be saved; pass an int as random_state.")
    manager = model.set_manager_
    arrays = batch_arrays(manager, (*BATCH_ARRAYS, *DENSITY_ARRAYS))
    # Where no prototype has any, the file is what it was before there were own slopes.
    arrays = {name: own for name, own in arrays.items() if not name.endswith("_own_slopes") or own.any()}
    arrays |= {f"marginal_{field.name}": getattr(manager.marginal, field.name) for field in fields(Marginal)}
    # So it is where the target is not bent, either.
    unsaid = ("n_jobs", *(name for name, value in BEFORE_OF_NUMBER.items() if getattr(model, name) == value))
    meta = {
        "parameters": {name: value for name, value in model.get_params().items() if name not in unsaid},
        "n_features": manager.num_features,
        "seed": model.seed_,
        "mean": model.target_mean_,
        "scale": model.target_scale_,
        "batches": [batch is not None for batch in manager.batches],
        "results": [result_state(result) for result in model.batch_results_],
    }
    if isinstance(model.units_, BentUnits):
        meta["bend"] = asdict(model.units_)
    if hasattr(model, "refinement_"):
        meta["refinement"] = refinement_state(model.refinement_)
    return meta, arrays


def read_number(meta: Mapping[str, Any], arrays: Arrays) -> RegressorModel:
    """Put a fitted model of a number together from its parts.

    Parameters
    ----------
    meta, arrays
        As returned by :func:`write_number`.

    Raises
    ------
    StorageError
        Naming the entry that is missing, malformed or out of range.
    """
    reader = StateReader(meta, "model")
    model = _model(reader)
    flags = read_flags(reader)
    model.n_features_in_ = reader.integer("n_features", low=1, high=LARGEST)
    model.seed_ = reader.integer("seed", low=0, high=LARGEST)
    model.target_mean_ = reader.number("mean")
    model.target_scale_ = reader.number("scale", positive=True)
    model.units_ = _units(reader, model)
    marginals = read_marginals(arrays)
    batches: tuple[Batch | None, ...] = tuple(
        _batch(arrays, number, model.n_features_in_, len(marginals)) if flag else None
        for number, flag in enumerate(flags, start=1)
    )
    model.weight_factor_, model.spread_factor_ = model.weight_factor, model.spread_factor
    model.n_joined_ = model.n_joined
    model.set_manager_ = DensityManager(marginals, model.n_features_in_, batches, _marginal(arrays))
    model.batch_results_ = read_results(reader)
    if "refinement" in meta:
        model.refinement_ = read_refinement(reader, of_number=True)
    reader.close()
    return model


def _model(reader: StateReader) -> RegressorModel:
    """Make a model that is not fitted, with its parameters checked as in a fit."""
    parameters = reader.take("parameters")
    if not isinstance(parameters, dict):
        raise reader.refuse("parameters", "has to be a set of named fields")
    few, parameters = np.linspace(-1.0, 1.0, 12)[:, None], {**BEFORE_OF_NUMBER, **parameters}
    try:
        model = RegressorModel(**parameters)
        # A fit of no batches checks every parameter and costs nothing.
        RegressorModel(**{**parameters, "n_iter": 0, "max_samples": None, "max_fraction": 0.5}).fit(few, few[:, 0])
    except (TypeError, ValueError) as error:
        raise StorageError(f"The saved model has bad parameters: {shown(error, 300).rstrip('.')}.") from error
    return model


def _units(reader: StateReader, model: RegressorModel) -> TargetUnits:
    """Check the way from targets to what the fit worked on."""
    if not model.bend_target or "bend" not in reader:
        return TargetUnits(model.target_mean_, model.target_scale_)
    bend = StateReader(reader.take("bend"), "model.bend")
    positive = ("scale", "width")
    units = BentUnits(**{one.name: bend.number(one.name, positive=one.name in positive) for one in fields(BentUnits)})
    bend.close()
    if not -FARTHEST_BEND < units.low < units.high < FARTHEST_BEND:
        raise bend.refuse("low", f"has to be less than high, and both within {FARTHEST_BEND:g}")
    return units


def _batch(arrays: Arrays, number: int, n_features: int, n_parts: int) -> DensityBatch:
    """Check the arrays of one batch against each other."""
    plain, prefix = read_batch(arrays, number, n_features, n_parts), f"batch_{number}_"
    own = {name: read_array(arrays, prefix + name, np.float64, ndim=1) for name in ("values", "slopes", "spreads")}
    for name in ("values", "spreads"):
        expect(own[name].shape == (len(plain),), prefix + name, f"must have {len(plain)} entries")
    n_active = plain.active_features.shape[0]
    expect(own["slopes"].shape == (n_active,), prefix + "slopes", f"must have {n_active} entries")
    shape, name = plain.prototypes.shape, prefix + "own_slopes"
    own["own_slopes"] = read_array(arrays, name, np.float64, ndim=2) if name in arrays else np.zeros(shape)
    expect(own["own_slopes"].shape == shape, name, f"must have {shape[0]} rows and {shape[1]} columns")
    expect(bool((own["spreads"] > 0.0).all()), prefix + "spreads", "must be positive")
    return DensityBatch(**{name: getattr(plain, name) for name in BATCH_ARRAYS}, **own)


def _marginal(arrays: Arrays) -> Marginal:
    """Check the marginal density."""
    centers, spreads, weights = (read_array(arrays, name, np.float64, ndim=1) for name in MARGINAL_ARRAYS)
    expect(len(centers) > 0, "marginal_centers", "must not be empty")
    expect(spreads.shape == weights.shape == centers.shape, "marginal_spreads", f"must have {len(centers)} entries")
    expect(bool((spreads > 0.0).all()), "marginal_spreads", "must be positive")
    positive = bool((weights >= 0.0).all()) and math.isclose(float(weights.sum()), 1.0, rel_tol=1e-6)
    expect(positive, "marginal_weights", "must not be negative, and sum to one")
    return Marginal(centers, spreads, weights)
