"""Results of repeated cross-validation on the way back from a file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.storage.arrays import all_different, read_array
from proset.storage.columns import member
from proset.storage.records import damaged, from_record
from proset.study.left_out import LeftOut

if TYPE_CHECKING:
    from proset.study import Study

LEFT_OUT_ARRAYS = MappingProxyType({name: f"left_out/{name}.npy" for name in ("rows", "probabilities", "quantile")})
"""Name of the file of each array."""
_WHERE = "its cross-validation"
_ROUNDING = 1e-6


def read_left_out(record: Any, members: Mapping[str, bytes | bytearray]) -> LeftOut:
    """Read it; whether it belongs to its study is another question.

    Raises
    ------
    StorageError
        If an array is of another type or shape, or holds what is no probability.
    """
    rows, probabilities, quantile = (read_array(member(members, place), place) for place in LEFT_OUT_ARRAYS.values())
    shapes = (rows.shape, probabilities.shape[:2], quantile.shape)
    if (rows.ndim, probabilities.ndim, quantile.ndim) != (1, 3, 2) or shapes[1:] != (quantile.shape, quantile.shape):
        raise damaged(_WHERE, "has arrays that do not belong together")
    if len(rows) != quantile.shape[1] or not probabilities.size or rows.dtype != np.int64:
        raise damaged(_WHERE, "has no list of rows, or another one")
    for values in (probabilities, quantile):
        if values.dtype != np.float64 or not ((values >= 0.0) & (values <= 1.0 + _ROUNDING)).all():
            raise damaged(_WHERE, "holds what is no share")
    if not np.allclose(probabilities.sum(axis=2), 1.0, atol=_ROUNDING):
        raise damaged(_WHERE, "has estimates that do not sum to one")
    given = {"rows": rows, "probabilities": probabilities, "quantile": quantile}
    found = from_record(LeftOut, record, _WHERE, given=given)
    if found.n_folds < 2:
        raise damaged(_WHERE, "has fewer than two folds")
    return found


def check_left_out(study: Study) -> None:
    """Refuse a cross-validation of other rows or classes than those of the study."""
    found = study.left_out
    if found is None:
        return
    known = pd.Index(np.concatenate([study.split.train, study.split.held_out]))
    if not all_different(found.rows) or not pd.Index(found.rows).isin(known).all():
        raise damaged(_WHERE, "names a row twice, or one that is neither learned from nor held out")
    if found.probabilities.shape[2] != len(study.classes):
        raise damaged(_WHERE, "has another number of classes")
    if not study.labels.loc[pd.Index(found.rows)].isin(study.classes).all():
        raise damaged(_WHERE, "names a row of a class that the model does not know")
