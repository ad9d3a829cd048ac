"""Columns that give the target away.

A strong feature is no copy. Four patterns are pointed out, at most one for each column:

- its levels and the classes determine each other;
- it was cut into ranges to make the classes. That shows in that the ranges touch: the step across a border is hardly
  wider than the widest of the steps beside it, while honest clusters leave a gap;
- alone it says nearly every class, and far more than all other columns together: a code that was made from the target,
  a category inside a category, a date after the fact. Where the others say as much, the task is easy, and nothing is
  wrong;
- it is filled in for rows of one class only.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import shown
from proset.data.cells import read_numbers, read_words, settle
from proset.data.issues import Issue, Role
from proset.data.lone_columns import find_lone_columns
from proset.data.profile import CellKind, Profile

#: Mutual information of column and target, as a share of the larger entropy, from which on they are near-copies.
NEAR_COPY = 0.95

_MOST_CLASSES = 50
_FEWEST_ROWS = 10
_FEWEST_ROWS_FOR_RANGES = 50
_NEIGHBOURS = 10
_WIDEST_STEP = 1.5
_FIRST_LOOK = 2000


def find_leaks(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], target: str | None, *, kind: str = "class"
) -> dict[str, Issue]:
    """Find columns that give the target away.

    Parameters
    ----------
    frame : DataFrame
        The table, index row.
    target : str or None
        The column with the classes.
    kind : str
        What these are: "third" where the target is a number.

    Returns
    -------
    dict of str to Issue
        By column: "target_copy" (each level is one class and the other way round), "target_near_copy",
        "target_ranges", "lone_column" (alone it says nearly every class) or "filled_for_one_class", each with the
        suggested role EXTRA. Empty without a target, or with more than fifty classes.
    """
    found: dict[str, Issue] = {}
    if target is None or not 2 <= profiles[target].n_distinct <= _MOST_CLASSES:
        return found
    n_classes = profiles[target].n_distinct
    labels = read_words(frame[target])
    classes, _ = pd.factorize(labels)
    for name, profile in profiles.items():
        if name == target or profile.in_grid or profile.n_distinct < 2:
            continue
        issue = None
        if profile.n_distinct <= 2 * n_classes + 5:
            issue = _compare_levels(frame[name], classes, target, kind)
        # A file that is sorted by class cuts its row numbers into ranges, too.
        if issue is None and profile.kind is CellKind.NUMBER and profile.n_distinct > n_classes and not profile.gapless:
            issue = _compare_ranges(frame[name], classes, target, kind)
        if issue is not None:
            found[name] = issue
    others = {name: profile for name, profile in profiles.items() if name != target and name not in found}
    return found | find_lone_columns(frame, others, labels, kind=kind)


def _compare_levels(series: pd.Series, classes: NDArray[np.intp], target: str, kind: str) -> Issue | None:
    """Report levels and classes that determine each other."""
    levels, different = pd.factorize(read_words(series) if isinstance(series.dtype, pd.StringDtype) else settle(series))
    both = (levels >= 0) & (classes >= 0)
    if both.sum() < max(_FEWEST_ROWS, len(classes) / 2):
        return None
    n_classes = int(classes.max()) + 1
    joint = np.bincount(levels[both] * n_classes + classes[both], minlength=len(different) * n_classes)
    table = joint.reshape(len(different), n_classes)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    if min(table.shape) < 2:
        return None
    name = str(series.name)
    label, aim = shown(name), shown(target)
    if ((table > 0).sum(axis=0) == 1).all() and ((table > 0).sum(axis=1) == 1).all():
        return Issue(
            "target_copy",
            f"'{label}' says the same as the target '{aim}' in other words: each of its values goes with one {kind}."
            " It is not known for new cases, or makes the task trivial.",
            column=name,
            suggested_role=Role.EXTRA,
        )
    shared = _shared_information(table)
    if shared < NEAR_COPY:
        return None
    return Issue(
        "target_near_copy",
        f"'{label}' is nearly the same as the target '{aim}' (they share {shared:.1%} of their information)."
        " Check that it is known before the outcome; if not, keep it out of the model.",
        column=name,
        suggested_role=Role.EXTRA,
    )


def _shared_information(table: NDArray[np.int64]) -> float:
    """Mutual information of rows and columns of a table of counts, divided by the larger of the two entropies."""
    shares = table / table.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    joint = shares[shares > 0]
    entropy_rows, entropy_columns = -(rows @ np.log(rows)), -(columns @ np.log(columns))
    information = entropy_rows + entropy_columns + joint @ np.log(joint)
    return float(information / max(entropy_rows, entropy_columns))


def _compare_ranges(series: pd.Series, classes: NDArray[np.intp], target: str, kind: str) -> Issue | None:
    """Report classes that are each one range of the number, if the ranges touch."""
    values = read_numbers(series).values
    both = np.isfinite(values) & (classes >= 0)
    values, labels = values[both], classes[both]
    few = len(values) < _FEWEST_ROWS_FOR_RANGES
    if few or not _are_ranges(values[:_FIRST_LOOK], labels[:_FIRST_LOOK]) or not _are_ranges(values, labels):
        return None
    different, first = np.unique(values, return_index=True)
    steps = np.diff(different)
    borders = np.flatnonzero(np.diff(labels[first]))
    if len(borders) == 0:
        return None
    for border in borders.tolist():
        beside = np.delete(steps[max(border - _NEIGHBOURS, 0) : border + _NEIGHBOURS + 1], min(border, _NEIGHBOURS))
        if len(beside) == 0 or steps[border] > _WIDEST_STEP * beside.max():
            return None
    name = str(series.name)
    label, aim = shown(name), shown(target)
    why = "by cutting this column" if kind == "class" else "of this column, or this column of it"
    return Issue(
        "target_ranges",
        f"Each {kind} of the target '{aim}' is one range of '{label}', and the ranges touch: the target may have been"
        f" made {why}. If so, keep it out of the model.",
        column=name,
        suggested_role=Role.EXTRA,
    )


def _are_ranges(values: NDArray[np.float64], labels: NDArray[np.intp]) -> bool:
    """Tell whether the classes are ranges of the values that do not overlap."""
    present = np.unique(labels)
    low = np.full(int(present[-1]) + 1, np.inf)
    high = np.full(int(present[-1]) + 1, -np.inf)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    order = present[np.argsort(low[present])]
    return bool((low[order][1:] > high[order][:-1]).all())
