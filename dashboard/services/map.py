"""What the Map page shows: which rows, which of them are misclassified, and the table behind the picture."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.frames import free_names
from proset.common.words import percent
from proset.data.issues import Role
from proset.engine.evidence.familiarity import familiarity_words

if TYPE_CHECKING:
    from proset.explain.batch_map import BatchMap
    from proset.study import Study


class Part(StrEnum):
    """Which rows of a study a page speaks of."""

    HELD_OUT = "held_out"
    TRAIN = "train"
    ALL = "all"


PART_WORDS: dict[Part, str] = {
    Part.HELD_OUT: "held-out rows",
    Part.TRAIN: "training rows",
    Part.ALL: "all rows",
}


def part_rows(study: Study, part: Part) -> pd.DataFrame:
    """Return the predictions for one part of a study.

    Parameters
    ----------
    study : Study
        A fitted study.
    part : Part
        Held-out rows, training rows, or all rows (those without a target included).

    Returns
    -------
    DataFrame
        The rows of ``study.predictions`` that belong to the part, in table order.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> len(part_rows(study, Part.TRAIN)) + len(part_rows(study, Part.HELD_OUT)) == len(part_rows(study, Part.ALL))
    True
    """
    predictions = study.predictions
    return predictions if part is Part.ALL else predictions[predictions["part"] == part.value]


def misclassified(study: Study, part: Part) -> pd.DataFrame:
    """List the cases that the model gets wrong, most confident error first.

    Parameters
    ----------
    study : Study
        A fitted study.
    part : Part
        Where to look. Rows without a target cannot be wrong.

    Returns
    -------
    DataFrame
        Index: row id. Columns: the identifier if the table has one, ``actual``, ``predicted``, ``confidence``
        (probability of the predicted class, in [0, 1]), ``familiarity`` (quantile in [0, 1]), ``in words``, ``part``.
        Ordered by confidence, descending; equal confidence by row id.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> wrong = misclassified(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), Part.ALL)
    >>> wrong["confidence"].is_monotonic_decreasing, (wrong["actual"] != wrong["predicted"]).all()
    (True, np.True_)
    """
    rows = part_rows(study, part)
    wrong = rows[rows["actual"].notna() & (rows["actual"] != rows["predicted"])]
    # The sort is stable and the rows come in table order, so that equal confidence goes by row id.
    wrong = wrong.sort_values("confidence", ascending=False, kind="stable")
    listed = pd.DataFrame(
        {
            "actual": wrong["actual"].astype(str),
            "predicted": wrong["predicted"].astype(str),
            "confidence": wrong["confidence"].astype(float),
            "familiarity": wrong["quantile"].astype(float),
            "in words": [familiarity_words(value) for value in wrong["quantile"]],
            "part": wrong["part"].astype(str),
        },
        index=wrong.index,
    )
    for name in study.roles.of(Role.IDENTIFIER):
        heading = free_names([name], [*listed.columns, "row"], word="identifier")[0]
        listed.insert(0, heading, study.table.frame.loc[wrong.index, name])
    return listed


def step(order: Sequence[int], row: int | None, by: int) -> int | None:
    """Return the case `by` places further in a list that starts again after its end.

    Parameters
    ----------
    order : sequence of int
        Row ids in the order in which they are looked through.
    row : int or None
        The case one is at.
    by : int
        1 for the next case, -1 for the one before.

    Returns
    -------
    int or None
        A row id. From a case that is not in the list, 1 leads to the first and -1 to the last. None for an empty list.

    Examples
    --------
    >>> step([30, 10, 20], 10, 1), step([30, 10, 20], 20, 1), step([30, 10, 20], 99, -1), step([], 1, 1)
    (20, 30, 20, None)
    """
    if not order:
        return None
    if row is None or row not in order:
        return order[0] if by > 0 else order[-1]
    return order[(list(order).index(row) + by) % len(order)]


def axis_words(mapping: BatchMap) -> str:
    """Say how much of the spread of the prototypes the map shows, and how much it leaves out.

    Parameters
    ----------
    mapping : BatchMap
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
    'The map shows 75 % of the spread of the prototypes; the rest lies in 3 directions it leaves out.'
    """
    if mapping.rank < 1:
        return ""
    if mapping.rank <= 2:
        return "The map shows all of the spread of the prototypes."
    directions = "1 direction" if mapping.rank == 3 else f"{mapping.rank - 2} directions"
    shown = percent(sum(mapping.axis_shares))
    return f"The map shows {shown} of the spread of the prototypes; the rest lies in {directions} it leaves out."


def count_words(study: Study, part: Part) -> str:
    """Say how many rows a part has and how many of them are misclassified.

    Parameters
    ----------
    study : Study
        A fitted study.
    part : Part
        Which rows.

    Returns
    -------
    str
        One sentence; rows without a target are mentioned where there are any.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> count_words(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), Part.ALL).startswith("150 rows, ")
    True
    """
    rows = part_rows(study, part)
    wrong = int((rows["actual"].notna() & (rows["actual"] != rows["predicted"])).sum())
    unlabelled = int(rows["actual"].isna().sum())
    text = f"{len(rows):,} {PART_WORDS[part].replace('all ', '')}, {wrong:,} of them misclassified"
    if unlabelled:
        text += f"; {unlabelled:,} without a target cannot be judged"
    return f"{text}."


def map_frame(study: Study, mapping: BatchMap, part: Part) -> pd.DataFrame:
    """Return what the picture shows as a table, with the rows in the user's own columns and units.

    Parameters
    ----------
    study : Study
        A fitted study.
    mapping : BatchMap
        Its map.
    part : Part
        Which rows to include.

    Returns
    -------
    DataFrame
        Index: row id. Columns: those of ``mapping.points``, then those of the table; a column of the table whose name
        is taken already is called ``"NAME (table)"``.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.batch_map import batch_map
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> map_frame(study, batch_map(study), Part.ALL).columns[:3].tolist()
    ['x', 'y', 'part']
    """
    rows = part_rows(study, part).index.intersection(mapping.points.index)
    points = mapping.points.loc[rows]
    own = study.table.frame.loc[rows]
    names = free_names(own.columns, [*points.columns, "row"], word="table")
    return points.join(own.set_axis(names, axis=1))
