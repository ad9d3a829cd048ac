"""The fitted model of a study, of classes or of a number, as members of its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from proset.common.errors import ProsetError, StorageError
from proset.data.design import Design
from proset.data.roles import Roles
from proset.engine import saved_form
from proset.engine.model import ClassifierModel
from proset.engine.regressor import RegressorModel
from proset.engine.saved_number import DENSITY_ARRAYS, MARGINAL_ARRAYS, read_number, write_number
from proset.engine.saved_parts import BATCH_ARRAYS
from proset.storage.arrays import read_array
from proset.storage.container import Members, no_part
from proset.storage.limits import StorageLimits
from proset.storage.records import damaged

MODEL = "model/"
"""Members of the model are in this folder."""
_BATCH_ARRAY = re.compile(r"batch_(?P<number>[1-9]\d{0,6})_(?P<array>\w+)")


def write_model(model: ClassifierModel | RegressorModel) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Take a fitted model apart, into JSON types and arrays."""
    return saved_form.write(model) if isinstance(model, ClassifierModel) else write_number(model)


def read_model(
    sections: Mapping[str, Any], members: Members, limits: StorageLimits, roles: Roles
) -> tuple[Design, Any]:
    """Read design and model, which check their own parts; of the model's members only those that it names.

    Raises
    ------
    StorageError
        If a part is missing, unknown, too large or impossible.
    """
    if not isinstance(sections["model"], dict):
        raise damaged("its model", "is not an object")
    names = {name.removeprefix(MODEL).removesuffix(".npy"): name for name in members if name.startswith(MODEL)}
    batches = sections["model"].get("batches")
    refuse({place for name, place in names.items() if not _is_named(name, batches, number=roles.number)})
    limits.check_model(members.size(names.values()))
    try:
        design = Design.from_state(sections["design"])
        arrays = {name: read_array(members[place], place) for name, place in names.items()}
        model = (read_number if roles.number else saved_form.read)(sections["model"], arrays)
    except StorageError:
        raise
    except ProsetError as error:
        raise StorageError(f"The saved study is damaged: {error.message}") from error
    return design, model


def refuse(unknown: set[str]) -> None:
    """Refuse members that no part of the study uses."""
    if unknown:
        raise no_part(min(unknown))


def _is_named(name: str, batches: Any, *, number: bool) -> bool:
    """Say whether a model that says of each batch whether it holds anything has an array of a name."""
    match = _BATCH_ARRAY.fullmatch(name)
    if match is None:
        return name == "marginals" or (number and name in MARGINAL_ARRAYS)
    place = int(match["number"])
    known = isinstance(batches, list) and 0 < place <= len(batches) and batches[place - 1] is True
    return known and (match["array"] in BATCH_ARRAYS or (number and match["array"] in DENSITY_ARRAYS))
