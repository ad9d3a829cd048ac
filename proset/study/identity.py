"""Identity of a study: a hash of what it holds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from proset.data.scales import Scale
from proset.engine.parameters import BEFORE_OF_NUMBER
from proset.engine.set_manager import SetManager
from proset.study.conformal import IntervalCalibration
from proset.study.recipe import Recipe

LENGTH = 16
"""Hexadecimal digits of an id: among a million studies two share one with a chance of 1 in 37 million."""


def content_id(recipe: Recipe, manager: SetManager, fingerprint: str) -> str:
    """Return the id of a model, of how it was made, and of the table it was made from.

    When, how fast and by which version something was fitted does not count, nor does whether it was saved in between.

    Parameters
    ----------
    manager : SetManager
        What was fitted.
    fingerprint : str
        Of the table.

    Returns
    -------
    str
        Hexadecimal digits, :data:`LENGTH` of them.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.data.roles import Roles
    >>> recipe = Recipe(Roles({"age": Role.NUMERIC, "sick": Role.TARGET}))
    >>> manager = SetManager([0.5, 0.5], num_features=1)
    >>> content_id(recipe, manager, "3fa9") == content_id(recipe, manager, "77c0")
    False
    """
    digest = hashlib.sha256(json.dumps([fingerprint, _recipe(recipe), manager.num_features]).encode("ascii"))
    _add(digest, manager.marginals)
    for batch in manager.batches:
        digest.update(b"batch" if batch is None else b"batch of prototypes")
        for field in fields(type(batch)) if batch is not None else ():
            array = np.asarray(getattr(batch, field.name))
            if field.name != "own_slopes" or array.any():  # as above: studies from before have none
                _add(digest, array)
    return digest.hexdigest()[:LENGTH]


def calibrated_id(own: str, calibration: IntervalCalibration) -> str:
    """Return the id of a model whose intervals are calibrated; `own` is that of the same without."""
    return hashlib.sha256(json.dumps([own, asdict(calibration)]).encode("ascii")).hexdigest()[:LENGTH]


def _recipe(recipe: Recipe) -> list[Any]:
    """Turn a recipe into JSON types; equal recipes give equal ones."""
    settings = {name: _plain(value) for name, value in asdict(recipe.settings).items()}
    for name, value in BEFORE_OF_NUMBER.items():  # as in studies from before there were any
        if settings.get(name) == value:
            del settings[name]
    if recipe.settings.scale is Scale.STANDARD:
        del settings["scale"]
    # What is not used does not count, so that studies from before it was there keep their ids.
    split = {name: _plain(value) for name, value in asdict(recipe.split).items() if value is not None}
    if not recipe.split.file_order:
        del split["file_order"]
    roles = sorted((name, role.value) for name, role in recipe.roles.by_column.items())
    plan = None if recipe.plan is None else {name: _plain(value) for name, value in recipe.plan.to_state().items()}
    classes = recipe.roles.classes
    made: list[Any] = [] if classes is None else [{name: _plain(value) for name, value in classes.to_state().items()}]
    made += ["number"] if recipe.roles.number else []
    # Who asks, why and when does not count.
    items = [[item.kind.value, item.row, item.column, item.label] for item in recipe.guidance]
    said = [{"guidance": items}] if items else []
    return [roles, split, settings, plan, *made, *said]


def _plain(value: Any) -> Any:
    """Return the same number for numbers that are equal, such as 1 and 1.0; everything else as it is."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _add(digest: Any, array: np.ndarray) -> None:
    """Add type, shape and numbers of an array, the same on every machine."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    digest.update(f"{plain.dtype.str}{array.shape}".encode("ascii"))
    digest.update(plain.tobytes())
