"""A fitted model as plain JSON types and arrays, and back with every entry checked.

What comes back may be from a damaged or hostile file, so nothing is trusted: types, shapes and ranges are checked here
once, and the error names the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from proset.common.checked_json import StateReader
from proset.common.errors import StorageError
from proset.common.words import shown
from proset.engine.class_order import encoder_of
from proset.engine.model import ClassifierModel
from proset.engine.parameters import check_parameters
from proset.engine.saved_parts import (
    BATCH_ARRAYS,
    LARGEST,
    Arrays,
    batch_arrays,
    read_batch,
    read_flags,
    read_marginals,
    read_refinement,
    read_results,
    refinement_state,
    result_state,
)
from proset.engine.set_manager import SetManager


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
    arrays = batch_arrays(manager, BATCH_ARRAYS)
    meta = {
        "parameters": {name: value for name, value in model.get_params().items() if name != "n_jobs"},
        "classes": [str(label) for label in model.classes_],
        "n_features": manager.num_features,
        "seed": model.seed_,
        "batches": [batch is not None for batch in manager.batches],
        "results": [result_state(result) for result in model.batch_results_],
    }
    if hasattr(model, "refinement_"):
        meta["refinement"] = refinement_state(model.refinement_)
    return meta, arrays


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
    flags = read_flags(reader)
    n_features = reader.integer("n_features", low=1, high=LARGEST)
    marginals = read_marginals(arrays, (len(classes),))
    batches = tuple(
        read_batch(arrays, number, n_features, len(classes)) if flag else None
        for number, flag in enumerate(flags, start=1)
    )
    model.label_encoder_ = encoder_of(classes)
    model.classes_ = model.label_encoder_.classes_
    model.n_features_in_ = n_features
    model.seed_ = reader.integer("seed", low=0, high=LARGEST)
    model.weight_factor_, model.n_joined_ = model.weight_factor, model.n_joined
    model.set_manager_ = SetManager(marginals, n_features, batches)
    model.batch_results_ = read_results(reader)
    if "refinement" in meta:
        model.refinement_ = read_refinement(reader, of_number=False)
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
