"""Which cells of some rows the model took for something else: missing ones that were filled in, levels never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proset.data.design import Encoded
    from proset.study import Study

UNSEEN = "never seen"


def assumed_cells(study: Study, encoded: Encoded, columns: Sequence[str]) -> pd.DataFrame:
    """Return what was assumed in each cell.

    Parameters
    ----------
    study : Study
        The study that encoded the rows.
    encoded : Encoded
        The rows as the model sees them.
    columns : sequence of str
        Columns of the table that the model uses.

    Returns
    -------
    DataFrame of str
        One row per row, one column per column: ``"54 assumed"``, ``"never seen"``, or empty where the cell was taken
        as it is.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> assumed_cells(study, study.encode([1]), study.used_columns).iloc[0].tolist()
    ['', '']
    """
    texts = {}
    for name in columns:
        lines = zip(encoded.imputed[name].tolist(), encoded.unseen[name].tolist(), strict=True)
        texts[name] = [
            f"{_stand_in(study, encoded, i, name)} assumed" if filled else UNSEEN if unseen else ""
            for i, (filled, unseen) in enumerate(lines)
        ]
    return pd.DataFrame(texts, index=encoded.imputed.index, columns=list(columns), dtype="str")


def _stand_in(study: Study, encoded: Encoded, line: int, name: str) -> str:
    """Return what stands in for a cell, in the words of its column."""
    own = [j for j, column in enumerate(study.design.columns) if column.source == name]
    values = encoded.X[line, own]
    if len(own) == 1:
        return str(study.design.to_original(own[0], values)[0])
    return next((str(study.design.columns[j].level) for j, value in zip(own, values, strict=True) if value > 0), "none")
