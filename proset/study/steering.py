"""Guidance as the engine takes it: marks of training rows and factors of matrix columns, for any part of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from proset.common.errors import DesignError
from proset.data.design import Design
from proset.data.scales import Scale
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
    rows : ndarray of int64, shape (n,)
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
    >>> import pandas as pd
    >>> from proset.data.issues import Role
    >>> from proset.data.roles import Roles
    >>> from proset.study.guidance import GuidanceItem
    >>> frame = pd.DataFrame({"age": [1.0, 2.0, 4.0], "size": [3.0, 1.0, 2.0]}, index=[1, 2, 3])
    >>> design = Design(Roles({"age": Role.NUMERIC, "size": Role.NUMERIC})).fit(frame)
    >>> said = Guidance((GuidanceItem(GuidanceKind.NO_COLUMN, column="age"),))
    >>> steering_of(said, np.array([1, 2, 3]), design).penalty.tolist()
    [inf, 1.0]
    """
    if not guidance.steers:
        return _drawn_as_before(guidance, rows)
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
        places=_drawn_as_before(guidance, rows).places,
    )


def _drawn_as_before(guidance: Guidance, rows: IntArray) -> Steering:
    """Return where rows stood before some were left out, and ask for nothing else: it needs no design."""
    left_out = guidance.rows_of(GuidanceKind.LEAVE_OUT)
    return Steering(places=np.searchsorted(np.union1d(rows, left_out), rows)) if left_out.size else NOT_STEERED


class Designs(Protocol):
    """Learns designs from some of the rows, as :class:`proset.study.search.FoldDesign` does."""

    def design(self, train: IntArray, /) -> Design:
        """Return what is learnt from the rows at these positions."""

    def on_scale(self, scale: Scale) -> Designs:
        """Return the same for another scale."""


@dataclass(frozen=True, eq=False)
class FoldSteering:
    """Tells what guidance asks of the fit of one fold, whose design is learnt from its training rows alone.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Row ids of all rows that take part in the search.
    guidance : Guidance
        What was said.
    designs : callable
        Learns the design of training rows at some positions, on one scale or another.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> from proset.study.guidance import GuidanceItem
    >>> import pandas as pd
    >>> from proset.data.roles import Roles
    >>> from proset.study.search import FoldDesign
    >>> frame = pd.DataFrame({"age": [1.0, 2.0, 4.0]}, index=[7, 8, 9])
    >>> said = Guidance((GuidanceItem(GuidanceKind.CANDIDATE, row=9),))
    >>> steer = FoldSteering(np.array([7, 8, 9]), said, FoldDesign(frame, Roles({"age": Role.NUMERIC})))
    >>> steer(np.array([0, 2])).required.tolist()
    [False, True]
    """

    rows: IntArray
    guidance: Guidance
    designs: Designs

    def __call__(self, train: IntArray, /) -> Steering:
        """Return it for training rows at these positions."""
        rows = self.rows[train]
        if not self.guidance.steers:
            return _drawn_as_before(self.guidance, rows)
        return steering_of(self.guidance, rows, self.designs.design(train))

    def on_scale(self, scale: Scale) -> FoldSteering:
        """Return the same for another scale."""
        return replace(self, designs=self.designs.on_scale(scale))

    @property
    def key(self) -> str:
        """Guidance that steers a fit, as a text: searches that are steered otherwise are other searches."""
        steers = (*_ROWS, *_FACTORS)  # the other kinds change the rows that a fit learns from
        return repr([(item.kind.value, item.row, item.column) for item in self.guidance if item.kind in steers])
