"""A fitted companion as JSON values and plain arrays, and back with what does not belong refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import StorageError
from proset.common.words import listed, shown

STATE_FORMAT = 1
_KINDS = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64, "U": np.str_, "O": np.object_}
_LONGEST = 200


def write_state(
    system: str, params: Mapping[str, Any], state: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take parameters and fitted attributes apart into JSON values and arrays of plain numbers.

    Parameters
    ----------
    system : str
        What kind of model it is.
    params, state : mapping of str to object
        Constructor parameters, and fitted attributes: arrays, numbers, texts, lists of these, None.

    Returns
    -------
    meta : dict
        JSON values.
    arrays : dict of str to ndarray
        Numbers and flags only.

    Raises
    ------
    StorageError
        If something cannot be written, such as a parameter that is a function.

    Examples
    --------
    >>> meta, arrays = write_state("Any", {"k": 1}, {"classes_": np.array(["a", "b"]), "gap_": np.inf})
    >>> meta["labels"]["classes_"]["values"], arrays
    (['a', 'b'], {'gap_': array(inf)})
    """
    arrays: dict[str, NDArray[Any]] = {}
    values: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray) and value.dtype.kind not in "biuf":
            labels[name] = {"kind": value.dtype.kind, "values": value.tolist()}
        elif isinstance(value, np.ndarray):
            arrays[name] = value
        elif isinstance(value, float) and not math.isfinite(value):  # which JSON does not know
            arrays[name] = np.array(float(value))
        else:
            values[name] = _plain(value)
    plain = {name: _plain(value) for name, value in params.items()}
    meta = {"system": system, "format": STATE_FORMAT, "params": plain, "state": values, "labels": labels}
    try:
        json.dumps(meta, allow_nan=False)
    except (TypeError, ValueError) as error:
        message = f"This {system} cannot be written: {shown(error, _LONGEST)}."
        raise StorageError(message, hint="Use parameters and labels that are numbers, words or None.") from error
    return meta, arrays


def read_state(system: str, state: object, names: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the fitted attributes that :func:`write_state` has taken apart.

    Parameters
    ----------
    system : str
        What kind of model is expected.
    state : object
        A mapping with "meta" and "arrays".
    names : tuple of str
        The attributes that have to be there; others are refused.

    Raises
    ------
    StorageError
        If it is of another system or format, or something is missing, unknown or of another type.

    Examples
    --------
    >>> meta, arrays = write_state("Any", {"k": 1}, {"coef_": np.eye(1)})
    >>> read_state("Any", {"meta": meta, "arrays": arrays}, ("coef_",))
    ({'k': 1}, {'coef_': array([[1.]])})
    """
    meta, arrays = (state.get(name) for name in ("meta", "arrays")) if isinstance(state, Mapping) else (None, None)
    if not isinstance(meta, Mapping) or not isinstance(arrays, Mapping):
        raise StorageError(f"This is not a saved {system}.", hint="Pass what to_dict returned.")
    if meta.get("system") != system:
        raise StorageError(f"This is a saved {shown(meta.get('system'))}, not a {system}.")
    if meta.get("format") != STATE_FORMAT:
        raise StorageError(f"This {system} was saved in format {shown(meta.get('format'))}; known is {STATE_FORMAT}.")
    parts = {name: meta.get(name) for name in ("params", "state", "labels")}
    for name, part in parts.items():
        if not isinstance(part, Mapping):
            raise StorageError(f"The saved {system} is damaged: '{name}' is not a set of named fields.")
    if not all(isinstance(array, np.ndarray) and array.dtype.kind in "biuf" for array in arrays.values()):
        raise StorageError(f"The saved {system} is damaged: an array does not hold plain numbers.")
    found = {name: array if array.ndim else array.item() for name, array in arrays.items()}
    found |= {name: _label_array(system, name, entry) for name, entry in (parts["labels"] or {}).items()}
    found |= parts["state"] or {}
    for problem, wrong in (("lacks", set(names) - set(found)), ("holds unknown", set(found) - set(names))):
        if wrong:
            raise StorageError(f"The saved {system} {problem} {listed(sorted(wrong))}.")
    return dict(parts["params"] or {}), found


def _label_array(system: str, name: str, entry: object) -> NDArray[Any]:
    """Make an array of texts or mixed labels again."""
    values = entry.get("values") if isinstance(entry, Mapping) else None
    kind = _KINDS.get(str(entry.get("kind"))) if isinstance(entry, Mapping) else None
    if kind is None or not isinstance(values, list):
        raise StorageError(f"The saved {system} is damaged: '{shown(name)}' holds no labels.")
    if not all(isinstance(value, (str, int, float)) for value in values):
        raise StorageError(f"The saved {system} is damaged: a label of '{shown(name)}' is neither text nor number.")
    return np.array(values, dtype=kind)


def _plain(value: Any) -> Any:
    """Turn numpy numbers, alone or in lists, into Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(entry) for entry in value)
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return value
