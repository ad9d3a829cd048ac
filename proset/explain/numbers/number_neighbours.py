"""The known cases most like one case, with their numbers: prototypes or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.notebook import DisplayedFrame
from proset.explain.numbers.known_rows import number_study_of
from proset.explain.plain_values import plain_cells
from proset.study import NumberStudy
from proset.study.case import Case


@dataclass(frozen=True, eq=False)
class NumberNeighbours(DisplayedFrame):
    """The training rows nearest to one case.

    Attributes
    ----------
    frame : DataFrame
        The nearest first, index from 0: ``row``, ``name``, ``target``, ``similarity`` (as the model measures it, in
        [0, 1]), ``prototype`` (whether it is one). Empty for a model that uses no column: all rows are alike to it.
    cells : DataFrame
        Their values in the columns that the model uses.
    """

    frame: pd.DataFrame
    cells: pd.DataFrame


def number_neighbours(explained: NumberStudy, case: Any, *, n_cases: int = 10) -> NumberNeighbours:
    """Find the training rows most like one case; of equal ones, the first of the table.

    Parameters
    ----------
    explained : NumberStudy
        Knows its training rows.
    case : Case, int or DataFrame
        A case, a row id, or a row as a frame; a training row is not its own neighbour.
    n_cases : int, default=10
        How many.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> number_neighbours(study, 31, n_cases=3).frame["row"].tolist()
    [339, 220, 372]
    """
    own = case if isinstance(case, Case) else number_study_of(explained, "number_neighbours").case(case)
    train, used = explained.split.train, list(explained.used_columns)
    distance, _ = explained.nearness.by_model.known.distances(own.x)
    others = np.flatnonzero(train != own.row) if own.row is not None else np.arange(len(train))
    found = others[np.lexsort((train[others], distance[others]))][: n_cases if used else 0]
    rows = explained.table.frame.loc[train[found]]
    frame = pd.DataFrame(
        {
            "row": train[found],
            "name": pd.Series(explained.names_of(rows), dtype="str"),
            "target": explained.targets.reindex(train[found]).to_numpy(dtype=np.float64),
            "similarity": np.exp(-0.5 * distance[found]),
            "prototype": np.isin(train[found], explained.prototypes["row"].to_numpy()),
        }
    )
    return NumberNeighbours(frame, plain_cells(explained.design, rows, used))
