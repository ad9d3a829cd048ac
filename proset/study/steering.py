"""Guidance as the engine takes it: marks of training rows and factors of matrix columns, for any part of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.errors import DesignError
from proset.data.design import Design
from proset.data.roles import Roles
from proset.engine.set_manager import IntArray
from proset.engine.steering import NOT_STEERED, Steering
from proset.study.guidance import Guidance, GuidanceKind

_ROWS = (GuidanceKind.NO_PROTOTYPE, GuidanceKind.CANDIDATE)
_FACTORS = {GuidanceKind.NO_COLUMN: np.inf, GuidanceKind.USE_COLUMN: 0.0}


def steering_of(guidance: Guidance, rows: IntArray, design: Design) -> Steering:
    """Return what guidance asks of a fit to some rows.

    Parameters
    ----------
    guidance : Guidance
        What was said; what it says of other rows does not count.
    rows : ndarray of int64
        Row ids of the training rows, in the order of the matrix.
    design : Design
        Fitted to these rows.

    Returns
    -------
    Steering
        All matrix columns of a table column have its factor: infinite if it must not be used, 0 if it must.

    Raises
    ------
    DesignError
        If no column that varies may be used.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.study.guidance import GuidanceItem
    >>> frame = pd.DataFrame({"age": [1.0, 2.0, 4.0], "size": [3.0, 1.0, 2.0]}, index=[1, 2, 3])
    >>> design = Design(Roles({"age": Role.NUMERIC, "size": Role.NUMERIC})).fit(frame)
    >>> said = Guidance((GuidanceItem(GuidanceKind.NO_COLUMN, column="age"),))
    >>> steering_of(said, np.array([1, 2, 3]), design).penalty.tolist()
    [inf, 1.0]
    """
    if not guidance.steers:
        return NOT_STEERED
    never, always = (np.isin(rows, guidance.rows_of(kind)) for kind in _ROWS)
    factor_of = {name: factor for kind, factor in _FACTORS.items() for name in guidance.columns_of(kind)}
    penalty = np.array([factor_of.get(column.source, 1.0) for column in design.columns])
    if not np.isfinite(penalty).any():
        raise DesignError(
            "No column that may be used varies among the training rows.",
            hint="Take back one of the requests not to use a column.",
        )
    return Steering(
        allowed=~never if never.any() else None,
        required=always if always.any() else None,
        penalty=penalty if (penalty != 1.0).any() else None,
    )


@dataclass(frozen=True, eq=False)
class FoldSteering:
    """Tells what guidance asks of the fit of one fold, whose design is learnt from its training rows alone.

    Attributes
    ----------
    frame : DataFrame
        The features of all rows that take part in the search; index row.
    roles : Roles
        What each column is for.
    guidance : Guidance
        What was said.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.study.guidance import GuidanceItem
    >>> frame = pd.DataFrame({"age": [1.0, 2.0, 4.0]}, index=[7, 8, 9])
    >>> said = Guidance((GuidanceItem(GuidanceKind.CANDIDATE, row=9),))
    >>> FoldSteering(frame, Roles({"age": Role.NUMERIC}), said)(np.array([0, 2])).required.tolist()
    [False, True]
    """

    frame: pd.DataFrame
    roles: Roles
    guidance: Guidance

    def __call__(self, train: IntArray, /) -> Steering:
        """Return it for training rows at these positions."""
        rows = self.frame.iloc[train]
        return steering_of(self.guidance, rows.index.to_numpy(dtype=np.int64), Design(self.roles).fit(rows))

    @property
    def key(self) -> str:
        """Its part of what a search depends on, as a text: searches of other guidance are other searches."""
        return repr([(item.kind.value, item.row, item.column) for item in self.guidance if _steers(item.kind)])


def _steers(kind: GuidanceKind) -> bool:
    """Tell whether a fit is steered by it; the other kinds change the rows that it learns from."""
    return kind in (*_ROWS, *_FACTORS)
