"""Words and table of the Map page: counts, variance that the axes leave out, and the rows behind the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import Part, Within, part_rows
from proset.common.frames import free_names
from proset.common.words import count_words
from proset.explain.shares import added_percents

if TYPE_CHECKING:
    from proset.explain.maps.map import BatchMap
    from proset.explain.numbers.map import NumberMap
    from proset.study import Study


def axis_words(mapping: BatchMap | NumberMap) -> str:
    """Say how much of the spread of the prototypes the map shows, and how much it leaves out.

    Parameters
    ----------
    mapping : BatchMap or NumberMap
        A map; one without axes gets an empty text.

    Returns
    -------
    str
        A plain sentence. The share of each axis stands at the axis.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> axis_words(SimpleNamespace(rank=2, axis_shares=(0.8, 0.2)))
    'The map shows all of the spread of the prototypes.'
    >>> axis_words(SimpleNamespace(rank=5, axis_shares=(0.5, 0.25)))
    'The map shows 75.0 % of the spread of the prototypes; the rest lies in 3 directions it leaves out.'
    >>> axis_words(SimpleNamespace(rank=3, axis_shares=(0.4514, 0.2193))).split(" of")[0]
    'The map shows 67.1 %'
    """
    if mapping.rank < 1:
        return ""
    if mapping.rank <= 2:
        return "The map shows all of the spread of the prototypes."
    directions = "1 direction" if mapping.rank == 3 else f"{mapping.rank - 2} directions"
    _, shown = added_percents(mapping.axis_shares)
    return f"The map shows {shown} of the spread of the prototypes; the rest lies in {directions} it leaves out."


def part_words(judged: pd.DataFrame, part: Part, within: Within | None = None) -> str:
    """Say how many rows a part has and how many of them are misclassified.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.

    Returns
    -------
    str
        One sentence; rows without a target and those left to a person are mentioned where there are any.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> part_words(study.judged(), Part.ALL).startswith("150 rows, ")
    True
    """
    rows = part_rows(judged, part, within)
    wrong, unlabelled, left = (int(marked.sum()) for marked in (rows["wrong"], rows["actual"].isna(), rows["left"]))
    text = f"{count_words(len(rows), part.row)}, {f'{wrong:,}' if wrong else 'none'} of them misclassified"
    if len(rows) == 1:
        text = f"1 {part.row}, {'' if wrong else 'not '}misclassified"
    if left:
        text += f"; {left:,} {'is' if left == 1 else 'are'} left to a person"
    if unlabelled:
        text += f"; {unlabelled:,} without a target cannot be judged"
    if within is not None:
        text += f". Only those in {within.words} count; the marks of all others are faded"
    return f"{text}."


def map_frame(study: Study, mapping: BatchMap, part: Part) -> pd.DataFrame:
    """Return what the picture shows as a table, with the rows in the user's own columns and units.

    Returns
    -------
    DataFrame
        Index: row id. Columns: those of ``mapping.points``, then those of the table; a column of the table whose name
        is taken already is called ``"NAME (table)"``.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> map_frame(study, batch_map(study), Part.ALL).columns[:3].tolist()
    ['x', 'y', 'part']
    """
    points = part_rows(mapping.points, part)
    own = study.table.frame.loc[points.index]
    names = free_names(own.columns, [*points.columns, "row"], word="table")
    return points.join(own.set_axis(names, axis=1))
